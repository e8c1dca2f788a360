"""`scripts/lab screen-moves`: the worth of many search parameters, by the moves that searches choose.

A factorial experiment as `screen-search` is, but with positions in the place of games. In each position two
searches with the same number of nodes choose a move; for each factor, the toss of a coin decides which of
them has it. Where the moves differ, longer searches of the positions after them judge both, with the default
parameters. A linear regression of the difference on the coins gives the worth of each factor, in points that
the mover can expect.

Where the first two searches agree, the next position follows; where they differ, more pairs with other coins.
All visits of a position count together as one. So effects come out rather low where there are several
factors: positions in which searches seldom differ are seldom visited again.

It measures neither the time that a change takes, nor what hash table and histories carry over from one move
of a game to the next. The judge has the default parameters, and so their errors.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from dataclasses import dataclass
from functools import partial
from math import exp, inf
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
    count_option,
    jobs_option,
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
_LARGEST_SCORE = 500  # centipawns: in decided positions the choice of a move hardly matters
_CENTIPAWNS_A_LOGIT = 139
_LARGEST_DIFFERENCE = 0.05  # points: what a blunder counts at most, so that a few do not drown all others
_JUDGE_NODES = 5  # times as many as a search that chooses
_VISITS = 12  # pairs of searches in a position, at most
_SHARE = 8  # without factors, a number is moved either way by this part of its range
_WIDTH = 100
_DIGESTED = 1 << 16  # bytes at the beginning of a file, which grows while games are played
_MOST_DIGITS = 9
_NODES = "nodes"  # a factor that is no parameter: what another number of nodes is worth


@dataclass(frozen=True, slots=True)
class MoveFactor:
    """A parameter, and two values of it: one search has `before`, the other `after`."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class MoveEffect:
    """What `after` instead of `before` is worth, in points a move, and the standard error of that.

    The error is infinite where there are too few positions.
    """

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
        """Visit a position: once, or several times if the first two searches differ."""
        terms = self._terms
        position = parse_fen(chosen.fen)
        worths: dict[int, float] = {}
        differences: list[float] = []
        for visit in range(min(_VISITS, 1 << (len(terms.factors) - 1))):  # there are no other pairs
            tossed = coins(terms.factors, terms.seed, chosen.number, visit)
            first, second = (
                self._choose(
                    position,
                    {each.name: each.after if coin == side else each.before for each, coin in tossed},
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
    """For each factor 1 where the first search has it, -1 where the second has it."""
    random = Random(f"{seed}:{number}:{visit}")
    return [(factor, random.choice((1, -1))) for factor in factors]


def effects(factors: Sequence[MoveFactor], answers: Sequence[MoveDifferences], seed: int) -> list[MoveEffect]:
    """The effect of each factor, by weighted least squares; all visits of a position weigh as much as one.

    The errors are cluster-robust: positions, not visits, are independent.
    """
    found = [
        (place, [coin for _, coin in coins(factors, seed, answer.number, visit)], difference)
        for place, answer in enumerate(answers)
        for visit, difference in enumerate(answer.differences)
    ]
    positions, count = len(answers), len(factors)
    if positions <= count:
        return [MoveEffect(factor, 0.0, inf) for factor in factors]
    places = np.array([place for place, _, _ in found])
    rows = np.array([tossed for _, tossed, _ in found], float)
    weights = 1 / np.bincount(places)[places]
    wanted = np.clip([difference for _, _, difference in found], -_LARGEST_DIFFERENCE, _LARGEST_DIFFERENCE)
    weighted = rows * weights[:, None]
    bread = np.linalg.pinv(weighted.T @ rows)
    coefficients = bread @ weighted.T @ wanted
    scores = np.zeros((positions, count))
    np.add.at(scores, places, weighted * (wanted - rows @ coefficients)[:, None])
    errors = np.sqrt(np.diag(bread @ (scores.T @ scores) @ bread) * positions / (positions - count))
    return [MoveEffect(factor, coefficients[i], errors[i]) for i, factor in enumerate(factors)]


def positions_of(folder: Path, seed: int, count: int) -> Iterator[ChosenPosition]:
    """At most `count` positions, each of another game in a folder, undecided and with a choice of moves.

    Their numbers are those of the games, counted from the first file on.
    """
    number = 0
    left = count
    for path in sorted(folder.glob(f"*{game_file.SUFFIX}")):
        for game in game_file.games(path):
            position = _position_of(game, Random(f"{seed}:{number}"))
            if position is not None:
                yield ChosenPosition(number, format_fen(position))
                left -= 1
            number += 1
            if not left:
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


def _first_of(folder: Path) -> str:
    """Which games these are: the name and the digest of the first file. Raises UsageError without one."""
    for path in sorted(folder.glob(f"*{game_file.SUFFIX}")):
        with path.open("rb") as file:
            return f"{path.name} {hashlib.sha256(file.read(_DIGESTED)).hexdigest()[:16]}"
    raise click.UsageError(f"{folder}: no games")


@click.command("screen-moves", context_settings=WIDE)
@click.argument(
    "games", metavar="GAMES_FOLDER", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.argument("factors", nargs=-1)
@record_option
@count_option("--positions", 20_000, "Number of positions, each of another game.")
@count_option("--nodes", 40_000, "Nodes of each search.")
@seed_option("positions and factors")
@jobs_option("--concurrency", "Positions at the same time.")
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
    points a change gains in a thousand moves, where a blunder counts as 0.05 points at most, the standard
    error of that, and their ratio. For a scale, a factor may be another number of nodes, `nodes=20000`.
    Without FACTORS each number of the search is compared an eighth of its range above and below its default.
    A run that was stopped resumes from its record; --positions may be changed.
    """
    try:
        chosen = _factors(factors, nodes)
        run = {
            "factors": [[each.name, each.before, each.after] for each in chosen],
            "games": _first_of(games),
            "nodes": nodes,
            "judge_nodes": _JUDGE_NODES * nodes,
            "visits": _VISITS,
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

        status = exit_status(judge, display.say, JobError, game_file.GameFileError, OSError)
        if not status and len(answers) < positions:
            display.say(f"{games} has games for {len(answers)} positions")
    _show(effects(chosen, answers, seed))
    sys.exit(status)


def _factors(words: Sequence[str], nodes: int) -> tuple[MoveFactor, ...]:
    """The factors on the command line, or all numbers. Raises ParameterError."""
    if not words:
        return tuple(_around(name) for name in NUMBERS)
    factors: dict[str, MoveFactor] = {}
    for word in words:
        for factor in _factors_in(word, nodes):
            if factor.name in factors:
                raise ParameterError(f"{factor.name} is given twice")
            if factor.before == factor.after:
                raise ParameterError(f"{factor.name} is {word.partition('=')[2]} already")
            factors[factor.name] = factor
    return tuple(factors.values())


def _factors_in(word: str, nodes: int) -> list[MoveFactor]:
    name, _, value = word.partition("=")
    if name == _NODES:
        if not value.isdecimal() or len(value) > _MOST_DIGITS or not int(value):
            raise ParameterError(f"nodes must be a number from 1 on, not {value[:20]!a}")
        return [MoveFactor(name, nodes, int(value))]
    return [
        MoveFactor(each, int((NUMBERS[each] if each in NUMBERS else TECHNIQUES[each]).default), other)
        for each, other in changes(word).items()
    ]


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
        factor, points, error = effect.factor, effect.points, effect.error
        change = f"{_value(factor, factor.before)} to {_value(factor, factor.after)}"
        ratio = f"{points / error:+.1f}" if error else ""
        known = [f"{1000 * points:+.2f}", f"{1000 * error:.2f}", ratio] if error < inf else []
        table.add_row(factor.name, change, *known)
    wide_console(_WIDTH).print(table)


def _value(factor: MoveFactor, value: int) -> str:
    return ("on" if value else "off") if factor.name in TECHNIQUES else str(value)
