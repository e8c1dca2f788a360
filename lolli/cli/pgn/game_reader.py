"""One game of a PGN file: read only if nothing of it is lost, and written as it came."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chess
import chess.pgn

from engine.board.fen import parse_fen
from lolli.cli.pgn.raw_games import LARGEST_GAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.lookup.openings import OpeningName

_LONGEST_REASON = 120  # characters; it may quote the file
# The moves are those that python-chess understands. Its reader skips unknown text; this one does not.
_TOKEN = re.compile(
    r"""(?:
    (?P<result> \* | 1-0 | 0-1 | 1/2-1/2 )
    |(?P<special> -- | Z0 | 0000 | @@@@ | O-O(?:-O)? | 0-0(?:-0)? ) [+\#]{0,2} (?![-\w])
    |(?P<number> [0-9]+ ) (?![0-9/]) (?: \s* [.…] )*
    |P? (?P<move> [NBKRQ]? [a-h]? [1-8]? [-x]? [a-h][1-8] (?: =? [nbrqNBRQ] )? )
        [+\#]{0,2} (?: \s? e\.p\. )? (?![-\w])
    |(?P<comment> \{ [^}]* \}? )
    |(?P<rest> ; [^\n]* )
    |(?P<escape> ^% [^\n]* )
    |(?P<nag> \$ [0-9]{1,3} (?![0-9]) | [!?]{1,2} (?![!?]) )
    |(?P<open> \( )
    |(?P<close> \) )
    )\s*""",
    re.VERBOSE | re.MULTILINE,
)
_NAME = r"\s*\[\s*([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"
_HEADER = re.compile(_NAME + r'"((?:[^"\\\r]|\\[^\r])*)"\s*\]\s*')
_LOOSE_HEADER = re.compile(_NAME + r'"((?:(?!"\s*\])[^\r])*)"\s*\]\s*')  # unescaped quotes in the value
_LINE_OR_COMMENT = re.compile(r"((?P<comment>[ \t]*\{[^}]*\}[ \t]*)|[^\n]*)(?:\n|\Z)")
_ESCAPE = re.compile(r'\\(["\\])')
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_UNKNOWN_VALUES = ("", "?", "-")
_ALL_PIECES = 32


class UnreadableError(ValueError):
    """One short line: why a game cannot be read without losing anything.

    line -- where in the game, from 0
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…")
        self.line = line


class NoGameError(UnreadableError):
    """There is no game: only blank lines, escaped lines and comments."""


@dataclass(slots=True)
class Movetext:
    """The content of the move text of a game.

    tokens -- moves, NAGs, comments in braces, parentheses and the result
    places -- where the moves among them begin in the text
    escapes -- the lines that begin with `%`
    """

    tokens: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    escapes: list[str] = field(default_factory=list)
    result: str | None = None


class Scanner:
    """Scans move text that begins at `start`, in one pass."""

    def __init__(self, text: str, start: int = 0) -> None:
        self._text = text
        self._position = start  # of the present token
        self._number: int | None = None  # place of a move number still without its move
        self._moves = [0]  # how many the main line and each open variation has
        self._found = Movetext()
        self._takers = {
            "move": self._take_move,
            "special": self._take_move,
            "number": self._take_number,
            "nag": self._take_nag,
            "comment": self._take_comment,
            "rest": self._take_rest,
            "escape": self._found.escapes.append,
            "open": self._begin_variation,
            "close": self._end_variation,
            "result": self._take_result,
        }

    def scan(self) -> Movetext:
        """The content. Raises UnreadableError at the first token that is not allowed in its place."""
        while self._text[self._position : self._position + 1].isspace():
            self._position += 1
        while match := _TOKEN.match(self._text, self._position):
            kind = str(match.lastgroup)
            self._takers[kind](match[kind])
            self._position = match.end()
        if self._position < len(self._text):
            raise self._error(f"{self._word()!r} cannot be read")
        while len(self._moves) > 1:  # the game was cut off
            self._end_variation(")")
        return self._found

    def _take_move(self, token: str) -> None:
        self._follow_no_result(token)
        self._moves[-1] += 1
        self._number = None
        self._found.places.append(self._position)
        self._found.tokens.append(token)

    def _take_number(self, token: str) -> None:
        self._follow_no_result(token)
        self._follow_no_number()
        if token.lstrip("0") == "1" and len(self._moves) == 1 and self._moves[0] > 1:
            raise self._error("move number 1 again: two games without a result between them")
        self._number = self._position

    def _take_nag(self, token: str) -> None:
        self._follow_no_result(token)
        if not self._moves[-1]:
            raise self._error(f"{token} before the first move")
        self._found.tokens.append(token)

    def _take_comment(self, token: str) -> None:
        if not token.endswith("}"):
            raise self._error("comment without a closing brace")
        # Of white space alone, python-chess would keep the braces only until it is read again.
        self._found.tokens.append(token if token[1:-1].strip() else "{ }")

    def _take_rest(self, token: str) -> None:
        if "}" in token:
            raise self._error("closing brace in a comment to the end of the line")
        self._found.tokens.append(f"{{ {token[1:].strip()} }}")

    def _begin_variation(self, token: str) -> None:
        self._follow_no_result(token)
        self._follow_no_number()
        if not self._moves[-1]:
            raise self._error("variation before the first move")
        self._moves.append(0)
        self._found.tokens.append(token)

    def _end_variation(self, token: str) -> None:
        self._number = None
        if len(self._moves) == 1:
            raise self._error("a closing parenthesis without an opening one")
        if not self._moves.pop():
            raise self._error("empty variation")
        self._found.tokens.append(token)

    def _take_result(self, token: str) -> None:
        self._follow_no_result(token)
        if len(self._moves) > 1:
            raise self._error(f"result {token} inside a variation")
        self._number = None
        self._found.result = token
        self._found.tokens.append(token)

    def _follow_no_result(self, token: str) -> None:
        if self._found.result is not None:
            raise self._error(f"{token!r} after the result")

    def _follow_no_number(self) -> None:
        if self._number is not None:
            self._position = self._number
            raise self._error("move number without a move")

    def _word(self) -> str:
        """The present word from its first letter, cut if it is very long."""
        begin = self._position
        while begin > max(0, self._position - 20) and not self._text[begin - 1].isspace():
            begin -= 1
        return self._text[begin : self._position + 20].split()[0]

    def _error(self, reason: str) -> UnreadableError:
        return UnreadableError(reason, self._text.count("\n", 0, self._position))


@dataclass(slots=True)
class ReadGame:
    """A game, and what is needed to write it back unchanged.

    game -- with only the headers in the file
    order -- the names of the headers in their order
    result -- after the moves; may differ from the header; None if the game was cut off
    encoding -- "utf-8"; "cp1252", which is what Windows takes for Latin-1; or else "latin-1"
    newline -- "\\n", "\\r\\n" or "\\r"
    bom -- whether it began with a byte order mark
    prefix -- lines before it; escaped lines and comments from between the headers; escaped lines from
        between the moves
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
    """Read one game. Raises UnreadableError if it is illegal or anything would be lost.

    Move numbers, check signs, the spelling of moves and NAGs, and white space at the ends of comments may be
    lost. Comments to the end of the line become comments in braces, several comments on a move become one,
    and NAGs come before it.
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
        if start < len(body) and not (movetext.tokens and all(each[0] == "{" for each in movetext.tokens)):
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


def headers_of(raw: bytes) -> dict[str, str]:
    """The headers of a game whose moves need not be read, as written. Raises UnreadableError."""
    text, _ = _decoded(raw.removeprefix(BOM_UTF8))
    return _head(text.replace("\r\n", "\n").replace("\r", "\n"))[1]


def header_text(value: str) -> str:
    """The value of a header for people: without escapes and with single spaces."""
    return " ".join(_ESCAPE.sub(r"\1", value).split())


def _decoded(raw: bytes) -> tuple[str, str]:
    for encoding in ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1"), "latin-1"


def _head(body: str) -> tuple[list[str], dict[str, str], int]:
    """The lines to keep before the game, the headers, and the offset of the move text."""
    prefix: list[str] = []
    between: list[str] = []
    headers: dict[str, str] = {}
    start = position = 0
    comment: tuple[int, int] | None = None  # the first in braces: lines before it, and its place
    for unit in _LINE_OR_COMMENT.finditer(body):
        line = unit[1]
        if unit["comment"] is not None:
            comment = comment or (len(between), position)
            between.append(line)
        elif line.lstrip().startswith("["):
            number = body.count("\n", 0, position)
            for name, value in _tag_pairs(line, number):
                if name in headers:
                    raise UnreadableError(f"two headers {name}", number)
                headers[name] = value
            prefix += [kept for kept in between if not start or kept.strip()]
            between.clear()
            start = unit.end(1)
        elif line.startswith(("%", ";")) or not line.strip():
            between.append(line)
        else:
            break
        position = unit.end()
    if headers:
        return prefix, headers, start
    lines, position = comment or (len(between), position)
    return between[:lines], headers, position


def _tag_pairs(line: str, number: int) -> list[tuple[str, str]]:
    """The headers in a line, usually one, with their values as written, including escapes."""
    pairs: list[tuple[str, str]] = []
    position = 0
    while position < len(line):
        match = _HEADER.match(line, position) or _LOOSE_HEADER.match(line, position)
        if match is None:
            raise UnreadableError(f"{line.strip()[:40]!r} is not a header", number)
        pairs.append((match[1], match[2]))
        position = match.end()
    return pairs


_MARKS = {
    "!": chess.pgn.NAG_GOOD_MOVE,
    "?": chess.pgn.NAG_MISTAKE,
    "!!": chess.pgn.NAG_BRILLIANT_MOVE,
    "??": chess.pgn.NAG_BLUNDER,
    "!?": chess.pgn.NAG_SPECULATIVE_MOVE,
    "?!": chess.pgn.NAG_DUBIOUS_MOVE,
}


@dataclass(slots=True)
class _Line:
    """The part of the main line or of a variation that has been read.

    node -- its last move; while it only `begins`, the move that it continues from
    before -- the node before `node`
    board -- the position after `node`
    comments -- those on `node`; while it `begins`, those before its first move
    """

    node: chess.pgn.GameNode
    before: chess.pgn.GameNode
    board: chess.Board
    comments: list[str] = field(default_factory=list)
    begins: bool = False

    def play(self, move: chess.Move) -> None:
        opening = self._comment() if self.begins else ""
        self.finish()
        self.before, self.node = self.node, self.node.add_variation(move, starting_comment=opening)
        self.board.push(move)
        self.comments, self.begins = [], False

    def variation(self) -> _Line:
        """A line in place of the last move."""
        board = self.board.copy(stack=1)
        board.pop()
        return _Line(self.before, self.before, board, begins=True)

    def finish(self) -> None:
        """Set the node's comments at once: adding them one by one would be quadratic."""
        if not self.begins:
            self.node.comment = self._comment()

    def _comment(self) -> str:
        return " ".join(filter(None, self.comments))


def _parsed(body: str, headers: dict[str, str], movetext: Movetext) -> chess.pgn.Game:
    """Build the game from its tokens.

    python-chess's own reader copies all moves so far at each variation: quadratic in their number.
    """
    game = chess.pgn.Game(headers)
    lines = [_Line(game, game, game.board())]
    places = iter(movetext.places)
    for word in movetext.tokens:
        line = lines[-1]
        if word == "(":
            lines.append(line.variation())
        elif word == ")":
            lines.pop().finish()
        elif word.startswith("{"):
            line.comments.append(word[1:-1].removeprefix(" ").removesuffix(" "))
        elif word.startswith("$"):
            line.node.nags.add(int(word[1:]))
        elif word in _MARKS:
            line.node.nags.add(_MARKS[word])
        elif word != movetext.result:
            line.play(_move(line.board, word, body, next(places)))
    lines[0].finish()
    return game


def _move(board: chess.Board, san: str, body: str, place: int) -> chess.Move:
    """The move in a token at `place` of the body. Raises UnreadableError."""
    wrong = "illegal"
    try:
        move = board.parse_san(san)
        if move or not board.is_check():
            return move
    except chess.AmbiguousMoveError:
        wrong = "ambiguous"
    except ValueError:
        pass
    dots = "." if board.turn else "..."
    line = body.count("\n", 0, place)
    raise UnreadableError(f"{board.fullmove_number}{dots} {san} is {wrong}", line)


def _check_start(body: str, headers: chess.pgn.Headers) -> None:
    """Raises UnreadableError for a variant, and for an illegal first position."""
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


class _Exporter(chess.pgn.StringExporter):
    def __init__(self, result: str) -> None:
        super().__init__(columns=80, headers=False)
        self._result = result

    def visit_result(self, result: str) -> None:  # noqa: ARG002 - the header's
        super().visit_result(self._result)


def written(read: ReadGame) -> bytes:
    """The game in its own encoding and line ends, headers in their order and new ones after them.

    A game that was cut off ends with the result in its header, or else with `*`. Raises UnicodeEncodeError if
    text was added that the game's encoding lacks.
    """
    headers = read.game.headers
    names = dict.fromkeys((*(name for name in read.order if name in headers), *headers))
    lines = "".join(f'[{name} "{headers[name]}"]\n' for name in names)
    header = headers.get("Result", "*")
    result = read.result or (header if header in _RESULTS else "*")
    moves = read.game.accept(_Exporter(result))
    if lines:
        lines += "\n"
    text = f"{read.prefix}{lines}{moves}{read.suffix}".replace("\n", read.newline)
    return BOM_UTF8 * read.bom + text.encode(read.encoding)


def opening_headers(headers: Mapping[str, str], opening: OpeningName | None) -> dict[str, str]:
    """The headers to add; what the game says itself about its opening stays."""
    if opening is None:
        return {}
    added = {} if _has(headers, "ECO") else {"ECO": opening.eco}
    if _has(headers, "Opening") or _has(headers, "Variation"):
        return added
    added["Opening"] = opening.family
    return {**added, "Variation": opening.variation} if opening.variation else added


def skipped_plies(game: chess.pgn.Game, moves: int) -> int:
    """The plies of the first `moves` of each side; 0 in a game from a position, which has no opening."""
    board = game.board()
    return 2 * moves if board.ply() == 0 and board.occupied.bit_count() == _ALL_PIECES else 0


def _has(headers: Mapping[str, str], name: str) -> bool:
    return headers.get(name, "").strip() not in _UNKNOWN_VALUES
