"""`scripts/lab tune-search`: simultaneous perturbation stochastic approximation (Spall, 1992).

In each pair of games one side plays with the present values of the parameters, each moved up or down by the
toss of a coin, and the other side with the moves reversed. Then all values take a small step towards the side
that won. Steps and perturbations shrink as Spall recommends. They are defined by their final sizes, as in
fishtest: a parameter is perturbed by a tenth of its range, and a won game moves it by `_RATE` of that. The
result is the mean over the second half of the run (Polyak and Juditsky, 1992): the last values are noisier.
"""

from __future__ import annotations

import sys
from math import floor
from random import Random
from typing import TYPE_CHECKING

import click

from engine.search.parameters import NUMBERS
from scripts.laboratory.lab_options import WIDE, duel_options
from scripts.laboratory.learning.duel import Duel, engine, fight, points_of
from scripts.laboratory.learning.given_evaluator import evaluator_options
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from engine.search.parameters import Number
    from scripts.laboratory.learning.duel import Fought
    from scripts.laboratory.learning.given_evaluator import GivenEvaluator


_ALPHA, _GAMMA, _STABILITY = 0.602, 0.101, 0.1
_RATE = 0.006
_SHARE = 10  # the last perturbation is this part of a parameter's range


class Spsa:
    """The values of the parameters, and their steps. `pairs` is the length of the run."""

    def __init__(self, numbers: Mapping[str, Number], pairs: int, seed: int) -> None:
        """Start at the default values."""
        self._numbers = numbers
        self._pairs = pairs
        self._seed = seed
        self._steps = 0
        self.values = {name: float(number.default) for name, number in numbers.items()}
        self._sums = dict.fromkeys(numbers, 0.0)

    def found(self) -> dict[str, float]:
        """The mean of the values over the second half of the run; in the first half, the present values."""
        late = self._steps - self._pairs // 2
        return {name: self._sums[name] / late if late > 0 else self.values[name] for name in self.values}

    def duel(self, number: int) -> Duel:
        """Pair `number`, from the present values."""
        signs, random = self._signs(number)
        either = []
        for side in (1, -1):
            moved = {
                name: self.values[name] + side * signs[name] * self._perturbation(name)
                for name in self.values
            }
            either.append({name: self._rounded(name, value, random) for name, value in moved.items()})
        return Duel(number, *either)

    def learn(self, number: int, points: float) -> None:
        """Take a step after pair `number`, in which the first side had `points` points, 0 to 2."""
        signs, _ = self._signs(number)
        self._steps += 1
        stable = _STABILITY * self._pairs
        pace = ((stable + self._pairs) / (stable + self._steps)) ** _ALPHA
        for name, each in self._numbers.items():
            step = _RATE * self._last(name) ** 2 * pace / self._perturbation(name)
            value = self.values[name] + step * 2 * (points - 1) * signs[name]
            self.values[name] = min(max(value, each.low), each.high)
            if self._steps > self._pairs // 2:
                self._sums[name] += self.values[name]

    def _signs(self, number: int) -> tuple[dict[str, int], Random]:
        random = Random(f"{self._seed}:{number}")
        return {name: random.choice((1, -1)) for name in self.values}, random

    def _last(self, name: str) -> float:
        return max((self._numbers[name].high - self._numbers[name].low) / _SHARE, 0.5)

    def _perturbation(self, name: str) -> float:
        growth: float = (self._pairs / (self._steps + 1)) ** _GAMMA
        return self._last(name) * growth

    def _rounded(self, name: str, value: float, random: Random) -> int:
        """`value` rounded up or down at random so that the mean is `value`."""
        number = self._numbers[name]
        return min(max(floor(value + random.random()), number.low), number.high)


@click.command(context_settings=WIDE)
@click.argument("names", nargs=-1)
@duel_options(
    10_000, "Number of pairs of games; the step sizes depend on it.", seed_of="openings and perturbations"
)
@evaluator_options
def tune_search(
    *,
    names: tuple[str, ...],
    record: Path,
    evaluator: GivenEvaluator,
    pairs: int,
    nodes: int,
    seed: int,
    concurrency: int,
) -> None:
    """Tune the search parameters NAMES, by default all, by SPSA in games of Lolli against itself.

    Prints the new values, for engine/search/parameters.py if they win a match against the old ones. A run
    that was stopped resumes from its record.
    """
    unknown = [name for name in names if name not in NUMBERS]
    if unknown:
        raise click.UsageError(f"unknown parameter {unknown[0]!r}")
    chosen = {name: NUMBERS[name] for name in names or NUMBERS}
    run = {
        "names": list(chosen),
        "from": [number.default for number in chosen.values()],
        "pairs": pairs,
        "nodes": nodes,
        "seed": seed,
        "engine": engine(evaluator),
    }
    try:
        journal = RunJournal(record, run)
        known = journal.read(lambda record: (whole(record["number"]), points_of(record)))
    except JournalError as error:
        raise click.UsageError(str(error)) from error
    spsa = Spsa(chosen, pairs, seed)
    with journal, RunDisplay("pairs", pairs, len(journal.records), 200) as display:
        done = set()
        for number, points in known:
            spsa.learn(number, points)
            done.add(number)

        def learn(fought: Fought) -> int:
            spsa.learn(fought.duel.number, fought.points)
            journal.append({"number": fought.duel.number, "points": fought.points})
            done.add(fought.duel.number)
            return len(done)

        left = (spsa.duel(number) for number in range(pairs) if number not in done)
        status = fight(left, evaluator, nodes, seed, concurrency, display, learn)
    _show(spsa)
    sys.exit(status)


def _show(spsa: Spsa) -> None:
    for name, value in spsa.found().items():
        click.echo(f"{name}={value:.1f} (was {NUMBERS[name].default})")
