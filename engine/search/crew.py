"""The searchers of all threads: as many as were asked for or, where there is no room for them, fewer."""

from collections.abc import Callable
from threading import Event, Thread

from engine.memory import available
from engine.search.alphabeta import Searcher

_SPARE = 32 << 20  # bytes left over for what else a search and the dialogue need
_PER_THREAD = 1 << 20  # bytes that a thread takes once it searches, beside its searcher
_PER_SEARCHER = 9 << 19  # bytes, about: its stack of moves, its histories, its evaluator
_GIVEN_BACK = 8  # where memory has run out all the same, this part of the searchers goes again


def fill(searchers: list[Searcher], wanted: int, make: Callable[[], Searcher]) -> None:
    """Make searchers until there are `wanted`, or as many as there are memory and threads for.

    One is made in any case. Raises MemoryError where there is no memory for it.

    How many threads there can be shows only when they are all there at once, so for a moment they are.
    """
    if not searchers:
        searchers.append(make())
    if wanted == 1:
        return
    gate = Event()
    threads: list[Thread] = []
    exhausted = False
    try:
        while len(threads) < wanted and _has_room(len(threads)):
            thread = Thread(target=gate.wait, name="trial", daemon=True)
            thread.start()
            threads.append(thread)
            if len(searchers) < len(threads):
                searchers.append(make())
    except (MemoryError, RuntimeError):
        exhausted = True
    finally:
        gate.set()
        for thread in threads:
            thread.join()
    room = min(len(threads), len(searchers))
    if exhausted:
        room -= room // _GIVEN_BACK
    del searchers[max(room, 1) :]


def needed(searchers: int) -> int:
    """About how many bytes so many more searchers and their threads take."""
    return searchers * (_PER_SEARCHER + _PER_THREAD)


def _has_room(threads: int) -> bool:
    """Whether there may be one more; those that there are take more once they search.

    It must not be found out by trying: `Thread.start` waits for a thread that has no memory to begin with.
    """
    return available() > _SPARE + threads * _PER_THREAD
