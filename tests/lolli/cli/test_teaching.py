"""The pages for lecturers: every command in them is run, and prints what stands below it."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.searchers import SEARCHERS
from lolli.cli.group import group
from tests.compiled import ROOT

DOCS = ROOT / "docs"
PAGES = [DOCS / "teaching.md", *sorted((DOCS / "teaching").glob("*.md"))]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LEFT_OUT = "…"


def dialogues(page: Path) -> list[tuple[str, list[str]]]:
    """The commands of a page, each with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for line in "".join(_BLOCK.findall(page.read_text(encoding="utf-8"))).splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


def printed(command: str) -> list[str]:
    program, *words = shlex.split(command)
    assert program == "lolli"
    typed = words.index("<<<") if "<<<" in words else len(words)
    done = CliRunner().invoke(group, words[:typed], input="".join(f"{line}\n" for line in words[typed + 1 :]))
    assert done.exit_code == 0, done.stderr
    return [line.rstrip() for line in done.stdout.splitlines() if line.strip()]


def follows(lines: list[str], shown: list[str]) -> bool:
    """Whether `shown` is all of the lines, but for any number of them at each _LEFT_OUT."""
    pattern = "".join("(?:.*\n)*?" if line == _LEFT_OUT else f"{re.escape(line)}\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


DIALOGUES = [each for page in PAGES for each in dialogues(page)]


@pytest.mark.parametrize(("command", "shown"), DIALOGUES, ids=[command for command, _ in DIALOGUES])
def test_each_command_prints_what_the_page_says(
    command: str, shown: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = printed(command)
    assert follows(lines, shown), "\n".join(lines)


def test_what_is_not_printed_is_found() -> None:
    assert follows(["a", "b", "c"], ["a", "b", "c"])
    assert follows(["a", "b", "c"], ["a", _LEFT_OUT])
    assert follows(["a", "b", "c"], [_LEFT_OUT, "b", _LEFT_OUT])
    for shown in (["a", "b"], ["a", "c"], [_LEFT_OUT, "b"], ["a", _LEFT_OUT, "d"]):
        assert not follows(["a", "b", "c"], shown)


def test_each_exercise_has_its_solution() -> None:
    number = re.compile(r"^\**(\d+)\. \**([A-Z][\w -]+\w)\.", re.MULTILINE)
    asked, solved = (
        number.findall((DOCS / "teaching" / name).read_text(encoding="utf-8"))
        for name in ("exercises.md", "solutions.md")
    )
    assert asked == solved
    assert [int(place) for place, _ in asked] == [*range(1, 11)]


def test_the_table_of_properties_has_every_searcher() -> None:
    page = (DOCS / "searchers" / "README.md").read_text(encoding="utf-8")
    table = page.split("| searcher | complete | optimal | time | space |\n")[1].split("\n\n")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines()[1:]]
    assert sorted(name for row in rows for name in re.findall(r"`([\w-]+)`", row[0])) == sorted(SEARCHERS)
    assert all(cell.strip() for row in rows for cell in row)
    assert {len(row) for row in rows} == {5}
