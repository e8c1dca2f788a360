"""`scripts/lab screen-search` and `tune-search`: search parameters, measured and tuned in pairs of games.

Screening is a factorial experiment: in each pair of games either side has some of the factors, drawn at
random. A logistic regression of the points on the differences gives the Elo of each factor. Every pair says
something about all factors, so that a number of games that suffices for one suffices for all. Interactions
are not measured.

Tuning is simultaneous perturbation stochastic approximation (Spall, 1992). In each pair one side plays with
the present values of the parameters, each moved up or down by the toss of a coin, and the other side with the
moves reversed. Then all values take a small step towards the side that won. Steps and perturbations shrink as
Spall recommends. They are defined by their final sizes, as in fishtest: a parameter is perturbed by a tenth
of its range, and a won game moves it by `_RATE` of that. The result is the mean over the second half of the
run (Polyak and Juditsky, 1992): the last values are noisier.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from math import floor, inf, log, sqrt
from pathlib import Path
from random import Random
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from engine.search.parameters import NUMBERS, TECHNIQUES, Number, ParameterError, changes
from scripts.laboratory.jobs import JobError, JobRunner
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    amount_option,
    concurrency_option,
    count_option,
    record_option,
    seed_option,
)
from scripts.laboratory.learning.evaluators import GivenEvaluator, engine, evaluator_options
from scripts.laboratory.learning.pairs import Pair, Terms, play_pairs, points_of
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, whole
from scripts.laboratory.openings import OpeningSuite


def _terms(evaluator: GivenEvaluator, nodes: int, seed: int) -> Terms:
    return Terms(evaluator, evaluator, OpeningSuite.read(OPENINGS, chess960=False), nodes, seed)


def _play(
    left: Iterator[Pair],
    terms: Terms,
    concurrency: int,
    display: RunDisplay,
    learn: Callable[[Pair, float], int],
) -> int:
    """Play the remaining pairs. The exit status.

    `learn` is called with each pair and its points, and returns how many pairs have been played.
    """

    def play() -> None:
        with closing(play_pairs(terms, left, JobRunner(concurrency))) as results:
            for played in results:
                display.show(learn(played.pair, played.points), "")

    return exit_status(play, display.say, JobError)


_ELO = 400 / log(10)  # of a unit of the logistic scale
_STEPS = 25


@dataclass(frozen=True, slots=True)
class Factor:
    """A parameter, and a value other than its default."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class Effect:
    """The Elo of a factor, and half of its 95% interval, which is infinite if no game had the factor."""

    factor: Factor
    elo: float
    error: float


def pairs_of(factors: Sequence[Factor], rate: float, seed: int, numbers: range) -> Iterator[Pair]:
    """Pairs of games in which each side has each factor with probability `rate`."""
    for number in numbers:
        random = Random(f"{seed}:{number}")
        yield Pair(number, _drawn(factors, rate, random), _drawn(factors, rate, random))


def effects(factors: Sequence[Factor], played: Sequence[tuple[Pair, float]]) -> list[Effect]:
    """The effect of each factor, from pairs with their points, by maximum likelihood.

    Pairs, not games, are independent.
    """
    rows = np.array(
        [[_has(pair.first, factor) - _has(pair.second, factor) for factor in factors] for pair, _ in played],
        dtype=float,
    ).reshape(len(played), len(factors))
    shares = np.array([points / 2 for _, points in played])
    strengths, covariance = _fit(rows, shares)
    uses = np.abs(rows).sum(axis=0)
    return [
        Effect(factor, _ELO * strengths[i], 1.96 * _ELO * sqrt(covariance[i, i]) if uses[i] else inf)
        for i, factor in enumerate(factors)
    ]


def _drawn(factors: Sequence[Factor], rate: float, random: Random) -> dict[str, int]:
    return {factor.name: factor.value for factor in factors if random.random() < rate}


def _has(changed: Mapping[str, int], factor: Factor) -> int:
    return int(changed.get(factor.name) == factor.value)


