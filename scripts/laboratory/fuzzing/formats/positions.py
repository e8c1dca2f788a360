"""Positions to begin from, and what can follow them: common to all formats of chess."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import chess

from protocol.uci.bench import POSITIONS

if TYPE_CHECKING:
    from random import Random

CHESS960 = (
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
    "8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1",
    "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
    "4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1",
)
"""Castling as only Chess960 has it."""
SPECIAL = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/pp1p1ppp/8/2pPp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 3",
    "8/P1k5/8/8/8/8/p1K5/8 w - - 0 1",
    "8/8/8/8/8/5K2/6Q1/7k b - - 0 1",
    "7k/5Q2/8/8/8/8/8/K7 b - - 99 300",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - -",
    "8/8/8/2kpP3/8/8/3K4/8 w - d6 0 2",
)
FENS = (chess.STARTING_FEN, *SPECIAL, *CHESS960, *POSITIONS)


@cache
def _board(fen: str) -> chess.Board:
    return chess.Board(fen, chess960=True)


def played(rng: Random, most: int) -> chess.Board:
    """The board after fewer than `most` random moves from one of FENS; the moves are on its stack."""
    board = _board(rng.choice(FENS)).copy()
    for _ in range(rng.randrange(most)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board
