"""The record of a game, the tally of a match, and its two files: PGN, and a journal to resume from."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Self

import chess
import chess.pgn
from chess.engine import PovScore, Score

from engine.system import files
from scripts.laboratory.engine_pipe import NS_PER_S
from scripts.laboratory.long_run import JournalError, RunJournal, strings, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from scripts.laboratory.matches.rules import MatchRules


_RESULTS = ("1-0", "0-1", "1/2-1/2")


class Termination(Enum):
    """Why a game ended."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    REPETITION = "threefold repetition"
    FIFTY_MOVES = "fifty moves"
    INSUFFICIENT_MATERIAL = "insufficient material"
    DRAW_ADJUDICATED = "draw by adjudication"
    WIN_ADJUDICATED = "win by adjudication"
    MOVE_LIMIT = "limit of moves"
    TIME_LOSS = "loss on time"
    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"
    STALL = "stall"


FORFEITS = (Termination.TIME_LOSS, Termination.ILLEGAL_MOVE, Termination.CRASH, Termination.STALL)
"""The terminations in which an engine failed to play on."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an engine reported about its search, None where it did not. The score is from its own side."""

    depth: int | None = None
    nodes: int | None = None
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What one engine used, in one game or in many. Times in nanoseconds, memory in bytes.

    `depth` and `nodes` are sums over the moves at which the engine reported them.
    """

    moves: int = 0
    time: int = 0
    longest_move: int = 0
    overrun: int = 0
    """The most by which a move exceeded its clock."""
    lowest_clock: int | None = None
    depth_moves: int = 0
    depth: int = 0
    nodes: int = 0
    nodes_time: int = 0
    peak_memory: int = 0

    def __add__(self, other: Self) -> Self:
        clocks = [clock for clock in (self.lowest_clock, other.lowest_clock) if clock is not None]
        return replace(
            self,
            moves=self.moves + other.moves,
            time=self.time + other.time,
            longest_move=max(self.longest_move, other.longest_move),
            overrun=max(self.overrun, other.overrun),
            lowest_clock=min(clocks, default=None),
            depth_moves=self.depth_moves + other.depth_moves,
            depth=self.depth + other.depth,
            nodes=self.nodes + other.nodes,
            nodes_time=self.nodes_time + other.nodes_time,
            peak_memory=max(self.peak_memory, other.peak_memory),
        )


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """One finished game. Games 2n and 2n + 1 are a pair; engine 0 has White in the first of it."""

    number: int
    result: str
    """`1-0`, `0-1` or `1/2-1/2`."""
    ending: Termination
    detail: str
    plies: int
    usage: tuple[Usage, Usage]
    """For engine 0 and engine 1."""
    last_lines: tuple[str, ...] = ()
    """The end of the dialogue with the engine that forfeited."""

    @property
    def white(self) -> int:
        """The engine that had White, 0 or 1."""
        return self.number % 2

    @property
    def points(self) -> int:
        """The half points of engine 0: 0, 1 or 2."""
        if self.result == "1/2-1/2":
            return 1
        return 2 if (self.result == "1-0") == (self.white == 0) else 0

    @property
    def forfeiter(self) -> int | None:
        """The engine that failed to play on, 0 or 1; None if neither did."""
        if self.ending not in FORFEITS:
            return None
        return 1 if self.points == 2 else 0

    def to_json(self) -> dict[str, Any]:
        """A value for JSON."""
        return asdict(self) | {"ending": self.ending.name}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """Read a value that `to_json` made. Raises KeyError, TypeError or ValueError for any other."""
        first, second = value["usage"]
        (result,) = {value["result"]} & set(_RESULTS)
        return cls(
            number=whole(value["number"]),
            result=result,
            ending=Termination[value["ending"]],
            detail=" ".join(strings([value["detail"]])),
            plies=whole(value["plies"]),
            usage=(_usage(first), _usage(second)),
            last_lines=strings(value["last_lines"]),
        )


def _usage(value: dict[str, Any]) -> Usage:
    """Raises TypeError or ValueError if `value` is not a Usage. The lowest clock may be negative."""
    for name, number in value.items():
        if name != "lowest_clock":
            whole(number)
        elif number is not None:
            whole(abs(number))
    return Usage(**value)


class MatchTally:
    """The score of a match, from the point of view of engine 0."""

    def __init__(self, records: Iterable[FinishedGame] = ()) -> None:
        """Count `records`."""
        self.games = [0, 0, 0]
        """Losses, draws and wins."""
        self.pairs = [0, 0, 0, 0, 0]
        """The number of finished pairs with 0 to 4 half points."""
        self.endings: Counter[Termination] = Counter()
        self.forfeits: list[FinishedGame] = []
        self.usage = [Usage(), Usage()]
        self._points: dict[int, int] = {}
        for record in records:
            self.add(record)

    def add(self, record: FinishedGame) -> None:
        """Count one game. Raises ValueError if a game of this number has been counted."""
        if record.number in self._points:
            raise ValueError(f"game {record.number} has been played twice")
        self._points[record.number] = record.points
        self.games[record.points] += 1
        self.endings[record.ending] += 1
        if record.forfeiter is not None:
            self.forfeits.append(record)
        self.usage = [sum_ + used for sum_, used in zip(self.usage, record.usage, strict=True)]
        partner = self._points.get(record.number ^ 1)
        if partner is not None:
            self.pairs[record.points + partner] += 1

    def __contains__(self, number: int) -> bool:
        return number in self._points

    @property
    def played(self) -> int:
        """The number of finished games."""
        return len(self._points)

    @property
    def points(self) -> float:
        """The points of engine 0."""
        return self.games[1] / 2 + self.games[2]

    def forfeits_of(self, engine: int) -> Counter[Termination]:
        """How often engine 0 or 1 failed to play on, by reason."""
        return Counter(record.ending for record in self.forfeits if record.forfeiter == engine)


_LARGEST_GAME = 1 << 20  # bytes


class Store:
    """Writes each finished game to both files, so that an interrupted match loses none of them.

    The journal says where the PGN of its last game ends. Anything beyond is a game without a record, which
    will be played again.
    """

    def __init__(self, pgn: Path, run: Mapping[str, Any]) -> None:
        """Open or create the files. Raises JournalError if they do not belong to this match."""
        journal = pgn.with_suffix(".jsonl")
        self._path = pgn
        if pgn.exists() and not journal.exists():
            raise JournalError(f"{pgn} exists, but not {journal.name}, from which the match would resume")
        self._journal = RunJournal(journal, run)
        try:
            entries = self._journal.read(_entry)
            self.tally = MatchTally(record for record, _ in entries)
            self._pgn = _open_cut(pgn, max((end for _, end in entries), default=0))
        except JournalError:
            self._journal.close()
            raise
        except (OSError, ValueError) as error:
            self._journal.close()
            raise JournalError(f"cannot resume {pgn}: {error}") from error

    def keep(self, record: FinishedGame, text: str) -> None:
        """Add a game to both files. Raises OSError."""
        files.append_to(self._pgn, text.encode(), str(self._path))
        end = os.fstat(self._pgn).st_size
        self._journal.append({"game": record.to_json(), "pgn_end": end})

    def close(self) -> None:
        """Close both files."""
        os.close(self._pgn)
        self._journal.close()


def _entry(entry: dict[str, Any]) -> tuple[FinishedGame, int]:
    """A game, and the size of the PGN file with it."""
    return FinishedGame.from_json(entry["game"]), whole(entry["pgn_end"], 1)


def _open_cut(path: Path, end: int) -> int:
    """Cut a file after `end` bytes and open it for appending: its descriptor.

    Raises OSError, and ValueError if it is shorter, or longer by more than one game without a record.
    """
    file = files.descriptor_of(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    size = os.fstat(file).st_size
    if not end <= size <= end + _LARGEST_GAME * (end > 0):
        os.close(file)
        raise ValueError(f"it has {size} bytes, and {end} according to its journal")
    os.ftruncate(file, end)
    return file


_TERMINATIONS = {
    Termination.TIME_LOSS: "time forfeit",
    Termination.ILLEGAL_MOVE: "rules infraction",
    Termination.CRASH: "abandoned",
    Termination.STALL: "abandoned",
    Termination.DRAW_ADJUDICATED: "adjudication",
    Termination.WIN_ADJUDICATED: "adjudication",
    Termination.MOVE_LIMIT: "adjudication",
}


@dataclass(frozen=True, slots=True)
class MoveNote:
    """The comment on a move: the analysis, the time it took and the clock after it, in nanoseconds."""

    analysis: Analysis
    elapsed: int
    clock: int | None


def pgn_text(board: chess.Board, notes: list[MoveNote], record: FinishedGame, rules: MatchRules) -> str:
    """The game as PGN, with a blank line at its end. The notes belong to the last moves of the board."""
    game = chess.pgn.Game.from_board(board)
    white, black = rules.engines[record.white], rules.engines[1 - record.white]
    game.headers["Event"] = rules.event
    game.headers["Site"] = "?"
    game.headers["Date"] = datetime.now(UTC).strftime("%Y.%m.%d")
    game.headers["Round"] = f"{record.number // 2 + 1}.{record.number % 2 + 1}"
    game.headers["White"] = white.name
    game.headers["Black"] = black.name
    game.headers["Result"] = record.result
    if white.pace == black.pace:
        game.headers["TimeControl"] = str(white.pace)
    else:
        game.headers["WhiteTimeControl"] = str(white.pace)
        game.headers["BlackTimeControl"] = str(black.pace)
    game.headers["PlyCount"] = str(record.plies)
    game.headers["Termination"] = _TERMINATIONS.get(record.ending, "normal")
    _annotate(game, notes)
    end = game.end()
    ending = f"{record.ending.value}: {record.detail}" if record.detail else record.ending.value
    end.comment = f"{end.comment} {_without_braces(ending)}".strip()
    return f"{game}\n\n"


def _annotate(game: chess.pgn.Game, notes: list[MoveNote]) -> None:
    mainline = list(game.mainline())
    plain = len(mainline) - len(notes)  # moves of the opening, which have no notes
    mover = game.turn() ^ bool(plain % 2)
    for node, note in zip(mainline[plain:], notes, strict=True):
        if note.analysis.score is not None:
            node.set_eval(PovScore(note.analysis.score, mover), note.analysis.depth)
        mover = not mover
        node.set_emt(note.elapsed / NS_PER_S)
        if note.clock is not None:
            node.set_clock(note.clock / NS_PER_S)


def _without_braces(text: str) -> str:
    return text.replace("{", "(").replace("}", ")")
