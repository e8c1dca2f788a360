"""The display of a match: a line of the score, boards with --watch, and the summary at its end."""

import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Event, Lock, Thread
from typing import Self

import chess
from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from lolli.cli.playing.chess import clock_text
from lolli.cli.terminal.board import DIM, BoardSize, Look, board_lines, look_of
from lolli.cli.terminal.keys import unheard
from lolli.cli.terminal.screen import PrintableConsole, score_text
from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S
from scripts.laboratory.long_run import RunDisplay
from scripts.laboratory.match_engine import FORFEITS, Analysis, EngineSpec, FinishedGame, MatchTally, Usage
from scripts.laboratory.statistics import (
    Sprt,
    elo_estimate,
    normalised_elo_estimate,
    pair_lines,
    score_line,
)

Engines = Sequence[EngineSpec]
_FORFEITS_SHOWN = 3


def status_line(tally: MatchTally, sprt: Sprt | None) -> str:
    line = score_line(tally.games, tally.pairs, sprt)
    if tally.forfeits:
        line += f"  forfeits {sum(tally.forfeits_of(0).values())}:{sum(tally.forfeits_of(1).values())}"
    return line


def forfeit_line(record: FinishedGame, engines: Engines) -> str:
    name = engines[record.forfeiter or 0].name
    return f"game {record.number + 1}: {name} forfeits by {record.ending.value}: {record.detail}"


def summary(tally: MatchTally, engines: Engines, games: int, sprt: Sprt | None) -> RenderableType:
    losses, draws, wins = tally.games
    played, points = max(1, tally.played), draws / 2 + wins
    share, drawn = points / played, draws / played
    by_pairs, by_games = elo_estimate(tally.pairs), elo_estimate(tally.games)
    normalised = normalised_elo_estimate(tally.pairs)
    lines = [
        f"{engines[0].name} against {engines[1].name}: {tally.played} of {games} games",
        f"  score    +{wins} -{losses} ={draws}, {points:g} points ({share:.1%}), draws {drawn:.1%}",
        f"  Elo      {by_pairs} by pairs, {by_games} by games, normalised {normalised}",
        *pair_lines(tally.pairs),
    ]
    if sprt is not None:
        lines.append(
            f"  SPRT     LLR {sprt.ratio(tally.pairs):.2f} in ({sprt.lower:.2f}, {sprt.upper:.2f}) for "
            f"[{sprt.elo0:g}, {sprt.elo1:g}] {sprt.model.value}: {sprt.verdict(tally.pairs).value}"
        )
    endings = ", ".join(f"{ending.value} {count}" for ending, count in tally.endings.most_common())
    forfeits = []
    for record in tally.forfeits[-_FORFEITS_SHOWN:]:
        forfeits += [forfeit_line(record, engines), *(f"    {line}" for line in record.last_lines)]
    if len(tally.forfeits) > _FORFEITS_SHOWN:
        forfeits.append(f"(the last {_FORFEITS_SHOWN} of {len(tally.forfeits)} forfeits)")
    above = Text("\n".join([*lines, f"  endings  {endings or 'none'}"]))
    return Group(above, _usage_table(tally, engines), *map(Text, forfeits))


def _usage_table(tally: MatchTally, engines: Engines) -> Table:
    table = Table("engine", "pace", "moves", "depth", "knps", "ms a move", "longest", "least left", "peak MB")
    for ending in FORFEITS:
        table.add_column(ending.value, justify="right")
    for seat, engine in enumerate(engines):
        forfeits = tally.forfeits_of(seat)
        counts = (str(forfeits[ending]) for ending in FORFEITS)
        table.add_row(Text(engine.name), str(engine.pace), *_usage_cells(tally.usage[seat]), *counts)
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


_GAP = 3  # columns between two boards
_AROUND = 3  # lines above and below a board: the heading and the players
_NARROWEST = 27  # columns in which a player, a clock and a score have room
_MARK = 2  # columns before the player who is to move


@dataclass(frozen=True, slots=True)
class LiveGame:
    """In ns: `clocks` of White and Black, None without one; `since`: monotonic time of this report."""

    number: int
    fen: str
    last: str | None
    clocks: tuple[int | None, int | None]
    analyses: tuple[Analysis | None, Analysis | None]
    since: int = 0
    ending: str = ""

    @property
    def turn(self) -> chess.Color:
        return self.fen.split(" ", 2)[1] == "w"


class WatchedPlaces:
    def __init__(self, count: int) -> None:
        self.games: list[LiveGame | None] = [None] * count

    def follow(self, live: LiveGame, now: int) -> None:
        numbers = [None if game is None else game.number for game in self.games]
        free = (place for place, game in enumerate(self.games) if game is None or game.ending)
        place = numbers.index(live.number) if live.number in numbers else next(free, None)
        if place is not None:  # else the last game's end is still to come: the next move shows this one
            self.games[place] = replace(live, since=now)

    def ended(self, record: FinishedGame) -> None:
        for place, game in enumerate(self.games):
            if game is not None and game.number == record.number:
                self.games[place] = replace(game, ending=f"{record.result} {record.ending.value}")


