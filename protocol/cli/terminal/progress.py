"""Progress that is updated in place below the lines of results, on terminals only."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from protocol.cli.terminal import keyboard
from protocol.cli.terminal.console import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console, RenderableType
    from rich.live import Live

_PERIOD = 0.125  # seconds between two looks at what is shown


@contextmanager
def below(
    results: Console, shown: Callable[[], RenderableType], *, as_json: bool = False
) -> Iterator[Callable[[RenderableType], None]]:
    """Show something in the last lines of the terminal, asked for anew many times a second; then it is gone.

    On the console of `results` if that is a terminal: they scroll above, and as JSON they stay alone.
    Otherwise on stderr, and nowhere if that is no terminal either. Yields what to print a result with, a
    line however long.
    """
    tell = partial(results.print, soft_wrap=True)
    console = results if results.is_terminal else messages()
    if not console.is_terminal or console.is_dumb_terminal or (as_json and console is results):
        yield tell
        return
    from rich.live import Live  # noqa: PLC0415 - not needed where nobody looks

    live = Live(
        get_renderable=shown,
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    # Rich's own thread draws while others print, and now and then both forget where the lines below begin.
    lock, over = Lock(), Event()
    thread = Thread(target=_refresh, args=(live, lock, over), daemon=True)

    def tell_alone(line: RenderableType) -> None:
        with lock:
            tell(line)

    with keyboard.unheard(), live:
        thread.start()
        try:
            yield tell_alone
        finally:
            over.set()
            thread.join()


def _refresh(live: Live, lock: Lock, over: Event) -> None:
    while not over.wait(_PERIOD):
        with lock:
            live.refresh()
