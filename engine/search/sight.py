"""Chess blindness: which moves a player of a given strength sees, and what he believes lines to be worth.

The search finds the moves and how each of them goes on. A weaker player follows such a line only as far as he
sees its moves, his own and the opponent's, and takes the position behind that for quiet: he counts the
pieces. So he overlooks what people overlook (P. Saariluoma, "Error in chess: The apperception-restructuring
view", 1992): long and backward moves, quiet ones, moves of knights, discovered attacks, and threats.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.board.bitboard import BISHOP, KING, KNIGHT, LAST, PAWN, QUEEN
from engine.board.move import (
    is_capture,
    is_castling,
    is_en_passant,
    is_promotion,
    origin,
    promoted_to,
    target,
)
from engine.board.movegen import gives_check, legal_moves
from eval.material import worth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random

    from engine.board.position import Position
    from engine.search.report import Report

_LUCK = 500.0
"""By how much, at most, a player sees more or less of a move than usual, in Elo; and most often by little."""

# The rating of a player who sees a quiet move of his own half of the time, and what changes it.
_QUIET = 450
_OF_OPPONENT, _PLY = 50, 150
_CAPTURE, _VICTIM, _TAKES_BACK, _CHECK, _CASTLING, _PROMOTION, _ONLY_MOVES = 250, 0.6, 250, 100, 250, 250, 400
_KNIGHT, _SQUARE, _BACKWARD, _UNCOVERS, _EN_PASSANT, _UNDERPROMOTION = 60, 40, 120, 150, 150, 500
_SAVES = 400
"""By how much the moves of a piece are seen more easily that he sees attacked."""
_MATES, _MATE = 200, 600
"""By how much a move that mates at once is seen more easily, and the most for any."""
_NEAR, _FEW = 3, 3
"""Up to _NEAR squares are no distance; up to _FEW legal moves are looked at one by one."""

_CLUTTER, _MOST_CLUTTER = 15, 8
"""Elo that each capture on the board costs the player who has to look at them all, and how many count."""

_WON = 2000
"""Centipawns from which on he thinks all positions equally won, or lost."""
_TASTE = 60
"""Centipawns up to which he tells positions with the same pieces apart."""
_VALUES = (100, 300, 300, 500, 900, 0, 0, 0)


def _victim(position: Position, move: int) -> int:
    return PAWN if is_en_passant(move) else position.piece_at(target(move)) & 7


def difficulty(position: Position, move: int, before: int = 0) -> float:
    """The Elo of a player who sees a legal move half of the time; `before`: the move before, or 0."""
    src, dst = origin(move), target(move)
    kind = position.piece_at(src) & 7
    found = float(_QUIET)
    if is_castling(move):
        return found - _CASTLING
    if is_capture(move):
        victim = _victim(position, move)
        found -= _CAPTURE + _VICTIM * _VALUES[victim]
        found -= _TAKES_BACK if before and target(before) == dst else 0
    if is_promotion(move):
        found += -_PROMOTION if promoted_to(move) == QUEEN else _UNDERPROMOTION
    files, ranks = (dst & LAST) - (src & LAST), (dst >> 3) - (src >> 3)
    if kind in range(BISHOP, KING):
        found += _SQUARE * max(0, max(abs(files), abs(ranks)) - _NEAR)
    if kind not in (PAWN, KING) and (ranks > 0) == bool(position.side) and ranks:
        found += _BACKWARD
    found += _KNIGHT if kind == KNIGHT else 0
    found += _EN_PASSANT if is_en_passant(move) else 0
    if gives_check(position, move):
        position.make(move)
        found += -_CHECK if position.checkers >> dst & 1 else _UNCOVERS
        position.unmake()
    return found


class Sight:
    """What one player sees when he looks at one position; `rating` is in Elo."""

    def __init__(self, position: Position, rating: float, chooser: Random) -> None:
        self._position = position.copy()
        self._us = position.side
        self._chooser = chooser
        self._luck: dict[int, float] = {}
        tension = sum(is_capture(move) for move in legal_moves(position))
        self._rating = rating - _CLUTTER * min(tension, _MOST_CLUTTER)

    def lines(self, reports: Iterable[Report]) -> list[tuple[int, float]]:
        """The root moves he sees, and what he believes each is worth in centipawns. At least one.

        What he overlooks in one line he overlooks in all.
        """
        lines = list(reports)
        ends = [self._quiet_value(line.moves) for line in lines]
        beyond = sorted(_clipped(line.score.value, _WON) - end for line, end in zip(lines, ends, strict=True))
        usual = beyond[len(beyond) // 2]  # what the engine likes or dislikes about all lines alike
        attacked = self._attacked()
        seen = []
        for line, end in zip(lines, ends, strict=True):
            move, mates = line.moves[0], line.score.mate() == 1
            if self._sees(move, 0, aid=_SAVES * (origin(move) in attacked), mates=mates):
                seen.append((move, self._belief(line, usual, end)))
        return seen or [(self._chooser.choice(lines).moves[0], 0.0)]

    def _belief(self, line: Report, usual: float, end: int) -> float:
        """The line's score if he sees all its moves; else what he counts where he sees no further."""
        value = line.score.value if line.score.mate() is not None else _clipped(line.score.value, _WON)
        for plies in range(1, len(line.moves)):
            if not self._sees_on(line.moves[: plies + 1]):
                taste = _clipped(_clipped(value, _WON) - end - usual, _TASTE)
                loss = self._threatened(line.moves[:plies]) if plies % 2 else 0
                return self._quiet_value(line.moves[:plies]) + usual + taste - loss
        return value

    def _sees_on(self, moves: tuple[int, ...]) -> bool:
        """Whether he sees the last of these moves once he has seen the others."""
        *before, move = moves
        with _after(self._position, before):
            aid = _ONLY_MOVES if len(legal_moves(self._position)) <= _FEW else 0
            aid -= _UNCOVERS if any(_crosses(move, origin(each)) for each in before) else 0
            return self._sees(move, len(before), before[-1], aid)

    def _threatened(self, moves: tuple[int, ...]) -> int:
        """What he sees the opponent win by a capture after these moves."""
        with _after(self._position, moves):
            return max([0, *self._threats(len(moves), moves[-1]).values()])

    def _attacked(self) -> set[int]:
        """The squares of his pieces that he sees the opponent threaten; none in check."""
        if self._position.checkers:
            return set()
        self._position.make_null()
        squares = {target(move) for move, gain in self._threats(1, 0).items() if gain > 0}
        self._position.unmake_null()
        return squares

    def _threats(self, plies: int, before: int) -> dict[int, int]:
        """The captures he sees, and what each wins if the piece can be taken back, it is."""
        position, found = self._position, dict[int, int]()
        for move in legal_moves(position):
            if is_capture(move) and self._sees(move, plies, before):
                gain = _VALUES[_victim(position, move)]
                at_risk = _VALUES[position.piece_at(origin(move)) & 7]
                position.make(move)
                taken_back = any(target(reply) == target(move) for reply in legal_moves(position))
                position.unmake()
                found[move] = gain - at_risk if taken_back else gain
        return found

    def _sees(self, move: int, plies: int, before: int = 0, aid: int = 0, *, mates: bool = False) -> bool:
        luck = self._luck.get(move)
        if luck is None:
            luck = self._luck[move] = self._chooser.triangular(-_LUCK, _LUCK)
        hidden = difficulty(self._position, move, before) + plies * _PLY + plies % 2 * _OF_OPPONENT - aid
        return self._rating + luck > (min(hidden - _MATES, _MATE) if mates else hidden)

    def _quiet_value(self, moves: tuple[int, ...]) -> int:
        """Our pieces less the opponent's in centipawns, after these moves."""
        with _after(self._position, moves):
            return worth(self._position, self._us) - worth(self._position, self._us ^ 1)


@contextmanager
def _after(position: Position, moves: Sequence[int]) -> Iterator[None]:
    for move in moves:
        position.make(move)
    yield
    for _ in moves:
        position.unmake()


def _crosses(move: int, square: int) -> bool:
    """Whether a move along a line goes over a square."""
    src, dst = origin(move), target(move)
    files, ranks = (dst & LAST) - (src & LAST), (dst >> 3) - (src >> 3)
    length = max(abs(files), abs(ranks))
    if files and ranks and abs(files) != abs(ranks):
        return False
    step = files // length + 8 * (ranks // length)
    return square in range(src + step, dst, step)


def _clipped(value: float, most: float) -> float:
    return max(-most, min(most, value))
