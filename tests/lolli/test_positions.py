"""Positions by the million: against the engine and python-chess, from boards, bytes and numpy arrays."""

from array import array
from threading import Thread
from typing import Any

import chess
import chess.variant
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lolli
from engine.board.position import COMPILED
from eval.choice import STANDARDS, Choices
from tests.engine.board.games import boards
from tests.engine.board.perft_positions import STANDARD, Counted
from tests.engine.board.test_packed import BROKEN, code, played

MANY = 40 if COMPILED else 4
CROWDED = "k7/8/8/8/PPPPPPPP/PPPPPPPP/PPPPPPPP/KPPPPPPP w - - 0 1"


def some_boards(count: int = MANY) -> list[chess.Board]:
    return [played(chess.Board(), seed, seed % 80) for seed in range(count)]


def fens(found: list[chess.Board]) -> list[tuple[str, bool]]:
    return [(board.fen(en_passant="fen"), board.chess960) for board in found]


@given(board=boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 60))
def test_packed_boards_come_back(board: chess.Board, seed: int, plies: int) -> None:
    board = played(board, seed, plies)
    (found,) = lolli.unpack(lolli.pack([board]))
    assert found.is_valid()
    assert found.shredder_fen(en_passant="fen") == board.shredder_fen(en_passant="fen")
    assert sorted(map(str, found.legal_moves)) == sorted(map(str, board.legal_moves)) or board.chess960
    if not board.chess960:
        assert not found.chess960
        assert found == board


def test_packed_boards_are_an_array() -> None:
    several = some_boards()
    packed = np.asarray(lolli.pack(iter(several)))
    assert packed.shape == (MANY, 32)
    assert packed.dtype == np.uint8
    assert fens(lolli.unpack(packed)) == fens(several)
    assert fens(lolli.unpack(packed[::-1].copy())) == fens(several[::-1])
    assert lolli.unpack(packed.tobytes())[1] == several[1]
    assert np.asarray(lolli.pack([])).size == 0
    assert lolli.unpack(lolli.pack([])) == []


@pytest.mark.parametrize("name", [None, *Choices().names])
def test_values_are_those_of_the_engine(name: str | None) -> None:
    several = some_boards()
    with lolli.Engine(eval=name) as engine:
        expected = [engine.evaluate(board).relative.score() for board in several]
    found = lolli.evaluate_many(several, evaluator=name)
    assert found.typecode == "i"
    assert [*found] == expected
    packed = lolli.pack(several)
    for positions in (packed, bytes(packed), np.asarray(packed), np.asarray(packed).ravel()):
        assert lolli.evaluate_many(positions, evaluator=name) == found
        out = np.full(MANY, 12345, np.int32)
        assert lolli.evaluate_many(positions, evaluator=name, out=out) is out
        assert out.tolist() == expected
    assert np.asarray(found).dtype == np.int32
    ours = array("i", bytes(4 * MANY))
    assert lolli.evaluate_many(iter(several), evaluator=name, out=ours) is ours
    assert ours == found
    assert not lolli.evaluate_many([])


def test_other_weights() -> None:
    several = some_boards(3)
    found = lolli.evaluate_many(several, weights=STANDARDS["linear"])
    assert found == lolli.evaluate_many(several, evaluator="linear") != lolli.evaluate_many(several)
    with pytest.raises(lolli.OptionError, match="there is no such file"):
        lolli.evaluate_many(several, weights="/no/such/file")
    with pytest.raises(lolli.OptionError, match="unknown evaluator 'best'"):
        lolli.evaluate_many(several, evaluator="best")


def test_more_positions_than_are_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    several = some_boards()
    whole, moves = lolli.evaluate_many(several), lolli.legal_moves_many(several)
    packed = bytes(lolli.pack(several))
    monkeypatch.setattr("lolli._positions.AT_ONCE", 7)
    assert bytes(lolli.pack(several)) == packed
    monkeypatch.setattr("lolli._positions._ROOM", 1100)
    for positions in (several, packed):
        assert lolli.evaluate_many(positions) == whole
        assert lolli.legal_moves_many(positions) == moves
    broken = [*(several * 5)[:20], chess.Board(None)]
    with pytest.raises(lolli.PositionError, match="position 20 is not one"):
        lolli.evaluate_many(broken)
    with pytest.raises(lolli.PositionError, match="position 20 is not one"):
        lolli.legal_moves_many(broken)
    crowded = [*broken[:20], chess.Board(CROWDED)]
    for call in (lolli.pack, lolli.evaluate_many, lolli.legal_moves_many):
        with pytest.raises(lolli.PositionError, match="position 20 has more than 32 men"):
            call(crowded)


