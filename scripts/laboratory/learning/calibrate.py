"""`scripts/lab calibrate`: the Elo of the levels of play, from games among them and against Stockfish.

A Bradley-Terry model ("Rank analysis of incomplete block designs", 1952), with known ratings of Stockfish's
Skill Levels. Each step from one of our levels to the next is taken to be about as large as the one before.
"""

import contextlib
import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import chess
import chess.engine
import click
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from engine.search.limits import FULL_STRENGTH, WEAKEST_LEVEL, Handicap, Limits
from lolli._analyst import Analyst
from lolli.cli.playing.chess import weaken
from scripts.laboratory.jobs import JobError, JobRunner
from scripts.laboratory.lab_options import OPENINGS, WIDE, concurrency_option, file_option, seed_option
from scripts.laboratory.learning.evaluators import engine
from scripts.laboratory.learning.pairs import points_of
from scripts.laboratory.long_run import (
    INTERRUPTED,
    JournalError,
    RunDisplay,
    RunJournal,
    interrupt_on_sigterm,
    whole,
)
from scripts.laboratory.openings import OpeningSuite

Matrix = npt.NDArray[np.float64]


LEVELS = range(WEAKEST_LEVEL, FULL_STRENGTH)


# Of each Skill Level of Stockfish its published Elo, and the level of ours that is about as strong.
ANCHORS = {
    0: (1320.1, 17),
    1: (1467.6, 18),
    2: (1608.4, 20),
    3: (1742.3, 22),
    4: (1922.9, 24),
    5: (2203.7, 28),
    6: (2363.2, 30),
    8: (2596.2, 34),
    10: (2788.3, 36),
    12: (2923.1, 37),
    14: (3024.8, 37),
}
"""Elo by its developers, six weeks after 15.1, from games at 120 s + 1 s against versions of Stash that CCRL
has rated at blitz: https://github.com/official-stockfish/Stockfish/commit/a08b8d4e9711"""

_SLOW_LEVEL = 27  # from here on a game takes seconds
_WEAK_LEVELS = 9, 11, 13  # which meet Skill Level 0, too
_MANY, _FEW, _ANCHORED, _WEAK = 200, 40, 6, 30  # games of a pairing
_DISTANCES = -2, 0, 2  # in levels, from the one that is about as strong
_RESAMPLES = 200
_BEND = 80.0  # Elo: standard deviation of the difference of two steps, as seen with 200 games for each
_PER_ELO = math.log(10) / 400


class Pairing(NamedTuple):
    """`other`: a level or, if negative, Stockfish: -1 is its Skill Level 0, -2 its Skill Level 1 …"""

    level: int
    other: int
    games: int


@dataclass(frozen=True, slots=True)
class LevelResult:
    """The points of `level`, 0, ½ or 1, in a game of a pairing, whose games count from 0."""

    level: int
    other: int
    game: int
    points: float


class Rating(NamedTuple):
    level: int
    elo: float
    error: float
    games: int


def pairings() -> list[Pairing]:
    slow = range(_SLOW_LEVEL, FULL_STRENGTH)
    anchored = [
        Pairing(level + distance, -1 - skill, _ANCHORED)
        for skill, (_, level) in ANCHORS.items()
        for distance in _DISTANCES
    ]
    neighbours = [
        Pairing(level, other, _FEW if other in slow else _MANY) for level, other in pairwise(LEVELS)
    ]
    return [*anchored, *neighbours, *(Pairing(level, -1, _WEAK) for level in _WEAK_LEVELS)]


def rate(results: Sequence[LevelResult]) -> list[Rating]:
    """The Elo of all levels that best explains the results, with standard errors from resampled games."""
    matches: dict[tuple[int, int], list[float]] = {}
    for each in results:
        matches.setdefault((each.level, each.other), []).append(each.points)
    counts = np.array([len(points) for points in matches.values()])
    chooser = np.random.default_rng(1)
    sums = [
        np.array([chooser.choice(points, len(points)).sum() for points in matches.values()])
        for _ in range(_RESAMPLES)
    ]
    elo = _fit([*matches], counts, np.array([sum(points) for points in matches.values()]))
    errors = np.std([_fit([*matches], counts, each) for each in sums], axis=0)
    games = [sum(level in {each.level, each.other} for each in results) for level in LEVELS]
    return [
        Rating(level, float(value), float(error), count)
        for level, value, error, count in zip(LEVELS, elo, errors, games, strict=True)
    ]


