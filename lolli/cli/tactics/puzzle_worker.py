"""A worker's part: it reads a game and finds the puzzles in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.board.fen import FenError
from lolli.cli.annotation.annotation_worker import EngineIdentity, analyst_for
from lolli.cli.pgn.game_reader import read_game
from lolli.cli.pgn.movetext import NoGameError, UnreadableError
from lolli.cli.tactics.puzzle_finder import PuzzleOptions, puzzles_of

if TYPE_CHECKING:
    from engine.search.limits import Limits
    from lolli.cli.analysis.finding import AnalystSettings
    from lolli.cli.pgn.raw_games import RawGame


@dataclass(frozen=True, slots=True)
class PuzzleOrder:
    """What to do with every game of a run, and with which engine; `limits` are those of a long look."""

    settings: AnalystSettings
    limits: Limits
    options: PuzzleOptions
    engine: EngineIdentity


@dataclass(frozen=True, slots=True)
class FoundPuzzle:
    """A puzzle as PGN, its position as EPD, and whether the right move was missed."""

    pgn: str
    position: str
    missed: bool


@dataclass(frozen=True, slots=True)
class GamePuzzles:
    """The puzzles of a game, and the number of positions looked at.

    A game that cannot be read has an `error` and its `line`, from 0; a piece of the file without a game
    has `games` 0.
    """

    puzzles: tuple[FoundPuzzle, ...] = ()
    positions: int = 0
    games: int = 1
    error: str | None = None
    line: int = 0


def find(order: PuzzleOrder, raw: RawGame) -> GamePuzzles:
    """The puzzles of a game. Raises WorkersError if this engine does not suit the order."""
    analyst = analyst_for(order)
    try:
        game = read_game(raw.data).game
        found, positions = puzzles_of(game, analyst, order.limits, order.options, f"game {raw.number}")
    except NoGameError:
        return GamePuzzles(games=0)
    except UnreadableError as error:
        return GamePuzzles(error=str(error), line=error.line)
    except FenError as error:
        return GamePuzzles(error=f"the engine cannot use one of its positions: {error}")
    puzzles = (FoundPuzzle(each.pgn(), each.board.epd(), not each.found) for each in found)
    return GamePuzzles(tuple(puzzles), positions)
