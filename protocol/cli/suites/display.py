"""The suite while it runs: rows as positions are finished, and on a terminal what is going on below them."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from protocol.cli.suites.report import SuiteSummary, SuiteTable, content
from protocol.cli.suites.runner import SuiteResult
from protocol.cli.terminal.bar import bar
from protocol.cli.terminal.console import output
from protocol.cli.terminal.progress import below
from protocol.cli.terminal.words import score_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType

    from protocol.cli.analysis.finding import Finding
    from protocol.cli.suites.epd import SuitePosition


class SuiteDisplay:
    """Tells what happens, in the order of the positions whatever the order in which they end."""

    def __init__(self, positions: Sequence[SuitePosition], as_json: bool, only_failed: bool) -> None:
        self.results: list[SuiteResult] = []
        self._solved = 0
        self._positions = positions
        self._as_json = as_json
        self._only_failed = only_failed
        self._console = output()
        self._print: Callable[[RenderableType], None] = partial(self._console.print, soft_wrap=True)
        self._rows = SuiteTable(
            positions, self._console.width, self._console.encoding.lower().startswith("utf")
        )
        self._early: dict[int, SuiteResult] = {}
        self._under_way: dict[int, Text] = {}
        self._bar = bar()
        self._task = self._bar.add_task("", total=len(positions))

    @contextmanager
    def shown(self) -> Iterator[None]:
        """For as long as the suite runs. Results that had to wait for others are told in the end."""
        if not self._as_json:
            self._print(self._rows.head)
        with below(self._console, self._live, as_json=self._as_json) as self._print:
            yield
            for number in sorted(self._early):
                self._tell(self._early.pop(number))

    def happened(self, number: int, event: Finding | SuiteResult) -> None:
        """A finding or the result of a position."""
        if not isinstance(event, SuiteResult):
            self._under_way[number] = self._running(self._positions[number], event)
            return
        self._under_way.pop(number, None)
        self._early[number] = event
        while (result := self._early.pop(len(self.results), None)) is not None:
            self._tell(result)

    def finish(self, summary: SuiteSummary) -> None:
        """Tell the sum."""
        if self._as_json:
            self._print_json({"type": "summary", **summary.content()})
        else:
            self._console.print("", *summary.lines(), sep="\n")

    def _tell(self, result: SuiteResult) -> None:
        self.results.append(result)
        self._solved += result.solved
        self._bar.update(self._task, completed=len(self.results), description=f"{self._solved} solved")
        if self._only_failed and result.solved:
            return
        if self._as_json:
            self._print_json({"type": "position", **content(result)})
        else:
            self._print(self._rows.row(result))

    def _print_json(self, told: dict[str, object]) -> None:
        self._print(json.dumps(told))

    def _live(self) -> Group:
        """What is under way; called in another thread, so it touches no board."""
        return Group(*(text for _, text in sorted(self._under_way.items(), key=itemgetter(0))), self._bar)

    @staticmethod
    def _running(position: SuitePosition, finding: Finding) -> Text:
        move, score = position.board.san(finding.moves[0]), score_text(finding.white)
        text = f"{position.name}: depth {finding.depth}, {move} {score}, wanted {position.wanted}"
        return Text(text, style="dim", no_wrap=True, overflow="ellipsis")
