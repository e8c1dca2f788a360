"""What was learned, from what, and how well: a page with pictures, in short also for the file of weights."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np

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
from eval.learning import pictures
from eval.learning.loss import Judgement
from eval.learning.pictures import Uses
from eval.learning.tuner import Epoch, Table, TunerSettings

_MATERIAL = (100, 300, 300, 500, 900)
_MOBILITY = (None, KNIGHT_MOBILITY, BISHOP_MOBILITY, ROOK_MOBILITY, QUEEN_MOBILITY)


@dataclass(frozen=True, slots=True)
class Source:
    """A folder of self-play: its name, what it holds, and how it was played, as far as that is known."""

    name: str
    games: int
    positions: int
    played: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TuningReport:
    """All that there is to say about a run of the tuner.

    `made` is the date as ISO 8601 has it; `start` names where the weights come from, `before` are these;
    `held_out` is the share of the games that judged; `uses` as in Dataset, of the training.
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
        """What the file of weights says about itself."""
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
    """Write report.md and its pictures, over those of an earlier run. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    learned, before, uses = report.learned, report.before, report.uses
    pictures.draw_losses(folder / "loss.png", report.epochs)
    pictures.draw_boards(folder / "placement.png", "placement", learned, uses)
    pictures.draw_boards(folder / "facing.png", "facing", learned, uses)
    pictures.draw_mobility(folder / "mobility.png", learned, before, uses)
    pictures.draw_pawns(folder / "pawns.png", learned, before, uses)
    pictures.draw_king(folder / "king.png", learned, before, uses)
    (folder / "report.md").write_text(page(report), encoding="utf-8")


def page(report: TuningReport) -> str:
    """The page in Markdown, which shows the pictures beside it."""
    return _paragraphs(
        "# How the weights of the linear evaluation were learned",
        f"Written by `scripts/lab tune` on {report.made}, and anew by its next run.",
        "## Data",
        _data(report),
        "## Loss",
        _losses(report),
        "![Loss by epoch](loss.png)",
        "## What was learned",
        "All numbers are centipawns; in the curves, dots show the start. Weights without a use in the "
        "training are left out of the pictures.",
        _worths(report),
        "Placement, with the own king on files e to h, else mirrored:",
        "![Placement](placement.png)",
        "To be added, with the enemy's king on files e to h, else mirrored:",
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
        _table(["folder", "games", "positions", "played with"], rows),
        f"{report.training:,} positions were learned from, {report.validation:,} of other games judged. "
        f"Start: {report.start}. Target: {report.mix:g} of the game's result, the rest the search's score. "
        f"Settings: held out {report.held_out:g}, {settings}.",
        "Games that begin alike can be on both sides: the folders may take their openings from one book.",
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
        "Cross entropy in nats a position, each evaluation by the scale that fits it best: the centipawns at "
        "which it expects 75 % of the points.",
        _table(heads, rows),
        f"Nothing can be below {report.least:.5f} in validation; that is how uncertain the targets are. The "
        "epoch that was kept is the one with the least loss in validation, so that of the learned weights is "
        "a little flattered.",
    )


def _worths(report: TuningReport) -> str:
    """Material with the mean of what every such piece counts, over the positions learned from."""
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
        "What pieces are worth with their mean placement and mobility:",
        _table(["piece", "material", *pictures.STAGES], rows),
    )


def _means(report: TuningReport, place: slice) -> Table:
    """The mean weight of either stage in some place, each by its uses."""
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
    return _table(heads, rows)


def _numbers(feature: Feature, weights: Table) -> str:
    return ", ".join(f"{weight:.0f}" for weight in weights[feature.start : feature.start + feature.size])


def _played(settings: dict[str, Any]) -> str:
    known = [(name.replace("_", " "), value) for name, value in settings.items() if value is not None]
    return ", ".join(f"{name} {value}" for name, value in known) or "unknown"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---" for _ in heads], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(parts)
