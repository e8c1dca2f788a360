"""What a match shows: a line of the score, boards with --watch, and the summary at its end."""

from __future__ import annotations

import math
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Self

import chess
from rich.cells import cell_len, set_cell_size
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from lolli.cli.playing.chess_game import clock_text
from lolli.cli.terminal.board import DIM, BoardSize, Look, board_lines, look_of
from lolli.cli.terminal.console import PrintableConsole
from lolli.cli.terminal.tty import unheard
from lolli.cli.terminal.words import score_text
from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S
from scripts.laboratory.long_run import RunDisplay
from scripts.laboratory.matches.record import FORFEITS
from scripts.laboratory.statistics import elo_estimate, likelihood_of_superiority, normalised_elo_estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from scripts.laboratory.matches.engine import LiveGame
    from scripts.laboratory.matches.match import EngineMatch, Schedule
    from scripts.laboratory.matches.record import FinishedGame, MatchTally, Usage
    from scripts.laboratory.matches.rules import EngineSpec, MatchRules
    from scripts.laboratory.statistics import IntervalEstimate, Sprt

_FORFEITS_SHOWN = 3


def status_line(tally: MatchTally, sprt: Sprt | None) -> str:
    """Score, Elo and the state of the sequential test, in one line."""
    losses, draws, wins = tally.games
    parts = [f"+{wins} -{losses} ={draws}"]
    if any(tally.pairs):
        parts.append(f"Elo {interval(elo_estimate(tally.pairs))}")
    if sprt is not None:
        parts.append(f"LLR {sprt.ratio(tally.pairs):.2f} ({sprt.lower:.2f}, {sprt.upper:.2f})")
    if tally.forfeits:
        parts.append(f"forfeits {sum(tally.forfeits_of(0).values())}:{sum(tally.forfeits_of(1).values())}")
    return "  ".join(parts)


def forfeit_line(record: FinishedGame, engines: tuple[EngineSpec, EngineSpec]) -> str:
    """Which engine failed to play on, and why."""
    name = engines[record.forfeiter or 0].name
    return f"game {record.number + 1}: {name} forfeits by {record.ending.value}: {record.detail}"


def result_line(record: FinishedGame, engines: tuple[EngineSpec, EngineSpec]) -> str:
    """Who played whom, and how it ended."""
    white, black = engines[record.white].name, engines[1 - record.white].name
    moves = (record.plies + 1) // 2
    return f"game {record.number + 1}: {white} {record.result} {black}, {record.ending.value}, {moves} moves"


def summary(
    tally: MatchTally, engines: tuple[EngineSpec, EngineSpec], games: int, sprt: Sprt | None
) -> RenderableType:
    """Score, Elo, sequential test, the engines' usage, and the last forfeits."""
    parts: list[RenderableType] = [Text(line) for line in _result_lines(tally, engines, games, sprt)]
    parts.append(_usage_table(tally, engines))
    for record in tally.forfeits[-_FORFEITS_SHOWN:]:
        parts.append(Text(forfeit_line(record, engines)))
        parts += [Text(f"    {line}") for line in record.last_lines]
    if len(tally.forfeits) > _FORFEITS_SHOWN:
        parts.append(Text(f"(the last {_FORFEITS_SHOWN} of {len(tally.forfeits)} forfeits)"))
    return Group(*parts)


def _result_lines(
    tally: MatchTally, engines: tuple[EngineSpec, EngineSpec], games: int, sprt: Sprt | None
) -> list[str]:
    losses, draws, wins = tally.games
    played = max(1, tally.played)
    by_pairs, by_games = elo_estimate(tally.pairs), elo_estimate(tally.games)
    normalised = interval(normalised_elo_estimate(tally.pairs))
    share, drawn = tally.points / played, draws / played
    lines = [
        f"{engines[0].name} against {engines[1].name}: {tally.played} of {games} games",
        f"  score    +{wins} -{losses} ={draws}, {tally.points:g} points ({share:.1%}), draws {drawn:.1%}",
        f"  Elo      {interval(by_pairs)} by pairs, {interval(by_games)} by games, normalised {normalised}",
        f"  stronger with a likelihood of {likelihood_of_superiority(tally.pairs):.1%}",
        f"  pairs    {tally.pairs} with 0, ½, 1, 1½, 2 points",
    ]
    if sprt is not None:
        lines.append(
            f"  SPRT     LLR {sprt.ratio(tally.pairs):.2f} in ({sprt.lower:.2f}, {sprt.upper:.2f}) for "
            f"[{sprt.elo0:g}, {sprt.elo1:g}] {sprt.model.value}: {sprt.verdict(tally.pairs).value}"
        )
    endings = ", ".join(f"{ending.value} {count}" for ending, count in tally.endings.most_common())
    lines.append(f"  endings  {endings or 'none'}")
    return lines


