"""Files of samples for tests, made of random positions."""

import random
from pathlib import Path

import chess

from engine.board.fen import parse_fen
from eval.training.samples import pack
from tests.engine.search.oracles import random_board

POSITIONS_A_GAME = 4


def plain_board(seed: int) -> chess.Board:
    """Some position without a capture en passant, which samples do not keep."""
    board = random_board(seed, 160)
    board.ep_square = None
    return board


def write_samples(path: Path, boards: list[chess.Board], seed: int = 0) -> Path:
    """A file with these positions, a few to each game; scores and results are drawn by lot."""
    rng = random.Random(seed)
    records = []
    for number, board in enumerate(boards):
        result = random.Random(seed + number // POSITIONS_A_GAME).choice((-1, 0, 1))
        score = rng.randrange(-400, 400)
        records.append(pack(parse_fen(board.fen()), score, result, 20, number // POSITIONS_A_GAME))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(record.tobytes() for record in records))
    return path
