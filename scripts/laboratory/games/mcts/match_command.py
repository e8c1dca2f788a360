"""The command line of scripts/match_mcts."""

from __future__ import annotations

import json
import sys

import click

from engine.games.players.catalogue import game
from engine.games.players.options import OptionError
from protocol.cli.gtp import pairs
from scripts.laboratory.games.mcts.match import MatchScore, RulesError, play_match, speed
from scripts.laboratory.games.mcts.sides import Lolli, MoveBudget, OpenSpiel, pyspiel
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.terminal import INTERRUPTED, interrupt_on_sigterm

THEIR_NAMES = {"connectfour": "connect_four", "othello": "othello"}


@click.command(context_settings={"max_content_width": 110})
@click.option("--game", "name", type=click.Choice([*THEIR_NAMES]), default="connectfour", show_default=True)
@click.option("--games", type=click.IntRange(2), default=40, show_default=True, help="An even number.")
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="A move."
)
@click.option("--simulations", type=click.IntRange(1), help="A move, of both sides, instead of the time.")
@click.option(
    "--plies", type=click.IntRange(0, 6), default=4, show_default=True, help="At random, to begin with."
)
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Of the tree search; repeatable."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the openings and both sides.")
@click.option("--json", "as_json", is_flag=True, help="Nothing but the result, as JSON.")
def match_mcts(
    name: str,
    games: int,
    seconds: float,
    simulations: int | None,
    plies: int,
    options: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Play Lolli's tree search against OpenSpiel's, which is C++: MCTSBot, UCT with a solver.

    Each has the same time for a move, and makes as many simulations as that allows. The games come in pairs
    with the same opening and sides exchanged; percent and Elo are Lolli's, with 95% intervals.
    """
    if games % 2:
        raise click.UsageError(f"--games must be even, since openings are used in pairs; {games} is not")
    interrupt_on_sigterm()
    ours, budget, score = game(name), MoveBudget(seconds, simulations), MatchScore()
    theirs = pyspiel.load_game(THEIR_NAMES[name])
    try:
        sides = Lolli(ours, budget, pairs("--option", options)), OpenSpiel(THEIR_NAMES[name], budget)
    except OptionError as error:
        raise click.UsageError(str(error)) from error
    try:
        speeds = [speed(ours, theirs, side) for side in sides]
        with RunDisplay("games", games, 0, 10) as display:
            if not as_json:
                display.say(f"simulations a second at the start: {speeds[0]:,.0f} and {speeds[1]:,.0f}")
            for points in play_match(ours, theirs, sides, games, plies=plies, seed=seed):
                score.points.append(points)
                if not as_json:
                    display.show(len(score.points), score.line())
    except RulesError as error:
        sys.exit(f"The match cannot go on: {error}")
    except KeyboardInterrupt:
        if not as_json:
            print(f"Stopped. {score.line()}" if score.points else "Stopped.")
        sys.exit(INTERRUPTED)
    report(score, speeds, as_json=as_json)


def report(score: MatchScore, speeds: list[float], *, as_json: bool) -> None:
    """The result on standard output."""
    if not as_json:
        print(score.line())
        return
    print(
        json.dumps(
            {
                "games": len(score.points),
                "wins": score.points.count(1.0),
                "draws": score.points.count(0.5),
                "rate": score.rate,
                "interval": score.interval,
                "simulations per second": speeds,
            }
        )
    )
