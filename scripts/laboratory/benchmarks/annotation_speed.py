"""`scripts/lab bench-annotate`: the speed and memory of `lolli annotate`, compared with python-chess."""

from __future__ import annotations

import io
import json
import random
import subprocess
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.pgn
import click
import psutil
from rich.progress import track

from engine.files import open_file
from engine.search.limits import Limits
from engine.system import children_seconds
from protocol.cli.analysis.analyst import Analyst
from protocol.cli.pgn.raw_games import LARGEST_FILE, raw_games
from protocol.cli.terminal.console import PrintableConsole
from scripts.laboratory.benchmarks.measuring import (
    NONE,
    Program,
    lolli_option,
    milliseconds,
    peer_option,
    show,
)
from scripts.laboratory.lab_options import WIDE, count_option, file_option, jobs_option, seed_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_RANDOM_PLIES = 8
_NODES = (100, 400)  # one of them at random for each move, for some mistakes
_GAMES_A_JOB = 5


def play_games(count: int, longest: int, seed: int, processes: int) -> Iterator[str]:
    """PGN of `count` games of at most `longest` plies. The same seed gives the same games."""
    play = partial(_play, longest, seed)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
        yield from executor.map(play, range(1, count + 1), chunksize=_GAMES_A_JOB)


def repeat(path: Path, texts: list[str], count: int) -> None:
    """Write a file of `count` games, which repeats `texts`."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(texts[number % len(texts)])


@cache
def _analyst() -> Analyst:
    return Analyst()


def _play(longest: int, seed: int, number: int) -> str:
    chooser = random.Random(seed * 1_000_003 + number)
    analyst = _analyst()
    analyst.new_game()
    board = chess.Board()
    while len(board.move_stack) < longest and not board.is_game_over(claim_draw=True):
        if len(board.move_stack) < _RANDOM_PLIES:
            board.push(chooser.choice(list(board.legal_moves)))
        else:
            board.push(analyst.best(board, Limits(nodes=chooser.choice(_NODES))).moves[0])
    game = chess.pgn.Game.from_board(board)
    game.headers.update({"Event": "Self-play", "Round": str(number), "White": "Lolli", "Black": "Lolli"})
    game.headers["Result"] = board.result(claim_draw=True)
    return f"{game}\n\n"


_OPTIONS = {"Threads": 1, "Hash": 16}
"""Those of `lolli annotate`."""


@dataclass(frozen=True, slots=True)
class PeerEffort:
    """Games and positions that the peer annotated, and the wall time in seconds."""

    games: int
    positions: int
    wall: float


def annotate_with_peer(
    command: tuple[str, ...], texts: Sequence[str], seconds: float, processes: int
) -> PeerEffort:
    """Search each position of the games for `seconds` with an engine per process, and write the scores."""
    work = partial(_annotate_game, command, seconds)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
        list(executor.map(_start, [command] * processes))  # start nearly all engines before the clock runs
        started = time.monotonic()
        positions = sum(executor.map(work, texts))
        return PeerEffort(len(texts), positions, time.monotonic() - started)


@cache
def _engine(command: tuple[str, ...]) -> chess.engine.SimpleEngine:
    """The engine of this process."""
    engine = chess.engine.SimpleEngine.popen_uci(list(command))
    engine.configure({name: value for name, value in _OPTIONS.items() if name in engine.options})
    Finalize(None, engine.quit, exitpriority=1)  # at the end of this process
    return engine


def _start(command: tuple[str, ...]) -> None:
    _engine(command)
    time.sleep(0.1)


def _annotate_game(command: tuple[str, ...], seconds: float, text: str) -> int:
    """Annotate a game. The number of its positions."""
    engine = _engine(command)
    game = chess.pgn.read_game(io.StringIO(text))
    if game is None:
        return 0
    positions = 0
    for node in [game, *game.mainline()]:
        board = node.board()
        if not board.is_checkmate():
            found = engine.analyse(board, chess.engine.Limit(time=seconds), game=text)
            node.set_eval(found["score"])
        positions += 1
    str(game)
    return positions


_LONGEST = 240  # plies of a game
_SHORT, _SHORT_GAMES, _FEW_NODES = 24, 50, 10  # of games for measuring memory: plies, different games, nodes
_STAGES = (0.1, 0.5, 0.99)  # at the very end the workers have ended
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class _Figures:
    """Games and positions, with wall time and processor time in seconds."""

    games: int
    positions: int
    wall: float
    cpu: float


@click.command(context_settings=WIDE)
@file_option("--pgn", "Games to annotate; made if the file does not exist.")
@count_option("--games", 1000, "Number of games to make.")
@seed_option("the games that are made")
@count_option("--nodes", 100_000, "Nodes of each position.")
@count_option("--sample", 50, "Games for the peer, spread evenly over the file.")
@jobs_option("--jobs")
@click.option(
    "--memory", type=click.IntRange(1), metavar="GAMES", help="Measure the memory for N games instead."
)
@lolli_option
@peer_option("stockfish", "stockfish")
def annotate(  # noqa: PLR0913, PLR0917 - an argument for each option
    pgn: Path | None,
    games: int,
    seed: int,
    nodes: int,
    sample: int,
    jobs: int,
    memory: int | None,
    lolli: Program,
    stockfish: Program | None,
) -> None:
    """Annotate a file of games with `lolli annotate`, and with python-chess and Stockfish.

    The peer has an engine for each job, with one thread and 16 MB, and searches each position as long as
    Lolli did on average. With --memory the memory of all of Lolli's processes is measured instead, while they
    annotate a long file of short games with few nodes.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if memory is not None:
            _look_at_memory(folder, memory, seed, jobs, lolli)
            return
        path = pgn or folder / "games.pgn"
        if not path.exists():
            _make(path, games, seed, jobs)
        ours = _annotate(path, folder, nodes, jobs, lolli)
        rows = [_row(lolli.name, ours, jobs)]
        seconds = ours.wall * jobs / max(ours.positions, 1)
        if stockfish is not None:
            rows.append(
                _row(f"python-chess, {stockfish.name}", _peer(path, sample, seconds, jobs, stockfish), jobs)
            )
    show(
        f"Annotating {path.name}: {nodes:,} nodes per position, {jobs} games at the same time",
        ["", "games", "positions", "games/min", "positions/s", "ms/position", "processors busy"],
        rows,
        None,
        f"The peer searches each position for {milliseconds(seconds)} ms. Processors busy: user and system"
        " time of all processes, from start to end, in per cent of the wall time multiplied by the jobs.",
    )


