"""Matches that are stopped and killed, and go on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

from scripts.laboratory.long_run import JournalError, RunJournal
from scripts.laboratory.match_engine import Store
from tests.patience import PATIENCE
from tests.scripts.laboratory.fakes import FAKE_ENGINE, fake_engine, play_match, short_rules
from tests.scripts.laboratory.processes import end, wait_for_records
from tests.traps import full_disk

ROOT = Path(__file__).parents[3]
GAMES = 12
MANY_GAMES = 60  # enough for some to be left when a kill comes late
COMMAND = f"{sys.executable} {FAKE_ENGINE}"
MATCH = "from scripts.laboratory.match import match; match()"


def start_match(pgn: Path, *words: str) -> subprocess.Popen[bytes]:
    arguments = ["--engine", "name=A", f"cmd={COMMAND}", "--engine", "name=B", f"cmd={COMMAND} {words[0]}"]
    arguments += ["--each", "nodes=1", "--max-moves", "12", "--games", str(GAMES), "--pgn", str(pgn)]
    return subprocess.Popen(
        [sys.executable, "-c", MATCH, *arguments, *words[1:]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def finish_match(pgn: Path, *words: str) -> tuple[int, str]:
    process = start_match(pgn, *words)
    output, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, output.decode()


def rounds(pgn: Path) -> list[str]:
    with pgn.open(encoding="utf-8") as file:
        found = []
        while (headers := chess.pgn.read_headers(file)) is not None:
            found.append(headers["Round"])
        return found


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_match_that_was_killed_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    pgn, many = tmp_path / "games.pgn", ("--games", str(MANY_GAMES))
    first = start_match(pgn, "legal", *many)
    wait_for_records(pgn.with_suffix(".jsonl"), 3)
    end(first, how)

    pgn.write_bytes(pgn.read_bytes() + b'[Event "half a g')
    status, text = finish_match(pgn, "legal", *many)
    assert status == 0, text
    assert f"{MANY_GAMES} of {MANY_GAMES} games" in text
    expected = [f"{pair + 1}.{game}" for pair in range(MANY_GAMES // 2) for game in (1, 2)]
    assert sorted(rounds(pgn)) == sorted(expected)
    lines = pgn.with_suffix(".jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["game"]["number"] for line in lines[1:]) == list(range(MANY_GAMES))


def test_a_match_on_a_full_disk_says_so_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    with full_disk(3000):
        status, text = finish_match(pgn, "legal")
    assert status == 2
    assert f"Cannot go on: {pgn}: File too large" in text
    before = pgn.read_bytes()
    assert before.endswith(b"\n\n")  # a whole game
    status, text = finish_match(pgn, "legal")
    assert status == 0, text
    assert pgn.read_bytes().startswith(before)
    assert len(rounds(pgn)) == GAMES


def test_a_finished_match_is_only_summed_up(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    assert finish_match(pgn, "illegal", "--games", "2")[0] == 0
    before = pgn.read_bytes()
    status, text = finish_match(pgn, "illegal", "--games", "2")
    assert status == 0
    assert "B forfeits by illegal move: e2e5" in text
    assert pgn.read_bytes() == before


def test_files_of_another_match_are_left_alone(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    store = Store(pgn, {"engines": "A, B"})
    play_match(short_rules(fake_engine("A"), fake_engine("B", "illegal")), 2, store=store)
    with pytest.raises(JournalError, match="in use"):
        Store(pgn, {"engines": "A, B"})
    store.close()
    with pytest.raises(JournalError, match="belongs to another run: engines was 'A, B' and is 'A, C'"):
        Store(pgn, {"engines": "A, C"})
    resumed = Store(pgn, {"engines": "A, B"})
    assert resumed.tally.played == 2
    resumed.close()


def test_a_foreign_pgn_is_left_alone(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    pgn.write_text("precious")
    with pytest.raises(JournalError, match=r"not games\.jsonl"):
        Store(pgn, {})
    assert pgn.read_text() == "precious"


@pytest.mark.parametrize(
    "content",
    [
        *(b"precious\n", b"precious", b'{"my": 1}\n', b'{"my": 1}', b"\xff\n", b"[" * 100_000 + b"\n"),
        *(b'{"a":' * 100_000, b"\0" * 50, b"9" * 5000 + b"\n", b"\n"),
    ],
    ids=lambda content: str(content[:20]),
)
def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"run\.jsonl is not the journal of a run: move it away"):
        RunJournal(path, {"what": 1})
    assert path.read_bytes() == content


def test_games_that_the_journal_does_not_tell_of_are_left_alone(tmp_path: Path) -> None:
    """One that was not recorded may lie at the end, not a collection."""
    pgn = tmp_path / "games.pgn"
    Store(pgn, {}).close()
    pgn.write_text("precious")
    with pytest.raises(JournalError, match="it has 8 bytes, and 0 according to its journal"):
        Store(pgn, {})
    assert pgn.read_text() == "precious"
    pgn.unlink()
    store = Store(pgn, {})
    play_match(short_rules(fake_engine("A"), fake_engine("B", "illegal")), 2, store=store)
    store.close()
    pgn.write_bytes(content := pgn.read_bytes() + bytes(2 << 20))
    with pytest.raises(JournalError, match="according to its journal"):
        Store(pgn, {})
    assert pgn.read_bytes() == content
    os.truncate(pgn, 10)
    with pytest.raises(JournalError, match="cannot resume"):
        Store(pgn, {})
    pgn.unlink()
    with pytest.raises(JournalError, match=r"cannot resume .*games\.pgn: No such file or directory$"):
        Store(pgn, {})
    assert not pgn.exists()


def test_games_cannot_be_in_the_file_of_the_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="the journal's suffix"):
        Store(tmp_path / "games.jsonl", {})
    assert not [*tmp_path.iterdir()]
