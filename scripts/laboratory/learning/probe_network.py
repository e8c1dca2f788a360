"""`scripts/lab probe-network`: what the network gets wrong, beside `linear` and the truth."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import track
from rich.table import Table

from engine.files import write_whole
from eval import network_file
from eval.learning.markdown import markdown_table
from eval.weight_file import WeightsError
from protocol.cli.terminal.console import messages, output
from scripts.laboratory.lab_options import WIDE, count_option, file_option, seed_option
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.probes import (
    DECISIVE,
    LARGEST,
    PROBES,
    Answer,
    Judge,
    Probe,
    read_probes,
    sample_tables,
    summary,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = ("network", "linear")
_TRUTHS = {1: "White wins", 0: "draw", -1: "Black wins", None: "unknown"}
_KIND_HEADS = (
    *("class", "positions", "result known"),
    *("network wrong", "after search", "linear wrong", "after search"),
    *("network: change by search", "linear: change by search"),
)
_PROBE_HEADS = ("position", "network", "after search", "linear", "after search", "truth")

_PAGE = f"""# Positions that the network may get wrong

Written by `scripts/lab probe-network`, which replaces it at its next run.

Values are White's, in centipawns, at once and after a search of {{nodes:,}} nodes with the same evaluator. A
value of {DECISIVE} or more says that a side wins; it is wrong if the result is known and is another one. The
last two columns say by how much the search changes the value, on average, where one beyond {LARGEST} counts
as {LARGEST}.

{{kinds}}

The positions are those of [probes.epd](../../scripts/laboratory/data/probes.epd); those of tables are random
and quiet, and their results are from Syzygy tables.

{{positions}}
"""

Row = tuple[str, ...]
Answers = tuple[Answer, Answer]


@click.command("probe-network", context_settings=WIDE)
@file_option("--network", "Network to probe.", Path(network_file.STANDARD))
@count_option("--nodes", 100_000, "Nodes of a search.")
@click.option(
    "--syzygy",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of Syzygy tables: also probe random positions of its pawn endings.",
)
@count_option("--samples", 100, "Number of positions of each table.")
@seed_option("the positions of tables")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="File for the tables in Markdown."
)
def probe_network(
    *, network: Path, nodes: int, syzygy: Path | None, samples: int, seed: int, out: Path | None
) -> None:
    """Look for what a network gets wrong: odd material, fortresses, opposite bishops, corners, pawn endings.

    \b
    scripts/lab probe-network --syzygy tables --out docs/learning/probes.md

    In each position the network and `linear` are asked for their value at once and after a search. Where the
    result is known, a value counts as wrong if it does not say so; where it is not, it shows by how much a
    search moves the value.
    """
    if out is not None and not out.parent.is_dir():
        raise click.UsageError(f"--out: there is no folder {out.parent}")
    try:
        probes = read_probes(PROBES) + (sample_tables(syzygy, samples, seed) if syzygy else [])
        judges = [
            Judge(GivenEvaluator.read(name, file).make(), nodes)
            for name, file in zip(_NAMES, (str(network), None), strict=True)
        ]
    except (WeightsError, ValueError, OSError) as error:
        raise click.UsageError(str(error)) from error
    answers = _asked(probes, judges)
    kinds, each = kind_rows(probes, answers), probe_rows(probes, answers)
    for heads, rows in ((_KIND_HEADS, kinds), (_PROBE_HEADS, each)):
        output().print(_printed(heads, rows))
    if out is not None:
        try:
            write_whole(out, page(kinds, each, nodes).encode())
        except OSError as error:
            raise click.UsageError(f"--out: {error}") from error


def _asked(probes: Sequence[Probe], judges: Sequence[Judge]) -> list[Answers]:
    progress = track(probes, "positions", console=messages())
    return [(judges[0].ask(probe.board), judges[1].ask(probe.board)) for probe in progress]


def kind_rows(probes: Sequence[Probe], answers: Sequence[Answers]) -> list[Row]:
    """A row for each kind."""
    rows = []
    for kind, members in groupby(zip(probes, answers, strict=True), lambda pair: pair[0].kind):
        found, said = zip(*members, strict=True)
        network, linear = (summary(found, [both[judge] for both in said]) for judge in range(2))
        known = sum(probe.result is not None for probe in found)
        counts = (len(found), known)
        wrong = (network.wrong_at_once, network.wrong_searched, linear.wrong_at_once, linear.wrong_searched)
        apart = (f"{each.apart:.0f}" for each in (network, linear))
        rows.append((kind, *map(str, counts), *(str(each) if known else "" for each in wrong), *apart))
    return rows


def probe_rows(probes: Sequence[Probe], answers: Sequence[Answers]) -> list[Row]:
    """A row for each position that is not of a table."""
    return [
        (
            f"{probe.kind}: {probe.name}",
            *(str(value) for answer in both for value in (answer.static, answer.searched)),
            _TRUTHS[probe.result],
        )
        for probe, both in zip(probes, answers, strict=True)
        if not probe.kind.startswith("table ")
    ]


def page(kinds: Sequence[Row], each: Sequence[Row], nodes: int) -> str:
    """The tables as a page in Markdown."""
    return _PAGE.format(
        nodes=nodes,
        kinds=markdown_table(_KIND_HEADS, kinds),
        positions=markdown_table(_PROBE_HEADS, each),
    )


def _printed(heads: Row, rows: Sequence[Row]) -> Table:
    table = Table(*heads)
    for row in rows:
        table.add_row(*row)
    return table
