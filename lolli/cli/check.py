"""`lolli check`: a student's search beside the textbook's, case by case, with points."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from itertools import islice
from pathlib import Path
from threading import Event

import click
from rich.text import Text

from engine.games.players.student import FUNCTIONS
from lolli.cli.exercises import Assignment, ExerciseError, Report, assignment, report_on
from lolli.cli.exercises.templates import template
from lolli.cli.given_file import (
    STDIO,
    BadInputError,
    bad_files,
    bad_input,
    check_target,
    exists,
    write_result,
)
from lolli.cli.shared_options import flag_option, json_option, number_option
from lolli.cli.terminal.screen import counted, output, plain_table
from lolli.cli.workers import WorkersError

_INCOMPLETE = 1  # exit status
_PROBLEMS = 3  # that are told of a file: the first cases are the simplest
_LOOKED_AT = 1 << 20  # characters of a file
_LONGEST = 30  # characters of a case's name in the table
_IMPORTS = re.compile(r"^\s*(?:from|import) +\.?([\w, ]+?)(?: import.*| *#.*)?$", re.MULTILINE)


@click.command(
    epilog="""\b
Examples:
  lolli check --template alphabeta mine.py
  lolli check alphabeta mine.py
  lolli check exercise3.toml mine.py --json
  lolli check exercise3.toml --all handed-in --csv points.csv
  lolli trace mine.py
  lolli tournament --game tictactoe --players mine.py,alphabeta"""
)
@click.argument("exercise", metavar="ALGORITHM")
@click.argument("path", required=False, metavar="[FILE]")
@flag_option("--template", "wants_template", help="Write a FILE to begin from, or print it.")
@click.option(
    "--all", "folder", type=click.Path(), metavar="FOLDER", help="Check the .py files in FOLDER and below."
)
@click.option(
    "--csv", "table", type=click.Path(), metavar="FILE", help="Write the points as CSV, - for stdout."
)
@number_option("--jobs", least=1, most=64, default=1, help="Check N files at the same time.")
@json_option("Print JSON, one object for each file.")
def command(
    exercise: str,
    path: str | None,
    wants_template: bool,
    folder: str | None,
    table: str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Run a student's search on trees and games, and compare it with the textbook's.

    ALGORITHM is one of these, or a TOML file with cases, see docs/searchers/exercises.md.

    \b
      minimax, alphabeta, expectiminimax, maxn, paranoid, bestreply
                       value and move; the leaves and their order; how many nodes; how many estimates
      transpositions   minimax or alpha-beta with a table: value and move; how many nodes are expanded
      uct              selection and backpropagation, simulation by simulation
      estimate         an evaluation function for tic-tac-toe

    FILE defines a function of that name, for uct `select` and `backpropagate`; --template writes one to begin
    from, which explains what it is given. Each comparison in a case is worth a share of its points. The first
    difference is shown with the step at which the searches part; nodes are named by the moves from the root,
    as in `lolli trace`. Any order of the moves is right: where it matters, the textbook prunes by the same
    order.

    FILE runs in a process of its own, with a limit of time and memory for each case; what it prints is lost.
    That guards against accidents: it has the rights of the user who runs it.

    The same FILE can be named wherever a searcher can: `trace mine.py`, `tree`, `play`, `tournament`, `gtp`.
    The exit status is 0 if all points were reached, else 1.
    """
    if wants_template:
        _write_template(exercise, path)
        return
    if as_json and table == STDIO:
        raise BadInputError("--json and --csv - both write to stdout: name a file")
    with bad_input(ExerciseError), bad_files():
        task = assignment(exercise)
        paths = _paths(path, folder, task)
    if table is not None:
        check_target(table, *paths, exercise)
    reports = []
    for report in _checked(paths, task, jobs):
        reports.append(report)
        if as_json:
            click.echo(json.dumps(report.as_json()))
        elif folder is None:
            _show(report)
    if folder is not None and not as_json and table != STDIO:
        _show_all(reports, task)
    if table is not None:
        write_result(table, points_table(reports, task))
    raise SystemExit(0 if all(report.points == report.of for report in reports) else _INCOMPLETE)


