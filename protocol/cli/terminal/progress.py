"""Results as they come and, on a terminal, what is under way and a bar, updated in place below them."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import partial
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from protocol.cli.terminal.console import messages, output
from protocol.cli.terminal.tty import unheard
from protocol.cli.terminal.words import duration_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.console import Console, RenderableType
    from rich.live import Live

_PERIOD = 0.125  # seconds between two refreshes
_BAR_WIDTH = 30  # columns


class Display:
    """Prints the results of a command, as text or as JSON, above its progress.

    `console` is where results go, stdout unless given. `print` prints one result, a line however long.
    """

    def __init__(
        self,
        total: int | None,
        label: str = "",
        *,
        as_json: bool = False,
        console: Console | None = None,
        progress: Progress | None = None,
    ) -> None:
        """The bar goes to `total` steps, with `label` beside it; `progress` replaces the usual bar."""
        self.console = console or output()
        self.as_json = as_json
        self.progress = progress or bar()
        self.task = self.progress.add_task(label, total=total)
        self.print: Callable[[RenderableType], None] = partial(self.console.print, soft_wrap=True)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the progress while the context lasts."""
        print_unlocked = self.print
        with below(self.console, self.live, as_json=self.as_json) as self.print:
            yield
        self.print = print_unlocked

    def print_json(self, kind: str, content: Mapping[str, Any]) -> None:
        """Print an object with the type `kind`."""
        self.print(json.dumps({"type": kind, **content}))

    def live(self) -> RenderableType:
        """What to show as progress. Called in another thread."""
        return self.progress


def bar_column() -> BarColumn:
    """The bar itself."""
    return BarColumn(_BAR_WIDTH, complete_style="cyan", finished_style="green")


def bar() -> Progress:
    """A bar that counts steps and estimates the time left, to be shown by `below`."""
    return Progress(MofNCompleteColumn(), bar_column(), TextColumn("{task.description}"), _Times())


class _Times(ProgressColumn):
    """`12 s, 1:05 left`."""

    def render(self, task: Task) -> Text:
        left = task.time_remaining
        words = duration_text(task.elapsed or 0)
        return Text(words if left is None else f"{words}, {duration_text(left)} left", style="dim")


@contextmanager
def below(
    results: Console, shown: Callable[[], RenderableType], *, as_json: bool = False
) -> Iterator[Callable[[RenderableType], None]]:
    """Show `shown()` in the last lines of the terminal, refreshed several times a second, then remove it.

    If `results` is a terminal, it is shown there and results scroll above it, but not with `as_json`: then
    the terminal gets JSON only. Otherwise it is shown on stderr, if that is a terminal. Yields the function
    to print a result with, on one line however long.
    """
    print_result = partial(results.print, soft_wrap=True)
    console = results if results.is_terminal else messages()
    if not console.is_terminal or console.is_dumb_terminal or (as_json and console is results):
        yield print_result
        return
    from rich.live import Live  # noqa: PLC0415 - not needed without a terminal

    live = Live(
        get_renderable=shown,
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    # Not Rich's own thread: it draws while others print, and both lose track of where the lines below begin.
    lock, over = Lock(), Event()
    thread = Thread(target=_refresh, args=(live, lock, over), daemon=True)

    def print_alone(line: RenderableType) -> None:
        with lock:
            print_result(line)

    with unheard(), live:
        thread.start()
        try:
            yield print_alone
        finally:
            over.set()
            thread.join()


def _refresh(live: Live, lock: Lock, over: Event) -> None:
    while not over.wait(_PERIOD):
        with lock:
            live.refresh()
