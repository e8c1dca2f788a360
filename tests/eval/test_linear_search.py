"""The linear evaluation as the search has it: the values it is given, and the same ones every time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.constants import MATE
from engine.search.limits import Limits
from engine.session import Session
from eval.linear import Linear
from eval.weight_file import save
from tests.engine.search.searching import EXACT, deepening, last, only, opened, search, sized
from tests.engine.search.signature import WITH_EVALUATORS as SEARCHES
from tests.eval.boards import few_pieces, from_book
from tests.eval.some_weights import standard_weights


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "weights.json"
    save(path, standard_weights())
    with opened() as session:
        session.load_weights(path)
        session.use_evaluator("linear")
        yield session


def minimax(position: Position, depth: int, linear: Linear) -> int:
    if depth == 0:
        value = linear.trace(position).value
        return -value if position.side else value
    best = -MATE if position.checkers else 0
    for number, move in enumerate(legal_moves(position)):
        position.make(move)
        value = 0 if position.is_insufficient() else -minimax(position, depth - 1, linear)
        best = max(best, value) if number else value
        position.unmake()
    return best


@pytest.mark.parametrize("techniques", [(), EXACT], ids=["bare", "usual"])
@pytest.mark.parametrize(
    "fen",
    [
        "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/5k2/8/P7/3b4/3B4/1p4K1/8 b - - 0 1",
        "8/8/4k3/8/8/8/8/1N2KB2 w - - 0 1",
        "4k3/8/8/3p4/8/4N3/8/4KR2 w - - 0 1",
    ],
)
def test_search_of_two_plies_finds_the_best_of_all_leaves(fen: str, techniques: tuple[str, ...]) -> None:
    run = deepening(fen, only(*techniques), evaluator=Linear(standard_weights()))
    assert last(run, 2).best.score == minimax(parse_fen(fen), 2, Linear(standard_weights()))


# Found where a search depended on what the evaluator remembered of the one before.
SENSITIVE = (
    "4Q3/2k5/2R4P/8/6q1/3K4/5r2/5r2 b - - 0 1",
    "8/K3nk2/1P4b1/8/8/4p3/2P1q3/8 b - - 0 1",
    "2n5/8/1p1K4/6P1/5P1p/8/3P4/1k6 w - - 0 1",
    "8/8/1p4k1/3b4/p5K1/1b6/8/8 b - - 0 1",
    "8/3P4/3N1P1P/K6k/8/8/5n2/8 w - - 0 1",
)


def test_search_is_the_same_after_a_new_game(session: Session) -> None:
    """What the evaluator remembers of the first search makes no difference to the second."""
    depth, nodes = sized(8, 5), sized(20_000, 1_000)
    boards = [make(seed).fen() for seed in range(sized(10, 3)) for make in (from_book, few_pieces)]

    def told(fen: str) -> list[tuple[int, ...]]:
        session.new_game()
        heard = search(session, Limits(depth=depth, nodes=nodes), fen)
        return [(each.score.value, each.nodes, *each.moves) for each in heard.reports]

    for fen in [*SENSITIVE, *(fen for fen, _ in SEARCHES[:4]), *boards]:
        first = told(fen)
        assert told(fen) == first, fen
