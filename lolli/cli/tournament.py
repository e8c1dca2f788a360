"""`lolli tournament`: searchers against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event, Lock
from time import monotonic
from typing import Any

import click
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from engine.games.catalogue import GAMES, Rules
from engine.games.players import Player
from engine.games.rules.game import CHANCE, NotApplicableError, SizeError
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.system.services import processors
from lolli.cli.contest import (
    Contest,
    EntrantError,
    Fixture,
    PlayedMove,
    Standing,
    Standings,
    Tournament,
    TournamentGame,
    entrants,
    games,
    play,
    saver,
    schedule,
    seated,
)
from lolli.cli.shared_options import (
    MOST_JOBS,
    BadInputError,
    FiniteRange,
    bad_input,
    board_size_option,
    flag_option,
    json_option,
    named_values,
    number_option,
    set_option,
    time_option,
)
from lolli.cli.terminal.board import (
    BoardSize,
    ShownState,
    beside,
    position_lines,
    side_name,
    side_text,
    summary,
)
from lolli.cli.terminal.keys import stopping
from lolli.cli.terminal.screen import Display, count_text, counted, duration_text, figures_table
from lolli.cli.workers import WorkerDiedError, WorkersError

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
  lolli tournament --game othello --players uct,alphabeta:depth=3 --rounds 1 --watch --delay 0.5"""
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
    help="The players: searchers, levels or files such as mine.py, with options and limits of their own; see"
    " `lolli games`.",
)
@number_option("--seats", least=2, help="The number of players in a game, if the game allows several.")
@number_option("--size", least=1, help="The size of the board.")
@set_option
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
    most=MOST_JOBS,
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
    type=FiniteRange(0, _LONGEST_DELAY),
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
    except (EntrantError, SizeError, WorkerDiedError, WorkersError) as error:
        display.finish(monotonic() - begun, interrupted=True)
        raise click.ClickException(str(error)) from None
    display.finish(monotonic() - begun, interrupted=not finished)
    if not finished:
        raise SystemExit(interruption.exit_status)


_MOST_ACROSS = 8  # the most entrants for a table of all against all
_NARROW = 16  # the columns to which a longer label may be folded
_DISPENSABLE = ({"Depth", "Payoff"}, {"Won", "Shared", "Lost"}, {"Playouts"}, {"Nodes", "Time"})


class TournamentDisplay(Display):
    def __init__(self, contest: Contest, games: int, *, as_json: bool, every_game: bool) -> None:
        super().__init__(games, "games", as_json=as_json)
        self.standings = Standings(contest)
        self._contest = contest
        self._every_game = every_game
        self._lock = Lock()

    def ended(self, game: TournamentGame) -> None:
        with self._lock:
            self.standings.add(game)
        self.progress.update(self.task, completed=self.standings.games)
        number, labels = (
            game.fixture.number,
            [self._contest.entrants[each].label for each in game.fixture.seats],
        )
        if self.as_json:
            content = {
                "number": number,
                "opening": game.fixture.opening,
                "players": labels,
                "payoffs": game.payoffs,
                "moves": game.moves,
            }
            self.print_json("game", content)
        elif self._every_game:
            pairs = zip(labels, game.payoffs, strict=True)
            result = ", ".join(f"{label} {payoff:+g}" for label, payoff in pairs)
            self.print(f"{number}: {result}; {len(game.moves)} plies")

    def finish(self, seconds: float, *, interrupted: bool) -> None:
        count = self.standings.games
        if self.as_json:
            for rank, standing in enumerate(self.standings.ranked(), 1):
                self.print_json("standing", {"rank": rank, **standing_content(standing)})
            summary = {"games": count, "time": round(seconds, 3), "interrupted": interrupted}
            self.print_json("summary", summary)
            return
        self.console.print(standings_table(self.console, self.standings))
        if self._contest.players == 2 and 2 < len(self.standings.table) <= _MOST_ACROSS:
            self.console.print(cross_table(self.console, self.standings))
        games = counted(count, "game")
        stopped = ", stopped" if interrupted else ""
        self.console.print(f"{games} in {duration_text(seconds)}{stopped}; scores with their 95% intervals")

    def live(self) -> Group:
        with self._lock:
            return Group(standings_table(self.screen, self.standings), self.progress)


def standings_table(console: Console, standings: Standings) -> Table:
    rows = [(standing.label, _row(standing)) for standing in standings.ranked()]
    return figures_table(console, "Player", rows, _DISPENSABLE, ranked=True, narrow=_NARROW)


