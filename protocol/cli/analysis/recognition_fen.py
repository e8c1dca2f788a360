"""FEN, EPD and UCI's `position`, wherever they stand in a text, whole or with fields missing."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice, zip_longest

import chess

from protocol.cli.analysis.recognition_moves import play_moves
from protocol.cli.analysis.recognition_setup import (
    RecognisedPosition,
    RecognitionError,
    board_from_fen,
    one_line,
)

_MOST = 10_000  # positions in one text
# Ranks with slashes between them, perhaps broken over lines there; or a word for the start position.
_BOARD = re.compile(
    r"(?<![0-9A-Za-z~])(?:(?P<start>startpos)(?![0-9A-Za-z])"
    r"|[0-9A-Za-z~]++(?:(?:[ \t]*+\n\s*+)?/(?:[ \t]*+\n\s*+)?[0-9A-Za-z~]++){4,}+)",
    re.IGNORECASE,
)
_RANK = re.compile(r"[0-9pnbrqkPNBRQK~]+\Z")
_FEWEST_RANKS = 4  # of nothing but digits and pieces: else it is some other text with slashes
_WORD = re.compile(r"[^\s\"'`,;(){}<>\[\]|]+")
_COUNTER = re.compile(r"\d+")
_FIELDS = (
    re.compile("[wb]"),
    re.compile("-|[A-HKQa-hkq]{1,4}"),
    re.compile("-|[a-h][1-8]"),
    _COUNTER,
    _COUNTER,
)
_NUMBER_LIKE = re.compile(r"[+-]?\d")
_NAME = re.compile(r'\bid\s+"([^"\n]*)"')
_CLOCK = re.compile(r"\bhmvc\s+(\d+)\s*;")
_NUMBER = re.compile(r"\bfmvn\s+(\d+)\s*;")
_MOVES = re.compile(r"[\s\"']*moves\b([^\n]*)", re.IGNORECASE)
# In a terminal's or a mail's lines a rank may be broken anywhere.
_BROKEN_RANK = re.compile(r"(?<=[0-9A-Za-z/])[ \t]*\n[ \t]*(?=[0-9A-Za-z]*/|[1-8pnbrqkPNBRQK]+[ \t]+[wb]\b)")


def setups_from_fens(text: str) -> list[RecognisedPosition]:
    """The positions that a text tells in full; an empty list where there is none.

    RecognitionError where one looks like a position but is none.
    """
    whole = _BROKEN_RANK.sub("", text)
    try:
        return _setups(text) or _setups(whole)
    except RecognitionError as error:
        try:
            return _setups(whole)
        except RecognitionError:
            raise error from None


def _setups(text: str) -> list[RecognisedPosition]:
    text = text.replace("\\/", "/")  # as some write JSON
    places = [match for match in _BOARD.finditer(text) if match["start"] or _is_board(match[0])]
    if len(places) > _MOST:
        raise RecognitionError(f"more than {_MOST} positions: cut out what is to be analysed")
    setups: list[RecognisedPosition] = []
    for place, following in zip_longest(places, places[1:]):
        rest = text[place.end() : following.start() if following else len(text)]
        first_line, _, others = rest.partition("\n")
        if following and (_WORD.search(first_line) or place["start"]):
            others = ""  # those are no continuation, but something else before the next position
        try:
            setups.append(_setup(place, first_line, others))
        except RecognitionError as error:
            if len(places) == 1:
                raise
            line = f"line {text.count(chr(10), 0, place.start()) + 1}"
            where = line if "\n" in text else f"position {len(setups) + 1}"
            raise RecognitionError(f"{where}: {error}") from None
    return setups


def looks_like_board(text: str) -> bool:
    """Whether a text begins with what may have been meant as a board, though ranks are missing."""
    ranks = text.split(maxsplit=1)[0].split("/")
    return len(ranks) >= _FEWEST_RANKS - 1 and all(_RANK.match(rank) for rank in ranks)


def _is_board(run: str) -> bool:
    return sum(bool(_RANK.match(rank.strip())) for rank in run.split("/")) >= _FEWEST_RANKS


def _setup(place: re.Match[str], line: str, others: str) -> RecognisedPosition:
    """The position at a place: `line` is what follows there, `others` the lines after that."""
    if place["start"]:
        setup, rest = RecognisedPosition(chess.Board()), line
    else:
        setup, rest = _from_fields(_ranks(place[0]), line, others)
    if moves := _MOVES.match(rest):
        board = setup.board.copy()
        play_moves(board, moves[1].rstrip("\"'`,;)}] "))
        return replace(setup, board=board)
    return setup


def _ranks(run: str) -> str:
    """The board in a run of words with slashes between them, which may begin with the path of a web page."""
    ranks = [rank.strip() for rank in run.split("/")]
    first = 0
    while len(ranks) - first > 8 and not _RANK.match(ranks[first]):
        first += 1
    return "/".join(ranks[first:]).replace("~", "")


def _from_fields(board: str, line: str, others: str) -> tuple[RecognisedPosition, str]:
    """A position from its board and what follows, and what of that is not part of it."""
    text = f"{line}\n{others}"
    words = list(islice(_WORD.finditer(text), 5))
    fields = [_side(word[0]) if number == 0 else word[0].rstrip(".") for number, word in enumerate(words)]
    known = _known(fields)
    if known == 4 and words[3].start() > len(line):
        known = 3  # one number on another line counts something else
    rest = text[words[known - 1].end() if known else 0 :]
    operations = rest.partition("\n")[0]
    fields = fields[:known]
    if known == 3 and ";" in operations:
        clock, number = _CLOCK.search(operations), _NUMBER.search(operations)
        fields += [clock[1] if clock else "0", number[1] if number else "1"]
    name = _NAME.search(operations)
    return replace(_completed(board, fields), name=one_line(name[1]) if name else ""), rest


def _side(word: str) -> str:
    return {"W": "w", "WHITE": "w", "B": "b", "BLACK": "b"}.get(word.upper(), word)


def _known(fields: list[str]) -> int:
    """How many of the words after a board are its fields, good or bad; the others are some other text.

    One that does not fit is a mistake in a field, not another text, where those after it fit again.
    """
    fits = [bool(rule.fullmatch(field)) for rule, field in zip(_FIELDS, fields, strict=False)]
    if fits[3:4] == [False] and not _NUMBER_LIKE.match(fields[3]):
        del fits[3:]  # an operation of EPD
    for count in range(len(fits), 0, -1):
        mistakes = fits[:count].count(False)
        if fits[count - 1] and (mistakes == 0 or (mistakes == 1 and count >= 3)):
            return count
    return 0


def _completed(board: str, fields: list[str]) -> RecognisedPosition:
    """A position where the side to move, castling rights and en passant square may be missing."""
    usual = ("w", "-", "-")
    fen = " ".join((board, *fields, *usual[len(fields) :]))
    if fields:
        return RecognisedPosition(board_from_fen(fen), assumed="no castling" if len(fields) == 1 else "")
    try:
        return RecognisedPosition(board_from_fen(fen), assumed="White to move, no castling")
    except RecognitionError as error:
        try:
            setup = RecognisedPosition(board_from_fen(f"{board} b - -"), assumed="Black to move, no castling")
        except RecognitionError:
            raise error from None
        return setup
