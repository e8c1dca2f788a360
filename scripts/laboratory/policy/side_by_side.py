"""Games of PUCT against itself that go on side by side, with an evaluator for the leaves of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.compiled.puct_games import PuctGames
from scripts.laboratory.policy.float_network import flat
from scripts.laboratory.policy.game_records import PolicyGame

if TYPE_CHECKING:
    from engine.games.compiled.puct import PuctOptions
    from engine.games.compiled.puct_games import PuctGamesOptions
    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.lockstep import LeafEvaluator


class GamesSideBySide:
    """As many games as the evaluator has rows; where one ends, another begins. For one thread."""

    def __init__(
        self,
        first: CompiledState,
        search: PuctOptions,
        play: PuctGamesOptions,
        seed: int,
        evaluator: LeafEvaluator,
    ) -> None:
        self.evaluated = 0
        self._evaluator = evaluator
        self._buffers = flat((evaluator.planes, evaluator.policy, evaluator.values))
        self._games = PuctGames(first, len(evaluator.values), seed, search, play)

    def set_playouts(self, full: int, fast: int) -> None:
        """From the next move of each game on; from any thread."""
        self._games.set_playouts(full, fast)

    def step(self) -> list[PolicyGame]:
        """Let each game go on by the evaluation of a leaf; those that have ended."""
        planes, policy, values = self._buffers
        if count := self._games.gather(planes):
            self._evaluator.evaluate(count)
            self._games.absorb(policy, values)
            self.evaluated += count
        if not self._games.finished:
            return []
        return [PolicyGame.of(played) for played in self._games.take_games()]
