"""scripts/lab threat-ads: how many nodes Threat-ADS saves."""

import json
import subprocess
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from scipy.stats import bootstrap

from engine.games.compiled.best_reply import RULES
from scripts.laboratory.games.measure_threat_ads import (
    CELLS,
    REPORTED,
    ThreatAdsSetting,
    play,
    saving,
    threat_ads,
)
from tests.pure import ROOT

SMALL = ThreatAdsSetting("virus", players=4, size=5, depth=3, turns=3, midgame=8)


def test_the_same_games_come_from_the_same_seed() -> None:
    games = [list(play(SMALL, 3, seed)) for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]
    assert all(one.turns <= 3 and list(one.counts) == list(RULES) for one in games[0])


def test_every_variant_searches_from_the_same_states() -> None:
    """To depth 1 all of them do the same."""
    for one in play(ThreatAdsSetting("virus", players=4, size=6, depth=1, turns=4), 2, 1):
        assert all(before == after for before, after in pairwise(one.counts.values()))


def test_midgame_in_which_the_searching_player_never_is() -> None:
    with pytest.raises(ValueError, match="always been eliminated"):
        list(play(ThreatAdsSetting("virus", players=4, size=5, depth=1, turns=1, midgame=1000), 1, 1))


def test_what_is_saved_in_every_game_is_saved_for_certain() -> None:
    found = saving([100, 1000, 400], [90, 900, 360], 1)
    assert (found.without, found.with_it) == (500, 450)
    assert [found.change, found.low, found.high] == pytest.approx([-0.1] * 3)


def test_interval_grows_with_the_differences_between_the_games() -> None:
    found = saving([100] * 40, [80, 110] * 20, 1)
    assert found.change == pytest.approx(-0.05)
    assert found.low == pytest.approx(-0.05 - 1.96 * 0.15 / 40**0.5, abs=0.01)
    assert found.high == pytest.approx(-0.05 + 1.96 * 0.15 / 40**0.5, abs=0.01)


def test_interval_is_that_of_scipy() -> None:
    def change(without: Any, with_it: Any, axis: int = -1) -> Any:
        return with_it.mean(axis=axis) / without.mean(axis=axis) - 1

    random = Random(1)
    without = [random.randrange(100, 400) for _ in range(50)]
    with_it = [round(nodes * random.uniform(0.7, 1.1)) for nodes in without]
    found = saving(without, with_it, 1)
    expected = bootstrap((without, with_it), change, paired=True, method="percentile", rng=1)
    assert [found.low, found.high] == pytest.approx(list(expected.confidence_interval), abs=0.003)


def test_every_cell_of_the_table_was_reported() -> None:
    cells = [(cell.game, "midgame" if cell.midgame else "initial") for cell in CELLS]
    assert set(cells) == set(REPORTED)


def test_command_prints_a_table_or_json() -> None:
    words = ["--games", "3", "--game", "virus", "--size", "5", "--depth", "3"]
    words += ["--turns", "2", "--players", "4"]
    printed = CliRunner().invoke(threat_ads, words)
    assert printed.exit_code == 0, printed.stderr
    assert printed.stdout.count("transposition") == 2
    assert "depth 3 plies, 2 turns" in printed.stdout
    cells = json.loads(CliRunner().invoke(threat_ads, [*words, "--json"]).stdout)["cells"]
    assert [cell["start"] for cell in cells] == ["initial", "midgame"]
    assert cells[0]["savings"]["move-to-front"]["expanded"]["without"] > 0


def test_settings_that_no_game_has_are_refused() -> None:
    command = [str(ROOT / "scripts" / "lab"), "threat-ads", "--game", "virus", "--size", "99"]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=300)
    assert done.returncode == 2
    assert "99" in done.stderr
    assert done.stderr.startswith("Usage: scripts/lab threat-ads ")
    assert "Traceback" not in done.stderr