def _fit(matches: Sequence[tuple[int, int]], counts: Matrix, points: Matrix) -> Matrix:
    """The Elo of the levels that best explains these points in `counts` games, if steps change little.

    Levels are relatives: the stronger one wins more often than against another program with the Elo of the
    weaker one. So differences between levels are multiplied by a factor, which is fitted, too.
    """
    first, second = np.array(matches).T[:, :, None]
    between_levels = (second > 0).ravel()
    design = (first == LEVELS).astype(float) - (second == LEVELS)
    known = np.array([0.0 if other > 0 else -ANCHORS[-1 - other][0] for _, other in matches])
    bends = np.diff(np.eye(len(LEVELS)), 2, axis=0) / (_BEND * _PER_ELO)

    def unlikeliness(unknown: Matrix) -> tuple[float, Matrix]:
        """Minus the log-likelihood, plus a penalty for steps that change, and the gradient.

        `unknown`: each level's Elo times _PER_ELO and, last, the logarithm of the factor between levels.
        """
        elo, factor = unknown[:-1], np.where(between_levels, np.exp(unknown[-1]), 1)
        odds = factor * (design @ elo) + _PER_ELO * known
        bent = bends @ elo
        value = points @ np.logaddexp(0, -odds) + (counts - points) @ np.logaddexp(0, odds)
        slopes = counts / (1 + np.exp(-odds)) - points
        by_elo = design.T @ (slopes * factor) + bends.T @ bent
        by_factor = (slopes * odds)[between_levels].sum()
        return float(value + bent @ bent / 2), np.append(by_elo, by_factor)

    start = np.append(np.full(len(LEVELS), 2000 * _PER_ELO), 0)
    return np.asarray(minimize(unlikeliness, start, method="BFGS", jac=True).x[:-1]) / _PER_ELO


_VERSION = "Stockfish 15.1"
_NODES = 500_000  # of Stockfish, a move: four plies beyond the depth where its Skill Level 10 chooses
_HASH = 64  # MB
_LONGEST = 400  # plies; longer games are drawn
_APART = 50  # openings between the first ones of two pairings


Mover = Callable[[chess.Board], chess.Move]
"""Plays a side of a game: a level, or Stockfish."""


def level_mover(analyst: Analyst, level: int, chooser: random.Random) -> Mover:
    weaken(analyst, Handicap.of_level(level), chooser)
    analyst.new_game()
    return lambda board: analyst.choice(board, Limits())[0]


def stockfish_mover(engine: chess.engine.SimpleEngine, skill: int) -> Mover:
    """Stockfish 15.1 with a Skill Level, in a new game. It raises EngineError.

    It chooses one of four lines at the depth level + 1 (`Skill` in its search.cpp), but goes on searching.
    What it finds then is in its table for the next move: with time it plays much better than with a depth
    limit.
    """
    options, limit, game = {"Skill Level": skill, "Hash": _HASH}, chess.engine.Limit(nodes=_NODES), object()

    def move(board: chess.Board) -> chess.Move:
        found = engine.play(board, limit, game=game, options=options).move
        if found is None:
            raise chess.engine.EngineError("Stockfish has no move")
        return found

    return move


class CalibrationGame(NamedTuple):
    pairing: Pairing
    number: int
    fen: str


