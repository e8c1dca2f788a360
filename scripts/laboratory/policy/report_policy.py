"""`scripts/lab report-policy`: the page about how a network with a policy and a value has learned."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from matplotlib import rc_context
from matplotlib.ticker import PercentFormatter

from engine.files import read_file, write_whole, writing
from engine.games.players.catalogue import game
from eval.learning.drawing import new_figure
from eval.learning.markdown import markdown_table
from scripts.laboratory.lab_options import WIDE
from scripts.laboratory.long_run import FAILED, LARGEST_JOURNAL, description_in
from scripts.laboratory.policy.judgements import percentages, read_judgements
from scripts.laboratory.policy.judging import together
from scripts.laboratory.policy.policy_folder import JOURNAL, JUDGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from scripts.laboratory.policy.judgements import JudgedNetwork

PAGE, CURVES = "report.md", "curves.svg"
_LOSSES = ("policy", "value", "owners of squares")
_ROWS = 12  # of a table
_TIMES = ("seconds of learning", "seconds of processor time")
_COUNTS = ("games", "plies a game", "evaluated a second", "examples", "steps")

_HOW = (
    "{blocks} blocks of {channels} channels; {full} playouts for moves that are learned from, {fast} for "
    "others; seed {seed}."
)

Record = dict[str, Any]
_Row = TypeVar("_Row")


@click.command("report-policy", context_settings=WIDE)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Folder for {PAGE} and {CURVES}; default: FOLDER itself.",
)
def report_policy(folder: Path, out: Path | None) -> None:
    """Write the page about what scripts/lab learn-policy has learned in FOLDER: figures and curves.

    \b
    scripts/lab report-policy data/four --out data/page

    What scripts/lab judge-policy has found of the networks on the way is in it, too.
    """
    try:
        click.echo(str(write_report(folder, folder if out is None else out)))
    except (ValueError, OSError) as error:
        click.echo(f"Cannot report: {error}")
        sys.exit(FAILED)


def write_report(folder: Path, out: Path) -> Path:
    """Write the page and its picture; the page's path. Raises ValueError and OSError."""
    run = description_in(folder / JOURNAL)
    if "blocks" not in run:
        raise ValueError(f"{folder}: no network of scripts/lab learn-policy")
    records = [record for record in _records(folder / JOURNAL)[1:] if "losses" in record]
    found = sorted(read_judgements(folder / JUDGED), key=lambda each: (each.playouts, each.seconds))
    try:
        words = text(run, records, found)
    except (AttributeError, LookupError, TypeError):
        raise ValueError(f"{folder}: its records are not those of learn-policy") from None
    out.mkdir(parents=True, exist_ok=True)
    if _has_curves(records, found):
        draw_curves(out / CURVES, records, found)
    page = out / PAGE
    write_whole(page, words.encode())
    return page


def _records(path: Path) -> list[Record]:
    """The lines of a file of JSON objects. Raises ValueError and OSError."""
    try:
        lines = read_file(path, LARGEST_JOURNAL).decode().splitlines()
        records = [json.loads(line) for line in lines]
    except ValueError:
        raise ValueError(f"{path}: not lines of JSON") from None
    if not all(isinstance(record, dict) for record in records):
        raise ValueError(f"{path}: not lines of JSON objects")
    return records


def _has_curves(records: Sequence[Record], found: Sequence[JudgedNetwork]) -> bool:
    return bool(found) or any(record["losses"] for record in records)


def text(run: Record, records: Sequence[Record], found: Sequence[JudgedNetwork]) -> str:
    """The page, in Markdown. `found` are in the order of playouts and seconds."""
    size = f" on {run['size']} lines" if run["game"] == "go" else ""
    parts = [
        f"# How a network learned {game(run['game']).title}{size}",
        _HOW.format(**run),
        *([f"![Learning curves]({CURVES})"] if _has_curves(records, found) else []),
        "## Learning",
        _learning(records),
    ]
    if found:
        parts.append("## Moves that keep the proven value")
        if not all(share.all_hard for each in found for share in each.shares.values()):
            parts.append("Of all positions, and of the hard ones, where a legal move gives something away.")
        parts += [_judgement(each) for each in _by_sets(found)]
    return "\n\n".join(parts) + "\n"


