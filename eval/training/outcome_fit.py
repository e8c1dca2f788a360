"""Fit the model of the outcome to games, by maximum likelihood over the score of the search and the material.

With p = a / b and q = value / b the probabilities of OutcomeModel are, for a win, a loss and a draw,
1 / (1 + exp(p - q)), 1 / (1 + exp(p + q)) and (exp(2p) - 1) exp(q) / ((exp(p) + exp(q)) (1 + exp(p + q))).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from eval.outcome import LEAST_MATERIAL, MOST_MATERIAL, USUAL_MATERIAL, OutcomeModel
from eval.training.layout import MOST_PIECES
from eval.training.positions import Records, men

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_WORTH = np.array([1, 3, 3, 5, 9, 0, 0, 0])  # by the lower three bits of a piece, pawn … king
_WORTH_OF_HALVES = _WORTH[np.arange(256) & 7] + _WORTH[np.arange(256) >> 4 & 7]
_KNOTS = np.linspace(LEAST_MATERIAL, MOST_MATERIAL, 4) / USUAL_MATERIAL
_START = (250.0, 100.0)  # centipawns, a and b, whatever the material
_PRIOR = 1.0  # pulls the logarithms of a and b to one value for all material, where games are few
_LEAST = 1.0  # centipawns
_DECIMALS = 4  # of the coefficients


class FitError(ValueError):
    """No model can be fitted to the games. The message says why."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Rows of the mover's value, material and the mover's result (1, 0, -1), and how often each was seen."""

    value: Integers
    material: Integers
    result: Integers
    count: Integers


def observe(records: Records) -> Observed:
    material = np.clip(material_of(records), LEAST_MATERIAL, MOST_MATERIAL)
    result = records["result"].astype(np.int64) - 1
    rows = np.column_stack([records["score"].astype(np.int64), material, result])
    rows, count = np.unique(rows, axis=0, return_counts=True)
    return Observed(rows[:, 0], rows[:, 1], rows[:, 2], count)


def material_of(records: Records) -> Integers:
    empty = MOST_PIECES - men(records).astype(np.int64)  # empty places look like pawns
    total: Integers = _WORTH_OF_HALVES[records["pieces"]].sum(axis=1) - empty
    return total


def fit(observed: Observed) -> OutcomeModel:
    """The maximum-likelihood model. Raises FitError if the results do not determine it."""
    if not len(observed.count):
        raise FitError("no positions")
    if not {-1, 0, 1} <= set(observed.result.tolist()):
        raise FitError("the games need wins, draws and losses")
    powers = np.vander(observed.material / USUAL_MATERIAL, 4, increasing=True)
    to_coefficients = np.linalg.inv(np.vander(_KNOTS, 4, increasing=True))
    basis = powers @ to_coefficients  # from the values at the knots
    start = np.log(np.repeat(_START, 4))
    found = minimize(_cost, start, args=(observed, basis), jac=True, method="L-BFGS-B")
    if not found.success:
        raise FitError(f"the fit failed: {found.message}")
    values = np.exp(found.x).reshape(2, 4)
    a, b = (np.round(to_coefficients @ each, _DECIMALS).tolist() for each in values)
    try:
        return OutcomeModel((a[0], a[1], a[2], a[3]), (b[0], b[1], b[2], b[3]))
    except ValueError as error:
        raise FitError(f"no sensible model: {error}") from None


def loss(model: OutcomeModel, observed: Observed) -> float:
    """The mean of -log(predicted probability of the result), in nats."""
    a, b = _levels(model, observed)
    logarithms, _, _ = _log_chances(a, b, observed)
    return float(-(observed.count @ logarithms) / observed.count.sum())


def _levels(model: OutcomeModel, observed: Observed) -> tuple[Floats, Floats]:
    powers = np.vander(observed.material / USUAL_MATERIAL, 4, increasing=True)
    return powers @ np.array(model.a), powers @ np.array(model.b)


def _log_chances(a: Floats, b: Floats, observed: Observed) -> tuple[Floats, Floats, Floats]:
    p, q = a / b, observed.value / b
    win, lost = expit(q - p), expit(-q - p)
    drawn = np.log(-np.expm1(-2 * p)) + 2 * p + q - np.logaddexp(p, q) - np.logaddexp(0, p + q)
    outcomes = [observed.result == 1, observed.result == -1]
    logarithms = np.select(outcomes, [-np.logaddexp(0, p - q), -np.logaddexp(0, p + q)], drawn)
    by_p = np.select(outcomes, [win - 1, lost - 1], 2 / -np.expm1(-2 * p) - (1 - win) - (1 - lost))
    by_q = np.select(outcomes, [1 - win, lost - 1], lost - win)
    return logarithms, by_p, by_q


def _cost(logs: Floats, observed: Observed, basis: Floats) -> tuple[float, Floats]:
    """Minus the mean logarithm plus the prior, and its gradient by the logarithms of a and b at the knots."""
    knots = np.exp(logs)
    raw = basis @ knots[:4], basis @ knots[4:]
    a, b = (np.maximum(level, _LEAST) for level in raw)
    logarithms, by_p, by_q = _log_chances(a, b, observed)
    by_a = np.where(raw[0] > _LEAST, by_p / b, 0)
    by_b = np.where(raw[1] > _LEAST, -(by_p * a + by_q * observed.value) / b**2, 0)
    total = observed.count.sum()
    gradient = np.concatenate([(observed.count * by_a) @ basis, (observed.count * by_b) @ basis]) * knots
    away = logs - np.repeat([logs[:4].mean(), logs[4:].mean()], 4)
    cost = -(observed.count @ logarithms) + _PRIOR * (away @ away)
    return float(cost / total), (2 * _PRIOR * away - gradient) / total
