"""The record of a game, the tally of a match, and its two files: PGN, and a journal to resume from."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import chess
import chess.pgn
from chess.engine import PovScore

from engine.system import files
from scripts.laboratory.engine_pipe import NS_PER_S
from scripts.laboratory.long_run import JournalError, RunJournal, strings, whole
from scripts.laboratory.match_engine import Analysis, EngineSpec, Termination

RESULTS = {None: "1/2-1/2", chess.WHITE: "1-0", chess.BLACK: "0-1"}
"""By the winner."""
FORFEITS = (Termination.TIME_LOSS, Termination.ILLEGAL_MOVE, Termination.CRASH, Termination.STALL)
"""The terminations in which an engine failed to play on."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Times in ns, memory in bytes. `depth`, `nodes`: sums over reporting moves; `overrun`: the longest."""

    moves: int = 0
    time: int = 0
    longest_move: int = 0
    overrun: int = 0
    lowest_clock: int | None = None
    depth_moves: int = 0
    depth: int = 0
    nodes: int = 0
    nodes_time: int = 0
    peak_memory: int = 0

    def __add__(self, other: Self) -> Self:
        mine, theirs = asdict(self), asdict(other)
        merged = {name: mine[name] + theirs[name] for name in mine if name != "lowest_clock"}
        merged |= {name: max(mine[name], theirs[name]) for name in ("longest_move", "overrun", "peak_memory")}
        clocks = [clock for clock in (self.lowest_clock, other.lowest_clock) if clock is not None]
        return replace(self, **merged, lowest_clock=min(clocks, default=None))


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """Games 2n and 2n + 1 are a pair; engine 0 has White in the first of it. `result` is as in PGN.

    `last_lines`: the end of the dialogue with an engine that forfeited.
    """

    number: int
    result: str
    ending: Termination
    detail: str
    plies: int
    usage: tuple[Usage, Usage]
    last_lines: tuple[str, ...] = ()

    @property
    def white(self) -> int:
        return self.number % 2

    @property
    def points(self) -> int:
        """The half points of engine 0: 0, 1 or 2."""
        if self.result == RESULTS[None]:
            return 1
        return 2 if (self.result == "1-0") == (self.white == 0) else 0

    @property
    def forfeiter(self) -> int | None:
        """Engine 0 or 1, which failed to play on; None if neither did."""
        if self.ending not in FORFEITS:
            return None
        return 1 if self.points == 2 else 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"ending": self.ending.name}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        first, second = (Usage(**used) for used in value["usage"])
        (result,) = {value["result"]} & set(RESULTS.values())
        return cls(
            number=whole(value["number"]),
            result=result,
            ending=Termination[value["ending"]],
            detail=str(value["detail"]),
            plies=whole(value["plies"]),
            usage=(first, second),
            last_lines=strings(value["last_lines"]),
        )


class MatchTally:
    """From the point of view of engine 0."""

    def __init__(self, records: Iterable[FinishedGame] = ()) -> None:
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
        return len(self._points)

    def forfeits_of(self, engine: int) -> Counter[Termination]:
        return Counter(record.ending for record in self.forfeits if record.forfeiter == engine)


_LARGEST_GAME = 1 << 20  # bytes


class Store:
    """The journal says where the PGN of its last game ends. Anything beyond will be played again."""

    def __init__(self, pgn: Path, run: Mapping[str, Any]) -> None:
        journal = pgn.with_suffix(".jsonl")
        self._path = pgn
        if pgn.exists() and not journal.exists():
            raise JournalError(f"{pgn} exists, but not {journal.name}, from which the match would resume")
        self._journal = RunJournal(journal, run)
        try:
            entries = self._journal.read(_entry)
            self.tally = MatchTally(record for record, _ in entries)
            self._pgn = _open_cut(pgn, max((end for _, end in entries), default=0))
        except BaseException as error:
            self._journal.close()
            if isinstance(error, (OSError, ValueError)):
                raise JournalError(f"cannot resume {pgn}: {error}") from error
            raise

    def keep(self, record: FinishedGame, text: str) -> None:
        files.append_to(self._pgn, text.encode(), str(self._path))
        self._journal.append({"game": record.to_json(), "pgn_end": os.fstat(self._pgn).st_size})

    def close(self) -> None:
        os.close(self._pgn)
        self._journal.close()


def _entry(entry: dict[str, Any]) -> tuple[FinishedGame, int]:
    return FinishedGame.from_json(entry["game"]), whole(entry["pgn_end"], 1)


def _open_cut(path: Path, end: int) -> int:
    """Cut a file after `end` bytes. Raises ValueError if it is shorter, or longer by more than one game."""
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
    Termination.MOVE_LIMIT: "adjudication",
}


@dataclass(frozen=True, slots=True)
class MoveNote:
    """The comment on a move: the analysis, the time it took and the clock after it, in nanoseconds."""

    analysis: Analysis
    elapsed: int
    clock: int | None


def pgn_text(
    board: chess.Board, notes: list[MoveNote], record: FinishedGame, engines: Sequence[EngineSpec]
) -> str:
    """Ends with a blank line. The notes belong to the last moves of the board."""
    game = chess.pgn.Game.from_board(board)
    white, black = engines[record.white], engines[1 - record.white]
    paces = {"TimeControl": str(white.pace)}
    if white.pace != black.pace:
        paces = {"WhiteTimeControl": str(white.pace), "BlackTimeControl": str(black.pace)}
    headers = {
        "Event": "Match",
        "Site": "?",
        "Date": datetime.now(UTC).strftime("%Y.%m.%d"),
        "Round": f"{record.number // 2 + 1}.{record.number % 2 + 1}",
        "White": white.name,
        "Black": black.name,
        "Result": record.result,
        **paces,
        "PlyCount": str(record.plies),
        "Termination": _TERMINATIONS.get(record.ending, "normal"),
    }
    game.headers.update(headers)
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
    end = game.end()
    ending = f"{record.ending.value}: {record.detail}" if record.detail else record.ending.value
    end.comment = f"{end.comment} {ending.replace('{', '(').replace('}', ')')}".strip()
    return f"{game}\n\n"
