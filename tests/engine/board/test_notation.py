"""Moves as text: coordinate notation with castling said in either way."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.bitboard import ROOK
from engine.board.fen import START_FEN, parse_fen
from engine.board.move import (
    is_castling,
    target,
)
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, move_text, parse_move
from tests.engine.board.perft_positions import CHESS960, STANDARD, Counted

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R {} KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "means"),
    [
        (CASTLING.format("w"), "e1g1", "e1h1"),
        (CASTLING.format("w"), "e1h1", "e1h1"),
        (CASTLING.format("b"), "e8c8", "e8a8"),
        (CASTLING.format("b"), "e8a8", "e8a8"),
        # f1g1 is a step of the king where the square is free, and castling where the rook stands there.
        ("4k3/8/8/8/8/8/8/5K1R w H -", "f1g1", "f1g1"),
        ("4k3/8/8/8/8/8/8/5K1R w H -", "f1h1", "f1h1"),
        ("4k3/8/8/8/8/8/8/5KR1 w G -", "f1g1", "f1g1"),
        ("4k3/8/8/8/8/8/8/1K1R4 w D -", "b1c1", "b1c1"),
        ("4k3/8/8/8/8/8/8/1KR5 w C -", "b1c1", "b1c1"),
        ("4k3/8/8/8/8/8/8/1KR5 w C -", "b1g1", "b1c1"),
        # c1 is two steps away, yet the rook's own square.
        ("4k3/8/8/8/8/8/8/2R1K3 w C -", "e1c1", "e1c1"),
        # The king stays where it is.
        ("4k3/8/8/8/8/8/8/6KR w H -", "g1h1", "g1h1"),
        ("4k3/8/8/8/8/8/8/6KR w H -", "g1g1", "g1h1"),
        ("2kr4/8/8/8/8/8/8/4K3 b d -", "c8g8", "c8d8"),
    ],
)
def test_castling_in_either_notation_and_king_steps(fen: str, text: str, means: str) -> None:
    move = parse_move(parse_fen(fen), text)
    assert move_text(move, chess960=True) == means
    piece = parse_fen(fen).piece_at(target(move))
    assert is_castling(move) == (piece & 7 == ROOK)


@pytest.mark.parametrize("counted", [*STANDARD, *CHESS960], ids=lambda counted: counted.name)
def test_every_legal_move_is_read_back(counted: Counted) -> None:
    position = parse_fen(counted.fen)
    for move in legal_moves(position):
        assert parse_move(position, move_text(move, chess960=True)) == move
        assert parse_move(position, move_text(move, chess960=True).upper()) == move


@pytest.mark.parametrize(
    "text",
    [
        *("", "e2", "e2e4 ", "e2e4e5", "e2-e4", "Nf3", "O-O", "0000", "e2e5", "e2e4q", "e1g1", "e9e8"),
        *("\x00", "e2\u0664", "e2e4\u212a", "e2" * 5000),
    ],
)
def test_no_legal_move(text: str) -> None:
    with pytest.raises(MoveError) as refused:
        parse_move(parse_fen(START_FEN), text)
    assert "not a legal move" in str(refused.value)
    assert len(str(refused.value)) < 150


@given(text=st.text() | st.text(alphabet="abcdefgh12345678qrbnk0-O\u212a", max_size=6))
def test_any_text(text: str) -> None:
    """python-chess takes the same moves, capital letters aside."""
    position, board = parse_fen(CASTLING.format("w")), chess.Board(CASTLING.format("w"))
    try:
        move = parse_move(position, text)
    except MoveError:
        return
    assert board.parse_uci(text.lower()) in board.legal_moves
    assert move in legal_moves(position)
