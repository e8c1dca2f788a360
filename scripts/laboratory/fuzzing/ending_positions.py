"""Positions of endings, and the folder in which endgame tables may stand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from random import Random

_ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("LOLLI_TEST_SYZYGY") or _ROOT / "tests" / "data" / "syzygy")
"""Real tables. Where the folder lacks them, tests skip, and the fuzzer makes up, what they need."""


def random_board(name: str, chooser: Random) -> chess.Board:
    """A legal position of an ending in which there is a move, either side to move and to have more."""
    white, black = name.split("v")
    pieces = [chess.Piece.from_symbol(symbol) for symbol in white + black.lower()]
    colour = chooser.random() < 0.5
    while True:
        board = chess.Board(None)
        for square, piece in zip(chooser.sample(range(64), len(pieces)), pieces, strict=True):
            board.set_piece_at(square, piece if colour else chess.Piece(piece.piece_type, not piece.color))
        board.turn = chooser.random() < 0.5
        if board.is_valid() and any(board.legal_moves):
            return board
