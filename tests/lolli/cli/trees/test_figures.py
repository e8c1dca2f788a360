"""Every command in the tables of docs/searchers/figures.md and horizon.md prints what the page says."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.rules.tree import TREES
from lolli.cli.group import group
from tests.compiled import ROOT

PAGE, HORIZON = (ROOT / "docs" / "searchers" / name for name in ("figures.md", "horizon.md"))
_SLOW, _MEASURED = "## Those that take some seconds", "## Measured"
_HEADS = ["figure", "command", "prints", "should be"]
_CODE = re.compile(r"`([^`]+)`")
_NUMBER = r"-?\d+(?:\.\d+)?"
_VALUE = re.compile(rf"value \+?({_NUMBER}(?: {_NUMBER})*)(?= for| \(estimate\)|,|$)", re.MULTILINE)
_MOVE = re.compile(r"move (\S+?)(?=[,;]|$)", re.MULTILINE)
_NODES = re.compile(r"([\d,]+) nodes(?=,|$)", re.MULTILINE)
_PART_OF_LEAVES = re.compile(r"(\d+) of (\d+) leaves")
_LEAVES = re.compile(r"(\d+) leaves")
_PLIES = re.compile(r"in (\d+) plies")
_TYPED = "<<<"
_FOUND, _FOUND_OF_ONE = re.compile(r"found (\d(?: \d)*)"), re.compile(r" (\d)/1\s*$", re.MULTILINE)
_OUTCOMES = re.compile(r"(\d+) outcomes")


@dataclass(frozen=True)
class Figure:
    title: str
    command: str
    prints: tuple[str, ...]
    should_be: str


def figures(text: str) -> list[Figure]:
    """The rows of all tables. Raises ValueError for a row that is not understood."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or cells == _HEADS or not set(line) - set("|-"):
            continue
        if len(cells) != len(_HEADS) or not (command := _CODE.fullmatch(cells[1])):
            raise ValueError(f"not a figure, a command, what it prints, what it should be: {line}")
        found.append(Figure(cells[0], command[1], tuple(_CODE.findall(cells[2])), cells[3]))
    return found


def counts(told: str) -> tuple[int, int]:
    lines = told.splitlines()
    if "□" not in told:
        return (visited := sum(line.strip().startswith("estimate ") for line in lines)), visited
    leaves = [line for line in lines if "□" in line]
    return sum(not line.endswith(" pruned") for line in leaves), len(leaves)


def faults(figure: Figure, told: str) -> list[str]:
    missing = [f"not printed: {text}" for text in figure.prints if text not in told]
    visited, leaves = counts(told)
    outcomes = len(re.findall(r"\(1/\d+\)", told))
    expected = figure.should_be
    pairs: list[tuple[object, object]] = []
    if value := _VALUE.search(expected):
        found = _VALUE.search(told)
        pairs.append(([float(each) for each in value[1].split()], found and [*map(float, found[1].split())]))
    if move := _MOVE.search(expected):
        found = _MOVE.search(told)
        pairs.append((move[1], found and found[1]))
    if nodes := _NODES.search(expected):
        found = _NODES.search(told)
        pairs.append((nodes[1], found and found[1]))
    if part := _PART_OF_LEAVES.search(expected):
        pairs.append(((int(part[1]), int(part[2])), (visited, leaves)))
    elif every := _LEAVES.search(expected):
        pairs.append((int(every[1]), visited))
    if plies := _PLIES.findall(expected):
        pairs.append((plies, _PLIES.findall(told)))
    if answers := _FOUND.search(expected):
        pairs.append((answers[1].split(), _FOUND_OF_ONE.findall(told)))
    if known := _OUTCOMES.search(expected):
        pairs.append((int(known[1]), outcomes))
    if not (pairs and figure.prints):
        return [*missing, "nothing to compare"]
    return missing + [f"{found} should be {wanted}" for wanted, found in pairs if found != wanted]


PAGES = [page.read_text(encoding="utf-8").split(_MEASURED)[0] for page in (PAGE, HORIZON)]
FIGURES = [each for page in PAGES for each in figures(page)]
SLOW = [each for page in PAGES for slow in page.split(_SLOW)[1:] for each in figures(slow)]
ROWS = [pytest.param(each, marks=[pytest.mark.alone] * (each in SLOW), id=each.command) for each in FIGURES]


@pytest.mark.parametrize("figure", ROWS)
def test_each_figure_comes_out(figure: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for the tables that are made
    program, *words = shlex.split(figure.command)
    assert program == "lolli"
    typed = words.index(_TYPED) if _TYPED in words else len(words)
    done = CliRunner().invoke(group, words[:typed], input="".join(f"{line}\n" for line in words[typed + 1 :]))
    assert done.exit_code == 0, done.stderr
    assert faults(figure, done.stdout) == []


def test_every_named_tree_is_on_the_page() -> None:
    shown = {tree for each in FIGURES for tree in re.findall(r'--game "tree (\w+)"', each.command)}
    assert shown == set(TREES)
