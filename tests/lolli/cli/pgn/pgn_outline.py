"""A second reader of PGN, character by character and simple, against which the first is held."""

import re
from dataclasses import dataclass, field

import chess
import chess.pgn

GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")

_HEADER = re.compile(r'\s*\[\s*([^\s"\[\]]+)\s+"(.*?)"\s*\](?=\s*(?:\[|\Z))')
_NUMBER = re.compile(r"(?!0000)[0-9]+[.…]*|[.…]+")


@dataclass
class Told:
    """A move with its annotations; without a move, the beginning of a game."""

    parent: int  # the place of the move before it in the list
    move: chess.Move | None
    nags: set[int] = field(default_factory=set)
    before: list[str] = field(default_factory=list)  # words of the comments before the move
    after: list[str] = field(default_factory=list)


@dataclass
class Outline:
    """All that a game tells: white space, numbers of moves and the way in which moves are written aside."""

    headers: list[tuple[str, str]]
    moves: list[Told]
    result: str | None
    kept: list[str]  # lines that begin with %, and comments before the last header


def outline(raw: bytes, encoding: str | None = None) -> Outline:
    """What the bytes of one game tell. Raises ValueError where they make no sense."""
    headers: list[tuple[str, str]] = []
    kept: list[str] = []
    between: list[str] = []
    lines = _text(raw.removeprefix(b"\xef\xbb\xbf"), encoding).split("\n")
    begin = 0
    in_comment = False
    first: int | None = None  # line of a comment in braces
    for number, line in enumerate(lines):
        if in_comment or line.lstrip().startswith("{"):
            first = number if first is None else first
            in_comment = "}" not in line
            if line.partition("}")[2].strip():
                break
            between += [line] if line.strip() else []
        elif line.lstrip().startswith("["):
            found = list(_HEADER.finditer(line))
            _check("".join(match[0] for match in found).strip() == line.strip())
            headers += [(match[1], match[2]) for match in found]
            kept += between
            between = []
            begin = number + 1
        elif line[:1] in ("%", ";"):
            between.append(line)
        elif line.strip():
            break
    if not headers:
        begin = number if first is None else first
        kept = [line for line in lines[:begin] if line.strip()]
    reader = _Reader("\n".join(lines[begin:]), chess.pgn.Headers(headers).board())
    return Outline(headers, reader.moves, reader.result, sorted(kept + reader.escapes))


def told(game: chess.pgn.Game) -> list[Told]:
    moves = [Told(0, None, after=game.comment.split())]
    ahead: list[tuple[chess.pgn.GameNode, int, bool]] = [(game, 0, True)]
    while ahead:
        node, place, is_listed = ahead.pop()
        if not is_listed:
            moves.append(_told(node, place))
            place = len(moves) - 1
        if node.variations:
            moves.append(_told(node.variations[0], place))
            ahead.append((node.variations[0], len(moves) - 1, True))
            ahead += [(side, place, False) for side in reversed(node.variations[1:])]
    return moves


def _check(makes_sense: bool) -> None:
    if not makes_sense:
        raise ValueError("not a game as PGN has it")


def _told(node: chess.pgn.GameNode, parent: int) -> Told:
    return Told(parent, node.move, set(node.nags), node.starting_comment.split(), node.comment.split())


def _text(raw: bytes, encoding: str | None) -> str:
    try:
        text = raw.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252")
    end = "\r\n" if "\r\n" in text else "\n" if "\n" in text else "\r"
    return text.replace(end, "\n").rstrip("\x1a\r\n\t ")


class _Reader:
    def __init__(self, text: str, board: chess.Board) -> None:
        self.moves = [Told(0, None)]
        self.result: str | None = None
        self.escapes: list[str] = []
        self._boards = [board]  # after each of the moves
        self._lines = [0]  # the last move of every variation that is open
        self._pending: list[str] | None = None  # words since a variation began, until its first move
        place = 0
        while place < len(text):
            place += self._read(text[place : place + 400_000], place == 0 or text[place - 1] == "\n")
        _check(self._pending is None)

    def _read(self, rest: str, begins_line: bool) -> int:
        """Take what comes next; how many characters that was."""
        if rest[0].isspace():
            return 1
        if rest[0] == "%" and begins_line:
            self.escapes.append(rest.partition("\n")[0])
            return len(self.escapes[-1])
        if rest[0] in "{;":
            comment = rest.partition("}" if rest[0] == "{" else "\n")[0]
            words = self.moves[self._lines[-1]].after if self._pending is None else self._pending
            words += comment[1:].split()
            return len(comment) + (rest[0] == "{")
        if rest[0] == "(":
            _check(self._pending is None)
            _check(self._lines[-1] > 0)
            self._lines.append(self.moves[self._lines[-1]].parent)
            self._pending = []
            return 1
        if rest[0] == ")":
            _check(self._pending is None)
            _check(len(self._lines) > 1)
            self._lines.pop()
            return 1
        match = re.match(r"\$[0-9]+|[!?]+|e\.p\.|\*|[^\s{};()$!?*]+", rest)
        if match is None:
            raise ValueError(f"not PGN: {rest[:20]!r}")
        self._take(match[0])
        return match.end()

    def _take(self, word: str) -> None:
        number = _NUMBER.match(word)
        if word[0] in "$!?":
            _check(self._pending is None)
            _check(self._lines[-1] > 0)
            self.moves[self._lines[-1]].nags.add(GLYPHS[word] if word in GLYPHS else int(word[1:]))
        elif word in RESULTS:
            _check(len(self._lines) == 1)
            _check(self.result is None)
            self.result = word
        elif number is None or word.startswith("0-0"):
            self._move(word.removesuffix("e.p.").removeprefix("P").rstrip("+#"))
        elif len(word) > number.end():
            self._take(word[number.end() :])

    def _move(self, word: str) -> None:
        if not word:  # the e.p. of the move before
            return
        _check(self.result is None)
        parent = self._lines[-1]
        board = self._boards[parent].copy(stack=False)
        self.moves.append(Told(parent, board.push_san(word), before=self._pending or []))
        self._boards.append(board)
        self._pending = None
        self._lines[-1] = len(self.moves) - 1
