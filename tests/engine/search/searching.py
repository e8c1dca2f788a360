"""What the tests search with: a listener that keeps all it hears, and short ways to a search."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random

from engine.board.fen import START_FEN, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.position import COMPILED, Position
from engine.search.alphabeta import Searcher
from engine.search.constants import MAX_DEPTH
from engine.search.limits import Limits, Settings
from engine.search.parameters import NUMBERS, TECHNIQUES, Parameters
from engine.search.report import Iteration, Outcome, Progress, Report
from engine.search.root_search import RootSearch
from engine.search.table import Table
from engine.session import Session
from engine.system.control import Control
from eval.evaluator import Evaluator
from eval.material import Material
from tests.patience import PATIENCE

SURE = {name: 0 for name, technique in TECHNIQUES.items() if technique.guess}
"""The parameters with which nothing is guessed."""

LOOKS_FURTHER = {
    *("quiescence", "quiescence_exchange", "quiescence_table"),
    *("check_extension", "singular_extensions", "double_extensions"),
    *("horizon_extension", "shallow_extension", "hindsight_extension"),
}
EXACT = tuple(name for name, each in TECHNIQUES.items() if not each.guess and name not in LOOKS_FURTHER)
"""What saves work without changing the value at depths up to 3."""


class Recorder:
    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.heard_progress: list[Progress] = []
        self.outcomes: list[Outcome] = []
        self.errors: list[BaseException] = []

    def report(self, report: Report) -> None:
        self.reports.append(report)

    def progress(self, progress: Progress) -> None:
        self.heard_progress.append(progress)

    def outcome(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def failed(self, error: BaseException) -> None:
        self.errors.append(error)

    @property
    def last(self) -> Report:
        return self.reports[-1]

    @property
    def best(self) -> str:
        (outcome,) = self.outcomes
        return move_text(outcome.best)

    @property
    def value(self) -> int:
        return self.last.score.value

    @property
    def mate(self) -> int | None:
        return self.last.score.mate()

    def lines(self, depth: int) -> list[tuple[int, list[str]]]:
        """Score and moves of each line of a depth, the best first."""
        return [
            (each.score.value, [move_text(move) for move in each.moves])
            for each in self.reports
            if each.depth == depth
        ]


@contextmanager
def opened(settings: Settings | None = None, megabytes: int = 1) -> Iterator[Session]:
    """A session with the material evaluator, whose values are known; closed afterwards."""
    session = Session(settings, megabytes)
    session.use_evaluator("material")
    try:
        yield session
    finally:
        session.close()


def search(session: Session, limits: Limits, fen: str = START_FEN, moves: Sequence[str] = ()) -> Recorder:
    """Search a position to the end; what was heard."""
    session.set_position(fen, moves)
    return go(session, limits)


def go(session: Session, limits: Limits) -> Recorder:
    """Search the session's own position to the end; what was heard."""
    listener = Recorder()
    session.go(limits, listener)
    assert session.wait(PATIENCE)
    assert not listener.errors, listener.errors
    assert len(listener.outcomes) == 1
    return listener


def only(*names: str) -> Parameters:
    return changed(**{name: name in names for name in TECHNIQUES})


def surely(*names: str) -> Parameters:
    """The usual techniques except those that guess and these."""
    return changed(**SURE | dict.fromkeys(names, 0))


def without(*names: str) -> Parameters:
    """The usual techniques except these."""
    return changed(**dict.fromkeys(names, 0))


def changed(**changes: int) -> Parameters:
    """The usual parameters except for these techniques and numbers."""
    assert {*changes} <= {*TECHNIQUES, *NUMBERS}
    use = Parameters()
    use.reset(changes)
    return use


def deepening(
    fen: str,
    use: Parameters | None = None,
    lines: int = 1,
    node_limit: int | None = None,
    evaluator: Evaluator | None = None,
    moves: list[int] | None = None,
    table: Table | None = None,
) -> RootSearch:
    """A search from a position by one thread, without session and clock; `iterations` runs it."""
    use = use or Parameters()
    position = parse_fen(fen)
    root = RootSearch(Searcher(table or Table(1), Control(), evaluator or Material(), use))
    root.begin(position, moves or legal_moves(position), lines, node_limit)
    return root


def iterations(run: RootSearch, max_depth: int = MAX_DEPTH) -> Iterator[Iteration]:
    return (each for each in run.deepen(max_depth) if isinstance(each, Iteration))


def last(run: RootSearch, max_depth: int = MAX_DEPTH) -> Iteration:
    """Run a search to its end; its last depth."""
    return [*iterations(run, max_depth)][-1]


def nodes(fen: str, depth: int, use: Parameters | None = None) -> int:
    run = deepening(fen, use)
    last(run, depth)
    return run.searcher.nodes


def sized(compiled: int, plain: int) -> int:
    """The size of a test in either mode: plain Python takes a hundred times as long."""
    return compiled if COMPILED else plain


def random_position(rng: Random, plies: int) -> Position:
    """The position after `plies` random moves, or fewer if the game is over before."""
    position = parse_fen(START_FEN)
    for _ in range(plies):
        if moves := legal_moves(position):
            position.advance(rng.choice(moves))
    return position
