"""The engine that plays against itself: one search after another, without a protocol in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.control import Control
from engine.search.alphabeta import Searcher
from engine.search.deepening import Deepening
from engine.search.parameters import Parameters
from engine.search.report import Bound, Score
from engine.search.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.board.position import Position
    from eval.evaluator import Evaluator

# What a game of short searches fills, and small enough to stay near the processor.
_TABLE_MEGABYTES = 4
_NOISY = 0xC000


@dataclass(frozen=True, slots=True)
class FoundMove:
    """What a search has found: the move, and the mover's centipawns."""

    move: int
    score: int

    @property
    def is_quiet(self) -> bool:
        """Whether the move neither captures nor promotes."""
        return not self.move & _NOISY


class FixedNodesPlayer:
    """Plays both sides, with a fixed number of nodes for each move.

    The moves of a game depend on nothing but the game, whatever was played before.
    """

    def __init__(self, evaluator: Evaluator, nodes: int) -> None:
        """The parameters of the search are the usual ones until `change` makes others of them."""
        self._evaluator = evaluator
        self._nodes = nodes
        self._table = Table(_TABLE_MEGABYTES)
        self._control = Control()
        self._use = Parameters()
        self._searcher = Searcher(self._table, self._control, evaluator, self._use)

    def change(self, changed: Mapping[str, int]) -> None:
        """Search with the usual parameters except for these from now on."""
        self._use.reset(changed)

    def new_game(self) -> None:
        """Forget all that was learned in the last game."""
        self._table.clear()
        self._searcher.forget_moves()
        self._searcher.forget_positions()

    def think(self, position: Position, moves: Sequence[int]) -> FoundMove:
        """Search the legal moves of a position, of which there is at least one.

        The score is that of the last depth with an exact one; the static value where there is none.
        """
        self._control.begin()
        self._table.new_search()
        self._searcher.begin(position, self._nodes)
        deepening = Deepening(self._searcher, position, moves, self._use)
        score: int | None = None
        for depth in deepening.run():
            best = deepening.best
            score = best.score if best.bound is Bound.EXACT else score
            mate = Score(best.score).mate()
            if deepening.finished and mate is not None and depth > 2 * abs(mate):
                break
        if score is None:
            score = self._evaluator.judge(position)
        return FoundMove(deepening.best.move, score)
