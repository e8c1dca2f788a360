"""Games of Go to the weights of its linear policy.

The likelihood of the moves is that of Coulom's model, concave in the weights; L-BFGS climbs to the maximum
that his minorization-maximization would reach, in fewer passes over the data. Weights are held near 0 by a
penalty, in place of his virtual games against a feature of strength 1; so a pattern that is rare counts for
little beside the smaller ones inside it.
"""

from __future__ import annotations

import json
from array import array
from base64 import b85encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from engine.games.rules.go.features import NAMES
from engine.games.rules.go.game import GoGame
from engine.games.rules.go.policy import SCALE, observed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scripts.laboratory.games.go_policy_games import SearchedGame

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Numbers = np.ndarray[Any, np.dtype[Any]]

_LARGEST = (1 << 15) - 1
_MOST_PATTERNS = 45_000  # as many as the policy has room for


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions and their moves: for each move its features and its share, `starts` by position."""

    features: Numbers
    counts: Numbers
    starts: Numbers
    shares: Floats
    sizes: Numbers


def samples(games: Iterable[SearchedGame]) -> Samples:
    """All positions of the games. Raises IllegalMoveError."""
    features, counts, shares, starts, sizes = array("Q"), array("i"), array("d"), array("q"), array("i")
    for game in games:
        rules = GoGame()
        state = rules.start(game.size)
        for text, wanted in zip(game.moves, game.shares, strict=True):
            moves, seen, found = observed(state)
            places = {move: len(shares) + i for i, move in enumerate(moves)}
            starts.append(len(shares))
            sizes.append(game.size)
            features.extend(found)
            counts.extend(seen)
            shares.extend([0.0] * len(moves))
            total = sum(wanted.values())
            for name, share in wanted.items():
                shares[places[rules.parse(state, name)]] = share / total
            state = state.play(rules.parse(state, text))
    return Samples(*map(np.asarray, (features, counts, starts, shares, sizes)))


class Fit:
    """The weights of those features that occur `least` times or more."""

    def __init__(self, learned: Samples, least: int = 20, penalty: float = 1.0) -> None:
        self._penalty = penalty
        kinds, number = np.unique(learned.features, return_counts=True)
        self.kinds = kinds[(number >= least) | (kinds < len(NAMES))]
        self.weights = np.zeros(len(self.kinds))
        self._of = _Choices(learned, self.kinds)

    def run(self, passes: int) -> None:
        """Improve the weights by up to so many passes of L-BFGS."""
        positions = len(self._of.starts)

        def loss(weights: Floats) -> tuple[float, Floats]:
            value, gradient = self._of.loss(weights)
            value += self._penalty / 2 * float(weights @ weights)
            return value / positions, (gradient + self._penalty * weights) / positions

        found = minimize(loss, self.weights, jac=True, method="L-BFGS-B", options={"maxiter": passes})
        self.weights = found.x


class _Choices:
    """Samples as a matrix: a row for each move, a column for each feature."""

    def __init__(self, chosen: Samples, kinds: Numbers) -> None:
        columns = np.searchsorted(kinds, chosen.features)
        columns[columns == len(kinds)] = 0
        known = kinds[columns] == chosen.features
        ends = np.concatenate(([0], np.cumsum(known)))[np.cumsum(chosen.counts)]
        self._matrix = csr_matrix(
            (np.ones(int(known.sum()), dtype=np.float32), columns[known], np.concatenate(([0], ends))),
            shape=(len(chosen.counts), len(kinds)),
        )
        self._transposed = self._matrix.T.tocsr()
        self.starts = chosen.starts
        self.shares = chosen.shares
        self._lengths = np.diff(np.append(chosen.starts, len(chosen.counts)))

    def log_probabilities(self, weights: Floats) -> Floats:
        """Of each move among those of its position."""
        worth: Floats = self._matrix @ weights
        worth -= np.repeat(np.maximum.reduceat(worth, self.starts), self._lengths)
        worth -= np.repeat(np.log(np.add.reduceat(np.exp(worth), self.starts)), self._lengths)
        return worth

    def loss(self, weights: Floats) -> tuple[float, Floats]:
        """The negative log-likelihood of all positions, and its gradient."""
        logs = self.log_probabilities(weights)
        return -float(self.shares @ logs), self._transposed @ (np.exp(logs) - self.shares)


def quality(kept: Samples, kinds: Numbers, weights: Floats) -> dict[str, float]:
    """On other games: the mean log-likelihood, and how often the best move is among the first 1, 5, 10."""
    choices = _Choices(kept, kinds)
    logs = choices.log_probabilities(weights)
    ranks = []
    ends = np.append(kept.starts[1:], len(kept.counts))
    for start, end in zip(kept.starts, ends, strict=True):
        best = np.argmax(kept.shares[start:end])
        ranks.append(int((logs[start:end] > logs[start + best]).sum()))
    found = np.array(ranks)
    top = {f"top {n}": float((found < n).mean()) for n in (1, 5, 10)}
    return {"log-likelihood": float(kept.shares @ logs) / len(kept.starts), **top}


def weight_file(kinds: Numbers, weights: Floats, how: str, lightest: float = 0.05) -> str:
    """The text of a file of weights; `how` says how they were learned. The lightest patterns are left out."""
    small = kinds < len(NAMES)
    size = np.where(small, 0, np.abs(weights))
    kept = (size >= lightest) & (np.argsort(np.argsort(-size)) < _MOST_PATTERNS)
    numbers = np.clip(np.rint(SCALE * weights[kept]), -_LARGEST, _LARGEST).astype("<i2")
    stored = {
        "learned": how,
        "features": {
            NAMES[kind]: round(float(weight), 3)
            for kind, weight in zip(kinds[small], weights[small], strict=True)
        },
        "patterns": b85encode(kinds[kept].astype("<u8").tobytes()).decode(),
        "weights": b85encode(numbers.tobytes()).decode(),
    }
    return json.dumps(stored, indent=1, ensure_ascii=False) + "\n"
