"""How players are described."""

import pytest

from engine.games.players.catalogue import game
from engine.games.textbook.search import SearchLimits
from protocol.cli.tournaments.entrant import EntrantError, entrants

USUAL = SearchLimits(depth=2)


def test_limits_of_its_own_come_before_those_of_all() -> None:
    (entrant,) = entrants(["uct:exploration=0.7:playouts=5:seconds=0.25"], game("tictactoe"), USUAL)
    assert entrant.searcher == "uct"
    assert entrant.options == (("exploration", "0.7"),)
    assert entrant.limits == SearchLimits(seconds=0.25, depth=2, playouts=5)


def test_the_same_twice_is_told_apart() -> None:
    found = entrants(["random", "minimax", "random"], game("tictactoe"), USUAL)
    assert [entrant.label for entrant in found] == ["random #1", "minimax", "random #2"]


def test_a_level_brings_its_limits() -> None:
    strongest = entrants(["level1"], game("tictactoe"), SearchLimits(depth=1, nodes=3))[0]
    assert strongest.limits.depth == 1
    assert strongest.limits.nodes == 3


@pytest.mark.parametrize("text", ["uct-fast:seconds=1e300", "uct-fast:nodes=" + "9" * 30, "level1"])
def test_enormous_limits_are_cut_to_size(text: str) -> None:
    """Those of compiled searchers are small numbers."""
    made = game("connectfour")
    (entrant,) = entrants([text], made, SearchLimits(depth=10**9, playouts=10))
    assert entrant.player(made, 1).choose(made.start(), entrant.limits).move in made.start().moves()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "unknown searcher ''"),
        ("nobody", "unknown searcher 'nobody': choose from random, "),
        ("level0", "unknown level 0"),
        ("level999", "unknown level 999"),
        ("uct:c", "'c' is not of the form NAME=VALUE"),
        ("uct:exploration=fast", "exploration"),
        ("uct:colour=red", "colour"),
        ("minimax:depth=0", "depth must be a whole number above 0"),
        ("minimax:depth=²", "depth must be a whole number above 0"),
        ("minimax:seconds=nan", "seconds must be a number above 0"),
        ("minimax:seconds=-1", "seconds must be a number above 0"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(text: str, said: str) -> None:
    with pytest.raises(EntrantError) as error:
        entrants([text], game("tictactoe"), USUAL)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_who_cannot_play_a_game() -> None:
    with pytest.raises(EntrantError, match="minimax: "):
        entrants(["minimax"], game("backgammon"), USUAL)
