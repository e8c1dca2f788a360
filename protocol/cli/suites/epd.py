"""Test suites: lines of EPD, each a position with what is asked of the engine there.

A position is four fields of a FEN, or all six; operations follow, each ended by a semicolon. Those that
ask for something are `bm` (play one of these moves), `am` (play none of these), `dm` (announce mate in so
many moves) and, as the Strategic Test Suite has them, points for moves: `c0 "f5=10, Be5+=2"`, or `c8` with
the points of the moves in `c7` or `c9`. https://www.chessprogramming.org/Extended_Position_Description
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chess

from protocol.cli.analysis.recognition_setup import RecognitionError, board_from_fen, one_line
from protocol.text import integer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from protocol.cli.analysis.finding import Finding

_OPERATION = re.compile(r'\s*([A-Za-z]\w*)((?:\s+(?:"[^"]*"|[^\s";]+))*)\s*(?:;+|$)')
_OPERAND = re.compile(r'"([^"]*)"|([^\s";]+)')
_COUNTERS = re.compile(r"\s*(\d+)(?:\s+(\d+))?(?=[\s;]|$)")
_POINTS = re.compile(r"\s*([^\s,]+?)\s*=\s*([0-9]+)\s*")
_DIGITS = re.compile(r"[0-9]+")
_FEN_FIELDS = 4
_CLOCKS = {"hmvc": ["0"], "fmvn": ["1"]}  # the operations that tell the other two fields
_SHOWN = 30  # characters of what could not be read


class EpdError(ValueError):
    """Why a line cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class SuitePosition:
    """One position of a suite, and what is asked there; `file` and `line` say where it comes from.

    `mate` is in moves, None where no mate is asked for; `points` has the moves that are worth some.
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
        """What is asked, for people: `Nd5 a4`, `not Qxd6`, `mate in 3`."""
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
        """What the best move is worth, 0 where moves have no points."""
        return max(self.points.values(), default=0)

    @property
    def asks_only_for_mate(self) -> bool:
        """Whether any move will do with which the mate is announced."""
        return self.mate is not None and not self.best and not self.avoid

    def san(self, moves: tuple[chess.Move, ...] | list[chess.Move]) -> str:
        """Moves of this position in SAN, with blanks between them."""
        return " ".join(self.board.san(move) for move in moves)

    @property
    def asks(self) -> bool:
        """Whether anything is asked."""
        return bool(self.best or self.avoid or self.points) or self.mate is not None

    def is_solved_by(self, finding: Finding) -> bool:
        """Whether a finding fits all that is asked; points alone ask for a move that is worth the most."""
        return self.is_answered_by(finding.moves[0], finding.score.relative.mate())

    def is_answered_by(self, move: chess.Move, mate: int | None) -> bool:
        """The same of a move with which the mover mates in so many moves; None where no mate is in sight.

        False where nothing is asked.
        """
        if self.mate is not None and (mate is None or not 0 < mate <= self.mate):
            return False
        if (self.best and move not in self.best) or move in self.avoid:
            return False
        if self.best or self.avoid or self.mate is not None:
            return True
        return self.points.get(move) == self.most_points


def suite_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """The lines of a file that have something to say, with their numbers from 1.

    UTF-8, with or without a byte order mark, or else Latin-1; a line that begins with # is a comment.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        line = line.strip()  # noqa: PLW2901 - nothing but blanks is lost
        if line and not line.startswith("#"):
            yield number, line


def parse_position(text: str, file: str, line: int, *, must_ask: bool = True) -> SuitePosition:
    """The position that a line describes. Raises EpdError where it is none.

    `must_ask`: it is also an error if nothing is asked there.
    """
    fields = text.split(None, _FEN_FIELDS)
    rest = fields.pop() if len(fields) > _FEN_FIELDS else ""
    if fields and ";" in fields[-1]:  # the fields are ended by a semicolon
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
        raise EpdError("nothing is asked: there is no bm, am, dm, nor points for moves")
    return position


def _operations(text: str) -> dict[str, list[str]]:
    """The operands of each operation."""
    operations: dict[str, list[str]] = {}
    begin = len(text) - len(text.lstrip("; \t"))
    while begin < len(text):
        match = _OPERATION.match(text, begin)
        if match is None:
            raise EpdError(f"no EPD operation: {text[begin : begin + _SHOWN].strip()!r}")
        operations[match[1]] = [quoted or plain for quoted, plain in _OPERAND.findall(match[2])]
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
        raise EpdError("the game is over here: there is no legal move")
    return board


def _moves(board: chess.Board, operations: dict[str, list[str]], code: str) -> tuple[chess.Move, ...]:
    if code not in operations:
        return ()
    words = " ".join(operations[code]).replace(",", " ").split()
    if not words:
        raise EpdError(f"{code} has no moves")
    return tuple(_move(board, word, code) for word in words)


def _move(board: chess.Board, word: str, code: str) -> chess.Move:
    """A move in SAN, in any of the loose ways it is written, or as in UCI."""
    word = word.rstrip("!?")
    for parse in (board.parse_san, board.parse_uci):
        try:
            if move := parse(word):  # not that of one who passes
                return move
        except chess.AmbiguousMoveError:
            raise EpdError(f"{code} {word}: more than one move could be meant") from None
        except ValueError:
            pass
    raise EpdError(f"{code} {word[:_SHOWN]}: no legal move here")


def _mate(operations: dict[str, list[str]]) -> int | None:
    if "dm" not in operations:
        return None
    text = " ".join(operations["dm"])
    mate = integer(text) if _DIGITS.fullmatch(text) else 0
    if mate < 1:
        raise EpdError(f"dm is a number of moves, from 1, not {text[:_SHOWN]!r}")
    return mate


def _points(board: chess.Board, operations: dict[str, list[str]]) -> dict[chess.Move, int]:
    """What moves are worth; nothing where these operations are mere comments."""
    pairs = _points_in_columns(operations) or _points_in_pairs(operations)
    if not any(_is_move(board, word) for _, word, _ in pairs):
        return {}
    return {_move(board, word, code): points for code, word, points in pairs}


def _points_in_columns(operations: dict[str, list[str]]) -> list[tuple[str, str, int]]:
    """From `c8`: which operation names the move, the move, its points."""
    code = "c9" if "c9" in operations else "c7"
    words, points = (" ".join(operations.get(each, ())).split() for each in (code, "c8"))
    if not words or not points or not all(map(_DIGITS.fullmatch, points)):
        return []
    if len(words) != len(points):
        raise EpdError(f"{code} has {len(words)} moves, but c8 has points for {len(points)}")
    return [(code, word, integer(each)) for word, each in zip(words, points, strict=True)]


def _points_in_pairs(operations: dict[str, list[str]]) -> list[tuple[str, str, int]]:
    """From `c0`, in the same form."""
    pairs = [_POINTS.fullmatch(part) for part in " ".join(operations.get("c0", ())).split(",")]
    return [("c0", pair[1], integer(pair[2])) for pair in pairs if pair] if all(pairs) else []


def _is_move(board: chess.Board, word: str) -> bool:
    try:
        _move(board, word, "")
    except EpdError:
        return False
    return True
