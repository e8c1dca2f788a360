"""`scripts/lab report-network`: the page about a value network, and that of its errors."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from random import Random
from typing import NamedTuple

import chess
import chess.syzygy
import click
from rich.progress import track
from rich.table import Table

from engine.board.fen import parse_fen
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer
from engine.system.files import write_whole
from engine.system.services import processors
from eval import network_file, weight_file
from eval.evaluator import Evaluator
from eval.network_file import load_network
from eval.outcome import STANDARD
from eval.training import game_file, positions, reports
from eval.training.reports import markdown_table
from eval.weight_file import WeightsError, load
from lolli.cli.terminal.screen import messages, output
from scripts.laboratory.lab_options import ROOT, WIDE, count_option, file_option
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.long_run import FAILED

REPORT = ROOT / "docs" / "learning" / "network"

_ENOUGH = 128 << 20  # bytes of the games of a folder to look at, about


def write_report(network: Path, folders: Sequence[Path], out: Path) -> Path:
    weights = load_network(network)
    settings = weights.about.get("settings", {}).get("games")
    if settings is None:
        raise WeightsError(f"{network}: does not say how it learned from games")
    files = [file for folder in folders for file in _some(folder)]
    sources = [(file, game_file.SUFFIX) for file in files]
    with Path(os.devnull).open("r+b") as nowhere:  # of the games that are not held out
        found = positions.load(
            sources, processors(), settings["held_out"], positions.Scratch(nowhere), say=click.echo
        )
    linear = load(Path(weight_file.STANDARD))
    report = reports.examine(weights, linear, found)
    return reports.write_network(out, weights, report)


def _some(folder: Path) -> list[Path]:
    files = sorted(folder.glob(f"*{game_file.SUFFIX}")) if folder.is_dir() else [folder]
    if not files:
        raise game_file.GameFileError(f"{folder}: no files that end in {game_file.SUFFIX}")
    return files[:: max(1, sum(file.stat().st_size for file in files) // _ENOUGH)]


PROBES = Path(__file__).parents[1] / "data" / "probes.epd"
"""Positions of known kinds, some with their results."""

DECISIVE, LARGEST = 150, 1000
"""Centipawns: a value from DECISIVE on says that a side wins; one beyond LARGEST counts as LARGEST."""

_RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1, "*": None}
_TRUTHS = {1: "White wins", 0: "draw", -1: "Black wins", None: "unknown"}
_PAWN_ENDING = re.compile("KP+vKP*")
_DRAWN_BY_RULE = 1
_MEGABYTES = 16
_MOST_TRIES = 1000  # to place pieces, for each position that is wanted


class Probe(NamedTuple):
    """A position of a kind with White's result, 1, 0, -1, or None if unknown."""

    kind: str
    name: str
    board: chess.Board
    result: int | None


class Answer(NamedTuple):
    """What an evaluator says of a position, in White's centipawns: at once, and after a search."""

    static: int
    searched: int


def read_probes(path: Path) -> list[Probe]:
    """`c0`: kind, `c1`: result, `id`: name. Raises ValueError at a line that is not a probe."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            where, board = f"{path}, line {number}", chess.Board(chess960=True)
            try:
                said = board.set_epd(line)
                kind, name, result = (str(said[key]) for key in ("c0", "id", "c1"))
            except KeyError as error:
                raise ValueError(f"{where}: {error.args[0]} is missing") from error
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from error
            if result not in _RESULTS:
                raise ValueError(f"{where}: unknown result {result!r}")
            found.append(Probe(kind, name, board, _RESULTS[result]))
    return found


def sample_tables(folder: Path, count: int = 100) -> list[Probe]:
    """Random quiet positions of each pawn ending with a Syzygy table in `folder`, or ValueError."""
    names = sorted(path.stem for path in folder.glob("*.rtbw") if _PAWN_ENDING.fullmatch(path.stem))
    if not names:
        raise ValueError(f"{folder}: no Syzygy tables of pawn endings")
    found = []
    with chess.syzygy.open_tablebase(str(folder)) as tables:
        for name in names:
            rng = Random(f"1:{name}")
            boards = filter(is_quiet, (_placed(name, rng) for _ in range(_MOST_TRIES * count)))
            for place, board in zip(range(count), boards, strict=False):
                value = tables.probe_wdl(board) * (1 if board.turn else -1)
                result = (value > _DRAWN_BY_RULE) - (value < -_DRAWN_BY_RULE)  # the fifty-move rule counts
                found.append(Probe(f"table {name}", f"{name} {place}", board, result))
    return found


def _placed(name: str, rng: Random) -> chess.Board:
    white, _, black = name.partition("v")
    pieces = white + black.lower()
    board = chess.Board(None)
    for square, piece in zip(rng.sample(chess.SQUARES, len(pieces)), pieces, strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(piece))
    board.turn = rng.random() < 1 / 2
    return board


def is_quiet(board: chess.Board) -> bool:
    if not board.is_valid() or board.is_check() or board.is_game_over():
        return False
    return not any(board.is_capture(move) or move.promotion for move in board.legal_moves)


def asked(evaluator: Evaluator, nodes: int, boards: Iterable[chess.Board]) -> Iterator[Answer]:
    """Each search starts without memory of earlier positions."""
    player = SelfPlayer(Engine.single(evaluator, _MEGABYTES).searchers[0], nodes, nodes, STANDARD)
    for board in boards:
        position = parse_fen(board.shredder_fen())
        sign = 1 if board.turn else -1
        player.forget()
        _, score = player.think(position)
        yield Answer(sign * evaluator.static_value(position), sign * score)


def verdict(value: int) -> int:
    return (value >= DECISIVE) - (value <= -DECISIVE)


def summary(results: Sequence[int | None], answers: Sequence[Answer]) -> tuple[int, int, float]:
    """Known results wrong at once, and after a search; mean distance of both values in centipawns."""
    known = [each for each in zip(results, answers, strict=True) if each[0] is not None]
    apart = [
        abs(max(-LARGEST, min(LARGEST, static)) - max(-LARGEST, min(LARGEST, searched)))
        for static, searched in answers
    ]
    return (
        sum(result != verdict(answer.static) for result, answer in known),
        sum(result != verdict(answer.searched) for result, answer in known),
        sum(apart) / len(apart),
    )


_KIND_HEADS = (
    *("class", "positions", "result known"),
    *("network wrong", "after search", "linear wrong", "after search"),
    *("network: change by search", "linear: change by search"),
)
_PROBE_HEADS = ("position", "network", "after search", "linear", "after search", "truth")

_PAGE = f"""# Positions that the network may get wrong

