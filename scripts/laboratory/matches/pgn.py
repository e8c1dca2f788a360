"""A finished game as PGN text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import chess
import chess.pgn
from chess.engine import PovScore

from .record import Termination
from .time_control import NS_PER_S

if TYPE_CHECKING:
    from .plan import MatchRules
    from .player import Analysis
    from .record import FinishedGame

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
    """What is written behind a move: the analysis, the time it took, and what the clock then showed."""

    analysis: Analysis
    elapsed: int
    clock: int | None


def pgn_text(board: chess.Board, notes: list[MoveNote], record: FinishedGame, rules: MatchRules) -> str:
    """The game, ending in a blank line. The last moves of the board have the notes, in order."""
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
    plain = len(mainline) - len(notes)  # moves without a note: the opening's
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
