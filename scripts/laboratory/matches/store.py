"""The files of a match: the games as PGN, and the journal from which the match is resumed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import chess
import chess.pgn
from chess.engine import PovScore

from engine import files
from scripts.laboratory.engine_pipe import NS_PER_S
from scripts.laboratory.long_run import JournalError, RunJournal, whole
from scripts.laboratory.matches.record import FinishedGame, Termination

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scripts.laboratory.matches.engine_player import Analysis
    from scripts.laboratory.matches.plan import MatchRules


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
            self.records = [record for record, _ in entries]
            _check_numbers(journal, self.records)
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


def _check_numbers(journal: Path, records: Sequence[FinishedGame]) -> None:
    """Raise JournalError if a game occurs twice."""
    if len({record.number for record in records}) < len(records):
        raise JournalError(f"{journal}: the same game twice")


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
