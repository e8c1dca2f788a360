"""`scripts/lab screen-moves`: the worth of many search parameters, by the moves that searches choose.

A factorial experiment as `screen-search` is, but with positions in the place of games. In each position two
searches with the same number of nodes choose a move; for each factor, the toss of a coin decides for which of
them it is changed. Where the moves differ, longer searches of the positions after them judge both, with the
default parameters. A linear regression of the difference on the coins gives the worth of each factor, in
points that the mover can expect. Where the first two searches agree, others seldom differ, so the next
position follows.

For the same precision it needs far fewer nodes than games do (docs/experiments.md). It says nothing about the
time that a change takes, and nothing about what one search of a game leaves to the next.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from functools import partial
from math import exp
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.table import Table

from engine.board.fen import format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.search.parameters import NUMBERS, TECHNIQUES, ParameterError, changes
from eval.learning import game_file
from scripts.laboratory.jobs import JobError, run_jobs
from scripts.laboratory.lab_options import (
    WIDE,
    concurrency_option,
    count_option,
    record_option,
    seed_option,
)
from scripts.laboratory.learning.duel import FixedNodesPlayer, engine
from scripts.laboratory.learning.given_evaluator import GivenEvaluator, evaluator_options
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, whole, wide_console

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from engine.board.position import Position

_FIRST_PLY, _LAST_PLIES = 10, 4  # positions are from neither the very beginning nor the very end of a game
_LARGEST_SCORE = 500  # centipawns: a decided position has no better moves
_CENTIPAWNS_A_LOGIT = 139
_LARGEST_DIFFERENCE = 0.05  # points: what a blunder counts at most, so that a few do not drown all others
_JUDGE_NODES = 5  # times as many as a search that chooses
_VISITS = 12  # pairs of searches in a position
_SHARE = 8  # without factors, a number is moved either way by this part of its range
_WIDTH = 100
_MOST_NODES = 1_000_000_000
_NODES = "nodes"  # a factor that is no parameter: what another number of nodes is worth


@dataclass(frozen=True, slots=True)
class MoveFactor:
    """A parameter, and the two values of it that are compared."""

    name: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class MoveEffect:
    """What `high` instead of `low` is worth, in points a move, and the standard error of that."""

    factor: MoveFactor
    points: float
    error: float


@dataclass(frozen=True, slots=True)
class MoveTerms:
    """How moves are chosen, by `nodes` nodes each."""

    evaluator: GivenEvaluator
    factors: tuple[MoveFactor, ...]
    nodes: int
    seed: int


@dataclass(frozen=True, slots=True)
class ChosenPosition:
    """A position with its number."""

    number: int
    fen: str


@dataclass(frozen=True, slots=True)
class MoveDifferences:
    """By how many points the first search's move was better, at each visit of a position."""

    number: int
    differences: tuple[float, ...]


class MoveWorker:
    """Chooses and judges moves in a worker process."""

    def __init__(self, terms: MoveTerms) -> None:
        """Create the players."""
        self._terms = terms
        self._player = FixedNodesPlayer(terms.evaluator.make(), terms.nodes)
        self._judge = FixedNodesPlayer(terms.evaluator.make(), _JUDGE_NODES * terms.nodes)

    def work(self, chosen: ChosenPosition) -> MoveDifferences:
        """Visit a position: once, or `_VISITS` times if the first two searches differ."""
        terms = self._terms
        position = parse_fen(chosen.fen)
        worths: dict[int, float] = {}
        differences: list[float] = []
        for visit in range(_VISITS):
            tossed = coins(terms.factors, terms.seed, chosen.number, visit)
            first, second = (
                self._choose(
                    position, {each.name: each.high if coin == side else each.low for each, coin in tossed}
                )
                for side in (1, -1)
            )
            if first == second and not visit:
                return MoveDifferences(chosen.number, (0.0,))
            for move in {first, second} - worths.keys():
                worths[move] = worth_of(position, move, self._judge)
            differences.append(worths[first] - worths[second])
        return MoveDifferences(chosen.number, tuple(differences))

    def close(self) -> None:
        """Nothing to release."""

    def _choose(self, position: Position, changed: dict[str, int]) -> int:
        self._player.nodes = changed.pop(_NODES, self._terms.nodes)
        self._player.change(changed)
        self._player.new_game()
        return self._player.think(position, legal_moves(position)).move


def worth_of(position: Position, move: int, judge: FixedNodesPlayer) -> float:
    """The points, 0 to 1, that the mover can expect after a move, by a search of the position after it."""
    after = position.copy()
    after.advance(move)
    moves = legal_moves(after)
    if not moves:
        return 1.0 if after.checkers else 0.5
    judge.new_game()
    return 1 / (1 + exp(judge.think(after, moves).score / _CENTIPAWNS_A_LOGIT))


def coins(factors: Sequence[MoveFactor], seed: int, number: int, visit: int) -> list[tuple[MoveFactor, int]]:
    """For each factor 1 where the first search has its high value and the second the low one; else -1."""
    random = Random(f"{seed}:{number}:{visit}")
    return [(factor, random.choice((1, -1))) for factor in factors]


def effects(factors: Sequence[MoveFactor], answers: Sequence[MoveDifferences], seed: int) -> list[MoveEffect]:
    """The effect of each factor, by least squares. Positions, not visits, are independent."""
    found = [
        (place, [coin for _, coin in coins(factors, seed, answer.number, visit)], difference)
        for place, answer in enumerate(answers)
        for visit, difference in enumerate(answer.differences)
    ]
    places = np.array([place for place, _, _ in found])
    rows = np.array([tossed for _, tossed, _ in found], float).reshape(len(found), len(factors))
    wanted = np.clip([difference for _, _, difference in found], -_LARGEST_DIFFERENCE, _LARGEST_DIFFERENCE)
    bread = np.linalg.pinv(rows.T @ rows)
    slopes = bread @ rows.T @ wanted
    scores = np.zeros((len(answers), len(factors)))
    np.add.at(scores, places, rows * (wanted - rows @ slopes)[:, None])
    errors = np.sqrt(np.diag(bread @ (scores.T @ scores) @ bread))
    return [MoveEffect(factor, 2 * slopes[i], 2 * errors[i]) for i, factor in enumerate(factors)]


