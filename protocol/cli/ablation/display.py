"""The experiment while it runs, and what came of it: tables for people, JSON for machines."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from protocol.cli.ablation.cell import NANOSECONDS, VariantResult
from protocol.cli.ablation.table import PartTable
from protocol.cli.ablation.theory import (
    best_leaves,
    expected_leaves,
    mean_moves,
    minimax_leaves,
    unordered_leaves,
)
from protocol.cli.analysis.analyst import engine_fen
from protocol.cli.terminal.bar import bar
from protocol.cli.terminal.console import output
from protocol.cli.terminal.progress import below
from protocol.cli.terminal.words import count_text, duration_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType

    from protocol.cli.ablation.run import AblationProgress, ExperimentPart
    from protocol.cli.suites.epd import SuitePosition

_LADDER_TITLE = "one technique after the other; ratios to the row before"
_ABLATION_TITLE = "each technique in turn switched; ratios to the whole search"
_BELOW_ROWS = 6
"""Lines of the terminal that are not rows of the table: its head, what is under way, the bar."""


class AblationDisplay:
    """Tells of each search as it is measured, and shows a table when a part has ended."""

    def __init__(
        self, positions: Sequence[SuitePosition], parts: Sequence[ExperimentPart], *, as_json: bool
    ) -> None:
        self._positions = positions
        self._as_json = as_json
        self._console = output()
        self._print: Callable[[RenderableType], None] = partial(self._console.print, soft_wrap=True)
        self._mean_moves = mean_moves(engine_fen(position.board) for position in positions)
        self._part = parts[0]
        self._cells: list[VariantResult] = []
        self._under_way = Text()
        self._lock = Lock()
        self._done = 0
        self._bar = bar()
        self._total = len(positions) * sum(len(part.variants) for part in parts)
        self._task = self._bar.add_task("", total=self._total)

    @contextmanager
    def shown(self, part: ExperimentPart) -> Iterator[None]:
        """For as long as this part is measured; its table stands there afterwards."""
        with self._lock:
            self._part, self._cells, self._under_way = part, [], Text()
        with below(self._console, self._live, as_json=self._as_json) as self._print:
            yield
        self._done += len(part.variants) * len(self._positions)
        self._print = partial(self._console.print, soft_wrap=True)
        if self._cells and not self._as_json:
            self._show()

    def happened(self, event: AblationProgress | VariantResult) -> None:
        """A search is under way, or has been measured."""
        with self._lock:
            if isinstance(event, VariantResult):
                self._cells.append(event)
            else:
                position = self._positions[event.number % len(self._positions)]
                self._under_way = Text(
                    f"{event.variant.name}: {position.name}, depth {event.depth + 1}",
                    style="dim",
                    no_wrap=True,
                    overflow="ellipsis",
                )
        if not isinstance(event, VariantResult):
            self._bar.update(self._task, completed=self._done + event.number)
        elif self._as_json:
            self._print(json.dumps({"type": "search", **self._content(event)}))

    def finish(self, unusable: int, seconds: float, *, interrupted: bool) -> None:
        """Tell the sum."""
        count = len(self._positions)
        if self._as_json:
            summary = {
                "positions": count,
                "unusable": unusable,
                "legal_moves": round(self._mean_moves, 3),
                "time": round(seconds, 3),
                "interrupted": interrupted,
            }
            self._print(json.dumps({"type": "summary", **summary}))
            return
        positions = "1 position" if count == 1 else f"{count} positions"
        self._print(f"{positions} in {duration_text(seconds)}{', stopped' if interrupted else ''}")

    def _live(self) -> Group:
        """Called in another thread."""
        with self._lock:
            shown: list[RenderableType] = []
            if self._cells:
                rows = max(self._console.height - _BELOW_ROWS, 1)
                shown.append(self._table(rows))
            return Group(*shown, self._under_way, self._bar)

    def _table(self, last: int | None = None) -> PartTable:
        return PartTable(self._cells, ladder=self._part.ladder, mean_moves=self._mean_moves, last=last)

    def _show(self) -> None:
        part, depth = self._part, self._part.effort.depth
        title = _LADDER_TITLE if part.ladder else _ABLATION_TITLE
        self._console.print(Text(f"Depth {depth}: {title}", style="bold"))
        self._console.print(self._table())
        if part.ladder and (reached := self._cells[0].depth):
            self._console.print(_theory(self._mean_moves, reached))
        if any(cell.depth < depth for cell in self._cells):
            self._console.print("A smaller depth is as far as the limit on nodes or time allowed.")
        self._console.print()

    def _content(self, cell: VariantResult) -> dict[str, Any]:
        """A search for machines; what is not known is null."""
        part, depth = self._part, cell.depth
        theory = expected_leaves(cell.variant.on, self._mean_moves, depth) if depth else None
        return {
            "part": "ladder" if part.ladder else "ablation",
            "search": cell.variant.name,
            "on": sorted(cell.variant.on),
            "wanted_depth": part.effort.depth,
            "depth": depth,
            "nodes": round(cell.nodes(depth), 1) if depth else None,
            "time": round(cell.seconds(depth), 6) if depth else None,
            "branching": None if cell.branching is None else round(cell.branching, 3),
            "theory": None if theory is None else round(theory, 1),
            "found": cell.found,
            "asked": sum(position.asks for position in self._positions),
            "positions": [_position(*each) for each in zip(self._positions, cell.measured, strict=True)],
        }


def _position(position: SuitePosition, measured: Sequence[Any]) -> dict[str, Any]:
    """What each depth from 1 took and found in a position."""
    return {
        "id": position.name,
        "fen": position.board.fen(),
        "nodes": [each.nodes for each in measured],
        "time": [each.nanoseconds / NANOSECONDS for each in measured],
        "moves": [each.move for each in measured],
    }


def _theory(b: float, depth: int) -> str:
    """What stands beside the figures of the first searches."""
    best = f"{count_text(b ** (depth / 2))}, to be exact {count_text(best_leaves(b, depth))}"
    lines = (
        f"Theory, with b = {b:.1f} legal moves and m = {depth} plies, in leaves:",
        f"  minimax                      b^m       {count_text(minimax_leaves(b, depth))}",
        f"  alpha-beta, random order     b^(3m/4)  {count_text(unordered_leaves(b, depth))}",
        f"  alpha-beta, best move first  b^(m/2)   {best}: {b:.1f} becomes {b**0.5:.1f}",
    )
    return "\n".join(lines)
