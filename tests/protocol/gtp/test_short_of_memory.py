"""Trees have a bound and survive it: the real process where there is little memory."""

import sys
from itertools import product
from pathlib import Path

import pytest

from tests.poorer import in_group, within
from tests.protocol.gtp.client import Controller

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")

GAMES = ["go", "othello", "connectfour"]
PLAYOUTS = {"go": 4_000, "othello": 40_000, "connectfour": 250_000}  # a second or two
QUICK_SIZES = [(80, "uct-fast", "go"), (200, "uct", "othello"), (700, "uct-fast", "connectfour")]
SIZES = [
    pytest.param(*each, marks=() if each in QUICK_SIZES else pytest.mark.slow)
    for each in product((80, 200, 700), ("uct", "uct-fast"), GAMES)
]


def stats(gtp: Controller) -> dict[str, float]:
    pairs = (line.partition(" ")[::2] for line in gtp.get("search-stats").splitlines())
    return {name: float(value) for name, value in pairs if name in ("expanded", "playouts", "visited")}


def assert_learns(gtp: Controller, limits: str, players: tuple[str, ...] = ("b", "w", "b")) -> None:
    gtp.get(f"search-limits {limits}")
    for player in players:
        assert gtp.get(f"genmove {player}")
        found = stats(gtp)
        assert found["expanded"] >= 5, found  # nothing where a tree does not grow at all
        assert found["playouts"] >= 50, found
        visits = [int(line.split()[-1]) for line in gtp.get("search-visits").splitlines()]
        assert sum(visits) >= 50
        assert len(visits) > 1


def limits(is_pure: bool, game: str, searcher: str) -> str:
    """Far more than there is memory for, compiled; in plain Python as much as takes no longer."""
    if is_pure:
        return "playouts=60"
    return f"playouts={PLAYOUTS[game] if searcher == 'uct-fast' else min(PLAYOUTS[game], 10_000)}"


@pytest.mark.parametrize(("megabytes", "searcher", "game"), SIZES)
def test_trees_survive_a_small_address_space(
    lolli_command: list[str], is_pure: bool, game: str, searcher: str, megabytes: int
) -> None:
    words = ["gtp", "--game", game, "--searcher", searcher, "--seed", "1"]
    with Controller(within(megabytes, [*lolli_command, *words])) as gtp:
        assert_learns(gtp, limits(is_pure, game, searcher))


@pytest.mark.parametrize("searcher", ["uct", "uct-fast"])
def test_trees_keep_to_the_memory_of_a_container(
    lolli_command: list[str], is_pure: bool, tmp_path: Path, searcher: str
) -> None:
    words = ["gtp", "--game", "go", "--searcher", searcher, "--seed", "1"]
    with Controller(in_group(tmp_path, 60, [*lolli_command, *words])) as gtp:
        assert_learns(gtp, limits(is_pure, "go", searcher))


@pytest.mark.parametrize(("game", "nodes"), [("go", 2_000), ("othello", 40_000)])
def test_the_table_of_enhanced_alphabeta_survives_it_too(
    lolli_command: list[str], is_pure: bool, game: str, nodes: int
) -> None:
    words = ["gtp", "--game", game, "--searcher", "enhanced", "--seed", "1"]
    with Controller(within(150, [*lolli_command, *words])) as gtp:
        gtp.get(f"search-limits nodes={nodes // 10 if is_pure else nodes}")
        for player in "bw":
            assert gtp.get(f"genmove {player}")
            assert "depth 0" not in gtp.get("search-stats")


@pytest.mark.parametrize("game", GAMES)
def test_the_strongest_level_plays_in_little_memory(lolli_command: list[str], game: str) -> None:
    with Controller(within(100, [*lolli_command, "gtp", "--game", game, "--playouts", "100"])) as gtp:
        for player in "bw":
            assert gtp.get(f"genmove {player}")
            found = stats(gtp)
            assert found.get("playouts") or found["visited"] >= 100
