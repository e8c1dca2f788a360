"""`scripts/lab learn-go-policy`: the weights of Go's linear policy, learned from own games."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import click

from engine.files import write_whole
from engine.games.rules.game import IllegalMoveError
from engine.games.rules.go.game import GoGame
from scripts.laboratory.games.go_policy_fit import Fit, quality, samples, weight_file
from scripts.laboratory.games.go_policy_games import GoGameJob, GoPolicyPlayer, SearchedGame
from scripts.laboratory.job_options import other_games_job_options
from scripts.laboratory.jobs import JobError
from scripts.laboratory.lab_options import WIDE, amount_option, count_option, file_option, seed_option
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.laboratory.job_options import JobRunner

_PLAN = "9x300x1000,13x60x1200,19x20x1200"
_STAGE = re.compile(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", re.ASCII)
_HELD_OUT = 10  # one game of so many is kept for the report
_PASSES = 150

Stage = tuple[int, int, int]


class GamesPlan(click.ParamType[list[Stage]]):
    """How many games on boards of which size, with how many playouts a move."""

    name = "plan"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[Stage]:
        """Parse `SIZExGAMESxPLAYOUTS,…`."""
        stages = [_STAGE.fullmatch(stage) for stage in str(value).split(",")]
        found = [(int(stage[1]), int(stage[2]), int(stage[3])) for stage in stages if stage]
        if len(found) != len(stages) or any(size not in GoGame.sizes for size, _, _ in found):
            self.fail(f"{value!r} is not of the form {_PLAN}", param, ctx)
        return found


@click.command(context_settings=WIDE)
@click.option(
    "--plan",
    type=GamesPlan(),
    default=_PLAN,
    show_default=True,
    help="Games of a generation: SIZExGAMESxPLAYOUTS, …",
)
@count_option("--generations", 2, "Generations in all, with those in the folder.")
@count_option("--least", 20, "Times that a feature must be seen before it has a weight.")
@amount_option("--penalty", 1.0, "Penalty on the squares of the weights.")
@seed_option("the games")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Games and weights; the run resumes from it.",
)
@file_option("--output", "Write the last weights here, too.")
@other_games_job_options
def learn_go_policy(
    *,
    plan: list[Stage],
    generations: int,
    least: int,
    penalty: float,
    seed: int,
    folder: Path,
    output: Path | None,
    run_all: JobRunner,
) -> None:
    """Learn the linear policy of Go: games of uct-fast against itself, and a fit to the moves it preferred.

    The first generation plays with the priors that are written by hand, each later one with the policy that
    was learned from all games before. One game in ten is held out; on these the report gives the mean
    log-likelihood of the search's visits, and how often the move that it preferred is among the policy's
    first 1, 5 and 10. The same settings make the same games and weights, whoever plays the games.
    """
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(games for _, games, _ in plan) * generations
    played: list[SearchedGame] = []

    def go_on() -> None:
        weights = None
        for generation in range(generations):
            jobs = _jobs(plan, generation, seed)
            run = {"learn": "go policy", "generation": generation, "plan": plan, "seed": seed}
            with RunJournal(folder / f"games-{generation}.jsonl", run) as journal:
                found = dict(journal.read(_numbered))
                missing = [job for job in jobs if job.number not in found]
                with closing(run_all(partial(GoPolicyPlayer, weights), missing)) as games:
                    for number, game in games:
                        journal.append({"number": number, **asdict(game)})
                        found[number] = game
                        display.show(len(played) + len(found), f"generation {generation}")
            played.extend(found[job.number] for job in jobs)
            weights, report = _learn(played, least, penalty)
            for line in report:
                display.say(f"Generation {generation}: {line}")
            write_whole(folder / f"weights-{generation}.json", weights.encode())
        if output and weights:
            write_whole(output, weights.encode())

    with RunDisplay("games", total, 0, 10) as display:
        status = exit_status(go_on, display.say, JobError, JournalError, IllegalMoveError, OSError)
    sys.exit(status)


def _jobs(plan: Sequence[Stage], generation: int, seed: int) -> list[GoGameJob]:
    """The games of a generation, sizes mixed."""
    wanted = [(size, playouts) for size, games, playouts in plan for _ in range(games)]
    Random(generation).shuffle(wanted)
    first = (seed << 40) + (generation << 20)
    return [GoGameJob(n, size, playouts, first + n) for n, (size, playouts) in enumerate(wanted)]


def _numbered(record: dict[str, Any]) -> tuple[int, SearchedGame]:
    """The number and the game of a line of a journal."""
    return whole(record.pop("number")), SearchedGame(**record)


def _learn(played: Sequence[SearchedGame], least: int, penalty: float) -> tuple[str, list[str]]:
    """The file of weights learned from all games, and a report from a fit without those held out."""
    kept = played[::_HELD_OUT]
    learned = [game for number, game in enumerate(played) if number % _HELD_OUT]
    fit = Fit(samples(learned), least, penalty)
    fit.run(_PASSES)
    report = []
    for size in sorted({game.size for game in kept}):
        found = quality(samples(game for game in kept if game.size == size), fit.kinds, fit.weights)
        report.append(f"{size} lines: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items()))
    fit = Fit(samples(played), least, penalty)
    fit.run(_PASSES)
    moves = sum(len(game.moves) for game in played)
    how = (
        f"from {len(played)} games of uct-fast against itself, {moves} moves; features seen {least} times or"
        f" more, penalty {penalty:g}. Held out: {'; '.join(report)}."
    )
    return weight_file(fit.kinds, fit.weights, how), report
