"""What a lecture shows without setting anything: dialogues with the real process."""

from collections.abc import Iterator

import pytest

from engine.games.networks.network import COMPILED
from tests.protocol.gtp.client import Controller


@pytest.fixture(scope="module")
def controller(lolli_command: list[str]) -> Iterator[Controller]:
    """One process for all; each test sets its own game."""
    with Controller([*lolli_command, "gtp", "--game", "tree", "--seed", "1"]) as made:
        yield made


def stats(controller: Controller) -> dict[str, str]:
    """The answer to `search-stats`."""
    return dict(line.partition(" ")[::2] for line in controller.get("search-stats").split("\n"))


def test_odds_as_fractions_or_left_out(controller: Controller) -> None:
    for die in ("[1/6:1,1/6:2,1/6:3,1/6:4,1/6:5,1/6:6]", "[1,2,3,4,5,6]"):
        controller.get(f"set_game tree ({die},3)")
        assert "0: [1, 2, 3, 4, 5, 6]" in controller.get("showboard")
        controller.get("search-algorithm expectiminimax")
        assert controller.get("genmove b") == "0"
        assert controller.get("search-value") == "3.5"
    assert "trees with a name: lecture, reordered" in controller.fail("set_game tree lectures")


@pytest.mark.parametrize(
    ("tree", "searcher", "leaves"),
    [
        *(("lecture", "alphabeta", "7"), ("lecture", "minimax", "9"), ("reordered", "alphabeta", "5")),
        *(("sixteen", "alphabeta", "12"), ("sixteen", "minimax", "16")),
    ],
)
@pytest.mark.parametrize("limits", ["none", "seconds=5", "nodes=1000", "depth=9"])
def test_a_tree_is_searched_in_one_go(
    controller: Controller, tree: str, searcher: str, leaves: str, limits: str
) -> None:
    controller.get(f"search-limits {limits}")
    controller.get(f"set_game tree {tree}")
    controller.get(f"search-algorithm {searcher}")
    controller.get("genmove b")
    controller.get("search-limits none")
    told = stats(controller)
    assert (told["leaves"], told["exact"]) == (leaves, "true")
    assert "total-leaves" not in told


def test_the_last_depth_and_the_sum_are_told_apart(controller: Controller) -> None:
    controller.get("set_game connectfour")
    sums = [0, 0, 0]
    for depth in (1, 2, 3):
        controller.get(f"search-algorithm minimax depth={depth}")
        controller.get("reg_genmove b")
        told = stats(controller)
        assert "total-visited" not in told
        names = ("visited", "expanded", "leaves")
        sums = [before + int(told[name]) for before, name in zip(sums, names, strict=True)]
    controller.get("search-algorithm minimax")
    controller.get("search-limits depth=3")
    controller.get("reg_genmove b")
    controller.get("search-limits none")
    deepened = stats(controller)
    assert [deepened[name] for name in names] == [told[name] for name in names]
    assert [int(deepened[f"total-{name}"]) for name in names] == sums


@pytest.mark.parametrize(
    ("game", "size", "searcher", "value"),
    [("tictactoe", 3, "minimax", "0"), ("tictactoe", 3, "alphabeta", "0"), ("nim", 20, "alphabeta", "-1")],
)
def test_small_games_are_exact_by_default(
    controller: Controller, game: str, size: int, searcher: str, value: str
) -> None:
    controller.get(f"set_game {game}")
    controller.get(f"boardsize {size}")
    controller.get(f"search-algorithm {searcher}")
    controller.get("genmove b")
    assert controller.get("search-value") == value
    assert stats(controller)["exact"] == "true"


