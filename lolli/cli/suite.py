"""`lolli suite`: how many positions of a test suite are solved, and how soon.

A suite has lines of EPD, each a position and the task that the engine has there.

A position is four fields of a FEN, or all six; operations follow, each ended by a semicolon. Tasks are `bm`
(play one of these moves), `am` (play none of these), `dm` (announce mate in at most N moves) and, in the
Strategic Test Suite, points for moves: `c0 "f5=10, Be5+=2"`, or `c8` with the points of the moves in `c7` or
`c9`. https://www.chessprogramming.org/Extended_Position_Description
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from statistics import mean
from threading import Lock
from time import monotonic
from typing import Any

import chess
import click
from rich.console import Group
from rich.text import Text

from engine.search.limits import Limits
from engine.search.report import Bound
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings, Finding, score_content
from lolli.cli import given_file
from lolli.cli.analysis.notation import RecognitionError, board_from_fen, move_of, one_line, why_not
from lolli.cli.given_file import STDIO
from lolli.cli.shared_options import (
    MOST_JOBS,
    analyst_from,
    bad_input,
    engine_options,
    flag_option,
    json_option,
    limit_options,
    number_option,
)
from lolli.cli.terminal.keys import stopping
from lolli.cli.terminal.screen import Display, count_text, duration_text, messages, score_text, told_by
from protocol.text import integer

_STRING = r'"((?:[^"\\]|\\.)*)"'  # with the escapes of python-chess
_OPERATION = re.compile(rf'\s*([A-Za-z]\w*)((?:\s+(?:{_STRING}|[^\s";]+))*)\s*(?:;+|$)')
_OPERAND = re.compile(rf'{_STRING}|([^\s";]+)')
_ESCAPE = re.compile(r'\\(["\\trn])')
_COUNTERS = re.compile(r"\s*(\d+)(?:\s+(\d+))?(?=[\s;]|$)")
_POINTS = re.compile(r"\s*([^\s,]+?)\s*=\s*([0-9]+)\s*")
_FEN_FIELDS = 4
_CLOCKS = {"hmvc": ["0"], "fmvn": ["1"]}  # the operations for the other two fields
_SHOWN = 30  # characters of a word that cannot be read
_LARGEST = 1 << 24  # bytes; the suites that people publish have some thousandths


_DEFAULT_LIMITS = Limits(move_time=1000)
_NOT_ALL = 1  # exit status


@click.command(
    epilog="""\b
Examples:
  lolli suite bratko-kopec.epd
  lolli suite mates.epd --depth 12 --failed
  lolli suite first.epd second.epd --time 5 --stop-early 4
  lolli suite sts.epd --nodes 100000 --jobs 2 --json > results.jsonl
  lolli suite bratko-kopec.epd --nodes 200000 --at-least 12    # for scripts"""
)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@limit_options
@number_option(
    "--stop-early", least=1, help="Leave a position once the best move is right for N depths in a row."
)
@number_option(
    "--jobs",
    least=1,
    most=MOST_JOBS,
    default=1,
    help="Search N positions at a time, each with its own table. Times are reliable only if N idle processor"
    " cores are available.",
)
@engine_options()
@flag_option("--failed", "only_failed", help="List only the positions that are not solved.")
@number_option("--at-least", least=0, help="Exit with status 1 if fewer than N positions are solved.")
@json_option("Print JSON, a line for each position and the summary.")
def command(
    files: Sequence[str],
    stop_early: int | None,
    jobs: int,
    settings: AnalystSettings,
    only_failed: bool,
    at_least: int | None,
    as_json: bool,
    limits: Limits | None,
) -> None:
    """Search the positions of test suites and count those that are solved.

    FILE has a position in EPD on each line, with its task: bm (play one of these moves), am (play none of
    these), dm (find a mate in at most this many moves), or points for moves as in the Strategic Test Suite.
    `-` is stdin. A position is solved if the search ends with a right answer; the time to solution is the
    time from which the answer stayed right. Scores are White's.

    Each position is searched for a second unless --time, --nodes or --depth is given, with an empty table. A
    right answer that mates ends the search. Ctrl-C ends the suite and prints the summary so far.

    bratko-kopec.epd and mates.epd are in the source of Lolli, in scripts/laboratory/data.

    With --json a position is an object with type "position": file, line, id, fen, chess960, bm and am (SAN),
    dm, solved, solution (depth, nodes and time from which the answer was right; null if it was not), move,
    score ({"cp": centipawns} or {"mate": moves}), depth, nodes, time (seconds), points and most_points
    (null if there are none), pv (UCI's notation), san. The last object has type "summary".
    """
    with bad_input(EpdError):
        positions, unusable = read_suites(files)
    runner = SuiteRunner(
        [analyst_from(settings) for _ in range(min(jobs, len(positions)))],
        limits or _DEFAULT_LIMITS,
        stop_early,
    )
    display = SuiteDisplay(positions, as_json, only_failed)
    begun = monotonic()
    with stopping(runner.stop) as interruption, display.shown(), closing(runner.run(positions)) as events:
        for number, event in events:
            display.update(number, event)
    interrupted = len(display.results) < len(positions)
    summary = suite_summary(
        len(positions), unusable, display.results, monotonic() - begun, interrupted=interrupted
    )
    display.finish(summary)
    if interrupted:
        raise SystemExit(interruption.exit_status)
    if unusable or (at_least is not None and summary["solved"] < at_least):
        raise SystemExit(_NOT_ALL)


