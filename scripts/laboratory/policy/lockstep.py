"""Matches of players that are asked about many games at once, as networks on a GPU want to be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING, Protocol

from engine.control import Control
from engine.games.compiled.nodes import Nodes
from engine.games.compiled.puct import PuctOptions, PuctTree
from engine.games.compiled.uct import UctOptions
from engine.games.players.sampling import FastUctPlayer
from engine.games.rules.game import OVER
from engine.games.textbook.search import SearchLimits
from scripts.laboratory.policy.float_network import flat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.float_network import Parameters, Reals

_MEGABYTES = 8  # of the nodes of a tree
_PLAYOUTS_A_MEGABYTE = 1000


class LeafEvaluator(Protocol):
    """Evaluates as many positions as there are rows: `planes` come in, `policy` and `values` out."""

    planes: Reals
    policy: Reals
    values: Reals

    def evaluate(self, count: int | None = None) -> None:
        """Fill `policy` and `values` from `planes`: all, or at least the first `count`."""

    def replace(self, weights: Parameters) -> None:
        """Go on with other weights."""


class LockstepSide(Protocol):
    """One of two players of a match of many games."""

    def choose(self, games: Sequence[int], states: Sequence[CompiledState]) -> list[int]:
        """A move in the state of each of these games."""


class PuctSide:
    """PUCT with an evaluator, `playouts` a move; one leaf of each game is evaluated at a time.

    `reuse`: keep the tree of a game from move to move. Without it the trees need only little memory.
    """

    def __init__(
        self,
        evaluator: LeafEvaluator,
        kind: CompiledState,
        games: int,
        playouts: int,
        *,
        reuse: bool = True,
    ) -> None:
        self._evaluator = evaluator
        self._playouts = playouts
        self._reuse = reuse
        megabytes = _MEGABYTES if reuse else min(1 + playouts // _PLAYOUTS_A_MEGABYTE, _MEGABYTES)
        self._trees = [
            PuctTree(Nodes(megabytes, amaf=False, priors=True), Control(), kind, 0, PuctOptions(batch=1))
            for _ in range(games)
        ]

    def choose(self, games: Sequence[int], states: Sequence[CompiledState]) -> list[int]:
        """See LockstepSide."""
        trees = [self._trees[game] for game in games]
        for tree, state in zip(trees, states, strict=True):
            tree.begin(state, reuse=self._reuse)
            tree.limit(self._playouts, 1 << 60)
        evaluator = self._evaluator
        planes, policy, values = flat((evaluator.planes, evaluator.policy, evaluator.values))
        size, places = evaluator.planes[0].size, evaluator.policy[0].size
        searching = trees
        while searching:
            waiting: list[PuctTree] = []
            for tree in searching:
                if tree.gather(planes[len(waiting) * size :], 1):
                    waiting.append(tree)
            if waiting:
                evaluator.evaluate(len(waiting))
            for row, tree in enumerate(waiting):
                tree.absorb(policy[row * places :], values[row:])
            searching = waiting
        return [best_move(tree) for tree in trees]


def best_move(tree: PuctTree) -> int:
    """The move to play: a proven win, else the one most visited that is not a proven loss."""
    seen = [tree.seen(child) for child in tree.children(0)]
    best = max(seen, key=lambda each: (each[3] == 3, each[3] != 1, each[1], each[4]))
    return best[0]


class UctSide:
    """The compiled UCT, `playouts` a move, with `threads` games at a time."""

    def __init__(self, games: int, playouts: int, options: UctOptions, threads: int) -> None:
        self._players = [FastUctPlayer(seed, options=options) for seed in range(games)]
        self._limits = SearchLimits(playouts=playouts)
        self._pool = ThreadPoolExecutor(threads)

    def choose(self, games: Sequence[int], states: Sequence[CompiledState]) -> list[int]:
        """See LockstepSide."""

        def move(game: int, state: CompiledState) -> int:
            chosen: int = self._players[game].choose(state, self._limits).move
            return chosen

        return [*self._pool.map(move, games, states)]


def match(
    first: CompiledState,
    sides: tuple[LockstepSide, LockstepSide],
    games: int,
    opening: int,
    longest: int,
    seed: int = 0,
) -> tuple[int, int, int]:
    """Wins, draws and losses of the first side; every opening of random plies is played with both colours."""
    random = Random(seed)
    states: list[CompiledState] = []
    while len(states) < games:
        state = first
        for _ in range(opening):
            if state.player >= 0:
                state = state.play(random.choice(state.moves()))
        if state.player >= 0:
            states += [state, state]
    for _ in range(opening, longest):
        for side in range(2):
            turn = [
                game
                for game, state in enumerate(states)
                if state.player >= 0 and (state.player + game) % 2 == side
            ]
            moves = sides[side].choose(turn, [states[game] for game in turn]) if turn else []
            for game, move in zip(turn, moves, strict=True):
                states[game] = states[game].play(move)
    found = [_result(states[game]) * (1 if game % 2 == 0 else -1) for game in range(len(states))]
    return found.count(1), found.count(0), found.count(-1)


def _result(state: CompiledState) -> int:
    """Player 0's payoff, as the board stands."""
    value = (state.payoff() if state.player == OVER else state.estimate())[0]
    return (value > 0) - (value < 0)