def _fit(
    rows: npt.NDArray[np.float64], shares: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Newton's method with a weak prior. Strengths, and their robust covariance (White's sandwich)."""
    strengths = np.zeros(rows.shape[1])
    prior = np.eye(rows.shape[1]) * 0.1
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-rows @ strengths))
        weights = expected * (1 - expected)
        curvature = rows.T @ (rows * weights[:, None]) + prior
        strengths = strengths + np.linalg.solve(curvature, rows.T @ (shares - expected) - prior @ strengths)
    bread = np.linalg.inv(curvature)
    scores = rows * (shares - expected)[:, None]
    return strengths, bread @ (scores.T @ scores) @ bread


def _pair_options(pairs: int, pairs_purpose: str, seed_of: str) -> Callable[[Any], Any]:
    """The options of a command that plays pairs of games of Lolli against itself.

    The command gets `record`, `pairs`, `nodes`, `seed` and `concurrency`; `pairs` is the default of --pairs.
    """

    def add(command: Any) -> Any:
        for option in (
            concurrency_option,
            seed_option(seed_of),
            count_option("--nodes", 5000, "Nodes of each search."),
            count_option("--pairs", pairs, pairs_purpose),
            record_option,
        ):
            command = option(command)
        return command

    return add


@click.command(context_settings=WIDE)
@click.argument("factors", nargs=-1)
@_pair_options(2000, "Number of pairs of games.", seed_of="openings and factors")
@evaluator_options
@amount_option("--rate", 0.2, "Probability with which a side has a factor.", most=1)
def screen_search(
    *,
    factors: tuple[str, ...],
    record: Path,
    evaluator: GivenEvaluator,
    pairs: int,
    nodes: int,
    rate: float,
    seed: int,
    concurrency: int,
) -> None:
    """Measure the Elo of FACTORS, changes of search parameters such as `probcut=off late_base=5`.

    Without FACTORS each technique is switched from its default, except those that a search needs most. A run
    that was stopped resumes from its record; --pairs may be changed.
    """
    try:
        chosen = [Factor(*each) for word in factors for each in changes(word).items()] or _switches()
        run = {
            "factors": [f"{each.name}={each.value}" for each in chosen],
            "nodes": nodes,
            "rate": rate,
            "seed": seed,
            "engine": engine(evaluator),
        }
        journal = RunJournal(record, run)
        played = journal.read(_read)
    except (ParameterError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with journal:
        done = {pair.number for pair, _ in played}

        def learn(pair: Pair, points: float) -> int:
            played.append((pair, points))
            journal.append({**asdict(pair), "points": points})
            return len(played)

        left = (pair for pair in pairs_of(chosen, rate, seed, range(pairs)) if pair.number not in done)
        with RunDisplay("pairs", pairs, len(played), 200) as display:
            status = _play(left, _terms(evaluator, nodes, seed), concurrency, display, learn)
    _show(effects(chosen, played))
    sys.exit(status)


def _switches() -> list[Factor]:
    return [
        Factor(name, int(not technique.default))
        for name, technique in TECHNIQUES.items()
        if name not in _BASE
    ]


_BASE = ("alpha_beta", "quiescence", "table", "ordering", "history", "principal_variation")
"""Without these a search is so weak that games say nothing about the others."""


_LARGEST = 1 << 60  # absolute value of a parameter


def _read(record: Mapping[str, Any]) -> tuple[Pair, float]:
    first, second = (
        {name: whole(value, -_LARGEST) for name, value in record[side].items()}
        for side in ("first", "second")
    )
    return Pair(whole(record["number"]), first, second), points_of(record)


def _show(found: list[Effect]) -> None:
    names = [_shown(effect.factor) for effect in found]
    width = max(map(len, names))
    for effect, name in sorted(zip(found, names, strict=True), key=lambda each: each[0].elo):
        click.echo(f"{name:<{width}} {effect.elo:+7.1f} ± {effect.error:.1f}")


def _shown(factor: Factor) -> str:
    """The factor as it is given on the command line."""
    value = factor.value if factor.name in NUMBERS else ("on" if factor.value else "off")
    return f"{factor.name}={value}"


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

    def pair(self, number: int) -> Pair:
        """Pair `number`, from the present values."""
        signs, random = self._signs(number)
        either = []
        for side in (1, -1):
            moved = {
                name: self.values[name] + side * signs[name] * self._perturbation(name)
                for name in self.values
            }
            either.append({name: self._rounded(name, value, random) for name, value in moved.items()})
        return Pair(number, *either)

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
@_pair_options(
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

        def learn(pair: Pair, points: float) -> int:
            spsa.learn(pair.number, points)
            journal.append({"number": pair.number, "points": points})
            done.add(pair.number)
            return len(done)

        left = (spsa.pair(number) for number in range(pairs) if number not in done)
        status = _play(left, _terms(evaluator, nodes, seed), concurrency, display, learn)
    _show_values(spsa)
    sys.exit(status)


def _show_values(spsa: Spsa) -> None:
    for name, value in spsa.found().items():
        click.echo(f"{name}={value:.1f} (was {NUMBERS[name].default})")
