"""Measuring one search after the other, in a thread of its own so that Ctrl-C is heard."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from protocol.cli.ablation.cell import VariantResult
from protocol.cli.analysis.analyst import engine_fen

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from protocol.cli.ablation.laboratory import ExperimentLimits, Laboratory
    from protocol.cli.ablation.variants import Variant
    from protocol.cli.suites.epd import SuitePosition


@dataclass(frozen=True, slots=True)
class ExperimentPart:
    """Searches that are compared with each other, and how far each goes.

    In the `ladder` each is compared with the one before it, else all with the first.
    """

    ladder: bool
    variants: Sequence[Variant]
    effort: ExperimentLimits


@dataclass(frozen=True, slots=True)
class AblationProgress:
    """Where the work is: `number` positions are done in this part, and `depth` in the one after them."""

    variant: Variant
    number: int
    depth: int


_Event = AblationProgress | VariantResult | BaseException | None


class Ablation:
    """Measures the parts of an experiment on some positions."""

    def __init__(self, laboratory: Laboratory, positions: Sequence[SuitePosition]) -> None:
        self._laboratory = laboratory
        self._positions = positions
        self._fens = [engine_fen(position.board) for position in positions]

    def measure(self, part: ExperimentPart) -> Generator[AblationProgress | VariantResult, None, None]:
        """What happens, as it happens. Ends early when the laboratory is stopped; closing stops it, too.

        Raises whatever a search has failed with.
        """
        events: SimpleQueue[_Event] = SimpleQueue()
        thread = Thread(target=self._work, args=(part, events), name="ablate", daemon=True)
        thread.start()
        ended = False
        try:
            while (event := events.get()) is not None:
                if isinstance(event, BaseException):
                    raise event
                yield event
            ended = True
        finally:
            if not ended:
                self._laboratory.stop()
            thread.join()

    def _work(self, part: ExperimentPart, events: SimpleQueue[_Event]) -> None:
        try:
            for row, variant in enumerate(part.variants):
                cell = self._cell(variant, part.effort, row * len(self._positions), events)
                if cell is None:
                    break
                events.put(cell)
        except BaseException as error:  # noqa: BLE001 - it is raised where it can be dealt with
            events.put(error)
        finally:
            events.put(None)

    def _cell(
        self, variant: Variant, effort: ExperimentLimits, done: int, events: SimpleQueue[_Event]
    ) -> VariantResult | None:
        """None after a stop."""
        measured = []
        for number, (position, fen) in enumerate(zip(self._positions, self._fens, strict=True), done):
            events.put(AblationProgress(variant, number, 0))
            tell = partial(_tell, events, variant, number)
            measured.append(self._laboratory.measure(fen, variant, effort, tell, position.board.chess960))
            if self._laboratory.stopped:
                return None
        return VariantResult(variant, self._positions, measured)


def _tell(events: SimpleQueue[_Event], variant: Variant, number: int, depth: int) -> None:
    events.put(AblationProgress(variant, number, depth))
