"""One game: its positions are evaluated, and the results written into it, as marks, lines and headers.

The better line, or the second best beside an only move, becomes a variation. `[%eval]` on its first move
shows that mark and variation are Lolli's: a later annotation replaces them. A mark by somebody else stays,
and the line beside it counts as theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile
from typing import Any

import chess
import chess.pgn
from chess.engine import MateGiven, PovScore, Score

from engine.board.fen import parse_fen
from engine.lookup.book import Book
from engine.lookup.openings import opening_line
from engine.search.limits import Limits
from lolli._positions import chess_move, engine_fen, is_recapture, skipped_plies
from lolli.cli.analysis import score_content
from lolli.cli.analysis.analyst import Analyst
from lolli.cli.analysis.assessment import (
    Mark,
    MoveAssessment,
    PlayerSummary,
    assess,
    summary,
    winning_chances,
)
from lolli.cli.pgn import RawGame
from lolli.cli.pgn.game_reader import LAST_IN_BOOK, ReadGame, header_text, opening_headers, written
from lolli.cli.runs import Job, Result
from protocol import about

_MOVE_MARKS = frozenset(range(1, 7))  # NAGs: !, ?, !!, ??, !?, ?!
_ONLY = chess.pgn.NAG_GOOD_MOVE  # an only move
_OUR_MARKS = frozenset((*(mark.nag for mark in Mark), _ONLY))
_MUCH_WORSE = Mark.MISTAKE.least  # in winning chances: any other move would have been a mistake
_AS_GOOD = Mark.INACCURACY.least  # lines that lose less than this beside the best are shown, too
_ONLY_EVAL = re.compile(r"\[%eval [^\]\s]+\]")
_TIMES = re.compile(r"\[%(?:clk|emt)\s[^\]]*\]")
_HEADERS = ("Annotator", "Analysis", "WhiteACPL", "WhiteAccuracy", "BlackACPL", "BlackAccuracy")
Facts = dict[str, Any]

MARKS = {"inaccuracies": Mark.INACCURACY, "mistakes": Mark.MISTAKE, "blunders": Mark.BLUNDER}
PLAYERS = {"white": chess.WHITE, "black": chess.BLACK}


@dataclass(frozen=True, slots=True)
class AnnotationOptions:
    """The first `skip` moves of each side, and first moves in the Polyglot `book`, are not evaluated.

    With `opening` the moves of a named opening are evaluated, but not marked. With `fresh` all marks,
    comments and variations are removed first, except for clock times.
    """

    skip: int = 0
    line_plies: int = 10
    book: str | None = None
    opening: bool = True
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class GameJudgement:
    """`evals` are White's, after each move; `marks` are those deserved; `book` and `opening` count plies."""

    positions: int
    evals: tuple[Score | None, ...]
    marks: tuple[Mark | None, ...]
    white: PlayerSummary | None
    black: PlayerSummary | None
    only: tuple[bool, ...] = ()
    book: int = 0
    opening: int = 0


@dataclass(frozen=True, slots=True)
class _View:
    """From White's point of view; `others` are further lines, best first."""

    score: Score
    line: tuple[chess.Move, ...] = ()
    others: tuple[_View, ...] = ()

    def lead(self, other: _View, mover: chess.Color) -> float:
        chances = winning_chances(self.score) - winning_chances(other.score)
        return chances if mover == chess.WHITE else -chances


def annotated(read: ReadGame, analyst: Analyst, job: Job, raw: RawGame) -> Result:
    """The work of `do_game`; no data if the game gets no annotations."""
    del raw
    judgement = annotate_game(read.game, analyst, job.limits, job.options)
    changed = judgement is not None or job.options.fresh
    return Result(written(read) if changed else None, facts_of(read.game, judgement))


