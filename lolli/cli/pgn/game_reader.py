"""Games of a PGN file: read only if nothing is lost, written as they came; and the players in a file."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, register_error
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import BinaryIO
from unicodedata import normalize

import chess
import chess.pgn

from engine.board.fen import parse_fen
from lolli.cli.pgn import LARGEST_GAME, raw_games
from protocol.text import folded

Matches = Callable[[str], bool]
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
_ONLY_BEFORE_THE_RESULT = frozenset(("move", "special", "number", "nag", "open", "result"))
_REMARKS = frozenset(("comment", "rest", "escape", "nag", "open"))
_NAME = r"\s*\[\s*([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"
_HEADER = re.compile(_NAME + r'"((?:[^"\\\r]|\\[^\r])*)"\s*\]\s*')
_LOOSE_HEADER = re.compile(_NAME + r'"((?:(?!"\s*\])[^\r])*)"\s*\]\s*')  # unescaped quotes in the value
_LINE_OR_COMMENT = re.compile(r"((?P<comment>[ \t]*\{[^}]*\}[ \t]*)|[^\n]*)(?:\n|\Z)")
_ESCAPE = re.compile(r'\\(["\\])')
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_SIDES = {chess.WHITE: "White", chess.BLACK: "Black"}
_UNKNOWN_VALUES = ("", "?", "-")
_MOST_NAMED = 5


class UnreadableError(ValueError):
    """Why a game cannot be read without loss, in one short line; `line` counts from 0 in the game."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…")
        self.line = line


class NoGameError(UnreadableError):
    """There is no game: only blank lines, escaped lines and comments."""


@dataclass(slots=True)
class ReadGame:
    """A game, and what is needed to write it back unchanged.

    `game` has only the headers of the file, in `order`. `result` stands after the moves, and may differ from
    the header; None if the game was cut off. `encoding` is "utf-8"; "cp1252", which Windows takes for
    Latin-1; or else "latin-1". `prefix` has the lines before it, escaped lines, and comments between headers;
    `suffix` the end of the last line and the blank lines after it.
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
    game = chess.pgn.Game(headers)
    moves = _Moves(game)
    moves.read(body, start)
    if not headers and not game.variations:
        raise UnreadableError("neither headers nor moves") if moves.any_word else NoGameError("no game")
    return ReadGame(
        game=game,
        order=tuple(headers),
        result=moves.result,
        encoding=encoding,
        newline=newline,
        bom=raw.startswith(BOM_UTF8),
        prefix="".join(f"{line}\n" for line in prefix + moves.escapes),
        suffix=text[len(body) :],
    )


def headers_of(raw: bytes) -> dict[str, str]:
    """The headers of a game whose moves need not be read, as written. Raises UnreadableError."""
    text, _ = _decoded(raw.removeprefix(BOM_UTF8))
    return _head(text.replace("\r\n", "\n").replace("\r", "\n"))[1]


def header_text(value: str) -> str:
    """The value of a header for people: without escapes and with single spaces."""
    return " ".join(_ESCAPE.sub(r"\1", value).split())


def sides_of(player: str, headers: Mapping[str, str]) -> list[chess.Color]:
    """Those of a player, by the whole name, whatever its case."""
    names = {color: header_text(headers.get(side, "")) for color, side in _SIDES.items()}
    return [color for color, name in names.items() if folded(name) == folded(player)]


def header_value(text: str) -> str:
    """A text as the value of a header, where python-chess escapes nothing."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


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
    start = position = number = counted = 0
    comment: tuple[int, int] | None = None  # the first in braces: lines before it, and its place
    for unit in _LINE_OR_COMMENT.finditer(body):
        line = unit[1]
        if unit["comment"] is not None:
            comment = comment or (len(between), position)
            between.append(line)
        elif line.lstrip().startswith("["):
            number += body.count("\n", counted, position)
            counted = position
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
    """`node` is the last move; while a variation has no moves, the move that it continues from."""

    node: chess.pgn.GameNode
    board: chess.Board
    is_variation: bool = False
    moves: int = 0
    comments: list[str] = field(default_factory=list)

    def play(self, move: chess.Move) -> None:
        opening = "" if self._has_node() else self._comment()
        self.finish()
        self.node = self.node.add_variation(move, starting_comment=opening)
        self.board.push(move)
        self.moves += 1
        self.comments = []

    def variation(self) -> _Line:
        board = self.board.copy(stack=1)
        board.pop()
        return _Line(self.node.parent or self.node, board, is_variation=True)

    def finish(self) -> None:
        """Set the node's comments at once: adding them one by one would be quadratic."""
        if self._has_node():
            self.node.comment = self._comment()

    def _has_node(self) -> bool:
        return self.moves > 0 or not self.is_variation

    def _comment(self) -> str:
        return " ".join(filter(None, self.comments))


