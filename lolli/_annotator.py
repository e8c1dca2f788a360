"""One game: its positions are evaluated, and the results written into it, as marks, lines and headers.

The better line, or the second best beside an only move, becomes a variation. `[%line N]` on its first move,
N being its length in plies, shows that mark and variation are Lolli's: a later annotation replaces them. A
mark by somebody else stays, and the line beside it counts as theirs. The reason of a mark follows `[%why N]`
in the comment of the move, N being its length in characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import takewhile

import chess
import chess.pgn
import chess.svg
from chess.engine import PovScore, Score

from engine.board.fen import parse_fen
from engine.lookup.book import Book
from engine.lookup.openings import OpeningName, opening_line
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._assessment import (
    LOLLIS_ANALYSIS,
    Mark,
    MoveAssessment,
    PlayerSummary,
    after_first,
    assess,
    critical_moves,
    mated_score,
    summary,
    winning_chances,
)
from lolli._claims import Counting
from lolli._positions import chess_move, engine_fen, is_recapture, skipped_plies
from lolli._reasons import Known, Reason, why_bad, why_good
from protocol import about

_MOVE_MARKS = frozenset(range(1, 7))  # NAGs: !, ?, !!, ??, !?, ?!
_ONLY = chess.pgn.NAG_GOOD_MOVE  # an only move
_OUR_MARKS = frozenset((*(mark.nag for mark in Mark), _ONLY))
_MUCH_WORSE = Mark.MISTAKE.least  # in winning chances: any other move would have been a mistake
_AS_GOOD = Mark.INACCURACY.least  # lines that lose less than this beside the best are shown, too
_OUR_LINE = re.compile(r"\[%eval\s[^\]\s]+\]\s\[%line\s(\d{1,4})\]")
_WHY = re.compile(r"\s?\[%why (\d{1,4})\]\s")
_TIMES = re.compile(r"\[%(?:clk|emt)\s[^\]]*\]")
_PART, _FEWEST_NODES, _ANY_NODES = 20, 500, 200_000  # the last for limits in depth or time
_UNKNOWN = ("", "?", "-")  # values of headers
_HEADERS = ("Annotator", "Analysis", "WhiteACPL", "WhiteAccuracy", "BlackACPL", "BlackAccuracy")
LAST_IN_BOOK = "book until here"
"""The comment at the last move that is in a book."""
_BOOK = f"[%book] {LAST_IN_BOOK}"


@dataclass(frozen=True, slots=True)
class AnnotationOptions:
    """The first `skip` moves of each side, and first moves in the Polyglot `book`, are not evaluated.

    With `opening` the moves of a named opening are evaluated, but not marked. With `fresh` all marks,
    comments and variations are removed first, except for clock times. With `reasons` each mark is explained.
    """

    skip: int = 0
    line_plies: int = 10
    book: str | None = None
    opening: bool = True
    fresh: bool = False
    reasons: bool = True


@dataclass(frozen=True, slots=True)
class GameJudgement:
    """`evals` are White's, after each move; `marks` are those deserved; `book` and `opening` count plies.

    `reasons` are those of marked moves, None for all others.
    """

    positions: int
    evals: tuple[Score | None, ...]
    marks: tuple[Mark | None, ...]
    white: PlayerSummary | None
    black: PlayerSummary | None
    only: tuple[bool, ...] = ()
    book: int = 0
    opening: int = 0
    reasons: tuple[Reason | None, ...] = ()


@dataclass(frozen=True, slots=True)
class _View:
    """From White's point of view; `others` are further lines, best first."""

    score: Score
    line: tuple[chess.Move, ...] = ()
    others: tuple[_View, ...] = ()

    @property
    def known(self) -> Known:
        return Known(self.score, self.line)

    def lead(self, other: _View, mover: chess.Color) -> float:
        chances = winning_chances(self.score) - winning_chances(other.score)
        return chances if mover == chess.WHITE else -chances


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
    _remove_ours(nodes, views)
    if views[0] is not None and game.board().fen() != chess.STARTING_FEN:
        game.set_eval(PovScore(views[0].score, chess.WHITE))
    name, opening = opening_line(game.end().board())
    unmarked = [None if options.opening and ply < opening else view for ply, view in enumerate(views)]
    assessments = assess(first, scores)
    marks = _marks(nodes, unmarked, assessments)
    only = _only_moves(game, nodes, unmarked)
    counting = partial(analyst.material, limits=counting_limits(limits))
    lost = [each if mark else None for each, mark in zip(assessments, marks, strict=True)]
    critical = set(critical_moves(lost))
    reasons: tuple[Reason | None, ...] = ()
    if options.reasons:
        reasons = tuple(_reasons(game, nodes, views, marks, only, critical, counting))
    _write(nodes, views, marks, only, options)
    for node, reason in zip(nodes, reasons, strict=False):
        if reason is not None:
            node.comment = f"{node.comment} {_explained(reason)}".strip()
    if book:
        nodes[book - 1].comment = f"{nodes[book - 1].comment} {_BOOK}".strip()
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
        reasons,
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
    game: chess.pgn.Game, nodes: Sequence[chess.pgn.ChildNode], analyst: Analyst, limits: Limits, skipped: int
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
        return _View(mated_score(board))
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


def _write(
    nodes: Sequence[chess.pgn.ChildNode],
    views: Sequence[_View | None],
    marks: Sequence[Mark | None],
    only: Sequence[bool],
    options: AnnotationOptions,
) -> None:
    """Evaluations, marks and lines."""
    for node, view, mark, is_only, after in zip(nodes, views, marks, only, views[1:], strict=False):
        if after is not None:
            node.set_eval(PovScore(after.score, chess.WHITE))
        if mark is not None and view is not None:
            _annotate_move(node, mark, view, options)
        elif is_only and view is not None:
            _praise(node, view, options)


