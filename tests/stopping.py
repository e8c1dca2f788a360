"""Stop a search that another thread runs, at whatever moment it begins."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread


@contextmanager
def stopped(stop: Callable[[], None], after: float = 0.02) -> Iterator[None]:
    """Call `stop` again and again while the block runs: one that comes before the search is lost."""
    ended = Event()

    def stop_again_and_again() -> None:
        while not ended.wait(after):
            stop()

    thread = Thread(target=stop_again_and_again)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
