"""A game that the engine plays against itself, and the positions worth keeping of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from engine.board.movegen import legal_moves
from eval.learning.samples import SAMPLE, pack
from scripts.matches.book import BookError

from .referee import Ending, adjudicate, end_by_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from engine.board.position import Position

    from .player import Player, Thought

LEVEL_SCORE = 300
"""A game begins where the first search sees neither side ahead by more centipawns than this."""

FIRST_PLY, LARGEST_SCORE = 4, 1500
"""Positions are kept from this ply on, where the score is smaller than this either way, and so no mate."""

_MOST_OPENINGS = 1000


@dataclass(frozen=True, slots=True)
class Game:
    """A game as it was played: `result` is White's, 1, 0 or -1; `samples` has SAMPLE records."""

    number: int
    result: int
    ending: Ending
    plies: int
    samples: npt.NDArray[np.void]


def play_game(player: Player, openings: Iterator[Position], number: int) -> Game:
    """Play from the first opening that is level. Raises BookError where there is no such thing."""
    for position in islice(openings, _MOST_OPENINGS):
        moves = legal_moves(position)
        if end_by_rule(position, moves):
            continue
        player.new_game()
        thought = player.think(position, moves)
        if abs(thought.score) <= LEVEL_SCORE:
            return _play_on(player, position, thought, number)
    raise BookError(f"none of {_MOST_OPENINGS} openings for game {number} is level")


def _play_on(player: Player, position: Position, thought: Thought, number: int) -> Game:
    """Play to the end from a position, changing it, where the player has already thought about it."""
    scores: list[int] = []
    kept: list[np.void] = []
    while True:
        ply = len(scores)
        score = -thought.score if position.side else thought.score
        if ply >= FIRST_PLY and not position.checkers and is_worth_keeping(thought):
            kept.append(pack(position, score, 0, ply, number))
        scores.append(score)
        position.advance(thought.move)
        moves = legal_moves(position)
        over = end_by_rule(position, moves) or adjudicate(scores)
        if over:
            ending, result = over
            samples = np.array(kept, SAMPLE)
            samples["result"] = result
            return Game(number, result, ending, len(scores), samples)
        thought = player.think(position, moves)


def is_worth_keeping(thought: Thought) -> bool:
    """Whether the position can be judged by looking at it: a quiet best move and a moderate score."""
    return thought.is_quiet and abs(thought.score) < LARGEST_SCORE
