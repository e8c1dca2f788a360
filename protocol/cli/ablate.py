"""`lolli ablate`: what each technique of the search is worth."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from protocol.cli.engine_options import engine_options
from protocol.cli.evaluators import BadInputError
from protocol.cli.evaluators import chosen as chosen_evaluator
from protocol.cli.limits import MOST_NODES, seconds
from protocol.cli.suite_files import read_positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.cli.ablation.laboratory import Laboratory
    from protocol.cli.ablation.run import ExperimentPart
    from protocol.cli.analysis.settings import AnalystSettings

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
    "--only", type=click.Choice(("ladder", "ablation")), help="Leave out the other part of the experiment."
)
@click.option(
    "--ladder-depth",
    type=click.IntRange(1, 127),
    default=4,
    show_default=True,
    metavar="N",
    help="How deep to search from plain minimax upwards.",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 127),
    default=10,
    show_default=True,
    metavar="N",
    help="How deep to search with all techniques but one.",
)
@click.option(
    "--techniques",
    metavar="NAME,...",
    help="Only these: one after the other added to minimax, and each switched by itself.",
)
@click.option("--exact", is_flag=True, help="Without the techniques that guess, wherever they are not named.")
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="Leave a position after so many, at the last depth that was finished: usually after"
    f" {_LADDER_NODES:,} in the ladder, after {_ABLATION_NODES:,} in the ablation.",
)
@click.option(
    "--time",
    "time",
    type=float,
    callback=seconds,
    metavar="SECONDS",
    help="Likewise after so long; then the figures depend on the machine.",
)
@engine_options(threads=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line for each search and the sum.")
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
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
    the whole search; theory's figures stand beside the first ones. The ablation takes the whole search, and
    switches off one technique at a time. The names are those of the UCI option Parameters. With the usual
    positions and depths all of it takes some minutes.

    POSITIONS are files in EPD, as for `lolli suite`, or in FEN; `-` is stdin. Usual are the 24 of Bratko and
    Kopec. Each is searched with one thread and nothing remembered, so the nodes are the same on every run.
    Nodes and times (of the processor) are those to the end of a depth in a position: geometric means over
    the positions. Branching is the geometric mean of N(d)/N(d-1), N being the nodes to depth d, over the last
    four depths, or two where there are fewer. Found counts the positions whose best move at that depth is as
    asked.

    With --json a search is an object with type "search": part ("ladder" or "ablation"), search, on (the
    techniques), wanted_depth, depth, nodes, time (seconds), branching, theory (leaves; null where there is
    none), found, asked, positions (id, fen, and for each depth from 1 nodes, time, moves). The last object
    has type "summary": positions, unusable (lines), legal_moves (b), time, interrupted.
    """
    from protocol.cli.ablation.display import AblationDisplay  # noqa: PLC0415 - `lolli ablate --help` needs none of it
    from protocol.cli.ablation.positions import usual_positions  # noqa: PLC0415
    from protocol.cli.ablation.run import Ablation  # noqa: PLC0415
    from protocol.cli.terminal.interrupt import stopping  # noqa: PLC0415

    positions, unusable = read_positions(files, must_ask=False) if files else (usual_positions(), 0)
    if not positions:
        raise BadInputError("there is no position that could be searched")
    parts = _parts(techniques, exact, only, (ladder_depth, depth), nodes, time)
    laboratory = _laboratory(settings)
    run = Ablation(laboratory, positions)
    display = AblationDisplay(positions, parts, as_json=as_json)
    begun = monotonic()
    with stopping(laboratory.stop) as interruption:
        for part in parts:
            with display.shown(part), closing(run.measure(part)) as events:
                for event in events:
                    display.happened(event)
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
    """What is to be measured. Raises BadInputError."""
    from protocol.cli.ablation import variants  # noqa: PLC0415 - see above
    from protocol.cli.ablation.laboratory import ExperimentLimits  # noqa: PLC0415
    from protocol.cli.ablation.run import ExperimentPart  # noqa: PLC0415

    try:
        names = variants.techniques(exact) if techniques is None else variants.chosen(techniques)
    except variants.VariantError as error:
        raise BadInputError(str(error)) from None
    ladder_depth, depth = depths
    nodes = None if nodes is None else min(nodes, MOST_NODES)
    ladder = ExperimentPart(
        True, list(variants.ladder(names)), ExperimentLimits(ladder_depth, nodes or _LADDER_NODES, time)
    )
    whole = list(variants.ablation(names, exact))
    ablation = ExperimentPart(False, whole, ExperimentLimits(depth, nodes or _ABLATION_NODES, time))
    return {"ladder": [ladder], "ablation": [ablation]}.get(only or "", [ladder, ablation])


def _laboratory(settings: AnalystSettings) -> Laboratory:
    """Raises BadInputError where it cannot be had as asked for."""
    from engine.search.table import TableError  # noqa: PLC0415 - see above
    from protocol.cli.ablation.laboratory import Laboratory  # noqa: PLC0415

    weights = None if settings.weights is None else Path(settings.weights)
    name, choices = chosen_evaluator(settings.evaluator, weights)
    try:
        return Laboratory(choices[name].make(), settings.megabytes)
    except TableError as error:
        raise BadInputError(str(error)) from None
