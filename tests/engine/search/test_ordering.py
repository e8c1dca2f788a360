"""The order in which moves are tried, as it shows in what a search costs."""

import pytest

from engine.search.limits import Limits
from tests.engine.search.searching import nodes, only, opened, search

PLAIN = ("alpha_beta", "quiescence", "ordering")
POSITIONS = [
    ("r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9", 4),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5),
    ("8/5pk1/6p1/3P4/8/6P1/5PK1/8 w - - 0 1", 7),
]


def cost(*names: str, off: int = 0) -> int:
    """The nodes over the positions with these techniques alone, `off` plies less deep."""
    return sum(nodes(fen, depth - off, only(*names)) for fen, depth in POSITIONS)


def test_good_moves_first_make_alpha_beta_cheap() -> None:
    assert cost("alpha_beta", "ordering", off=1) < 0.9 * cost("alpha_beta", off=1)


def test_hash_move_first_saves_nodes() -> None:
    assert cost(*PLAIN, "table") < 0.9 * cost(*PLAIN)


@pytest.mark.parametrize("name", ["killers", "history"])
def test_memory_of_good_quiet_moves_saves_nodes(name: str) -> None:
    """Over the positions together: in a single one it may be otherwise."""
    assert cost(*PLAIN, name) < cost(*PLAIN)


def test_killers_are_of_one_search_and_history_is_of_the_game() -> None:
    """A search is not the same on what was learned before, and is the same once that is forgotten."""
    fen, depth = POSITIONS[2]
    with opened() as session:
        first = search(session, Limits(depth=depth), fen).last.nodes
        session.clear_table()
        assert search(session, Limits(depth=depth), fen).last.nodes != first
        session.new_game()
        assert search(session, Limits(depth=depth), fen).last.nodes == first
