"""One game: its positions are judged, and what came of it is written into it.

A move that cost winning chances gets a mark, and the line that was better becomes a variation. In that
variation `[%eval]` on the first move says that mark and variation are Lolli's: a later annotation replaces
them. A mark that somebody else has given stays, and the line beside it is then as if it were theirs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
from chess.engine import MateGiven, PovScore

from protocol import about
from protocol.cli.analysis.assessment import Mark, MoveAssessment, PlayerSummary, assess, summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import chess.pgn
    from chess.engine import Score

    from engine.search.limits import Limits
    from protocol.cli.analysis.analyst import Analyst

_MOVE_MARKS = frozenset(range(1, 7))  # NAGs: !, ?, !!, ??, !?, ?!
_OUR_MARKS = frozenset(mark.nag for mark in Mark)
_ONLY_EVAL = re.compile(r"\[%eval [^\]\s]+\]")
_NAMES = {chess.WHITE: "White", chess.BLACK: "Black"}
_MILLISECONDS_PER_SECOND = 1000


@dataclass(frozen=True, slots=True)
class AnnotationOptions:
    """`skip` full moves at the beginning of a game are not judged; lines have up to `line_plies` moves."""

    skip: int = 0
    line_plies: int = 10


@dataclass(frozen=True, slots=True)
class GameJudgement:
    """What was found in a game.

    `positions` were judged, with searching or without. `evals` are the scores after each move, White's point
    of view, None where it was not judged. `marks` say of each move how bad it is, whoever's mark it has.
    """

    positions: int
    evals: tuple[Score | None, ...]
    marks: tuple[Mark | None, ...]
    white: PlayerSummary | None
    black: PlayerSummary | None


@dataclass(frozen=True, slots=True)
class _View:
    """A position as the engine sees it: White's point of view, and the best line."""

    score: Score
    line: tuple[chess.Move, ...] = ()


def annotate_game(
    game: chess.pgn.Game, analyst: Analyst, limits: Limits, options: AnnotationOptions | None = None
) -> GameJudgement | None:
    """Write into a game what the analyst thinks of it, and return that; None where no move is judged.

    The analyst forgets all that it knew before. Raises FenError where it cannot use a position, and then the
    game is as it was.
    """
    options = options or AnnotationOptions()
    nodes = list(game.mainline())
    first = game.turn()
    skipped = max(0, 2 * options.skip - (first == chess.BLACK))
    if len(nodes) <= skipped:
        return None
    views = list(_views(game, nodes, analyst, limits, skipped))
    scores = [None if view is None else view.score for view in views]
    summaries = {color: summary(first, scores, color) for color in chess.COLORS}
    if not any(summaries.values()):
        return None
    if game.headers.get("Analysis", "").startswith(f"{about.NAME} "):
        _remove_ours(nodes, views)
    marks = _marks(nodes, views, assess(first, scores))
    for node, view, mark, after in zip(nodes, views, marks, views[1:], strict=False):
        if after is not None:
            node.set_eval(PovScore(after.score, chess.WHITE))
        if mark is not None and view is not None:
            _annotate_move(node, mark, view, options)
    _write_headers(game.headers, summaries, analyst, limits)
    return GameJudgement(
        sum(view is not None for view in views),
        tuple(scores[1:]),
        marks,
        summaries[chess.WHITE],
        summaries[chess.BLACK],
    )


def analysis_text(evaluator: str, limits: Limits) -> str:
    """What the header Analysis says: by whom, with what, and how long, as in `10000 nodes a move`."""
    depth = "" if limits.depth is None else f"depth {limits.depth}"
    nodes = "" if limits.nodes is None else f"{limits.nodes} nodes a move"
    seconds = 0 if limits.move_time is None else limits.move_time / _MILLISECONDS_PER_SECOND
    time = f"{seconds:g} s a move" if seconds else ""
    parts = [f"{about.NAME} {about.VERSION}", evaluator, depth, nodes, time]
    return ", ".join(part for part in parts if part)


def _views(
    game: chess.pgn.Game,
    nodes: Sequence[chess.pgn.ChildNode],
    analyst: Analyst,
    limits: Limits,
    skipped: int,
) -> Iterator[_View | None]:
    """Each position of the main line; None for the first ones, and where a side has just passed."""
    analyst.new_game()
    board = game.board()
    passed = False
    for ply, node in enumerate([*nodes, None]):
        yield None if passed or ply < skipped else _view(board, analyst, limits)
        if node is not None:
            board.push(node.move)
            passed = not node.move


def _view(board: chess.Board, analyst: Analyst, limits: Limits) -> _View:
    if board.is_checkmate():
        return _View(-MateGiven if board.turn == chess.WHITE else MateGiven)
    finding = analyst.best(board, limits)
    return _View(finding.white, finding.moves)


def _marks(
    nodes: Sequence[chess.pgn.ChildNode],
    views: Sequence[_View | None],
    assessments: Sequence[MoveAssessment | None],
) -> tuple[Mark | None, ...]:
    """How bad each move is. One that the engine itself would have made is not, whatever comes of it."""
    return tuple(
        None if view is None or assessment is None or view.line[:1] == (node.move,) else assessment.mark
        for node, view, assessment in zip(nodes, views, assessments, strict=False)
    )


def _annotate_move(node: chess.pgn.ChildNode, mark: Mark, view: _View, options: AnnotationOptions) -> None:
    """Mark a bad move, unless somebody has, and show the line that was better, unless it is there."""
    marked = not node.nags & _MOVE_MARKS
    if marked:
        node.nags.add(mark.nag)
    line = view.line[: options.line_plies]
    if line and not node.parent.has_variation(line[0]):
        node.parent.add_line(line)
        if marked:
            node.parent.variation(line[0]).set_eval(PovScore(view.score, chess.WHITE))


def _write_headers(
    headers: chess.pgn.Headers,
    summaries: Mapping[chess.Color, PlayerSummary | None],
    analyst: Analyst,
    limits: Limits,
) -> None:
    for color, player in summaries.items():
        loss, accuracy = f"{_NAMES[color]}ACPL", f"{_NAMES[color]}Accuracy"
        if player is None:
            headers.pop(loss, None)
            headers.pop(accuracy, None)
        else:
            headers[loss] = str(player.average_centipawn_loss)
            headers[accuracy] = f"{player.accuracy:.1f}"
    headers.setdefault("Annotator", f"{about.NAME} {about.VERSION}")
    headers["Analysis"] = analysis_text(analyst.evaluator, limits)


def _remove_ours(nodes: Sequence[chess.pgn.ChildNode], views: Sequence[_View | None]) -> None:
    """Take out what an earlier annotation has added at the moves that are judged anew."""
    for node, view in zip(nodes, views, strict=False):
        ours = {each for each in node.parent.variations[1:] if _is_ours(each)} if view else ()
        if ours:
            node.parent.variations = [each for each in node.parent.variations if each not in ours]
            node.nags -= _OUR_MARKS


def _is_ours(variation: chess.pgn.ChildNode) -> bool:
    rest = list(variation.mainline())
    return (
        _ONLY_EVAL.fullmatch(variation.comment) is not None
        and not (variation.nags or variation.starting_comment)
        and not any(each.comment or each.nags for each in rest)
        and not any(len(each.variations) > 1 for each in (variation, *rest))
    )
