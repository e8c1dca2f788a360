"""Games of Go between Lolli's tree search and a GTP engine, and what is kept of them."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from engine.files import descriptor_of, read_file
from engine.games.players.searchers import player
from engine.games.rules.go.game import GoGame, result_text, score
from engine.games.rules.interface import OVER
from engine.games.textbook.limits import Limits

from .gtp_engine import GtpEngine

if TYPE_CHECKING:
    from pathlib import Path

    from engine.games.rules.go.state import GoState

_LARGEST = 1 << 28  # bytes
_COLOURS = ("black", "white")


class RecordError(Exception):
    """The file holds games of another match, or something else."""


@dataclass(frozen=True, slots=True)
class GoMatchTerms:
    """What all games of a match have in common; the rules are Chinese, with positional superko."""

    level: int = 1
    size: int = 9
    komi: float = 7.5
    seconds: float = 1.0
    playouts: int = 0
    resign_below: float = 0.05
    resign_after: int = 3
    program: str = "/usr/games/gnugo"

    def command(self) -> list[str]:
        """GNU Go, made to take dead stones off before it passes."""
        rules = ["--chinese-rules", "--positional-superko", "--forbid-suicide", "--capture-all-dead"]
        return [self.program, "--mode", "gtp", "--level", str(self.level), *rules]

    def limits(self) -> Limits:
        return Limits(playouts=self.playouts) if self.playouts else Limits(seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class GoGameRecord:
    """One game: Lolli's colour, 1 for a win, ½ for a draw, and how it ended.

    `verdict` is the area as it stands, all stones alive, `theirs` what the other engine makes of it;
    `rate` the playouts a second.
    """

    number: int
    colour: str
    won: float
    ending: str
    verdict: str
    theirs: str
    moves: tuple[str, ...]
    rate: float


def play(number: int, terms: GoMatchTerms) -> GoGameRecord:
    """Play the game of that number; Lolli is Black in even ones."""
    mine = number % 2
    with GtpEngine(terms.command()) as engine:
        for line in (f"boardsize {terms.size}", "clear_board", f"komi {terms.komi}"):
            engine.ask(line)
        return _Game(number, mine, terms, engine).play()


class _Game:
    def __init__(self, number: int, mine: int, terms: GoMatchTerms, engine: GtpEngine) -> None:
        self._number, self._mine, self._terms, self._engine = number, mine, terms, engine
        self._board = GoGame(komi=terms.komi)
        self._search = player(self._board, "treesearch", number)
        self._moves: list[str] = []
        self._hopeless = 0
        self._playouts, self._seconds = 0, 0.0

    def play(self) -> GoGameRecord:
        state = self._board.start(self._terms.size)
        while state.player != OVER:
            text = self._own(state) if state.player == self._mine else self._theirs(state)
            self._moves.append(text)
            if text == "resign":
                won = float(state.player != self._mine)
                return self._played(won, "resignation", "", "")
            state = state.play(self._board.parse(state, text))
        won = (state.payoff()[self._mine] + 1) / 2
        return self._played(won, "passes", result_text(score(state)), self._engine.ask("final_score"))

    def _own(self, state: GoState) -> str:
        """Lolli's move, told to the engine; or that it resigns."""
        decision = self._search.choose(state, self._terms.limits())
        self._playouts += decision.counts.playouts
        self._seconds += decision.seconds
        worth = 0.5 if decision.value is None else (decision.value + 1) / 2
        self._hopeless = self._hopeless + 1 if worth < self._terms.resign_below else 0
        if self._hopeless >= self._terms.resign_after:
            return "resign"
        text = self._board.text(state, decision.move)
        self._engine.ask(f"play {_COLOURS[self._mine]} {text}")
        return text

    def _theirs(self, state: GoState) -> str:
        return self._engine.ask(f"genmove {_COLOURS[state.player]}").lower()

    def _played(self, won: float, ending: str, verdict: str, theirs: str) -> GoGameRecord:
        rate = self._playouts / self._seconds if self._seconds else 0.0
        colour = _COLOURS[self._mine]
        return GoGameRecord(
            self._number, colour, won, ending, verdict, theirs, tuple(self._moves), round(rate)
        )


def kept(path: Path, terms: GoMatchTerms) -> list[GoGameRecord]:
    """The games of this match that a file holds; none if there is no file. Raises RecordError."""
    if not path.exists():
        return []
    games = []
    try:
        lines = read_file(path, _LARGEST).splitlines()
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from error
    for line in lines:
        try:
            record = json.loads(line)
            same = record.pop("terms") == asdict(terms)
            games.append(GoGameRecord(**{**record, "moves": tuple(record["moves"])}))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise RecordError(f"{path}: a line that is no game of Go") from error
        if not same:
            raise RecordError(f"{path} holds games on other terms")
    return games


def keep(path: Path, terms: GoMatchTerms, played: GoGameRecord) -> None:
    """Add a game to a file."""
    with os.fdopen(descriptor_of(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a") as file:
        file.write(json.dumps({"terms": asdict(terms), **asdict(played)}) + "\n")
