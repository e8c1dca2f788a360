"""A snapshot is the position without its past."""

import random
import sys

import pytest

from engine.board.fen import format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import COMPILED, Snapshot
from tests.engine.board.perft_positions import CHESS960, STANDARD


@pytest.mark.parametrize("fen", [counted.fen for counted in (*STANDARD, *CHESS960)])
def test_it_goes_on_as_the_position_does(fen: str) -> None:
    position, draws = parse_fen(fen), random.Random(fen)
    for _ in range(40):
        moves = legal_moves(position)
        if not moves:
            break
        taken = Snapshot(position)
        copied = taken.position()
        assert (taken.side, taken.halfmoves, taken.key) == (position.side, position.halfmoves, position.key)
        assert format_fen(copied, chess960=True) == format_fen(position, chess960=True)
        assert (copied.key, copied.pawn_key, copied.checkers) == (
            position.key,
            position.pawn_key,
            position.checkers,
        )
        assert legal_moves(copied) == moves
        assert copied.height == copied.reversible == 0
        move = draws.choice(moves)
        position.make(move)
        copied.make(move)
        assert (copied.key, copied.pawn_key) == (position.key, position.pawn_key)
        copied.unmake()
        assert Snapshot(copied).key == taken.key


@pytest.mark.skipif(not COMPILED, reason="what plain Python takes is not its own size")
def test_it_is_small() -> None:
    position = parse_fen(STANDARD[0].fen)
    assert sys.getsizeof(Snapshot(position)) < 500 < sys.getsizeof(position) / 50
