"""Files of positions that searches asked about in games of self-play."""

import contextlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, count, takewhile
from pathlib import Path
from typing import Any

from engine.adjudication import STANDARD
from engine.files import write_whole
from engine.search.teacher import Teacher
from eval.learning.records import RECORD, SUFFIX
from eval.learning.sampler import Sampler
from scripts.laboratory.job_options import JobRunner
from scripts.laboratory.learning.selfplay_games import (
    HARD_TIMES_SOFT,
    Openings,
    SelfPlayRules,
    make_player,
    play_level_opening,
)
from scripts.laboratory.long_run import RunJournal, description_in, whole

GAMES_A_FILE = 100

_JOURNAL = "sampling.jsonl"
_SPARE = 1000  # records: how many of a game are chosen is left to chance
_MOST_RECORDS = 1 << 24  # of a game: 512 MiB


@dataclass(frozen=True, slots=True)
class SamplingRules:
    """How positions are sampled: about one in `one_in` of those that the searches of `games` ask about.

    Their score is the static value or, with `teacher_nodes`, that of a search with this soft limit of nodes.
    """

    games: SelfPlayRules
    one_in: int
    teacher_nodes: int

    def identity(self) -> dict[str, Any]:
        """What two runs must have in common to be the same run."""
        own = {"one_in": self.one_in, "teacher_nodes": self.teacher_nodes, "games_a_file": GAMES_A_FILE}
        return {**self.games.identity(), **own}


class SamplingWorker:
    """Plays games in a worker process, of which it keeps the sampled positions only."""

    def __init__(self, rules: SamplingRules) -> None:
        """Create the player and his teacher."""
        games = rules.games
        self._openings = Openings(list(games.sources), games.seed)
        inner = games.evaluator.make()
        self._teacher: Teacher | None = None
        if rules.teacher_nodes:
            self._teacher = Teacher(make_player(games.evaluator.make(), rules.teacher_nodes))
        most = STANDARD.longest * HARD_TIMES_SOFT * games.nodes
        capacity = min(most // rules.one_in + _SPARE, _MOST_RECORDS)
        self._sampler = Sampler(inner, self._teacher or inner, rules.one_in, capacity)
        self._player = make_player(self._sampler, games.nodes)

    def work(self, number: int) -> tuple[int, bytes]:
        """The number and the content of a file. Raises OpeningSuiteError."""
        return number, b"".join(
            self._records(game) for game in range(number * GAMES_A_FILE, (number + 1) * GAMES_A_FILE)
        )

    def close(self) -> None:
        """Nothing to release."""

    def _records(self, game: int) -> bytes:
        """The records of a game."""

        def begin() -> None:
            self._sampler.begin(game)
            if self._teacher is not None:
                self._teacher.forget()

        play_level_opening(self._player, self._openings, game, begin)
        return self._sampler.records()


class Sampling:
    """A run in a folder of its own. The same rules and number of positions make the same files.

    They are the first ones that together have the positions. They are written whole and in order, even if
    several are made at the same time, so that a run that ends early leaves no gap. The journal lists them.
    """

    def __init__(self, folder: Path, rules: SamplingRules, positions: int) -> None:
        """Resume the run in `folder`, until it has `positions`. Raises JournalError and OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._rules = rules
        self._wanted = positions
        self._journal = RunJournal(folder / _JOURNAL, rules.identity())
        self.files = {
            number: records
            for number, records in self._journal.read(_file)
            if self._is_whole(number, records)
        }

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    @property
    def positions(self) -> int:
        """How many there are by now."""
        return sum(self.files.values())

    def sample(self, run_all: JobRunner) -> Generator[int, None, None]:
        """Write the missing files; yield the number of positions in each. Raises JobError and OSError.

        Closing the generator discards the files in progress, and those that wait for an earlier one.
        """
        if self.is_complete():
            return
        made: dict[int, bytes] = {}
        make_worker = partial(SamplingWorker, self._rules)
        with contextlib.closing(run_all(make_worker, self._missing())) as results:
            for number, records in results:
                made[number] = records
                while not self.is_complete() and (first := next(self._missing())) in made:
                    yield self._keep(first, made.pop(first))
                if self.is_complete():
                    break

    def is_complete(self) -> bool:
        """Whether the files before the first missing one have the positions."""
        before = takewhile(self.files.__contains__, count())
        return any(total >= self._wanted for total in accumulate(map(self.files.__getitem__, before)))

    def _missing(self) -> Iterator[int]:
        return (number for number in count() if number not in self.files)

    def _keep(self, number: int, records: bytes) -> int:
        write_whole(self._path(number), records)
        self.files[number] = len(records) // RECORD.itemsize
        self._journal.append({"file": number, "positions": self.files[number]})
        return self.files[number]

    def _is_whole(self, number: int, positions: int) -> bool:
        try:
            return self._path(number).stat().st_size == positions * RECORD.itemsize
        except FileNotFoundError:
            return False

    def _path(self, number: int) -> Path:
        return self._folder / f"positions-{number:05}{SUFFIX}"


def how_sampled(path: Path) -> dict[str, Any]:
    """How the positions in the folder of a run, or in a file there, were sampled; empty if not known."""
    return description_in((path if path.is_dir() else path.parent) / _JOURNAL)


def _file(record: dict[str, Any]) -> tuple[int, int]:
    """The number of a file, and of its positions."""
    return whole(record["file"]), whole(record["positions"])
