"""`lolli annotate`: the engine's evaluations and better moves, written into every game of a PGN file."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from engine.lookup.book import STANDARD, Book, BookError
from engine.search.limits import Limits
from engine.system import files, installation
from lolli._annotator import AnnotationOptions
from lolli._assessment import JUDGING_NODES
from lolli._findings import AnalystSettings
from lolli.cli.annotator import MARKS, PLAYERS, annotated
from lolli.cli.given_file import STDIO, BadInputError, bad_files, bad_input
from lolli.cli.pgn import RawGame
from lolli.cli.runs import (
    GOES_ON,
    Job,
    Result,
    do_game,
    games_in,
    hash_of,
    job_of,
    over_games,
    results_in,
    shown,
)
from lolli.cli.shared_options import (
    analyst_from,
    engine_options,
    flag_option,
    jobs_option,
    json_option,
    limit_options,
    mark_openings_option,
    number_option,
    output_option,
)
from lolli.cli.terminal.screen import FileDisplay, counted
from lolli.cli.workers import LocalWorkers, WorkersError

_OWN_BOOK = "<own>"
_GAMES_PER_WORKER = 32  # under way, or waiting for a slower one before them
_SOME_COPIED = 1  # exit status


@click.command(
    epilog="""\b
Examples:
  lolli annotate games.pgn                          write games-annotated.pgn
  lolli annotate games.pgn -o best.pgn --time 0.5   half a second for each position
  lolli annotate games.pgn --skip 8                 do not evaluate the first eight moves of each side
  lolli annotate games.pgn --lines 3 --book         mark only moves, leave book moves alone
  lolli annotate games.pgn --json > games.jsonl     also print a line of JSON for each game
  lolli annotate - -o - < games.pgn | less          read stdin, write to stdout
  lolli annotate games.pgn --cluster tcp://10.0.0.7:8786   use the workers of a Dask cluster"""
)
@click.argument("source", type=click.Path(), metavar="IN.pgn")
@output_option("OUT.pgn", "The file to write, - for stdout. Default: games-annotated.pgn for games.pgn.")
@limit_options
@number_option(
    "--skip",
    least=0,
    default=0,
    help="Do not evaluate the first N moves of each side, unless the game is from a position.",
)
@number_option(
    "--lines", least=1, most=16, default=1, help="Find N lines; with 2 or more, mark only moves with !."
)
@click.option(
    "--book",
    is_flag=False,
    flag_value=_OWN_BOOK,
    metavar="[BOOK.bin]",
    help="Do not evaluate the first moves that are in this Polyglot book, or in Lolli's own.",
)
@mark_openings_option
@flag_option("--reasons", default=True, help="Say in a comment why a move is bad. This is the default.")
@flag_option("--fresh", help="Take out all marks, comments and variations first; clocks stay.")
@jobs_option("Annotate N games at a time.")
@click.option("--cluster", metavar="ADDRESS", help="Use the workers of the Dask scheduler at ADDRESS.")
@engine_options(threads=False)
@json_option("Print a line of JSON for each game to stdout.")
@flag_option("--force", help="Overwrite OUT.pgn if it exists.")
@flag_option("--restart", help="Discard an interrupted run and start over.")
def command(  # noqa: PLR0917 - an argument for each option
    source: str,
    target: str | None,
    limits: Limits | None,
    skip: int,
    lines: int,
    book: str | None,
    mark_openings: bool,
    reasons: bool,
    fresh: bool,
    jobs: int,
    cluster: str | None,
    settings: AnalystSettings,
    as_json: bool,
    force: bool,
    restart: bool,
) -> None:
    """Annotate every game of a PGN file with the engine's evaluations and better moves.

    Everything in the file is kept, unless --fresh is given. Each move gets [%eval] in its comment. A move
    that loses winning chances gets ?!, ? or ??, and the better line as a variation, unless it leads to an
    opening with a name. Average centipawn loss and accuracy of both players
    become headers, and so do code and name of the opening if the game lacks them. Each position is searched
    by one thread for 200000 nodes unless --depth, --nodes or --time is given; without --time the result is
    the same every time, whatever --jobs is.

    With --lines 2 or more a move gets ! if every other one would have been a mistake, with the second best
    line as a variation, and a bad move gets all lines that are nearly as good as the best.

    A game that cannot be read is copied unchanged, with a message on stderr; the exit status is then 1.

    To continue an interrupted run, repeat the command; until it is finished its work is in OUT.pgn.part.

    Lines of JSON begin with the games from where a run continues; a few games may be printed again.
    """
    if as_json and target == STDIO:
        raise click.UsageError("--json and -o - both write to stdout: name a file for the games")
    settings = replace(settings, lines=lines)
    analyst_from(settings).close()  # reports what is wrong with the settings
    options = AnnotationOptions(
        skip, book=book and _book(book), opening=not mark_openings, fresh=fresh, reasons=reasons
    )
    job = job_of(settings, limits or Limits(nodes=JUDGING_NODES), options)
    with bad_files(), bad_input(WorkersError):
        status = annotate_file(source, target, job, jobs, cluster, as_json, force=force, restart=restart)
    sys.exit(status)