def annotate_game(
    game: chess.pgn.Game, analyst: Analyst, limits: Limits, options: AnnotationOptions | None = None
) -> GameJudgement | None:
    """None if no move is evaluated; then only `fresh` has an effect. Raises FenError, the game unchanged."""
    options = options or AnnotationOptions()
    nodes = list(game.mainline())
    first = game.turn()
    book = 0 if options.book is None else book_plies(game, options.book)
    skipped = max(book, skipped_plies(game, options.skip))
    views: list[_View | None] = [None] * (len(nodes) + 1)
    if len(nodes) > skipped:
        views = list(_views(game, nodes, analyst, limits, skipped))
    scores = [None if view is None else view.score for view in views]
    summaries = {color: summary(first, scores, color) for color in chess.COLORS}
    if options.fresh:
        _clear(game, nodes)
    if not any(summaries.values()):
        return None
    _remove_ours(game, nodes, views)
    name, opening = opening_line(game.end().board())
    unmarked = [None if options.opening and ply < opening else view for ply, view in enumerate(views)]
    marks = _marks(nodes, unmarked, assess(first, scores))
    only = _only_moves(game, nodes, unmarked)
    if views[0] is not None and game.board().fen() != chess.STARTING_FEN:
        game.set_eval(PovScore(views[0].score, chess.WHITE))
    for node, view, mark, is_only, after in zip(nodes, views, marks, only, views[1:], strict=False):
        if after is not None:
            node.set_eval(PovScore(after.score, chess.WHITE))
        if mark is not None and view is not None:
            _annotate_move(node, mark, view, options)
        elif is_only and view is not None:
            _praise(node, view, options)
    if book:
        nodes[book - 1].comment = f"{nodes[book - 1].comment} {LAST_IN_BOOK}".strip()
    _write_headers(game.headers, summaries, analyst, limits)
    game.headers.update(opening_headers(game.headers, name))
    return GameJudgement(
        sum(view is not None for view in views),
        tuple(scores[1:]),
        marks,
        summaries[chess.WHITE],
        summaries[chess.BLACK],
        only,
        book,
        opening,
    )


def book_plies(game: chess.pgn.Game, name: str) -> int:
    """How many of the first moves are in the book, one after the other. Raises BookError, FenError."""
    board = game.board()
    book = _book(name)
    count = 0
    for node in takewhile(lambda node: bool(node.move) and node.move in _moves(book, board), game.mainline()):
        board.push(node.move)
        count += 1
    return count


def _moves(book: Book, board: chess.Board) -> set[chess.Move]:
    moves = book.moves(parse_fen(engine_fen(board)))
    return {chess_move(move, board.chess960) for move in moves}


@cache
def _book(name: str) -> Book:
    return Book(name)


def analysis_text(evaluator: str, limits: Limits) -> str:
    """The header Analysis: engine, evaluator and limits, as in `10000 nodes a move`."""
    depth = "" if limits.depth is None else f"depth {limits.depth}"
    nodes = "" if limits.nodes is None else f"{limits.nodes} nodes a move"
    time = "" if limits.move_time is None else f"{limits.move_time / 1000:g} s a move"
    parts = [f"{about.NAME} {about.VERSION}", evaluator, depth, nodes, time]
    return ", ".join(part for part in parts if part)


def _views(
    game: chess.pgn.Game,
    nodes: Sequence[chess.pgn.ChildNode],
    analyst: Analyst,
    limits: Limits,
    skipped: int,
) -> Iterator[_View | None]:
    """A view of each position of the main line; None for skipped ones and after a null move."""
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
    best, *others = (_View(finding.white, finding.moves) for finding in analyst.findings(board, limits))
    return replace(best, others=tuple(others))


def _marks(
    nodes: Sequence[chess.pgn.ChildNode],
    views: Sequence[_View | None],
    assessments: Sequence[MoveAssessment | None],
) -> tuple[Mark | None, ...]:
    """The mark of each move; none for the engine's own choice, whatever its score afterwards."""
    return tuple(
        None if view is None or assessment is None or view.line[:1] == (node.move,) else assessment.mark
        for node, view, assessment in zip(nodes, views, assessments, strict=False)
    )


def _only_moves(
    game: chess.pgn.Game, nodes: Sequence[chess.pgn.ChildNode], views: Sequence[_View | None]
) -> tuple[bool, ...]:
    """Whether each move was the only one: the best, all others much worse, and not just taking back."""
    only = []
    board = game.board()
    for node, view in zip(nodes, views, strict=False):
        only.append(
            view is not None
            and view.line[:1] == (node.move,)
            and bool(view.others)
            and view.others[0].line[:1] != view.line[:1]
            and view.lead(view.others[0], board.turn) >= _MUCH_WORSE
            and not is_recapture(board, node.move)
        )
        board.push(node.move)
    return tuple(only)


