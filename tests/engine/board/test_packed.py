"""Packed positions: read as FENs are, written from python-chess's bitboards, moves against python-chess."""

import random
from array import array

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.bitboard import PAWN
from engine.board.fen import format_fen, parse_fen
from engine.board.move import new_move
from engine.board.movegen import legal_moves
from engine.board.packed import PackedReader, pack_bitboards
from eval.training.game_file import pack_position
from tests.engine.board.games import boards, choose

PACKED = 32


def packed(board: chess.Board) -> bytes:
    out = bytearray(PACKED)
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    assert pack_bitboards(
        *(out, 0, kinds, board.occupied_co[chess.WHITE], board.castling_rights, board.chess960),
        -1 if board.ep_square is None else board.ep_square,
        (0 if board.turn else 1, board.halfmove_clock, board.fullmove_number),
    )
    return bytes(out)


def room(moves: int, positions: int) -> tuple[memoryview, memoryview]:
    return memoryview(array("H", bytes(2 * moves))), memoryview(array("q", bytes(8 * positions)))


def played(board: chess.Board, seed: int, plies: int) -> chess.Board:
    rng = random.Random(seed)
    for _ in range(plies):
        if not any(board.legal_moves):
            break
        board.push(choose(board, rng))
    return board


def code(board: chess.Board, move: chess.Move) -> int:
    """A move as `plain_move` has it, by python-chess: castling as in chess where it is that of chess."""
    target = move.to_square
    if board.is_castling(move) and board.chess960:
        corner = target & 7 in (0, 7) and move.from_square & 7 == 4
        if corner:
            target = move.from_square + (2 if target > move.from_square else -2)
    return new_move(move.from_square, target, move.promotion or 0)


@given(board=boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 60))
def test_what_is_read_is_what_was_written(board: chess.Board, seed: int, plies: int) -> None:
    board = played(board, seed, plies)
    expected = parse_fen(board.shredder_fen() if board.chess960 else board.fen())
    reader = PackedReader()
    for data in (packed(board), pack_position(expected)):
        assert reader.is_sound(data, 0)
        found = reader.position
        assert format_fen(found, chess960=True) == format_fen(expected, chess960=True)
        assert (found.key, found.pawn_key, found.checkers) == (
            *(expected.key, expected.pawn_key),
            expected.checkers,
        )
        assert legal_moves(found) == legal_moves(expected) == reader.moves(data, 0)


@given(board=boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 60))
def test_moves_are_those_of_python_chess(board: chess.Board, seed: int, plies: int) -> None:
    board = played(board, seed, plies)
    out, ends = room(2048, 10)
    data = memoryview(packed(board) * 3)
    assert PackedReader().write_moves(data, 1, out, ends) == 3
    moves = [code(board, move) for move in board.legal_moves]
    assert ends[0] == len(moves)
    assert ends[1] == 2 * len(moves)
    assert sorted(out[: ends[0]]) == sorted(out[ends[0] : ends[1]]) == sorted(moves)


def test_moves_stop_where_there_is_no_room() -> None:
    reader, data = PackedReader(), memoryview(packed(chess.Board()) * 5)
    out, ends = room(2048, 2)
    assert reader.write_moves(data, 0, out, ends) == 2
    assert [*ends] == [20, 40]
    assert reader.write_moves(data, 4, out, ends) == 5
    assert reader.write_moves(data, 0, *room(1023, 2)) == 0
    assert reader.write_moves(data, 0, *room(1060, 10)) == 2


BROKEN = {
    "no kings": "8/8/8/8/8/8/8/8 w - - 0 1",
    "two kings": "k6k/8/8/8/8/8/8/K7 w - - 0 1",
    "a king that could be taken": "k7/1Q6/8/8/8/8/8/K7 w - - 0 1",
    "a pawn on the last rank": "k3P3/8/8/8/8/8/8/K7 w - - 0 1",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_position(name: str) -> None:
    reader = PackedReader()
    data = memoryview(packed(chess.Board()) + packed(chess.Board(BROKEN[name])))
    assert reader.is_sound(data, 0)
    assert not reader.is_sound(data, 1)
    with pytest.raises(ValueError, match="position 1 is not one"):
        reader.moves(data, 1)
    assert reader.write_moves(data, 0, *room(4096, 10)) == -2


@given(place=st.integers(0, PACKED - 1), value=st.integers(0, 255), board=boards())
def test_any_damage_is_read_safely(place: int, value: int, board: chess.Board) -> None:
    data = bytearray(packed(board))
    data[place] = value
    reader = PackedReader()
    if reader.is_sound(data, 0):
        assert all(0 <= move < 1 << 16 for move in reader.moves(data, 0))
        assert reader.position.piece_at(0) & 7 != PAWN


def test_what_has_no_effect_is_dropped() -> None:
    """Rights without a king and a rook in place, a square that no pawn has passed."""
    reader = PackedReader()
    for text in (
        "4k3/8/8/8/8/8/8/4K2R w Q - 0 1",
        "4k3/8/8/8/8/8/8/3K3R w K - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq d6 0 1",
    ):
        board = chess.Board(text)
        board.castling_rights |= chess.BB_A1 | chess.BB_C1
        assert reader.is_sound(packed(board), 0)
        assert format_fen(reader.position) == format_fen(parse_fen(board.fen()))


def test_counters_that_are_too_large() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/4K3 b - - 999 70000")
    reader = PackedReader()
    assert reader.is_sound(packed(board), 0)
    assert (reader.position.halfmoves, reader.position.fullmove()) == (255, 65535)


def test_more_men_than_have_room() -> None:
    board = chess.Board("k7/8/8/8/PPPPPPPP/PPPPPPPP/PPPPPPPP/KPPPPPPP w - - 0 1")
    assert not pack_bitboards(
        bytearray(32), 0, (board.pawns, 0, 0, 0, 0, board.kings), 0, 0, False, -1, (0, 0, 1)
    )
