"""The page about a value network: how it learned, what pieces are worth to it. Its pictures are PNG files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from PIL import Image

from engine.board.fen import format_fen, square_name
from engine.system.files import write_whole, writing
from eval.features import PIECE_NAMES
from eval.linear import Linear
from eval.network import Network
from eval.network_file import NetworkWeights
from eval.network_shape import ROWS
from eval.training.float_network import FloatNetwork
from eval.training.positions import Corpus, Records, position_of
from eval.weight_file import Weights

Doubles = npt.NDArray[np.float64]

_COLOURS = ("tab:blue", "tab:orange")
_DOTS = 100  # per inch
_SHADES = 128
_PALEST = 40.0  # centipawns: no smaller weight has full colour


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---" for _ in heads], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def new_figure(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), dpi=_DOTS, layout="constrained")


def _save(figure: Figure, path: Path) -> None:
    drawn = BytesIO()
    figure.savefig(drawn, format="png")
    with writing(path) as file:
        picture = Image.open(drawn).convert("RGB").quantize(_SHADES, dither=Image.Dither.NONE)
        picture.save(file, "PNG", optimize=True)


def _heat(axes: Axes, table: Doubles, title: str) -> None:
    seen = table[np.isfinite(table)]
    limit = max(_PALEST, float(np.abs(seen).max(initial=0)))
    axes.imshow(table, cmap="RdBu", vmin=-limit, vmax=limit, origin="lower", aspect="auto")
    for (row, column), number in np.ndenumerate(table):
        if np.isfinite(number):
            colour = "white" if abs(number) > 0.6 * limit else "black"
            axes.text(column, row, f"{number:.0f}", ha="center", va="center", fontsize=6.5, color=colour)
    axes.tick_params(labelsize=7, length=0)
    axes.set_title(title, fontsize=9)
    axes.set_xticks(range(8), "abcdefgh")
    axes.set_yticks(range(8), "12345678")


def _loss_curves(axes: Axes, epochs: Sequence[Mapping[str, Any]]) -> None:
    numbers = [epoch["number"] for epoch in epochs]
    for part, colour in zip(("training", "validation"), _COLOURS, strict=True):
        axes.plot(numbers, [epoch[part] for epoch in epochs], ".-", color=colour, label=part)
    axes.set_xlabel("epoch")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    axes.legend()


_PAGE, _PICTURES = "report.md", ("curves.png", "units.png", "worths.png")
_SEEN = 20_000  # positions whose values are compared, and in which pieces are valued
_SHOWN = 12
_LARGEST_SCORE = 600
_LEAST_MEETINGS = 30  # of a piece on a square, for the mean of its worth there to be shown
_RESULTS = ("lost", "drawn", "won")
_KINDS = 5  # of pieces that can be taken away
_UNITS = 12
_PICTURED_BUCKET = 0  # the king bucket whose weights are shown
_FULL_COLOUR = 0.99  # the share of the weights that have not yet full colour


@dataclass(frozen=True, slots=True)
class NetworkReport:
    """What the page says besides what stands in the network's file.

    `apart`: root mean square of the difference between both evaluations in `compared` positions, in
    centipawns. `disagreements`: rows of the table; in `nearer` of them the network is nearer to the search's
    score. `worths`: by kind of piece, kings excepted, and square, from its own side, in centipawns; NaN if
    never met. `counts`: how often it was met.
    """

    compared: int
    apart: float
    disagreements: list[list[str]]
    nearer: int
    worths: Doubles
    counts: npt.NDArray[np.int64]

    def mean_worths(self) -> list[float]:
        sums = np.nansum(self.worths * self.counts, axis=(1, 2))
        counts = self.counts.sum(axis=(1, 2))
        means: list[float] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).tolist()
        return means


def examine(weights: NetworkWeights, linear: Weights, found: Corpus) -> NetworkReport:
    """On positions of the games that were held out of the network's training."""
    held_out = np.concatenate([each.held_out for each in found.generations])
    rows = np.arange(0, len(held_out), max(1, len(held_out) // _SEEN))
    seen = held_out[rows]
    network, other = Network(weights), Linear(linear)
    values = np.zeros((len(seen), 2), np.int64)
    for row, record in enumerate(seen):
        position = position_of(record)
        values[row] = network.static_value(position), other.static_value(position)
    differences = values[:, 0] - values[:, 1]
    ends = np.cumsum([len(each.held_out) for each in found.generations])
    generations = [found.generations[place] for place in np.searchsorted(ends, rows, "right")]
    games: set[str] = set()
    shown: list[list[str]] = []
    nearer = 0
    for row in np.argsort(-np.abs(differences), kind="stable"):
        record, score = seen[row], int(seen[row]["score"])
        game = f"{generations[row].folder} {int(record['game'])}"
        if game in games or abs(score) > _LARGEST_SCORE or len(shown) == _SHOWN:
            continue
        games.add(game)
        mine, theirs = values[row].tolist()
        nearer += abs(mine - score) < abs(theirs - score)
        fen = f"`{format_fen(position_of(record))}`"
        shown.append([fen, *map(str, (mine, theirs, score)), _RESULTS[record["result"]], game])
    apart = float(np.sqrt(np.mean(differences.astype(float) ** 2))) if len(seen) else 0.0
    return NetworkReport(len(seen), apart, shown, nearer, *_worths(network, seen))


def _worths(network: Network, seen: Records) -> tuple[Doubles, npt.NDArray[np.int64]]:
    sums, counts = np.zeros((_KINDS, 64)), np.zeros((_KINDS, 64), np.int64)
    for record in seen:
        position = position_of(record)
        parts = network.explain(position).network
        for square, worth in enumerate(parts.men if parts else ()):
            if worth is not None:
                piece = position.piece_at(square)
                place = piece & 7, square ^ (56 if piece & 8 else 0)
                sums[place] += worth
                counts[place] += 1
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means.reshape(_KINDS, 8, 8), counts.reshape(_KINDS, 8, 8)


def write_network(folder: Path, weights: NetworkWeights, report: NetworkReport) -> Path:
    """Replaces the page and pictures of an earlier network."""
    folder.mkdir(parents=True, exist_ok=True)
    curves, units, worths = (folder / name for name in _PICTURES)
    stages = weights.about["stages"]
    figure = new_figure(4.5 * len(stages), 3.5)
    for axes, stage in zip(figure.subplots(1, len(stages), squeeze=False)[0], stages, strict=True):
        _loss_curves(axes, stage["epochs"])
        axes.set_title(stage["name"], fontsize=10)
    figure.supylabel("loss, nats a position", fontsize=10)
    _save(figure, curves)
    _draw_units(units, FloatNetwork.of_file(weights))
    figure = new_figure(11, 6.2)
    boards = figure.subplots(2, 3).ravel()
    shown = np.where(report.counts >= _LEAST_MEETINGS, report.worths, np.nan)
    for axes, name, table, mean in zip(boards, PIECE_NAMES, shown, report.mean_worths(), strict=False):
        _heat(axes, table - mean, f"{name}: {mean:.0f} plus" if np.isfinite(mean) else name)
    boards[-1].set_axis_off()
    _save(figure, worths)
    path = folder / _PAGE
    write_whole(path, network_page(weights, report).encode())
    return path


def _draw_units(path: Path, network: FloatNetwork) -> None:
    hidden = network.hidden()[:-1].reshape(-1, ROWS, network.width)[_PICTURED_BUCKET]
    figure = new_figure(11, 0.95 * _UNITS)
    grid = figure.subplots(_UNITS, 12)
    for row, unit in zip(grid, heaviest_units(network, _UNITS), strict=True):
        boards = hidden[:, unit].reshape(12, 8, 8)
        limit = float(np.quantile(np.abs(boards), _FULL_COLOUR)) or 1.0
        for axes, board in zip(row, boards, strict=True):
            axes.imshow(board, cmap="RdBu", vmin=-limit, vmax=limit, origin="lower")
            axes.set_xticks([])
            axes.set_yticks([])
        row[0].set_ylabel(f"{unit}", fontsize=8)
    for column, axes in enumerate(grid[0]):
        axes.set_title(f"{('own', 'enemy')[column // 6]}\n{PIECE_NAMES[column % 6]}", fontsize=8)
    _save(figure, path)


def heaviest_units(network: FloatNetwork, count: int) -> list[int]:
    """Units by how much their weights and those of their outputs vary, the heaviest first."""
    outputs = np.abs(network.outputs()[:, :-1]).mean(axis=0).reshape(2, network.width).sum(axis=0)
    weight = outputs * network.hidden()[:ROWS].std(axis=0)
    heaviest: list[int] = np.argsort(-weight, kind="stable")[:count].tolist()
    return heaviest


def network_page(weights: NetworkWeights, report: NetworkReport) -> str:
    about = weights.about
    judgement = about["stages"][-1]["judgement"]
    heads = ["position", "network", "linear", "search", "White", "game"]
    worths = zip(PIECE_NAMES, report.mean_worths(), strict=False)
    return _paragraphs(
        "# How the value network learned",
        f"Written by `scripts/lab report-network` of a network made on {about.get('made', 'an unknown day')}."
        " Its next run replaces it.",
        "## Data",
        *([_mean(about["mean_of"])] if "mean_of" in about else []),
        "The network learned the scores of searches and the results of games. Folders without games have "
        "positions that searches asked about, with the score of a search of as many nodes as the column "
        "“teacher” says; in a stage `static values`, as once came first, with their static values. "
        "“Centipawns a logit” is the score that means odds of e to 1.",
        _data(about["stages"]),
        _settings(weights),
        "## Loss",
        "Cross entropy in nats a position: training in all positions of a stage, validation only in those of "
        "games that were held out. The two cannot be compared; what counts is whether both still fall.",
        "![Loss by epoch](curves.png)",
        "In the games that were held out, by stage of the game. The least possible loss is the entropy of "
        "the targets; the last column compares with the results of the games alone.",
        _bands([judgement["total"]], "positions"),
        _bands(judgement["men"], "men on the board"),
        _bands(judgement["plies"], "ply"),
        "## What men are worth to it",
        "The value less the value without the man, in centipawns, on average over positions of games. The "
        "boards show by how much more or less it is worth on a square, seen from its own side; squares where "
        f"it was met fewer than {_LEAST_MEETINGS} times are left white.",
        markdown_table(
            ["piece", "worth"], [[name, f"{worth:.0f}"] for name, worth in worths if np.isfinite(worth)]
        ),
        "![What men are worth by square](worths.png)",
        "## What its units look for",
        _units(weights),
        "![Hidden weights](units.png)",
        "## Where it and `linear` disagree most",
        f"In {report.compared:,} positions of games held out, they are {report.apart:.0f} centipawns apart "
        "(root mean square). In these they are further apart than in any other of the same game. Positions "
        f"to which the search in the game gave more than {_LARGEST_SCORE} centipawns for either side are "
        "left out: there both know who wins. Boards are turned so that White is to move; values are White's, "
        "in centipawns; the search is that of the game, with the evaluator of its generation. In "
        f"{report.nearer} of these {len(report.disagreements)} the network is nearer to the search's score.",
        markdown_table(heads, report.disagreements) + "\n",
    )


def _data(stages: Sequence[dict[str, Any]]) -> str:
    rows = [
        [
            *(stage["name"], data["name"], f"{data['games']:,}" if data["games"] else ""),
            *(f"{data['positions']:,}", f"{1 / data['slope']:.0f}"),
            *(str(data.get("nodes", "")), str(data.get("teacher_nodes", ""))),
        ]
        for stage in stages
        for data in stage["data"]
    ]
    return markdown_table(
        ["stage", "folder", "games", "positions", "centipawns a logit", "nodes a move", "teacher"], rows
    )


def _settings(weights: NetworkWeights) -> str:
    about = weights.about
    foresight = about.get("foresight", 0)
    scores = f"scores, each ply later counting {foresight:g} times as much" if foresight else "score"
    share = " to ".join(f"{about[key]:g}" for key in ("share", "last_share") if key in about)
    return (
        f"Width {weights.width}, king buckets {weights.king_buckets}, seed {about['seed']}, from "
        f"{about['start'] or 'random weights'}. Target: {share} of the result, the rest the "
        f"search's {scores}. Settings: {_stage_settings(about)}."
    )


def _stage_settings(about: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{name}: " + ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in settings.items())
        for name, settings in about.get("settings", {}).items()
    )


def _mean(networks: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            each["digest"],
            ", ".join(name for kind in ("games", "asked", "taught") for name in each.get(kind, ())),
            f"{each['foresight']:g}" if "foresight" in each else "",
            f"the mean of {len(each['mean_of'])} networks" if "mean_of" in each else _stage_settings(each),
        ]
        for each in networks
    ]
    about = "Data, settings and losses below are those of the first."
    table = markdown_table(["network", "learned from", "foresight", "settings"], rows)
    return f"The mean of the weights of {len(networks)} networks. {about}\n\n{table}"


def _bands(bands: Sequence[dict[str, Any]], heading: str) -> str:
    rows = [
        [
            *(band["name"], f"{band['positions']:,}"),
            *(f"{band[column]:.5f}" for column in ("loss", "least", "result")),
        ]
        for band in bands
        if band["positions"]
    ]
    return markdown_table([heading, "number", "loss", "least possible", "against results"], rows)


def _units(weights: NetworkWeights) -> str:
    places, buckets = weights.king_places, weights.king_buckets
    squares = [square for square in range(64) if not square & 4 and places[square] == _PICTURED_BUCKET]
    king = "files a to d" if buckets == 1 else ", ".join(map(square_name, squares))
    others = "" if buckets == 1 else f"; the other {buckets - 1} of the {buckets} king buckets are not shown"
    return (
        f"The hidden weights of the {_UNITS} units that count most, a row for each, as boards seen from the "
        f"unit's side: blue men move the unit up, red ones down. The own king is on {king}: where it stands "
        f"on files e to h, the board is mirrored{others}."
    )


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(parts)
