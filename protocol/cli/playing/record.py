"""A game as PGN, and the file it is kept in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import chess.pgn

from engine import files

if TYPE_CHECKING:
    from protocol.cli.playing.game import ChessGame

_UNFINISHED = "*"
_COLUMNS = 80


@dataclass(frozen=True, slots=True)
class PlayerNames:
    """Who has White, who has Black."""

    white: str
    black: str


def pgn_text(game: ChessGame, players: PlayerNames, started: datetime) -> str:
    """The game with all that led to its first position, ending with a blank line."""
    record = chess.pgn.Game.from_board(game.board)
    headers = record.headers
    headers["Event"] = "Casual game"
    headers["Date"] = started.strftime("%Y.%m.%d")
    headers["Round"] = "-"
    headers["White"] = players.white
    headers["Black"] = players.black
    headers["Result"] = game.ending.result if game.ending else _UNFINISHED
    headers["TimeControl"] = game.clock.control.pgn if game.clock else "-"
    headers["Termination"] = _termination(game)
    _note_times(record, game.clock_times)
    if game.ending is not None and not game.board.is_checkmate():
        end = record.end()
        end.comment = f"{end.comment} {game.ending.reason[0].upper()}{game.ending.reason[1:]}.".strip()
    return f"{record.accept(chess.pgn.StringExporter(columns=_COLUMNS))}\n\n"


def _termination(game: ChessGame) -> str:
    if game.ending is None:
        return "unterminated"
    return "time forfeit" if game.ending.on_time else "normal"


def _note_times(record: chess.pgn.Game, times: list[float]) -> None:
    nodes = list(record.mainline())
    for node, seconds in zip(nodes[len(nodes) - len(times) :], times, strict=True):
        node.set_clock(max(0.0, seconds))


class GameFile:
    """A file that games are added to; the game added last can be replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: tuple[int, int] | None = None  # where the last game begins, and the file's size with it

    def add(self, text: str) -> None:
        """Add a game after all others. Raises OSError."""
        with open(_descriptor(self.path, os.O_APPEND | os.O_CREAT), "a+b") as file:
            begin = file.tell()
            if begin:
                file.seek(max(0, begin - 2))
                tail = file.read()
                text = "\n" * (2 - len(tail) + len(tail.rstrip(b"\n"))) + text
            file.write(text.encode())
            self._last = (begin, file.tell())

    def replace(self, text: str) -> None:
        """Put another text in the place of the game added last, if nothing came after it; or add it."""
        if self._last is not None and self.path.exists():
            begin, end = self._last
            if self.path.stat().st_size == end:
                with open(_descriptor(self.path), "r+b") as file:
                    file.truncate(begin)
        self.add(text)


def _descriptor(path: Path, flags: int = 0) -> int:
    return files.descriptor_of(path, os.O_RDWR | flags)
