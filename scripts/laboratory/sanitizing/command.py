"""scripts/sanitize."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import click

from scripts.laboratory.matches.terminal import interrupt_on_sigterm

from . import planting, reports, selection, tree
from .sanitizers import ADDRESS, SANITIZERS, Sanitizer, SanitizerError

_ROOT = Path(__file__).parents[3]
_BOTH = "both"


@click.command(context_settings={"max_content_width": 110})
@click.option(
    "--with",
    "wanted",
    type=click.Choice([*SANITIZERS, _BOTH]),
    default=_BOTH,
    show_default=True,
    help="address: memory out of bounds, freed or lost, and undefined behaviour; thread: races.",
)
@click.option(
    "--selection",
    "chosen",
    type=click.Choice([*selection.SELECTIONS]),
    default="quick",
    show_default=True,
    help="How many of the tests: quick takes some minutes, full several times as long.",
)
@click.argument("tests", nargs=-1)
def command(wanted: str, chosen: str, tests: tuple[str, ...]) -> None:
    """Run tests under the sanitizers of gcc, and say what they report.

    Each has a copy of the project with a build of its own, build/sanitize/NAME, where only what has changed
    is compiled anew. Before the tests it has to find faults that were planted. TESTS, as pytest takes them,
    are run instead of a selection. The exit status is 0 if every test has passed and nothing was reported.
    The races that are intended stand in scripts/laboratory/sanitizing/thread.supp.
    """
    interrupt_on_sigterm()
    sanitizers = [*SANITIZERS.values()] if wanted == _BOTH else [SANITIZERS[wanted]]
    clean = True
    for sanitizer in sanitizers:
        try:
            clean &= _sanitize(sanitizer, tests or selection.SELECTIONS[chosen][sanitizer.name])
        except SanitizerError as error:
            click.echo(f"{sanitizer.name}: {error}")
            clean = False
    sys.exit(not clean)


def _sanitize(sanitizer: Sanitizer, tests: tuple[str, ...]) -> bool:
    """Build, plant, run and tell; whether all is well."""
    folder = _ROOT / "build" / "sanitize" / sanitizer.name
    written = _emptied(folder / "reports")
    project = folder / "tree"
    started = time.monotonic()
    tree.copy(_ROOT, project)
    tree.build(sanitizer, project)
    built = time.monotonic()
    click.echo(f"{sanitizer.name}: built in {built - started:.0f} s")
    planted = planting.check(sanitizer, project, written)
    click.echo(f"{sanitizer.name}: of {planted} planted faults each was told rightly")
    complaint = _run(sanitizer, project, written, tests, leaks=False)
    if sanitizer is ADDRESS:
        complaint += _run(sanitizer, project, written, selection.LEAKS, leaks=True)
    found = reports.read(written)
    _show(found)
    click.echo(f"{sanitizer.name}: {len(found)} reports" + (f", in {written}" if found else ""))
    click.echo(complaint, nl=bool(complaint))
    return not found and not complaint


def _run(sanitizer: Sanitizer, project: Path, written: Path, tests: tuple[str, ...], *, leaks: bool) -> str:
    """Run tests and tell how many; what was said where one failed."""
    began = time.monotonic()
    outcome = selection.run(sanitizer, project, written, tests, leaks=leaks)
    purpose = ", looking for leaks" if leaks else ""
    click.echo(f"{sanitizer.name}: {outcome.counts} in {time.monotonic() - began:.0f} s{purpose}")
    return outcome.complaint


def _emptied(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    return folder


def _show(found: list[reports.SanitizerReport]) -> None:
    """The first report of each place."""
    first = {report.title: report for report in reversed(found)}
    for title, count in Counter(report.title for report in found).most_common():
        click.echo(f"\n{count} times: {title}\n{first[title].text}\n")
