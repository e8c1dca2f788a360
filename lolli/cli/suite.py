"""`lolli suite`: how many positions of a test suite are solved, and how soon."""

from __future__ import annotations

from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING

import click

from engine.search.limits import Limits
from lolli.cli.shared_options import (
    analyst_from,
    bad_input,
    engine_options,
    flag_option,
    json_option,
    limit_options,
    number_option,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lolli.cli.analysis import AnalystSettings

_DEFAULT_LIMITS = Limits(move_time=1000)
_NOT_ALL = 1  # exit status


@click.command(
    epilog="""\b
Examples:
  lolli suite bratko-kopec.epd
  lolli suite mates.epd --depth 12 --failed
  lolli suite first.epd second.epd --time 5 --stop-early 4
  lolli suite sts.epd --nodes 100000 --jobs 2 --json > results.jsonl
  lolli suite bratko-kopec.epd --nodes 200000 --at-least 12    # for scripts""",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@limit_options
@number_option(
    "--stop-early", least=1, help="Leave a position once the best move is right for N depths in a row."
)
@number_option(
    "--jobs",
    least=1,
    most=512,
    default=1,
    help="Search N positions at a time, each with its own table. Times are reliable only if N idle processor"
    " cores are available.",
)
@engine_options()
@flag_option("--failed", "only_failed", help="List only the positions that are not solved.")
@number_option("--at-least", least=0, help="Exit with status 1 if fewer than N positions are solved.")
@json_option("Print JSON, a line for each position and the summary.")
def command(
    files: Sequence[str],
    stop_early: int | None,
    jobs: int,
    settings: AnalystSettings,
    only_failed: bool,
    at_least: int | None,
    as_json: bool,
    limits: Limits | None,
) -> None:
    """Search the positions of test suites and count those that are solved.

    FILE has a position in EPD on each line, with its task: bm (play one of these moves), am (play none of
    these), dm (find a mate in at most this many moves), or points for moves as in the Strategic Test Suite.
    `-` is stdin. A position is solved if the search ends with a right answer; the time to solution is the
    time from which the answer stayed right. Scores are White's.

    Each position is searched for a second unless --time, --nodes or --depth is given, with an empty table. A
    right answer that mates ends the search. Ctrl-C ends the suite and prints the summary so far.

    bratko-kopec.epd and mates.epd are in the source of Lolli, in scripts/laboratory/data.

    With --json a position is an object with type "position": file, line, id, fen, chess960, bm and am (SAN),
    dm, solved, solution (depth, nodes and time from which the answer was right; null if it was not), move,
    score ({"cp": centipawns} or {"mate": moves}), depth, nodes, time (seconds), points and most_points
    (null if there are none), pv (UCI's notation), san. The last object has type "summary".
    """
    from lolli.cli import suites  # noqa: PLC0415 - not for --help
    from lolli.cli.terminal.keys import stopping  # noqa: PLC0415

    with bad_input(suites.EpdError):
        positions, unusable = suites.read_suites(files)
    runner = suites.SuiteRunner(
        [analyst_from(settings) for _ in range(min(jobs, len(positions)))],
        limits or _DEFAULT_LIMITS,
        stop_early,
    )
    display = suites.SuiteDisplay(positions, as_json, only_failed)
    begun = monotonic()
    with stopping(runner.stop) as interruption, display.shown(), closing(runner.run(positions)) as events:
        for number, event in events:
            display.update(number, event)
    interrupted = len(display.results) < len(positions)
    summary = suites.suite_summary(
        len(positions), unusable, display.results, monotonic() - begun, interrupted=interrupted
    )
    display.finish(summary)
    if interrupted:
        raise SystemExit(interruption.exit_status)
    if unusable or (at_least is not None and summary["solved"] < at_least):
        raise SystemExit(_NOT_ALL)
