"""The command line of scripts/match_gnubg."""

from __future__ import annotations

import shutil
import sys

import click

from engine.games.players.searchers import SEARCHERS
from engine.games.rules.backgammon.game import JUDGES, BackgammonGame
from engine.games.textbook.limits import Limits
from scripts.laboratory.games.backgammon.gnubg_player import GnubgError, GnubgPlayer
from scripts.laboratory.games.backgammon.match import BackgammonScore, play_match
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.terminal import INTERRUPTED


@click.command(context_settings={"max_content_width": 110})
@click.option("--games", type=click.IntRange(2), default=100, show_default=True, help="An even number.")
@click.option("--depth", type=click.IntRange(1), default=1, show_default=True, help="Lolli's, in moves.")
@click.option(
    "--judge", type=click.Choice([*JUDGES]), default="network", show_default=True, help="Lolli's estimate."
)
@click.option("--plies", type=click.IntRange(0, 4), default=0, show_default=True, help="gnubg's.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the dice.")
@click.option("--gnubg", default="/usr/games/gnubg", show_default=True, help="The program.")
@click.option(
    "--every", type=click.IntRange(1), default=10, show_default=True, help="Games a line without a terminal."
)
def match_gnubg(games: int, depth: int, judge: str, plies: int, seed: int, gnubg: str, every: int) -> None:
    """Play Lolli's expectiminimax against GNU Backgammon: points a game and wins, with 95% intervals.

    Money play without the cube: a gammon counts 2, a backgammon 3. The games come in pairs with the same dice
    and sides exchanged. Depth 1 judges the positions after one's own moves, as gnubg does with 0 plies; depth
    2 looks at all rolls and replies, as with 1 ply.
    """
    if games % 2:
        raise click.UsageError(f"--games must be even, since dice are used in pairs; {games} is not")
    if shutil.which(gnubg) is None:
        raise click.UsageError(f"there is no {gnubg}; it comes with Debian's package gnubg")
    game = BackgammonGame(scoring="points", judge=judge)
    lolli = SEARCHERS["expectiminimax"].player(game, seed)
    limits = Limits(depth=depth)
    score = BackgammonScore()
    try:
        with GnubgPlayer(gnubg, plies, game) as peer, RunDisplay("games", games, 0, every) as display:
            for points in play_match(
                game, lambda state: lolli.choose(state, limits).move, peer.choose, games, seed
            ):
                score.points.append(points)
                display.show(len(score.points), score.line())
    except GnubgError as error:
        sys.exit(f"The match cannot go on: {error}")
    except KeyboardInterrupt:
        print(f"Stopped. {score.line()}" if score.points else "Stopped.")
        sys.exit(INTERRUPTED)
    print(f"Lolli, {judge}, depth {depth}, against gnubg, {plies} plies. {score.line()}")