class _Moves:
    """Adds the moves of a text to a game; python-chess's reader is quadratic in the number of variations."""

    def __init__(self, game: chess.pgn.Game) -> None:
        self.escapes: list[str] = []
        self.result: str | None = None
        self.any_word = False
        """Whether there is anything but comments."""
        self._lines = [_Line(game, game.board())]  # the main line and the open variations
        self._number: int | None = None  # place of a move number still without its move

    def read(self, text: str, start: int) -> None:
        """Raises UnreadableError at a token that is not allowed there."""
        place = start
        while text[place : place + 1].isspace():
            place += 1
        reason = None
        while reason is None and (match := _TOKEN.match(text, place)):
            kind = str(match.lastgroup)
            if self._number is not None and kind in {"number", "open"} and self.result is None:
                reason, place = "move number without a move", self._number
                break
            reason = self._take(kind, match[kind])
            self._number = place if kind == "number" else self._number if kind in _REMARKS else None
            place = place if reason else match.end()
        if reason is None and place < len(text):
            reason = f"{_word(text, place)!r} cannot be read"
        if reason is None and not all(line.moves for line in self._lines[1:]):
            reason = "empty variation"
        if reason is not None:
            raise UnreadableError(reason, text.count("\n", 0, place))
        for line in self._lines:  # several if the game was cut off
            line.finish()

    def _take(self, kind: str, word: str) -> str | None:  # noqa: C901, PLR0911, PLR0912 - a case for each kind
        """Why the token is not allowed here; None if it is."""
        line = self._lines[-1]
        self.any_word |= kind in {"number", "result"}
        if self.result is not None and kind in _ONLY_BEFORE_THE_RESULT:
            return f"{word!r} after the result"
        if kind in {"nag", "open"} and not line.moves:
            return f"{word if kind == 'nag' else 'variation'} before the first move"
        if kind in {"move", "special"}:
            return _play(line, word)
        if kind == "nag":
            line.node.nags.add(int(word[1:]) if word[0] == "$" else _MARKS[word])
        elif kind == "open":
            self._lines.append(line.variation())
        elif kind == "close":
            if not line.is_variation:
                return "a closing parenthesis without an opening one"
            if not line.moves:
                return "empty variation"
            self._lines.pop().finish()
        elif kind == "number":
            if word.lstrip("0") == "1" and not line.is_variation and line.moves > 1:
                return "move number 1 again: two games without a result between them"
        elif kind == "comment":
            if not word.endswith("}"):
                return "comment without a closing brace"
            line.comments.append(word[1:-1].removeprefix(" ").removesuffix(" ") if word[1:-1].strip() else "")
        elif kind == "rest":
            if "}" in word:
                return "closing brace in a comment to the end of the line"
            line.comments.append(word[1:].strip())
        elif kind == "result":
            if line.is_variation:
                return f"result {word} inside a variation"
            self.result = word
        else:
            self.escapes.append(word)
        return None


def _play(line: _Line, san: str) -> str | None:
    """Why it cannot be played; None after it was."""
    wrong = "illegal"
    try:
        move = line.board.parse_san(san)
        if move or not line.board.is_check():
            line.play(move)
            return None
    except chess.AmbiguousMoveError:
        wrong = "ambiguous"
    except ValueError:
        pass
    return f"{line.board.fullmove_number}{'.' if line.board.turn else '...'} {san} is {wrong}"


def _word(text: str, position: int) -> str:
    begin = position
    while begin > max(0, position - 20) and not text[begin - 1].isspace():
        begin -= 1
    return text[begin : position + 20].split(maxsplit=1)[0]


def _check_start(body: str, headers: chess.pgn.Headers) -> None:
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


class Exporter(chess.pgn.StringExporter):
    """Writes `result` after the moves, or `*` if it is not a result."""

    def __init__(self, result: str | None, *, columns: int | None, headers: bool = True) -> None:
        super().__init__(columns=columns, headers=headers)
        self._result = result if result in _RESULTS else "*"

    def visit_result(self, result: str) -> None:  # noqa: ARG002 - the header's
        super().visit_result(self._result)


