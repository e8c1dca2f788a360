"""`bench`: a fixed amount of searching, whose node count is the signature of the search."""

from collections.abc import Callable, Iterator

from engine import clock
from engine.search.limits import Limits
from engine.search.report import Outcome, Progress, Report
from engine.session import Session
from eval.choice import DEFAULT, Choices
from protocol.uci.bench_positions import POSITIONS
from protocol.uci.replies import per_second

DEFAULT_DEPTH = 10  # takes about a second, compiled
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


def counts(session: Session, depth: int, stopped: Callable[[], bool]) -> Iterator[tuple[str, int]]:
    """Each position and its nodes: searched to that depth, one thread, nothing remembered from the last.

    Ends early after a stop. Closes the session.
    """
    try:
        for fen in POSITIONS:
            nodes = _search(session, fen, depth, stopped)
            if stopped():
                return
            yield fen, nodes
    finally:
        session.close()


def report(
    session: Session, depth: int, stopped: Callable[[], bool], say: Callable[[str], None]
) -> list[str]:
    """Say a line for each of `counts`, and return the line with the sum."""
    total = number = 0
    started = clock.now()
    for number, (fen, nodes) in enumerate(counts(session, depth, stopped), 1):
        total += nodes
        say(position_line(number, fen, nodes))
    if number < len(POSITIONS):
        return ["info string bench stopped"]
    return [sum_line(total, (clock.now() - started) // 1_000_000)]


def position_line(number: int, fen: str, nodes: int) -> str:
    """What is said of the position of that number, from 1."""
    return f"position {number}/{len(POSITIONS)}: {nodes} nodes, {fen}"


def sum_line(nodes: int, milliseconds: int) -> str:
    """`N nodes M nps`, which OpenBench and others read."""
    return f"{nodes} nodes {per_second(nodes, milliseconds)} nps"


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
