"""How good a network has become, by positions whose values are proven: how many of its moves keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scripts.laboratory.policy.lockstep import PuctSide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.laboratory.policy.lockstep import LeafEvaluator
    from scripts.laboratory.policy.solved_positions import SolvedPosition


def kept(evaluator: LeafEvaluator, positions: Sequence[SolvedPosition], playouts: int) -> dict[str, float]:
    """By stage, and for `all`: how many of the moves chosen keep the value, from 0 to 1.

    The moves are those of PUCT with so many playouts, or with 0 those that the policy gives most to.
    """
    chosen: list[int] = []
    rows = len(evaluator.values)
    for first in range(0, len(positions), rows):
        states = [position.state() for position in positions[first : first + rows]]
        if playouts:
            side = PuctSide(evaluator, states[0], len(states), playouts)
            chosen += side.choose(range(len(states)), states)
            continue
        for row, state in enumerate(states):
            evaluator.planes[row] = np.asarray(state.planes())
        evaluator.evaluate(len(states))
        for row, state in enumerate(states):
            logits = evaluator.policy[row, list(state.policy_indices())]
            chosen.append(state.moves()[int(logits.argmax())])
    right = [move in position.keeping for move, position in zip(chosen, positions, strict=True)]
    stages = {position.stage for position in positions}
    found = {
        stage: _mean(
            [is_right for is_right, each in zip(right, positions, strict=True) if each.stage == stage]
        )
        for stage in sorted(stages)
    }
    return {**found, "all": _mean(right)}


def _mean(right: Sequence[bool]) -> float:
    return sum(right) / max(len(right), 1)
