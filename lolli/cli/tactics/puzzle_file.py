"""The puzzles in a file that `lolli puzzles` has written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lolli.cli import given_file
from lolli.cli.annotation.output import AnnotateError
from lolli.cli.pgn.game_reader import read_game
from lolli.cli.pgn.movetext import NoGameError, UnreadableError
from lolli.cli.pgn.raw_games import LARGEST_FILE, raw_games
from lolli.cli.tactics.puzzle import Puzzle, is_puzzle, puzzle_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import chess.pgn


def puzzles_in(name: str) -> list[Puzzle] | None:
    """The puzzles in the file of that name, each position once; None if its first game is not a puzzle.

    Raises AnnotateError.
    """
    puzzles: dict[str, Puzzle] = {}
    try:
        with given_file.opened(name, LARGEST_FILE) as file:
            for number, game in _games(raw.data for raw in raw_games(file)):
                if not puzzles and not is_puzzle(game):
                    return None
                puzzle = _read(number, game)
                puzzles.setdefault(puzzle.board.epd(), puzzle)
    except OSError as error:
        raise AnnotateError(f"{name}: {error.strerror}") from None
    return list(puzzles.values()) or None


def puzzles_from(texts: Iterable[str]) -> list[Puzzle]:
    """The puzzles in PGN texts of one each."""
    return [puzzle_of(read_game(text.encode()).game) for text in texts]


def _games(pieces: Iterable[bytes]) -> Iterator[tuple[int, chess.pgn.Game]]:
    """The games that can be read, numbered from 1."""
    for number, data in enumerate(pieces, 1):
        try:
            yield number, read_game(data).game
        except (NoGameError, UnreadableError):
            continue


def _read(number: int, game: chess.pgn.Game) -> Puzzle:
    try:
        return puzzle_of(game)
    except (KeyError, ValueError) as error:
        raise AnnotateError(f"game {number} is not a puzzle: {error}") from None