class CalibrationWorker:
    def __init__(self, stockfish: str, seed: int) -> None:
        self._engine = chess.engine.SimpleEngine.popen_uci(stockfish)
        self._analysts = Analyst(), Analyst()
        self._seed = seed

    def work(self, game: CalibrationGame) -> LevelResult:
        """The errors of the levels depend only on the seed and the game."""
        pairing = game.pairing
        chooser = random.Random(f"{self._seed} {pairing.level} {pairing.other} {game.number}")
        mine, others = self._analysts
        level = level_mover(mine, pairing.level, chooser)
        if pairing.other < 0:
            other = stockfish_mover(self._engine, -1 - pairing.other)
        else:
            other = level_mover(others, pairing.other, chooser)
        points = play(level, other, game.number % 2 == 0, chess.Board(game.fen))
        return LevelResult(pairing.level, pairing.other, game.number, points)

    def close(self) -> None:
        self._engine.close()
        for analyst in self._analysts:
            analyst.close()


@click.command(context_settings=WIDE)
@file_option("--results", "Journal of the results; the run resumes from it.", required=True, to="path")
@click.option("--stockfish", default="/usr/games/stockfish", show_default=True, help="Stockfish 15.1.")
@seed_option("openings and of the levels' errors")
@concurrency_option
def calibrate(path: Path, stockfish: str, seed: int, concurrency: int) -> None:
    """Measure the Elo of the levels of play, in games among them and against Stockfish.

    \b
    scripts/lab calibrate --results levels.jsonl

    This takes two processors about two hours. The table is that of engine/search/limits.py. A run that
    was stopped resumes from the file of results.
    """
    interrupt_on_sigterm()
    try:
        with contextlib.closing(chess.engine.SimpleEngine.popen_uci(stockfish)) as anchor:
            if anchor.id.get("name") != _VERSION:
                raise click.UsageError(f"{stockfish} is {anchor.id.get('name')}, not {_VERSION}")
        with RunJournal(path, identity(seed)) as journal:
            results = _play_all(journal, stockfish, seed, concurrency)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (OSError, JournalError, JobError, chess.engine.EngineError) as error:
        raise click.UsageError(str(error)) from error
    for rating in rate(results):
        margin = 1.96 * rating.error
        click.echo(f"level {rating.level:2}  {rating.elo:4.0f} ± {margin:3.0f}  {rating.games} games")


def identity(seed: int) -> dict[str, Any]:
    return {
        "engine": engine(),
        "levels": [asdict(Handicap.of_level(level)) for level in LEVELS],
        "nodes": _NODES,
        "hash": _HASH,
        "pairings": sha256(repr(pairings()).encode()).hexdigest()[:16],
        "seed": seed,
    }


def _play_all(journal: RunJournal, stockfish: str, seed: int, concurrency: int) -> list[LevelResult]:
    """Each opening of a pairing is played twice, with reversed colours. All results, earlier ones too."""
    results = journal.read(_result)
    known = {(each.level, each.other, each.game) for each in results}
    book = OpeningSuite.read(OPENINGS, chess960=False)
    order = book.order(seed)
    left = (
        CalibrationGame(pairing, number, book.opening(opening).board().fen())
        for index, pairing in enumerate(pairings())
        for number in range(pairing.games)
        for opening in (order[(index * _APART + number // 2) % len(order)],)
        if (pairing.level, pairing.other, number) not in known
    )
    worker = partial(CalibrationWorker, stockfish, seed)
    total = sum(each.games for each in pairings())
    with (
        RunDisplay("games", total, len(results), 50) as display,
        contextlib.closing(JobRunner(concurrency)(worker, left)) as played,
    ):
        for result in played:
            results.append(result)
            journal.append(asdict(result))
            display.show(len(results), f"{result.level} against {result.other}")
    return results


def _result(record: dict[str, Any]) -> LevelResult:
    pairing = whole(record["level"]), whole(record["other"], -1 - max(ANCHORS))
    return LevelResult(*pairing, whole(record["game"]), points_of(record))


def play(level: Mover, other: Mover, white: bool, board: chess.Board) -> float:
    for _ in range(_LONGEST):
        if board.is_game_over() or board.is_repetition(3) or board.is_fifty_moves():
            break
        board.push((level if board.turn == white else other)(board))
    outcome = board.outcome()
    if outcome is None or outcome.winner is None:
        return 0.5
    return float(outcome.winner == white)
