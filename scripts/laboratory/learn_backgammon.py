"""`scripts/lab learn-backgammon`: the networks that evaluate backgammon, trained by TD(λ)."""

import json
from array import array
from base64 import b85encode
from collections.abc import Sequence
from pathlib import Path

import click

from engine.games.rules.backgammon.learning import Learner
from engine.games.rules.backgammon.network import SCALE
from engine.system.files import write_whole
from scripts.laboratory.lab_options import (
    ROOT,
    WIDE,
    Stages,
    file_option,
    require_writable,
    seed_option,
)
from scripts.laboratory.long_run import RunDisplay

_LARGEST = (1 << 15) - 1


def weight_file(contact: Sequence[float], race: Sequence[float], how: str) -> str:
    weights = {"learned": how, "contact": encoded(contact), "race": encoded(race)}
    return json.dumps(weights, indent=1, ensure_ascii=False) + "\n"


def encoded(weights: Sequence[float]) -> str:
    """In the form that Net.read takes, clipped to its range."""
    numbers = array("h", [max(-_LARGEST, min(_LARGEST, round(SCALE * weight))) for weight in weights])
    return b85encode(numbers.tobytes()).decode()


_FILE = ROOT / "engine" / "games" / "weights" / "backgammon.json"
_PLAN = "20000x0.05,40000x0.02,100000x0.01,150000x0.004,100000x0.0015"
_TRACE = 0.7  # λ
_PORTION = 1000  # games between updates of the display


@click.command(context_settings=WIDE)
@click.option(
    "--plan", type=Stages(_PLAN, int, float), default=_PLAN, show_default=True, help="Stages: GAMESxRATE, …"
)
@seed_option("dice and first weights")
@file_option("--output", "File of weights to write.", _FILE)
def learn_backgammon(plan: list[tuple[int, float]], seed: int, output: Path) -> None:
    """Train the networks that judge backgammon, by TD(λ) from random weights in games against themselves.

    The same arguments give the same weights on the same kind of processor.
    """
    require_writable(output)
    learner = Learner(seed)
    total = sum(games for games, _ in plan)
    done = 0
    with RunDisplay("games", total, 0, 10 * _PORTION) as display:
        for games, rate in plan:
            for begun in range(0, games, _PORTION):
                portion = min(_PORTION, games - begun)
                plies = learner.learn(portion, rate, _TRACE)
                done += portion
                display.show(done, f"rate {rate:g}, {plies:.1f} plies a game")
    stages = ", ".join(f"{games} at {rate:g}" for games, rate in plan)
    how = (
        f"TD(λ) with λ = {_TRACE:g}, {total} games of the networks against themselves without looking ahead,"
        f" gammons counted; the rate of learning: {stages}; the seed is {seed}."
    )
    write_whole(output, weight_file(learner.contact.weights(), learner.race.weights(), how).encode())
