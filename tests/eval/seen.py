"""The board as one side sees it, in plain sets of squares: shares nothing with the engine."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import chess

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)

Square = tuple[int, int]  # file and rank, 0 to 7 each; the side's own first rank is 0
Axes = tuple[int, ...]  # where a feature applies, by the axes of its weights


@dataclass(frozen=True)
class Piece:
    kind: int
    at: Square
    attacks: frozenset[Square]


class Army:
    def __init__(self, board: chess.Board, colour: bool) -> None:
        self.pieces = [
            Piece(piece.piece_type - 1, pair(square), frozenset(map(pair, board.attacks(square))))
            for square, piece in board.piece_map().items()
            if piece.color == colour
        ]
        self.pawns = set(self.places(PAWN))
        (self.king,) = self.places(KING)
        self.all = {piece.at for piece in self.pieces}
        self._by_pawns = self.attacks(PAWN)

    def places(self, *kinds: int) -> list[Square]:
        return [piece.at for piece in self.pieces if piece.kind in kinds]

    def attacks(self, *kinds: int) -> set[Square]:
        attacking = [piece for piece in self.pieces if not kinds or piece.kind in kinds]
        return {square for piece in attacking for square in piece.attacks}

    def attackers(self, square: Square) -> int:
        others = sum(square in piece.attacks for piece in self.pieces if piece.kind != PAWN)
        return others + (square in self._by_pawns)


class Seen:
    """A position from one side: `own`, `enemy`, whether it `moves`, how many castling `rights` it has."""

    def __init__(self, board: chess.Board, colour: bool) -> None:
        upright = board if colour else board.mirror()
        self.own = Army(upright, chess.WHITE)
        self.enemy = Army(upright, chess.BLACK)
        self.moves = upright.turn == chess.WHITE
        self.rights = (upright.clean_castling_rights() & chess.BB_RANK_1).bit_count()
        self.occupied = self.own.all | self.enemy.all

    def ahead(self, square: Square) -> list[Square]:
        """The squares of the same file ahead, the nearest first."""
        file, rank = square
        return [(file, further) for further in range(rank + 1, 8)]

    def ring(self) -> set[Square]:
        """The enemy's king, the squares around it, and a rank more where it stands on its first."""
        file, rank = self.enemy.king
        ranks = (5, 6, 7) if rank == 7 else (rank - 1, rank, rank + 1)
        return on_board((file + step, each) for step in (-1, 0, 1) for each in ranks)


def on_board(squares: Iterable[Square]) -> set[Square]:
    return {(file, rank) for file, rank in squares if 0 <= file < 8 and 0 <= rank < 8}


def pair(square: int) -> Square:
    return chess.square_file(square), chess.square_rank(square)


def steps(one: Square, other: Square) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def is_dark(square: Square) -> bool:
    """Whether it has the colour of a1."""
    return sum(square) % 2 == 0


Rule = Callable[[Seen], Iterable[Axes]]  # where a feature applies to a side, once for each time