def _usage_table(tally: MatchTally, engines: tuple[EngineSpec, EngineSpec]) -> Table:
    table = Table("engine", "pace", "moves", "depth", "knps", "ms a move", "longest", "least left", "peak MB")
    for ending in FORFEITS:
        table.add_column(ending.value, justify="right")
    for seat, engine in enumerate(engines):
        forfeits = tally.forfeits_of(seat)
        table.add_row(
            engine.name,
            str(engine.pace),
            *_usage_cells(tally.usage[seat]),
            *(str(forfeits[ending]) for ending in FORFEITS),
        )
    return table


def _usage_cells(usage: Usage) -> tuple[str, ...]:
    return (
        str(usage.moves),
        f"{usage.depth / usage.depth_moves:.1f}" if usage.depth_moves else "-",
        f"{usage.nodes * NS_PER_S / usage.nodes_time / 1000:.0f}" if usage.nodes_time else "-",
        f"{usage.time / usage.moves / NS_PER_MS:.2f}" if usage.moves else "-",
        f"{usage.longest_move / NS_PER_MS:.1f}",
        "-" if usage.lowest_clock is None else f"{usage.lowest_clock / NS_PER_MS:.0f}",
        f"{usage.peak_memory / (1 << 20):.0f}" if usage.peak_memory else "-",
    )


def interval(estimate: IntervalEstimate) -> str:
    """A number with its 95% interval, as text."""
    if math.isnan(estimate.value):
        return "unknown"
    if math.isinf(estimate.value):
        return f"{estimate.value:+}"
    return f"{estimate.value:+.1f} ± {estimate.margin:.1f}"


_GAP = 3  # columns between two boards
_AROUND = 3  # lines above and below a board: the heading and the players
_NARROWEST = 27  # columns in which a player, a clock and a score have room
_MARK = 2  # columns before the player who is to move


@dataclass(frozen=True, slots=True)
class WatchedGame:
    """A game, since when it stands so, in monotonic nanoseconds, and how it ended, if it has."""

    live: LiveGame
    since: int
    ending: str = ""


class WatchedPlaces:
    """Which game is on which board: a new game takes the place of one that is over."""

    def __init__(self, count: int) -> None:
        """`count` games are played at the same time."""
        self.games: list[WatchedGame | None] = [None] * count

    def follow(self, live: LiveGame, now: int) -> None:
        """A game has begun or gone on, at the monotonic time `now`, in nanoseconds."""
        self.games[self._place(live.number)] = WatchedGame(live, now)

    def ended(self, record: FinishedGame) -> None:
        """A game is over."""
        for place, game in enumerate(self.games):
            if game is not None and game.live.number == record.number:
                ending = f"{record.result} {record.ending.value}"
                self.games[place] = replace(game, ending=ending)

    def _place(self, number: int) -> int:
        free = []
        for place, game in enumerate(self.games):
            if game is not None and game.live.number == number:
                return place
            if game is None or game.ending:
                free.append(place)
        return free[0]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How many boards stand side by side, and in how many rows; without a size each game is a line."""

    size: BoardSize | None
    across: int
    down: int

    @property
    def boards(self) -> int:
        """The number of boards, or of lines."""
        return self.across * self.down


def arrangement(count: int, width: int, height: int, look: Look) -> Arrangement:
    """`count` boards as large as all fit into a terminal; where they do not, as many small ones as fit."""
    for size in reversed(BoardSize):
        across, down = _room(size, look, width, height)
        if across * down >= count:
            down = min(down, -(-count // across))
            return Arrangement(size, -(-count // down), down)
    below = height - 1  # a line says how many are not shown
    across, down = _room(BoardSize.SMALL, look, width, below)
    if across * down:
        return Arrangement(BoardSize.SMALL, across, down)
    return Arrangement(None, 1, count if count <= height else max(1, below))


def _room(size: BoardSize, look: Look, width: int, height: int) -> tuple[int, int]:
    """How many boards fit side by side and one below the other."""
    columns, lines = _extent(size, look)
    return max(0, width + _GAP) // (columns + _GAP), max(0, height + 1) // (lines + 1)


def _extent(size: BoardSize, look: Look) -> tuple[int, int]:
    """The columns and lines of a board with its heading and its players."""
    columns, lines = size.extent(look)
    return max(columns, _NARROWEST), lines + _AROUND


def boards(
    games: Sequence[WatchedGame | None],
    engines: tuple[EngineSpec, EngineSpec],
    fitting: Arrangement,
    look: Look,
    now: int,
) -> list[Text]:
    """The lines of the boards at the monotonic time `now`; games without a board are counted below them."""
    shown = games[: fitting.boards]
    if fitting.size is None:
        lines = [_line(game, engines, now) for game in shown if game is not None]
    else:
        lines = []
        columns, _ = _extent(fitting.size, look)
        tiles = [_tile(game, engines, fitting.size, look, now) for game in shown]
        for first in range(0, len(tiles), fitting.across):
            lines += [Text()] * bool(lines) + _side_by_side(tiles[first : first + fitting.across], columns)
    hidden = len(games) - len(shown)
    return [*lines, Text(f"… and {hidden} more", DIM)] if hidden else lines


def _side_by_side(tiles: Sequence[Sequence[Text]], columns: int) -> list[Text]:
    lines = []
    for parts in zip(*tiles, strict=True):
        line = Text()
        for part in parts:
            line.append_text(part)
            line.append(" " * (columns + _GAP - part.cell_len))
        lines.append(line)
    return lines


def _tile(
    game: WatchedGame | None, engines: tuple[EngineSpec, EngineSpec], size: BoardSize, look: Look, now: int
) -> list[Text]:
    """The heading, Black, the board and White."""
    columns, lines = _extent(size, look)
    if game is None:
        return [Text("Starting …", DIM), *[Text()] * (lines - 1)]
    live = game.live
    move = live.fen.rsplit(" ", 1)[1]
    heading = f"Game {live.number + 1}, {game.ending or f'move {move}'}"
    return [
        Text(set_cell_size(heading, columns), "bold"),
        _player(game, engines, chess.BLACK, columns, now),
        *_board(live.fen, live.last, size, look),
        _player(game, engines, chess.WHITE, columns, now),
    ]


@lru_cache(maxsize=256)
def _board(fen: str, last: str | None, size: BoardSize, look: Look) -> list[Text]:
    move = None if last is None else chess.Move.from_uci(last)
    return board_lines(chess.Board(fen), last=move, look=look, size=size)


def _player(
    game: WatchedGame, engines: tuple[EngineSpec, EngineSpec], colour: chess.Color, columns: int, now: int
) -> Text:
    """The name, and to the right the clock and White's score with its depth."""
    figures = "  ".join(filter(None, _figures(game, engines, colour, now)))
    thinks = not game.ending and _turn(game.live) == colour
    name = _engine(game.live, engines, colour).name
    room = columns - _MARK - cell_len(figures) - 1
    name = set_cell_size(name if cell_len(name) <= room else f"{set_cell_size(name, room - 1)}…", room)
    return Text.assemble("> " if thinks else "  ", (name, "bold" if thinks else ""), f" {figures}")


