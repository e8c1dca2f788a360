"""The position's own memory: repetitions, counters, rights, en passant, games of any length."""

import itertools
import random

import pytest

from engine.board.cycles import has_upcoming_repetition
from engine.board.fen import START_FEN, format_fen, parse_fen
from engine.board.move import is_en_passant, target
from engine.board.movegen import legal_moves
from engine.board.notation import move_text, parse_move
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


def test_other_rights_are_another_position() -> None:
    rooks = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    shuffle = ("h1h2", "e8e7", "h2h1", "e7e8")  # the first time round White loses the right
    position = after(rooks, *shuffle, *shuffle)
    assert not position.is_repetition(0)
    assert not after(rooks, *shuffle).is_repetition(5)
    assert after(rooks, *shuffle, *shuffle).is_repetition(5)
    assert after(rooks, *shuffle, *shuffle, *shuffle).is_repetition(0)


def test_an_en_passant_capture_lost_is_another_position() -> None:
    start = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1"
    shuffle = ("e1d1", "e8f8", "d1e1", "f8e8")
    assert not after(start, "d7d5", *shuffle, *shuffle).is_repetition(0)
    assert after(start, "d7d5", *shuffle, *shuffle, *shuffle).is_repetition(0)


def test_an_en_passant_square_of_no_use_changes_nothing() -> None:
    start = "4k3/3p4/8/P7/8/8/8/4K3 b - - 0 1"
    assert after(start, "d7d5", *("e1d1", "e8f8", "d1e1", "f8e8") * 2).is_repetition(0)


def test_no_repetition_across_a_pass() -> None:
    position = after(START_FEN, *SHUFFLE, *SHUFFLE[:2])
    position.make_null()
    position.make_null()
    assert not position.is_repetition(20)
    position.unmake_null()
    position.unmake_null()
    assert position.is_repetition(20)


LONE_ROOK = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "moves", "ply", "upcoming"),
    [
        (START_FEN, SHUFFLE[:3], 4, True),  # the next move repeats a position below the root
        (START_FEN, SHUFFLE[:3], 3, False),  # it would repeat the root itself, which does not count
        (LONE_ROOK, ("a1b1", "e8e7", "b1c1", "e7e8", "c1d1"), 6, True),  # a1d1 would have led here at once
        (LONE_ROOK, ("a1b1", "e8e7", "b1c1", "e7e8", "c1d1"), 5, False),
    ],
)
def test_upcoming_repetition(fen: str, moves: tuple[str, ...], ply: int, upcoming: bool) -> None:
    assert has_upcoming_repetition(after(fen, *moves), ply) == upcoming


def test_no_upcoming_repetition_across_a_pass() -> None:
    position = after(LONE_ROOK, "a1b1")
    position.make_null()
    position.make(parse_move(position, "b1c1"))
    assert not has_upcoming_repetition(position, 4)


@pytest.mark.parametrize(
    ("fen", "moves", "upcoming"),
    [
        ("4k3/8/8/8/8/2N5/8/R3K3 b - - 0 1", "e8e7 a1d1 e7e8", True),
        ("4k3/8/8/8/8/8/8/RN2K3 b - - 0 1", "e8f8 b1c3 f8g8 c3e4 g8h7 a1d1 h7g7 e4d2 g7f7 d2b1 f7e8", False),
    ],
)
def test_upcoming_repetition_if_the_way_is_free(fen: str, moves: str, upcoming: bool) -> None:
    """A rook may go back from d1 to a1, but not over the knight that had gone away and has come back."""
    assert has_upcoming_repetition(after(fen, *moves.split()), 12) == upcoming


# The fifty-move counter


@pytest.mark.parametrize(
    ("move", "counter"),
    [("e1f1", 43), ("a1b1", 43), ("e1c1", 43), ("a1a2", 0), ("c4c5", 0), ("e5d6", 0), ("g7g8q", 0)],
)
def test_halfmoves(move: str, counter: int) -> None:
    position = after("4k3/p5P1/8/3pP3/2P5/r7/p7/R3K3 w Q d6 42 30", move)
    assert position.halfmoves == counter
    assert position.fullmove() == 30
    position.unmake()
    assert position.halfmoves == 42


def test_halfmoves_pass_a_hundred() -> None:
    position = parse_fen("4k3/8/8/8/8/8/8/R3K3 w - - 98 80")
    counted = []
    for text in ("a1a2", "e8e7", "a2a1", "e7e8"):
        position.advance(parse_move(position, text))
        counted.append(position.halfmoves)
    assert counted == [99, 100, 101, 102]
    assert position.fullmove() == 82


# Castling rights


@pytest.mark.parametrize(
    ("moves", "rights"),
    [
        (["e1e2"], "kq"),
        (["e1g1"], "kq"),
        (["e1c1"], "kq"),
        (["a1b1"], "Kkq"),
        (["h1g1"], "Qkq"),
        (["h1g1", "e8e7"], "Q"),
        (["a1a8"], "Kk"),  # both rooks of the file
        (["h1h8"], "Qq"),
        (["e1e2", "a8a1"], "k"),
        (["a1b1", "h8h1"], "q"),  # the rook that takes loses its own side's right too
        (["b7a8q"], "KQk"),
        (["b7a8n", "h8h1"], "Q"),
        (["e1d1", "e8d8", "d1e1", "d8e8"], "-"),
    ],
)
def test_rights_lost(moves: list[str], rights: str) -> None:
    position = after("r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1", *moves)
    assert format_fen(position).split()[2] == rights
    assert position.reversible < len(moves)  # with its rights no earlier position can recur
    while position.height:
        position.unmake()
    assert position.castling == 15


