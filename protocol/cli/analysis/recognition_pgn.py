"""Games of a PGN text as positions: the main line up to its end."""

from __future__ import annotations

import re
from io import StringIO
from itertools import islice
from typing import TYPE_CHECKING

import chess
import chess.pgn

from protocol.cli.analysis.recognition_fen import setups_from_fens
from protocol.cli.analysis.recognition_moves import illegal, letters_for_figurines
from protocol.cli.analysis.recognition_setup import RecognisedPosition, RecognitionError, one_line
from protocol.cli.analysis.recognition_text import from_first_tag

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 500  # games
# A comment with text behind it in its line; or else what may have braces, but does not begin a comment.
_REMARK = re.compile(
    r"(?P<comment>\{[^}]*\}(?=[^\S\n]*\S))|\{[^}]*(?:\}|\Z)|;[^\n]*|^[\[%][^\n]*", re.MULTILINE
)
_UNKNOWN = ("", "?")


def setups_from_pgn(text: str, game: int | None = None) -> list[RecognisedPosition]:
    """The last position of each game's main line; only that of one game, counted from 1, if it is given.

    RecognitionError where a game cannot be read or there is no such game.
    """
    file = StringIO(_in_lines(letters_for_figurines(from_first_tag(text))))
    if game is None:
        setups = list(islice(_setups(file), _MOST + 1))
        if len(setups) > _MOST:
            raise RecognitionError(f"more than {_MOST} games: choose one with --game")
        return setups
    for skipped in range(game - 1):
        if not chess.pgn.skip_game(file):
            raise RecognitionError(f"there is no game {game}, only {skipped}")
    setups = list(islice(_setups(file, game), 1))
    if not setups:
        raise RecognitionError(f"there is no game {game}, only {game - 1}")
    return setups


def _in_lines(text: str) -> str:
    """The same games with a line break after each comment.

    python-chess copies what stands behind a comment in its line: the square of what one line has of them.
    """
    return _REMARK.sub(lambda remark: f"{remark[0]}\n " if remark["comment"] else remark[0], text)


def _setups(file: StringIO, number: int = 1) -> Iterator[RecognisedPosition]:
    """The games that are left in a file, the first of which has this number."""
    while True:
        try:
            main_line = chess.pgn.read_game(file, Visitor=_MainLine)
        except ValueError as error:
            raise RecognitionError(f"game {number}: {one_line(str(error))}") from None
        if main_line is None:
            return
        if main_line.headers or main_line.board.move_stack:  # not just a remark between two games
            yield RecognisedPosition(main_line.board, _name(main_line.headers))
            number += 1


class _MainLine(chess.pgn.BaseVisitor["_MainLine"]):
    """Plays the moves of the main line on a board that the engine accepts. ValueError where it cannot."""

    def __init__(self) -> None:
        self.headers = chess.pgn.Headers({})
        self.board = chess.Board()

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Keep it."""
        self.headers[tagname] = tagvalue

    def end_headers(self) -> None:
        """Set up the position that the game began from."""
        chess960 = self.headers.is_chess960()
        variant = self.headers.get("Variant", "standard")
        if not chess960 and variant.lower() not in map(str.lower, chess.Board.aliases):
            raise RecognitionError(f"{variant} is not played here")
        if fen := self.headers.get("FEN"):
            setups = setups_from_fens(fen)
            if not setups:
                raise RecognitionError(f"the FEN {fen!r} is none")
            self.board = setups[0].board
        self.board.chess960 = self.board.chess960 or chess960

    def begin_variation(self) -> chess.pgn.SkipType:
        """Variations are other games."""
        return chess.pgn.SKIP

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        """The move, or why there is none."""
        del board  # the reader's own
        try:
            move = self.board.parse_san(san)
        except ValueError as error:
            raise illegal(self.board, san, error) from None
        if not move and self.board.is_check():
            raise illegal(self.board, san, chess.IllegalMoveError())
        return move

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        """Play it."""
        del board
        self.board.push(move)

    def result(self) -> _MainLine:
        """Itself."""
        return self


def _name(headers: chess.pgn.Headers) -> str:
    """The players, and where and when they played, as far as the headers tell."""
    white, black, event = (headers.get(tag, "?") for tag in ("White", "Black", "Event"))
    year = headers.get("Date", "")[:4]
    players = "" if white in _UNKNOWN and black in _UNKNOWN else f"{white} - {black}"
    occasion = " ".join(word for word in (event, year) if word not in _UNKNOWN and "??" not in word)
    return one_line(", ".join(part for part in (players, occasion) if part))
