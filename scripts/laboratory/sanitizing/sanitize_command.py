"""`scripts/lab sanitize`: builds, planted faults that must be found, tests, and the sanitizers' reports."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import click

from scripts.laboratory.lab_options import ROOT, WIDE, choice_option
from scripts.laboratory.long_run import interrupt_on_sigterm
from scripts.laboratory.sanitizing import selection
from scripts.laboratory.sanitizing.sanitizers import (
    ADDRESS,
    SANITIZERS,
    THREAD,
    Sanitizer,
    SanitizerError,
    build,
    copy,
)

PASSED = ROOT / ".ci" / "sanitized"
"""The hash of the compiled modules with which the address sanitizer has passed last."""

_RULER = re.compile(r"^=+$", re.MULTILINE)
_COUNT = re.compile(r"^ThreadSanitizer: reported \d+ warnings\n", re.MULTILINE)
_TITLE = re.compile(r"^.*(?:SUMMARY: |runtime error: |ERROR: |FATAL: ).*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SanitizerReport:
    """A report. Reports of the same place in the source have the same title."""

    title: str
    text: str


def read(folder: Path) -> list[SanitizerReport]:
    """The reports in the files of a folder."""
    return [report for path in sorted(folder.iterdir()) for report in split(path.read_text(errors="replace"))]


def split(text: str) -> list[SanitizerReport]:
    """The reports in a text. Any output of a sanitizer counts as a report."""
    return [
        SanitizerReport(_title(part), part.strip())
        for part in _RULER.split(_COUNT.sub("", text))
        if part.strip()
    ]


def _title(text: str) -> str:
    """The summary of a report, or else its first line that says what happened, without values."""
    lines = _TITLE.findall(text)
    summaries = [line for line in lines if line.startswith("SUMMARY: ")]
    title: str = (summaries or lines or text.strip().splitlines())[0]
    return re.sub(r"(?<=runtime error: ).*", lambda words: re.sub(r"-?\d[\w.+-]*", "N", words[0]), title)


_PATIENCE = 300  # seconds for each fault


@dataclass(frozen=True, slots=True)
class Fault:
    """A function of faults.py, and words of the report that it must cause; None for no report."""

    function: str
    reported: str | None
    leaks: bool = False
    """Whether to look for leaks."""


FAULTS = {
    ADDRESS.name: (
        Fault("heap_overflow", "AddressSanitizer: heap-buffer-overflow"),
        Fault("array_overflow", "index 8 out of bounds"),
        Fault("signed_overflow", "signed integer overflow"),
        Fault("wide_shift", "shift exponent 40 is too large"),
        Fault("float_overflow", "outside the range of representable values"),
        Fault("leak", "LeakSanitizer: detected memory leaks", leaks=True),
        Fault("no_race", None),
    ),
    THREAD.name: (Fault("race", "ThreadSanitizer: data race"), Fault("no_race", None)),
}


def check(sanitizer: Sanitizer, tree: Path, folder: Path) -> int:
    """Run all planted faults. Their number. Raises SanitizerError unless each has the expected report.

    `folder`, for the reports, is empty before and after.
    """
    for fault in FAULTS[sanitizer.name]:
        code = f"from scripts.laboratory.sanitizing import faults; faults.{fault.function}()"
        done = subprocess.run(
            sanitizer.command(sys.executable, "-c", code),
            cwd=tree,
            env=sanitizer.run_environment(tree, folder, leaks=fault.leaks),
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )
        found = read(folder)
        for path in folder.iterdir():
            path.unlink()
        reported_text = found[0].text if found else f"nothing\n{done.stderr}"
        if fault.reported is None:
            right = not found and done.returncode == 0
        else:
            right = bool(found) and fault.reported in reported_text and done.returncode != 0
        if not right:
            raise SanitizerError(f"planted {fault.function}: expected {fault.reported}, got {reported_text}")
    return len(FAULTS[sanitizer.name])


_BOTH = "both"
_CRASHED = "LeakSanitizer has encountered a fatal error"


@click.command(context_settings=WIDE)
@choice_option(
    "--with",
    [*SANITIZERS, _BOTH],
    _BOTH,
    "address: memory out of bounds, freed or leaked, and undefined behaviour; thread: data races.",
    to="wanted",
)
@choice_option(
    "--selection",
    selection.SELECTIONS,
    "quick",
    "Tests to run: quick takes some minutes, full several times as long.",
    to="chosen",
)
@click.option(
    "--unless-passed",
    is_flag=True,
    help="Do nothing if the address sanitizer has passed with the same compiled modules (.ci/sanitized).",
)
@click.argument("tests", nargs=-1)
def sanitize(wanted: str, chosen: str, unless_passed: bool, tests: tuple[str, ...]) -> None:
    """Run tests under the sanitizers of gcc, and print their reports.

    Each sanitizer has a copy of the project in build/sanitize/NAME, which is compiled incrementally. Before
    the tests it must find planted faults. TESTS, as for pytest, replace the selection. The exit status is 0
    if all tests passed and there were no reports. Intended races are listed in
    scripts/laboratory/sanitizing/thread.supp.
    """
    interrupt_on_sigterm()
    digest = sources_digest(ROOT)
    if unless_passed and PASSED.exists() and PASSED.read_text().strip() == digest:
        click.echo("address: has passed with these compiled modules")
        return
    sanitizers = [*SANITIZERS.values()] if wanted == _BOTH else [SANITIZERS[wanted]]
    clean = True
    for sanitizer in sanitizers:
        try:
            clean &= _sanitize(sanitizer, tests or selection.SELECTIONS[chosen][sanitizer.name])
        except SanitizerError as error:
            click.echo(f"{sanitizer.name}: {error}")
            clean = False
    if clean and ADDRESS in sanitizers and not tests:
        PASSED.write_text(f"{digest}\n")
    sys.exit(not clean)


def sources_digest(root: Path) -> str:
    """A hash of all that the compiled modules are made of."""
    found = hashlib.sha256((root / "setup.py").read_bytes())
    headers = [path for top in ("engine", "eval") for path in (root / top).rglob("*.pxd")]
    for path in sorted({*headers, *(header.with_suffix(".py") for header in headers)}):
        if path.exists():
            found.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return found.hexdigest()


def _sanitize(sanitizer: Sanitizer, tests: tuple[str, ...]) -> bool:
    """Build, check the planted faults, and run the tests. Whether there were neither failures nor reports."""
    folder = ROOT / "build" / "sanitize" / sanitizer.name
    written = _emptied(folder / "reports")
    project = folder / "tree"
    started = time.monotonic()
    copy(ROOT, project)
    build(sanitizer, project)
    built = time.monotonic()
    click.echo(f"{sanitizer.name}: built in {built - started:.0f} s")
    planted = check(sanitizer, project, written)
    click.echo(f"{sanitizer.name}: all {planted} planted faults were reported correctly")
    failures = _run(sanitizer, project, written, tests, leaks=False)
    if sanitizer is ADDRESS:
        failures += _look_for_leaks(project, written)
    found = read(written)
    _show(found)
    click.echo(f"{sanitizer.name}: {len(found)} reports" + (f", in {written}" if found else ""))
    click.echo(failures, nl=bool(failures))
    return not found and not failures


def _look_for_leaks(project: Path, written: Path) -> str:
    """Run tests in a process that looks for leaks; once more if the leak checker itself has crashed."""
    before = set(written.iterdir())
    failures = _run(ADDRESS, project, written, selection.LEAKS, leaks=True)
    new = set(written.iterdir()) - before
    crashed = [path for path in new if _CRASHED in path.read_text(errors="replace")]
    if not crashed:
        return failures
    click.echo(f"{ADDRESS.name}: the leak checker has crashed; once more")
    for path in crashed:
        path.unlink()
    return _run(ADDRESS, project, written, selection.LEAKS, leaks=True)


def _run(sanitizer: Sanitizer, project: Path, written: Path, tests: tuple[str, ...], *, leaks: bool) -> str:
    """Run tests and print their counts. The end of the output if a test failed."""
    began = time.monotonic()
    outcome = selection.run(sanitizer, project, written, tests, leaks=leaks)
    purpose = ", looking for leaks" if leaks else ""
    click.echo(f"{sanitizer.name}: {outcome.counts} in {time.monotonic() - began:.0f} s{purpose}")
    return outcome.failures


def _emptied(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    return folder


def _show(found: list[SanitizerReport]) -> None:
    """Print the first report of each place, with the number of reports."""
    first = {report.title: report for report in reversed(found)}
    for title, count in Counter(report.title for report in found).most_common():
        click.echo(f"\n{count} times: {title}\n{first[title].text}\n")
