"""A PGN file of any size, split into its games: one at a time in memory, and no byte is lost."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import BinaryIO

LARGEST_FILE = 1 << 40
"""Bytes; Lichess's largest months have some 2**38."""

LARGEST_GAME = 4 << 20
"""Bytes; nothing as large is read as a game: every move costs a hundred times its text in memory."""

_PIECE = 1 << 14  # bytes read at once of a long line
_BLANK = b" \t\r\n\v\f\x1a"  # Ctrl-Z ended files under DOS

_HEADER = re.compile(rb'\s*\[\s*([A-Za-z0-9][\w+#=:-]*)\s+"')
_FIRST_HEADER = re.compile(rb'\[Event\s+"')
# What decides where a game ends; a result that is part of a longer word is not one. All begin with a fixed
# character, so that they are found twice as fast.
_RESULTS = (rb"%b(?<![\w/-]%b)(?![\w/-])" % (result, result) for result in (b"1-0", b"0-1", b"1/2-1/2"))
_TOKEN = re.compile(b"|".join((rb"\{[^}]*\}?", b";", rb"\(", rb"\)", rb"\*", *_RESULTS)))
_REMARKS = (b"{", b";", b"%")


@dataclass(frozen=True, slots=True)
class RawGame:
    """A piece of a PGN file, unchanged. `number` and `line` count from 1, `offset` from 0."""

    number: int
    line: int
    offset: int
    data: bytes

    @property
    def lines(self) -> int:
        """The number of line ends in it: the next game begins at `line + lines`."""
        return self.data.count(b"\n") or self.data.count(b"\r")


def raw_games(file: BinaryIO, offset: int = 0, number: int = 1, line: int = 1) -> Iterator[RawGame]:
    """The games of a file, in order. Their `data` joined are the file, byte for byte.

    A game ends with the line of its result, or before the next header line outside a comment; blank lines
    do not matter. It may lack headers, moves or the result. Blank lines and comments after the result belong
    to it, but comments and escaped lines (`%`) after a blank line to the next game. A result inside a
    variation is not the game's.

    Inside a comment in braces a header line is text. Only `[Event "` after a blank line is not: a brace that
    is never closed spoils its own game and none of the following.

    A piece that reaches `LARGEST_GAME` bytes without an end is not a game and is cut there.

    To begin in the middle of a file, pass the `offset`, `number` and `line` of the next game. With an offset
    of 0 the file need not be seekable.
    """
    if offset:
        file.seek(offset)
    boundary = _Boundary()
    lines: list[bytes] = []
    size = 0
    for text in _lines(file):
        if lines and (size >= LARGEST_GAME or boundary.before(text)):
            game = RawGame(number, line, offset, b"".join(lines))
            yield game
            number, line, offset = number + 1, line + game.lines, offset + size
            boundary, lines, size = _Boundary(), [], 0
        boundary.take(text)
        lines.append(text)
        size += len(text)
    if lines:
        yield RawGame(number, line, offset, b"".join(lines))


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines with their ends: `\\n`, or `\\r` if the file has no `\\n`; cut at LARGEST_GAME bytes."""
    pieces: list[bytes] = []  # of the present line
    size = 0
    while piece := file.readline(_PIECE):
        if b"\r" in piece and not piece.endswith(b"\n"):
            *whole, piece = b"".join((*pieces, piece)).splitlines(keepends=True)
            yield from whole
            pieces, size = [], 0
        pieces.append(piece)
        size += len(piece)
        if piece.endswith(b"\n") or size >= LARGEST_GAME:
            yield b"".join(pieces)
            pieces, size = [], 0
    if pieces:
        yield b"".join(pieces)


class _Part(Enum):
    START = auto()
    HEADERS = auto()
    MOVES = auto()
    END = auto()


class _Boundary:
    def __init__(self) -> None:
        self._part = _Part.START
        self._names: set[bytes] = set()
        self._blanks = 0  # since the last header or text
        self._in_comment = False
        self._depth = 0  # of variations

    def before(self, text: bytes) -> bool:
        if self._in_comment:
            return self._blanks > 0 and _FIRST_HEADER.match(text.removeprefix(BOM_UTF8)) is not None
        if text.startswith(BOM_UTF8):  # where files were joined
            return True
        if self._part is _Part.END:
            return bool(text.strip(_BLANK)) and (self._blanks > 0 or not text.startswith(_REMARKS))
        header = _HEADER.match(text)
        if self._part is _Part.HEADERS:
            return self._blanks > 0 and header is not None and header[1] in self._names | {b"Event"}
        return self._part is _Part.MOVES and header is not None

    def take(self, text: bytes) -> None:
        text = text.removeprefix(BOM_UTF8)
        if not text.strip(_BLANK):
            self._blanks += 1
            return
        if self._is_before_moves() and not self._in_comment and text.lstrip().startswith(b"["):
            self._part, self._blanks = _Part.HEADERS, 0
            if header := _HEADER.match(text):
                self._names.add(header[1])
        elif self._in_comment or not text.startswith((b"%", b";")):
            self._blanks = 0
            self._read(text)

    def _read(self, text: bytes) -> None:
        start = text.find(b"}") + 1 if self._in_comment else 0
        if self._in_comment and not start:
            return
        self._in_comment = False
        for found in _TOKEN.finditer(text, start):
            token = found[0]
            if self._is_before_moves() and (
                text[start : found.start()].strip(_BLANK) or token[:1] not in b"{;"
            ):
                self._part = _Part.MOVES
            start = found.end()
            if token == b";":
                return
            if token.startswith(b"{"):
                self._in_comment = not token.endswith(b"}")
            elif token in b"()":
                self._depth = max(0, self._depth + (1 if token == b"(" else -1))
            elif self._depth == 0:
                self._part = _Part.END
        if self._is_before_moves() and text[start:].strip(_BLANK):
            self._part = _Part.MOVES

    def _is_before_moves(self) -> bool:
        return self._part is _Part.START or self._part is _Part.HEADERS