@given(board=boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 60))
def test_legal_moves(board: chess.Board, seed: int, plies: int) -> None:
    board = played(board, seed, plies)
    found = lolli.legal_moves(board)
    assert len(found) == len({*found})
    assert {*found} == {*board.legal_moves}
    moves, ends = lolli.legal_moves_many([board, board])
    assert sorted(moves[: ends[0]]) == sorted(code(board, move) for move in board.legal_moves)
    assert moves[ends[0] : ends[1]] == moves[: ends[0]]


@pytest.mark.parametrize("counted", STANDARD[:4])
def test_perft(counted: Counted) -> None:
    board = chess.Board(counted.fen)
    for depth, nodes in enumerate(counted.nodes[: 4 if COMPILED else 2], 1):
        assert lolli.perft(board, depth) == nodes
    assert lolli.perft(board, 0) == 1


def test_threads_evaluate_at_once() -> None:
    packed = bytes(lolli.pack(some_boards())) * 50
    expected = lolli.evaluate_many(packed)
    found: list[array[int]] = []
    threads = [Thread(target=lambda: found.append(lolli.evaluate_many(packed))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.parametrize("name", BROKEN)
def test_boards_that_are_no_positions(name: str) -> None:
    board = chess.Board(BROKEN[name])
    packed = lolli.pack([chess.Board(), board])
    for call in (lolli.evaluate_many, lolli.legal_moves_many, lolli.unpack):
        with pytest.raises(lolli.PositionError, match="position 1 is not one from which a game could go on"):
            call(packed)
    with pytest.raises(lolli.PositionError):
        lolli.legal_moves(board)
    with pytest.raises(lolli.PositionError):
        lolli.perft(board, 1)


def test_rights_left_over_do_not_make_it_chess960() -> None:
    """White has the right to castle, and no rook to castle with."""
    fen = "r3k2r/8/8/8/8/8/8/4K3 b KQkq - 0 1"
    castling = {move.uci() for move in lolli.legal_moves(fen)} & {"e8g8", "e8c8", "e8h8", "e8a8"}
    assert castling == {"e8g8", "e8c8"}
    (found,) = lolli.unpack(lolli.pack([fen]))
    assert not found.chess960
    other = "rk5r/8/8/8/8/8/8/4K3 b KQkq - 0 1"
    assert "b8h8" in map(str, lolli.legal_moves(other))


def test_other_boards_and_arrays() -> None:
    atomic = chess.variant.AtomicBoard()
    for call in (lolli.legal_moves, lambda board: lolli.perft(board, 1), lambda board: lolli.pack([board])):
        with pytest.raises(lolli.PositionError, match="not atomic"):
            call(atomic)
    with pytest.raises(lolli.PositionError, match="not a FEN: 'e4'"):
        lolli.pack(["e4"])
    numbers: Any = [4]
    with pytest.raises(TypeError, match=r"a chess\.Board or a FEN, not int"):
        lolli.pack(numbers)
    assert lolli.legal_moves(chess.STARTING_FEN) == lolli.legal_moves(chess.Board())
    assert lolli.perft("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 1) == 26
    packed = np.asarray(lolli.pack(some_boards(4)))
    for wrong in (packed[:, :31].copy(), packed.reshape(8, 16), packed.astype(np.int16), packed[::2]):
        with pytest.raises(ValueError, match="packed positions are bytes"):
            lolli.evaluate_many(wrong)
    for out in (np.zeros(4, np.float32), np.zeros((2, 2), np.int32), np.zeros(4, np.int64)):
        with pytest.raises(ValueError, match="must be an array of int32"):
            lolli.evaluate_many(packed, out=out)
    with pytest.raises(ValueError, match="must be writable"):
        lolli.evaluate_many(packed, out=np.zeros(8, np.int32)[::2])
    for size in (3, 5):
        with pytest.raises(ValueError, match=f"out has {size} entries"):
            lolli.evaluate_many(packed, out=np.zeros(size, np.int32))
    with pytest.raises(lolli.LimitError):
        lolli.perft(chess.Board(), -1)
    with pytest.raises(TypeError):
        lolli.perft(chess.Board(), 1.5)  # type: ignore[arg-type]
