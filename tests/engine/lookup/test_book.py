"""Opening books: what they play, and files that are none."""

import re
from collections import Counter
from math import sqrt
from pathlib import Path
from random import Random

import chess
import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.notation import move_text, parse_move
from engine.board.position import Position
from engine.lookup.book import Book, BookError, encoded, move_of
from tests.engine.lookup.books import FOUR, Entry, after, four, packed, saved

CASTLING = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 4 8"
CHESS960 = "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1"


def known(path: Path, fen: str) -> dict[str, int]:
    """What a book plays in a position, castling as in Chess960."""
    moves = Book(path).moves(parse_fen(fen))
    return {move_text(move, chess960=True): weight for move, weight in moves.items()}


def chosen(book: Book, best: bool = False) -> tuple[str, str]:
    found = book.choose(parse_fen(START_FEN), best)
    assert found is not None
    return move_text(found.move), move_text(found.reply)


def test_moves_with_their_weights(tmp_path: Path) -> None:
    path = saved(tmp_path, four())
    assert list(known(path, START_FEN).items()) == FOUR
    assert known(path, after("e2e4").fen()) == {"e7e5": 9, "c7c5": 7}
    assert known(path, after("d2d4").fen()) == {}


def test_key_of_the_start_position_is_that_of_the_format() -> None:
    """From the description of the format."""
    assert packed([(chess.Board(), "e2e4", 1)])[:8].hex() == "463b96181691fc9c"


def played(board: chess.Board) -> Position:
    position = parse_fen(START_FEN)
    for move in board.move_stack:
        position.advance(parse_move(position, move.uci()))
    return position


def test_en_passant_counts_where_a_pawn_stands_beside_though_it_may_not_capture(tmp_path: Path) -> None:
    """Polyglot's rule. Here the pawn on e5 is pinned; the key is that of the format."""
    board = after("e2e4", "e7e5", "f2f4", "e5f4", "e4e5", "d8e7", "g1f3", "d7d5")
    assert not board.has_legal_en_passant()
    before = board.copy()
    before.pop()
    book = Book(saved(tmp_path, [(board, "d1e2", 1), (before, "d7d5", 1)]))
    queen = chess.Move.from_uci("d1e2")
    for position in (played(board), parse_fen(board.fen(en_passant="fen"))):
        assert [move_of(move) for move in book.moves(position)] == [queen]
    found = book.choose(played(before))
    assert found
    assert move_of(found.reply) == queen
    assert not book.moves(parse_fen(board.fen()))


def test_choice_by_weight(tmp_path: Path) -> None:
    book, times = Book(saved(tmp_path, four()), Random(5)), 600
    position = parse_fen(START_FEN)
    counted = Counter(move_text(found.move) for _ in range(times) if (found := book.choose(position)))
    for move, weight in FOUR:
        expected = times * weight / 100
        assert abs(counted[move] - expected) < 4 * sqrt(expected)


def test_best_move_and_its_reply(tmp_path: Path) -> None:
    book = Book(saved(tmp_path, four()))
    assert {chosen(book, best=True) for _ in range(20)} == {("e2e4", "e7e5")}
    assert book.choose(parse_fen(after("d2d4").fen())) is None
    assert chosen(Book(saved(tmp_path, [(chess.Board(), "e2e4", 1)]))) == ("e2e4", "0000")


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8n"),
        ("4k3/8/8/8/8/8/p7/1R2K3 b - - 0 1", "a2b1q"),
        (after("e2e4", "a7a6", "e4e5", "d7d5").fen(), "e5d6"),
        (CASTLING, "e1h1"),
        (CASTLING, "e1a1"),
        (CHESS960, "c1g1"),
    ],
)
def test_special_moves(tmp_path: Path, fen: str, move: str) -> None:
    board = chess.Board(fen, chess960=fen == CHESS960)
    assert known(saved(tmp_path, [(board, move, 3)]), fen) == {move: 3}


def test_castling_written_as_two_steps(tmp_path: Path) -> None:
    """Some programs write it so."""
    entries: list[Entry] = [(chess.Board(CASTLING), "e1g1", 3), (chess.Board(CASTLING), "e1h1", 4)]
    assert known(saved(tmp_path, entries), CASTLING) == {"e1h1": 7}


def test_no_castling_where_the_king_only_steps(tmp_path: Path) -> None:
    """Here b1a1 is castling in Chess960, while c1 is one step away."""
    fen = "4k3/8/8/8/8/8/8/RK6 w A - 0 1"
    board = chess.Board(fen, chess960=True)
    entries: list[Entry] = [(board, "b1a1", 3), (board, "b1c1", 4)]
    assert known(saved(tmp_path, entries), fen) == {"b1a1": 3, "b1c1": 4}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "an empty file"),
        (packed(four())[:-1], "not a whole Polyglot book: its size is not a multiple of 16 bytes"),
        (bytes(range(255, 15, -1)), "not a Polyglot book: its entries are not in order"),
    ],
    ids=["empty", "truncated", "something else"],
)
def test_files_that_are_no_books(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "book.bin"
    path.write_bytes(content)
    with pytest.raises(BookError, match=f"^{re.escape(f'{path}: {reason}')}$"):
        Book(path)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.bin", "no such file"),
        ("", "a folder, not a book"),
        ("a\0b", "cannot be read: not the name of a file"),
    ],
)
def test_paths_that_lead_to_no_book(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(BookError, match=f": {reason}$"):
        Book(tmp_path / name)


@pytest.mark.parametrize(
    ("fen", "move", "expected"),
    [
        (chess.STARTING_FEN, "e2e4", 12 << 6 | 28),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8n", 1 << 12 | 52 << 6 | 60),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", 60 << 6 | 56),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", 4 << 6 | 7),
    ],
)
def test_moves_as_the_format_has_them(fen: str, move: str, expected: int) -> None:
    board = chess.Board(fen)
    assert encoded(board, board.parse_uci(move)) == expected
