"""One game of a file."""

from __future__ import annotations

from typing import BinaryIO

import chess.pgn

from protocol.cli.pgn.games import RawGame, raw_games
from protocol.cli.pgn.reader import read_game
from protocol.cli.pgn.unreadable import NoGameError, UnreadableError
from protocol.cli.reports.story import told_score


class SelectionError(ValueError):
    """Why there is no game to be had, in a line."""


def select_game(file: BinaryIO, number: int | None) -> tuple[chess.pgn.Game, int]:
    """The game of that number, from 1, or the first; and how many the file has. Raises SelectionError."""
    chosen: RawGame | None = None
    count = 0
    for raw in raw_games(file):
        if raw.data.strip():
            count = raw.number
            if raw.number == (number or 1):
                chosen = raw
    if count == 0:
        raise SelectionError("no game")
    if chosen is None:
        raise SelectionError(f"there is no game {number}, only {count}")
    try:
        return read_game(chosen.data).game, count
    except NoGameError as error:
        raise SelectionError(str(error)) from None
    except UnreadableError as error:
        place = f"game {chosen.number}, line {chosen.line + error.line}"
        raise SelectionError(f"{place}: {error}") from None


def has_scores(game: chess.pgn.Game) -> bool:
    """Whether at least every other move of the main line has a score, so that no new ones are needed.

    Not all have: an opening may be left alone, and a game that is over has none.
    """
    turn = game.turn()
    scores = [told_score(node.comment, turn) is not None for node in game.mainline()]
    return 2 * sum(scores) >= len(scores) > 0
