"""What a worker does, on this machine or another: it reads a game, annotates it and writes it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.board.fen import FenError
from engine.search.table import TableError
from eval.choice import EvaluatorError
from eval.weight_file import WeightsError
from protocol.cli.analysis.analyst import Analyst
from protocol.cli.annotation.annotator import AnnotationOptions, annotate_game
from protocol.cli.annotation.facts import Facts, facts_of
from protocol.cli.annotation.identity import EngineIdentity, engine_identity
from protocol.cli.pgn.reader import read_game
from protocol.cli.pgn.unreadable import NoGameError, UnreadableError
from protocol.cli.pgn.writer import written
from protocol.workers import WorkersError

if TYPE_CHECKING:
    from engine.search.limits import Limits
    from protocol.cli.analysis.settings import AnalystSettings
    from protocol.cli.pgn.games import RawGame


@dataclass(frozen=True, slots=True)
class AnnotationOrder:
    """What is to be done with every game of a run, and by what engine."""

    settings: AnalystSettings
    limits: Limits
    options: AnnotationOptions
    engine: EngineIdentity


@dataclass(frozen=True, slots=True)
class AnnotationResult:
    """What came of a piece of a PGN file.

    `data` is what to write instead, None where it stays as it is. `facts` are what JSON tells of a game that
    could be read; `error` says why one could not, and `line`, from 0, where in it. A piece without a game
    has none of all that.
    """

    data: bytes | None = None
    facts: Facts | None = None
    error: str | None = None
    line: int = 0


class _Own(threading.local):
    """The analyst of this thread, and what it was made from."""

    analyst: Analyst | None = None
    settings: AnalystSettings | None = None


_own = _Own()


def annotate(order: AnnotationOrder, raw: RawGame) -> AnnotationResult:
    """Annotate a game, having forgotten all others. Raises WorkersError where the engine is wrong."""
    analyst = _analyst(order)
    try:
        read = read_game(raw.data)
        judgement = annotate_game(read.game, analyst, order.limits, order.options)
    except NoGameError:
        return AnnotationResult()
    except UnreadableError as error:
        return AnnotationResult(error=str(error), line=error.line)
    except FenError as error:
        return AnnotationResult(error=f"the engine cannot use a position of it: {error}")
    return AnnotationResult(None if judgement is None else written(read), facts_of(read.game, judgement))


def complaint(order: AnnotationOrder) -> str | None:
    """Why this process cannot carry out an order, None where it can."""
    try:
        return engine_identity(order.settings).difference(order.engine)
    except OSError as error:
        return f"has no weights: {error}"


def _analyst(order: AnnotationOrder) -> Analyst:
    """The analyst of this thread; it is made once."""
    found = complaint(order)
    if found is not None:
        raise WorkersError(f"a worker {found}")
    if _own.analyst is None or _own.settings != order.settings:
        try:
            _own.analyst, _own.settings = Analyst(order.settings), order.settings
        except (EvaluatorError, TableError, WeightsError) as error:
            raise WorkersError(f"a worker cannot think: {error}") from None
    return _own.analyst
