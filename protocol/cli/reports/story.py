"""A game as a list of steps in reading order: each position, and what is told of the move that led to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import chess
import chess.pgn
from chess.engine import Cp, Mate, MateGiven, Score

from protocol.cli.reports.diagram import moved_squares

_COMMANDS = re.compile(r"\[%[^][]*\]")
_SPACES = re.compile(r"\s+")


class Bracket(Enum):
    """Where a variation begins and ends among the steps."""

    OPEN = "("
    CLOSE = ")"


@dataclass(frozen=True, slots=True)
class Drawing:
    """An arrow that somebody drew on the board, from a square to another, or a circle round one square."""

    tail: str
    head: str
    color: str


@dataclass(frozen=True, slots=True)
class Step:
    """A position and the move that led to it; the first step, of index 0, has no move and no parent.

    `depth` is 0 in the main line, 1 in a variation, 2 in a variation of that. `ply` counts from the start
    of a game: 1 after White's first move. `squares` are those that the move left and reached (a king's,
    when castling), `check` is where a king in check stands. `score` is White's point of view. `clock` is
    the time left, in seconds. The comments are without their commands, `opening` being the one before the
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
    """All that a PGN file tells of a game, in the order in which it does."""

    def __init__(self, told: Sequence[Step | Bracket]) -> None:
        """`told` are the steps by index, with brackets about the variations. See `story_of`."""
        self.told = told
        self.steps = [step for step in told if isinstance(step, Step)]
        self.main_line = [step for step in self.steps if step.depth == 0]
        self._next: dict[int, list[Step]] = {}
        for step in self.steps:
            if step.parent is not None:
                self._next.setdefault(step.parent, []).append(step)

    def alternatives(self, step: Step) -> list[Step]:
        """The moves that are told instead of a main one."""
        return [] if step.parent is None else [each for each in self._next[step.parent] if each is not step]

    def line(self, step: Step) -> Iterator[Step]:
        """A step and those that follow it mainly."""
        following = [step]
        while following:
            yield following[0]
            following = self._next.get(following[0].index, [])


@dataclass(frozen=True, slots=True)
class _Task:
    """A node whose step is still to be told, and the position before it."""

    node: chess.pgn.ChildNode
    before: chess.Board
    parent: int
    depth: int


def story_of(game: chess.pgn.Game) -> Story:
    """A game's story. Of the steps that follow a position, the one with the lowest index is the main one."""
    board = game.board()
    told: list[Step | Bracket] = [_step(0, None, game, board)]
    count = 1
    todo: list[_Task | Bracket] = _following(game, board, 0, 0)
    while todo:
        task = todo.pop()
        if isinstance(task, Bracket):
            told.append(task)
            continue
        after = task.before.copy(stack=False)
        after.push(task.node.move)
        told.append(_step(count, task, task.node, after))
        todo += _following(task.node, after, count, task.depth)
        if task.node.is_main_variation():
            for sibling in reversed(task.node.parent.variations[1:]):
                todo += [
                    Bracket.CLOSE,
                    _Task(sibling, task.before, task.parent, task.depth + 1),
                    Bracket.OPEN,
                ]
        count += 1
    return Story(told)


def _following(node: chess.pgn.GameNode, board: chess.Board, index: int, depth: int) -> list[_Task | Bracket]:
    """The main move from a node; the others are told right after that one."""
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
    """What the rules say of a game that is over, or else what the file does; White's point of view."""
    if board.is_checkmate():
        return Mate(0) if board.turn == chess.WHITE else MateGiven
    if board.is_stalemate() or board.is_insufficient_material():
        return Cp(0)
    return told_score(node.comment, board.turn)


def told_score(comment: str, turn: chess.Color) -> Score | None:
    """The score in a comment, White's point of view; `turn` is who is to move there.

    A node's own `eval` walks back to the first move to learn that.
    """
    alone = chess.pgn.Game({})
    alone.comment = comment
    try:
        told = alone.eval()
    except ValueError:  # a mate in more moves than Python has digits for
        return None
    if told is None:
        return None
    score = told.white()
    return MateGiven if score == Mate(0) and turn == chess.BLACK else score


def _clock(node: chess.pgn.GameNode) -> float | None:
    try:
        return node.clock()
    except (ValueError, OverflowError):  # more digits than a time has
        return None


def _check(board: chess.Board) -> str | None:
    king = board.king(board.turn)
    return chess.square_name(king) if king is not None and board.is_check() else None


def _drawings(node: chess.pgn.GameNode) -> tuple[Drawing, ...]:
    return tuple(
        Drawing(chess.square_name(arrow.tail), chess.square_name(arrow.head), arrow.color)
        for arrow in node.arrows()
    )
