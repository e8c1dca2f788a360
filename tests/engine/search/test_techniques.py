"""Every switch and every number in the table of parameters is connected."""

from functools import cache

import pytest

from engine.board.fen import START_FEN
from engine.board.position import COMPILED
from engine.search.limits import Limits, Settings
from engine.search.parameters import NUMBERS, TECHNIQUES, Parameters
from tests.engine.search.searching import changed, nodes, only, opened, search, sized, without

PAWNS = "8/5pk1/6p1/3P4/8/6P1/5PK1/8 w - - 0 1"
ROOKS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
LADDER = "2r3k1/pp3ppp/8/3p4/3P4/4P3/PP1R1PPP/6K1 w - - 0 1"
CORNERED = "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1"
MATE = "6k1/5ppp/8/8/8/8/r4q2/K6R w - - 0 1"
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9"

WHERE_IT_MAY_MATTER = (
    *((fen, depth) for depth in (2, 3) for fen in (PAWNS, ROOKS, LADDER, CORNERED, MATE, MIDDLE_GAME)),
    *((fen, depth) for depth in (4, 5, 6, 7) for fen in (PAWNS, ROOKS, LADDER, CORNERED)),
    *((fen, depth) for depth in (5, 6, 8) for fen in (MIDDLE_GAME, ROOKS)),
    *((fen, depth) for depth in (10, 12) for fen in (MIDDLE_GAME, ROOKS) if COMPILED),
)
"""Cheap searches first."""

SAVES_NODES = (
    *("ordering", "principal_variation", "reverse_futility"),
    *("null_move", "late_move_pruning", "late_move_reductions"),
)
"""Over a few positions together; in a single one it may be otherwise."""

BESIDE = {"history_pruning": {"history_margin": 800}}
"""What else has to be set for a parameter to matter in small searches."""

HARDLY_MATTERS = {"history_depth", "futility_depth"}  # numbers that change nothing in so small searches


@cache
def usual(fen: str, depth: int, name: str) -> int:
    """The nodes of a search by the usual parameters, but for what is set beside one of them."""
    return nodes(fen, depth, changed(**BESIDE.get(name, {})))


def matters(name: str, value: int) -> bool:
    also = BESIDE.get(name, {})
    return any(
        nodes(fen, depth, changed(**{**also, name: value})) != usual(fen, depth, name if also else "")
        for fen, depth in WHERE_IT_MAY_MATTER
    )


DEAR = {"probcut", "history_pruning", "singular_extensions", "multicut"}
"""Techniques that matter in larger searches alone, which take plain Python too long."""


@pytest.mark.parametrize("name", [name for name in TECHNIQUES if COMPILED or name not in DEAR])
def test_switch_changes_the_search(name: str) -> None:
    assert matters(name, int(not TECHNIQUES[name].default))


@pytest.mark.parametrize("name", [name for name in NUMBERS if name not in HARDLY_MATTERS][:: sized(1, 8)])
def test_number_changes_the_search(name: str) -> None:
    number = NUMBERS[name]
    assert any(matters(name, end) for end in (number.low, number.high) if end != number.default)


@pytest.mark.parametrize("name", SAVES_NODES)
def test_technique_saves_nodes(name: str) -> None:
    positions = (PAWNS, ROOKS, LADDER, CORNERED)
    assert sum(nodes(fen, 5) for fen in positions) < sum(nodes(fen, 5, without(name)) for fen in positions)


@pytest.mark.parametrize("name", ["table", "killers", "history"])
def test_memory_saves_nodes_of_plain_alpha_beta(name: str) -> None:
    plain, positions = ("alpha_beta", "quiescence", "ordering"), ((MIDDLE_GAME, 4), (ROOKS, 5), (PAWNS, 7))
    with_it, without_it = (
        sum(nodes(fen, depth, only(*plain, *more)) for fen, depth in positions) for more in ((name,), ())
    )
    assert with_it < without_it


@pytest.mark.parametrize("name", NUMBERS)
def test_search_works_at_both_ends_of_a_number(name: str) -> None:
    """It finds the mate in one, and elsewhere a line of legal moves, which the session sees to."""
    for end in (NUMBERS[name].low, NUMBERS[name].high):
        with opened(Settings(parameters={name: end})) as session:
            heard = search(session, Limits(depth=sized(6, 2)), MIDDLE_GAME)
            assert heard.best != "0000"
            assert heard.last.depth == sized(6, 2)
            assert search(session, Limits(depth=sized(5, 3)), "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1").mate == 1


def test_switches_are_at_their_defaults_until_changed() -> None:
    use = Parameters()
    for name, technique in TECHNIQUES.items():
        assert getattr(use, name) is technique.default
        for on in (0, 1):
            use.reset({name: on})
            assert getattr(use, name) is bool(on)
    use.reset({})
    for name, number in NUMBERS.items():
        assert getattr(use, name) == number.default
        use.reset({name: number.low})
        assert getattr(use, name) == number.low


def test_without_guesses_nothing_guesses() -> None:
    use = Parameters()
    use.reset({"null_move": 1, "late_depth": 5}, guesses=False)
    for name, technique in TECHNIQUES.items():
        assert getattr(use, name) is (technique.default and not technique.guess)
    assert use.late_depth == 5


def test_bare_search_visits_every_node() -> None:
    """Without any technique the search at depth 3 visits all lines of up to three plies."""
    plies = (20, 20 + 400, 20 + 400 + 8902)
    for depth in (1, 2, 3):
        assert nodes(START_FEN, depth, only()) == sum(plies[:depth])


def test_killers_are_of_one_search_and_history_is_of_the_game() -> None:
    """A search is not the same on what was learned before, and is the same once that is forgotten."""
    fen, depth = PAWNS, 7
    with opened() as session:
        first = search(session, Limits(depth=depth), fen).last.nodes
        session.clear_table()
        assert search(session, Limits(depth=depth), fen).last.nodes != first
        session.new_game()
        assert search(session, Limits(depth=depth), fen).last.nodes == first
