"""scripts/lab fuzz: the dialogues pass, what is wrong with an engine is found, and the lines vary."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.board.position import COMPILED
from scripts.laboratory import fuzz as module
from scripts.laboratory.fuzz import TOGETHER, Searching, run_stretch
from tests.scripts.laboratory.broken_engine import WAYS

BROKEN = Path(__file__).with_name("broken_engine.py")
KEPT = sorted(Path(__file__).with_name("corpus").glob("*/*"))
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


def fuzz(*words: object) -> Result:
    return CliRunner().invoke(module.fuzz, [str(word) for word in words])


def broken(how: str, lolli_command: list[str]) -> list[str]:
    return [sys.executable, str(BROKEN), how, *lolli_command]


def found(name: str, engine: list[str], count: int = 3) -> str:
    _, failures = run_stretch(1, engine, (name, range(0, count * TOGETHER, TOGETHER)))
    return "; ".join(what for _, what, _ in failures)


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


def test_what_is_found_is_kept_and_can_be_repeated(
    lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SAVED", tmp_path)
    assert "--replay needs exactly one --target" in fuzz("--replay", BROKEN).output
    assert "cannot be started: no/such --x" in fuzz("--lolli", "no/such --x").output
    engine = shlex.join(broken("escape", lolli_command))
    result = fuzz("--target", "uci", "--count", 40, "--jobs", 1, "--seed", 3, "--lolli", engine)
    assert result.exit_code == 1
    assert "of seed 3: " in result.output
    (path,) = tmp_path.iterdir()
    assert f"scripts/lab fuzz --target uci --replay {path}" in result.output.replace("\n", "")
    again = fuzz("--target", "uci", "--lolli", engine, "--replay", path)
    assert (again.exit_code, "control characters" in again.output) == (1, True)
    monkeypatch.chdir(Path(lolli_command[0]).parent)  # engines start in other folders
    beside = shlex.join([f"./{Path(lolli_command[0]).name}", *lolli_command[1:]])
    sound = fuzz("--target", "uci", "--lolli", beside, "--replay", path)
    assert (sound.exit_code, sound.output) == (0, f"{path}: passed\n")


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_went_wrong(lolli_command: list[str], path: Path) -> None:
    assert not module.replayed(path.parent.name, path.read_bytes(), lolli_command)


def test_all_targets_at_once(lolli_command: list[str]) -> None:
    done = fuzz("--count", 400, "--jobs", 2, "--seed", 2, "--lolli", shlex.join(lolli_command))
    assert done.exit_code == 0, done.output
    assert re.search(r"^4[0-9][0-9] lines with seed 2: 0 failures$", done.output, re.MULTILINE)


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
