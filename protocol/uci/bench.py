"""`bench`: a fixed set of searches, whose node count is the signature of the search.

Another position changes the node count by which versions are compared.
"""

from collections.abc import Callable, Iterator

from engine.search.limits import Limits
from engine.search.report import Outcome, Progress, Report
from engine.session import Session
from engine.system import control
from eval.choice import Choices
from protocol.uci.replies import per_second

DEFAULT_DEPTH = 10  # takes about a second, compiled
POLL = 0.05  # seconds between two looks at whether to stop

BRATKO_KOPEC = (
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    "1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - - 0 1",
    "4b3/p3kp2/6p1/3pP2p/2pP1P2/4K1P1/P3N2P/8 w - - 0 1",
    "2kr1bnr/pbpq4/2n1pp2/3p3p/3P1P1B/2N2N1Q/PPP3PP/2KR1B1R w - - 0 1",
    "3rr1k1/pp3pp1/1qn2np1/8/3p4/PP1R1P2/2P1NQPP/R1B3K1 b - - 0 1",
    "2r1nrk1/p2q1ppp/bp1p4/n1pPp3/P1P1P3/2PBB1N1/4QPPP/R4RK1 w - - 0 1",
    "r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1",
    "r2q1rk1/4bppp/p2p4/2pP4/3pP3/3Q4/PP1B1PPP/R3R1K1 w - - 0 1",
    "rnb2r1k/pp2p2p/2pp2p1/q2P1p2/8/1Pb2NP1/PB2PPBP/R2Q1RK1 w - - 0 1",
    "2r3k1/1p2q1pp/2b1pr2/p1pp4/6Q1/1P1PP1R1/P1PN2PP/5RK1 w - - 0 1",
    "r1bqkb1r/4npp1/p1p4p/1p1pP1B1/8/1B6/PPPN1PPP/R2Q1RK1 w kq - 0 1",
    "r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1",
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1",
    "3rr3/2pq2pk/p2p1pnp/8/2QBPP2/1P6/P5PP/4RRK1 b - - 0 1",
    "r4k2/pb2bp1r/1p1qp2p/3pNp2/3P1P2/2N3P1/PPP1Q2P/2KRR3 w - - 0 1",
    "3rn2k/ppb2rpp/2ppqp2/5N2/2P1P3/1P5Q/PB3PPP/3RR1K1 w - - 0 1",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
    "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1",
    "r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1",
)
"""The test of Bratko and Kopec, 1982: BK.01 to BK.24."""

POSITIONS = (
    # Openings
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 4",
    "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 1 6",
    # Rich in captures, castling, promotions and en passant: known from counts of legal moves
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    *BRATKO_KOPEC,
    # Endgames: rook and pawn (Lucena, Philidor), pawns alone (Fine, Réti), and the elementary mates
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",
    "4k3/R7/7r/3KP3/8/8/8/8 b - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
    "8/8/8/8/8/3k4/8/3KBN2 w - - 0 1",
    "8/8/1p2k1p1/3p3p/1p1P1P1P/1P2PK2/8/8 w - - 0 1",
    "8/5k2/8/p1q5/8/8/1Q3P2/6K1 b - - 0 1",
    # Close to the end of the game: mate in three, close to the fifty moves, mated, stalemate
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
    "8/8/4k3/8/8/3QK3/8/8 w - - 93 120",
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
)


class Counter:
    """A listener that keeps the node count of one search."""

    def __init__(self) -> None:
        self.nodes = 0
        self.error: BaseException | None = None

    def report(self, report: Report) -> None:
        self.nodes = report.nodes

    def progress(self, progress: Progress) -> None:
        """Ignored."""

    def outcome(self, outcome: Outcome) -> None:
        """Ignored."""

    def failed(self, error: BaseException) -> None:
        self.error = error


def fresh_session(evaluator: str | None = None, choices: Choices | None = None) -> Session:
    """A session with default settings and, if given, the evaluator of that name. Raises EvaluatorError."""
    session = Session(choices=choices)
    if evaluator is not None:
        session.use_evaluator(evaluator)
    return session


def counts(session: Session, depth: int, stopped: Callable[[], bool]) -> Iterator[tuple[str, int]]:
    """Each position with its nodes, searched to `depth` by one thread with an empty table.

    Ends early where `stopped()` is true. Closes the session.
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
    """Pass a line for each of `counts` to `say`, and return the line with the sum."""
    total = number = 0
    started = control.now()
    for number, (fen, nodes) in enumerate(counts(session, depth, stopped), 1):
        total += nodes
        say(position_line(number, fen, nodes))
    if number < len(POSITIONS):
        return ["info string bench stopped"]
    return [sum_line(total, (control.now() - started) // 1_000_000)]


def position_line(number: int, fen: str, nodes: int) -> str:
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
