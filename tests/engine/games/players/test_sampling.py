"""Monte-Carlo, UCT and its twin as players."""

import pytest

from engine.games.catalogue import game
from engine.games.search.basics import SearchLimits
from engine.games.searchers import player
from tests.engine.games.search.fours import after
from tests.stopping import stopped


@pytest.mark.parametrize("name", ["montecarlo", "uct", "uct-fast"])
def test_as_players(name: str) -> None:
    connect_four = game("connectfour")
    first, second = player(connect_four, name, seed=5), player(connect_four, name, seed=5)
    state = connect_four.start()
    limits = SearchLimits(playouts=60)
    assert first.choose(state, limits).tried == second.choose(state, limits).tried
    assert first.choose(state, limits).counts.playouts == 60
    for few in (0, 1):
        assert first.choose(state, SearchLimits(playouts=few)).move in state.moves()
    assert first.choose(state, SearchLimits(seconds=0)).move in state.moves()
    assert first.choose(state, SearchLimits(seconds=0.05)).seconds < 60


@pytest.mark.parametrize(
    ("name", "option", "number"),
    [("montecarlo", "games", 7 * 3), ("uct", "playouts", 3), ("uct-fast", "playouts", 3)],
)
def test_own_number_of_playouts_where_there_is_no_limit(name: str, option: str, number: int) -> None:
    connect_four = game("connectfour")
    someone = player(connect_four, name, options={option: "3"})
    for limits in (SearchLimits(), SearchLimits(depth=4)):
        assert someone.choose(connect_four.start(), limits).counts.playouts == number


@pytest.mark.parametrize("name", ["montecarlo", "uct"])
def test_stop_answers_at_once(name: str) -> None:
    someone = player(game("connectfour"), name)
    with stopped(someone.stop):
        someone.choose(after(""), SearchLimits(seconds=1000))


def test_options_of_the_compiled_one() -> None:
    options = {"rave": "300", "expand_after": "2", "solver": "false", "final": "rate", "megabytes": "8"}
    someone = player(game("connectfour"), "uct-fast", options=options)
    decision = someone.choose(after(""), SearchLimits(playouts=500))
    assert decision.value == max(tried.mean for tried in decision.tried)
