"""PUCT as a lecture reads it: its choices by hand, and the same tree as its compiled twin."""

from __future__ import annotations

from functools import partial
from math import log, sqrt
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from engine.games.catalogue import game
from engine.games.fast.nodes import Nodes
from engine.games.fast.puct import PuctOptions, PuctTree
from engine.games.networks.file import PolicyWeights
from engine.games.networks.network import PolicyShape
from engine.games.players.trees import NetworkEvaluator, policy_and_value
from engine.games.rules.compiled_state import CompiledState
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.puct import PolicyNode, puct
from engine.system.control import Control

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLAYOUTS = 60
_EARLY = 15
"""The whole tree is compared so many times, and after the last simulation; in between the root's moves."""
Dump: TypeAlias = "tuple[int, float, float, list[Dump]]"


class _Watching(Meter):
    def __init__(self, playouts: int) -> None:
        super().__init__(SearchLimits(playouts=playouts))
        self.trees: list[Dump] = []

    def simulate(
        self, path: Sequence[Any], results: Sequence[float], exploration: float | None = None
    ) -> None:
        del results, exploration
        if len(self.trees) < _EARLY or self.playouts == _PLAYOUTS:
            self.trees.append(_dump(path[0]))
        else:
            self.trees.append(_dump(path[0], 1))


def _dump(node: PolicyNode, depth: int = 99) -> Dump:
    children = node.children if depth else []
    return node.visits, node.total, node.prior, [_dump(child, depth - 1) for child in children]


def _dump_compiled(tree: PuctTree, node: int, depth: int = 99) -> Dump:
    _, visits, mean, _, prior = tree.seen(node)
    below = tree.children(node) if depth else range(0)
    children = [_dump_compiled(tree, child, depth - 1) for child in below]
    return visits, (mean + 1) / 2 * visits if visits else 0.0, prior if node else 1.0, children


def _same(one: Dump, other: Dump) -> bool:
    return (
        one[0] == other[0]
        and one[1] == pytest.approx(other[1], abs=1e-9)
        and one[2] == other[2]
        and len(one[3]) == len(other[3])
        and all(map(_same, one[3], other[3]))
    )


def _evaluator(state: CompiledState) -> NetworkEvaluator:
    """A small network that knows nothing, but says something else of each position."""
    shape = PolicyShape(state.plane_count, 16, 0, 16, 4)
    random = Random(1)
    numbers = memoryview(bytearray(4 * shape.count())).cast("f")
    for i in range(len(numbers)):
        numbers[i] = random.gauss(0, 0.3)
    return NetworkEvaluator(state, PolicyWeights("", 0, 0, shape, numbers), 1)


@pytest.mark.parametrize(("name", "size"), [("connectfour", None), ("go", 5), ("othello", 6)])
@pytest.mark.parametrize(("exploration", "reduction"), [(1.25, 0.2), (0.5, 0.0)])
def test_grows_the_same_tree_as_the_compiled_one(
    name: str, size: int | None, exploration: float, reduction: float
) -> None:
    state = game(name).start(size)
    assert isinstance(state, CompiledState)
    evaluator, meter = _evaluator(state), _Watching(_PLAYOUTS)
    evaluate = partial(policy_and_value, evaluator)
    puct(state, meter, evaluate, exploration=exploration, reduction=reduction)
    options = PuctOptions(batch=1, solver=False, exploration=exploration, reduction=reduction)
    tree = PuctTree(Nodes(4, amaf=False, priors=True), Control(), state, 1, options)
    tree.begin(state, reuse=False)
    for number, expected in enumerate(meter.trees):
        tree.limit(1, 1 << 60)
        while tree.gather(evaluator.planes, 1):
            evaluator.evaluate(1)
            tree.absorb(evaluator.policy, evaluator.values)
        depth = 99 if number < _EARLY or number + 1 == _PLAYOUTS else 1
        assert _same(_dump_compiled(tree, 0, depth), expected)


def _node(visits: int, wins: float, prior: float) -> PolicyNode:
    node = PolicyNode(prior=prior)
    node.visits, node.total = visits, wins
    return node


def test_the_bound_by_hand() -> None:
    """N = 16: 0.2 + 0.5 * c * 4 / 11; 0.6 + 0.3 * c * 4 / 6; the third, unseen, has 0.2 and no visits."""
    above = _node(16, 8.0, 1.0)  # its mover has half: 0 for the player to move
    above.children = [_node(10, 6.0, 0.5), _node(5, 4.0, 0.3), _node(0, 0.0, 0.2)]
    scale = (1 + log((16 + 19653) / 19652)) * sqrt(16)
    bounds = [0.2 + 0.5 * scale / 11, 0.6 + 0.3 * scale / 6, 0 - 0.2 * sqrt(0.8) + 0.2 * scale]
    assert above.best(1.0, 0.2) is above.children[bounds.index(max(bounds))] is above.children[1]
    assert above.best(10.0, 0.2) is above.children[2]  # the more exploration, the sooner


def test_what_the_policy_likes_is_tried_first_and_the_value_decides() -> None:
    rules = game("tictactoe")
    state = rules.start()
    liked, won = state.moves()[3], state.moves()[7]

    def evaluate(seen: Any) -> tuple[list[float], float]:
        priors = [0.6 if move == liked else 0.05 for move in seen.moves()]
        value = 0.9 if seen.crosses >> won & 1 else 0.0
        return priors, value if seen.player == 0 else -value

    tried = puct(state, Meter(SearchLimits(playouts=2)), evaluate).tried
    assert [(each.move, each.visits, each.prior) for each in tried] == [(liked, 1, 0.6)]
    assert puct(state, Meter(SearchLimits(playouts=400)), evaluate).move == won


def test_without_a_simulation_any_move() -> None:
    state = game("tictactoe").start()
    assert puct(state, Meter(SearchLimits(playouts=0)), lambda _: ([], 0.0)).move in state.moves()
