"""The report on a network: how it learned, what it learned, and where it and `linear` disagree most."""

from __future__ import annotations

from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.board.fen import format_fen, square_name
from engine.system.files import write_whole
from eval.features import PIECE_NAMES
from eval.linear import Linear
from eval.network import Network
from eval.training import network_pictures, records
from eval.training.float_network import FloatNetwork
from eval.training.markdown import markdown_table
from eval.training.network_learning import split
from eval.training.network_pictures import PICTURED_BUCKET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from eval.network_file import NetworkWeights
    from eval.training.corpus import Corpus, Generation
    from eval.training.network_learning import Rows
    from eval.training.records import Records
    from eval.weight_file import Weights

    Doubles = npt.NDArray[np.float64]

_PAGE, _PICTURES = "report.md", ("curves.png", "units.png", "worths.png")

_SEEN = 20_000
"""Positions whose values are compared, and in which men are valued."""

_SHOWN = 12
_LARGEST_SCORE = 600
_LEAST_MEETINGS = 30
"""How often a man must have been met on a square for the mean of its worth there to be shown."""

_DATA = (
    "In the stage `games` the network learned the scores of searches and the results of games. Folders "
    "without games have positions that searches asked about: with their static value in the stage "
    "`static values`, and with the score of a small search, of as many nodes as stand under “teacher”, in "
    "the stage `games`. "
    "A score of so many centipawns as stand under “centipawns a logit” means odds of e to 1."
)
_CURVES = (
    "Cross entropy in nats a position: training in all positions of a stage, validation only in those of "
    "games that were held out. They cannot be compared with each other; what counts is whether both still "
    "fall."
)
_LOSSES = (
    "In the games that were held out, by stage of the game. The least possible loss is the entropy of the "
    "targets; the last column compares with the results of the games alone."
)
_WORTHS = (
    "The value less the value without the man, in centipawns, on average over positions of games. The boards "
    "show by how much more or less it is worth on a square, seen from its own side; squares where it was met "
    f"fewer than {_LEAST_MEETINGS} times are left white."
)
_UNITS = (
    "The hidden weights of the twelve units that count most, a row for each, as boards seen from the unit's "
    "side: blue men move the unit up, red ones down. The own king is on {king}: where it stands on files e "
    "to h, the board is mirrored{others}."
)
_APART = (
    "In these they are further apart than in any other of the same game. Positions to which the search in "
    f"the game gave more than {_LARGEST_SCORE} centipawns for either side are left out: there both know who "
    "wins. Boards are turned so that White is to move; values are White's, in centipawns; the search is that "
    "of the game, with the evaluator of its generation."
)
_RESULTS = ("lost", "drawn", "won")
_KINDS = 5  # of men that can be taken away


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A position, White to move: values, and the score of its search, in centipawns; the mover's result.

    `game` is the name of its generation and its number there.
    """

    fen: str
    game: str
    network: int
    linear: int
    score: int
    result: int


@dataclass(frozen=True, slots=True)
class NetworkReport:
    """What the page says besides what stands in the network's file.

    `worths`: for each kind of man but kings, a mean by square, seen from its own side, NaN where it was never
    met; in centipawns. `counts`: how often that was. `apart`: root of the mean square of the difference
    between both evaluations, in centipawns.
    """

    compared: int
    apart: float
    disagreements: tuple[Disagreement, ...]
    worths: Doubles
    counts: npt.NDArray[np.int64]


def examine(weights: NetworkWeights, linear: Weights, found: Corpus, held_out: int) -> NetworkReport:
    """Look at a network by positions of the games that were held out of its training."""
    _, rows = split(found.records, held_out, len(found.records))
    rows = rows[:: max(1, len(rows) // _SEEN)]
    seen = found.records[rows]
    disagreements, apart = _compare(weights, linear, seen, _generations(found, rows))
    worths, counts = _worths(weights, seen)
    return NetworkReport(len(seen), apart, disagreements, worths, counts)


def _generations(found: Corpus, rows: Rows) -> list[Generation]:
    """The generation of each row."""
    ends = [each.last for each in found.generations]
    return [found.generations[place] for place in np.searchsorted(ends, rows, "right")]


def _compare(
    weights: NetworkWeights, linear: Weights, seen: Records, generations: Sequence[Generation]
) -> tuple[tuple[Disagreement, ...], float]:
    """Where both differ most, in one position of a game that is not decided; and how far they are apart."""
    network, other = Network(weights), Linear(linear)
    values = np.zeros((len(seen), 2), np.int64)
    for row, record in enumerate(seen):
        position = records.position_of(record)
        values[row] = network.static_value(position), other.static_value(position)
    differences = values[:, 0] - values[:, 1]
    games: set[tuple[int, int]] = set()
    chosen = []
    for row in np.argsort(-np.abs(differences), kind="stable"):
        record = seen[row]
        game = generations[row].first, int(record["game"])
        if game in games or abs(int(record["score"])) > _LARGEST_SCORE:
            continue
        games.add(game)
        fen = format_fen(records.position_of(record))
        name = f"{generations[row].folder()} {game[1]}"
        mine, theirs = values[row].tolist()
        chosen.append(Disagreement(fen, name, mine, theirs, int(record["score"]), int(record["result"])))
        if len(chosen) == _SHOWN:
            break
    apart = float(np.sqrt(np.mean(differences.astype(float) ** 2))) if len(seen) else 0.0
    return tuple(chosen), apart


def _worths(weights: NetworkWeights, seen: Records) -> tuple[Doubles, npt.NDArray[np.int64]]:
    network = Network(weights)
    sums, counts = np.zeros((_KINDS, 64)), np.zeros((_KINDS, 64), np.int64)
    for record in seen:
        position = records.position_of(record)
        parts = network.explain(position).network
        for square, worth in enumerate(parts.men if parts else ()):
            if worth is not None:
                piece = position.piece_at(square)
                place = piece & 7, square ^ (56 if piece & 8 else 0)
                sums[place] += worth
                counts[place] += 1
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means.reshape(_KINDS, 8, 8), counts.reshape(_KINDS, 8, 8)


def mean_worths(report: NetworkReport) -> list[float]:
    """The mean worth of each kind of man, NaN of one that was never met."""
    sums = np.nansum(report.worths * report.counts, axis=(1, 2))
    counts = report.counts.sum(axis=(1, 2))
    means: list[float] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).tolist()
    return means


def prepare(folder: Path) -> None:
    """Make the folder of a report. Raises OSError if `write` could not write there."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass
    for path in (folder / name for name in (_PAGE, *_PICTURES)):
        if path.exists():
            with path.open("r+b"):
                pass


