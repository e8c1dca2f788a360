"""Items are handed out to be worked on at the same time, and come back in their order."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Executor, Future, wait
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE = 0.1  # seconds


class Pipeline(Generic[Item, Result]):
    """Draws items, has `work` done on them by an executor, and yields them in order with what came of it.

    At most `window()` of them are under way or waiting for one before them, so that memory stays bounded.
    """

    def __init__(
        self,
        executor: Executor,
        work: Callable[[Item], Result],
        items: Iterator[Item],
        window: Callable[[], int],
    ) -> None:
        """`work` must be something that the executor can send to where it is done."""
        self._executor = executor
        self._work = work
        self._items = items
        self._window = window
        self._under_way: deque[tuple[Item, Future[Result]]] = deque()
        self._exhausted = False
        self._stopped = False

    @property
    def finished(self) -> bool:
        """Whether every item there is has been yielded."""
        return self._exhausted and not self._under_way

    def stop(self) -> None:
        """Yield what is ready, then end; from any thread. What is drawn afterwards is not worked on."""
        self._stopped = True

    def results(self) -> Iterator[tuple[Item, Future[Result]] | None]:
        """Each item with its future, which is done; None now and then while the next one is not ready.

        Raises what drawing an item raises.
        """
        self._refill()
        while self._under_way:
            first = self._under_way[0][1]
            while not first.done():
                if self._stopped:
                    return
                wait([first], _PATIENCE)
                yield None
            yield self._under_way.popleft()
            self._refill()

    def _refill(self) -> None:
        while not (self._stopped or self._exhausted) and len(self._under_way) < self._window():
            item = next(self._items, None)
            if self._stopped:
                return
            if item is None:
                self._exhausted = True
            else:
                self._under_way.append((item, self._executor.submit(self._work, item)))
