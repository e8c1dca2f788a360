"""`lolli suite`: the real process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.lolli.cli.running import objects, run_command
from tests.lolli.cli.terminal.screen import CTRL_C, Screen
from tests.protocol.uci.dialogue import PATIENCE

run = partial(run_command, "suite")

HANGING = "4k3/8/8/3q4/8/8/8/3RK3 w - -"  # the queen
MATE = "6k1/5ppp/8/8/8/8/8/4R1K1 w - -"
SUITE = f"""\
# two of these are solved
{HANGING} bm Rxd5; id "take";

{HANGING} am Rxd5; id "leave";
{MATE} dm 1; id "mate";
{MATE} 0 1 bm Kf1; c0 "Kf1=10, Re8#=3"; id "points";
"""


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "suite.epd"
    path.write_text(SUITE)
    return str(path)


def test_rows_and_the_sum(lolli_command: list[str], suite: str) -> None:
    done = run(lolli_command, suite, "--depth", "3")
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    rows = [line.split() for line in lines[1:5]]
    assert [row[:2] for row in rows] == [["✓", "take"], ["✗", "leave"], ["✓", "mate"], ["✗", "points"]]
    assert "Re8#" in rows[2]
    assert re.fullmatch(r"2 of 4 solved \(50\.0%\) in .* s, \d+ nodes", lines[6])
    assert lines[8] == "3 of 10 points (30.0%)"


def test_json(lolli_command: list[str], suite: str) -> None:
    *positions, summary = objects(run(lolli_command, suite, "--depth", "3", "--json").stdout)
    assert [each["type"] for each in positions] == ["position"] * 4
    assert [(each["id"], each["solved"], each["line"]) for each in positions] == [
        ("take", True, 2),
        ("leave", False, 4),
        ("mate", True, 5),
        ("points", False, 6),
    ]
    assert positions[2]["score"] == {"mate": 1}
    assert all(each["file"] == suite for each in positions)
    assert (summary["type"], summary["solved"], summary["searched"]) == ("summary", 2, 4)
    assert summary["nodes"] == sum(each["nodes"] for each in positions)


def test_only_what_failed(lolli_command: list[str], suite: str) -> None:
    output = run(lolli_command, suite, "--depth", "3", "--failed").stdout
    assert "leave" in output
    assert "take" not in output
    names = [
        each.get("id")
        for each in objects(run(lolli_command, suite, "--depth=3", "--failed", "--json").stdout)
    ]
    assert names == ["leave", "points", None]


def test_several_files_and_stdin(lolli_command: list[str], suite: str) -> None:
    done = run(lolli_command, suite, "-", "--depth", "1", "--json", said=f"\ufeff{MATE} dm 1;\r\n".encode())
    positions = objects(done.stdout)[:-1]
    assert len(positions) == 5
    assert (positions[4]["file"], positions[4]["line"], positions[4]["id"]) == ("stdin", 1, "line 1")


def test_lines_that_cannot_be_used(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bad.epd"
    path.write_text(f"{HANGING} bm Rxd5;\n{HANGING} bm Rxd9;\n\x1b[2Jrubbish\n{HANGING}\n")
    done = run(lolli_command, str(path), "--depth", "1", status=1)
    assert "1 of 1 solved" in done.stdout
    errors = done.stderr.splitlines()
    assert [line.split(": ")[0] for line in errors] == [f"{path}:{number}" for number in (2, 3, 4)]
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("/no/such.epd",), b""),
        ((), b""),
        (("--jobs", "0", "-"), f"{MATE} dm 1;".encode()),
        (("--weights", "/no", "-"), f"{MATE} dm 1;".encode()),
        (("-",), b"# nothing\n"),
        (("-",), b"\x00\xff\xfe" * 100),
    ],
)
def test_what_cannot_be_done(lolli_command: list[str], words: tuple[str, ...], said: bytes) -> None:
    done = run(lolli_command, *words, said=said, status=2)
    assert done.stdout == ""
    assert "Error: " in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_suite_that_is_interrupted_is_summed_up(
    lolli_command: list[str], tmp_path: Path, number: signal.Signals, status: int
) -> None:
    (tmp_path / "long.epd").write_text(f"{MATE} dm 1;\n{HANGING} bm Rxd5;\n{HANGING} bm Rxd5;\n")
    process = subprocess.Popen(
        [*lolli_command, "suite", str(tmp_path / "long.epd"), "--time", "1000", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["solved"]
    process.send_signal(number)
    rest, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    (summary,) = objects(rest)
    assert (summary["interrupted"], summary["searched"], summary["positions"]) == (True, 1, 3)


def test_on_a_terminal(lolli_command: list[str], tmp_path: Path) -> None:
    """What is under way stands below the rows, and is gone after Ctrl-C."""
    path = tmp_path / "long.epd"
    path.write_text(f'{MATE} dm 1; id "{"long " * 30}";\n{HANGING} bm Rxd5; id "take";\n')
    with Screen([*lolli_command, "suite", str(path), "--time", "1000"], columns=80) as screen:
        screen.expect(r"^take: depth \d+, Rxd5 .*, wanted Rxd5\n1/2 .* 1 solved ")
        assert screen.cursor_hidden
        screen.type(CTRL_C)
        assert screen.wait() == 130
        lines = screen.text.splitlines()
        assert lines[0].split() == ["Position", "Wanted", "Played", "Depth", "Score", "Solved", "in", "Nodes"]
        assert lines[1].startswith("✓  long long")
        assert "…" in lines[1]
        assert lines[2:4] == ["", "1 of 2 positions searched"]
        assert lines[4].startswith("1 of 1 solved (100.0%) in ")
        assert len(lines) == 6
        assert not screen.cursor_hidden
