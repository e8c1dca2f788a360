"""`lolli tournament`: searchers against each other."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from engine.games.catalogue import GAMES, Rules
from engine.games.rules.game import NotApplicableError, SizeError
from engine.games.search.basics import SearchLimits
from engine.system.services import processors
from lolli.cli.shared_options import (
    BadInputError,
    bad_input,
    board_size_option,
    flag_option,
    json_option,
    named_values,
    number_option,
    time_option,
)
from lolli.cli.terminal.tty import stopping
from lolli.cli.tournaments.contest import (
    Contest,
    EntrantError,
    Tournament,
    TournamentGame,
    entrants,
    games,
    saver,
    schedule,
)
from lolli.cli.tournaments.display import TournamentDisplay, WatchDisplay, WatchedGames
from lolli.cli.workers import WorkerDiedError, WorkersError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lolli.cli.terminal.board import BoardSize

_MOST_JOBS = 512
_LONGEST_DELAY = 3600


@click.command(
    epilog="""\b
Examples:
  lolli tournament --game connectfour --players uct,alphabeta:depth=4,random
  lolli tournament --game othello --players uct:exploration=0.7,uct --playouts 1000 --rounds 50
  lolli tournament --game virus --seats 4 --players bestreply,paranoid,maxn,random --depth 3
  lolli tournament --game go --size 9 --players level5,level6 --rounds 20 --jobs 2
  lolli tournament --game checkers --players uct-fast,enhanced --rounds 2 --save games.pdn
  lolli tournament --game "nim 20" --players minimax,random --json > games.jsonl
  lolli tournament --game othello --players uct,alphabeta:depth=3 --rounds 1 --watch --delay 0.5""",
)
@click.option(
    "--game",
    "name",
    required=True,
    metavar="GAME",
    help=f'One of {", ".join(GAMES)}; of a tree or piles of Nim also which, as in --game "nim 20".',
)
@click.option(
    "--players",
    "descriptions",
    required=True,
    metavar="NAME[:OPTION=VALUE...],...",
    help="The players: searchers or levels, with options and limits of their own; see `lolli games`.",
)
@number_option("--seats", least=2, help="The number of players in a game, if the game allows several.")
@number_option("--size", least=1, help="The size of the board.")
@click.option(
    "--set", "rules", multiple=True, metavar="NAME=VALUE", help="An option of the game, such as komi=6.5."
)
@number_option(
    "--rounds",
    least=1,
    default=10,
    help="In each round all players who can meet do so, in every rotation of the seats.",
)
@time_option("Think about each move for SECONDS.")
@number_option("--depth", least=1, most=10_000, help="Search N plies deep.")
@number_option("--nodes", least=1, help="Search N nodes for each move.")
@number_option("--playouts", least=1, help="Play N random games for each move.")
@number_option(
    "--opening-plies",
    least=0,
    most=1000,
    default=2,
    help="Begin with N random moves, the same for all seatings of a group in a round.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the random numbers.")
@number_option(
    "--jobs",
    least=1,
    most=_MOST_JOBS,
    help="Play N games at a time. Default: one for each processor, but 1 with --time.",
)
@flag_option("--all-games", "every_game", help="Report every game.")
@click.option(
    "--save",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Add the games to FILE: chess as PGN, checkers as PDN.",
)
@flag_option("--watch", help="Show the board after each move, one game at a time.")
@click.option(
    "--delay",
    type=click.FloatRange(0, _LONGEST_DELAY),
    metavar="SECONDS",
    help="With --watch: wait for SECONDS after each move.",
)
@board_size_option
@json_option("Print JSON, a line for each game and each player.")
def command(  # noqa: PLR0917 - an argument for each option
    name: str,
    descriptions: str,
    seats: int | None,
    size: int | None,
    rules: Sequence[str],
    rounds: int,
    opening_plies: int,
    seed: int,
    jobs: int | None,
    every_game: bool,
    path: Path | None,
    watch: bool,
    delay: float | None,
    board_size: BoardSize | None,
    as_json: bool,
    **limit: Any,
) -> None:
    """Let searchers play against each other, and rank them.

    A player is the name of a searcher, or a level such as level3, with options after colons, as in
    uct:exploration=0.7:playouts=500. The options seconds, depth, nodes and playouts limit that player alone;
    --time, --depth, --nodes and --playouts limit all others. If none of these limits applies to a searcher,
    as --playouts to alphabeta, its own default limits hold.

    The player with the greatest payoff wins a game; if several have it, they share the point. The score is
    the points per game, with its 95% interval. Nodes, playouts, depth and time are means over a player's
    moves. The same seed plays the same games, unless a limit is on time.

    With --watch the games are played one after the other. Above a board stands the move that led to it, with
    the value that its player found for itself, the line of play that it expects, and what the search took.

    With --json a game is an object with type "game": number, opening, players, payoffs (both by seat),
    moves; a player is one with type "standing": rank, player, games, won, shared, lost, score, low, high,
    payoff (mean), moves, and the sums over them: nodes, playouts, time (seconds); depth (mean). The last
    object has type "summary": games, time, interrupted.
    """
    if watch and (as_json or (jobs or 1) > 1):
        raise BadInputError("--watch cannot be combined with --json or with several --jobs")
    if delay is not None and not watch:
        raise BadInputError("--delay needs --watch")
    limits = SearchLimits(limit["time"], limit["depth"], limit["nodes"], limit["playouts"])
    chosen = Rules.named(name, seats, named_values("--set", rules))
    with bad_input(SizeError, EntrantError):
        made = chosen.game()
        made.start(size)
        players = entrants(descriptions.split(","), made, limits)
    contest = Contest(chosen, made.players, size, players, opening_plies, seed)
    with bad_input(NotApplicableError, EntrantError, prefix="--save: "):
        save = None if path is None else saver(contest, path)
    count = games(len(players), made.players, rounds)
    display: TournamentDisplay
    tournament: Tournament | WatchedGames
    if watch:
        display = watched = WatchDisplay(contest, count, board_size)
        tournament = WatchedGames(contest, watched.moved, delay or 0.0)
    else:
        # With a clock, more games than processors would be unfair.
        is_timed = any(player.limits.seconds is not None for player in players)
        tournament = Tournament(contest, min(jobs or (1 if is_timed else processors()), count))
        display = TournamentDisplay(contest, count, as_json=as_json, every_game=every_game)

    def ended(game: TournamentGame) -> None:
        display.ended(game)
        if save is not None:
            save(game)

    begun = monotonic()
    try:
        with stopping(tournament.stop) as interruption, display.shown():
            finished = tournament.run(schedule(len(players), made.players, rounds), ended)
    except (EntrantError, WorkerDiedError, WorkersError) as error:
        display.finish(monotonic() - begun, interrupted=True)
        raise click.ClickException(str(error)) from None
    display.finish(monotonic() - begun, interrupted=not finished)
    if not finished:
        raise SystemExit(interruption.exit_status)