def _paths(path: str | None, folder: str | None, task: Assignment) -> list[str]:
    if path is None and folder is not None:
        return files_in(folder, task)
    if path is None or folder is not None:
        raise BadInputError("give a FILE, or --all FOLDER")
    if not Path(path).is_file():
        raise BadInputError(f"{path}: no such file")
    return [path]


def _write_template(algorithm: str, path: str | None) -> None:
    if algorithm not in FUNCTIONS:
        raise BadInputError(f"--template needs one of {', '.join(FUNCTIONS)}")
    if path is not None and exists(path):
        raise BadInputError(f"{path} already exists")
    check_target(path or STDIO)
    write_result(path or STDIO, template(algorithm))


def _checked(paths: Sequence[str], task: Assignment, jobs: int) -> Iterator[Report]:
    stop = Event()
    with bad_input(WorkersError), ThreadPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(lambda path: report_on(path, task, stop.is_set), paths)
        finally:
            stop.set()


def files_in(folder: str, task: Assignment) -> list[str]:
    """The .py files, except those that a file beside them imports and that define no function of the task."""
    with bad_files():
        Path(folder).stat()
        found = sorted(path for path in Path(folder).rglob("*.py") if path.is_file())
    if not found:
        raise BadInputError(f"{folder}: no .py files")
    sources = {path: _source(path) for path in found}
    helpers = {
        path.with_name(f"{name}.py")
        for path, source in sources.items()
        for words in _IMPORTS.findall(source)
        for name in re.findall(r"\w+", words)
        if name != path.stem
    }
    wanted = {name for case in task.cases for name in FUNCTIONS[case.algorithm]}
    defined = re.compile(rf"^def +(?:{'|'.join(wanted)})\b", re.MULTILINE)
    return [str(path) for path, source in sources.items() if path not in helpers or defined.search(source)]


def _source(path: Path) -> str:
    """The beginning of the file; empty if it cannot be read, which its report says."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LOOKED_AT)
    except OSError:
        return ""


def _number(points: float) -> str:
    return f"{round(points, 2):g}"


def _show(report: Report) -> None:
    console = output()
    checks = list(dict.fromkeys(check for each in report.outcomes for check in each.case.checks))
    shown = plain_table("case", *checks, "points")
    problems: dict[str, list[str]] = {}
    for number, each in enumerate(report.outcomes, 1):
        label = each.case.label()
        marks = {check: Text("no", "red") for check in each.case.checks}
        marks |= {check: Text("yes", "green") for check in each.passed}
        points = f"{_number(each.points)} of {_number(each.case.points)}"
        short = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
        shown.add_row(f"{number}. {short}", *(marks.get(check, "") for check in checks), points)
        if each.problem:
            problems.setdefault(each.problem, []).append(f"{number}. {label}")
    console.print(shown)
    for problem, (label, *others) in islice(problems.items(), _PROBLEMS):
        also = f", and {counted(len(others), 'other')}" if others else ""
        console.print(Text.assemble((f"{label}{also}\n", "bold"), f"   {problem}"))
    if len(problems) > _PROBLEMS:
        console.print(f"and {counted(len(problems) - _PROBLEMS, 'other difference')} (--json shows all)")
    trace = next((each.case.trace() for each in report.outcomes if each.problem), "")
    if trace:
        console.print(f"The textbook's steps: {trace}", style="dim")
    console.print(f"{report.path}: {_number(report.points)} of {_number(report.of)} points", style="bold")


def _show_all(reports: Sequence[Report], task: Assignment) -> None:
    console = output()
    shown = plain_table("file", "points", "first difference")
    for report in reports:
        shown.add_row(report.path, _number(report.points), report.problem)
    console.print(shown)
    console.print(
        f"{counted(len(reports), 'file')}, {task.title}: at most {_number(task.points)} points", style="bold"
    )


def points_table(reports: Sequence[Report], task: Assignment) -> str:
    """A line for each file: its points, and those of each case, with the first difference."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    cases = [f"{number} {each.algorithm} {each.label()}" for number, each in enumerate(task.cases, 1)]
    writer.writerow(["file", "points", "of", *cases, "first difference"])
    for report in reports:
        points = [_number(each.points) for each in report.outcomes]
        writer.writerow([report.path, _number(report.points), _number(report.of), *points, report.problem])
    return text.getvalue()
