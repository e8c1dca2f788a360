"""`bench`: a fixed amount of searching, whose node count is the signature of the search."""

from collections.abc import Callable

from engine.search import clock
from engine.search.limits import Limits
from engine.search.report import Outcome, Progress, Report
from engine.session import Session
from eval.choice import DEFAULT, Choices
from protocol.bench_positions import POSITIONS
from protocol.uci_replies import per_second

DEFAULT_DEPTH = 10  # takes about five seconds, compiled
POLL = 0.05  # seconds between two looks at whether to stop


class Counter:
    """Listens to one search and keeps its node count."""

    def __init__(self) -> None:
        self.nodes = 0
        self.error: BaseException | None = None

    def report(self, report: Report) -> None:
        """The reports' counts only grow."""
        self.nodes = report.nodes

    def progress(self, progress: Progress) -> None:
        """Of no interest."""

    def outcome(self, outcome: Outcome) -> None:
        """Of no interest."""

    def failed(self, error: BaseException) -> None:
        """A search that broke down has no count; the bench fails with it."""
        self.error = error


def fresh_session(evaluator: str = DEFAULT, choices: Choices | None = None) -> Session:
    """What every bench begins with, whatever was set before. Raises EvaluatorError: no other will do."""
    session = Session(choices=choices)
    session.use_evaluator(evaluator)
    return session


def report(
    session: Session, depth: int, stopped: Callable[[], bool], say: Callable[[str], None]
) -> list[str]:
    """Search every position to that depth, one thread, nothing remembered from one to the next.

    Says a line per position, closes the session, and returns the line with the sum: `N nodes M nps`.
    """
    total = 0
    started = clock.now()
    try:
        for number, fen in enumerate(POSITIONS, 1):
            nodes = _search(session, fen, depth, stopped)
            if stopped():
                return ["info string bench stopped"]
            total += nodes
            say(f"position {number}/{len(POSITIONS)}: {nodes} nodes, {fen}")
    finally:
        session.close()
    milliseconds = (clock.now() - started) // 1_000_000
    return [f"{total} nodes {per_second(total, milliseconds)} nps"]


def _search(session: Session, fen: str, depth: int, stopped: Callable[[], bool]) -> int:
    counter = Counter()
    session.new_game()
    session.set_position(fen)
    session.go(Limits(depth=depth), counter)
    while not session.wait(POLL):
        if stopped():
            session.stop()
    if counter.error:
        raise counter.error
    return counter.nodes
