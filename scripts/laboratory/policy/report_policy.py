"""`scripts/lab report-policy`: the page about how a network with a policy and a value has learned."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from matplotlib import rc_context
from matplotlib.ticker import PercentFormatter

from engine.files import read_file
from eval.learning.drawing import COLOURS, new_figure
from eval.learning.markdown import markdown_table
from scripts.laboratory.lab_options import WIDE
from scripts.laboratory.long_run import FAILED, LARGEST_JOURNAL, description_in
from scripts.laboratory.policy.policy_folder import JOURNAL, JUDGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

PAGE, CURVES = "report.md", "curves.svg"
_LOSSES = ("policy", "value", "owners of squares")
_ROWS = 12  # of a table
_TIMES = ("seconds of learning", "seconds of processor time")
_LINES = ((0, "-", ""), (1, "--", ", hard positions"))
_COUNTS = ("games", "plies a game", "evaluated a second", "examples", "steps")

_HOW = (
    "{blocks} blocks of {channels} channels; {full} playouts for moves that are learned from, {fast} for "
    "others; seed {seed}."
)

Record = dict[str, Any]


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
    found = _records(folder / JUDGED) if (folder / JUDGED).exists() else []
    try:
        words = text(run, records, found)
    except (AttributeError, LookupError, TypeError):
        raise ValueError(f"{folder}: its records are not those of learn-policy and judge-policy") from None
    out.mkdir(parents=True, exist_ok=True)
    draw_curves(out / CURVES, records, found)
    page = out / PAGE
    page.write_text(words)
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


def text(run: Record, records: Sequence[Record], found: Sequence[Record]) -> str:
    """The page, in Markdown."""
    size = f" on {run['size']} lines" if run["game"] == "go" else ""
    parts = [
        f"# How a network learned {run['game']}{size}",
        _HOW.format(**run),
        f"![Learning curves]({CURVES})",
        "## Learning",
        _learning(records),
    ]
    if found:
        parts += [
            "## Moves that keep the proven value",
            "Of all positions, and of the hard ones, where a legal move gives something away.",
            _judgement(found),
        ]
    return "\n\n".join(parts) + "\n"


def _learning(records: Sequence[Record]) -> str:
    rows = [
        [
            f"{record['seconds']:,.0f}",
            *(f"{record[name]:,.0f}" for name in _COUNTS),
            *(f"{loss:.3f}" for loss in record["losses"][:2] or (float("nan"),) * 2),
        ]
        for record in _some(records)
    ]
    return markdown_table(["seconds", *_COUNTS, "policy's loss", "value's loss"], rows)


def _judgement(found: Sequence[Record]) -> str:
    names = [*found[0]["kept"]]
    rows = []
    for playouts in sorted({record["playouts"] for record in found}):
        for record in _some([each for each in found if each["playouts"] == playouts]):
            cells = [f"{100 * kept:.1f}, {100 * hard:.1f}%" for kept, hard in record["kept"].values()]
            rows.append([f"{record['seconds']:,.0f}", str(playouts), *cells])
    return markdown_table(["seconds", "playouts", *names], rows)


def _some(records: Sequence[Record]) -> Sequence[Record]:
    """At most about _ROWS of them, the last one included."""
    return records[:: -max(1, len(records) // _ROWS)][::-1]


def share_together(record: Record, which: int) -> float:
    """The share of all sets together: of all positions (0), or of the hard ones (1)."""
    counts = [counts[which] for counts in record["positions"].values()]
    kept = [shares[which] for shares in record["kept"].values()]
    total = sum(share * count for share, count in zip(kept, counts, strict=True))
    return float(total / max(sum(counts), 1))


def draw_curves(path: Path, records: Sequence[Record], found: Sequence[Record]) -> None:
    """The losses, and beside them how many moves keep the value, where that was judged."""
    figure = new_figure(9 if found else 5, 3.5)
    panels = figure.subplots(1, 2 if found else 1, squeeze=False)[0]
    for number, name in enumerate(_LOSSES):
        seen = [record for record in records if len(record["losses"]) > number and record["losses"][number]]
        if seen:
            panels[0].plot(
                [record["seconds"] for record in seen],
                [record["losses"][number] for record in seen],
                label=name,
            )
    time = _TIMES[bool(records and records[-1].get("processor"))]
    _finish(panels[0], time, "loss, nats a position")
    if found:
        for playouts, colour in zip(sorted({each["playouts"] for each in found}), COLOURS * 3, strict=False):
            seen = [record for record in found if record["playouts"] == playouts]
            seconds = [record["seconds"] for record in seen]
            name = f"PUCT, {playouts} playouts" if playouts else "the policy alone"
            hard = any(counts[0] != counts[1] for each in seen for counts in each["positions"].values())
            for which, style, part in _LINES[: 1 + hard]:
                shares = [share_together(record, which) for record in seen]
                panels[1].plot(seconds, shares, style, color=colour, label=name + part)
        panels[1].yaxis.set_major_formatter(PercentFormatter(1.0))
        _finish(panels[1], time, "moves that keep the proven value")
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "lolli"}):
        figure.savefig(path, metadata={"Date": None})


def _finish(axes: Axes, time: str, label: str) -> None:
    axes.set_xlabel(time)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(fontsize=8)
