"""A game in reading order: a step for each move with its position, and rows of moves for the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

import chess
import chess.pgn
from chess.engine import Cp, Mate, MateGiven, Score

from protocol.cli.reports.board_image import moved_squares
from protocol.cli.terminal.words import MINUS

_COMMANDS = re.compile(r"\[%[^][]*\]")
_SPACES = re.compile(r"\s+")
# https://en.wikipedia.org/wiki/Portable_Game_Notation#Standard_NAGs, with the signs of the Informator
_NAGS = {
    "!": (1,),
    "?": (2,),
    "!!": (3,),
    "??": (4, 9),
    "!?": (5,),
    "?!": (6,),
    "□": (7, 8),
    "=": (10, 11, 12),
    "∞": (13,),
    "+/=": (14,),
    "=/+": (15,),
    "±": (16,),
    "∓": (17,),
    f"+{MINUS}": (18, 20),
    f"{MINUS}+": (19, 21),
    "⊙": (22, 23),
    "↻": (32, 33),
    "↑": (36, 37),
    "→": (40, 41),
    "=∞": (44, 45),
    "⇆": (132, 133),
    "⊕": (138, 139),
    "N": (146,),
}
_SIGNS = {nag: sign for sign, nags in _NAGS.items() for nag in nags}
_JUDGEMENTS = frozenset(range(1, 10))  # NAGs for a move; the others are for a position


class Bracket(Enum):
    """The begin and the end of a variation among the steps."""

    OPEN = "("
    CLOSE = ")"


@dataclass(frozen=True, slots=True)
class Drawing:
    """An arrow drawn on the board, from a square to another, or a circle around one square."""

    tail: str
    head: str
    color: str


@dataclass(frozen=True, slots=True)
class Step:
    """A position and the move that led to it; the first step, of index 0, has no move and no parent.

    `depth` is 0 in the main line, 1 in a variation, 2 in a variation of that. `ply` counts from the start
    of a game: 1 after White's first move. `squares` are origin and target of the move (of the king, when
    castling), `check` is the square of a king in check. `score` is from White's point of view. `clock` is
    the time left, in seconds. The comments are without their commands; `opening` is the one before the
    first move of a variation.
    """

    index: int
    parent: int | None
    depth: int
    ply: int
    fen: str
    move: chess.Move | None
    number: str
    san: str
    squares: tuple[str, ...]
    check: str | None
    score: Score | None
    clock: float | None
    nags: tuple[int, ...]
    opening: str
    comment: str
    drawings: tuple[Drawing, ...]

    @property
    def by_white(self) -> bool:
        """Whether the move was White's."""
        return self.number.endswith(".")


class Story:
    """The content of a game in a PGN file, in its order."""

    def __init__(self, parts: Sequence[Step | Bracket]) -> None:
        """`parts` are the steps by index, with brackets around the variations. See `story_of`."""
        self.parts = parts
        self.steps = [step for step in parts if isinstance(step, Step)]
        self.main_line = [step for step in self.steps if step.depth == 0]
        self._next: dict[int, list[Step]] = {}
        for step in self.steps:
            if step.parent is not None:
                self._next.setdefault(step.parent, []).append(step)

    def alternatives(self, step: Step) -> list[Step]:
        """The moves that the file gives in place of a main one."""
        return [] if step.parent is None else [each for each in self._next[step.parent] if each is not step]

    def line(self, step: Step) -> Iterator[Step]:
        """A step and those that follow it in its line."""
        following = [step]
        while following:
            yield following[0]
            following = self._next.get(following[0].index, [])


@dataclass(frozen=True, slots=True)
class _Task:
    """A node whose step is still to be made, and the position before it."""

    node: chess.pgn.ChildNode
    before: chess.Board
    parent: int
    depth: int


def story_of(game: chess.pgn.Game) -> Story:
    """The story of a game. Of the steps after a position, the one with the lowest index is the main one."""
    board = game.board()
    parts: list[Step | Bracket] = [_step(0, None, game, board)]
    count = 1
    todo: list[_Task | Bracket] = _following(game, board, 0, 0)
    while todo:
        task = todo.pop()
        if isinstance(task, Bracket):
            parts.append(task)
            continue
        after = task.before.copy(stack=False)
        after.push(task.node.move)
        parts.append(_step(count, task, task.node, after))
        todo += _following(task.node, after, count, task.depth)
        if task.node.is_main_variation():
            for sibling in reversed(task.node.parent.variations[1:]):
                todo += [
                    Bracket.CLOSE,
                    _Task(sibling, task.before, task.parent, task.depth + 1),
                    Bracket.OPEN,
                ]
        count += 1
    return Story(parts)


def _following(node: chess.pgn.GameNode, board: chess.Board, index: int, depth: int) -> list[_Task | Bracket]:
    """The main move from a node; the others follow right after it."""
    return [_Task(node.variations[0], board, index, depth)] if node.variations else []


