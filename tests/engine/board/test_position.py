"""The position's own memory: repetitions, counters, rights, en passant, games of any length."""

import itertools
import random

import pytest

from engine.board.cycles import has_upcoming_repetition
from engine.board.fen import START_FEN, format_fen, parse_fen
from engine.board.move import target
from engine.board.movegen import legal_moves
from engine.board.notation import parse_move
from engine.board.position import Position

EMPTY, KING, BLACK_KING = 7, 5, 13
GAME_STACK = 512  # as in position.pxd: moves of the game that the undo stack keeps at most
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def after(fen: str, *moves: str) -> Position:
    """The position after moves, all of them on the stack."""
    position = parse_fen(fen)
    for text in moves:
        position.make(parse_move(position, text))
    return position


def bare_kings() -> list[int]:
    pieces = [EMPTY] * 64
    pieces[4], pieces[60] = KING, BLACK_KING
    return pieces


# Repetition


def test_the_third_time_is_a_repetition() -> None:
    position = parse_fen(START_FEN)
    seen = []
    for text in SHUFFLE * 3:
        position.make(parse_move(position, text))
        seen.append(position.is_repetition(0))
    assert seen == [False] * 7 + [True] * 5


@pytest.mark.parametrize(
    ("ply", "repeated"),
    [
        (0, False),  # the rule: twice before, but it stood there once
        (3, False),  # it stood there before the root
        (4, False),  # at the root itself
        (5, True),  # since the root
        (60, True),
    ],
)
def test_once_since_the_root_is_enough(ply: int, repeated: bool) -> None:
    assert after(START_FEN, *SHUFFLE).is_repetition(ply) == repeated


@pytest.mark.parametrize("ply", range(9))
def test_twice_before_is_enough_wherever_the_root(ply: int) -> None:
    assert after(START_FEN, *SHUFFLE * 2).is_repetition(ply)


def test_taken_back_it_is_no_repetition() -> None:
    position = after(START_FEN, *SHUFFLE * 2)
    position.unmake()
    assert not position.is_repetition(0)
    position.make(parse_move(position, "f6g8"))
    assert position.is_repetition(0)


def test_no_repetition_across_a_pass() -> None:
    position = after(START_FEN, *SHUFFLE, *SHUFFLE[:2])
    position.make_null()
    position.make_null()
    assert not position.is_repetition(20)
    position.unmake_null()
    position.unmake_null()
    assert position.is_repetition(20)


LONE_ROOK = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"


def test_no_upcoming_repetition_across_a_pass() -> None:
    position = after(LONE_ROOK, "a1b1")
    position.make_null()
    position.make(parse_move(position, "b1c1"))
    assert not has_upcoming_repetition(position, 4)


# Long games


def test_three_thousand_plies() -> None:
    position = parse_fen(START_FEN)
    moves = itertools.cycle(SHUFFLE)
    for ply in range(1, 3001):
        position.advance(parse_move(position, next(moves)))
        assert position.height <= GAME_STACK
        assert position.halfmoves == ply
        assert position.is_repetition(0) == (ply >= 8)
    assert position.fullmove() == 1501
    assert format_fen(position) == START_FEN.replace("0 1", "3000 1501")
    assert position.key == parse_fen(START_FEN).key


def test_repetitions_over_a_long_walk_of_the_kings() -> None:
    """The last 256 plies at least are remembered, however the stack was trimmed in between."""
    rng = random.Random(1)
    position = parse_fen("6k1/8/8/8/8/8/8/1K6 w - - 0 1")
    squares = {file + 8 * rank for file in (0, 1, 2) for rank in (0, 1, 2)}
    squares |= {63 - square for square in squares}
    keys = [position.key]
    found = 0
    for _ in range(2000):
        moves = [move for move in legal_moves(position) if target(move) in squares]
        position.advance(rng.choice(moves))
        repeated = position.is_repetition(0)
        assert repeated or keys[-GAME_STACK // 2 :].count(position.key) < 2
        assert not repeated or keys.count(position.key) >= 2
        keys.append(position.key)
        found += repeated
    assert 100 < found < 1900


def test_a_long_game_leaves_room_for_a_search_and_its_copies() -> None:
    position = parse_fen(START_FEN)
    for text in SHUFFLE * 200:
        position.advance(parse_move(position, text))
    searched = position.copy()
    for text in SHUFFLE * 100:
        searched.make(parse_move(searched, text))
    assert searched.is_repetition(0)
    while searched.height > position.height:
        searched.unmake()
    assert format_fen(searched) == format_fen(position)
    assert searched.key == position.key


def test_what_cannot_recur_is_forgotten() -> None:
    position = parse_fen(START_FEN)
    for text in SHUFFLE:
        position.advance(parse_move(position, text))
    assert (position.height, position.reversible) == (4, 4)
    position.advance(parse_move(position, "e2e4"))
    assert (position.height, position.reversible) == (0, 0)
    assert (position.fullmove(), position.side) == (3, 1)
    position.advance(parse_move(position, "e7e5"))
    assert (position.fullmove(), position.side) == (4, 0)


# Setting up


def test_set_up() -> None:
    pieces = bare_kings()
    pieces[0] = pieces[7] = 3
    pieces[12] = 8  # a black pawn on e2
    position = Position.set_up(pieces, 0, (7, 0, -1, -1), halfmoves=3, fullmove=9)
    assert format_fen(position) == "4k3/8/8/8/8/8/4p3/R3K2R w KQ - 3 9"
    assert [position.piece_at(square) for square in range(64)] == pieces
    assert not position.checkers


def test_set_up_needs_64_squares_and_one_king_each() -> None:
    for squares in (0, 63, 65):
        with pytest.raises(ValueError, match="64 squares"):
            Position.set_up((bare_kings() * 2)[:squares], 0)
    for square, piece in ((4, EMPTY), (60, EMPTY), (20, KING), (20, BLACK_KING)):
        pieces = bare_kings()
        pieces[square] = piece
        with pytest.raises(ValueError, match="one king each"):
            Position.set_up(pieces, 0)


def test_squares_and_rights_that_do_not_exist() -> None:
    for square in (-1, 64, 1000):
        with pytest.raises(IndexError):
            parse_fen(START_FEN).piece_at(square)
    for right in (-1, 4):
        with pytest.raises(IndexError):
            parse_fen(START_FEN).rook_square(right)
