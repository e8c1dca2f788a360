"""A match that is watched: its games on boards, and the score so far, over the whole terminal."""

from __future__ import annotations

import time
from collections import deque
from contextlib import ExitStack
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.text import Text

from protocol.cli.terminal.board import DIM, look_of
from protocol.cli.terminal.console import PrintableConsole, messages
from protocol.cli.terminal.tty import unheard
from protocol.text import located
from scripts.laboratory.long_run import RunDisplay
from scripts.laboratory.matches.match_boards import WatchedPlaces, arrangement, boards
from scripts.laboratory.matches.match_report import result_line, status_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from scripts.laboratory.matches.engine_match import EngineMatch, Schedule
    from scripts.laboratory.matches.engine_player import LiveGame
    from scripts.laboratory.matches.plan import MatchRules
    from scripts.laboratory.matches.record import FinishedGame

_PERIOD = 0.25  # seconds between two drawings: few, to leave the processor to the engines
_BELOW = 3  # lines below the boards beside the score: an empty one, the bar and what was said last
_MOST_SAID = 12  # lines


def can_watch() -> bool:
    """Whether standard output is a terminal in which lines can be overwritten."""
    console = PrintableConsole()
    return console.is_terminal and not console.is_dumb_terminal


class MatchDisplay(RunDisplay):
    """Draws the games several times a second, in a thread of its own. For a terminal.

    What is said meanwhile is printed when the display has ended, too. If a drawing fails, stderr says why,
    and a bar takes the place of the boards.
    """

    def __init__(self, match: EngineMatch, rules: MatchRules, schedule: Schedule, concurrency: int) -> None:
        played = match.tally.played
        super().__init__("games", schedule.games, played, every=1)
        self._engines = rules.engines
        self._places = WatchedPlaces(max(1, min(concurrency, schedule.games - played)))
        self._status = status_line(match.tally, schedule.sprt)
        self._recent: deque[str] = deque(maxlen=_MOST_SAID)
        self._said: list[str] = []
        self._lock, self._over = Lock(), Event()
        self._shown = ExitStack()
        self._is_watched = True
        self._drawn: RenderableType = Text()

    def __enter__(self) -> Self:
        live = Live(
            get_renderable=lambda: self._drawn,
            console=self.console,
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._shown.enter_context(unheard())
        self._shown.enter_context(live)
        thread = Thread(target=self._draw, args=(live,), daemon=True)
        thread.start()
        self._shown.callback(thread.join)
        self._shown.callback(self._over.set)
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.close()
        if self._is_watched:
            self._repeat()
        else:
            super().__exit__()

    def follow(self, live: LiveGame) -> None:
        """A game has begun, or gone on by a move."""
        with self._lock:
            self._places.follow(live, time.monotonic_ns())

    def ended(self, record: FinishedGame) -> None:
        """A game is over."""
        with self._lock:
            self._places.ended(record)
            self._recent.append(result_line(record, self._engines))

    def show(self, done: int, status: str) -> None:
        """See RunDisplay."""
        with self._lock:
            if self._is_watched:
                self._done = done
                self._status = self._with_rate(status)
            else:
                super().show(done, status)

    def say(self, line: str) -> None:
        """Show a line below the boards."""
        with self._lock:
            if self._is_watched:
                self._said.append(line)
                self._recent.append(line)
            else:
                super().say(line)

    def _draw(self, live: Live) -> None:
        try:
            while not self._over.wait(_PERIOD):
                self._drawn = self._picture()
                live.refresh()
        except Exception as error:  # noqa: BLE001 - whatever it is, the match goes on
            with self._lock:
                self._is_watched = False
                live.stop()
                messages().print(f"The games can no longer be shown, but the match goes on: {located(error)}")
                self._repeat()
                super().__enter__()

    def _repeat(self) -> None:
        for line in self._said:
            super().say(line)

    def _picture(self) -> RenderableType:
        """All that is to be shown. Called in the thread that draws."""
        width, height = self.console.size
        look = look_of(self.console)
        with self._lock:
            score = Text(f"{self._engines[0].name} against {self._engines[1].name}: {self._status}", "bold")
            status = score.wrap(self.console, width)
            below = _BELOW + len(status)
            fitting = arrangement(len(self._places.games), width, height - below, look)
            lines = boards(self._places.games, self._engines, fitting, look, time.monotonic_ns())
            room = max(1, height - len(lines) - below + 1)
            said = [Text(line, DIM) for line in list(self._recent)[-room:]]
            bar: RenderableType = Text()
            if self._progress is not None:
                self._progress.update(self._task, completed=self._done)
                bar = self._progress
        for line in (*lines, *said):
            line.truncate(width)
        return Group(*lines, Text(), *status, bar, *said)