class EpdError(ValueError):
    """Why a line or a file cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class SuitePosition:
    """Play a move in `best`, or none in `avoid`, or mate in `mate` moves, or win most of `points`."""

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
        return self.mate is not None and not self.best and not self.avoid

    def san(self, moves: tuple[chess.Move, ...] | list[chess.Move]) -> str:
        return " ".join(self.board.san(move) for move in moves)

    @property
    def asks(self) -> bool:
        return bool(self.best or self.avoid or self.points) or self.mate is not None

    def is_solved_by(self, finding: Finding) -> bool:
        return self.is_answered_by(finding.moves[0], finding.score.relative.mate())

    def is_answered_by(self, move: chess.Move, mate: int | None) -> bool:
        """`mate`: in how many moves the mover mates, None for no mate seen. False without a task.

        If points are the only task, a move with the most points is an answer.
        """
        if self.mate is not None and (mate is None or not 0 < mate <= self.mate):
            return False
        if (self.best and move not in self.best) or move in self.avoid:
            return False
        if self.best or self.avoid or self.mate is not None:
            return True
        return self.points.get(move) == self.most_points


def read_suites(names: Sequence[str], *, must_ask: bool = True) -> tuple[list[SuitePosition], int]:
    """With the number of unusable lines, reported on stderr; with `must_ask` each needs a task.

    Raises EpdError if a file cannot be read, or if no position is left.
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
    """Numbered from 1, without blank lines and # comments. UTF-8, with or without a BOM, or else Latin-1."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = map(str.strip, re.split(r"\r\n|\n|\r", text))
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#"):
            yield number, line


def parse_position(text: str, file: str, line: int, *, must_ask: bool = True) -> SuitePosition:
    """Raises EpdError if there is no position, with `must_ask` also if there is no task."""
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
    move = move_of(board, word)
    if move is None:
        raise EpdError(f"{code} {word[:_SHOWN]} {why_not(board, word)}")
    return move


def _mate(operations: dict[str, list[str]]) -> int | None:
    if "dm" not in operations:
        return None
    text = " ".join(operations["dm"])
    mate = integer(text) if re.fullmatch("[0-9]+", text) else 0
    if mate < 1:
        raise EpdError(f"dm must be a number of moves, at least 1, not {text[:_SHOWN]!r}")
    return mate


def _points(board: chess.Board, operations: dict[str, list[str]]) -> dict[chess.Move, int]:
    """The points of moves; empty where these operations are mere comments."""
    pairs = _points_in_columns(operations) or _points_in_pairs(operations)
    if not any(move_of(board, word) for _, word, _ in pairs):
        return {}
    return {_move(board, word, code): points for code, word, points in pairs}


def _points_in_columns(operations: dict[str, list[str]]) -> list[tuple[str, str, int]]:
    code = "c9" if "c9" in operations else "c7"
    words, points = (" ".join(operations.get(each, ())).split() for each in (code, "c8"))
    if not words or not points or not all(re.fullmatch("[0-9]+", each) for each in points):
        return []
    if len(words) != len(points):
        raise EpdError(f"{code} has {len(words)} moves, but c8 has points for {len(points)}")
    return [(code, word, integer(each)) for word, each in zip(words, points, strict=True)]


def _points_in_pairs(operations: dict[str, list[str]]) -> list[tuple[str, str, int]]:
    pairs = [_POINTS.fullmatch(part) for part in " ".join(operations.get("c0", ())).split(",")]
    return [("c0", pair[1], integer(pair[2])) for pair in pairs if pair] if all(pairs) else []


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """`solution` is the finding from which on all fulfil the task; None if the last one does not."""

    position: SuitePosition
    final: Finding
    solution: Finding | None

    @property
    def solved(self) -> bool:
        return self.solution is not None

    @property
    def move(self) -> chess.Move:
        return self.final.moves[0]

    @property
    def points(self) -> int | None:
        return self.position.points.get(self.move, 0) if self.position.points else None


def examine(
    position: SuitePosition,
    analyst: Analyst,
    limits: Limits,
    stop_early: int | None = None,
    on_finding: Callable[[Finding], None] | None = None,
) -> SuiteResult:
    """Search with an empty table until nothing better can follow, or `stop_early` depths in a row solve."""
    analyst.new_game()
    seen: list[Finding] = []
    enough = False
    for finding in analyst.search(position.board, limits):
        if enough:
            continue  # the last finding of a stopped search
        seen.append(finding)
        if on_finding:
            on_finding(finding)
        enough = _is_enough(position, seen, stop_early)
        if enough:
            analyst.stop()
    return SuiteResult(position, seen[-1], _solution(position, seen))


def _solution(position: SuitePosition, findings: Sequence[Finding]) -> Finding | None:
    solution = None
    for finding in reversed(findings):
        if not position.is_solved_by(finding):
            break
        solution = finding
    return solution


def _is_enough(position: SuitePosition, findings: Sequence[Finding], stop_early: int | None) -> bool:
    final, solution = findings[-1], _solution(position, findings)
    if solution is None or final.bound is not Bound.EXACT:
        return False
    mate = final.score.relative.mate()
    if position.asks_only_for_mate or (mate is not None and final.depth > 2 * abs(mate)):
        return True
    return stop_early is not None and final.depth - solution.depth >= stop_early - 1


class SuiteRunner:
    """Examines positions in threads, one for each analyst; searches do not hold Python's lock."""

    def __init__(self, analysts: Sequence[Analyst], limits: Limits, stop_early: int | None = None) -> None:
        self._analysts = analysts
        self._limits = limits
        self._stop_early = stop_early
        self._lock = Lock()
        self._stopped = False

    def run(
        self, positions: Sequence[SuitePosition]
    ) -> Generator[tuple[int, Finding | SuiteResult], None, None]:
        """The number of a position, from 0, with a finding or the result, as they come. To be called once.

        After `stop` those under way have no result; closing stops, too. Raises any error of a search.
        """
        waiting = iter(enumerate(positions))
        return told_by([partial(self._work, each, waiting) for each in self._analysts], self.stop)

    def stop(self) -> None:
        """May be called from any thread or signal handler."""
        self._stopped = True
        for analyst in self._analysts:
            analyst.stop()

    def _work(
        self,
        analyst: Analyst,
        waiting: Iterator[tuple[int, SuitePosition]],
        tell: Callable[[tuple[int, Finding | SuiteResult]], None],
    ) -> None:
        def report(finding: Finding) -> None:
            tell((number, finding))
            if self._stopped:  # the stop came just before the search began
                analyst.stop()

        while not self._stopped:
            with self._lock:
                number, position = next(waiting, (-1, None))
            if position is None:
                break
            result = examine(position, analyst, self._limits, self._stop_early, report)
            if not self._stopped:
                tell((number, result))


