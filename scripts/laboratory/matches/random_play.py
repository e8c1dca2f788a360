"""Candidates for openings: a few plies of play at random, mixed with moves that make sense."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .book import OpeningSuite

_PLIES = (6, 7, 8)
_CHESS960_PLIES = (4, 5, 6)
_SENSIBLE_SHARE = 0.7
"""Of the moves that are chosen by their weights below; the others are drawn evenly."""

_KING, _ROOK, _QUEEN, _EDGE_PAWN = 0.05, 0.2, 0.4, 0.4
_PAWN, _CENTRE_PAWN, _CASTLING, _CAPTURE = 1.5, 8.0, 12.0, 3.0
_DEVELOPMENT, _SECOND_MOVE, _RIM_KNIGHT = 5.0, 0.5, 0.5
_CENTRE = chess.SquareSet(chess.BB_CENTER | chess.BB_C4 | chess.BB_C5)
_EDGES = chess.SquareSet(chess.BB_FILE_A | chess.BB_FILE_B | chess.BB_FILE_G | chess.BB_FILE_H)
_RIM = chess.SquareSet(chess.BB_FILE_A | chess.BB_FILE_H)


@dataclass(frozen=True, slots=True)
class RandomSource:
    """Positions played at random; the same seed and number always give the same position."""

    seed: int
    chess960: bool

    def numbers(self) -> Iterator[int]:
        """The numbers of all candidates: there is no end of them."""
        return count()

    def candidate(self, number: int) -> chess.Board:
        """The position of this number."""
        chooser = random.Random(f"{self.seed}:{number}")
        if self.chess960:
            board = chess.Board.from_chess960_pos(chooser.randrange(960))
            plies = chooser.choice(_CHESS960_PLIES)
        else:
            board = chess.Board()
            plies = chooser.choice(_PLIES)
        for _ in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            if chooser.random() < _SENSIBLE_SHARE:
                weights = [sense(board, move) for move in moves]
                board.push(chooser.choices(moves, weights)[0])
            else:
                board.push(chooser.choice(moves))
        return board


@dataclass(frozen=True, slots=True)
class BookSource:
    """Positions that are there already, to be looked at anew."""

    book: OpeningSuite

    def numbers(self) -> Iterator[int]:
        """The numbers of all candidates."""
        return iter(range(len(self.book.entries)))

    def candidate(self, number: int) -> chess.Board:
        """The position of this number. Raises BookError."""
        return self.book.opening(number).board(chess960=self.book.chess960)


def sense(board: chess.Board, move: chess.Move) -> float:
    """How much more likely than others a move is to be chosen: develop, take the centre, castle, take."""
    if board.is_castling(move):
        return _CASTLING
    kind = board.piece_type_at(move.from_square)
    weight = _SECOND_MOVE
    if kind == chess.PAWN:
        weight = _CENTRE_PAWN if move.to_square in _CENTRE else _PAWN
        if move.from_square in _EDGES:
            weight = _EDGE_PAWN
    elif kind in (chess.KNIGHT, chess.BISHOP):
        home = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
        if chess.BB_SQUARES[move.from_square] & home:
            weight = _RIM_KNIGHT if kind == chess.KNIGHT and move.to_square in _RIM else _DEVELOPMENT
    elif kind is not None:
        weight = {chess.ROOK: _ROOK, chess.QUEEN: _QUEEN, chess.KING: _KING}[kind]
    return weight * _CAPTURE if board.is_capture(move) else weight
