"""README.md and the pages in docs: their links, their examples, and that the references are complete."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import click
import pytest
from markdown_it import MarkdownIt

from engine.search.limits import ELO_OF_LEVEL, RATING_OF_LEVEL
from lolli.cli import group
from lolli.cli.group import LazyCommand
from protocol.gtp.commands import COMMANDS
from protocol.uci.options import OPTIONS
from scripts.laboratory import lab
from tests.compiled import ROOT
from tests.protocol.uci.dialogue import Dialogue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from markdown_it.token import Token

README = ROOT / "README.md"
LONGEST_README = 200  # lines
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@cache
def tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def links(page: Path) -> Iterator[str]:
    for token in tokens(page):
        for child in token.children or ():
            if found := child.attrs.get("href") or child.attrs.get("src"):
                yield str(found)
            yield from re.findall(r'(?:src|href)="([^"]+)"', child.content)
        if token.type == "html_block":
            yield from re.findall(r'(?:src|href)="([^"]+)"', token.content)


@cache
def anchors(page: Path) -> set[str]:
    found = tokens(page)
    titles = [found[i + 1].content for i, token in enumerate(found) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(page: Path) -> list[str]:
    dead = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if "://" in link:
            continue
        if not target.exists() or (anchor and (target.suffix != ".md" or anchor not in anchors(target))):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_its_links_lead_somewhere(page: Path) -> None:
    assert dead_links(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One [two](#one-two)\n[a](#one-tw) ![b](b.png) [c](page.md#no) [d](https://a.b/c#d) `[e](e)`\n"
        '<img src="f.png">\n\n    [g](g)\n',
        encoding="utf-8",
    )
    assert dead_links(page) == ["#one-two", "#one-tw", "b.png", "page.md#no", "f.png"]


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= LONGEST_README


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "gui.md"], ids=lambda page: page.name)
def test_the_example_in_python_prints_what_it_says(page: Path, lolli_command: list[str]) -> None:
    [code] = [token.content for token in tokens(page) if token.info == "python"]
    expected = re.findall(r"print\(.*\)  # (.+)$", code, re.MULTILINE)
    here = code.replace('"/home/you/lolli/scripts/run"', repr(lolli_command))
    done = subprocess.run([sys.executable, "-c", here], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.splitlines() == expected


@cache
def commands() -> dict[str, dict[str, LazyCommand]]:
    of_lab = {name: command for section in lab.SECTIONS.values() for name, command in section.items()}
    return {"lolli": group.COMMANDS, "scripts/lab": {**of_lab}}


def unusable_commands(page: Path) -> list[str]:
    """The commands in the examples of a page that do not exist, or that would refuse their options."""
    found = []
    blocks = [token.content for token in tokens(page) if token.type in {"fence", "code_block"}]
    for line in "".join(blocks).replace("\\\n", " ").splitlines():
        program, _, rest = line.partition(" ")
        name, _, arguments = rest.partition(" ")
        if program not in commands() or not re.fullmatch(r"[a-z][\w-]*", name):
            continue
        try:
            command = LazyCommand.load(commands()[program][name])
            words = shlex.split(re.split(r"[|<>;&]", arguments)[0], comments=True)
            while isinstance(command, click.Group) and words:
                command = command.commands[words.pop(0)]
            command.make_parser(click.Context(command)).parse_args(words)
        except (KeyError, ValueError, click.UsageError) as error:
            found.append(f"{line}: {error}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_its_examples_have_their_options(page: Path) -> None:
    assert unusable_commands(page) == []


def test_a_command_that_would_be_refused_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("    lolli play --game othello patterns  # well\n    lolli play --searcher patterns\n")
    [found] = unusable_commands(page)
    assert "No such option" in found


def first_cells(page: Path) -> Iterator[str]:
    found = tokens(page)
    for i, token in enumerate(found):
        if token.type == "tr_open" and found[i + 1].type == "td_open":
            yield found[i + 2].content


def test_the_gtp_reference_has_all_commands() -> None:
    cells = list(first_cells(ROOT / "docs" / "gtp.md"))
    told = [command.split()[0] for cell in cells for command in re.findall("`([^`]+)`", cell)]
    assert sorted({*told}) == sorted(COMMANDS)


def test_the_uci_reference_has_all_options_in_their_order() -> None:
    told = list(first_cells(ROOT / "docs" / "uci.md"))
    assert told == [*(option.name for option in OPTIONS), "puzzles", "engines", "engines", "engines"]


def test_the_uci_reference_has_the_levels_on_both_scales() -> None:
    page = (ROOT / "docs" / "uci.md").read_text(encoding="utf-8")
    for name, scale in (("puzzles", RATING_OF_LEVEL), ("engines", ELO_OF_LEVEL)):
        told = re.findall(rf"^\| {name} \|(.*)\|$", page, re.MULTILINE)
        assert [int(each) for row in told for each in row.split("|")] == list(scale)


def test_the_uci_reference_has_a_dialogue_of_today(lolli_command: list[str]) -> None:
    """What its first search says of depths 1 and 10, but for times and the rest of a line."""
    page = (ROOT / "docs" / "uci.md").read_text(encoding="utf-8")
    asked = re.findall("^    > ((?:position|go) .*)$", page, re.MULTILINE)[:2]
    told = re.findall("^    ((?:info depth|bestmove) .*)$", page, re.MULTILINE)[:3]
    with Dialogue(lolli_command) as dialogue:
        dialogue.send(*asked)
        said = dialogue.expect("bestmove.*")
    for line, wanted in zip((said[0], *said[-2:]), told, strict=True):
        timeless, begun = (re.sub(r"nps \d+ |time \d+ ", "", each) for each in (line, wanted))
        assert timeless.startswith(begun.removesuffix("…")), line
