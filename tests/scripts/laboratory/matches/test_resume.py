"""Matches that are stopped and killed, and go on."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lolli.cli.journal import run_of
from scripts.laboratory.long_run import JournalError, RunJournal
from scripts.laboratory.matches.record import FinishedGame, Store, Termination, Usage
from tests.journals import journal
from tests.scripts.laboratory.matches.fakes import FAKE_ENGINE, fake_engine, play_match, short_rules
from tests.scripts.laboratory.processes import PATIENCE_SECONDS, end, wait_for_records
from tests.traps import REASONS, full_disk, laid

ROOT = Path(__file__).parents[4]
GAMES = 12
COMMAND = f"{sys.executable} {FAKE_ENGINE}"
MATCH = "from scripts.laboratory.matches.match import match; match()"


def start_match(pgn: Path, *words: str) -> subprocess.Popen[bytes]:
    """The command line of a match in a process of its own."""
    arguments = ["--engine", "name=A", f"cmd={COMMAND}", "--engine", "name=B", f"cmd={COMMAND} {words[0]}"]
    arguments += ["--each", "nodes=1", "--max-moves", "12", "--games", str(GAMES), "--pgn", str(pgn)]
    return subprocess.Popen(
        [sys.executable, "-c", MATCH, *arguments, *words[1:]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def finish_match(pgn: Path, *words: str) -> tuple[int, str]:
    """Let the match play out. Its exit status and what it printed."""
    process = start_match(pgn, *words)
    output, _ = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, output.decode()


def rounds(pgn: Path) -> list[str]:
    """The rounds of the games in the file."""
    with pgn.open(encoding="utf-8") as file:
        found = []
        while (headers := chess.pgn.read_headers(file)) is not None:
            found.append(headers["Round"])
        return found


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_match_that_was_killed_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    pgn = tmp_path / "games.pgn"
    first = start_match(pgn, "legal")
    wait_for_records(pgn.with_suffix(".jsonl"), 3)
    end(first, how)

    pgn.write_bytes(pgn.read_bytes() + b'[Event "half a g')
    status, text = finish_match(pgn, "legal")
    assert status == 0, text
    assert f"{GAMES} of {GAMES} games" in text
    expected = [f"{pair + 1}.{game}" for pair in range(GAMES // 2) for game in (1, 2)]
    assert sorted(rounds(pgn)) == sorted(expected)
    lines = pgn.with_suffix(".jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["game"]["number"] for line in lines[1:]) == list(range(GAMES))


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
    status, text = finish_match(pgn, "illegal", "--games", "2", "--fail-on-forfeit")
    assert status == 1
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


def test_a_shortened_pgn_is_noticed(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    store = Store(pgn, {})
    play_match(short_rules(fake_engine("A"), fake_engine("B", "illegal")), 2, store=store)
    store.close()
    os.truncate(pgn, 10)
    with pytest.raises(JournalError, match="cannot resume"):
        Store(pgn, {})


@pytest.mark.parametrize("cut", [0, 1, 5, 20])
def test_a_journal_survives_a_line_cut_short(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "run.jsonl"
    with RunJournal(path, {"what": 1}) as journal:
        for number in range(3):
            journal.append({"number": number})
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - cut])
    with RunJournal(path, {"what": 1}) as journal:
        kept = [record["number"] for record in journal.records]
        journal.append({"number": 9})
    with RunJournal(path, {"what": 1}) as journal:
        assert [record["number"] for record in journal.records] == [*kept, 9]
    last = len(content.splitlines(keepends=True)[-1])
    assert kept == [0, 1, 2][: 3 - -(-cut // last)]


def test_a_journal_without_records_belongs_to_nobody(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    RunJournal(path, {"what": 1}).close()
    RunJournal(path, {"what": 2}).close()
    assert run_of(path.read_bytes()) == {"what": 2}


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


@pytest.mark.parametrize("trap", ["FIFO", "device", "folder", "giant"])
def test_what_is_no_file_is_left_alone(tmp_path: Path, trap: str) -> None:
    path = laid(trap, tmp_path / "run.jsonl")
    with pytest.raises(JournalError, match=REASONS[trap] if trap != "device" else "a symbolic link"):
        RunJournal(path, {})
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "nothing")
    with pytest.raises(JournalError, match="a symbolic link, not a regular file"):
        RunJournal(link, {})
    assert not (tmp_path / "nothing").exists()


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


STRANGE: list[Any] = [None, "4", [4], {"a": 4}, True, 4.5, -1, 1 << 63, 10**4000, float("inf")]


@given(st.data())
@settings(max_examples=200)
def test_strange_records_of_a_match(data: st.DataObject) -> None:
    """The right sums, but other values: refused in one line, and nothing is changed."""
    game = FinishedGame(0, "1-0", Termination.CRASH, "gone", 3, (Usage(1, 2), Usage(3)), ("> go",)).to_json()
    record = json.loads(json.dumps({"game": game, "pgn_end": 8}))
    place = data.draw(st.sampled_from([record, record["game"], record["game"]["usage"][0]]))
    key = data.draw(st.sampled_from(sorted(set(place) - {"lowest_clock"})))
    value = data.draw(st.sampled_from(STRANGE))
    assume((key, value) != ("detail", "4"))
    place[key] = value
    with tempfile.TemporaryDirectory() as folder:
        pgn = Path(folder) / "games.pgn"
        pgn.write_text("the game")
        content = journal({}, record)
        pgn.with_suffix(".jsonl").write_bytes(content)
        with pytest.raises(JournalError, match=r"jsonl, line 2: not a record of this command$"):
            Store(pgn, {})
        assert pgn.read_text() == "the game"
        assert pgn.with_suffix(".jsonl").read_bytes() == content
