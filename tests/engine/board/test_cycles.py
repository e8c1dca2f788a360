"""The cuckoo tables hold all reversible moves and no others; games are in `test_against_chess`."""

import random

import chess
import pytest

from engine.board import cycles, zobrist
from engine.board.move import NO_MOVE, QUIET, new_move
from engine.board.position import COMPILED

pytestmark = pytest.mark.skipif(COMPILED, reason="C arrays, which only the plain source shows")


def reversible_changes() -> dict[int, int]:
    """What each move of a lone piece changes in the key, by python-chess; the lower square comes first."""
    changes = {}
    for piece in range(chess.KNIGHT, chess.KING + 1):
        for src in chess.SQUARES:
            board = chess.BaseBoard.empty()
            board.set_piece_at(src, chess.Piece(piece, chess.WHITE))
            for dst in board.attacks(src):
                for colour in range(2):
                    keys = zobrist.PIECE_KEYS[(colour * 8 + piece - chess.PAWN) * 64 :]
                    change = keys[src] ^ keys[dst] ^ zobrist.SIDE_KEY
                    changes[change] = new_move(min(src, dst), max(src, dst), QUIET)
    return changes


def test_each_reversible_move_is_found() -> None:
    changes = reversible_changes()
    assert len(changes) == 3668
    assert {change: cycles.reversible_move(change) for change in changes} == changes
    assert sum(move != NO_MOVE for move in cycles.CYCLE_MOVES) == len(changes)


def test_other_changes_are_no_move() -> None:
    chooser = random.Random(1)
    changes = reversible_changes()
    others = [key for key in (chooser.getrandbits(64) for _ in range(10_000)) if key not in changes]
    assert not [key for key in others if cycles.reversible_move(key) != NO_MOVE]
