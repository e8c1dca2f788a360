"""A player and an adjudicator in plain Python, slow and short: SelfPlayer is compared with them."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine import adjudication
from engine.adjudication import Ending
from engine.board.position import Position
from engine.search.engine import Engine
from engine.search.report import Bound, Score
from eval.evaluator import Evaluator


@dataclass(frozen=True, slots=True)
class FoundMove:
    """The result of a search: a move, and its score in centipawns from the mover's point of view."""

    move: int
    score: int


class FixedNodesPlayer:
    """Searches `nodes` nodes for each move.

    The moves of a game do not depend on earlier games.
    """

    def __init__(self, evaluator: Evaluator, nodes: int) -> None:
        """Search with the default parameters."""
        self._evaluator = evaluator
        self.nodes = nodes
        self._engine = Engine.single(evaluator, 4)

    def new_game(self) -> None:
        """Forget everything from the last game."""
        self._engine.new_game()

    def think(self, position: Position, moves: Sequence[int]) -> FoundMove:
        """Search `moves`, the legal moves of `position`, of which there is at least one.

        The score is the last exact one, or the static value if there is none.
        """
        self._engine.begin()
        move, score = moves[0], self._evaluator.static_value(position)
        for iteration in self._engine.iterations(position, moves, node_limit=self.nodes):
            best = iteration.best
            move = best.move
            if best.depth and best.bound is Bound.EXACT:
                score = best.score
            mate = Score(best.score).mate()
            if iteration.finished and mate is not None and iteration.depth > 2 * abs(mate):
                break
        return FoundMove(move, score)


def end_by_rule(position: Position, moves: Sequence[int]) -> tuple[Ending, int] | None:
    """How the rules end the game in `position`, with the legal moves `moves`, and White's result."""
    if not moves:
        return (Ending.CHECKMATE, 1 if position.side else -1) if position.checkers else (Ending.STALEMATE, 0)
    if position.is_insufficient():
        return Ending.INSUFFICIENT, 0
    if position.is_fifty_moves():
        return Ending.FIFTY_MOVES, 0
    return (Ending.REPETITION, 0) if position.is_repetition(0) else None


def adjudicate(scores: Sequence[int]) -> tuple[Ending, int] | None:
    """How the game is adjudicated, and White's result; `scores` are White's centipawns after each ply."""
    rules = adjudication.STANDARD
    last = scores[-rules.won_plies :]
    if len(last) == rules.won_plies:
        if min(last) > rules.won_score:
            return Ending.CLEAR_WIN, 1
        if max(last) < -rules.won_score:
            return Ending.CLEAR_WIN, -1
    if len(scores) >= rules.drawn_from + rules.drawn_plies and all(
        abs(score) <= rules.drawn_score for score in scores[-rules.drawn_plies :]
    ):
        return Ending.CLEAR_DRAW, 0
    return (Ending.TOO_LONG, 0) if len(scores) >= rules.longest else None
