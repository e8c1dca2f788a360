"""scripts/lab fuzz finds what is wrong with an engine, keeps it, and repeats it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scripts.laboratory.fuzzing.fuzz_command import fuzz as fuzz_command
from scripts.laboratory.fuzzing.target import CaseError, case
from scripts.laboratory.fuzzing.targets import opened
from scripts.laboratory.fuzzing.work import failure_of
from tests.compiled import ROOT
from tests.scripts.laboratory.fuzzing.broken_engine import WAYS

BROKEN = Path(__file__).with_name("broken_engine.py")
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


def fuzz(*words: object) -> Result:
    """The command in this process."""
    return CliRunner().invoke(fuzz_command, [str(word) for word in words])


def broken(how: str, lolli_command: list[str]) -> list[str]:
    """The words that start the engine, spoiled in that way."""
    return [sys.executable, str(BROKEN), how, *lolli_command]


def found(name: str, engine: list[str]) -> str:
    """What is found to be wrong with an engine."""
    target = opened(name, engine)
    groups = [
        range(first, first + target.together) for first in range(0, 3 * target.together, target.together)
    ]
    try:
        for group in groups:
            if what := failure_of(target, [case(target, 1, number) for number in group]):
                return what
        target.close()
    except CaseError as error:
        return str(error)
    finally:
        target.kill()
    return ""


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


def test_what_is_found_is_kept_and_can_be_repeated(lolli_command: list[str], tmp_path: Path) -> None:
    engine = shlex.join(broken("escape", lolli_command))
    result = fuzz("--target", "uci", "--count", 40, "--jobs", 1, "--lolli", engine, "--save", tmp_path)
    assert result.exit_code == 1
    (path,) = tmp_path.iterdir()
    assert f"scripts/lab fuzz --target uci --replay {path}" in result.output.replace("\n", "")
    assert path.read_bytes().count(b"\n") < 5
    again = fuzz("--target", "uci", "--lolli", engine, "--replay", path)
    assert (again.exit_code, "control characters" in again.output) == (1, True)
    sound = fuzz("--target", "uci", "--lolli", shlex.join(lolli_command), "--replay", path)
    assert (sound.exit_code, sound.output) == (0, f"{path}: passed\n")


def test_every_target_through_the_real_command(is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the command starts the compiled engine")
    done = subprocess.run(
        [ROOT / "scripts" / "lab", "fuzz", "--count", "400", "--jobs", "2"],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"│ all +│ +4[0-9][0-9] │", done.stdout)


def test_cases_depend_on_seed_and_number_alone(tmp_path: Path) -> None:
    words = ("--target", "fen", "--jobs", 1, "--save", tmp_path)
    assert "30/30" in fuzz(*words, "--count", 30, "--first", 500).output


def test_words_that_make_no_sense() -> None:
    assert "--replay needs exactly one --target" in fuzz("--replay", BROKEN).output
    assert fuzz("--target", "nope").exit_code == 2
    assert fuzz("--count", 0).exit_code == 2
