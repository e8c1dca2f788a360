"""Test suites: lines of EPD, each a position and the task that the engine has there.

A position is four fields of a FEN, or all six; operations follow, each ended by a semicolon. Tasks are `bm`
(play one of these moves), `am` (play none of these), `dm` (announce mate in at most N moves) and, in the
Strategic Test Suite, points for moves: `c0 "f5=10, Be5+=2"`, or `c8` with the points of the moves in `c7` or
`c9`. https://www.chessprogramming.org/Extended_Position_Description
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chess

from protocol import given_file
from protocol.cli.analysis.notation import RecognitionError, board_from_fen, one_line
from protocol.cli.terminal.console import messages
from protocol.given_file import STDIO
from protocol.text import integer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.cli.analysis.finding import Finding

_STRING = r'"((?:[^"\\]|\\.)*)"'  # with the escapes of python-chess
_OPERATION = re.compile(rf'\s*([A-Za-z]\w*)((?:\s+(?:{_STRING}|[^\s";]+))*)\s*(?:;+|$)')
_OPERAND = re.compile(rf'{_STRING}|([^\s";]+)')
_ESCAPE = re.compile(r'\\(["\\trn])')
_COUNTERS = re.compile(r"\s*(\d+)(?:\s+(\d+))?(?=[\s;]|$)")
_POINTS = re.compile(r"\s*([^\s,]+?)\s*=\s*([0-9]+)\s*")
_DIGITS = re.compile(r"[0-9]+")
_FEN_FIELDS = 4
_CLOCKS = {"hmvc": ["0"], "fmvn": ["1"]}  # the operations for the other two fields
_SHOWN = 30  # characters of a word that cannot be read
_LARGEST = 1 << 24  # bytes; the suites that people publish have some thousandths


class EpdError(ValueError):
    """Why a line or a file cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class SuitePosition:
    """One position of a suite with its task; `file` and `line` say where it comes from.

    The engine shall play a move in `best`, or none in `avoid`, or announce a mate in at most `mate` moves,
    or play a move that is worth many `points`.
    """

    file: str
    line: int
    name: str
    board: chess.Board
    best: tuple[chess.Move, ...] = ()
    avoid: tuple[chess.Move, ...] = ()
    mate: int | None = None
    points: Mapping[chess.Move, int] = field(default_factory=dict)

    @property
    def wanted(self) -> str:
        """The task, for people: `Nd5 a4`, `not Qxd6`, `mate in 3`."""
        parts = [self.san(self.best)] if self.best else []
        if self.avoid:
            parts.append(f"not {self.san(self.avoid)}")
        if self.mate is not None:
            parts.append(f"mate in {self.mate}")
        if not parts:
            most = [move for move, points in self.points.items() if points == self.most_points]
            parts.append(self.san(most))
        return ", ".join(parts)

    @property
    def most_points(self) -> int:
        """The points of the best move; 0 if moves have no points."""
        return max(self.points.values(), default=0)

    @property
    def asks_only_for_mate(self) -> bool:
        """Whether the mate is the whole task, whatever the move."""
        return self.mate is not None and not self.best and not self.avoid

    def san(self, moves: tuple[chess.Move, ...] | list[chess.Move]) -> str:
        """Moves of this position in SAN, separated by blanks."""
        return " ".join(self.board.san(move) for move in moves)

    @property
    def asks(self) -> bool:
        """Whether there is a task."""
        return bool(self.best or self.avoid or self.points) or self.mate is not None

    def is_solved_by(self, finding: Finding) -> bool:
        """Whether a finding fulfils the task; see `is_answered_by`."""
        return self.is_answered_by(finding.moves[0], finding.score.relative.mate())

    def is_answered_by(self, move: chess.Move, mate: int | None) -> bool:
        """Whether `move`, with which the mover mates in `mate` moves (None: no mate seen), fulfils the task.

        If points are the only task, a move with the most points does. False without a task.
        """
        if self.mate is not None and (mate is None or not 0 < mate <= self.mate):
            return False
        if (self.best and move not in self.best) or move in self.avoid:
            return False
        if self.best or self.avoid or self.mate is not None:
            return True
        return self.points.get(move) == self.most_points


def read_suites(names: Sequence[str], *, must_ask: bool = True) -> tuple[list[SuitePosition], int]:
    """The positions of all these files, and the number of unusable lines, which are reported on stderr.

    With `must_ask` a line without a task is unusable, too. Raises EpdError if a file cannot be
    read, or if no position is left.
    """
    positions: list[SuitePosition] = []
    unusable = 0
    for name in names:
        file = "stdin" if name == STDIO else name
        try:
            data = given_file.read(name, _LARGEST)
        except OSError as error:
            raise EpdError(f"{file}: {error.strerror}") from None
        for line, text in suite_lines(data):
            try:
                positions.append(parse_position(text, file, line, must_ask=must_ask))
            except EpdError as error:
                unusable += 1
                messages().print(f"{file}:{line}: {one_line(str(error))}", soft_wrap=True)
    if not positions:
        raise EpdError("no position can be searched")
    return positions, unusable


