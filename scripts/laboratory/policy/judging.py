"""How good a network has become, by positions whose values are proven: how many of its moves keep them."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scripts.laboratory.policy.lockstep import PuctSide

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from scripts.laboratory.policy.lockstep import LeafEvaluator
    from scripts.laboratory.policy.solved_positions import SolvedPosition


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the moves that keep the value, from 0 to 1: of all positions, and of the hard ones."""

    kept: float
    hard: float
    positions: int
    hard_positions: int

    @property
    def all_hard(self) -> bool:
        """Whether the two parts are the same, because all positions are hard."""
        return self.positions == self.hard_positions


def judged(evaluator: LeafEvaluator, positions: Sequence[SolvedPosition], playouts: int) -> Share:
    """Judge the moves of PUCT with so many playouts, or with 0 those that the policy gives most to."""
    moves = chosen(evaluator, positions, playouts)
    gc.collect()  # trees refer to themselves, and nobody else would free them soon
    right = [move in position.keeping for move, position in zip(moves, positions, strict=True)]
    hard = [is_right for is_right, position in zip(right, positions, strict=True) if position.hard]
    return Share(_mean(right), _mean(hard), len(right), len(hard))


def together(shares: Collection[Share]) -> Share:
    """The share of several sets of positions together."""
    positions = sum(share.positions for share in shares)
    hard_positions = sum(share.hard_positions for share in shares)
    kept = sum(share.kept * share.positions for share in shares)
    hard = sum(share.hard * share.hard_positions for share in shares)
    return Share(kept / max(positions, 1), hard / max(hard_positions, 1), positions, hard_positions)


def chosen(evaluator: LeafEvaluator, positions: Sequence[SolvedPosition], playouts: int) -> list[int]:
    """A move in each position; see `judged`."""
    moves: list[int] = []
    rows = len(evaluator.values)
    side = None
    if playouts and positions:  # once for all: the memory of its trees is large
        side = PuctSide(evaluator, positions[0].state(), rows, playouts, reuse=False)
    for first in range(0, len(positions), rows):
        states = [position.state() for position in positions[first : first + rows]]
        if side is not None:
            moves += side.choose(range(len(states)), states)
            continue
        for row, state in enumerate(states):
            evaluator.planes[row] = np.asarray(state.planes())
        evaluator.evaluate(len(states))
        for row, state in enumerate(states):
            logits = evaluator.policy[row, list(state.policy_indices())]
            moves.append(state.moves()[int(logits.argmax())])
    return moves


def _mean(right: Sequence[bool]) -> float:
    return sum(right) / max(len(right), 1)
