"""Every command in the tables of figures in docs prints what stands there."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.rules.tree import TREES
from lolli.cli.group import group
from tests.compiled import ROOT

PAGE, HORIZON, SLIDES = (
    ROOT / "docs" / name for name in ("searchers/figures.md", "searchers/horizon.md", "teaching/slides.md")
)
_SLOW, _MEASURED = "## Those that take some seconds", "## Measured"
_HEADS = ["figure", "command", "prints", "should be"]
_CODE = re.compile(r"`([^`]+)`")
_NUMBER = r"-?\d+(?:\.\d+)?"
_VALUE = re.compile(
    rf"value \+?({_NUMBER}(?: {_NUMBER})*)(?= for| \(estimate\)| \(not proved\)|,|$)", re.MULTILINE
)
_MOVE = re.compile(r"move (\S+?)(?=[,;]|$)", re.MULTILINE)
_NODES = re.compile(r"([\d,]+) nodes(?=,|$)", re.MULTILINE)
_PART_OF_LEAVES = re.compile(r"(\d+) of (\d+) leaves")
_LEAVES = re.compile(r"(?<!of )\b(\d+) leaves")
_PLIES = re.compile(r"in (\d+) plies")
_TYPED = "<<<"
_FOUND, _FOUND_OF_ONE = re.compile(r"found (\d(?: \d)*)"), re.compile(r" (\d)/1\s*$", re.MULTILINE)
_OUTCOMES = re.compile(r"(\d+) outcomes")
_ANSWERS, _ANSWER = re.compile(r"(\d+) answers"), re.compile(r"^(?:at first|after .+): \S+$", re.MULTILINE)
_VISITS, _SIMULATED = re.compile(r"(\d+) visits"), re.compile(r"^back up root: ", re.MULTILINE)
_ROWS, _IN_A_ROW = re.compile(r"(\d+) rows"), 4  # numbers at least
_WHOLE_NUMBER = re.compile(r"(?<!\S)-?\d[\d.,]*(?!\S)")
_CODE_BLOCK = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


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


def numbers(match: re.Match[str] | None) -> list[float] | None:
    return match and [*map(float, match[1].split())]


def first(match: re.Match[str] | None) -> str | None:
    return match and match[1]


def rows(told: str) -> int:
    return sum(len(_WHOLE_NUMBER.findall(line)) >= _IN_A_ROW for line in squeezed(told).splitlines())


def squeezed(told: str) -> str:
    """The text without the blanks that put it into columns."""
    return "\n".join(" ".join(line.split()) for line in told.splitlines())


COMPARED: list[tuple[re.Pattern[str], Callable[[re.Match[str]], object], Callable[[str], object]]] = [
    (_VALUE, numbers, lambda told: numbers(_VALUE.search(told))),
    (_MOVE, first, lambda told: first(_MOVE.search(told))),
    (_NODES, first, lambda told: first(_NODES.search(told))),
    (_PART_OF_LEAVES, lambda part: (int(part[1]), int(part[2])), counts),
    (_LEAVES, lambda every: int(every[1]), lambda told: counts(told)[0]),
    (_PLIES, lambda plies: _PLIES.findall(plies.string), _PLIES.findall),
    (_FOUND, lambda answers: answers[1].split(), _FOUND_OF_ONE.findall),
    (_OUTCOMES, lambda known: int(known[1]), lambda told: len(re.findall(r"\(1/\d+\)", told))),
    (_ANSWERS, lambda answers: int(answers[1]), lambda told: len(_ANSWER.findall(told))),
    (_VISITS, lambda every: int(every[1]), lambda told: len(_SIMULATED.findall(told))),
    (_ROWS, lambda every: int(every[1]), rows),
]
"""What is looked for under *should be*, what is wanted there, and what a command has told of it."""


def faults(figure: Figure, told: str) -> list[str]:
    missing = [
        f"not printed: {text}" for text in figure.prints if text not in told and text not in squeezed(told)
    ]
    pairs = [
        (wanted(match), found(told))
        for pattern, wanted, found in COMPARED
        if (match := pattern.search(figure.should_be))
    ]
    if not (pairs and figure.prints):
        return [*missing, "nothing to compare"]
    return missing + [f"{found} should be {wanted}" for wanted, found in pairs if found != wanted]


PAGES = [page.read_text(encoding="utf-8").split(_MEASURED)[0] for page in (PAGE, HORIZON, SLIDES)]
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


def test_each_example_in_python_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = _CODE_BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    exec(compile(block[0], str(PAGE), "exec"), {})
    assert capsys.readouterr().out == block[1]
