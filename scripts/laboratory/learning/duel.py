"""Pairs of games between two versions of the search that differ in their parameters alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING

from engine.board.movegen import legal_moves
from eval.linear import Linear

from .openings import Openings, OpeningSource
from .player import FixedNodesPlayer
from .referee import adjudicate, end_by_rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.board.position import Position
    from eval.weight_file import Weights
    from scripts.laboratory.matches.book import OpeningSuite


@dataclass(frozen=True, slots=True)
class DuelTerms:
    """How the games are played: openings by number and seed, so many nodes a move."""

    book: OpeningSuite
    weights: Weights
    nodes: int
    seed: int


@dataclass(frozen=True, slots=True)
class Duel:
    """A pair of games with the same opening: what either side has changed of the usual parameters."""

    number: int
    first: Mapping[str, int] = field(default_factory=dict)
    second: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fought:
    """A pair of games, with the points of `first`, 0 … 2."""

    duel: Duel
    points: float


class DuelWorker:
    """Plays pairs in a process of its own."""

    def __init__(self, terms: DuelTerms) -> None:
        """Get ready to play."""
        self._openings = Openings([OpeningSource(terms.book, 0, 0)], terms.seed)
        self._players = [FixedNodesPlayer(Linear(terms.weights), terms.nodes) for _ in range(2)]

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
        """Nothing was opened."""


def _result(white: FixedNodesPlayer, black: FixedNodesPlayer, position: Position) -> int:
    """White's result of a game: 1, 0 or -1."""
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
    """The points of a pair, from a journal. Raises KeyError or ValueError where they are none."""
    for points in (0.0, 0.5, 1.0, 1.5, 2.0):
        if record["points"] == points:
            return points
    raise ValueError("not the points of two games")
