"""`scripts/document`."""

from __future__ import annotations

import platform
import re
import time
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.system.services import processors
from scripts.documentation.page_source import INTRODUCTION, DocumentationError, Section, filled, sections
from scripts.documentation.page_writer import FOLDER, PageWriter, pictures_of
from scripts.documentation.shell import ROOT
from scripts.documentation.strength_figure import write_strength_figure
from scripts.documentation.tree_pictures import write_tree_pictures

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

SOURCE = Path(__file__).parent / "commands.md.in"
PAGE = ROOT / "docs" / "commands.md"
LARGEST_PICTURE, LARGEST_SUM = 300_000, 1_500_000  # bytes


@click.command(
    epilog="""\b
Examples:
  scripts/document                   the whole page
  scripts/document analyse play      only these sections, and the date"""
)
@click.argument("names", nargs=-1, metavar="[SECTION]...")
def command(names: tuple[str, ...]) -> None:
    """Write docs/commands.md and its pictures: every command on it is run for real.

    Without a SECTION the pictures of trees on the pages of docs/searchers are drawn anew, too. The figure of
    README.md always is, from the table of docs/strength.md.

    A SECTION is the heading without `lolli`: `analyse`, `exit-statuses`. All other sections stay as they are.
    Nothing is written unless all commands do what the source of the page says. Otherwise the exit status is
    1, and the command that failed is named.
    """
    source = sections(SOURCE.read_text())
    old = sections(PAGE.read_text()) if PAGE.exists() else {}
    if unknown := [name for name in names if name not in source]:
        known = ", ".join(name for name in source if name)
        raise click.UsageError(f"unknown section {', '.join(unknown)}: use {known}")
    begun = time.monotonic()

    def tell(section: str, command: str) -> None:
        click.echo(f"{time.monotonic() - begun:6.1f} s  {section:12}  {command.splitlines()[0]}", err=True)

    writer = PageWriter(tell)
    text = composed(source, old, names, _facts(), writer)
    store(PAGE, text, writer.pictures)
    if not names:
        write_tree_pictures(partial(tell, "searchers"))
    write_strength_figure()
    click.echo(f"{PAGE.relative_to(ROOT)} written in {time.monotonic() - begun:.0f} s", err=True)


def composed(
    source: Mapping[str, Section],
    old: Mapping[str, Section],
    names: Collection[str],
    facts: Mapping[str, str],
    writer: PageWriter,
) -> str:
    """The page, with the named sections renewed, or all of them if none is named.

    Sections that the old page lacks and the introduction, which has the date, are always renewed.
    """
    return "\n".join(
        old[name].text
        if names and name not in (INTRODUCTION, *names) and name in old
        else writer.written(Section(name, filled(section.text, facts), section.line))
        for name, section in source.items()
    )


def store(page: Path, text: str, pictures: Mapping[str, bytes]) -> None:
    """Write the page and its new pictures, and remove pictures that it does not show.

    Raises DocumentationError, and writes nothing, if a picture is missing or too large.
    """
    folder = page.parent / FOLDER
    folder.mkdir(exist_ok=True)
    shown = pictures_of(text)
    sizes = {file.name: file.stat().st_size for file in folder.iterdir() if file.name in shown}
    sizes |= {name: len(data) for name, data in pictures.items()}
    if missing := shown - sizes.keys():
        raise DocumentationError(f"missing picture {', '.join(sorted(missing))}")
    if large := [name for name, size in sizes.items() if size > LARGEST_PICTURE]:
        raise DocumentationError(f"larger than {LARGEST_PICTURE} bytes: {', '.join(sorted(large))}")
    if sum(sizes.values()) > LARGEST_SUM:
        raise DocumentationError(f"the pictures have {sum(sizes.values())} bytes, more than {LARGEST_SUM}")
    for file in folder.iterdir():
        if file.name not in shown:
            file.unlink()
    for name, data in pictures.items():
        (folder / name).write_bytes(data)
    page.write_text(text)


def _facts() -> dict[str, str]:
    """The facts for the source: when and where the commands were run."""
    today = date.today()  # noqa: DTZ011 - the day where it is run
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "date": f"{today.day} {today:%B %Y}",
        "processor": found[1] if found else platform.machine(),
        "cores": str(processors()),
        "python": platform.python_version(),
    }
