"""The report on a run of the tuner: a page with pictures, and a summary for the file of weights."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from engine.system.files import write_whole
from eval.features import (
    BISHOP_MOBILITY,
    FACING,
    FEATURES,
    KNIGHT_MOBILITY,
    PIECE_NAMES,
    PLACEMENT,
    QUEEN_MOBILITY,
    ROOK_MOBILITY,
    Feature,
)
from eval.training import pictures
from eval.training.markdown import markdown_table
from eval.training.pictures import Uses
from eval.training.tuner import Epoch, Judgement, Table, TunerSettings

_MATERIAL = (100, 300, 300, 500, 900)
_MOBILITY = (None, KNIGHT_MOBILITY, BISHOP_MOBILITY, ROOK_MOBILITY, QUEEN_MOBILITY)


@dataclass(frozen=True, slots=True)
class Source:
    """A folder of self-play: its name and size, and how its games were played, as far as known."""

    name: str
    games: int
    positions: int
    played: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TuningReport:
    """The settings and results of a run of the tuner.

    `made` is an ISO 8601 date. `start` is the name of the first weights, `before` their table. `held_out` is
    the share of the games for validation. `uses` is `Dataset.uses` of the training positions.
    """

    made: str
    start: str
    mix: float
    settings: TunerSettings
    sources: Sequence[Source]
    training: int
    validation: int
    held_out: float
    epochs: Sequence[Epoch]
    judgements: Sequence[Judgement]
    least: float
    before: Table
    learned: Table
    uses: Uses

    def about(self) -> dict[str, Any]:
        """The summary for the file of weights."""
        return {
            "made": self.made,
            "start": self.start,
            "data": [asdict(source) for source in self.sources],
            "positions": {"training": self.training, "validation": self.validation},
            "settings": {"mix": self.mix, "held out": self.held_out, **asdict(self.settings)},
            "loss": {
                judgement.name: {
                    "training": round(judgement.training, 5),
                    "validation": round(judgement.validation, 5),
                    "validation against results": round(judgement.outcome, 5),
                }
                for judgement in self.judgements
            },
        }


def write(folder: Path, report: TuningReport) -> None:
    """Write report.md and its pictures, replacing those of an earlier run. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    learned, before, uses = report.learned, report.before, report.uses
    pictures.draw_losses(folder / "loss.png", report.epochs)
    pictures.draw_boards(folder / "placement.png", "placement", learned, uses)
    pictures.draw_boards(folder / "facing.png", "facing", learned, uses)
    pictures.draw_mobility(folder / "mobility.png", learned, before, uses)
    pictures.draw_pawns(folder / "pawns.png", learned, before, uses)
    pictures.draw_king(folder / "king.png", learned, before, uses)
    write_whole(folder / "report.md", page(report).encode())


def page(report: TuningReport) -> str:
    """The page in Markdown, which shows the pictures in the same folder."""
    return _paragraphs(
        "# How the weights of the linear evaluation were learned",
        f"Written by `scripts/lab tune` on {report.made}. Its next run replaces this page.",
        "## Data",
        _data(report),
        "## Loss",
        _losses(report),
        "![Loss by epoch](loss.png)",
        "## What was learned",
        "All numbers are centipawns. Dotted curves show the start. Weights that no training position uses "
        "are left out of the pictures.",
        _worths(report),
        "Placement, with the own king on files e to h (otherwise mirrored):",
        "![Placement](placement.png)",
        "In addition, with the enemy king on files e to h (otherwise mirrored):",
        "![Facing](facing.png)",
        "![Mobility](mobility.png)",
        "![Pawns](pawns.png)",
        "![King](king.png)",
        _others(report) + "\n",
    )


def _data(report: TuningReport) -> str:
    rows = [
        [source.name, f"{source.games:,}", f"{source.positions:,}", _played(source.played)]
        for source in report.sources
    ]
    settings = ", ".join(f"{name} {value}" for name, value in asdict(report.settings).items())
    return _paragraphs(
        "Quiet positions of games that Lolli played against itself.",
        markdown_table(["folder", "games", "positions", "played with"], rows),
        f"{report.training:,} positions for training, {report.validation:,} of other games for validation. "
        f"Start: {report.start}. Target: {report.mix:g} of the game's result, the rest the search's score. "
        f"Settings: held out {report.held_out:g}, {settings}.",
        "Games with the same opening can be on both sides: the folders may share a book of openings.",
    )


def _losses(report: TuningReport) -> str:
    rows = [
        [
            judgement.name,
            f"{log(3) / judgement.slope:.0f}",
            f"{judgement.training:.5f}",
            f"{judgement.validation:.5f}",
            f"{judgement.outcome:.5f}",
        ]
        for judgement in report.judgements
    ]
    heads = ["weights", "75 % at", "training", "validation", "validation, results alone"]
    return _paragraphs(
        "Cross entropy in nats per position. Each evaluation is scaled as fits it best; the scale is given "
        "by the centipawns at which it predicts 75 % of the points.",
        markdown_table(heads, rows),
        f"No validation loss can be below {report.least:.5f}, the entropy of the targets. The weights of the "
        "epoch with the least validation loss were kept, so that their validation loss is slightly "
        "optimistic.",
    )


def _worths(report: TuningReport) -> str:
    """Material plus the mean weights of each kind of piece, over the training positions."""
    rows = []
    for piece, material in enumerate(_MATERIAL):
        places = [slice(start + 64 * piece, start + 64 * piece + 64) for start in (PLACEMENT, FACING)]
        mobility = _MOBILITY[piece]
        if mobility is not None:
            size = next(feature.size for feature in FEATURES if feature.start == mobility)
            places.append(slice(mobility, mobility + size))
        worths = material + np.sum([_means(report, place) for place in places], axis=0)
        rows.append([PIECE_NAMES[piece], str(material), *(f"{worth:.0f}" for worth in worths)])
    return _paragraphs(
        "The values of the pieces with their mean placement and mobility:",
        markdown_table(["piece", "material", *pictures.STAGES], rows),
    )


def _means(report: TuningReport, place: slice) -> Table:
    """The means of the weights in a slice, weighted by their uses, for both stages."""
    uses = report.uses[place]
    total: Table = report.learned[:, place] @ uses / max(1, uses.sum())
    return total


def _others(report: TuningReport) -> str:
    rows = []
    for feature in FEATURES:
        if feature.name not in pictures.PICTURED:
            numbers = [_numbers(feature, table) for table in (*report.learned, *report.before)]
            rows.append([feature.name, feature.meaning, *numbers])
    heads = ["feature", "counted", *pictures.STAGES, *(f"{stage} before" for stage in pictures.STAGES)]
    return markdown_table(heads, rows)


def _numbers(feature: Feature, weights: Table) -> str:
    return ", ".join(f"{weight:.0f}" for weight in weights[feature.start : feature.start + feature.size])


def _played(settings: dict[str, Any]) -> str:
    known = [(name.replace("_", " "), value) for name, value in settings.items() if value is not None]
    return ", ".join(f"{name} {value}" for name, value in known) or "unknown"


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(parts)
