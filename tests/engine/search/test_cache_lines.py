"""No thread of a search writes to a cache line that another one uses for itself, by real addresses.

Only what all threads share on purpose is excepted: the transposition table, and the node count and the
moments of `Control`, which each thread writes once in POLL_INTERVAL nodes.
"""

from collections.abc import Callable, Iterator
from ctypes import addressof, c_char, string_at
from itertools import chain
from threading import Thread

import pytest

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import COMPILED
from engine.search.alphabeta import Searcher
from engine.search.engine import Engine
from engine.search.root_search import RootSearch
from engine.system.control import Control, now
from engine.system.portable import CACHE_LINE
from eval.choice import Choices
from eval.evaluator import Evaluator
from eval.linear import Linear
from eval.network import Network
from tests.engine.sessions import KIWIPETE

pytestmark = pytest.mark.skipif(not COMPILED, reason="the layout is that of the C structs")

EVALUATORS = ("network", "linear", "material")
HEADER = object.__basicsize__  # reference count and type
DEPTH = 11


class Memory:
    def __init__(self, name: str, owner: object, address: int, size: int) -> None:
        self.name, self.address, self.size = name, address, size
        self._owner = owner  # which must not be freed
        self._before = self._bytes()

    @classmethod
    def of_object(cls, one: object) -> "Memory":
        return cls(type(one).__name__, one, id(one), type(one).__basicsize__)

    @classmethod
    def of_buffer(cls, name: str, buffer: memoryview) -> "Memory":
        return cls(name, buffer, addressof(c_char.from_buffer(buffer)), buffer.nbytes)

    def changes(self) -> list[int]:
        """The offsets of the bytes that have changed since, except in an object's header."""
        after = self._bytes()
        return [
            offset for offset, pair in enumerate(zip(self._before, after, strict=True)) if pair[0] != pair[1]
        ]

    def _bytes(self) -> bytes:
        content = string_at(self.address, self.size)
        return content if self.name.startswith("buffer") else bytes(HEADER) + content[HEADER:]


def memories(searcher: Searcher) -> Iterator[Memory]:
    evaluator = searcher.evaluator
    parts = (searcher.pos, searcher.ms, searcher.ordering, searcher.picker, searcher.correction)
    for part in (searcher, *parts, evaluator):
        yield Memory.of_object(part)
    yield Memory.of_buffer("buffer of continuations", memoryview(searcher.ordering.continuations))
    if isinstance(evaluator, Network):
        yield Memory.of_buffer("buffer of sums", evaluator.sums)
    if isinstance(evaluator, Linear):
        yield Memory.of_object(evaluator.pawns)
        yield Memory.of_object(evaluator.maps)


def searched(make_evaluator: Callable[[], Evaluator]) -> list[list[Memory]]:
    engine = Engine(make_evaluator, 1)
    engine.prepare(2)
    engine.begin()
    position = parse_fen(KIWIPETE)
    roots = [RootSearch(searcher) for searcher in engine.searchers]
    for root in roots:
        root.begin(position, legal_moves(position), 1, 1 << 40, 2)
    found = [[*memories(root.searcher), Memory.of_object(root)] for root in roots]
    threads = [Thread(target=lambda root=root: [*root.deepen(DEPTH)]) for root in roots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("name", EVALUATORS)
def test_what_a_thread_writes_ends_a_line_before_the_next_object_may_begin(name: str) -> None:
    """So whatever lies behind it in memory is on another line."""
    for memory in chain(*searched(Choices()[name].make)):
        changes = memory.changes()
        assert changes or memory.name == "Material", memory.name
        assert not changes or changes[-1] < memory.size - CACHE_LINE, memory.name


def test_the_orders_of_a_control_are_not_on_the_lines_that_all_threads_write() -> None:
    control = Control()
    control.set_deadline(now() + 10**12)
    memory = Memory.of_object(control)
    control.expired()
    looks = memory.changes()
    memory = Memory.of_object(control)
    control.stop()
    orders = memory.changes()
    assert orders[0] >= HEADER + CACHE_LINE
    assert orders[-1] + CACHE_LINE <= looks[0]
    assert looks[-1] + CACHE_LINE < memory.size


def test_a_searcher_is_read_away_from_its_reference_count() -> None:
    """Other threads write the count when they ask for nodes; its pointers are read at each node."""
    searcher = Engine.single(Choices()["material"].make(), 1).searchers[0]
    pointer = id(searcher.pos).to_bytes(8, "little")
    assert string_at(id(searcher), Searcher.__basicsize__).index(pointer) >= HEADER + CACHE_LINE
