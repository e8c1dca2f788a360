"""Every switch in the table of techniques is connected."""

import pytest

from engine.board.fen import START_FEN
from engine.search.techniques import TECHNIQUES, Techniques
from tests.search.searching import nodes, only, without

PAWNS = "8/5pk1/6p1/3P4/8/6P1/5PK1/8 w - - 0 1"
ROOKS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
MATE = "6k1/5ppp/8/8/8/8/r4q2/K6R w - - 0 1"
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9"

WHERE_IT_MATTERS = {
    "alpha_beta": (MATE, 3),
    "quiescence": (MIDDLE_GAME, 3),
    "table": (PAWNS, 6),
    "ordering": (ROOKS, 4),
    "killers": (ROOKS, 5),
    "history": (PAWNS, 6),
    "principal_variation": (ROOKS, 4),
    "aspiration": (PAWNS, 6),
    "check_extension": (ROOKS, 4),
    "mate_distance": (MATE, 3),
    "null_move": (ROOKS, 5),
    "late_move_reductions": (ROOKS, 5),
}
"""Singular extensions have a test of their own."""

SAVES_NODES = ("alpha_beta", "table", "ordering", "principal_variation", "null_move", "late_move_reductions")


def test_none_is_forgotten() -> None:
    assert {*WHERE_IT_MATTERS, "singular_extensions"} == {*TECHNIQUES}


@pytest.mark.parametrize("name", WHERE_IT_MATTERS)
def test_switch_changes_the_search(name: str) -> None:
    fen, depth = WHERE_IT_MATTERS[name]
    usual, switched_off = nodes(fen, depth), nodes(fen, depth, without(name))
    assert usual != switched_off
    if name in SAVES_NODES:
        assert usual < switched_off


@pytest.mark.parametrize("name", TECHNIQUES)
def test_switch_names_an_attribute(name: str) -> None:
    use = Techniques()
    assert getattr(use, name) is (name != "singular_extensions")
    for on in (False, True):
        use.switch(name, on)
        assert getattr(use, name) is on


def test_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError):
        Techniques().switch("magic", True)


def test_bare_search_visits_every_node() -> None:
    """Without any technique the search at depth 3 visits all lines of up to three plies."""
    plies = (20, 20 + 400, 20 + 400 + 8902)
    for depth in (1, 2, 3):
        assert nodes(START_FEN, depth, only()) == sum(plies[:depth])
