"""Moves as text: coordinate notation with castling said in either way."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.bitboard import BISHOP, KNIGHT, QUEEN, ROOK
from engine.board.fen import START_FEN, parse_fen
from engine.board.move import (
    CAPTURE,
    DOUBLE_PUSH,
    EN_PASSANT,
    KING_CASTLE,
    QUEEN_CASTLE,
    QUIET,
    is_castling,
    kind,
    new_move,
    new_promotion,
    target,
)
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, move_text, parse_move
from tests.engine.board.perft_positions import CHESS960, STANDARD, Counted

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R {} KQkq - 0 1"


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (0, "0000"),
        (new_move(chess.E2, chess.E4, DOUBLE_PUSH), "e2e4"),
        (new_move(chess.A1, chess.H8, QUIET), "a1h8"),
        (new_move(chess.E5, chess.D6, EN_PASSANT), "e5d6"),
        (new_promotion(chess.E7, chess.E8, KNIGHT, QUIET), "e7e8n"),
        (new_promotion(chess.E7, chess.E8, BISHOP, QUIET), "e7e8b"),
        (new_promotion(chess.A2, chess.A1, ROOK, QUIET), "a2a1r"),
        (new_promotion(chess.B7, chess.A8, QUEEN, CAPTURE), "b7a8q"),
    ],
)
def test_text(move: int, text: str) -> None:
    assert move_text(move) == move_text(move, chess960=True) == text


@pytest.mark.parametrize(
    ("king", "rook", "side", "plain", "chess960"),
    [
        (chess.E1, chess.H1, KING_CASTLE, "e1g1", "e1h1"),
        (chess.E1, chess.A1, QUEEN_CASTLE, "e1c1", "e1a1"),
        (chess.E8, chess.H8, KING_CASTLE, "e8g8", "e8h8"),
        (chess.E8, chess.A8, QUEEN_CASTLE, "e8c8", "e8a8"),
        (chess.B1, chess.C1, KING_CASTLE, "b1c1", "b1c1"),
        (chess.G8, chess.F8, QUEEN_CASTLE, "g8f8", "g8f8"),
        (chess.G1, chess.H1, KING_CASTLE, "g1h1", "g1h1"),
    ],
)
def test_castling_text(king: int, rook: int, side: int, plain: str, chess960: str) -> None:
    move = new_move(king, rook, side)
    assert move_text(move) == plain
    assert move_text(move, chess960=True) == chess960


@pytest.mark.parametrize(
    ("side", "text", "right"),
    [
        ("w", "e1g1", KING_CASTLE),
        ("w", "e1h1", KING_CASTLE),
        ("w", "e1c1", QUEEN_CASTLE),
        ("w", "e1a1", QUEEN_CASTLE),
        ("b", "e8g8", KING_CASTLE),
        ("b", "e8h8", KING_CASTLE),
        ("b", "e8c8", QUEEN_CASTLE),
        ("b", "e8a8", QUEEN_CASTLE),
    ],
)
def test_castling_is_read_in_either_notation(side: str, text: str, right: int) -> None:
    assert kind(parse_move(parse_fen(CASTLING.format(side)), text)) == right


@pytest.mark.parametrize(
    ("fen", "text", "means"),
    [
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
def test_king_steps_and_castling_in_chess960(fen: str, text: str, means: str) -> None:
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
        *(
            "",
            " ",
            "e",
            "e2",
            "e2e",
            "e2e4 ",
            " e2e4",
            "e2e4e5",
            "e2-e4",
            "e2xe4",
            "e4",
            "Nf3",
            "O-O",
            "0000",
        ),
        *("e2e5", "e7e5", "e2e4q", "a1a3", "e1e2", "e1g1", "b1d2", "i2i4", "e0e4", "e2e9", "e9e8"),
        *("\x00", "e2\u0664", "\uff45\uff12\uff45\uff14", "e2e4\u212a", "\u212a", "e2" * 5000),
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
