"""What a lecture shows without setting anything: dialogues with the real process."""

from collections.abc import Iterator

import pytest

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