def _reasons(
    game: chess.pgn.Game,
    nodes: Sequence[chess.pgn.ChildNode],
    views: Sequence[_View | None],
    marks: Sequence[Mark | None],
    only: Sequence[bool],
    critical: Collection[int],
    counting: Counting,
) -> Iterator[Reason | None]:
    """Why each move got its mark, at more length for critical ones; None for moves without."""
    board = game.board()
    for ply, (node, before, after, mark, is_only) in enumerate(
        zip(nodes, views, views[1:], marks, only, strict=False)
    ):
        reason = None
        if before is not None and after is not None:
            if mark is not None:
                whole = ply in critical
                reason = why_bad(board, node.move, before.known, after.known, counting, whole=whole)
            elif is_only:
                second = before.others[0]
                reason = why_good(board, node.move, after.known, counting, (second.line[0], second.score))
        yield reason
        board.push(node.move)


def counting_limits(limits: Limits) -> Limits:
    """Of a search for material, so that all of them together take little time beside the analysis."""
    return Limits(nodes=max(_FEWEST_NODES, min(limits.nodes or _ANY_NODES, _ANY_NODES) // _PART))


def _explained(reason: Reason) -> str:
    """The comment for a reason, as `_without_reason` takes it out."""
    text = reason.paragraph
    arrows = [chess.svg.Arrow(tail, head, color="red").pgn() for tail, head in reason.arrows]
    if arrows:
        text = f"[%cal {','.join(arrows)}] {text}"
    return f"[%why {len(text)}] {text}"


def _without_reason(comment: str) -> str:
    """A comment without Lolli's reason. A reason that somebody has edited is theirs, and stays."""
    found = _WHY.search(comment)
    if found is None:
        return comment
    begin, end = found.end(), found.end() + int(found[1])
    ours = comment[begin:end].endswith(".") and comment[end : end + 1] in {"", " ", "\n"}
    return f"{comment[: found.start()]} {comment[end if ours else begin :].lstrip()}".strip()


def _annotate_move(node: chess.pgn.ChildNode, mark: Mark, view: _View, options: AnnotationOptions) -> None:
    is_ours = not node.nags & _MOVE_MARKS
    if is_ours:
        node.nags.add(mark.nag)
    for each in (view, *view.others):
        if view.lead(each, node.parent.turn()) < _AS_GOOD:
            _add_line(node, each, options, signed=is_ours)


def _praise(node: chess.pgn.ChildNode, view: _View, options: AnnotationOptions) -> None:
    """Mark an only move, unless it has a mark, and add the second best line beside it.

    It is added even if somebody's variation begins with its move: otherwise the mark would not count as ours.
    """
    if not node.nags & _MOVE_MARKS:
        node.nags.add(_ONLY)
        _add_line(node, view.others[0], options, signed=True, again=True)


def _add_line(
    node: chess.pgn.ChildNode, view: _View, options: AnnotationOptions, *, signed: bool, again: bool = False
) -> None:
    line = view.line[: options.line_plies]
    if line and (again or not node.parent.has_variation(line[0])):
        variation = node.parent.add_variation(line[0])
        variation.add_line(line[1:])
        if signed:
            _sign(variation, view.score)


def _sign(line: chess.pgn.ChildNode, score: Score) -> None:
    """`score` is from before the line. If its first move mates, it has that: 0 would not be written."""
    after = after_first(score, line.parent.turn())
    line.set_eval(PovScore(after if after.mate() != 0 else score, chess.WHITE))
    line.comment += f" [%line {1 + len(list(line.mainline()))}]"


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
    theirs = LOLLIS_ANALYSIS.split(headers.get("Analysis", ""))[0]
    parts = [] if theirs in _UNKNOWN else [theirs]
    headers["Analysis"] = "; ".join([*parts, analysis_text(analyst.evaluator, limits)])


def _remove_ours(nodes: Sequence[chess.pgn.ChildNode], views: Sequence[_View | None]) -> None:
    for node in nodes:
        if _BOOK in node.comment:
            node.comment = node.comment.replace(_BOOK, "").strip()
    for node, view in zip(nodes, views, strict=False):
        if view:
            node.comment = _without_reason(node.comment)
        ours = {each for each in node.parent.variations[1:] if _is_ours(each)} if view else ()
        if ours:
            node.parent.variations = [each for each in node.parent.variations if each not in ours]
            node.nags -= _OUR_MARKS


def _is_ours(variation: chess.pgn.ChildNode) -> bool:
    found = _OUR_LINE.fullmatch(variation.comment)
    rest = list(variation.mainline())
    return (
        found is not None
        and int(found[1]) == 1 + len(rest)
        and not (variation.nags or variation.starting_comment)
        and not any(each.comment or each.nags for each in rest)
        and not any(len(each.variations) > 1 for each in (variation, *rest))
    )


def opening_headers(headers: Mapping[str, str], opening: OpeningName | None) -> dict[str, str]:
    """The headers to add; what the game says itself about its opening stays."""
    if opening is None:
        return {}
    added = {} if _has(headers, "ECO") else {"ECO": opening.eco}
    if _has(headers, "Opening") or _has(headers, "Variation"):
        return added
    added["Opening"] = opening.family
    return {**added, "Variation": opening.variation} if opening.variation else added


def _has(headers: Mapping[str, str], name: str) -> bool:
    return headers.get(name, "").strip() not in _UNKNOWN