def _annotate_move(node: chess.pgn.ChildNode, mark: Mark, view: _View, options: AnnotationOptions) -> None:
    marked = not node.nags & _MOVE_MARKS
    if marked:
        node.nags.add(mark.nag)
    as_good = (other for other in view.others if view.lead(other, node.parent.turn()) < _AS_GOOD)
    for each in (view, *as_good):
        _add_line(node, each, options, is_ours=marked)


def _praise(node: chess.pgn.ChildNode, view: _View, options: AnnotationOptions) -> None:
    """Mark an only move, unless it has a mark, and add the second best line beside it.

    It is added even if somebody's variation begins with its move: otherwise the mark would not count as ours.
    """
    if not node.nags & _MOVE_MARKS:
        node.nags.add(_ONLY)
        second = view.others[0]
        move, *rest = second.line[: options.line_plies]
        variation = node.parent.add_variation(move)
        variation.set_eval(PovScore(second.score, chess.WHITE))
        variation.add_line(rest)


def _add_line(node: chess.pgn.ChildNode, view: _View, options: AnnotationOptions, *, is_ours: bool) -> None:
    line = view.line[: options.line_plies]
    if line and not node.parent.has_variation(line[0]):
        node.parent.add_line(line)
        if is_ours:
            node.parent.variation(line[0]).set_eval(PovScore(view.score, chess.WHITE))


def _clear(game: chess.pgn.Game, nodes: Sequence[chess.pgn.ChildNode]) -> None:
    for header in _HEADERS:
        game.headers.pop(header, None)
    for node in (game, *nodes):
        del node.variations[1:]
        node.nags.clear()
        node.comment = " ".join(_TIMES.findall(node.comment))


def _write_headers(
    headers: chess.pgn.Headers,
    summaries: Mapping[chess.Color, PlayerSummary | None],
    analyst: Analyst,
    limits: Limits,
) -> None:
    for color, player in summaries.items():
        name = chess.COLOR_NAMES[color].capitalize()
        loss, accuracy = f"{name}ACPL", f"{name}Accuracy"
        if player is None:
            headers.pop(loss, None)
            headers.pop(accuracy, None)
        else:
            headers[loss] = str(player.average_centipawn_loss)
            headers[accuracy] = f"{player.accuracy:.1f}"
    headers.setdefault("Annotator", f"{about.NAME} {about.VERSION}")
    headers["Analysis"] = analysis_text(analyst.evaluator, limits)


def _remove_ours(
    game: chess.pgn.Game, nodes: Sequence[chess.pgn.ChildNode], views: Sequence[_View | None]
) -> None:
    if not game.headers.get("Analysis", "").startswith(f"{about.NAME} "):
        return
    for node in nodes:
        if LAST_IN_BOOK in node.comment:
            node.comment = node.comment.replace(LAST_IN_BOOK, "").strip()
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


def facts_of(game: chess.pgn.Game, judgement: GameJudgement | None) -> Facts:
    """A game for JSON; null if not evaluated.

    `accuracy` is in per cent, `acpl` the average centipawn loss. `evals` are White's, after each move: {"cp":
    centipawns} or {"mate": moves}, 0 moves being checkmate. `book` and `opening` count plies.
    """
    moves = sum(1 for _ in game.mainline())
    summaries = {"white": judgement.white, "black": judgement.black} if judgement else {}
    marks = judgement.marks if judgement else ()
    only = judgement.only if judgement else ()
    first = game.turn()
    facts: Facts = {}
    for name, color in PLAYERS.items():
        player = summaries.get(name)
        written = game.headers.get(name.capitalize())
        facts[name] = {
            "name": None if written is None else header_text(written),
            "accuracy": player and round(player.accuracy, 1),
            "acpl": player and player.average_centipawn_loss,
            **{each: marks[first != color :: 2].count(mark) for each, mark in MARKS.items()},
            "only_moves": only[first != color :: 2].count(True),
        }
    facts["result"] = game.headers.get("Result")
    facts["book"] = judgement.book if judgement else 0
    facts["opening"] = judgement.opening if judgement else 0
    facts["positions"] = judgement.positions if judgement else 0
    evals = judgement.evals if judgement else [None] * moves
    facts["evals"] = [None if score is None else score_content(score) for score in evals]
    return facts
