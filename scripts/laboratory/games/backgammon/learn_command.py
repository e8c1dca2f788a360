"""The command line of scripts/learn_backgammon."""

from __future__ import annotations

import re
from pathlib import Path

import click

from engine.games.rules.backgammon.learning import Learner
from scripts.laboratory.games.backgammon.weight_file import weight_file
from scripts.laboratory.matches.display import RunDisplay

_FILE = Path(__file__).parents[4] / "engine" / "games" / "rules" / "backgammon" / "weights.json"
_PLAN = "20000x0.05,40000x0.02,100000x0.01,150000x0.004,100000x0.0015"
_STAGE = re.compile(r"([1-9]\d*)x(\d+\.?\d*|\.\d+)", re.ASCII)
_PORTION = 1000  # games between looks at the terminal


class TrainingPlan(click.ParamType[list[tuple[int, float]]]):
    """How many games at which rate of learning, one after the other."""

    name = "plan"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[tuple[int, float]]:
        """See click."""
        stages = [_STAGE.fullmatch(stage) for stage in str(value).split(",")]
        if not all(stages):
            self.fail(f"{value!r} is not like {_PLAN}", param, ctx)
        return [(int(stage[1]), float(stage[2])) for stage in stages if stage]


@click.command(context_settings={"max_content_width": 110})
@click.option(
    "--plan", type=TrainingPlan(), default=_PLAN, show_default=True, help="Games x rate of learning, …."
)
@click.option("--trace", type=click.FloatRange(0, 1), default=0.7, show_default=True, help="λ.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of dice and first weights.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=_FILE,
    help="By default the engine's.",
)
def learn_backgammon(plan: list[tuple[int, float]], trace: float, seed: int, output: Path) -> None:
    """Learn to judge positions of backgammon from games against oneself, by TD(λ) from random weights.

    The same arguments give the same weights, on the same kind of processor.
    """
    try:
        output.open("a").close()
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {error.strerror}") from error
    learner = Learner(seed)
    total = sum(games for games, _ in plan)
    done = 0
    with RunDisplay("games", total, 0, 10 * _PORTION) as display:
        for games, rate in plan:
            for begun in range(0, games, _PORTION):
                portion = min(_PORTION, games - begun)
                plies = learner.learn(portion, rate, trace)
                done += portion
                display.show(done, f"rate {rate:g}, {plies:.1f} plies a game")
    stages = ", ".join(f"{games} at {rate:g}" for games, rate in plan)
    how = (
        f"TD(λ) with λ = {trace:g}, {total} games of the networks against themselves without looking ahead,"
        f" gammons counted; the rate of learning: {stages}; the seed is {seed}."
    )
    output.write_text(weight_file(learner.contact.weights(), learner.race.weights(), how))
