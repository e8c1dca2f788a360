"""What is said about a folder of games."""

import struct
import zlib
from pathlib import Path

import pytest

from engine.board.fen import format_fen
from eval.training.game_file import OLD_GAMES, GameFileError, read_blocks
from eval.training.samples import read
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.selfplay import kind_of_opening, pack_old_files, rows_of
from scripts.laboratory.learning.selfplay_games import Openings, OpeningSource, SelfPlayRules, SelfPlayWorker
from scripts.laboratory.openings import OpeningSuite

BOOK = OpeningSuite(
    (
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        "rnbqkb1r/pppppp1p/5np1/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3",
    ),
    is_pgn=False,
    chess960=False,
)
SOURCES = (
    OpeningSource(OpeningSuite.of_start_position(), 6, 9, 0.5),
    OpeningSource(BOOK, 0, 0, 0.25),
    OpeningSource(OpeningSuite.of_chess960(), 0, 0, 0.25),
)
RULES = SelfPlayRules(SOURCES, GivenEvaluator("material"), nodes=20, seed=5)


def write(path: Path, numbers: range) -> Path:
    worker = SelfPlayWorker(RULES)
    found = [each for number in numbers for each in read_blocks(worker.work(number), 0)]
    games = [
        game[:-4] + struct.pack("<I", zlib.crc32(game[:-4]))
        for head, packed in found
        for game in head.unpack(packed)
    ]
    path.write_bytes(OLD_GAMES.pack_header(RULES.identity()) + b"".join(games))
    return path


def test_where_games_began_is_found_again() -> None:
    """From the description alone."""
    openings = Openings(list(SOURCES), RULES.seed)
    kinds = []
    for number in range(200):
        start = next(openings.of_game(number))
        kinds.append(kind_of_opening(RULES.identity(), number))
        board = format_fen(start).split()[0]
        from_book = board in {entry.split()[0] for entry in BOOK.entries}
        assert from_book == (kinds[-1] == "a book")
        if kinds[-1] == "Chess960":
            assert start.fullmove() == 1
            assert "pppppppp/8/8/8/8/PPPPPPPP" in board
    assert 60 < kinds.count("the start position") < 140


def test_descriptions_without_openings() -> None:
    for description in ({}, {"openings": 3, "seed": 1}, {"openings": [["a", 0, 0, "x"]], "seed": 1}):
        assert kind_of_opening(description, 0) == "unknown openings"


def test_what_is_said(tmp_path: Path, is_pure: bool) -> None:
    games = range(3 if is_pure else 20)
    write(tmp_path / "a.games", games[: len(games) // 2])
    write(tmp_path / "b.games", games[len(games) // 2 :])
    assert rows_of(tmp_path, prove=True) == rows_of(tmp_path, prove=False)
    found, damaged = rows_of(tmp_path, prove=True)
    assert damaged == []
    rows = dict(found)
    assert rows["games"] == str(len(games))
    kept = int(rows["positions to learn from"].split()[0])
    assert kept >= len(read([tmp_path])) > 0  # which leaves out some rights to castle of Chess960
    assert list(rows)[:6] == ["games", "plies", "positions to learn from", "White won", "drawn", "Black won"]
    results = [int(rows[name].split()[0]) for name in ("White won", "drawn", "Black won")]
    assert sum(results) == len(games)
    assert rows["nodes"] == "20"
    began = [int(value.split()[0]) for name, value in rows.items() if name.startswith("from ")]
    assert sum(began) == len(games)


def test_a_damaged_game(tmp_path: Path) -> None:
    path = write(tmp_path / "a.games", range(1))
    data = bytearray(path.read_bytes())
    data[-10] ^= 1
    path.write_bytes(data)
    with pytest.raises(GameFileError, match=r"a\.games: the game at byte .* is damaged"):
        rows_of(tmp_path, prove=False)


def test_old_files_are_packed(tmp_path: Path, is_pure: bool) -> None:
    games = range(2 if is_pure else 20)
    path = write(tmp_path / "a.games", games)
    data, before = path.read_bytes(), dict(rows_of(tmp_path, prove=True)[0])
    (said,) = pack_old_files(tmp_path)
    assert said == f"{path}: {len(games)} games, {len(data)} bytes became {path.stat().st_size}"
    assert 2 * path.stat().st_size < len(data)
    after, damaged = rows_of(tmp_path, prove=True)
    assert damaged == []
    assert {name: value for name, value in after if "learn" not in name} == {
        name: value for name, value in before.items() if "learn" not in name
    }
    assert list(pack_old_files(tmp_path)) == []


@pytest.mark.parametrize("harm", ["damaged", "empty"])
def test_an_old_file_that_would_lose_games_stays(tmp_path: Path, harm: str) -> None:
    path = write(tmp_path / "a.games", range(1))
    data = path.read_bytes() + b"x" * 50
    if harm == "empty":
        data = OLD_GAMES.pack_header(RULES.identity())
    path.write_bytes(data)
    *_, last = pack_old_files(tmp_path)
    assert last == f"{path}: not packed"
    assert path.read_bytes() == data


def test_a_length_with_a_flipped_bit_is_told(tmp_path: Path) -> None:
    """In a file of version 1 what comes after it cannot be found again."""
    path = write(tmp_path / "a.games", range(2))
    data = bytearray(path.read_bytes())
    place = len(OLD_GAMES.pack_header(RULES.identity()))
    data[place + 1] |= 4
    path.write_bytes(data)
    rows, damaged = rows_of(tmp_path, prove=True)
    assert dict(rows)["games"] == "0"
    assert damaged == [f"{path}: {len(data) - place} bytes from byte {place} on are damaged"]


def test_what_is_said_of_a_damaged_shard(tmp_path: Path) -> None:
    path = write(tmp_path / "a.games", range(2))
    list(pack_old_files(tmp_path))
    data = bytearray(path.read_bytes())
    data[-10] ^= 1
    path.write_bytes(data)
    rows, (damaged,) = rows_of(tmp_path, prove=True)
    assert dict(rows)["games"] == "0"
    assert damaged.startswith(f"{path}: ")
    assert damaged.endswith(" are damaged")
