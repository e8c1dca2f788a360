"""`lolli ablate`: what each technique of the search is worth."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from lolli.cli.shared_options import (
    DEEPEST,
    MOST_NODES,
    bad_input,
    chosen_evaluator,
    engine_options,
    flag_option,
    json_option,
    number_option,
    time_option,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lolli.cli.ablation import ExperimentPart, Laboratory
    from lolli.cli.analysis.finding import AnalystSettings

_NOT_ALL = 1  # exit status
_LADDER_NODES, _ABLATION_NODES = 5_000_000, 1_000_000


@click.command(
    epilog="""\b
Examples:
  lolli ablate
  lolli ablate bratko-kopec.epd --only ablation --depth 12
  lolli ablate --only ladder --ladder-depth 5 --nodes 200000000
  lolli ablate --techniques null_move,late_move_reductions --depth 12
  lolli ablate --exact --eval material --json > exact.jsonl""",
)
@click.argument("files", nargs=-1, type=click.Path(), metavar="[POSITIONS]...")
@click.option(
    "--only", type=click.Choice(("ladder", "ablation")), help="Run only this part of the experiment."
)
@number_option("--ladder-depth", least=1, most=DEEPEST, default=4, help="The depth of the ladder's searches.")
@number_option("--depth", least=1, most=DEEPEST, default=10, help="The depth of the ablation's searches.")
@click.option(
    "--techniques",
    metavar="NAME,...",
    help="Only these: each in turn added to minimax, and each switched by itself.",
)
@flag_option("--exact", help="Leave out selective techniques, unless --techniques names them.")
@number_option(
    "--nodes",
    least=1,
    help="Leave a position after N nodes; only finished depths count. Default:"
    f" {_LADDER_NODES:,} in the ladder, {_ABLATION_NODES:,} in the ablation.",
)
@time_option("Leave a position after SECONDS; the figures then depend on the machine.")
@engine_options(threads=False)
@json_option("Print JSON, a line for each search and the summary.")
def command(  # noqa: PLR0917 - an argument for each option
    files: Sequence[str],
    only: str | None,
    ladder_depth: int,
    depth: int,
    techniques: str | None,
    exact: bool,
    nodes: int | None,
    time: float | None,
    settings: AnalystSettings,
    as_json: bool,
) -> None:
    """Measure what each technique of the search is worth: nodes, time, branching factor, moves found.

    There are two parts. The ladder begins with plain minimax and adds one technique after the other, up to
    the whole search; the figures expected by theory stand beside the first ones. The ablation takes the whole
    search and switches off one technique at a time. The names are those of the UCI option Parameters. With
    the default positions and depths all of it takes some minutes.

    POSITIONS are files in EPD, as for `lolli suite`, or in FEN; `-` is stdin. The default is the 24 positions
    of Bratko and Kopec. Each is searched with one thread and an empty table, so the nodes are the same on
    every run. Nodes and (processor) time are those to the end of a depth: geometric means over the positions.
    Branching is the geometric mean of N(d)/N(d-1), N being the nodes to depth d, over the last four depths,
    or two if there are fewer. Found counts the positions whose best move at that depth is a solution.

    With --json a search is an object with type "search": part ("ladder" or "ablation"), search, on (the
    techniques), wanted_depth, depth, nodes, time (seconds), branching, theory (leaves, or null), found,
    asked, positions (id, fen, and for each depth from 1 nodes, time, moves). The last object has type
    "summary": positions, unusable (lines), legal_moves (b), time, interrupted.
    """
    from lolli.cli.ablation import AblationDisplay, default_positions, measured  # noqa: PLC0415 - not for --help
    from lolli.cli.suites import EpdError, read_suites  # noqa: PLC0415
    from lolli.cli.terminal.tty import stopping  # noqa: PLC0415

    with bad_input(EpdError):
        positions, unusable = read_suites(files, must_ask=False) if files else (default_positions(), 0)
    parts = _parts(techniques, exact, only, (ladder_depth, depth), nodes, time)
    laboratory = _laboratory(settings)
    display = AblationDisplay(positions, parts, as_json=as_json)
    begun = monotonic()
    with stopping(laboratory.stop) as interruption:
        for part in parts:
            with display.shown_for(part), closing(measured(laboratory, positions, part)) as events:
                for event in events:
                    display.update(event)
            if laboratory.stopped:
                break
    display.finish(unusable, monotonic() - begun, interrupted=laboratory.stopped)
    if laboratory.stopped:
        raise SystemExit(interruption.exit_status)
    if unusable:
        raise SystemExit(_NOT_ALL)


def _parts(
    techniques: str | None,
    exact: bool,
    only: str | None,
    depths: tuple[int, int],
    nodes: int | None,
    time: float | None,
) -> list[ExperimentPart]:
    """The parts of the experiment. Raises BadInputError."""
    from lolli.cli import ablation as experiment  # noqa: PLC0415 - not for --help
    from lolli.cli.ablation import ExperimentLimits, ExperimentPart  # noqa: PLC0415

    with bad_input(ValueError):
        names = experiment.techniques(exact) if techniques is None else experiment.chosen(techniques)
    ladder_depth, depth = depths
    nodes = None if nodes is None else min(nodes, MOST_NODES)
    steps, switched = list(experiment.ladder(names)), list(experiment.ablation(names, exact))
    ladder = ExperimentPart(True, steps, ExperimentLimits(ladder_depth, nodes or _LADDER_NODES, time))
    ablation = ExperimentPart(False, switched, ExperimentLimits(depth, nodes or _ABLATION_NODES, time))
    return {"ladder": [ladder], "ablation": [ablation]}.get(only or "", [ladder, ablation])


def _laboratory(settings: AnalystSettings) -> Laboratory:
    """Raises BadInputError if the evaluator or the table cannot be set up."""
    from engine.search.table import TableError  # noqa: PLC0415 - see above
    from lolli.cli.ablation import Laboratory  # noqa: PLC0415

    weights = None if settings.weights is None else Path(settings.weights)
    name, choices = chosen_evaluator(settings.evaluator, weights)
    with bad_input(TableError):
        return Laboratory(choices[name].make(), settings.megabytes)
