"""A soak: games under all conditions in turn, with the resources that the engines held after each."""

from __future__ import annotations

import contextlib
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import psutil

from scripts.laboratory.jobs import run_jobs
from scripts.laboratory.long_run import JournalError, RunJournal
from scripts.laboratory.matches.engine_match import GameJob, GameWorker
from scripts.laboratory.matches.engine_player import ForfeitError
from scripts.laboratory.matches.record import FinishedGame, Termination
from scripts.laboratory.matches.uci_player import UciPlayer
from scripts.laboratory.soaking.conditions import Pulse, Stalls, busy_programs, stall_plan

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from scripts.laboratory.matches.engine_player import EngineReply, GameState
    from scripts.laboratory.matches.plan import EngineSpec, MatchRules
    from scripts.laboratory.openings import Opening, OpeningSuite
    from scripts.laboratory.soaking.conditions import Condition, SoakPlan, SoakTerms


@dataclass(frozen=True, slots=True)
class Health:
    """Resident bytes, open descriptors and threads of a process; `life` identifies the process."""

    life: str
    resident: int
    descriptors: int
    threads: int

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """The present health; None if the process has ended."""
        try:
            first = psutil.Process(pid)
            processes = [first, *first.children(recursive=True)]
            return cls(
                life=f"{pid}@{first.create_time():.2f}",
                resident=sum(process.memory_info().rss for process in processes),
                descriptors=sum(process.num_fds() for process in processes),
                threads=sum(process.num_threads() for process in processes),
            )
        except psutil.Error:
            return None


@dataclass(frozen=True, slots=True)
class SoakGame:
    """The record of a game. Times are in nanoseconds."""

    record: FinishedGame
    stops: int
    """How often the engines were stopped."""
    stopped: int
    """How long the engines were stopped during the move that lost on time."""
    hopeless: bool
    """Whether the stop alone was longer than the clock allowed."""
    pause: int
    """The longest delay of a waiting program by the machine."""
    health: tuple[Health | None, Health | None]
    """The health of both engines after the game; None for one that failed."""

    def to_json(self) -> dict[str, Any]:
        """A value for JSON."""
        return {
            "game": self.record.to_json(),
            "stops": self.stops,
            "stopped": self.stopped,
            "hopeless": self.hopeless,
            "pause": self.pause,
            "health": [each and asdict(each) for each in self.health],
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """Read a value that `to_json` made. Raises KeyError, TypeError or ValueError for any other."""
        first, second = (each and Health(**each) for each in value["health"])
        return cls(
            record=FinishedGame.from_json(value["game"]),
            stops=int(value["stops"]),
            stopped=int(value["stopped"]),
            hopeless=bool(value["hopeless"]),
            pause=int(value["pause"]),
            health=(first, second),
        )


class WatchedPlayer(UciPlayer):
    """A UCI engine that notes when its clock last started and stopped."""

    def __init__(self, spec: EngineSpec, rules: MatchRules) -> None:
        super().__init__(spec, chess960=rules.chess960, stall_seconds=rules.stall_seconds)
        self.began = self.ended = 0
        """When the clock last started and stopped, in monotonic nanoseconds."""

    def move(self, table: GameState) -> EngineReply:
        """See `EnginePlayer`."""
        elapsed = 0
        try:
            reply = super().move(table)
            elapsed = reply.elapsed
        except ForfeitError as error:
            elapsed = error.elapsed or 0
            raise
        finally:
            self.ended = time.monotonic_ns()
            self.began = self.ended - elapsed
        return reply


class SoakWorker:
    """Plays games under one condition, with the same two engine processes."""

    def __init__(self, terms: SoakTerms, condition: Condition) -> None:
        """The engines are started for the first game."""
        self._terms = terms
        self._stall = condition.disturbance.stall
        self._games = GameWorker(terms.rules(condition), WatchedPlayer)

    def work(self, job: GameJob) -> SoakGame:
        """Play one game. Raises StartError."""
        players = [player for player in self._games.players() if isinstance(player, WatchedPlayer)]
        plan = self._stops(job.number)
        with Pulse() as pulse, Stalls([player.pid for player in players], plan) as stalls:
            record, _ = self._games.work(job)
        stopped, hopeless = 0, False
        if record.ending is Termination.TIME_LOSS and record.forfeiter is not None:
            loser = players[record.forfeiter]
            stopped = stalls.within(loser.began, loser.ended)
            allowed = loser.ended - loser.began - record.usage[record.forfeiter].overrun + self._terms.margin
            hopeless = stopped > allowed
        first, second = (
            None if seat == record.forfeiter else Health.of(player.pid) for seat, player in enumerate(players)
        )
        return SoakGame(record, len(stalls.stops), stopped, hopeless, pulse.longest, (first, second))

    def close(self) -> None:
        """End the engines."""
        self._games.close()

    def _stops(self, number: int) -> Iterator[tuple[float, float]]:
        if self._stall is None or not self._terms.stops:
            return iter(())
        return stall_plan(self._terms.seed, number, self._stall, self._terms.seconds_between_stops())


class Soak:
    """A soak."""

    def __init__(
        self, path: Path, identity: dict[str, Any], terms: SoakTerms, plan: SoakPlan, books: Books
    ) -> None:
        """Resume after the games on record. Raises JournalError if they belong to another soak."""
        self._terms = terms
        self._plan = plan
        self._books = books
        self._journal = RunJournal(path, identity)
        try:
            self.games = [SoakGame.from_json(entry) for entry in self._journal.records]
        except (KeyError, TypeError, ValueError) as error:
            self._journal.close()
            raise JournalError(f"cannot resume {path}: {error!r}") from error

    def play(self, concurrency: int) -> Generator[SoakGame, None, None]:
        """Play the remaining games on `concurrency` processors, and yield each when it has been recorded.

        Raises JobError and OpeningSuiteError.
        """
        done = {game.record.number for game in self.games}
        for condition, numbers in self._plan.blocks():
            left = [number for number in numbers if number not in done]
            if left:
                yield from self._play(condition, left, max(1, concurrency // condition.demand), concurrency)

    def close(self) -> None:
        """Close the record."""
        self._journal.close()

    def _play(
        self, condition: Condition, numbers: list[int], slots: int, processors: int
    ) -> Generator[SoakGame, None, None]:
        jobs = (GameJob(number, self._books.opening(condition.variant, number)) for number in numbers)
        worker = partial(SoakWorker, self._terms, condition)
        with (
            busy_programs(condition.disturbance.programs * processors),
            contextlib.closing(run_jobs(worker, jobs, slots)) as games,
        ):
            for game in games:
                self._journal.append(game.to_json())
                self.games.append(game)
                yield game


class Books:
    """The openings of each variant, in an order that depends on the seed."""

    def __init__(self, books: dict[str, OpeningSuite], seed: int) -> None:
        """`books` has a suite for each variant."""
        self._books = books
        self._orders = {variant: book.order(seed) for variant, book in books.items()}

    def opening(self, variant: str, number: int) -> Opening:
        """The opening of a game, the same for games 2n and 2n + 1. Raises OpeningSuiteError."""
        order = self._orders[variant]
        return self._books[variant].opening(order[number // 2 % len(order)])

    def digest(self) -> str:
        """A hash of all openings."""
        return " ".join(book.digest() for book in self._books.values())
