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
    from protocol.cli.terminal.board import BoardSize
    from protocol.cli.tournaments.contest import Contest, Fixture, PlayedMove, TournamentGame

_AROUND = 10  # lines around the board, with a line more for each player in the standings


class _StoppedError(Exception):
    """The game under way is not played to its end."""


class WatchedGames:
    """Plays games in this process, one after the other, with a pause after each move."""

    def __init__(self, contest: Contest, moved: Callable[[PlayedMove], None], delay: float) -> None:
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
            except _StoppedError:
                return False
            ended(game)
        return True

    def stop(self) -> None:
        """End soon. May be called from any thread."""
        self._stopped.set()
        for player in self._players:
            player.stop()

    def _follow(self, played: PlayedMove) -> None:
        if not self._stopped.is_set():
            self._moved(played)
        if self._stopped.wait(self._delay):
            raise _StoppedError


class WatchDisplay(TournamentDisplay):
    """Shows each move: on a terminal the board stays in its place, otherwise one follows the other."""

    def __init__(self, contest: Contest, games: int, size: BoardSize | None = None) -> None:
        """`size` is that of the board; None: as large as fits."""
        super().__init__(contest, games, as_json=False, every_game=True)
        self._games = games
        self._size = size
        self._in_place = self.console.is_terminal and not self.console.is_dumb_terminal
        self._shown: Sequence[Text] = ()

    def moved(self, played: PlayedMove) -> None:
        """Show a move, and the board after it."""
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
        """See Display."""
        if not self._in_place:
            return super().live()
        return Group(*self._shown, standings_table(self.standings), self.progress)

    def _players(self, played: PlayedMove) -> list[Text]:
        """Who sits where, with the points so far; the player to move is marked."""
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
