"""What commands show: consoles, words for numbers, progress and tables."""

import json
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from queue import SimpleQueue
from threading import Event as Flag
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from chess.engine import PovWdl, Score
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.live import Live
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from lolli.cli.terminal.keys import plain, stopping, unheard
from protocol.text import escaped

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
_THOUSAND = 1000
_UNITS = ("", "k", "M", "G", "T")
_MINUTE, _HOUR = 60, 3600


def score_text(score: Score) -> str:
    """Pawns as `+0.31`, mates in moves as `#3` and `#-2`; `#-0` for the mated side."""
    mate = score.mate()
    if mate is None:
        return f"{(score.score() or 0) / 100:+.2f}"
    return "#-0" if mate == 0 and score.score(mate_score=1) <= 0 else f"#{mate}"


def chances_text(chances: PovWdl | None) -> str:
    """White's chances to win, draw and lose in per cent, as `43/18/39`; empty if not known."""
    if chances is None:
        return ""
    wdl = chances.white()
    return "/".join(str(round(chance / 10)) for chance in (wdl.wins, wdl.draws, wdl.losses))


def count_text(count: float) -> str:
    """Three digits and a unit: `850`, `12.3k`, `4.10M`."""
    unit = 0
    while count >= _THOUSAND - 0.5 and unit < len(_UNITS) - 1:
        count /= _THOUSAND
        unit += 1
    if unit == 0:
        return str(round(count))
    decimals = 2 if count < 9.995 else 1 if count < 99.95 else 0
    return f"{count:.{decimals}f}{_UNITS[unit]}"


