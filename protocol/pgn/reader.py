"""A game of a PGN file, read with python-chess, and only if nothing of it is lost."""

import io
import re
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass

import chess
import chess.pgn

from engine.board.fen import parse_fen
from protocol.pgn.movetext import Movetext, Scanner
from protocol.pgn.unreadable import LARGEST_GAME, NoGameError, UnreadableError

_NAME = r"\s*\[\s*([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"
_HEADER = re.compile(_NAME + r'"((?:[^"\\\r]|\\[^\r])*)"\s*\]\s*')
_LOOSE_HEADER = re.compile(_NAME + r'"((?:(?!"\s*\])[^\r])*)"\s*\]\s*')  # quotes in the value, not escaped


@dataclass(slots=True)
class ReadGame:
    """A game, and what else must be known to write it as it came.

    game -- with the headers that it has, no others
    order -- the names of the headers as they stood
    result -- as it stands after the moves, which may differ from the header; None if the game was cut off
    encoding -- "utf-8"; "cp1252", which is what Windows takes for Latin-1; or else "latin-1"
    newline -- "\\n", "\\r\\n" or "\\r"
    bom -- whether a byte order mark stood before it
    prefix -- lines that stood before it; those of escapes and comments that stood among the headers, and
        those of escapes that stood among the moves
    suffix -- the end of the last line and the blank lines after it
    """

    game: chess.pgn.Game
    order: tuple[str, ...]
    result: str | None
    encoding: str
    newline: str
    bom: bool
    prefix: str
    suffix: str


def read_game(raw: bytes) -> ReadGame:
    """The game that these bytes are. Raises UnreadableError if it is illegal or anything would be lost.

    What does not count as lost: numbers of moves, marks of check, the way in which moves and NAGs are
    written, white space at the ends of comments. Comments to the end of the line become comments in
    braces, several comments on a move become one, and NAGs come before it.
    """
    if len(raw) >= LARGEST_GAME:
        raise UnreadableError(f"longer than {LARGEST_GAME >> 20} MiB")
    if b"\0" in raw:
        raise UnreadableError("not text, or text in UTF-16")
    text, encoding = _decoded(raw.removeprefix(BOM_UTF8))
    newline = next((end for end in ("\r\n", "\n", "\r") if end in text), "\n")
    text = text.replace(newline, "\n")
    body = text.rstrip(" \t\n\r\v\f\x1a")
    prefix, headers, start = _head(body)
    _check_start(body, chess.pgn.Headers(headers))
    movetext = Scanner(body, start).scan()
    if not headers and not movetext.places:
        if start < len(body):
            raise UnreadableError("neither headers nor moves")
        raise NoGameError("no game")
    return ReadGame(
        game=_parsed(body, headers, movetext),
        order=tuple(headers),
        result=movetext.result,
        encoding=encoding,
        newline=newline,
        bom=raw.startswith(BOM_UTF8),
        prefix="".join(f"{line}\n" for line in prefix + movetext.escapes),
        suffix=text[len(body) :],
    )


def _decoded(raw: bytes) -> tuple[str, str]:
    for encoding in ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1"), "latin-1"


def _head(body: str) -> tuple[list[str], dict[str, str], int]:
    """The lines to keep before the game, the headers, and where the move text begins."""
    prefix: list[str] = []
    between: list[str] = []
    headers: dict[str, str] = {}
    start = position = 0
    for number, line in enumerate(body.split("\n")):
        if line.lstrip().startswith("["):
            for name, value in _tag_pairs(line, number):
                if name in headers:
                    raise UnreadableError(f"the header {name} stands there twice", number)
                headers[name] = value
            prefix += [kept for kept in between if not start or kept.strip()]
            between.clear()
            start = position + len(line)
        elif line.startswith(("%", ";")) or not line.strip():
            between.append(line)
        else:
            break
        position += len(line) + 1
    if not headers:
        return between, headers, position
    return prefix, headers, start


def _tag_pairs(line: str, number: int) -> list[tuple[str, str]]:
    """The headers of a line, usually one, with their values as they stand there, escapes and all."""
    pairs: list[tuple[str, str]] = []
    position = 0
    while position < len(line):
        match = _HEADER.match(line, position) or _LOOSE_HEADER.match(line, position)
        if match is None:
            raise UnreadableError(f"{line.strip()[:40]!r} is no header", number)
        pairs.append((match[1], match[2]))
        position = match.end()
    return pairs


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """python-chess's builder of games, without headers that the game has not, and strict."""

    def __init__(self, body: str, places: list[int]) -> None:
        super().__init__()
        self._body = body
        self._places = iter(places)

    def begin_game(self) -> None:
        super().begin_game()
        self.game.headers.clear()

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        place = next(self._places)
        wrong = "illegal"
        try:
            move = super().parse_san(board, san)
            if move or not board.is_check():
                return move
        except chess.AmbiguousMoveError:
            wrong = "ambiguous"
        except ValueError:
            pass
        dots = "." if board.turn else "..."
        line = self._body.count("\n", 0, place)
        raise UnreadableError(f"{board.fullmove_number}{dots} {san} is {wrong}", line)

    def visit_result(self, result: str) -> None:
        """The header stays as it is."""

    def handle_error(self, error: Exception) -> None:
        raise error


def _parsed(body: str, headers: dict[str, str], movetext: Movetext) -> chess.pgn.Game:
    lines = [f'[{name} "{value}"]' for name, value in headers.items()]
    text = io.StringIO("\n".join(lines + movetext.tokens))
    builder = _Builder(body, movetext.places)
    chess.pgn.read_game(text, Visitor=lambda: builder)
    return builder.result()


def _check_start(body: str, headers: chess.pgn.Headers) -> None:
    """Raises UnreadableError for what is not chess, and for a position from which no game can go on."""
    variant: type[chess.Board] | None = None
    with suppress(ValueError):
        variant = headers.variant()
    if variant is not chess.Board:
        reason = f"the variant {headers['Variant']!r} is not supported"
        raise UnreadableError(reason, _line_of("Variant", body))
    if "FEN" in headers:
        try:
            parse_fen(headers.board().fen())
        except ValueError as error:
            raise UnreadableError(f"FEN: {error}", _line_of("FEN", body)) from None


def _line_of(name: str, body: str) -> int:
    header = re.search(rf"\[\s*{name}\s", body)
    return body.count("\n", 0, header.start()) if header else 0
