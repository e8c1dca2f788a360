"""Books of openings: reading them, and making them."""

import bz2
import gzip
import lzma
import re
import sys
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from click.testing import CliRunner

from scripts.laboratory.books.make_openings import (
    RandomSource,
    is_plain,
    looks_quiet,
    openings,
    write_openings,
)
from scripts.laboratory.openings import Opening, OpeningSuite, OpeningSuiteError
from tests.scripts.laboratory.matches.fakes import FAKE_ENGINE
from tests.traps import REASONS, laid

EPD = "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq -"
PGN = """[Event "a"]

1. e4 e5 2. Nf3 *

[Event "b"]
[FEN "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"]
[SetUp "1"]

1. O-O Kd7 2. Re1 Kd6 *
"""
JUDGE = ["--engine", "name=judge", f"cmd={sys.executable} {FAKE_ENGINE} legal 100000"]


@pytest.mark.parametrize(
    "line", [EPD, f'{EPD} id "French"; hmvc 3;', f"{EPD} 3 7", f"\ufeff{EPD} 0 1"], ids=str
)
def test_lines_of_positions(tmp_path: Path, line: str) -> None:
    path = tmp_path / "book.epd"
    path.write_text(f"{line}\n\n# a comment\n", encoding="utf-8")
    book = OpeningSuite.read(path, chess960=False)
    assert len(book.entries) == 1
    opening = book.opening(0)
    assert opening.board().epd() == EPD
    assert opening.moves == ()


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)]
)
def test_compressed_books(tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"book.pgn{suffix}"
    path.write_bytes(compress(PGN.encode()))
    book = OpeningSuite.read(path, chess960=False)
    assert book.opening(0) == Opening(None, ("e2e4", "e7e5", "g1f3"))
    second = book.opening(1)
    assert second.moves == ("e1g1", "e8d7", "f1e1", "d7d6")
    assert second.board().fen() == "8/8/3k4/8/8/8/4P3/4R1K1 w - - 4 3"


def test_castling_in_a_chess960_book(tmp_path: Path) -> None:
    path = tmp_path / "book.pgn"
    path.write_text(PGN)
    assert OpeningSuite.read(path, chess960=True).opening(1).moves[0] == "e1h1"


@pytest.mark.parametrize("content", ["", "8/8/8 w", "k7/8/8/8/8/8/8/RK6 w - - 0 1", "nonsense"])
def test_books_that_are_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "book.epd"
    path.write_text(content)
    with pytest.raises(OpeningSuiteError):
        OpeningSuite.read(path, chess960=False).opening(0)


def test_a_damaged_archive(tmp_path: Path) -> None:
    path = tmp_path / "book.epd.gz"
    path.write_bytes(b"nonsense")
    with pytest.raises(OpeningSuiteError, match="book"):
        OpeningSuite.read(path, chess960=False)


def test_all_960_start_positions() -> None:
    book = OpeningSuite.of_chess960()
    assert len(set(book.entries)) == 960
    board = book.opening(518).board(chess960=True)
    assert board.chess960_pos() == 518
    assert board.shredder_fen() == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"


def test_the_order_is_that_of_the_seed() -> None:
    book = OpeningSuite.of_chess960()
    assert book.order(None) == list(range(960))
    assert book.order(1) == book.order(1) != book.order(2)
    assert sorted(book.order(1)) == list(range(960))


@pytest.mark.parametrize("chess960", [False, True])
def test_random_play_is_repeatable(chess960: bool) -> None:
    source = RandomSource(3, chess960)
    boards = [source.candidate(number) for number in range(50)]
    assert [board.fen() for board in boards] == [source.candidate(number).fen() for number in range(50)]
    assert len({board.fen() for board in boards}) > 45
    assert {len(board.move_stack) for board in boards} == ({4, 5, 6} if chess960 else {6, 7, 8})


@pytest.mark.parametrize(
    ("fen", "quiet"),
    [
        (chess.STARTING_FEN, True),
        ("rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", False),
        ("rnbqkbnr/ppppp1pp/8/5p1Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2", False),
        ("rnbqkbnr/pp1p1ppp/8/2p1p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", True),
    ],
)
def test_quiet_positions(fen: str, quiet: bool) -> None:
    assert looks_quiet(chess.Board(fen)) is quiet


def test_plain_positions() -> None:
    assert is_plain(chess.Board())
    assert not is_plain(chess.Board("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w Kkq - 0 1"))


def make(output: Path, *words: str) -> str:
    """Make openings with a judge that is content with everything. What was printed."""
    outcome = CliRunner().invoke(openings, [*JUDGE, "--max-score", "99", "--output", str(output), *words])
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def test_the_same_openings_are_made_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first.epd", tmp_path / "second.epd"
    make(first, "--count", "60")
    make(second, "--count", "60", "--concurrency", "2")
    book = OpeningSuite.read(first, chess960=False)
    assert OpeningSuite.read(second, chess960=False).entries == book.entries
    assert len(set(book.entries)) == 60
    for index in range(60):
        board = book.opening(index).board()
        assert looks_quiet(board)
        assert is_plain(board)


def test_the_usual_judge_finds_enough_at_its_usual_bound(tmp_path: Path) -> None:
    """Of the first candidates: with the bound of another judge it looked at thousands for a few."""
    words = ["--count", "10", "--output", str(tmp_path / "few.epd")]
    outcome = CliRunner().invoke(openings, words)
    assert outcome.exit_code == 0, outcome.output
    examined = re.search(r"10 of (\d+) positions", outcome.output)
    assert examined is not None
    assert int(examined[1]) <= 100


def test_openings_are_chosen_from_a_file(tmp_path: Path) -> None:
    given, output = tmp_path / "given.epd", tmp_path / "chosen.epd"
    given.write_text(
        f"{EPD}\n{chess.Board().epd()}\nrnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR b KQkq -\n"
    )
    make(output, "--from", str(given))
    assert set(OpeningSuite.read(output, chess960=False).entries) == {EPD, chess.Board().epd()}


@pytest.mark.parametrize("name", ["made.epd", "made", "made.epd.gz", "made.epd.xz", "made.fen.bz2"])
def test_the_file_that_was_named_is_made(tmp_path: Path, name: str) -> None:
    """The same lines make the same file; others stay."""
    path, other = tmp_path / name, tmp_path / "made.epd.lzma"
    other.write_bytes(b"precious")
    write_openings(path, ["b", "a"])
    content = path.read_bytes()
    write_openings(path, ["a", "b"])
    assert path.read_bytes() == content
    assert OpeningSuite.read(path, chess960=False).entries == ("a", "b")
    assert (content == b"a\nb\n") is (path.suffix in {".epd", ""})
    assert sorted(tmp_path.iterdir()) == sorted([path, other])


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2"])
def test_what_would_unpack_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr("scripts.laboratory.openings._LARGEST", 1 << 20)
    path = tmp_path / f"book.epd{suffix}"
    write_openings(path, [" " * (1 << 21)])
    assert path.stat().st_size < 10_000
    with pytest.raises(OpeningSuiteError, match=f"{suffix}: larger than 1 MiB"):
        OpeningSuite.read(path, chess960=False)


@pytest.mark.parametrize("trap", ["FIFO", "device", "folder", "giant"])
def test_books_that_are_no_files(tmp_path: Path, trap: str) -> None:
    with pytest.raises(OpeningSuiteError, match=REASONS[trap]):
        OpeningSuite.read(laid(trap, tmp_path / "book.epd.xz"), chess960=False)