def test_what_is_asked_for_last_holds(controller: Controller) -> None:
    controller.get("set_game connectfour")
    controller.get("search-limits seconds=0.05")
    assert controller.get("search-algorithm uct exploration=0.7") == "", "says nothing about how long"
    assert controller.get("search-limits") == "seconds=0.05"
    assert controller.get("search-algorithm uct playouts=3000") == "playouts=3000 in place of seconds=0.05"
    assert controller.get("search-limits") == "playouts=3000"
    controller.get("genmove b")
    told = stats(controller)
    assert (told["playouts"], told["limits"]) == ("3000", "playouts=3000")
    controller.get("search-limits seconds=60")
    controller.get("genmove w")
    told = stats(controller)
    assert (told["playouts"], told["limits"]) == ("3000", "seconds=60 playouts=3000")
    controller.get("search-limits nodes=500")
    assert controller.get("search-algorithm alphabeta depth=4") == "depth=4 in place of nodes=500"
    controller.get("genmove b")
    told = stats(controller)
    assert (told["depth"], told["limits"]) == ("4", "depth=4")
    controller.get("search-limits depth=2")
    assert controller.get("search-algorithm montecarlo games=30") == "games=30 in place of depth=2"
    controller.get("genmove w")
    assert stats(controller)["limits"] == "playouts=210", "30 for each of the 7 moves"


def test_what_is_asked_for_together_holds_together(lolli_command: list[str]) -> None:
    words = ["--game", "connectfour", "--searcher", "uct", "--option", "playouts=500", "--time", "60"]
    with Controller([*lolli_command, "gtp", *words]) as controller:
        controller.get("time_settings 0 100 1")
        controller.get("genmove b")
        told = stats(controller)
        assert told["playouts"] == "500"
        assert told["limits"] == "seconds=60 playouts=500"


def test_the_limit_that_a_searcher_has_by_itself_is_told(controller: Controller) -> None:
    controller.get("set_game connectfour")
    for searcher, limits in (("uct", "playouts=1000"), ("alphabeta", "nodes=50000"), ("random", "none")):
        controller.get(f"search-algorithm {searcher}")
        controller.get("reg_genmove b")
        assert stats(controller)["limits"] == limits


@pytest.mark.skipif(not COMPILED, reason="networks are too slow in plain Python")
def test_connect_four_is_played_with_its_network(controller: Controller) -> None:
    controller.get("set_game connectfour")
    assert controller.get("search-algorithm").startswith("puct-fast ")
    controller.get("set_game connectfour columns=5")
    assert controller.get("search-algorithm").startswith("uct-fast ")


def test_options_of_go_are_those_that_play(controller: Controller) -> None:
    controller.get("set_game go")
    playing, *possible = controller.get("search-algorithm").split("\n")
    assert playing == (
        "uct-fast playouts=10000 exploration=0.0 final=visits expand_after=4 rave=1000.0"
        " priors=true policy=40.0 network=shipped network_after=16 network_visits=8"
        " network_bias=0.3 bias=0.0 widening=0.0 solver=false reuse=true megabytes=256 threads=1"
    )
    assert any(line.startswith(f"{playing}: ") for line in possible)
    controller.get("search-algorithm uct-fast rave=0 exploration=0.5")
    assert "exploration=0.5 final=visits expand_after=4 rave=0.0 " in controller.get("search-algorithm")
    controller.get("set_game focus players=3")
    needs_two = controller.fail("search-algorithm uct-fast solver=on")
    assert needs_two == "solver needs two players, not 3"
    assert "priors needs" in controller.fail("search-algorithm uct-fast priors=on")
    controller.get("search-algorithm uct-fast solver=off priors=off")


@pytest.mark.parametrize("searcher", ["alphabeta", "uct", "montecarlo"])
def test_a_value_that_is_not_exact_says_so(controller: Controller, searcher: str) -> None:
    controller.get("set_game connectfour")
    controller.get(f"search-algorithm {searcher}")
    controller.get("genmove b")
    told = stats(controller)
    assert told["exact"] == "false"
    assert told["value"] == controller.get("search-value")
    number, mark = told["value"].split()
    assert -1 <= float(number) <= 1
    assert mark == "(estimate)"