def suite_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers from 1, without blank lines and comments, which begin with #.

    UTF-8, with or without a byte order mark, or else Latin-1.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        line = line.strip()  # noqa: PLW2901 - only blanks are lost
        if line and not line.startswith("#"):
            yield number, line


def parse_position(text: str, file: str, line: int, *, must_ask: bool = True) -> SuitePosition:
    """The position in a line. Raises EpdError if it has none, with `must_ask` also if it has no task."""
    fields = text.split(None, _FEN_FIELDS)
    rest = fields.pop() if len(fields) > _FEN_FIELDS else ""
    if fields and ";" in fields[-1]:  # a semicolon ends the fields
        fields[-1], _, begun = fields[-1].partition(";")
        rest = f"{begun} {rest}"
    counters = _COUNTERS.match(rest)
    if counters:
        fields += [number for number in counters.groups() if number is not None]
        rest = rest[counters.end() :]
    operations = _operations(rest)
    board = _board(fields, operations)
    position = SuitePosition(
        file=file,
        line=line,
        name=one_line(" ".join(operations.get("id", ()))) or f"line {line}",
        board=board,
        best=_moves(board, operations, "bm"),
        avoid=_moves(board, operations, "am"),
        mate=_mate(operations),
        points=_points(board, operations),
    )
    if must_ask and not position.asks:
        raise EpdError("no task: bm, am, dm or points for moves are missing")
    return position


def _operations(text: str) -> dict[str, list[str]]:
    """The operands of each operation."""
    operations: dict[str, list[str]] = {}
    begin = len(text) - len(text.lstrip("; \t"))
    while begin < len(text):
        match = _OPERATION.match(text, begin)
        if match is None:
            raise EpdError(f"not an EPD operation: {text[begin : begin + _SHOWN].strip()!r}")
        operations[match[1]] = [
            _ESCAPE.sub(lambda escape: escape[1] if escape[1] in '"\\' else " ", quoted) or plain
            for quoted, plain in _OPERAND.findall(match[2])
        ]
        begin = match.end()
    return operations


def _board(fields: list[str], operations: dict[str, list[str]]) -> chess.Board:
    if len(fields) == _FEN_FIELDS:
        fields = [*fields, *(" ".join(operations.get(code, default)) for code, default in _CLOCKS.items())]
    try:
        board = board_from_fen(" ".join(fields))
    except RecognitionError as error:
        raise EpdError(str(error)) from None
    if not any(board.legal_moves):
        raise EpdError("the game is over: no legal moves")
    return board


def _moves(board: chess.Board, operations: dict[str, list[str]], code: str) -> tuple[chess.Move, ...]:
    if code not in operations:
        return ()
    words = " ".join(operations[code]).replace(",", " ").split()
    if not words:
        raise EpdError(f"{code} has no moves")
    return tuple(_move(board, word, code) for word in words)


def _move(board: chess.Board, word: str, code: str) -> chess.Move:
    """The move that a word means, in SAN, however loosely written, or in UCI's notation."""
    word = word.rstrip("!?")
    for parse in (board.parse_san, board.parse_uci):
        try:
            if move := parse(word):  # not a null move
                return move
        except chess.AmbiguousMoveError:
            raise EpdError(f"{code} {word}: ambiguous move") from None
        except ValueError:
            pass
    raise EpdError(f"{code} {word[:_SHOWN]}: not a legal move")


def _mate(operations: dict[str, list[str]]) -> int | None:
    if "dm" not in operations:
        return None
    text = " ".join(operations["dm"])
    mate = integer(text) if _DIGITS.fullmatch(text) else 0
    if mate < 1:
        raise EpdError(f"dm must be a number of moves, at least 1, not {text[:_SHOWN]!r}")
    return mate


def _points(board: chess.Board, operations: dict[str, list[str]]) -> dict[chess.Move, int]:
    """The points of moves; empty where these operations are mere comments."""
    pairs = _points_in_columns(operations) or _points_in_pairs(operations)
    if not any(_is_move(board, word) for _, word, _ in pairs):
        return {}
    return {_move(board, word, code): points for code, word, points in pairs}


def _points_in_columns(operations: dict[str, list[str]]) -> list[tuple[str, str, int]]:
    """From `c8`: the operation that names the move, the move, its points."""
    code = "c9" if "c9" in operations else "c7"
    words, points = (" ".join(operations.get(each, ())).split() for each in (code, "c8"))
    if not words or not points or not all(map(_DIGITS.fullmatch, points)):
        return []
    if len(words) != len(points):
        raise EpdError(f"{code} has {len(words)} moves, but c8 has points for {len(points)}")
    return [(code, word, integer(each)) for word, each in zip(words, points, strict=True)]


def _points_in_pairs(operations: dict[str, list[str]]) -> list[tuple[str, str, int]]:
    """The same from `c0`."""
    pairs = [_POINTS.fullmatch(part) for part in " ".join(operations.get("c0", ())).split(",")]
    return [("c0", pair[1], integer(pair[2])) for pair in pairs if pair] if all(pairs) else []


def _is_move(board: chess.Board, word: str) -> bool:
    try:
        _move(board, word, "")
    except EpdError:
        return False
    return True