def arrangement(count: int, width: int, height: int, look: Look) -> tuple[BoardSize, int, int]:
    """Size, columns and rows of boards: as large as all fit, or as many small ones as fit."""
    for size in reversed(BoardSize):
        columns, lines = _extent(size, look)
        across, down = max(0, width + _GAP) // (columns + _GAP), max(0, height + 1) // (lines + 1)
        if across * down >= count:
            down = min(down, -(-count // across))
            return size, -(-count // down), down
    return BoardSize.SMALL, across, max(0, height) // (lines + 1)  # a line says how many are not shown


def _extent(size: BoardSize, look: Look) -> tuple[int, int]:
    columns, lines = size.extent(look)
    return max(columns, _NARROWEST), lines + _AROUND


def boards(
    games: Sequence[LiveGame | None],
    engines: Engines,
    fitting: tuple[BoardSize, int, int],
    look: Look,
    now: int,
) -> list[Text]:
    """The lines of the boards at the monotonic time `now`; games without a board are counted below them."""
    size, across, down = fitting
    columns, _ = _extent(size, look)
    tiles = [_tile(game, engines, size, look, now) for game in games[: across * down]]
    lines: list[Text] = []
    for first in range(0, len(tiles), across or 1):
        lines += [Text()] * bool(lines)
        for parts in zip(*tiles[first : first + across], strict=True):
            line = Text()
            for part in parts:
                line.append_text(part)
                line.append(" " * (columns + _GAP - part.cell_len))
            lines.append(line)
    hidden = len(games) - len(tiles)
    return [*lines, Text(f"… and {hidden} more", DIM)] if hidden else lines


def _tile(game: LiveGame | None, engines: Engines, size: BoardSize, look: Look, now: int) -> list[Text]:
    columns, lines = _extent(size, look)
    if game is None:
        return [Text("Starting …", DIM), *[Text()] * (lines - 1)]
    heading = f"Game {game.number + 1}, {game.ending or f'move {game.fen.split()[-1]}'}"
    return [
        Text(set_cell_size(heading, columns), "bold"),
        _player(game, engines, chess.BLACK, columns, now),
        *_board(game.fen, game.last, size, look),
        _player(game, engines, chess.WHITE, columns, now),
    ]


@lru_cache(maxsize=256)
def _board(fen: str, last: str | None, size: BoardSize, look: Look) -> list[Text]:
    move = None if last is None else chess.Move.from_uci(last)
    return board_lines(chess.Board(fen), last=move, look=look, size=size)


def _player(game: LiveGame, engines: Engines, colour: chess.Color, columns: int, now: int) -> Text:
    engine = engines[game.number % 2 ^ (not colour)]
    thinks = not game.ending and game.turn == colour
    left, clock = game.clocks[not colour], ""
    if left is not None:  # it runs for the side to move, unless it counts nodes
        runs = thinks and engine.pace.nodes_time is None
        clock = clock_text((left - (now - game.since) * runs) / NS_PER_S)
    figures = "  ".join(filter(None, (clock, _score(game.analyses[not colour], colour))))
    room = columns - _MARK - cell_len(figures) - 1
    name = engine.name if cell_len(engine.name) <= room else f"{set_cell_size(engine.name, room - 1)}…"
    name = set_cell_size(name, room)
    return Text.assemble("> " if thinks else "  ", (name, "bold" if thinks else ""), f" {figures}")


def _score(analysis: Analysis | None, colour: chess.Color) -> str:
    """From White's point of view: `+0.31/14`."""
    if analysis is None or analysis.score is None:
        return ""
    score = analysis.score if colour else -analysis.score
    return score_text(score) + ("" if analysis.depth is None else f"/{analysis.depth}")


_PERIOD = 0.25  # seconds between two drawings: few, to leave the processor to the engines
_BELOW = 3  # lines below the boards beside the score: an empty one, the bar and what was said last
_MOST_SAID = 12  # lines


def can_watch() -> bool:
    console = PrintableConsole()
    return console.is_terminal and not console.is_dumb_terminal


class MatchDisplay(RunDisplay):
    """Draws the games several times a second, in a thread. Lines from `say` are printed again at the end."""

    def __init__(self, engines: Engines, games: int, played: int, concurrency: int, status: str) -> None:
        super().__init__("games", games, played, every=1)
        self._engines = engines
        self._places = WatchedPlaces(max(1, min(concurrency, games - played)))
        self._status = status
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
        with self._lock:
            self._places.follow(live, time.monotonic_ns())

    def ended(self, record: FinishedGame) -> None:
        white, black = self._engines[record.white].name, self._engines[1 - record.white].name
        how = f"{record.ending.value}, {(record.plies + 1) // 2} moves"
        with self._lock:
            self._places.ended(record)
            self._recent.append(f"game {record.number + 1}: {white} {record.result} {black}, {how}")

    def show(self, done: int, status: str) -> None:
        with self._lock:
            self._done = done
            self._status = self._with_rate(status)

    def say(self, line: str) -> None:
        with self._lock:
            self._said.append(line)
            self._recent.append(line)

    def _draw(self, live: Live) -> None:
        while not self._over.wait(_PERIOD):
            self._drawn = self._picture()
            live.refresh()

    def _picture(self) -> RenderableType:
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
