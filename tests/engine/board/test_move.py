"""What the 16 bits of a move mean, beside python-chess."""

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import move as moves
from engine.board.bitboard import KNIGHT, QUEEN
from engine.board.fen import format_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from tests.engine.board.games import boards, play

KINDS = {
    *(moves.QUIET, moves.DOUBLE_PUSH, moves.KING_CASTLE, moves.QUEEN_CASTLE),
    *(moves.CAPTURE, moves.EN_PASSANT),
    *(moves.PROMOTION | capture | i for capture in (0, moves.CAPTURE) for i in range(4)),
}


@given(board=boards(), seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 80))
def test_legal_moves_are_what_they_are_for_others(board: chess.Board, seed: int, plies: int) -> None:
    *_, position = play(board, random.Random(seed), plies)
    board = chess.Board(format_fen(position, chess960=True), chess960=True)
    for move in legal_moves(position):
        theirs = chess.Move.from_uci(move_text(move, chess960=True))
        assert (moves.origin(move), moves.target(move)) == (theirs.from_square, theirs.to_square)
        assert moves.from_to(move) == theirs.from_square + 64 * theirs.to_square
        assert moves.is_capture(move) == board.is_capture(theirs)
        assert moves.is_promotion(move) == (theirs.promotion is not None)
        assert moves.is_castling(move) == board.is_castling(theirs)
        assert moves.is_en_passant(move) == board.is_en_passant(theirs)
        assert moves.is_quiet(move) == (not board.is_capture(theirs) and not theirs.promotion)
        if theirs.promotion:
            assert moves.promoted_to(move) == theirs.promotion - chess.PAWN
        board.push(theirs)
        if moves.is_castling(move):
            assert board.piece_type_at(moves.castled_king(move)) == chess.KING
            assert board.piece_type_at(moves.castled_rook(move)) == chess.ROOK
        if moves.is_double_push(move):
            assert board.ep_square == moves.passed_square(move)
        if moves.is_en_passant(move):
            assert board.piece_at(moves.en_passant_victim(move)) is None
        board.pop()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_move_is_what_it_was_made_of(kind: int) -> None:
    for origin, target in ((0, 63), (63, 0), (4, 7), (12, 28)):
        move = moves.new_move(origin, target, kind)
        assert 0 < move < 1 << 16
        assert (moves.origin(move), moves.target(move), moves.kind(move)) == (origin, target, kind)


@pytest.mark.parametrize("piece", range(KNIGHT, QUEEN + 1))
@pytest.mark.parametrize("kind", [moves.QUIET, moves.CAPTURE])
def test_a_promotion_is_what_it_was_made_of(piece: int, kind: int) -> None:
    move = moves.new_promotion(chess.A7, chess.B8, piece, kind)
    assert (moves.is_promotion(move), moves.promoted_to(move)) == (True, piece)
    assert moves.is_capture(move) == (kind == moves.CAPTURE)