def _step(index: int, task: _Task | None, node: chess.pgn.GameNode, after: chess.Board) -> Step:
    before, move = (None, None) if task is None else (task.before, task.node.move)
    return Step(
        index=index,
        parent=task.parent if task else None,
        depth=task.depth if task else 0,
        ply=after.ply(),
        fen=after.fen(),
        move=move,
        number=f"{before.fullmove_number}{'.' if before.turn else '…'}" if before else "",
        san=before.san(move) if before and move is not None else "",
        squares=tuple(map(chess.square_name, moved_squares(before, move))) if before and move else (),
        check=_check(after),
        score=_score(node, after),
        clock=_clock(node),
        nags=tuple(sorted(node.nags)),
        opening=text_of(node.starting_comment),
        comment=text_of(node.comment),
        drawings=_drawings(node),
    )


def text_of(comment: str) -> str:
    """A comment without its commands such as `[%clk 0:10:00]`, in one line."""
    return _SPACES.sub(" ", _COMMANDS.sub(" ", comment)).strip()


def _score(node: chess.pgn.GameNode, board: chess.Board) -> Score | None:
    """The score by the rules if the game is over, otherwise that in the file; White's point of view."""
    if board.is_checkmate():
        return Mate(0) if board.turn == chess.WHITE else MateGiven
    if board.is_stalemate() or board.is_insufficient_material():
        return Cp(0)
    return told_score(node.comment, board.turn)


def told_score(comment: str, turn: chess.Color) -> Score | None:
    """The score in a comment, from White's point of view; `turn` is the side to move there.

    A node's own `eval` walks back to the first move to find that side.
    """
    alone = chess.pgn.Game({})
    alone.comment = comment
    try:
        found = alone.eval()
    except ValueError:  # a mate in more moves than Python has digits for
        return None
    if found is None:
        return None
    score = found.white()
    return MateGiven if score == Mate(0) and turn == chess.BLACK else score


def _clock(node: chess.pgn.GameNode) -> float | None:
    try:
        return node.clock()
    except (ValueError, OverflowError):  # too many digits
        return None


def _check(board: chess.Board) -> str | None:
    king = board.king(board.turn)
    return chess.square_name(king) if king is not None and board.is_check() else None


def _drawings(node: chess.pgn.GameNode) -> tuple[Drawing, ...]:
    return tuple(
        Drawing(chess.square_name(arrow.tail), chess.square_name(arrow.head), arrow.color)
        for arrow in node.arrows()
    )


def signs(nags: Iterable[int]) -> tuple[str, str]:
    """The signs of NAGs, for the move and for the position after it. Unknown ones as `$255`."""
    known = sorted(nags)
    of_move = "".join(_SIGNS[nag] for nag in known if nag in _JUDGEMENTS)
    return of_move, " ".join(_SIGNS.get(nag, f"${nag}") for nag in known if nag not in _JUDGEMENTS)


class PieceKind(Enum):
    """The kind of a piece of a variation."""

    OPEN = "open"
    CLOSE = "close"
    COMMENT = "comment"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class VariationPiece:
    """A piece of a variation: a move, with a number if needed, a comment `text`, or a bracket."""

    part: PieceKind
    step: Step | None = None
    number: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A note after a move of the main line: a comment, or a variation in pieces."""

    comment: str = ""
    variation: tuple[VariationPiece, ...] = ()


@dataclass(slots=True)
class MoveRow:
    """A row of the main line. A missing move is in the row before or after."""

    number: int
    white: Step | None = None
    black: Step | None = None
    notes: list[Note] = field(default_factory=list)


def rows_of(story: Story) -> list[MoveRow]:
    """The rows of a game; a move with notes ends its row."""
    rows: list[MoveRow] = []
    parts = iter(story.parts)
    next(parts)  # the first position
    for each in parts:
        if isinstance(each, Bracket):
            rows[-1].notes.append(Note(variation=tuple(_pieces(_variation(parts)))))
            continue
        if each.by_white or not rows or rows[-1].black or rows[-1].notes:
            rows.append(MoveRow(int(each.number[:-1])))
        if each.by_white:
            rows[-1].white = each
        else:
            rows[-1].black = each
        rows[-1].notes += [Note(comment=text) for text in (each.opening, each.comment) if text]
    return rows


def _variation(parts: Iterator[Step | Bracket]) -> Iterator[Step | Bracket]:
    """The parts up to the bracket that closes the open one."""
    depth = 1
    for each in parts:
        if isinstance(each, Bracket):
            depth += 1 if each is Bracket.OPEN else -1
            if depth == 0:
                return
        yield each


def _pieces(parts: Iterable[Step | Bracket]) -> Iterator[VariationPiece]:
    needs_number = True
    for each in parts:
        if isinstance(each, Bracket):
            yield VariationPiece(PieceKind.OPEN if each is Bracket.OPEN else PieceKind.CLOSE)
            needs_number = True
            continue
        if each.opening:
            yield VariationPiece(PieceKind.COMMENT, text=each.opening)
        yield VariationPiece(PieceKind.MOVE, each, each.number if each.by_white or needs_number else "")
        needs_number = bool(each.comment)
        if each.comment:
            yield VariationPiece(PieceKind.COMMENT, text=each.comment)
