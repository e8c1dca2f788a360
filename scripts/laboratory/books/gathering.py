"""A book from games: how often a move was played, and what it led to."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import chess.polyglot

from engine.files import open_file
from protocol.cli.pgn.games import LARGEST_FILE, raw_games
from protocol.cli.pgn.movetext import NoGameError, UnreadableError
from protocol.cli.pgn.reader import read_game

from .polyglot import encoded

if TYPE_CHECKING:
    from pathlib import Path

    import chess.pgn

_POINTS = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}
"""White's and Black's; as in Polyglot, a move weighs what those who played it scored, a win being 2."""


class Gatherer:
    """Takes games and counts the moves of their first `plies`."""

    def __init__(self, plies: int, at_least: int) -> None:
        """Moves that were played less than `at_least` times are left out."""
        self.games = 0
        self.passed_over: list[str] = []
        self._plies = plies
        self._at_least = at_least
        self._times: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self._points: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))

    @property
    def weights(self) -> dict[int, dict[int, float]]:
        """By position and encoded move."""
        return {
            key: {
                move: float(self._points[key][move])
                for move, count in times.items()
                if count >= self._at_least and self._points[key][move]
            }
            for key, times in self._times.items()
        }

    def read(self, path: Path) -> None:
        """All games of a PGN file; those that cannot be read, or have no result, are passed over."""
        with open_file(path, LARGEST_FILE) as file:
            for raw in raw_games(file):
                try:
                    read = read_game(raw.data)
                except NoGameError:
                    continue
                except UnreadableError as error:
                    self.passed_over.append(f"{path}, line {raw.line}: {error}")
                    continue
                points = _POINTS.get(read.game.headers.get("Result", "*"))
                if points is None:
                    self.passed_over.append(f"{path}, line {raw.line}: has no result")
                else:
                    self._take(read.game, points)

    def _take(self, game: chess.pgn.Game, points: tuple[int, int]) -> None:
        self.games += 1
        board = game.board()
        for move in list(game.mainline_moves())[: self._plies]:
            if move:  # no null move, as annotators use
                key, played = chess.polyglot.zobrist_hash(board), encoded(board, move)
                self._times[key][played] += 1
                self._points[key][played] += points[not board.turn]
            board.push(move)