def test_rights_lost_in_chess960() -> None:
    fen = "1r1k2r1/8/8/8/8/8/8/1R1K2R1 w GBgb - 0 1"
    for moves, rights in (
        (["b1b8"], "Gg"),
        (["g1g8"], "Bb"),
        (["d1d2"], "gb"),
        (["d1b1"], "gb"),
        (["b1a1", "g8g1"], "b"),
    ):
        assert format_fen(after(fen, *moves), chess960=True).split()[2] == rights


def test_a_new_rook_on_the_corner_gives_no_right() -> None:
    position = after("4k3/8/8/8/8/6n1/7R/4K2R b K - 0 1", "g3h1", "h2h1")
    assert format_fen(position).split()[2] == "-"


# En passant


@pytest.mark.parametrize(
    ("fen", "push", "square"),
    [
        (START_FEN, "e2e4", -1),
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", 20),
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e3", -1),
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", 43),
        ("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", -1),  # the rank would be laid open
        ("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e2e4", -1),  # the capturing pawn is pinned
        ("8/8/8/5k2/3p4/8/4P3/4K3 w - - 0 1", "e2e4", 20),  # the pawn gives check and can be taken
        ("8/8/8/8/3p2k1/8/4P3/3BK3 w - - 0 1", "e2e4", -1),  # the check it discovers remains
        ("3k4/8/8/8/3p4/4B3/4P3/4K3 w - - 0 1", "e3g5", -1),
    ],
)
def test_en_passant_only_where_it_is_legal(fen: str, push: str, square: int) -> None:
    position = after(fen, push)
    assert position.en_passant == square
    assert any(is_en_passant(move) for move in legal_moves(position)) == (square >= 0)


def test_en_passant_lasts_one_move() -> None:
    position = after("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", "e8e7")
    assert position.en_passant == -1
    position.unmake()
    assert position.en_passant == 20


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


def test_the_game_is_remembered_by_a_search() -> None:
    position = parse_fen(START_FEN)
    for text in (*SHUFFLE, *SHUFFLE[:3]):
        position.advance(parse_move(position, text))
    copied = position.copy()
    copied.make(parse_move(copied, "f6g8"))
    assert copied.is_repetition(1)
    assert not position.is_repetition(0)


# Setting up


def test_set_up() -> None:
    pieces = bare_kings()
    pieces[0] = pieces[7] = 3
    pieces[12] = 8  # a black pawn on e2
    position = Position.set_up(pieces, 0, (7, 0, -1, -1), halfmoves=3, fullmove=9)
    assert format_fen(position) == "4k3/8/8/8/8/8/4p3/R3K2R w KQ - 3 9"
    assert [position.piece_at(square) for square in range(64)] == pieces
    assert not position.checkers


@pytest.mark.parametrize("squares", [0, 63, 65, 128])
def test_set_up_needs_64_squares(squares: int) -> None:
    with pytest.raises(ValueError, match="64 squares"):
        Position.set_up((bare_kings() * 2)[:squares], 0)


@pytest.mark.parametrize(("square", "piece"), [(4, EMPTY), (60, EMPTY), (20, KING), (20, BLACK_KING)])
def test_set_up_needs_one_king_each(square: int, piece: int) -> None:
    pieces = bare_kings()
    pieces[square] = piece
    with pytest.raises(ValueError, match="one king each"):
        Position.set_up(pieces, 0)


@pytest.mark.parametrize("square", [-1, 64, 1000])
def test_squares_off_the_board(square: int) -> None:
    with pytest.raises(IndexError):
        parse_fen(START_FEN).piece_at(square)


@pytest.mark.parametrize("right", [-1, 4])
def test_rights_that_do_not_exist(right: int) -> None:
    with pytest.raises(IndexError):
        parse_fen(START_FEN).rook_square(right)


# Other things


@pytest.mark.parametrize(
    ("board", "insufficient"),
    [
        ("4k3/8/8/8/8/8/8/4K3", True),
        ("4k3/8/8/8/8/8/8/3NK3", True),
        ("3bk3/8/8/8/8/8/8/4K3", True),
        ("4k3/8/8/8/8/8/8/2B1KB2", False),  # bishops of both colours of squares
        ("4k3/8/8/8/8/8/8/2B1K3", True),
        ("2b1k3/8/8/8/8/8/8/4KB2", True),  # both on white squares
        ("5bk1/8/8/8/8/8/8/4KB2", False),
        ("4k3/8/8/8/8/2B5/1B6/B3K3", True),
        ("4k3/8/8/8/8/8/8/2NNK3", False),
        ("3nk3/8/8/8/8/8/8/3NK3", False),
        ("3nk3/8/8/8/8/8/8/2B1K3", False),
        ("4k3/7p/8/8/8/8/8/4K3", False),
        ("4k3/8/8/8/8/8/8/R3K3", False),
        ("3qk3/8/8/8/8/8/8/4K3", False),
    ],
)
def test_insufficient_material(board: str, insufficient: bool) -> None:
    assert parse_fen(f"{board} w - - 0 1").is_insufficient() == insufficient


def test_checkers() -> None:
    assert parse_fen("4k3/8/3N4/8/4Q3/8/8/4K3 b - - 0 1").checkers == 1 << 43 | 1 << 28
    assert after("4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", "e4d6").checkers == 1 << 43 | 1 << 4


def test_the_order_of_moves_is_the_same_each_time() -> None:
    position = parse_fen(START_FEN)
    assert [move_text(move) for move in legal_moves(position)] == [
        move_text(move) for move in legal_moves(position.copy())
    ]
