"""The games of a match under way, as boards side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import chess
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from protocol.cli.playing.chess_game import clock_text
from protocol.cli.terminal.board import DIM, BoardSize, Look, board_lines
from protocol.cli.terminal.words import score_text
from scripts.laboratory.engine_pipe import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.laboratory.matches.engine_player import Analysis, LiveGame
    from scripts.laboratory.matches.plan import EngineSpec
    from scripts.laboratory.matches.record import FinishedGame

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
    analysis: Analysis | None = live.analyses[not colour]
    if analysis is None or analysis.score is None:
        return ""
    score = analysis.score if colour else -analysis.score
    depth = "" if analysis.depth is None else f"/{analysis.depth}"
    return f"{score_text(score)}{depth}"
