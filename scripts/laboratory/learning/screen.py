"""`scripts/lab screen-search`: the worth of many search parameters, all measured in the same games.

A factorial experiment: in each pair of games either side has some of the factors, drawn at random. A logistic
regression of the points on the differences gives the Elo of each factor. Every pair says something about all
factors, so that a number of games that suffices for one suffices for all. Interactions are not measured.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import inf, log, sqrt
from random import Random
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from engine.search.parameters import NUMBERS, TECHNIQUES, ParameterError, changes
from scripts.laboratory.lab_options import WIDE, amount_option, duel_options
from scripts.laboratory.learning.duel import Duel, Fought, engine, fight, points_of
from scripts.laboratory.learning.given_evaluator import evaluator_options
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from scripts.laboratory.learning.given_evaluator import GivenEvaluator


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


def duels(factors: Sequence[Factor], rate: float, seed: int, numbers: range) -> Iterator[Duel]:
    """Pairs of games in which each side has each factor with probability `rate`."""
    for number in numbers:
        random = Random(f"{seed}:{number}")
        yield Duel(number, _drawn(factors, rate, random), _drawn(factors, rate, random))


def effects(factors: Sequence[Factor], fought: Sequence[Fought]) -> list[Effect]:
    """The effect of each factor, by maximum likelihood. Pairs, not games, are independent."""
    rows = np.array(
        [
            [_has(each.duel.first, factor) - _has(each.duel.second, factor) for factor in factors]
            for each in fought
        ],
        dtype=float,
    ).reshape(len(fought), len(factors))
    shares = np.array([each.points / 2 for each in fought])
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


@click.command(context_settings=WIDE)
@click.argument("factors", nargs=-1)
@duel_options(2000, "Number of pairs of games.", seed_of="openings and factors")
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
        fought = journal.read(_read)
    except (ParameterError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with journal:
        done = {each.duel.number for each in fought}

        def learn(result: Fought) -> int:
            fought.append(result)
            journal.append(_written(result))
            return len(fought)

        left = (duel for duel in duels(chosen, rate, seed, range(pairs)) if duel.number not in done)
        with RunDisplay("pairs", pairs, len(fought), 200) as display:
            status = fight(left, evaluator, nodes, seed, concurrency, display, learn)
    _show(effects(chosen, fought))
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


def _written(fought: Fought) -> dict[str, object]:
    duel = fought.duel
    return {
        "number": duel.number,
        "first": dict(duel.first),
        "second": dict(duel.second),
        "points": fought.points,
    }


def _read(record: Mapping[str, Any]) -> Fought:
    first, second = (
        {name: whole(value, -_LARGEST) for name, value in record[side].items()}
        for side in ("first", "second")
    )
    return Fought(Duel(whole(record["number"]), first, second), points_of(record))


def _show(found: list[Effect]) -> None:
    names = [_shown(effect.factor) for effect in found]
    width = max(map(len, names))
    for effect, name in sorted(zip(found, names, strict=True), key=lambda each: each[0].elo):
        click.echo(f"{name:<{width}} {effect.elo:+7.1f} ± {effect.error:.1f}")


def _shown(factor: Factor) -> str:
    """The factor as it is given on the command line."""
    value = factor.value if factor.name in NUMBERS else ("on" if factor.value else "off")
    return f"{factor.name}={value}"
