"""The parts of a chess search: table, control, parameters and searchers.

One searcher makes the single-thread engine of self-play and of the ablation; a session adds searchers.
"""

from collections.abc import Callable, Iterator, Sequence
from threading import Event, Thread
from typing import Self

from engine.board.position import Position
from engine.search.alphabeta import Searcher
from engine.search.constants import MAX_DEPTH
from engine.search.parameters import Parameters
from engine.search.report import Iteration
from engine.search.root_search import RootSearch
from engine.search.table import Table
from engine.system.control import Control
from engine.system.memory import available
from eval.evaluator import Evaluator

_SPARE = 32 << 20  # bytes to leave free for whatever else a search and the dialogue need
_PER_THREAD = 1 << 20  # bytes that a thread takes once it searches, besides its searcher
_PER_SEARCHER = 9 << 19  # bytes, about: its stack of moves, its histories, its evaluator
_GIVEN_BACK = 8  # where memory has run out all the same, one searcher in this many is given back


class Engine:
    """Searchers that share a table, a control and parameters; the first searches alone or leads the others.

    For each search call `begin`, then go through `iterations`; a search by several threads is a `Run`.
    """

    def __init__(self, make_evaluator: Callable[[], Evaluator], megabytes: int) -> None:
        """Each searcher gets an evaluator of its own; none is made before `prepare`. Raises TableError."""
        self.table = Table(megabytes)
        self.control = Control()
        self.parameters = Parameters()
        self.searchers: list[Searcher] = []
        self._make_evaluator = make_evaluator
        self._wanted = 1
        self._crowded = 0  # this many searchers were wanted when there was no room for all of them
        self._shortages: list[str] = []

    @classmethod
    def single(cls, evaluator: Evaluator, megabytes: int) -> Self:
        """A single-thread engine, ready to search. Raises TableError."""
        engine = cls(lambda: evaluator, megabytes)
        engine.prepare()
        return engine

    # Searching

    def begin(self) -> None:
        """Prepare for a search: not stopped, no deadline, older entries of the table replaced first."""
        self.table.new_search()
        self.control.begin()

    def iterations(
        self,
        position: Position,
        moves: Sequence[int],
        max_depth: int = MAX_DEPTH,
        node_limit: int | None = None,
    ) -> Iterator[Iteration]:
        """What the first searcher finds alone among these root moves, depth by depth."""
        root = RootSearch(self.searchers[0])
        root.begin(position, moves, node_limit=node_limit)
        return (finding for finding in root.deepen(max_depth) if isinstance(finding, Iteration))

    @property
    def nodes(self) -> int:
        """The nodes of the first searcher in its last search."""
        return self.searchers[0].nodes

    # What is remembered from one search to the next

    def new_game(self) -> None:
        self.clear_table()
        for searcher in self.searchers:
            searcher.forget_moves()

    def clear_table(self) -> None:
        self.table.clear()
        self._forget_positions()

    def resize_table(self, megabytes: int, threads: int) -> None:
        """An empty table of another size, or the largest for which there is memory; see `shortages`.

        Room is left for as many searchers as there are `threads`. Raises TableError where there is next to no
        memory.
        """
        if megabytes == self.table.megabytes:
            return
        missing = max(0, threads - len(self.searchers))
        self.table.resize(megabytes, missing * (_PER_SEARCHER + _PER_THREAD))
        self._crowded = 0  # a smaller table may have made room for searchers
        if self.table.megabytes < megabytes:
            self._shortages.append(f"Hash: {self.table.megabytes} of {megabytes} MB, for lack of memory")
        self._forget_positions()

    def use_evaluator(self, make_evaluator: Callable[[], Evaluator]) -> None:
        made = [make_evaluator() for _ in self.searchers]  # all or none, where memory is short
        self._make_evaluator = make_evaluator
        self.new_game()
        for searcher, evaluator in zip(self.searchers, made, strict=True):
            searcher.use_evaluator(evaluator)

    def _forget_positions(self) -> None:
        for searcher in self.searchers:
            searcher.forget_positions()

    # How many threads

    def prepare(self, threads: int = 1) -> None:
        """Have a searcher for each of `threads`, or as many as there is room for; see `shortages`.

        Raises MemoryError where there is no memory for a single one.
        """
        self._wanted = threads
        del self.searchers[threads:]
        if not self.searchers:
            self.searchers.append(self._make_searcher())
        if threads != self._crowded:
            self._crowded = 0
        if len(self.searchers) < threads and not self._crowded:
            self.keep(self._fill())

    def keep(self, count: int) -> None:
        """Keep only the first `count` searchers (at least one).

        If that is fewer than `prepare` was asked for, it does not try again for the same number.
        """
        del self.searchers[max(count, 1) :]
        if len(self.searchers) < self._wanted:
            self._crowded = self._wanted
            self._shortages.append(f"Threads: {len(self.searchers)} of {self._wanted}, for lack of room")

    def shortages(self) -> list[str]:
        """What the system had less of than was asked for; each line is given once."""
        shortages, self._shortages = self._shortages, []
        return shortages

    def _fill(self) -> int:
        """Make the missing searchers; return for how many there are threads and memory.

        All threads exist at once for a moment: only that shows how many the system allows.
        """
        gate = Event()
        threads: list[Thread] = []
        exhausted = False
        try:
            while len(threads) < self._wanted and _has_room(len(threads)):
                thread = Thread(target=gate.wait, name="trial", daemon=True)
                thread.start()
                threads.append(thread)
                if len(self.searchers) < len(threads):
                    self.searchers.append(self._make_searcher())
        except (MemoryError, RuntimeError):
            exhausted = True
        finally:
            gate.set()
            for thread in threads:
                thread.join()
        room = min(len(threads), len(self.searchers))
        return room - room // _GIVEN_BACK if exhausted else room

    def _make_searcher(self) -> Searcher:
        return Searcher(self.table, self.control, self._make_evaluator(), self.parameters)


def _has_room(threads: int) -> bool:
    """Whether there may be one more thread than `threads`, each of which takes more once it searches.

    Not found out by trying: `Thread.start` waits for a thread that has no memory to begin with.
    """
    return available() > _SPARE + threads * _PER_THREAD
