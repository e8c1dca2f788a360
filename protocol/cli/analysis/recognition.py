"""Positions from whatever people paste, type or have in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from engine.board.fen import FenError, parse_fen
from protocol.cli.analysis.recognition_fen import looks_like_board, setups_from_fens
from protocol.cli.analysis.recognition_moves import looks_like_moves, play_moves
from protocol.cli.analysis.recognition_setup import RecognisedPosition, RecognitionError, one_line
from protocol.cli.analysis.recognition_text import (
    file_text,
    is_address,
    is_file,
    looks_like_path,
    looks_like_pgn,
    plain,
    without_addresses,
)
from protocol.given_file import STDIO

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "RecognisedPosition",
    "RecognitionError",
    "play_moves",
    "recognise",
    "recognise_text",
    "recognise_words",
]


def recognise_words(
    words: Sequence[str], *, game: int | None = None, ply: int | None = None
) -> list[RecognisedPosition]:
    """The positions that the words of a command line mean: several files, or one text. See `recognise`."""
    several = len(words) > 1 and all(is_file(word) or looks_like_path(word) for word in words)
    texts = words if several else [" ".join(words)]
    return [setup for text in texts for setup in recognise(text, game=game, ply=ply)]


def recognise(text: str, *, game: int | None = None, ply: int | None = None) -> list[RecognisedPosition]:
    """The positions of `recognise_text`, or of the file with that name; `-` is standard input.

    A file wins over what its name could mean otherwise. RecognitionError begins with the file's name.
    """
    word = text.strip()
    if not is_file(word):
        if looks_like_path(word):
            raise RecognitionError(f"{one_line(word)}: no such file")
        return recognise_text(text, game=game, ply=ply)
    try:
        content = file_text(word)
        if word.lower().endswith(".epd"):
            return _chosen(_of_lines(plain(content)), game, ply)
        return recognise_text(content, game=game, ply=ply)
    except RecognitionError as error:
        name = "standard input" if word == STDIO else one_line(word)
        raise RecognitionError(f"{name}: {error}") from None


def recognise_text(text: str, *, game: int | None = None, ply: int | None = None) -> list[RecognisedPosition]:
    """The positions that a text tells; at least one, each with legal moves only and legal for the engine.

    It may be nothing or `startpos`, for the start position; FEN, EPD or UCI's `position`, perhaps with
    other text around; moves; or PGN, of which it is the end of each game. `game` is the game or position
    to choose, from 1, and `ply` how many moves of both sides to play of it, otherwise all of them.
    RecognitionError where something is wrong in it or nothing recognised.
    """
    text = plain(text)
    if looks_like_pgn(text):
        from protocol.cli.analysis.recognition_pgn import setups_from_pgn  # noqa: PLC0415 - takes long to load

        if games := setups_from_pgn(text, game):
            return _chosen(games, None, ply)
    if not text.strip():
        return _chosen([RecognisedPosition(chess.Board())], game, ply)
    addressless = without_addresses(text)
    setups = setups_from_fens(addressless)
    if not setups and looks_like_moves(addressless):
        board = chess.Board()
        play_moves(board, addressless)
        setups = [RecognisedPosition(board)]
    if not setups:
        raise _refusal(text.strip())
    return _chosen(setups, game, ply)


def _of_lines(text: str) -> list[RecognisedPosition]:
    """Where each line is to be a position, blank ones and those beginning with # excepted."""
    setups = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            found = setups_from_fens(line)
        except RecognitionError as error:
            raise RecognitionError(f"line {number}: {error}") from None
        if not found:
            raise RecognitionError(f"line {number}: no position")
        setups += found
    if not setups:
        raise RecognitionError("no position")
    return setups


def _chosen(setups: list[RecognisedPosition], game: int | None, ply: int | None) -> list[RecognisedPosition]:
    """One of them where that is asked for, or all; each as it was after so many plies."""
    if game is not None:
        if game > len(setups):
            raise RecognitionError(f"there is no position {game}, only {len(setups)}")
        setups = setups[game - 1 : game]
    if ply is not None:
        setups = [setup.at(ply) for setup in setups]
    for setup in setups:
        try:
            parse_fen(setup.board.fen())
        except FenError as error:
            raise RecognitionError(one_line(str(error))) from None
    return setups


def _refusal(text: str) -> RecognitionError:
    if looks_like_board(text):
        return RecognitionError(_complaint(text))
    if is_address(text):
        return RecognitionError("web pages are not fetched: give the FEN or the PGN itself")
    if "\n" in text:
        return RecognitionError("no FEN, no PGN and no moves in it")
    return RecognitionError(f"{one_line(text)!r} is no FEN, no file and no move")


def _complaint(text: str) -> str:
    """What is wrong with what was meant to be a FEN."""
    fields = text.split()
    usual = ("", "w", "-", "-")
    try:
        parse_fen(" ".join([*fields[:6], *usual[len(fields) :]]))
    except FenError as error:
        return one_line(str(error))
    return f"{one_line(text)!r} is no FEN"