def _learning(records: Sequence[Record]) -> str:
    rows = [
        [
            f"{record['seconds']:,.0f}",
            *(f"{record[name]:,.0f}" for name in _COUNTS),
            *([f"{loss:.3f}" for loss in record["losses"][:2]] or ["-", "-"]),
        ]
        for record in _some(records)
    ]
    return markdown_table(["seconds", *_COUNTS, "policy's loss", "value's loss"], rows)


def _by_sets(found: Sequence[JudgedNetwork]) -> list[list[JudgedNetwork]]:
    """Those that can be compared, by the same sets of positions, each in a list of their own."""
    groups: dict[tuple[str, ...], list[JudgedNetwork]] = {}
    for each in found:
        groups.setdefault(each.sets, []).append(each)
    return [*groups.values()]


def _by_playouts(found: Sequence[JudgedNetwork]) -> dict[int, list[JudgedNetwork]]:
    curves: dict[int, list[JudgedNetwork]] = {}
    for each in found:
        curves.setdefault(each.playouts, []).append(each)
    return curves


def _judgement(found: Sequence[JudgedNetwork]) -> str:
    """The table of judgements by the same sets."""
    rows = [
        [
            f"{each.seconds:,.0f}",
            str(each.playouts),
            f"{together(each.shares.values()).positions:,}",
            *map(percentages, each.shares.values()),
        ]
        for curve in _by_playouts(found).values()
        for each in _some(curve)
    ]
    return markdown_table(["seconds", "playouts", "positions", *found[0].sets], rows)


def _some(records: Sequence[_Row]) -> Sequence[_Row]:
    """At most about _ROWS of them, the last one included."""
    return records[:: -max(1, len(records) // _ROWS)][::-1]


def draw_curves(path: Path, records: Sequence[Record], found: Sequence[JudgedNetwork]) -> None:
    """The losses, and beside them how many moves keep the value, a panel for the same sets of positions."""
    learned = [record for record in records if record["losses"]]
    groups = _by_sets(found)
    count = bool(learned) + len(groups)
    figure = new_figure(1 + 4 * count, 3.5)
    panels = [*figure.subplots(1, count, squeeze=False)[0]]
    time = _TIMES[bool(records and records[-1].get("processor"))]
    if learned:
        _draw_losses(panels[0], learned)
        _finish(panels[0], time, "loss, nats a position")
    for axes, group in zip(panels[bool(learned) :], groups, strict=True):
        _draw_kept(axes, group)
        first, *others = group[0].sets
        more = f" and {len(others)} more sets" if others else ""
        where = f"\nin {first}{more}" if len(groups) > 1 else ""
        _finish(axes, time, f"moves that keep the proven value{where}")
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "lolli"}), writing(path) as file:
        figure.savefig(file, format="svg", metadata={"Date": None})


def _draw_losses(axes: Axes, records: Sequence[Record]) -> None:
    for number, name in enumerate(_LOSSES):
        seen = [record for record in records if len(record["losses"]) > number and record["losses"][number]]
        if seen:
            axes.plot(
                [record["seconds"] for record in seen],
                [record["losses"][number] for record in seen],
                label=name,
            )


def _draw_kept(axes: Axes, found: Sequence[JudgedNetwork]) -> None:
    for number, (playouts, curve) in enumerate(_by_playouts(found).items()):
        name = f"PUCT, {playouts} playouts" if playouts else "the policy alone"
        seconds = [each.seconds for each in curve]
        shares = [together(each.shares.values()) for each in curve]
        colour = f"C{number}"  # of Matplotlib's ten
        axes.plot(seconds, [share.kept for share in shares], color=colour, label=name)
        if not all(share.all_hard for share in shares):
            hard = [share.hard for share in shares]
            axes.plot(seconds, hard, "--", color=colour, label=f"{name}, hard positions")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def _finish(axes: Axes, time: str, label: str) -> None:
    axes.set_xlabel(time)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
