"""Tools for teaching run with what `lolli` itself brings: no library of another extra is imported."""

import re
import subprocess
import sys
import tomllib

import pytest

from scripts.laboratory.lab import COMMANDS, SECTIONS, Needs
from tests.poorer import without
from tests.pure import ROOT

MODULES = {"open-spiel": "pyspiel", "pillow": "PIL", "import-linter": "importlinter", "resvg-py": "resvg_py"}


def of_extras() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    names = {re.split(r"[\[>;= ]", each)[0] for extra in extras.values() for each in extra} - {"lolli"}
    folded = {name.replace("_", "-").lower() for name in names}
    return sorted(MODULES.get(name, name.replace("-", "_")) for name in folded)


@pytest.mark.parametrize("name", SECTIONS["Other games"])
def test_what_a_tool_needs(name: str) -> None:
    assert COMMANDS[name].needs == Needs.CURRENT
    module = COMMANDS[name].where.partition(":")[0]
    command = without(of_extras(), [sys.executable, "-c", f"import {module}"])
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("where", "words", "said"),
    [
        ("lolli.cli.games:command", "tictactoe", "alphabeta"),
        (
            "lolli.cli.tournament:command",
            "--game tictactoe --players alphabeta:depth=2,random --rounds 1",
            "alphabeta:depth=2",
        ),
    ],
)
def test_it_runs_without_the_extras(where: str, words: str, said: str) -> None:
    module, name = where.split(":")
    code = f"from {module} import {name}; {name}()"
    command = without(of_extras(), [sys.executable, "-c", code, *words.split()])
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
