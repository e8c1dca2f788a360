"""The engine that plays against itself: one search after another, without a protocol in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.board.move import is_quiet
from engine.search.engine import Engine
from engine.search.report import Bound, Score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.board.position import Position
    from eval.evaluator import Evaluator

# What a game of short searches fills, and small enough to stay near the processor.
_TABLE_MEGABYTES = 4


@dataclass(frozen=True, slots=True)
class Thought:
    """What a search has found: the move, and the mover's centipawns."""

    move: int
    score: int

    @property
    def is_quiet(self) -> bool:
        """Whether the move neither captures nor promotes."""
        return is_quiet(self.move)


class Player:
    """Plays both sides, with a fixed number of nodes for each move.

    The moves of a game depend on nothing but the game, whatever was played before.
    """

    def __init__(self, evaluator: Evaluator, nodes: int) -> None:
        """The parameters of the search are the usual ones until `change` makes others of them."""
        self._evaluator = evaluator
        self._nodes = nodes
        self._engine = Engine.single(evaluator, _TABLE_MEGABYTES)

    def change(self, changed: Mapping[str, int]) -> None:
        """Search with the usual parameters except for these from now on."""
        self._engine.parameters.reset(changed)

    def new_game(self) -> None:
        """Forget all that was learned in the last game."""
        self._engine.new_game()

    def think(self, position: Position, moves: Sequence[int]) -> Thought:
        """Search the legal moves of a position, of which there is at least one.

        The score is that of the last depth with an exact one, else the static value.
        """
        self._engine.begin()
        move, score = moves[0], self._evaluator.judge(position)
        for iteration in self._engine.iterations(position, moves, node_limit=self._nodes):
            best = iteration.best
            move = best.move
            if best.depth and best.bound is Bound.EXACT:
                score = best.score
            mate = Score(best.score).mate()
            if iteration.finished and mate is not None and iteration.depth > 2 * abs(mate):
                break
        return Thought(move, score)