def write(folder: Path, weights: NetworkWeights, report: NetworkReport) -> Path:
    """Write the page and its pictures, replacing those of an earlier network; its path. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    curves, units, worths = (folder / name for name in _PICTURES)
    network_pictures.draw_curves(curves, weights.about["stages"])
    network_pictures.draw_units(units, FloatNetwork.of_file(weights))
    shown = np.where(report.counts >= _LEAST_MEETINGS, report.worths, np.nan)
    network_pictures.draw_worths(worths, shown, mean_worths(report))
    path = folder / _PAGE
    write_whole(path, page(weights, report).encode())
    return path


def page(weights: NetworkWeights, report: NetworkReport) -> str:
    """The page in Markdown, which shows the pictures in the same folder."""
    about = weights.about
    judgement = about["stages"][-1]["judgement"]
    made = about.get("made", "an unknown day")
    return _paragraphs(
        "# How the value network learned",
        f"Written by `scripts/lab report-network` of a network made on {made}. Its next run replaces it.",
        "## Data",
        *([_mean(about["mean_of"])] if "mean_of" in about else []),
        _DATA,
        _data(about["stages"]),
        _settings(weights),
        "## Loss",
        _CURVES,
        "![Loss by epoch](curves.png)",
        _LOSSES,
        _bands([judgement["total"]], "positions"),
        _bands(judgement["men"], "men on the board"),
        _bands(judgement["plies"], "ply"),
        "## What men are worth to it",
        _WORTHS,
        _worth_table(report),
        "![What men are worth by square](worths.png)",
        "## What its units look for",
        _units(weights),
        "![Hidden weights](units.png)",
        "## Where it and `linear` disagree most",
        f"In {report.compared:,} positions of games held out, they are {report.apart:.0f} centipawns apart "
        f"(root mean square). {_APART} {_nearer(report.disagreements)}",
        _disagreements(report.disagreements) + "\n",
    )


def _data(stages: Sequence[dict[str, Any]]) -> str:
    rows = [
        [
            stage["name"],
            data["name"],
            f"{data['games']:,}" if data["games"] else "",
            f"{data['positions']:,}",
            f"{1 / data['slope']:.0f}",
            str(data.get("nodes", "")),
            str(data.get("teacher_nodes", "")),
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
    return (
        f"Width {weights.width}, king buckets {weights.king_buckets}, seed {about['seed']}, from "
        f"{about['start'] or 'random weights'}. Target: {about['share']:g} of the result, the rest the "
        f"search's {scores}. Settings: {_stage_settings(about)}."
    )


def _stage_settings(about: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{name}: " + ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in settings.items())
        for name, settings in about["settings"].items()
    )


def _how(network: Mapping[str, Any]) -> str:
    if "mean_of" in network:
        return f"the mean of {len(network['mean_of'])} networks"
    return _stage_settings(network) if "settings" in network else ""


def _mean(networks: Sequence[Mapping[str, Any]]) -> str:
    """What each network of a mean learned from."""
    rows = [
        [
            each["digest"],
            ", ".join(name for kind in ("games", "asked", "taught") for name in each.get(kind, ())),
            f"{each['foresight']:g}" if "foresight" in each else "",
            _how(each),
        ]
        for each in networks
    ]
    about = "Data, settings and losses below are those of the first."
    table = markdown_table(["network", "learned from", "foresight", "settings"], rows)
    return f"The mean of the weights of {len(networks)} networks. {about}\n\n{table}"


def _bands(bands: Sequence[dict[str, Any]], heading: str) -> str:
    rows = [
        [
            band["name"],
            f"{band['positions']:,}",
            *(f"{band[column]:.5f}" for column in ("loss", "least", "result")),
        ]
        for band in bands
        if band["positions"]
    ]
    return markdown_table([heading, "number", "loss", "least possible", "against results"], rows)


def _worth_table(report: NetworkReport) -> str:
    worths = zip(PIECE_NAMES, mean_worths(report), strict=False)
    return markdown_table(
        ["piece", "worth"], [[name, f"{worth:.0f}"] for name, worth in worths if np.isfinite(worth)]
    )


def _units(weights: NetworkWeights) -> str:
    places = weights.king_places
    squares = [square for square in range(64) if not square & 4 and places[square] == PICTURED_BUCKET]
    if weights.king_buckets == 1:
        return _UNITS.format(king="files a to d", others="")
    others = (
        f"; the other {weights.king_buckets - 1} of the {weights.king_buckets} king buckets are not shown"
    )
    return _UNITS.format(king=", ".join(map(square_name, squares)), others=others)


def _nearer(found: Sequence[Disagreement]) -> str:
    nearer = sum(abs(each.network - each.score) < abs(each.linear - each.score) for each in found)
    return f"The network is nearer to the search's score than `linear` in {nearer} of these {len(found)}."


def _disagreements(found: Sequence[Disagreement]) -> str:
    rows = [
        [
            f"`{each.fen}`",
            *map(str, (each.network, each.linear, each.score)),
            _RESULTS[each.result],
            each.game,
        ]
        for each in found
    ]
    return markdown_table(["position", "network", "linear", "search", "White", "game"], rows)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(parts)
