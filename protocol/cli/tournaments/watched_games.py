"""A tournament to be watched: one game at a time, and the board after each move."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from engine.games.rules.game import CHANCE
from protocol.cli.terminal.decision_text import summary
from protocol.cli.terminal.game_board import ShownState, beside, position_lines, side_text
from protocol.cli.terminal.game_looks import side_name
from protocol.cli.tournaments.contest import play_out, seated
from protocol.cli.tournaments.tournament_display import TournamentDisplay, standings_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.games.players.player import Player
    from protocol.cli.tournaments.contest import Contest, Fixture, Step, TournamentGame

_AROUND = 10  # lines around the board, with a line more for each player in the standings


class _Stopped(Exception):  # noqa: N818 - no error
    """The game under way is not played to its end."""


class WatchedGames:
    """Plays games in this process, one after the other, with a pause after each move."""

    def __init__(self, contest: Contest, moved: Callable[[Step], None], delay: float) -> None:
        """`moved` is told each move; `delay` is the pause, in seconds."""
        self._contest = contest
        self._moved = moved
        self._delay = delay
        self._players: Sequence[Player] = ()
        self._stopped = Event()

    def run(self, fixtures: Iterable[Fixture], ended: Callable[[TournamentGame], None]) -> bool:
        """Call `ended` with each game. Returns whether all were played; a stop loses the one under way.

        Raises PlayerError, EntrantError.
        """
        for fixture in fixtures:
            self._players = seated(self._contest, fixture)
            try:
                game = play_out(self._contest, fixture, self._players, self._follow)
            except _Stopped:
                return False
            ended(game)
        return True

    def stop(self) -> None:
        """End soon. May be called from any thread."""
        self._stopped.set()
        for player in self._players:
            player.stop()

    def _follow(self, step: Step) -> None:
        if not self._stopped.is_set():
            self._moved(step)
        if self._stopped.wait(self._delay):
            raise _Stopped


class WatchDisplay(TournamentDisplay):
    """Shows each move: on a terminal the board stays in its place, otherwise one follows the other."""

    def __init__(self, contest: Contest, games: int) -> None:
        super().__init__(contest, games, as_json=False, every_game=True)
        self._games = games
        self._in_place = self.console.is_terminal and not self.console.is_dumb_terminal
        self._shown: Sequence[Text] = ()

    def moved(self, step: Step) -> None:
        """Show a move, and the board after it."""
        around = _AROUND + len(self.standings.table)
        position = ShownState(step.game, step.state, step.before, step.move)
        board = position_lines(position, self.console, around)
        heading = f"Game {step.fixture.number} of {self._games}"
        if self._in_place:
            notes = [Text(heading, "bold"), *self._players(step), Text(), Text(f"{step.number} moves")]
            self._shown = [*beside(board, notes, self.console.width), Text(), Text(self._sentence(step))]
            return
        if step.number == 1:
            seats = ", ".join(text.plain[2:] for text in self._players(step))
            self.print(f"{heading}: {seats}\n")
        self.print(self._sentence(step))
        self.print(Text("\n").join([*board, Text()]))

    def live(self) -> Group:
        """See Display."""
        if not self._in_place:
            return super().live()
        return Group(*self._shown, standings_table(self.standings), self.progress)

    def _players(self, step: Step) -> list[Text]:
        """Who sits where, with the points so far; the player to move is marked."""
        table = self.standings.table
        return [
            Text.assemble(
                "> " if step.state.player == seat else "  ",
                side_text(step.game, seat, self.console),
                f"  {table[entrant].label} ({table[entrant].points:g})",
            )
            for seat, entrant in enumerate(step.fixture.seats)
        ]

    def _sentence(self, step: Step) -> str:
        move = step.game.text(step.before, step.move)
        seat = step.before.player
        if seat == CHANCE:
            return f"{step.number}. Chance: {move}."
        if step.decision is None:
            return f"{step.number}. Opening, at random: {side_name(step.game, seat)} plays {move}."
        label = self.standings.table[step.fixture.seats[seat]].label
        plays = f"{side_name(step.game, seat)} ({label}) plays {move}"
        return f"{step.number}. {plays}{summary(step.game, step.before, step.decision)}."