def _row(standing: Standing) -> dict[str, str]:
    low, high = standing.interval
    totals = standing.totals
    moves = totals.moves or 1
    seconds = totals.seconds / moves
    time = f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
    return {
        "Games": str(standing.games),
        "Won": str(standing.won),
        "Shared": str(standing.shared),
        "Lost": str(standing.lost),
        "Score": f"{100 * standing.score:.1f}%",
        "95%": f"{100 * low:.0f}-{100 * high:.0f}%",
        "Payoff": f"{standing.payoff / (standing.games or 1):+.2f}",
        "Nodes": count_text(totals.nodes / moves) if totals.nodes else "",
        "Playouts": count_text(totals.playouts / moves) if totals.playouts else "",
        "Depth": f"{totals.depth / moves:.1f}" if totals.depth else "",
        "Time": time if totals.moves else "",
    }


def standing_content(standing: Standing) -> dict[str, Any]:
    low, high = standing.interval
    totals = standing.totals
    return {
        "player": standing.label,
        "games": standing.games,
        "won": standing.won,
        "shared": standing.shared,
        "lost": standing.lost,
        "score": round(standing.score, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "payoff": round(standing.payoff / (standing.games or 1), 4),
        "moves": totals.moves,
        "nodes": totals.nodes,
        "playouts": totals.playouts,
        "depth": round(totals.depth / (totals.moves or 1), 2),
        "time": round(totals.seconds, 3),
    }


def cross_table(console: Console, standings: Standings) -> Table:
    ranked = [standings.table.index(standing) for standing in standings.ranked()]

    def points(row: int, column: int) -> str:
        won, played = standings.against[row][column], standings.meetings[row][column]
        return f"{won:g}/{played}" if row != column else ""

    rows = [
        (standings.table[row].label, {f"#{rank}": points(row, each) for rank, each in enumerate(ranked, 1)})
        for row in ranked
    ]
    return figures_table(console, "Points of", rows)


_AROUND = 10  # lines around the board, with a line more for each player in the standings


class WatchedGames:
    def __init__(self, contest: Contest, moved: Callable[[PlayedMove], None], delay: float) -> None:
        self._contest = contest
        self._moved = moved
        self._delay = delay
        self._players: Sequence[Player] = ()
        self._stopped = Event()

    def run(self, fixtures: Iterable[Fixture], ended: Callable[[TournamentGame], None]) -> bool:
        """Whether all were played; a stop loses the one under way. Raises EntrantError."""
        for fixture in fixtures:
            self._players = seated(self._contest, fixture)
            try:
                game = play(self._contest, fixture, self._players, self._follow, self._stopped.is_set)
            except SearchStoppedError:
                return False
            ended(game)
        return True

    def stop(self) -> None:
        self._stopped.set()
        for player in self._players:
            player.stop()

    def _follow(self, played: PlayedMove) -> None:
        if not self._stopped.is_set():
            self._moved(played)
        if self._stopped.wait(self._delay):
            raise SearchStoppedError


class WatchDisplay(TournamentDisplay):
    def __init__(self, contest: Contest, games: int, size: BoardSize | None = None) -> None:
        super().__init__(contest, games, as_json=False, every_game=True)
        self._games = games
        self._size = size
        self._in_place = self.console.is_terminal and not self.console.is_dumb_terminal
        self._shown: Sequence[Text] = ()

    def moved(self, played: PlayedMove) -> None:
        around = _AROUND + len(self.standings.table)
        position = ShownState(played.game, played.state, played.before, played.move)
        board = position_lines(position, self.console, around, self._size)
        heading = f"Game {played.fixture.number} of {self._games}"
        if self._in_place:
            notes = [Text(heading, "bold"), *self._players(played), Text(), Text(f"{played.number} moves")]
            self._shown = [*beside(board, notes, self.console.width), Text(), Text(self._sentence(played))]
            return
        if played.number == 1:
            seats = ", ".join(text.plain[2:] for text in self._players(played))
            self.print(f"{heading}: {seats}\n")
        self.print(self._sentence(played))
        self.print(Text("\n").join([*board, Text()]))

    def live(self) -> Group:
        if not self._in_place:
            return super().live()
        return Group(*self._shown, standings_table(self.screen, self.standings), self.progress)

    def _players(self, played: PlayedMove) -> list[Text]:
        table = self.standings.table
        return [
            Text.assemble(
                "> " if played.state.player == seat else "  ",
                side_text(played.game, seat, self.console),
                f"  {table[entrant].label} ({table[entrant].points:g})",
            )
            for seat, entrant in enumerate(played.fixture.seats)
        ]

    def _sentence(self, played: PlayedMove) -> str:
        move = played.game.text(played.before, played.move)
        seat = played.before.player
        if seat == CHANCE:
            return f"{played.number}. Chance: {move}."
        if played.decision is None:
            return f"{played.number}. Opening, at random: {side_name(played.game, seat)} plays {move}."
        label = self.standings.table[played.fixture.seats[seat]].label
        plays = f"{side_name(played.game, seat)} ({label}) plays {move}"
        return f"{played.number}. {plays}{summary(played.game, played.before, played.decision)}."
