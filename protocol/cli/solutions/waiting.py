"""Waiting for an answer that takes long, so that Ctrl-C works and the terminal shows how far it is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from time import monotonic
from typing import TYPE_CHECKING

from rich.text import Text

from protocol.cli.terminal.console import output
from protocol.cli.terminal.progress import below
from protocol.cli.terminal.tty import stopping
from protocol.cli.terminal.words import duration_text

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK = 0.1  # seconds between looks at whether there is an answer


def answered(ask: Callable[[], object], stop: Callable[[], None], progress: Callable[[], str]) -> int:
    """Call `ask` in another thread; the exit status for the signal that called `stop`, 0 without one.

    What `ask` raises is raised here.
    """
    began = monotonic()

    def shown() -> Text:
        return Text(f"{progress()}, {duration_text(monotonic() - began)}", style="dim")

    with stopping(stop) as interruption, ThreadPoolExecutor(1) as pool, below(output(), shown):
        answer = pool.submit(ask)
        while True:
            try:
                answer.result(_LOOK)
            except NotYetError:
                continue
            return interruption.exit_status
