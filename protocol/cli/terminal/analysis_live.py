"""A table of an analysis that changes in place while the engine thinks."""

from __future__ import annotations

from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.style import Style
from rich.text import Text

from protocol.cli.terminal.words import duration_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rich.console import Console

    from protocol.cli.analysis.finding import Finding
    from protocol.cli.terminal.analysis_table import AnalysisTable

_INTERVAL = 0.1  # seconds between two looks at whether there is something new
_OTHER_LINES = 15  # of the screen: what stands above with the board, the head, what is said below
_MINUTE = 60
_DIM = Style(dim=True)


class LiveTable:
    """Shows a table from entering the context to leaving it, and leaves it in its last state on the screen.

    Findings are added from one thread; another one draws, so that time is seen passing and a window
    that has changed its size is drawn anew.
    """

    def __init__(self, console: Console, table: AnalysisTable, above: Callable[[], None]) -> None:
        """`above` prints again what stands above the table, on a screen that had to be cleared."""
        self._console = console
        self._table = table
        self._above = above
        self._begun = monotonic()
        self._lock = Lock()
        self._size = console.size
        self._shown = ""
        self._live = self._new_live()
        self._ended = Event()
        self._drawer = Thread(target=self._draw_on, name="drawer", daemon=True)

    def __enter__(self) -> Self:
        self._live.start()
        self._draw()
        self._drawer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._drawer.join()
        self._draw()
        self._live.stop()

    def add(self, finding: Finding) -> None:
        """Show a finding soon."""
        with self._lock:
            self._table.add(finding)

    def _new_live(self) -> Live:
        return Live(
            console=self._console,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )

    def _draw_on(self) -> None:
        while not self._ended.wait(_INTERVAL):
            self._draw()

    def _draw(self) -> None:
        """Only where something has changed, so that nothing flickers."""
        size = self._console.size
        if size.width < self._size.width or size.height < self._size.height:
            self._begin_anew()
        if size != self._size:
            self._size, self._shown = size, ""
        lines = self._lines()
        text = "\n".join(line.plain for line in lines)
        if text != self._shown:
            self._live.update(Group(*lines), refresh=True)
            self._shown = text

    def _begin_anew(self) -> None:
        """Lines too long now have been broken or cut: nobody knows any more where the table begins."""
        self._live.transient = True
        self._live.stop()
        self._console.clear()
        self._above()
        self._live = self._new_live()
        self._live.start()

    def _lines(self) -> list[Text]:
        width, height = self._size
        ended = self._ended.is_set()
        with self._lock:
            rows = self._table.rows(width, None if ended else max(1, height - _OTHER_LINES))
            lines = [self._table.head(width), *rows]
            depth = self._table.best.depth if self._table.best else 0
        if not ended:
            seconds = int(monotonic() - self._begun)
            time = duration_text(seconds) if seconds >= _MINUTE else f"{seconds} s"
            lines.append(Text(f"Depth {depth + 1}, {time}. Ctrl-C ends the search.", _DIM))
        for line in lines:
            line.no_wrap, line.overflow = True, "crop"
        return lines
