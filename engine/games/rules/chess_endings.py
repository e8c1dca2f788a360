"""Chess endings of three men, numbered for endgame tables: KQK, KRK and KPK.

A position is turned so that the side with the third man is White. Without a pawn the board is turned and
mirrored until White's king is in the triangle a1-d1-d4; a pawn stands on files a to d. A number is
((first * 64 + second) * 64 + black king) * 2 + side to move, 1 for White; first and second are White's king
and the third man, the other way round for a pawn, and first counts only the squares that it may have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.board.bitboard import BLACK, EMPTY, KING, PAWN, QUEEN, ROOK, SQUARES, WHITE
from engine.board.move import is_castling, is_promotion, origin, target
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.games.rules.chess_state import FIFTY_MOVES, Chess, player_of
from engine.games.rules.game import OVER, NotApplicableError, Numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    Men = tuple[int, int, int]
    """The squares of the side's king that has the third man, of that man, and of the other king."""

ENDINGS = {"KQK": ("KQK",), "KRK": ("KRK",), "KPK": ("KQK", "KRK", "KPK")}
"""By name: the endings to which it leads, itself last. A lone bishop or knight draws by the rules."""
_KINDS = {"Q": QUEEN, "R": ROOK, "P": PAWN}
_MEN = 3
_BOARD = range(SQUARES)
_TRIANGLE = tuple(sq for sq in _BOARD if sq >> 3 <= sq & 7 < 4)
_PAWNS = tuple(sq for sq in _BOARD if sq & 7 < 4 and 1 <= sq >> 3 <= 6)


def _flipped(sq: int, *, upright: bool, sideways: bool, diagonal: bool) -> int:
    """A square of the mirrored board: rank 1 and 8 change places, files a and h, then ranks and files."""
    sq ^= 56 * upright ^ 7 * sideways
    return (sq & 7) << 3 | sq >> 3 if diagonal else sq


_TURNS = tuple(
    tuple(_flipped(sq, upright=upright, sideways=sideways, diagonal=diagonal) for sq in _BOARD)
    for upright in (False, True)
    for sideways in (False, True)
    for diagonal in (False, True)
)
"""The eight ways to turn and mirror the board; the first changes nothing."""
_INTO_TRIANGLE = tuple(next(turn for turn in _TURNS if turn[sq] in _TRIANGLE) for sq in _BOARD)
_TO_LEFT = tuple(_TURNS[0] if sq & 7 < 4 else _TURNS[2] for sq in _BOARD)


class ChessEnding:
    """The positions of one ending; see Positions."""

    def __init__(self, name: str) -> None:
        self.name = self.title = name
        self._kind = _KINDS[name[1]]
        self._firsts = _PAWNS if self._kind == PAWN else _TRIANGLE
        self._place = {sq: place for place, sq in enumerate(self._firsts)}
        self._turns = _TO_LEFT if self._kind == PAWN else _INTO_TRIANGLE
        self.size = len(self._firsts) * SQUARES * SQUARES * 2

    def at(self, number: int) -> Numbered | None:
        """See Positions. Player 1 is White, who has the third man."""
        position = self._position(number)
        if position is None:
            return None
        moves = legal_moves(position)
        if moves:
            squares = self._squares(number)
            return Numbered(player_of(position), [self._after(position, squares, move) for move in moves])
        return Numbered(OVER, winner=1 - player_of(position) if position.checkers else None)

    def number(self, state: Chess) -> int | None:
        """See Positions."""
        position = state.position()
        if state.player == OVER or position.men() != _MEN or position.castling:
            return None
        places = {position.piece_at(sq): sq for sq in _BOARD}
        for strong in (WHITE, BLACK):
            man = places.get(strong * 8 + self._kind)
            if man is not None:
                flip = 56 * strong
                kings = places[strong * 8 + KING] ^ flip, places[(1 - strong) * 8 + KING] ^ flip
                return self._number((kings[0], man ^ flip, kings[1]), white=position.side == strong)
        return None

    def plies_left(self, state: Chess) -> int:
        """See Positions."""
        return state.plies_left()

    def is_too_late(self, state: Chess, plies: int) -> bool:
        """See Positions. Only a pawn's move begins the count anew without giving up the win."""
        return self._kind != PAWN and plies > FIFTY_MOVES - state.position().halfmoves

    def _squares(self, number: int) -> Men:
        first, second = self._firsts[number >> 13], number >> 7 & 63
        king, man = (second, first) if self._kind == PAWN else (first, second)
        return king, man, number >> 1 & 63

    def _number(self, men: Men, *, white: bool) -> int:
        turn = self._turns[men[1] if self._kind == PAWN else men[0]]
        king, man, other = turn[men[0]], turn[men[1]], turn[men[2]]
        first, second = (man, king) if self._kind == PAWN else (king, man)
        return (self._place[first] << 12 | second << 6 | other) << 1 | white

    def _position(self, number: int) -> Position | None:
        """None where two men share a square, or the side that is not to move is in check."""
        king, man, other = squares = self._squares(number)
        if len(set(squares)) < _MEN:
            return None
        pieces = [EMPTY] * SQUARES
        pieces[king], pieces[man], pieces[other] = KING, self._kind, 8 + KING
        position = Position.set_up(pieces, WHITE if number & 1 else BLACK)
        waiting = other if number & 1 else king
        all_men = 1 << king | 1 << man | 1 << other
        return None if position.attacked(waiting, position.side, all_men) else position

    def _after(self, position: Position, squares: Men, move: int) -> int | Chess:
        """Where a move leads: to a number of the same ending, unless it captures or promotes."""
        if is_promotion(move) or target(move) in squares or is_castling(move):
            return Chess(position).play(move)
        king, man, other = (target(move) if sq == origin(move) else sq for sq in squares)
        return self._number((king, man, other), white=position.side == BLACK)


def chess_endings(men: str | None) -> Sequence[ChessEnding]:
    """The endings to which `men` lead, itself last; by default KPK. Raises NotApplicableError."""
    name = "KPK" if men is None else men.strip().upper()
    if name not in ENDINGS:
        raise NotApplicableError(f"no endgame table for {name[:40]!r}: choose from {', '.join(ENDINGS)}")
    return [ChessEnding(each) for each in ENDINGS[name]]