def _book(name: str) -> str:
    """The whole name of a book. Raises BadInputError if it is not one."""
    path = STANDARD if name == _OWN_BOOK else Path(name).resolve()
    with bad_input(BookError):
        Book(path).close()
    return str(path)


def annotate_file(
    source_name: str,
    target: str | None,
    job: Job,
    jobs: int,
    cluster: str | None,
    as_json: bool,
    *,
    force: bool,
    restart: bool,
) -> int:
    """Returns the exit status. `target` None: named after the source. `cluster` is a scheduler's address."""
    run = job.identity()
    if job.options.book:
        path = Path(job.options.book)
        with path.open("rb") as book:
            run["book"] = f"{path.name} ({hash_of(book)})"
    with (
        games_in(source_name) as source,
        results_in(target, "-annotated.pgn", source, run, force=force, restart=restart) as output,
    ):
        totals = output.totals
        display = FileDisplay(source.size, totals["bytes"], totals["games"])

        def take(raw: RawGame, result: Result) -> None:
            _tell(raw, result, display, as_json=as_json)  # first: what cannot be told is told when it goes on
            output.write(raw, raw.data if result.data is None else result.data, **_counts(result))
            display.reached(totals["bytes"], totals["games"])

        has_bar = not (sys.stdout and sys.stdout.isatty() and (as_json or target == STDIO))
        with (
            _workers(jobs, cluster, job, display) as (workers, window),
            display.shown() if has_bar else nullcontext(),
            bad_input(WorkersError, suffix=GOES_ON if output.resumable else ""),
        ):
            games = source.games_after(totals)
            work = partial(do_game, annotated, job)
            status = over_games(games, work, workers, window, take, source.stop)
        if status:
            again = GOES_ON if output.resumable else ""
            display.print(f"Stopped after {counted(totals['games'], 'game')}{again}.")
            return status
        output.finish()
        display.print(_summary(totals, display))
        if output.path is not None:
            display.print(f"wrote {shown(output.path)}")
        return _SOME_COPIED if totals["copied"] else 0


def _tell(raw: RawGame, result: Result, display: FileDisplay, *, as_json: bool) -> None:
    content = result.facts
    if result.error is not None:
        line = raw.line + result.line
        display.print(f"game {raw.number}, line {line}: {result.error}; copied unchanged")
        content = {"error": result.error, "line": line}
    if as_json and content is not None:
        text = json.dumps({"number": raw.number, **content})
        files.write_all(sys.stdout.fileno(), f"{text}\n".encode(), "stdout")


def _counts(result: Result) -> dict[str, int]:
    if result.error is not None:
        return {"games": 1, "copied": 1}
    if (facts := result.facts) is None:
        return {}
    marks = {name: sum(facts[player][name] for player in PLAYERS) for name in MARKS}
    return {"games": 1, "positions": facts["positions"], **marks}


def _summary(totals: Counter[str], display: FileDisplay) -> str:
    """The totals include earlier parts of the run; time and rate do not."""
    parts = [
        f"{counted(totals['games'], 'game')}, {totals['positions']:,} positions",
        f"{totals['inaccuracies']:,} ?!, {totals['mistakes']:,} ?, {totals['blunders']:,} ??",
        f"{totals['copied']:,} copied unchanged" if totals["copied"] else "",
        display.spent(totals["games"]),
    ]
    return "; ".join(part for part in parts if part)


@contextmanager
def _workers(
    jobs: int, cluster: str | None, job: Job, display: FileDisplay
) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """The workers, and how many games may be under way at a time. Raises BadInputError, WorkersError."""
    if cluster is None:
        with LocalWorkers(jobs) as workers:
            yield workers, lambda: _GAMES_PER_WORKER * jobs
        return
    try:
        from lolli.cli.cluster import Cluster  # noqa: PLC0415 - slow, and an extra
    except ModuleNotFoundError as error:
        raise BadInputError(f"--cluster needs {error.name}: {installation.to_add('cluster')}") from None
    with Cluster(cluster, job.problem) as executor:
        if not executor.has_workers():
            display.print("The cluster has no workers yet.")
        yield executor, lambda: _GAMES_PER_WORKER * executor.threads()