def _make(path: Path, count: int, seed: int, jobs: int) -> None:
    console = PrintableConsole(stderr=True)
    texts = track(
        play_games(count, _LONGEST, seed, jobs),
        "Making games",
        total=count,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    path.write_text("".join(texts), encoding="utf-8")


def _row(name: str, figures: _Figures, jobs: int) -> list[str]:
    return [
        name,
        f"{figures.games:,}",
        f"{figures.positions:,}",
        f"{figures.games / figures.wall * 60:.1f}",
        f"{figures.positions / figures.wall:.1f}",
        milliseconds(figures.wall * jobs / max(figures.positions, 1)),
        f"{100 * figures.cpu / (figures.wall * jobs):.1f}%" if figures.cpu else NONE,
    ]


def _annotate(path: Path, folder: Path, nodes: int, jobs: int, lolli: Program) -> _Figures:
    before, started = children_seconds(), time.monotonic()
    with _lolli(path, folder, nodes, jobs, lolli) as process:
        lines = [json.loads(line) for line in process.stdout or []]
    wall = time.monotonic() - started
    positions = sum(line["positions"] for line in lines if "error" not in line)
    return _Figures(len(lines), positions, wall, children_seconds() - before)


@contextmanager
def _lolli(
    path: Path, folder: Path, nodes: int, jobs: int, lolli: Program
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `lolli annotate --json`. Raises click.ClickException if it fails."""
    words = ["annotate", str(path), "-o", str(folder / "out.pgn"), "--json"]
    words += ["--nodes", str(nodes), "--jobs", str(jobs)]
    with subprocess.Popen([*lolli.command, *words], stdout=subprocess.PIPE) as process:
        yield process
    if process.returncode not in (0, 1):
        raise click.ClickException(f"{lolli.name} ended with status {process.returncode}")


def _peer(path: Path, sample: int, seconds: float, jobs: int, stockfish: Program) -> _Figures:
    with open_file(path, LARGEST_FILE) as file:
        texts = [raw.data.decode(errors="replace") for raw in raw_games(file)]
    chosen = texts[:: max(1, len(texts) // sample)][:sample]
    before = children_seconds()
    effort = annotate_with_peer(stockfish.command, chosen, seconds, jobs)
    return _Figures(effort.games, effort.positions, effort.wall, children_seconds() - before)


def _look_at_memory(folder: Path, count: int, seed: int, jobs: int, lolli: Program) -> None:
    path = folder / "games.pgn"
    repeat(path, list(play_games(min(count, _SHORT_GAMES), _SHORT, seed, jobs)), count)
    marks = [max(1, round(stage * count)) for stage in _STAGES]
    rows = []
    largest = 0
    with _lolli(path, folder, _FEW_NODES, jobs, lolli) as process:
        family = psutil.Process(process.pid)
        for number, _ in enumerate(process.stdout or [], 1):
            if number in marks or number % 100 == 0:
                resident = [_resident(each) for each in (family, *family.children(recursive=True))]
                largest = max(largest, sum(resident))
            if number in marks:
                figures = [resident[0], max(resident[1:], default=0), sum(resident), largest]
                rows.append([f"{number:,} games", *(f"{figure / _MEGABYTE:.1f}" for figure in figures)])
    show(
        f"Memory for a file of {count:,} games, {path.name}, MB",
        ["after", "main process", "largest worker", "all processes", "most so far"],
        rows,
        None,
        f"Resident memory. {jobs} workers with a table of 16 MB each.",
    )


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
