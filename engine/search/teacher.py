"""A small search as an evaluator: what a static evaluation should learn to say at once."""

import cython

from engine.board.position import Position
from engine.search.selfplay import SelfPlayer
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.move import is_quiet
    from engine.board.movegen import generate
    from engine.search.constants import UNKNOWN


class Teacher(Evaluator):
    """Evaluates by a search; it may be asked in the middle of the search of another searcher."""

    def __init__(self, player: SelfPlayer) -> None:
        """The searches are those of `player`, who plays no games meanwhile."""
        self.player = player

    def forget(self) -> None:
        """Forget everything from earlier searches."""
        self.player.forget()

    def evaluate(self, position: Position) -> int:
        """The score of a search that knows nothing of earlier moves, or UNKNOWN.

        It is UNKNOWN where no static value could say it: where the best move is not quiet, and in stalemate.
        """
        self.player.searcher.pos._copy_from(position)
        self.player.searcher.pos._shift(position.height)
        count = generate(self.player.searcher.pos, self.player.stack, 0, False)
        if count == 0:
            return UNKNOWN
        self.player._think(count)
        return self.player.score if is_quiet(self.player.best) else UNKNOWN
