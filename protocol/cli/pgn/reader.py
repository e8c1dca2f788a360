"""A game of a PGN file as python-chess has them, read only if nothing of it is lost."""

import re
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass, field

import chess
import chess.pgn

from engine.board.fen import parse_fen
from protocol.cli.pgn.movetext import Movetext, Scanner
from protocol.cli.pgn.unreadable import LARGEST_GAME, NoGameError, UnreadableError

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
    """The main line or a variation as far as it has been read.

    node -- its last move, or if it only `begins` the one from which it goes on
    before -- the node before that
    board -- the position after that
    comments -- those on that node, or before the first move if it `begins`
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

    def variation(self) -> "_Line":
        """Another line, instead of the last move."""
        board = self.board.copy(stack=1)
        board.pop()
        return _Line(self.before, self.before, board, begins=True)

    def finish(self) -> None:
        """Give the node its comments: one after the other would copy the first ones again and again."""
        if not self.begins:
            self.node.comment = self._comment()

    def _comment(self) -> str:
        return " ".join(filter(None, self.comments))


def _parsed(body: str, headers: dict[str, str], movetext: Movetext) -> chess.pgn.Game:
    """The game of the tokens.

    python-chess's own reader copies all moves so far wherever a variation begins, and takes time with the
    square of their number.
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
    """The move of a token, which stands at a place of the body. Raises UnreadableError."""
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
