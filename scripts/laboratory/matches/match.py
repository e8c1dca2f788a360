"""A match: which games are still to be played, and what became of the others."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from .game import EngineGame, GameJob
from .slots import run_jobs
from .statistics import SprtVerdict
from .tally import MatchTally
from .uci_player import UciPlayer
from .xboard_player import XBoardPlayer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from .book import OpeningSuite
    from .plan import EngineSpec, MatchRules
    from .player import EnginePlayer
    from .record import FinishedGame
    from .statistics import Sprt
    from .store import Store


class GameWorker:
    """Plays games, keeping both engines running from one to the next."""

    def __init__(
        self, rules: MatchRules, start: Callable[[EngineSpec, MatchRules], EnginePlayer] | None = None
    ) -> None:
        """Start nothing yet; `start` starts an engine, by default `start_player`."""
        self._rules = rules
        self._start = start or start_player
        self._players: dict[int, EnginePlayer] = {}

    def players(self) -> tuple[EnginePlayer, EnginePlayer]:
        """Both engines, running. Raises StartError."""
        return self._player(0), self._player(1)

    def work(self, job: GameJob) -> tuple[FinishedGame, str]:
        """Play one game: its record, and its PGN. Raises StartError."""
        record, text = EngineGame(job, self._rules, self.players()).play()
        if record.forfeiter is not None:
            self._players.pop(record.forfeiter).kill()
        if self._rules.restart:
            self.close()
        return record, text

    def close(self) -> None:
        """End the engines."""
        while self._players:
            self._players.popitem()[1].close()

    def _player(self, seat: int) -> EnginePlayer:
        if seat not in self._players:
            self._players[seat] = self._start(self._rules.engines[seat], self._rules)
        return self._players[seat]


def start_player(spec: EngineSpec, rules: MatchRules) -> EnginePlayer:
    """Start an engine. Raises StartError."""
    if spec.protocol == "xboard":
        return XBoardPlayer(spec, stall_seconds=rules.stall_seconds)
    return UciPlayer(spec, chess960=rules.chess960, stall_seconds=rules.stall_seconds)


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long a match is and which openings it takes."""

    games: int
    book: OpeningSuite
    seed: int | None
    """Of the order of the openings; None for the order of the file."""
    sprt: Sprt | None


class EngineMatch:
    """A match in progress."""

    def __init__(self, rules: MatchRules, schedule: Schedule, store: Store | None) -> None:
        """Go on after the games that the store holds; without one nothing is kept."""
        self._rules = rules
        self._schedule = schedule
        self._store = store
        self._order = schedule.book.order(schedule.seed)
        self.tally = MatchTally(store.records if store else ())

    @property
    def verdict(self) -> SprtVerdict:
        """What the sequential test says; undecided without one."""
        sprt = self._schedule.sprt
        return sprt.verdict(self.tally.pairs) if sprt else SprtVerdict.UNDECIDED

    def play(self, concurrency: int) -> Generator[FinishedGame, None, None]:
        """Play what is left, yielding each game when it is on record. Raises SlotError, BookError."""
        if self.verdict is not SprtVerdict.UNDECIDED:
            return
        make_worker = partial(GameWorker, self._rules)
        with contextlib.closing(run_jobs(make_worker, self._jobs(), concurrency)) as results:
            for record, text in results:
                if self._store is not None:
                    self._store.keep(record, text)
                self.tally.add(record)
                yield record
                if self.verdict is not SprtVerdict.UNDECIDED:
                    return

    def _jobs(self) -> Iterator[GameJob]:
        for number in range(self._schedule.games):
            if number not in self.tally:
                index = self._order[number // 2 % len(self._order)]
                yield GameJob(number, self._schedule.book.opening(index))
