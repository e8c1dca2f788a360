"""Random and damaged dialogues: every answer is right, and what is wrong with an engine is found.

The same lines each time, others with `LOLLI_FUZZ_SEED=7`.
"""

import ast
import os
import re
import sys
from pathlib import Path

import pytest

from engine.board.position import COMPILED
from protocol.text import printable
from tests.patience import PATIENCE
from tests.protocol.broken_engine import WAYS
from tests.protocol.fuzzed_dialogues import (
    SILENT,
    TARGETS,
    TOGETHER,
    Failure,
    Searching,
    fuzzed,
    replayed,
    shortest,
)

SEED = os.environ.get("LOLLI_FUZZ_SEED", "1")
LINES = {"uci": 1120, "uci-searching": 480, "gtp": 480} if COMPILED else dict.fromkeys(TARGETS, 2 * TOGETHER)
MORE_LINES = {"uci": 13_640, "uci-searching": 5720, "gtp": 5720}
BROKEN = Path(__file__).with_name("broken_engine.py")
KEPT = sorted(Path(__file__).with_name("fuzz_corpus").glob("*/*"))
"""What once went wrong: in the folder of its target, a file for each, made small."""
FINDS = {
    "twice": "more than|after bestmove",
    "silent": r" is \[\]$",
    "escape": "control characters",
    "latin": "not UTF-8",
    "stderr": "on stderr",
    "illegal": "a1a1",
    "moved": "became|SetPosition",
    "status": "quit ends with status 3",
    "gone": "the process",
}
"""By the way in which the engine is broken: how that is told."""
GROUPS = 15 if COMPILED else 3
pytestmark = pytest.mark.timeout(3 * PATIENCE)  # what hangs is told after PATIENCE


def stretches(lines: dict[str, int], groups: int) -> list[tuple[str, range]]:
    """Targets, and the numbers of the first lines of all groups that one process is sent."""
    return [
        (target, range(begin, min(begin + groups * TOGETHER, end), TOGETHER))
        for target, end in lines.items()
        for begin in range(0, end, groups * TOGETHER)
    ]


def named(value: str | range) -> str:
    return str(value.start) if isinstance(value, range) else value


def check(target: str, command: list[str], firsts: range, name: str) -> None:
    failure = next(fuzzed(target, command, SEED, firsts), None)
    if failure is not None:
        pytest.fail(report(target, command, failure, name), pytrace=False)


def report(target: str, command: list[str], failure: Failure, name: str) -> str:
    """What fails, the shortest dialogue that does, and how to repeat the test of this name."""
    number, what, lines = failure
    # Shown even if pytest's time is up before the report.
    sys.stdout.writelines(f"{line!r}\n" for line in lines)
    heading = "The dialogue, which may fail only after those before it:" if lines else "At the process's end."
    # After a silence each attempt would wait as long.
    if lines and not what.startswith(SILENT) and replayed(target, command, lines):
        heading, lines = "The shortest dialogue that fails:", shortest(target, command, lines)
    return "\n".join(
        [
            f"line {number} of {target} with seed {SEED}: {printable(what)}",
            f"LOLLI_FUZZ_SEED={SEED} .venv/bin/python -m pytest -m '' '{name}'",
            heading,
            *map(repr, lines),
        ]
    )


@pytest.mark.parametrize(("target", "firsts"), stretches(LINES, 14), ids=named)
def test_2000_lines(
    lolli_command: list[str], target: str, firsts: range, request: pytest.FixtureRequest
) -> None:
    check(target, lolli_command, firsts, request.node.nodeid)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "firsts"), stretches(MORE_LINES, 25), ids=named)
def test_25000_lines(
    lolli_command: list[str], target: str, firsts: range, request: pytest.FixtureRequest
) -> None:
    check(target, lolli_command, firsts, request.node.nodeid)


def broken(how: str, lolli_command: list[str]) -> list[str]:
    return [sys.executable, str(BROKEN), how, *lolli_command]


def found(name: str, engine: list[str], count: int = 3) -> str:
    failures = fuzzed(name, engine, "1", range(0, count * TOGETHER, TOGETHER))
    return "; ".join(failure.what for failure in failures)


@pytest.mark.parametrize("how", WAYS)
def test_finds_what_is_wrong_with_an_engine(lolli_command: list[str], how: str) -> None:
    assert re.search(FINDS[how], found("uci", broken(how, lolli_command)))


@pytest.mark.parametrize(
    ("name", "how"), [("uci-searching", "twice"), ("uci-searching", "illegal"), ("gtp", "twice")]
)
def test_finds_what_is_wrong_during_searches_and_in_gtp(
    lolli_command: list[str], name: str, how: str
) -> None:
    assert found(name, broken(how, lolli_command))


def test_a_failure_tells_the_shortest_dialogue_and_how_to_repeat_it(lolli_command: list[str]) -> None:
    engine = broken("escape", lolli_command)
    failure = next(fuzzed("uci", engine, "3", range(0, 40, TOGETHER)))
    first, command, heading, *lines = report("uci", engine, failure, "tests/name").splitlines()
    assert re.fullmatch(rf"line {failure.number} of uci with seed {SEED}: .*control characters.*", first)
    assert command == f"LOLLI_FUZZ_SEED={SEED} .venv/bin/python -m pytest -m '' 'tests/name'"
    assert heading == "The shortest dialogue that fails:"
    (line,) = map(ast.literal_eval, lines)
    assert line in failure.lines
    assert "control characters" in replayed("uci", engine, [line])
    assert not replayed("uci", lolli_command, [line])


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_went_wrong(lolli_command: list[str], path: Path) -> None:
    assert not replayed(path.parent.name, lolli_command, path.read_bytes().split(b"\n"))


def test_searches_differ(monkeypatch: pytest.MonkeyPatch, lolli_command: list[str]) -> None:
    """Once a `stop`, which is always the same line, was always followed by the same positions."""
    sent: list[str] = []
    send = Searching._send

    def note(target: Searching, *lines: str) -> None:
        sent.append("\n".join(line for line in lines if line.startswith(("position fen", "go "))))
        send(target, *lines)

    monkeypatch.setattr(Searching, "_send", note)
    assert not found("uci-searching", lolli_command, GROUPS)
    searches = [text for text in sent if "\ngo " in text]
    assert len(searches) > 2 * GROUPS
    assert len(set(searches)) > len(searches) // 3
