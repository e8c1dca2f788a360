"""Files of endgame tables: what was written is read, and nothing else is."""

from __future__ import annotations

import json
import zlib
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING

import pytest

from engine.games.catalogue import game
from engine.games.players.solvers import MAGIC, TableFileError, load_table, packed, unpacked
from engine.games.search.endgame_table import make_table

if TYPE_CHECKING:
    from pathlib import Path

CHECKERS, CHESS = game("checkers"), game("chess")


@pytest.fixture(scope="module")
def content() -> bytes:
    return packed(CHECKERS, "2", make_table(CHECKERS.endings("2")))


def signed(description: object, entries: bytes, version: int = 1) -> bytes:
    """A file with the right checksum, whatever is in it."""
    text = description if isinstance(description, bytes) else json.dumps(description).encode()
    head = MAGIC + version.to_bytes(2, "little") + bytes(2) + len(text).to_bytes(4, "little")
    body = head + text + entries
    return body + blake2b(body, digest_size=32).digest()


def test_what_was_written_is_read(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "two.table"
    path.write_bytes(content)
    table = load_table(path, CHECKERS)
    (part,) = table.parts
    assert part.positions.name == "2"
    assert part.entries == make_table(CHECKERS.endings("2")).parts[0].entries


def test_no_byte_can_be_changed(content: bytes) -> None:
    random = Random(1)
    for place in [*range(120), *(random.randrange(len(content)) for _ in range(200)), len(content) - 1]:
        damaged = bytearray(content)
        damaged[place] ^= 1 << random.randrange(8)
        with pytest.raises(TableFileError) as error:
            unpacked(bytes(damaged), CHECKERS)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("length", [0, 1, 7, 8, 12, 16, 40, 100])
def test_no_part_can_be_missing(content: bytes, length: int) -> None:
    for shorter in (content[:length], content[: len(content) - length - 1], content + b"x"):
        with pytest.raises(TableFileError, match=r"not an endgame table|damaged"):
            unpacked(shorter, CHECKERS)


GOOD = {"game": "checkers", "men": "2", "parts": [["2", 7_200]]}
ENTRIES = zlib.compress(bytes(7_200))


def test_a_file_made_by_hand() -> None:
    assert len(unpacked(signed(GOOD, ENTRIES), CHECKERS).parts) == 1


@pytest.mark.parametrize(
    ("description", "entries", "reason"),
    [
        (b"{", ENTRIES, "its description cannot be read"),
        (b"\xff", ENTRIES, "its description cannot be read"),
        (b"[" * 100_000, ENTRIES, "its description cannot be read"),
        ([], ENTRIES, "its description cannot be read"),
        ({"game": "checkers"}, ENTRIES, "its description cannot be read"),
        ({**GOOD, "game": "go"}, ENTRIES, "an endgame table of 'go', not of checkers"),
        ({**GOOD, "men": "12"}, ENTRIES, "no endgame table for '12'"),
        ({**GOOD, "men": None}, ENTRIES, "no endgame table for 'None'"),
        ({**GOOD, "parts": [["2", 7_201]]}, ENTRIES, "its parts are not those of '2'"),
        ({**GOOD, "parts": 5}, ENTRIES, "its parts are not those of '2'"),
        (GOOD, ENTRIES[:-1], "its entries cannot be read"),
        (GOOD, zlib.compress(bytes(7_199)), "its entries cannot be read"),
        (GOOD, zlib.compress(bytes(1 << 26)), "its entries cannot be read"),
        (GOOD, b"", "its entries cannot be read"),
        (GOOD, b"not compressed", "its entries cannot be read"),
    ],
)
def test_a_good_checksum_is_not_enough(description: object, entries: bytes, reason: str) -> None:
    with pytest.raises(TableFileError, match=reason):
        unpacked(signed(description, entries), CHECKERS)


def test_another_version() -> None:
    with pytest.raises(TableFileError, match="version 2; this is version 1"):
        unpacked(signed(GOOD, ENTRIES, version=2), CHECKERS)


def test_another_game(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "two.table"
    path.write_bytes(content)
    with pytest.raises(TableFileError, match=r"two\.table: an endgame table of 'checkers', not of chess"):
        load_table(path, CHESS)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="No such file"):
        load_table(tmp_path / "none", CHECKERS)
    with pytest.raises(TableFileError, match="Is a directory"):
        load_table(tmp_path, CHECKERS)