def _line(game: WatchedGame, engines: tuple[EngineSpec, EngineSpec], now: int) -> Text:
    """A game without a board."""
    sides = []
    for colour in chess.COLORS:
        name = _engine(game.live, engines, colour).name
        sides.append("  ".join(filter(None, (name, *_figures(game, engines, colour, now)))))
    return Text(f"{game.live.number + 1}: {' - '.join(sides)}  {game.ending or game.live.last or ''}")


def _figures(
    game: WatchedGame, engines: tuple[EngineSpec, EngineSpec], colour: chess.Color, now: int
) -> tuple[str, str]:
    return _clock(game, engines, colour, now), _score(game.live, colour)


def _engine(live: LiveGame, engines: tuple[EngineSpec, EngineSpec], colour: chess.Color) -> EngineSpec:
    """Engine 0 has White in games with an even number."""
    return engines[live.number % 2 ^ (not colour)]


def _turn(live: LiveGame) -> chess.Color:
    return live.fen.split(" ", 2)[1] == "w"


def _clock(game: WatchedGame, engines: tuple[EngineSpec, EngineSpec], colour: chess.Color, now: int) -> str:
    """The time left; it runs for the side to move, unless the clock counts nodes."""
    left = game.live.clocks[not colour]
    if left is None:
        return ""
    runs = _engine(game.live, engines, colour).pace.nodes_time is None and not game.ending
    spent = now - game.since if runs and _turn(game.live) == colour else 0
    return clock_text((left - spent) / NS_PER_S)


def _score(live: LiveGame, colour: chess.Color) -> str:
    """What a side's last search found, from White's point of view: `+0.31/14`."""
    analysis = live.analyses[not colour]
    if analysis is None or analysis.score is None:
        return ""
    score = analysis.score if colour else -analysis.score
    depth = "" if analysis.depth is None else f"/{analysis.depth}"
    return f"{score_text(score)}{depth}"


_PERIOD = 0.25  # seconds between two drawings: few, to leave the processor to the engines
_BELOW = 3  # lines below the boards beside the score: an empty one, the bar and what was said last
_MOST_SAID = 12  # lines


def can_watch() -> bool:
    """Whether standard output is a terminal in which lines can be overwritten."""
    console = PrintableConsole()
    return console.is_terminal and not console.is_dumb_terminal


class MatchDisplay(RunDisplay):
    """Draws the games several times a second, in a thread of its own. For a terminal.

    What is said meanwhile is printed when the display has ended, too.
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
        for line in self._said:
            super().say(line)

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
            self._done = done
            self._status = self._with_rate(status)

    def say(self, line: str) -> None:
        """Show a line below the boards."""
        with self._lock:
            self._said.append(line)
            self._recent.append(line)

    def _draw(self, live: Live) -> None:
        while not self._over.wait(_PERIOD):
            self._drawn = self._picture()
            live.refresh()

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
