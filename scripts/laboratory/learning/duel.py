"""Pairs of games between two versions of the search that differ only in their parameters.

Two experiments are made of them: `scripts/lab screen-search` and `scripts/lab tune-search`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING

from engine import adjudication
from engine.adjudication import Ending
from engine.board.move import is_quiet
from engine.board.movegen import legal_moves
from engine.search.engine import Engine
from engine.search.parameters import NUMBERS, TECHNIQUES
from engine.search.report import Bound, Score
from scripts.laboratory.jobs import JobError, run_jobs
from scripts.laboratory.lab_options import OPENINGS
from scripts.laboratory.learning.given_evaluator import GivenEvaluator, default_name
from scripts.laboratory.learning.selfplay_games import Openings, OpeningSource
from scripts.laboratory.long_run import exit_status
from scripts.laboratory.openings import OpeningSuite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from engine.board.position import Position
    from eval.evaluator import Evaluator
    from scripts.laboratory.long_run import RunDisplay


# Enough for a game of short searches, and small enough for the caches of a processor.
_TABLE_MEGABYTES = 4


@dataclass(frozen=True, slots=True)
class FoundMove:
    """The result of a search: a move, and its score in centipawns from the mover's point of view."""

    move: int
    score: int

    @property
    def is_quiet(self) -> bool:
        """Whether the move neither captures nor promotes."""
        return is_quiet(self.move)


class FixedNodesPlayer:
    """Searches `nodes` nodes for each move.

    The moves of a game do not depend on earlier games.
    """

    def __init__(self, evaluator: Evaluator, nodes: int) -> None:
        """Search with the default parameters until `change` is called."""
        self._evaluator = evaluator
        self.nodes = nodes
        self._engine = Engine.single(evaluator, _TABLE_MEGABYTES)

    def change(self, changed: Mapping[str, int]) -> None:
        """Use the default parameters except for `changed`."""
        self._engine.parameters.reset(changed)

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


@dataclass(frozen=True, slots=True)
class DuelTerms:
    """How the games are played: openings by number and seed, `nodes` nodes a move."""

    book: OpeningSuite
    evaluator: GivenEvaluator
    nodes: int
    seed: int


@dataclass(frozen=True, slots=True)
class Duel:
    """A pair of games with the same opening, and the parameters that either side has changed."""

    number: int
    first: Mapping[str, int] = field(default_factory=dict)
    second: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fought:
    """A finished pair, with the points of `first`, 0 to 2."""

    duel: Duel
    points: float


class DuelWorker:
    """Plays pairs of games in a worker process."""

    def __init__(self, terms: DuelTerms) -> None:
        """Create both players."""
        self._openings = Openings([OpeningSource(terms.book, 0, 0)], terms.seed)
        self._players = [FixedNodesPlayer(terms.evaluator.make(), terms.nodes) for _ in range(2)]

    def work(self, duel: Duel) -> Fought:
        """Play both games of a pair."""
        first, second = self._players
        first.change(duel.first)
        second.change(duel.second)
        opening = next(self._openings.of_game(duel.number))
        white = _result(first, second, opening.copy())
        black = -_result(second, first, opening.copy())
        return Fought(duel, (white + black + 2) / 2)

    def close(self) -> None:
        """Nothing to release."""


def _result(white: FixedNodesPlayer, black: FixedNodesPlayer, position: Position) -> int:
    """Play a game. White's result: 1, 0 or -1."""
    for player in (white, black):
        player.new_game()
    scores: list[int] = []
    turns = cycle((black, white) if position.side else (white, black))
    for player in turns:
        moves = legal_moves(position)
        over = end_by_rule(position, moves) or adjudicate(scores)
        if over:
            return over[1]
        thought = player.think(position, moves)
        scores.append(-thought.score if position.side else thought.score)
        position.advance(thought.move)
    raise AssertionError("a game without end")


def points_of(record: Mapping[str, object]) -> float:
    """The points of a record in a journal. Raises KeyError or ValueError if there are none."""
    for points in (0.0, 0.5, 1.0, 1.5, 2.0):
        if record["points"] == points:
            return points
    raise ValueError("not the points of two games")


def engine(evaluator: GivenEvaluator | None = None) -> str:
    """A hash of the default parameters of the search and of the weights, by default those that play."""
    usual = [(name, each.default) for table in (TECHNIQUES, NUMBERS) for name, each in table.items()]
    weights = (evaluator or GivenEvaluator.read(default_name())).digest()
    return hashlib.sha256(f"{json.dumps(usual)} {weights}".encode()).hexdigest()[:16]


def fight(
    left: Iterator[Duel],
    evaluator: GivenEvaluator,
    nodes: int,
    seed: int,
    concurrency: int,
    display: RunDisplay,
    learn: Callable[[Fought], int],
) -> int:
    """Play the remaining pairs. The exit status.

    `learn` is called with each result and returns how many pairs have been played.
    """
    terms = DuelTerms(OpeningSuite.read(OPENINGS, chess960=False), evaluator, nodes, seed)

    def play() -> None:
        with contextlib.closing(run_jobs(partial(DuelWorker, terms), left, concurrency)) as results:
            for fought in results:
                display.show(learn(fought), "")

    return exit_status(play, display.say, JobError)
