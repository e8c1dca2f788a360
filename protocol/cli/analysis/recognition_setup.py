"""What is recognised, and why something is not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import chess

from engine.board.fen import FenError, format_fen, parse_fen

_LONGEST = 200  # characters of a message or a name


class RecognitionError(ValueError):
    """Why something cannot be used as a position, in one printable line."""


@dataclass(frozen=True)
class RecognisedPosition:
    """A position that the engine accepts, with the moves that led to it on the board's stack.

    `name` is what the source calls it, perhaps nothing; `assumed` is what the source did not say.
    """

    board: chess.Board
    name: str = ""
    assumed: str = ""

    def at(self, ply: int) -> RecognisedPosition:
        """The position after so many plies. RecognitionError where there are fewer."""
        plies = len(self.board.move_stack)
        if ply > plies:
            raise RecognitionError(f"there is no ply {ply}, only {plies}")
        board = self.board.copy()
        for _ in range(plies - ply):
            board.pop()
        return replace(self, board=board)


def board_from_fen(fen: str) -> chess.Board:
    """The board of a FEN of four to six fields, just as the engine reads it; RecognitionError if it does not.

    It is one of Chess960 only where its castling rights are.
    """
    try:
        canonical = format_fen(parse_fen(fen), chess960=True)
        board = chess.Board(canonical, chess960=True)
    except (FenError, ValueError) as error:
        raise RecognitionError(one_line(str(error))) from None
    board.chess960 = board.has_chess960_castling_rights()
    return board


def one_line(text: str) -> str:
    """What of a text can be shown in a line: blanks for what cannot be printed, cut where it is very long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text[: _LONGEST + 1])
    line = " ".join(printable.split())
    return line if len(text) <= _LONGEST else line[: _LONGEST - 1] + "…"
