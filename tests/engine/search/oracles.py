"""Slow and plain answers to compare the search with, by python-chess."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import chess

from engine.search.constants import MATE

VALUES = {1: 100, 2: 300, 3: 300, 4: 500, 5: 900, 6: 20000}  # centipawns by python-chess's piece type


def random_board(seed: int, most: int = 120, chess960: bool = False) -> chess.Board:
    rng = random.Random(seed)
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
    for _ in range(rng.randrange(most)):
        board.push(rng.choice(list(board.legal_moves)))
        if board.is_game_over():
            board.pop()
            break
    return board


def material(board: chess.Board) -> int:
    """The balance from the mover's side."""
    own, other = board.occupied_co[board.turn], board.occupied_co[not board.turn]
    return sum(
        VALUES[kind] * ((mask & own).bit_count() - (mask & other).bit_count())
        for kind in range(chess.PAWN, chess.KING)
        for mask in (board.pieces_mask(kind, chess.WHITE) | board.pieces_mask(kind, chess.BLACK),)
    )


def exchange(board: chess.Board, move: chess.Move, values: Mapping[int, int] = VALUES) -> int:
    """What the mover wins on the target square if both sides go on taking there while it pays.

    Each takes with the least piece, from pawn to king, the lowest square among equals, in disregard of
    pins; a king takes only what is not protected.
    """
    if board.is_castling(move):
        return 0
    moving = board.piece_type_at(move.from_square)
    assert moving
    occupied = board.occupied & ~chess.BB_SQUARES[move.from_square]
    if board.is_en_passant(move):
        occupied &= ~chess.BB_SQUARES[chess.square(move.to_square & 7, move.from_square >> 3)]
        won = values[chess.PAWN]
    else:
        won = values.get(board.piece_type_at(move.to_square) or 0, 0)
    standing = move.promotion or moving
    won += values[standing] - values[moving]
    occupied |= chess.BB_SQUARES[move.to_square]
    taken = _Recapture(board, move.to_square, values)
    return won - taken.best(not board.turn, occupied, values[standing])


@dataclass(frozen=True)
class _Recapture:
    board: chess.Board
    square: int
    values: Mapping[int, int]

    def best(self, side: bool, occupied: int, victim: int) -> int:
        """The most that `side` can win by taking, or not taking, a piece worth `victim`."""
        attackers = self._attackers(side, occupied)
        for kind in range(chess.PAWN, chess.KING + 1):
            for taker in chess.scan_forward(attackers & self.board.pieces_mask(kind, side)):
                if kind == chess.KING and self._attackers(not side, occupied):
                    return 0
                after = occupied & ~chess.BB_SQUARES[taker]
                return max(0, victim - self.best(not side, after, self.values[kind]))
        return 0

    def _attackers(self, side: bool, occupied: int) -> int:
        return self.board.attackers_mask(side, self.square, occupied) & occupied


class Minimax:
    """The value of a position by trying everything, from the mover's side.

    `path` holds the positions of the game so far and of the line being tried, as `board.epd()`;
    `root` is the index of the position that the search began with.
    """

    def __init__(self, board: chess.Board, quiescence: bool = False) -> None:
        self.board = board.copy()
        self.path: list[str] = []
        played = board.copy()
        while played.move_stack:
            played.pop()
            self.path.insert(0, played.epd())
        self.root = len(self.path)
        self.quiescence = quiescence

    def moves(self, depth: int) -> dict[str, int]:
        return {move.uci(): -self._after(move, depth - 1) for move in list(self.board.legal_moves)}

    def _after(self, move: chess.Move, depth: int) -> int:
        with self._played(move):
            return self._quiet_value(-MATE, MATE) if self.quiescence and not depth else self._value(depth)

    @contextmanager
    def _played(self, move: chess.Move) -> Iterator[None]:
        self.path.append(self.board.epd())
        self.board.push(move)
        try:
            yield
        finally:
            self.board.pop()
            self.path.pop()

    def _terminal(self) -> int | None:
        if self.board.is_checkmate():
            return -MATE + len(self.path) - self.root
        return 0 if self._is_draw() else None

    def _is_draw(self) -> bool:
        if self.board.halfmove_clock >= 100 or self.board.is_insufficient_material():
            return True
        if self.board.halfmove_clock < 4:
            return False
        here = self.board.epd()
        return here in self.path[self.root + 1 :] or self.path.count(here) >= 2

    def _value(self, depth: int) -> int:
        value = self._terminal()
        if value is not None:
            return value
        if depth == 0:
            return material(self.board)
        return max((-self._after(move, depth - 1) for move in list(self.board.legal_moves)), default=0)

    def _quiet_value(self, alpha: int, beta: int) -> int:
        value = self._terminal()
        if value is not None:
            return value
        check = self.board.is_check()
        best = -MATE if check else material(self.board)
        for move in list(self.board.legal_moves) if check else self._good_captures():
            if best >= beta:
                break
            with self._played(move):
                best = max(best, -self._quiet_value(-beta, -max(alpha, best)))
        return best

    def _good_captures(self) -> list[chess.Move]:
        return [
            move
            for move in self.board.legal_moves
            if move.promotion in {None, chess.QUEEN}
            and (move.promotion or self.board.is_capture(move))
            and exchange(self.board, move) >= 0
        ]
