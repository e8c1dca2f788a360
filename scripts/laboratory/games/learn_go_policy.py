"""`scripts/lab learn-go-policy`: the weights of Go's linear policy, learned from own games."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import click

from engine.games.players.searchers import player
from engine.games.rules.game import OVER, IllegalMoveError
from engine.games.rules.go.game import GoGame
from engine.games.rules.go.policy import use
from engine.games.textbook.search import SearchLimits
from scripts.laboratory.games.go_policy_fit import Fit, SearchedGame, quality, samples, weight_file
from scripts.laboratory.lab_options import WIDE, amount_option, count_option, file_option, seed_option
from scripts.laboratory.long_run import JournalError, RunDisplay, RunJournal, exit_status

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLAN = "9x300x1000,13x60x1200,19x20x1200"
_STAGE = re.compile(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", re.ASCII)
_HELD_OUT = 10  # one game of so many is kept for the report
_DECIDED, _IN_A_ROW = 0.92, 4  # a game ends when so many values in a row are above it, or below its negative
_SEEN = 0.02  # shares of the visits below this are not kept
_STRAY = 0.5  # games with one random move
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
def learn_go_policy(
    plan: list[Stage],
    generations: int,
    least: int,
    penalty: float,
    seed: int,
    folder: Path,
    output: Path | None,
) -> None:
    """Learn the linear policy of Go: games of uct-fast against itself, and a fit to the moves it preferred.

    The first generation plays with the priors that are written by hand, each later one with the policy that
    was learned from all games before. One game in ten is held out; on these the report gives the mean
    log-likelihood of the search's visits, and how often the move that it preferred is among the policy's
    first 1, 5 and 10.
    """
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(games for _, games, _ in plan) * generations
    played: list[SearchedGame] = []

    def go_on() -> None:
        options = {"policy": "0"}
        for generation in range(generations):
            _play_generation(folder, generation, plan, seed, options, played, display)
            text, report = _learn(played, least, penalty)
            for line in report:
                display.say(f"Generation {generation}: {line}")
            (folder / f"weights-{generation}.json").write_text(text)
            use(text)
            options = {}
        if output:
            output.write_text(text)

    with RunDisplay("games", total, 0, 10) as display:
        status = exit_status(go_on, display, JournalError, IllegalMoveError, OSError)
    sys.exit(status)


def _play_generation(
    folder: Path,
    generation: int,
    plan: Sequence[Stage],
    seed: int,
    options: dict[str, str],
    played: list[SearchedGame],
    display: RunDisplay,
) -> None:
    """Play the games that are not in the generation's journal; `played` gets all of them."""
    run = {"learn": "go policy", "generation": generation, "plan": plan, "seed": seed}
    with RunJournal(folder / f"games-{generation}.jsonl", run) as journal:
        known = journal.read(lambda record: SearchedGame(**record))
        played += known
        wanted = [(size, playouts) for size, games, playouts in plan for _ in range(games)]
        Random(generation).shuffle(wanted)
        for number, (size, playouts) in enumerate(wanted[len(known) :], len(known)):
            game = play(size, playouts, (seed << 40) + (generation << 20) + number, options)
            journal.append(asdict(game))
            played.append(game)
            display.show(len(played), f"generation {generation}")


def play(size: int, playouts: int, seed: int, options: dict[str, str]) -> SearchedGame:
    """One game of uct-fast against itself, until it is decided.

    For variety the first moves, up to twice the size of the board, are drawn in proportion to their visits,
    and in some games one of the early moves is any.
    """
    random = Random(seed)
    rules = GoGame()
    state = rules.start(size)
    search = player(rules, "uct-fast", seed & 0x7FFFFFFF, {"megabytes": "128", **options})
    loose = random.randrange(2 * size)
    stray = random.randrange(size) if random.random() < _STRAY else -1
    moves: list[str] = []
    shares: list[dict[str, float]] = []
    decided = 0
    while state.player != OVER and decided < _IN_A_ROW:
        decision = search.choose(state, SearchLimits(playouts=playouts))
        visits = {each.move: each.visits for each in decision.tried}
        total = sum(visits.values())
        move = decision.move
        if len(moves) == stray:
            move = random.choice(state.moves()[:-1])
        elif len(moves) < loose and total:
            move = random.choices(list(visits), list(visits.values()))[0]
        seen = {move: number / total for move, number in visits.items() if number >= _SEEN * total}
        shares.append({rules.text(state, each): round(share, 3) for each, share in seen.items()})
        moves.append(rules.text(state, move))
        decided = decided + 1 if abs(decision.value or 0) > _DECIDED else 0
        state = state.play(move)
    return SearchedGame(size, moves, shares)


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