def positions_of(folder: Path, seed: int, count: int) -> Iterator[ChosenPosition]:
    """At most `count` positions, each from another game in a folder, undecided and with a choice of moves."""
    number = 0
    for path in sorted(folder.glob(f"*{game_file.SUFFIX}")):
        for game in game_file.games(path):
            position = _position_of(game, Random(f"{seed}:{number}"))
            if position is not None:
                yield ChosenPosition(number, format_fen(position))
                number += 1
            if number == count:
                return


def _position_of(game: game_file.GameRecord, random: Random) -> Position | None:
    last = len(game.plies) - _LAST_PLIES
    if last <= _FIRST_PLY:
        return None
    ply = random.randrange(_FIRST_PLY, last)
    if abs(int(game.plies["score"][ply])) > _LARGEST_SCORE:
        return None
    position = next(each for number, each in enumerate(game.positions()) if number == ply)
    return position if len(legal_moves(position)) > 1 else None


@click.command("screen-moves", context_settings=WIDE)
@click.argument(
    "games", metavar="GAMES_FOLDER", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.argument("factors", nargs=-1)
@record_option
@count_option("--positions", 20_000, "Number of positions, one of a game.")
@count_option("--nodes", 40_000, "Nodes of each search.")
@seed_option("positions and factors")
@concurrency_option
@evaluator_options
def screen_moves(
    *,
    games: Path,
    factors: tuple[str, ...],
    record: Path,
    evaluator: GivenEvaluator,
    positions: int,
    nodes: int,
    seed: int,
    concurrency: int,
) -> None:
    """Measure what FACTORS, changes of search parameters such as `probcut=off late_base=5`, do to the moves.

    \b
    scripts/lab screen-moves data/first --record screen.jsonl probcut=off late_base=5

    The positions are from games in a folder that scripts/lab selfplay has filled. The table shows how many
    points a change gains in a thousand moves, the standard error of that, and their ratio. For a scale, a
    factor may be another number of nodes, `nodes=20000`. Without FACTORS each number of the search is
    compared an eighth of its range above and below its default. A run that was stopped resumes from its
    record.
    """
    try:
        chosen = _factors(factors, nodes)
        run = {
            "factors": [[each.name, each.low, each.high] for each in chosen],
            "games": games.resolve().name,
            "positions": positions,
            "nodes": nodes,
            "seed": seed,
            "engine": engine(evaluator),
        }
        journal = RunJournal(record, run)
        answers = journal.read(_read)
    except (ParameterError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    terms = MoveTerms(evaluator, chosen, nodes, seed)
    with journal, RunDisplay("positions", positions, len(answers), 500) as display:
        done = {each.number for each in answers}
        left = (each for each in positions_of(games, seed, positions) if each.number not in done)

        def judge() -> None:
            with contextlib.closing(run_jobs(partial(MoveWorker, terms), left, concurrency)) as results:
                for answer in results:
                    answers.append(answer)
                    journal.append({"number": answer.number, "differences": answer.differences})
                    display.show(len(answers), "")

        status = exit_status(judge, display, JobError, game_file.GameFileError, OSError)
    _show(effects(chosen, answers, seed))
    sys.exit(status)


def _factors(words: Sequence[str], nodes: int) -> tuple[MoveFactor, ...]:
    """The factors on the command line, or all numbers. Raises ParameterError."""
    if not words:
        return tuple(_around(name) for name in NUMBERS)
    factors = []
    for word in words:
        name, _, value = word.partition("=")
        if name == _NODES:
            if not value.isdecimal() or not 0 < int(value) <= _MOST_NODES:
                raise ParameterError(f"nodes must be from 1 to {_MOST_NODES}, not {value[:20]!a}")
            factors.append(MoveFactor(name, nodes, int(value)))
            continue
        for parameter, other in changes(word).items():
            usual = (NUMBERS[parameter] if parameter in NUMBERS else TECHNIQUES[parameter]).default
            factors.append(MoveFactor(parameter, int(usual), other))
    return tuple(factors)


def _around(name: str) -> MoveFactor:
    number = NUMBERS[name]
    step = max((number.high - number.low) // _SHARE, 1)
    return MoveFactor(name, max(number.default - step, number.low), min(number.default + step, number.high))


def _read(record: Mapping[str, Any]) -> MoveDifferences:
    differences = tuple(float(each) for each in record["differences"])
    if not differences or not all(-1 <= each <= 1 for each in differences):
        raise ValueError("not differences of points")
    return MoveDifferences(whole(record["number"]), differences)


def _show(found: Sequence[MoveEffect]) -> None:
    table = Table(title="Points gained in a thousand moves")
    table.add_column("factor")
    for heading in ("change", "points", "standard error", "ratio"):
        table.add_column(heading, justify="right")
    for effect in sorted(found, key=lambda each: -each.points):
        factor = effect.factor
        ratio = effect.points / effect.error if effect.error else 0.0
        table.add_row(
            factor.name,
            f"{factor.low} to {factor.high}",
            f"{1000 * effect.points:+.2f}",
            f"{1000 * effect.error:.2f}",
            f"{ratio:+.1f}",
        )
    wide_console(_WIDTH).print(table)
