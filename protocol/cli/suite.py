"""`lolli suite`: how many positions of a test suite are solved, and how soon."""

from __future__ import annotations

from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from engine.search.limits import Limits
from protocol.cli.engine_options import analyst_from, engine_options
from protocol.cli.evaluators import BadInputError
from protocol.cli.limits import limit_options, limits_from
from protocol.cli.suite_files import read_positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.cli.analysis.settings import AnalystSettings

_USUAL = Limits(move_time=1000)
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
@click.option(
    "--stop-early",
    type=click.IntRange(1),
    metavar="N",
    help="Leave a position once the right move has been best for N depths in a row.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 512),
    default=1,
    show_default=True,
    metavar="N",
    help="Search so many positions at a time, each with a table of its own. Times are only honest with no"
    " more of them than there are idle processor cores.",
)
@engine_options()
@click.option("--failed", "only_failed", is_flag=True, help="List only the positions that were not solved.")
@click.option(
    "--at-least", type=click.IntRange(0), metavar="N", help="Exit with status 1 if fewer than N are solved."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line for each position and the sum.")
def command(
    files: Sequence[str],
    stop_early: int | None,
    jobs: int,
    settings: AnalystSettings,
    only_failed: bool,
    at_least: int | None,
    as_json: bool,
    **limit: Any,
) -> None:
    """Search the positions of test suites and count those that are solved.

    FILE has a position in EPD on each line, with what is asked: bm (one of these moves), am (none of
    these), dm (a mate in so many moves), or points for moves as in the Strategic Test Suite. `-` is
    stdin. A position is solved if the search ends with what is asked, and the time to solution is that from
    which it did not waver any more. Scores are White's.

    Each position gets a second unless --time, --nodes or --depth say otherwise, and begins with nothing
    remembered. A mate that is all that is asked ends the search when it is announced. Ctrl-C ends the suite
    with the sum so far.

    With --json a position is an object with type "position": file, line, id, fen, chess960, bm and am (SAN),
    dm, solved, solution (depth, nodes and time from which the answer was right; null if it was not), move,
    score ({"cp": centipawns} or {"mate": moves}), depth, nodes, time (seconds), points and most_points
    (null where there are none), pv (UCI's notation), san. The last object has type "summary".
    """
    from protocol.cli.suites.display import SuiteDisplay  # noqa: PLC0415 - `lolli suite --help` needs none of it
    from protocol.cli.suites.report import SuiteSummary  # noqa: PLC0415
    from protocol.cli.suites.runner import SuiteRunner  # noqa: PLC0415
    from protocol.cli.terminal.interrupt import stopping  # noqa: PLC0415

    positions, unusable = read_positions(files)
    if not positions:
        raise BadInputError("there is no position that could be searched")
    limits = limits_from(**limit) or _USUAL
    analysts = [analyst_from(settings) for _ in range(min(jobs, len(positions)))]
    pool = SuiteRunner(analysts, limits, stop_early)
    display = SuiteDisplay(positions, as_json, only_failed)
    begun = monotonic()
    with stopping(pool.stop) as interruption, display.shown(), closing(pool.run(positions)) as events:
        for number, event in events:
            display.happened(number, event)
    seconds = monotonic() - begun
    interrupted = len(display.results) < len(positions)
    summary = SuiteSummary(len(positions), unusable, display.results, seconds, interrupted)
    display.finish(summary)
    if interrupted:
        raise SystemExit(interruption.exit_status)
    if unusable or (at_least is not None and summary.solved < at_least):
        raise SystemExit(_NOT_ALL)
