"""A worker's part, on this machine or another: it reads a game, annotates it and writes it."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from engine.board.fen import FenError
from engine.board.position import COMPILED
from engine.lookup.book import BookError
from engine.search.table import TableError
from engine.system import files
from eval.choice import STANDARDS, Choices, EvaluatorError, owner
from eval.weight_file import LARGEST_FILE, WeightsError
from lolli.cli.analysis.analyst import Analyst
from lolli.cli.annotation.annotator import AnnotationOptions, Facts, annotate_game, facts_of
from lolli.cli.pgn.game_reader import read_game, written
from lolli.cli.pgn.movetext import NoGameError, UnreadableError
from lolli.cli.workers import WorkersError
from protocol import about

if TYPE_CHECKING:
    from engine.search.limits import Limits
    from lolli.cli.analysis.finding import AnalystSettings
    from lolli.cli.pgn.raw_games import RawGame

_DIGITS = 16


@dataclass(frozen=True, slots=True)
class EngineIdentity:
    """What the results of an engine depend on, and whether it is compiled."""

    version: str
    evaluator: str
    weights: str
    compiled: bool

    def difference(self, other: EngineIdentity) -> str | None:
        """Why this engine cannot do the work of `other`; None if it can."""
        if self.version != other.version:
            return f"has {about.NAME} {self.version}, not {other.version}"
        if (self.evaluator, self.weights) != (other.evaluator, other.weights):
            return (
                f"has other weights of the evaluator {other.evaluator} ({self.weights}, not {other.weights})"
            )
        if other.compiled and not self.compiled:
            return "runs uncompiled, about 100 times slower"
        return None


@cache
def engine_identity(settings: AnalystSettings) -> EngineIdentity:
    """The engine that this process makes from the settings. Raises OSError."""
    loaded = owner(settings.weights) if settings.weights else Choices().names[0]
    name = settings.evaluator or loaded
    weights = "none"
    if name in STANDARDS:
        content = files.read_file(settings.weights or STANDARDS[name], LARGEST_FILE)
        weights = hashlib.sha256(content).hexdigest()[:_DIGITS]
    return EngineIdentity(about.VERSION, name, weights, COMPILED)


@dataclass(frozen=True, slots=True)
class AnnotationOrder:
    """What to do with every game of a run, and with which engine."""

    settings: AnalystSettings
    limits: Limits
    options: AnnotationOptions
    engine: EngineIdentity


@dataclass(frozen=True, slots=True)
class AnnotationResult:
    """The result for a piece of a PGN file.

    `data` replaces the piece; None keeps it. `facts` are the JSON of a game that was read; otherwise `error`
    says why it could not be read, and `line`, from 0, where. A piece without a game has none of these.
    """

    data: bytes | None = None
    facts: Facts | None = None
    error: str | None = None
    line: int = 0


class EngineOrder(Protocol):
    """What every order says; `options` is a dataclass."""

    @property
    def settings(self) -> AnalystSettings:
        """What the analyst is made from."""

    @property
    def limits(self) -> Limits:
        """Of a search."""

    @property
    def options(self) -> Any:
        """What else the results depend on."""

    @property
    def engine(self) -> EngineIdentity:
        """The engine that is to search."""


class _Own(threading.local):
    """The analyst of this thread and its settings."""

    analyst: Analyst | None = None
    settings: AnalystSettings | None = None


_own = _Own()


def annotate(order: AnnotationOrder, raw: RawGame) -> AnnotationResult:
    """Annotate a game, with an empty table. Raises WorkersError if this engine does not suit the order."""
    analyst = analyst_for(order)
    try:
        read = read_game(raw.data)
        judgement = annotate_game(read.game, analyst, order.limits, order.options)
    except NoGameError:
        return AnnotationResult()
    except UnreadableError as error:
        return AnnotationResult(error=str(error), line=error.line)
    except BookError as error:
        raise WorkersError(f"a worker cannot use the book: {error}") from None
    except FenError as error:
        return AnnotationResult(error=f"the engine cannot use one of its positions: {error}")
    changed = judgement is not None or order.options.fresh
    return AnnotationResult(written(read) if changed else None, facts_of(read.game, judgement))


def problem(order: EngineOrder) -> str | None:
    """Why this process cannot carry out an order; None if it can."""
    try:
        return engine_identity(order.settings).difference(order.engine)
    except OSError as error:
        return f"has no weights: {error}"


def analyst_for(order: EngineOrder) -> Analyst:
    """The analyst of this thread, made when first needed.

    Raises WorkersError if it does not suit the order.
    """
    found = problem(order)
    if found is not None:
        raise WorkersError(f"a worker {found}")
    if _own.analyst is None or _own.settings != order.settings:
        try:
            _own.analyst, _own.settings = Analyst(order.settings), order.settings
        except (EvaluatorError, TableError, WeightsError) as error:
            raise WorkersError(f"a worker cannot start the engine: {error}") from None
    return _own.analyst