Written by `scripts/lab report-network --probes`, which replaces it at its next run.

Values are White's, in centipawns, at once and after a search of {{nodes:,}} nodes with the same evaluator. A
value of {DECISIVE} or more says that a side wins; it is wrong if the result is known and is another one. The
last two columns say by how much the search changes the value, on average, where one beyond {LARGEST} counts
as {LARGEST}.

{{kinds}}

The positions are those of [probes.epd](../../scripts/laboratory/data/probes.epd); those of tables are random
and quiet, and their results are from Syzygy tables.

{{positions}}
"""

Answers = tuple[Answer, Answer]


def write_probes(out: Path, network: Path, nodes: int, of_tables: Sequence[Probe]) -> None:
    probes = [*read_probes(PROBES), *of_tables]
    named = (("network", str(network)), ("linear", None))
    boards = [probe.board for probe in probes]
    said = [asked(GivenEvaluator.read(name, file).make(), nodes, boards) for name, file in named]
    answers = [*track(zip(*said, strict=True), "positions", len(boards), console=messages())]
    kinds, each = kind_rows(probes, answers), probe_rows(probes, answers)
    for heads, rows in ((_KIND_HEADS, kinds), (_PROBE_HEADS, each)):
        table = Table(*heads)
        for row in rows:
            table.add_row(*row)
        output().print(table)
    tables = markdown_table(_KIND_HEADS, kinds), markdown_table(_PROBE_HEADS, each)
    write_whole(out, _PAGE.format(nodes=nodes, kinds=tables[0], positions=tables[1]).encode())


def kind_rows(probes: Sequence[Probe], answers: Sequence[Answers]) -> list[tuple[str, ...]]:
    rows = []
    for kind, members in groupby(zip(probes, answers, strict=True), lambda pair: pair[0].kind):
        found, said = zip(*members, strict=True)
        results = [probe.result for probe in found]
        known = sum(result is not None for result in results)
        network, linear = (summary(results, [both[judge] for both in said]) for judge in range(2))
        wrong = (str(each) if known else "" for each in (*network[:2], *linear[:2]))
        rows.append((kind, str(len(found)), str(known), *wrong, f"{network[2]:.0f}", f"{linear[2]:.0f}"))
    return rows


def probe_rows(probes: Sequence[Probe], answers: Sequence[Answers]) -> list[tuple[str, ...]]:
    return [
        (
            f"{probe.kind}: {probe.name}",
            *(str(value) for answer in both for value in answer),
            _TRUTHS[probe.result],
        )
        for probe, both in zip(probes, answers, strict=True)
        if not probe.kind.startswith("table ")
    ]


@click.command("report-network", context_settings=WIDE)
@click.argument(
    "folders",
    nargs=-1,
    metavar="[GAMES_FOLDER]...",
    type=click.Path(exists=True, path_type=Path),
)
@file_option("--network", "Network to report on.", Path(network_file.STANDARD))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=REPORT,
    help="Folder for report.md and its pictures; default: docs/learning/network.",
)
@file_option("--probes", "File for a page about positions that a network may get wrong.", to="page")
@count_option("--nodes", 100_000, "With --probes: nodes of a search.")
@click.option(
    "--syzygy",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --probes: folder of Syzygy tables, for random positions of its pawn endings.",
)
def report_network(
    *,
    folders: tuple[Path, ...],
    network: Path,
    out: Path,
    page: Path | None,
    nodes: int,
    syzygy: Path | None,
) -> None:
    """Write the page about a network: how it learned, what men are worth to it, what its units look for.

    \b
    scripts/lab report-network data/first --network first.lolli --out data/page
    scripts/lab report-network --probes docs/learning/probes.md --syzygy tables

    It also lists the positions where the network and `linear` disagree most, from the games in GAMES_FOLDER
    that were not trained on. Networks of scripts/lab learn-policy have scripts/lab judge-policy.

    --probes asks the network and `linear` for their value, at once and after a search, of odd material,
    fortresses, opposite bishops, corners and pawn endings. Where the result is known, a value counts as wrong
    if it does not say so; where it is not, it shows by how much a search moves the value.
    """
    if not folders and page is None:
        raise click.UsageError("nothing to report: name a folder of games, or --probes")
    if page is not None and not page.parent.is_dir():
        raise click.UsageError(f"--probes: there is no folder {page.parent}")
    try:
        if folders:
            click.echo(str(write_report(network, folders, out)))
        if page is not None:
            write_probes(page, network, nodes, sample_tables(syzygy) if syzygy else [])
    except (ValueError, OSError) as error:
        click.echo(f"Cannot report: {error}")
        sys.exit(FAILED)