def counted(number: int, noun: str) -> str:
    """`1 game`, `1,000 games`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration_text(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3:05`, `1:02:03`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < _MINUTE - 0.5:
        return f"{seconds:.0f} s"
    whole = round(seconds)
    hours, rest = divmod(whole, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def with_real_minus(text: str) -> str:
    return text.replace("-", MINUS)


_UNBROKEN = 10_000  # columns without a terminal, so that lines are never broken


class PrintableConsole(Console):
    """A console on stdout or stderr that writes no control characters but its own."""

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        super().__init__(file=plain(sys.stderr if stderr else sys.stdout), **options)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(escaped(text, "\n\t"), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text == "\n":
                yield segment
            else:
                yield segment._replace(text=escaped(segment.text, "\n"))


def output() -> Console:
    return _console(stderr=False)


def messages() -> Console:
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    stream = plain(sys.stderr if stderr else sys.stdout)
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")  # names may have letters that the encoding lacks
    options = {"stderr": stderr, "highlight": False, "markup": False, "emoji": False}
    console = PrintableConsole(**options)
    return console if console.is_terminal else PrintableConsole(**options, width=_UNBROKEN, no_color=True)


Event = TypeVar("Event")
_PERIOD = 0.125  # seconds between two refreshes
_BAR_WIDTH = 30  # columns
_SECONDS_PER_MINUTE = 60


class Display:
    """`console` is for results, stdout unless given; `print` prints one result as one line."""

    def __init__(
        self,
        total: int | None,
        label: str = "",
        *,
        as_json: bool = False,
        console: Console | None = None,
        progress: Progress | None = None,
    ) -> None:
        """The bar counts `total` steps, with `label` at its side; `progress` replaces the usual bar."""
        self.console = console or output()
        self.screen = self.console if self.console.is_terminal else messages()
        self.as_json = as_json
        self.progress = progress or bar()
        self.task = self.progress.add_task(label, total=total)
        self.print: Callable[[RenderableType], None] = partial(self.console.print, soft_wrap=True)

    @contextmanager
    def shown(self) -> Iterator[None]:
        print_unlocked = self.print
        with below(self.console, self.live, as_json=self.as_json) as self.print:
            yield
        self.print = print_unlocked

    def print_json(self, kind: str, content: Mapping[str, Any]) -> None:
        self.print(json.dumps({"type": kind, **content}))

    def live(self) -> RenderableType:
        return self.progress


class FileDisplay(Display):
    def __init__(self, size: int | None, offset: int, games: int) -> None:
        """The run begins at `offset` of `size` bytes, None if unknown, after `games` games."""
        progress = Progress(bar_column(), TaskProgressColumn(), TextColumn("{task.description}"))
        super().__init__(size, console=messages(), progress=progress)
        self.progress.update(self.task, completed=offset)
        self._size, self._begin, self._before = size, offset, games
        self._began = monotonic()

    def reached(self, offset: int, games: int, found: str = "") -> None:
        words = f"{counted(games, 'game')}{found}  {self._rate(games):.1f} games/min"
        done = offset - self._begin
        if self._size is not None and done:
            words += f"  {duration_text((monotonic() - self._began) * (self._size - offset) / done)} left"
        self.progress.update(self.task, completed=offset, description=words)

    def spent(self, games: int) -> str:
        """Time and rate of this part of the run: `12 s, 3.4 games/min`, which a single game has not."""
        time = duration_text(monotonic() - self._began)
        return f"{time}, {self._rate(games):.1f} games/min" if games > 1 else time

    def _rate(self, games: int) -> float:
        return (games - self._before) / max(monotonic() - self._began, 1e-9) * _SECONDS_PER_MINUTE


def bar_column() -> BarColumn:
    return BarColumn(_BAR_WIDTH, complete_style="cyan", finished_style="green")


def bar() -> Progress:
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

    On a terminal results scroll above it; with `as_json`, or elsewhere, it is on stderr, if that is a
    terminal. Yields the function to print a result with, on one line however long.
    """
    print_result = partial(results.print, soft_wrap=True)
    console = results if results.is_terminal else messages()
    if not console.is_terminal or console.is_dumb_terminal or (as_json and console is results):
        yield print_result
        return
    live = Live(
        get_renderable=shown,
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    # Not Rich's own thread: it draws while others print, and both lose track of where the lines below begin.
    lock, over = Lock(), Flag()
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


def _refresh(live: Live, lock: Lock, over: Flag) -> None:
    while not over.wait(_PERIOD):
        with lock:
            live.refresh()


_WIDEST = 1_000  # columns, more than any table needs


def figures_table(
    console: Console,
    label: str,
    rows: Iterable[tuple[str, Mapping[str, str]]],
    dispensable: Iterable[AbstractSet[str]] = (),
    *,
    ranked: bool = False,
    narrow: int = _WIDEST,
) -> Table:
    """A column of names headed `label`, then columns of figures, each headed by the last word of its name.

    On a narrow console the sets of columns in `dispensable` are left out in turn, until the rest fits with
    names folded to `narrow` columns. `ranked` puts the rank before the names.
    """
    rows = list(rows)
    names = list(rows[0][1])
    folded = max(0, max(cell_len(name) for name, _ in rows) - narrow)
    left_out: AbstractSet[str]
    for left_out in (frozenset[str](), *dispensable):
        names = [name for name in names if name not in left_out]
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        if ranked:
            table.add_column("#", justify="right", no_wrap=True)
        table.add_column(label, overflow="fold")
        for name in names:
            table.add_column(name.split()[-1].capitalize(), justify="right", no_wrap=True)
        for rank, (label_of_row, figures) in enumerate(rows, 1):
            table.add_row(*[str(rank)] * ranked, label_of_row, *(figures[name] for name in names))
        needed = Measurement.get(console, console.options.update_width(_WIDEST), table).maximum
        if needed - folded <= console.width:
            break
    return table


def plain_table(*heads: str) -> Table:
    """Columns without lines."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head, overflow="fold")
    return table


def told_by(
    workers: Sequence[Callable[[Callable[[Event], None]], None]], stop: Callable[[], None]
) -> Generator[Event, None, None]:
    """What the workers tell, a thread for each. Closing, or an error, which is raised here, calls `stop`."""
    events: SimpleQueue[tuple[Event | None, BaseException | None]] = SimpleQueue()

    def work(worker: Callable[[Callable[[Event], None]], None]) -> None:
        try:
            worker(lambda event: events.put((event, None)))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            events.put((None, error))
        finally:
            events.put((None, None))

    threads = [Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    busy = len(threads)
    try:
        while busy:
            event, error = events.get()
            if error is not None:
                raise error
            if event is None:
                busy -= 1
            else:
                yield event
    finally:
        if busy:
            stop()
        for thread in threads:
            thread.join()


def answered(ask: Callable[[], None], stop: Callable[[], None], progress: Callable[[], str]) -> int:
    """Call `ask` in another thread; its errors are raised here. Returns a signal's exit status, else 0."""
    began = monotonic()

    def shown() -> Text:
        return Text(f"{progress()}, {duration_text(monotonic() - began)}", style="dim")

    with stopping(stop) as interruption, below(output(), shown):
        for _ in told_by([lambda _tell: ask()], stop):
            pass
        return interruption.exit_status