_GAP = 2  # columns between two columns
_LEAST = 8  # columns that names and moves keep on a narrow terminal
_MARKS = {True: ("✓", "+", "green"), False: ("✗", "-", "red")}
_FIXED = {"Played": 7, "Depth": 5, "Score": 7, "Solved in": 9, "Nodes": 5, "Points": 6}
_DISPENSABLE = ("Nodes", "Depth", "Score", "Solved in", "Points")  # left out in this order
_RIGHT = frozenset({"Depth", "Score", "Solved in", "Nodes", "Points"})
_MILLISECONDS_PER_SECOND = 1000


class SuiteTable:
    """Lays out the rows of a suite to fit into `width` columns; `unicode` allows ✓ and ✗ as marks."""

    def __init__(self, positions: Sequence[SuitePosition], width: int, unicode: bool = True) -> None:
        self._unicode = unicode
        fixed = dict(_FIXED)
        if not any(position.points for position in positions):
            del fixed["Points"]
        for name in _DISPENSABLE:
            if _room(width, fixed) >= 2 * _LEAST:
                break
            fixed.pop(name, None)
        room = _room(width, fixed)
        names = max(len("Position"), *(len(position.name) for position in positions))
        wanted = max(len("Wanted"), *(len(position.wanted) for position in positions))
        names = max(_LEAST, min(names, max(room - wanted, room // 2)))
        wanted = max(_LEAST, min(wanted, room - names))
        self._columns = {"": 1, "Position": names, "Wanted": wanted, **fixed}

    @property
    def head(self) -> Text:
        return self._row({name: name for name in self._columns}, "bold")

    def row(self, result: SuiteResult) -> Text:
        final, solution = result.final, result.solution
        sign, plain, colour = _MARKS[result.solved]
        row = self._row(
            {
                "": sign if self._unicode else plain,
                "Position": result.position.name,
                "Wanted": result.position.wanted,
                "Played": result.position.board.san(result.move),
                "Depth": str(final.depth),
                "Score": score_text(final.white),
                "Solved in": f"{solution.milliseconds / _MILLISECONDS_PER_SECOND:.2f} s" if solution else "",
                "Nodes": count_text(final.nodes),
                "Points": "" if result.points is None else f"{result.points}/{result.position.most_points}",
            }
        )
        row.stylize(colour, 0, 1)
        return row

    def _row(self, cells: Mapping[str, str], style: str = "") -> Text:
        parts = []
        for name, width in self._columns.items():
            text = Text(cells[name])
            text.truncate(width, overflow="ellipsis")
            text.align("right" if name in _RIGHT else "left", width)
            parts.append(text)
        row = Text(" " * _GAP).join(parts)
        row.rstrip()
        row.stylize(style)
        return row


def _room(width: int, columns: Mapping[str, int]) -> int:
    return width - 1 - sum(size + _GAP for size in columns.values()) - 2 * _GAP


def suite_summary(
    positions: int, unusable: int, results: Sequence[SuiteResult], seconds: float, *, interrupted: bool
) -> dict[str, Any]:
    """The summary for machines, null if not known: the `results` of `positions`, and `unusable` lines."""
    times = [result.solution.milliseconds for result in results if result.solution]
    most_points = sum(result.position.most_points for result in results)
    return {
        "positions": positions,
        "unusable": unusable,
        "searched": len(results),
        "solved": sum(result.solved for result in results),
        "time": round(seconds, 3),
        "nodes": sum(result.final.nodes for result in results),
        "time_to_solution": round(mean(times) / _MILLISECONDS_PER_SECOND, 3) if times else None,
        "points": sum(result.points or 0 for result in results) if most_points else None,
        "most_points": most_points or None,
        "interrupted": interrupted,
    }


def summary_lines(summary: Mapping[str, Any]) -> list[str]:
    searched, positions, solved = summary["searched"], summary["positions"], summary["solved"]
    lines = [] if searched == positions else [f"{searched} of {positions} positions searched"]
    share = f" ({100 * solved / searched:.1f}%)" if searched else ""
    spent = f"{duration_text(summary['time'])}, {count_text(summary['nodes'])} nodes"
    lines.append(f"{solved} of {searched} solved{share} in {spent}")
    if summary["time_to_solution"] is not None:
        lines.append(f"mean time to solution {summary['time_to_solution']:.2f} s")
    if most := summary["most_points"]:
        lines.append(f"{summary['points']} of {most} points ({100 * summary['points'] / most:.1f}%)")
    return lines


def content(result: SuiteResult) -> dict[str, Any]:
    """A position for machines: the score is White's, times are in seconds; null if not known."""
    position, final = result.position, result.final
    board = position.board.copy(stack=False)
    return {
        "file": position.file,
        "line": position.line,
        "id": position.name,
        "fen": board.fen(),
        "chess960": board.chess960,
        "bm": [board.san(move) for move in position.best],
        "am": [board.san(move) for move in position.avoid],
        "dm": position.mate,
        "solved": result.solved,
        "solution": _moment(result.solution) if result.solution else None,
        "move": board.uci(result.move),
        "score": score_content(final.white),
        **_moment(final),
        "points": result.points,
        "most_points": position.most_points or None,
        "pv": [move.uci() for move in final.moves],
        "san": [board.san_and_push(move) for move in final.moves],
    }


def _moment(finding: Finding) -> dict[str, float]:
    return {
        "depth": finding.depth,
        "nodes": finding.nodes,
        "time": finding.milliseconds / _MILLISECONDS_PER_SECOND,
    }


class SuiteDisplay(Display):
    def __init__(self, positions: Sequence[SuitePosition], as_json: bool, only_failed: bool) -> None:
        super().__init__(len(positions), as_json=as_json)
        self.results: list[SuiteResult] = []
        self._solved = 0
        self._positions = positions
        self._only_failed = only_failed
        self._table = SuiteTable(
            positions, self.console.width, self.console.encoding.lower().startswith("utf")
        )
        self._early: dict[int, SuiteResult] = {}
        self._under_way: dict[int, Text] = {}

    @contextmanager
    def shown(self) -> Iterator[None]:
        if not self.as_json:
            self.print(self._table.head)
        with super().shown():
            yield
            for number in sorted(self._early):
                self._report(self._early.pop(number))

    def update(self, number: int, event: Finding | SuiteResult) -> None:
        if not isinstance(event, SuiteResult):
            self._under_way[number] = _running(self._positions[number], event)
            return
        self._under_way.pop(number, None)
        self._early[number] = event
        while (result := self._early.pop(len(self.results), None)) is not None:
            self._report(result)

    def finish(self, summary: Mapping[str, Any]) -> None:
        if self.as_json:
            self.print_json("summary", summary)
        else:
            self.console.print("", *summary_lines(summary), sep="\n")

    def live(self) -> Group:
        """The searches under way and the bar. Touches no board, as another thread may be using it."""
        return Group(*(text for _, text in sorted(self._under_way.items(), key=itemgetter(0))), self.progress)

    def _report(self, result: SuiteResult) -> None:
        self.results.append(result)
        self._solved += result.solved
        self.progress.update(self.task, completed=len(self.results), description=f"{self._solved} solved")
        if self._only_failed and result.solved:
            return
        if self.as_json:
            self.print_json("position", content(result))
        else:
            self.print(self._table.row(result))


def _running(position: SuitePosition, finding: Finding) -> Text:
    move, score = position.board.san(finding.moves[0]), score_text(finding.white)
    text = f"{position.name}: depth {finding.depth}, {move} {score}, wanted {position.wanted}"
    return Text(text, style="dim", no_wrap=True, overflow="ellipsis")
