"""Small steps of the search, called by themselves: they are C methods, so in plain Python alone."""

import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.move import is_quiet
from engine.board.movegen import legal_moves
from engine.board.position import COMPILED
from engine.search.alphabeta import Searcher
from engine.search.constants import EXACT, LOWER, MATE, TABLEBASE_WIN, UNKNOWN, UPPER
from engine.search.parameters import Parameters
from tests.engine.search.searching import deepening, without

pytestmark = pytest.mark.skipif(COMPILED, reason="looks at C methods")

PAWN_ENDING = "4k3/8/8/8/8/8/4P3/4K3 w - - {} 90"


def searcher(fen: str = START_FEN, use: Parameters | None = None) -> Searcher:
    found = deepening(fen, use).searcher
    found.pos = parse_fen(fen)
    found.new_depth(8)
    return found


@pytest.mark.parametrize(
    ("fen", "scaled"),
    [
        (START_FEN, 1000 + 97),
        (PAWN_ENDING.format(0), 1000 - 137),
        (PAWN_ENDING.format(50), 863 - 216),
        (PAWN_ENDING.format(100), 863 - 432),
        (PAWN_ENDING.format(9999), 863 - 432),
    ],
)
def test_static_value_is_scaled_by_material_and_by_moves_without_progress(fen: str, scaled: int) -> None:
    assert searcher(fen)._scaled(1000) == pytest.approx(scaled, abs=1)
    assert searcher(fen)._scaled(-1000) == pytest.approx(-scaled, abs=2)
    assert searcher(fen)._scaled(0) == 0


@pytest.mark.parametrize(
    ("known", "clock", "taken"),
    [
        *((MATE - 20, 89, True), (MATE - 20, 90, False), (-MATE + 20, 90, False)),
        *((TABLEBASE_WIN - 20, 89, True), (TABLEBASE_WIN - 20, 90, False), (300, 90, True), (-300, 99, True)),
    ],
)
def test_static_value_ignores_a_table_win_near_the_fifty_move_limit(
    known: int, clock: int, taken: bool
) -> None:
    found = searcher(PAWN_ENDING.format(clock))
    found.table.store(1, 0, known, 9, EXACT, 0, False)
    assert found._table_adjusted(50, found.table.probe(1), known) == (known if taken else 50)


@pytest.mark.parametrize(
    ("reduction", "before", "static", "deeper"),
    [(3, 50, -50, 1), (3, 50, -49, 0), (2, 50, -50, 0), (3, UNKNOWN, -50, 0), (3, 50, UNKNOWN, 0)],
)
def test_hindsight_extends_where_a_reduced_move_has_cost_nothing(
    reduction: int, before: int, static: int, deeper: int
) -> None:
    """`static` is of the position after the move, so from the other side's point of view."""
    for use, expected in ((None, deeper), (without("hindsight_extension"), 0)):
        plies = (found := searcher(use=use)).plies
        plies[4].reduction, plies[4].static_value, plies[5].static_value = reduction, before, static
        assert found._hindsight_extension(5) == expected
        assert found._hindsight_extension(0) == 0


def test_late_root_moves_are_reduced_by_one_ply_at_least_and_searched_to_one() -> None:
    found = searcher()
    quiet = [move for move in legal_moves(found.pos) if is_quiet(move)]
    reductions = [
        [found._root_reduction(quiet[0], depth, number) for depth in range(3, 40)] for number in (4, 40)
    ]
    for of_number in reductions:
        assert of_number == sorted(of_number)
        assert all(1 <= plies <= depth - 2 for depth, plies in enumerate(of_number, 3))
    assert reductions[0][-1] < reductions[1][-1]


@pytest.mark.parametrize(
    ("bound", "static", "depth", "extends"),
    [
        *((LOWER, 5, 5, True), (LOWER, 6, 5, False), (UPPER, 5, 5, False), (EXACT, 5, 5, False)),
        *((LOWER, 5, 6, False), (LOWER, UNKNOWN, 5, False)),
    ],
)
def test_hash_move_is_extended_near_the_horizon_where_it_alone_is_known_to_be_good(
    bound: int, static: int, depth: int, extends: bool
) -> None:
    found = searcher()
    found.table.store(1, 0, 30, depth, bound, 0, False)
    entry = found.table.probe(1)
    assert found._may_extend_shallow(30, entry, static, depth, 3) == extends
    assert not found._may_extend_shallow(30, entry, static, depth, 16)
    off = searcher(use=without("shallow_extension"))
    assert not off._may_extend_shallow(30, entry, static, depth, 3)