def written(read: ReadGame) -> bytes:
    """In its own encoding and line ends, new headers last; a game cut off gets its header's result, or `*`.

    A character that the encoding lacks loses its accent or becomes `?`.
    """
    headers = read.game.headers
    names = dict.fromkeys((*(name for name in read.order if name in headers), *headers))
    lines = "".join(f'[{name} "{headers[name]}"]\n' for name in names)
    exporter = Exporter(read.result or headers.get("Result"), columns=80, headers=False)
    moves = read.game.accept(exporter)
    if lines:
        lines += "\n"
    text = f"{read.prefix}{lines}{moves}{read.suffix}".replace("\n", read.newline)
    return BOM_UTF8 * read.bom + text.encode(read.encoding, _WITHOUT_ACCENTS)


def _without_accents(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    plain = (normalize("NFKD", letter).encode("ascii", "ignore").decode() or "?" for letter in lacking)
    return "".join(plain), error.end


_WITHOUT_ACCENTS = "lolli.without-accents"
register_error(_WITHOUT_ACCENTS, _without_accents)


class PlayerNameError(ValueError):
    """A name that nobody in the file has, or several; the message names some of them, in one line."""


class KnownPlayers:
    """Counts the games of each player, by the spelling of the name."""

    def __init__(self) -> None:
        self._games: Counter[str] = Counter()

    def add(self, headers: Mapping[str, str]) -> None:
        names = {header_text(headers.get(color, "")) for color in _SIDES.values()}
        self._games.update(names - set(_UNKNOWN_VALUES))

    def meant(self, text: str) -> str:
        """The one player whom `text` means, in the most frequent spelling. Raises PlayerNameError.

        It is the whole name, else words of the name in any order, else a part of it; case does not count.
        """
        wanted = folded(text)
        if not wanted:
            raise PlayerNameError("the name of the player is empty")
        words = set(_words(wanted))
        ways: tuple[Matches, ...] = (
            lambda name: name == wanted,
            lambda name: bool(words) and words.issubset(_words(name)),
            lambda name: wanted in name,
        )
        spellings = defaultdict(list)
        for name, _ in self._games.most_common():
            spellings[folded(name)].append(name)
        for matches in ways:
            found = [each for name, each in spellings.items() if matches(name)]
            if len(found) == 1:
                return found[0][0]
            if found:
                names = self._told(each[0] for each in found)
                raise PlayerNameError(f"{text!r} is several players: {names}")
        raise PlayerNameError(f"no player {text!r}{self._hint(wanted, spellings)}")

    def _hint(self, wanted: str, spellings: Mapping[str, list[str]]) -> str:
        parts = {part: name for name in spellings for part in (*_words(name), name)}
        alike = dict.fromkeys(parts[part] for part in get_close_matches(wanted, parts, _MOST_NAMED))
        if alike:
            return f"; most like it: {self._told(spellings[name][0] for name in alike)}"
        return f"; most games: {self._told(self._games)}" if self._games else ""

    def _told(self, names: Iterable[str]) -> str:
        """`Ada Lovelace (12), Ben (3) and 4 more`: names with their games, the most frequent first."""
        ordered = sorted(names, key=lambda name: -self._games[name])
        told = ", ".join(f"{name} ({self._games[name]})" for name in ordered[:_MOST_NAMED])
        more = len(ordered) - _MOST_NAMED
        return told if more <= 0 else f"{told} and {more} more"


@dataclass(frozen=True, slots=True)
class FileOutline:
    """`pieces` is the number of the last piece of the file."""

    games: int
    pieces: int
    names: KnownPlayers


def outline(file: BinaryIO) -> FileOutline:
    games = pieces = 0
    names = KnownPlayers()
    for raw in raw_games(file):
        try:
            headers = headers_of(raw.data)
            if not headers:
                read_game(raw.data)
        except NoGameError:
            continue
        except UnreadableError:
            headers = {}
        games, pieces = games + 1, raw.number
        names.add(headers)
    return FileOutline(games, pieces, names)


def player_in(file: BinaryIO, text: str) -> str:
    """The player of a file whom `text` means. Raises PlayerNameError."""
    return outline(file).names.meant(text)


def _words(name: str) -> list[str]:
    return name.replace(",", " ").split()
