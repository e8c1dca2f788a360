"""`lolli tournament`: searchers against each other."""

from __future__ import annotations

from time import monotonic
from typing import Any

import click

from engine.games.players.catalogue import GAMES
from engine.games.players.catalogue import game as make_game
from engine.games.rules.game import SizeError
from engine.games.textbook.search import SearchLimits
from engine.system import processors
from protocol.cli.evaluators import BadInputError
from protocol.cli.limits import seconds
from protocol.cli.terminal.interrupt import stopping
from protocol.cli.tournaments.contest import Contest, PlayerError
from protocol.cli.tournaments.display import Display
from protocol.cli.tournaments.entrant import EntrantError, entrants
from protocol.cli.tournaments.run import Tournament
from protocol.cli.tournaments.schedule import games, schedule
from protocol.workers import WorkerDiedError, WorkersError

_MOST_JOBS = 512


@click.command(
    epilog="""\b
Examples:
  lolli tournament --game connectfour --players uct,alphabeta:depth=4,random
  lolli tournament --game othello --players uct:exploration=0.7,uct --playouts 1000 --rounds 50
  lolli tournament --game virus --seats 4 --players bestreply,paranoid,maxn,random --depth 3
  lolli tournament --game go --size 9 --players level5,level6 --rounds 20 --jobs 2
  lolli tournament --game nim --players minimax,random --json > games.jsonl""",
)
@click.option("--game", required=True, type=click.Choice(tuple(GAMES)), help="What is played.")
@click.option(
    "--players",
    "descriptions",
    required=True,
    metavar="NAME[:OPTION=VALUE...],...",
    help="Who plays: searchers with options and limits of their own, or levels; see `lolli games`.",
)
@click.option(
    "--seats", type=click.IntRange(2), metavar="N", help="How many play at a time, where the game allows it."
)
@click.option("--size", type=click.IntRange(1), metavar="N", help="Of the board.")
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="In each, all who can meet do so, with every player in every seat.",
)
@click.option(
    "--time", "time", type=float, callback=seconds, metavar="SECONDS", help="Think so long about a move."
)
@click.option("--depth", type=click.IntRange(1, 10_000), metavar="N", help="Look so many plies ahead.")
@click.option("--nodes", type=click.IntRange(1), metavar="N", help="Visit so many nodes for a move.")
@click.option("--playouts", type=click.IntRange(1), metavar="N", help="Play so many random games for a move.")
@click.option(
    "--opening-plies",
    type=click.IntRange(0, 1000),
    default=2,
    show_default=True,
    metavar="N",
    help="Begin with so many random moves, the same in every seating of a round.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of all that is left to chance.")
@click.option(
    "--jobs",
    type=click.IntRange(1, _MOST_JOBS),
    metavar="N",
    help="Games at a time; one for each processor unless there is --time, else 1.",
)
@click.option("--all-games", "every_game", is_flag=True, help="Tell of every game.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line for each game and each player.")
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
    game: str,
    descriptions: str,
    seats: int | None,
    size: int | None,
    rounds: int,
    opening_plies: int,
    seed: int,
    jobs: int | None,
    every_game: bool,
    as_json: bool,
    **limit: Any,
) -> None:
    """Let searchers play against each other, and tell who is how strong.

    A player is a searcher's name, or a level such as level3, with options after colons, as in
    uct:exploration=0.7:playouts=500. seconds, depth, nodes and playouts are limits of that player alone;
    --time, --depth, --nodes and --playouts are for all others. Where none of them means anything to a
    searcher, as --playouts to alphabeta, its own depth, nodes or playouts hold.

    A game is won by who has the greatest payoff; where several have it, they share the point. The score is
    the points a game, with its 95% interval. Nodes, playouts, depth and time are means of a player's moves.
    The same seed plays the same games, if nothing depends on time.

    With --json a game is an object with type "game": number, opening, players, payoffs (both seat by seat),
    moves; a player's one has type "standing": rank, player, games, won, shared, lost, score, low, high,
    payoff (mean), moves, and sums over them: nodes, playouts, time (seconds); depth (mean). The last object
    has type "summary": games, time, interrupted.
    """
    limits = SearchLimits(limit["time"], limit["depth"], limit["nodes"], limit["playouts"])
    try:
        made = _made(game, seats)
        made.start(size)
        players = entrants(descriptions.split(","), made, limits)
    except (SizeError, EntrantError) as error:
        raise BadInputError(str(error)) from None
    contest = Contest(game, made.players, {}, size, players, opening_plies, seed)
    count = games(len(players), made.players, rounds)
    at_a_time = jobs or (1 if _timed(players) else processors())
    tournament = Tournament(contest, min(at_a_time, count))
    display = Display(contest, count, as_json=as_json, every_game=every_game)
    begun = monotonic()
    try:
        with stopping(tournament.stop) as interruption, display.shown():
            finished = tournament.run(schedule(len(players), made.players, rounds), display.ended)
    except (EntrantError, PlayerError, WorkerDiedError, WorkersError) as error:
        display.finish(monotonic() - begun, interrupted=True)
        raise click.ClickException(str(error)) from None
    display.finish(monotonic() - begun, interrupted=not finished)
    if not finished:
        raise SystemExit(interruption.exit_status)


def _made(game: str, seats: int | None) -> Any:
    """The game for so many players. Raises SizeError."""
    return make_game(game, seats)


def _timed(players: Any) -> bool:
    """Whether anybody plays by the clock: more games at a time than there are processors would be unfair."""
    return any(player.limits.seconds is not None for player in players)
