"""Counts over games."""

import json

import numpy as np

from engine.adjudication import Ending
from eval.learning.game_file import PLY, GameRecord
from scripts.laboratory.learning.game_tally import GameTally


def game(plies: int, result: int, ending: Ending) -> GameRecord:
    """A game of which only the counts matter."""
    return GameRecord(0, result, list(Ending).index(ending), b"", np.zeros(plies, PLY))


def test_counts_survive_json() -> None:
    tally = GameTally()
    for each in (game(4, -1, Ending.CHECKMATE), game(3, 0, Ending.REPETITION), game(9, -1, Ending.CHECKMATE)):
        tally.add(each)
    expected = {"games": 3, "plies": 16, "results": [0, 1, 2], "endings": {"checkmate": 2, "repetition": 1}}
    assert tally.to_json() == expected
    again = GameTally()
    for _ in range(2):
        again.add_json(json.loads(json.dumps(tally.to_json())))
    assert again.to_json()["results"] == [0, 2, 4]
    assert again.endings == {"checkmate": 4, "repetition": 2}
    assert (again.games, again.plies) == (6, 32)
