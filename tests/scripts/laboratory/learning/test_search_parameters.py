"""Pairs of games between versions of the search, and what is learned from them."""

from __future__ import annotations

import json
from math import exp, inf
from pathlib import Path
from random import Random
from statistics import fmean

import click
import pytest
from click.testing import CliRunner

from engine.search.parameters import NUMBERS, Number
from eval.network_file import save_network
from scripts.laboratory.learning.evaluators import GivenEvaluator, default_name, engine
from scripts.laboratory.learning.pairs import Pair, PairPlayer, Terms
from scripts.laboratory.learning.search_parameters import (
    Factor,
    Spsa,
    effects,
    pairs_of,
    screen_search,
    tune_search,
)
from scripts.laboratory.openings import OpeningSuite
from tests.eval.some_networks import random_network
from tests.pure import ROOT

BOOK = ROOT / "scripts" / "laboratory" / "data" / "openings.epd.xz"
LINEAR = GivenEvaluator.read("linear")


@pytest.fixture(scope="module")
def worker() -> PairPlayer:
    return PairPlayer(Terms(LINEAR, LINEAR, OpeningSuite.read(BOOK, chess960=False), nodes=60, seed=1))


def test_a_version_against_itself_wins_as_much_as_it_loses(worker: PairPlayer) -> None:
    for number in range(2):
        assert worker.work(Pair(number, {"null_depth": 4}, {"null_depth": 4})).points == 1


def test_a_pair_is_the_same_whatever_was_played_before(worker: PairPlayer) -> None:
    weak = {"quiescence": 0, "ordering": 0, "history": 0}
    first = worker.work(Pair(3, {}, weak))
    worker.work(Pair(4, weak, {}))
    assert worker.work(Pair(3, {}, weak)) == first


def test_another_evaluator_plays(worker: PairPlayer, tmp_path: Path) -> None:
    save_network(tmp_path / "net.lolli", random_network())
    network = GivenEvaluator.read("network", str(tmp_path / "net.lolli"))
    book = OpeningSuite.read(BOOK, chess960=False)
    other = PairPlayer(Terms(network, network, book, nodes=60, seed=1))
    pairs = [Pair(number, {}, {"quiescence": 0}) for number in range(6)]
    assert [worker.work(pair) for pair in pairs] != [other.work(pair) for pair in pairs]
    assert engine(network) != engine() == engine(GivenEvaluator.read(default_name()))


def test_blindness_to_captures_loses(worker: PairPlayer) -> None:
    points = [worker.work(Pair(number, {}, {"quiescence": 0})).points for number in range(4)]
    assert sum(points) >= 6


def test_effects_are_found_again() -> None:
    """In made-up games, in which each factor is worth what is known."""
    factors = [Factor("null_move", 0), Factor("late_depth", 5), Factor("killers", 0)]
    elo = {"null_move": -80.0, "late_depth": 40.0, "killers": 0.0}
    random = Random(1)
    played = []
    for pair in pairs_of(factors, 0.4, 1, range(4000)):
        difference = sum(elo[name] for name in pair.first) - sum(elo[name] for name in pair.second)
        chance = 1 / (1 + exp(-difference * 0.005756))
        played.append((pair, float((random.random() < chance) + (random.random() < chance))))
    for effect in effects(factors, played):
        assert effect.elo == pytest.approx(elo[effect.factor.name], abs=1.5 * effect.error)
        assert 5 < effect.error < 15


def test_what_no_game_tells_of_is_not_known() -> None:
    """Nothing was played yet, or both sides always had the factor: that is not an effect of 0."""
    killers, late = Factor("killers", 0), Factor("late_depth", 5)
    assert [(each.elo, each.error) for each in effects([killers, late], [])] == [(0, inf), (0, inf)]
    both = {"late_depth": 5}
    played = [(Pair(0, {"killers": 0, **both}, both), 0.5), (Pair(1, both, both), 1.5)]
    known, unknown = effects([killers, late], played)
    assert known.elo < 0
    assert 0 < known.error < inf
    assert unknown.error == inf


def test_factors_are_drawn_as_often_as_they_should_be() -> None:
    drawn = list(pairs_of([Factor("killers", 0)], 0.3, 7, range(2000)))
    assert sum("killers" in pair.first for pair in drawn) == pytest.approx(600, abs=80)
    assert sum("killers" in pair.first and "killers" in pair.second for pair in drawn) == pytest.approx(
        180, abs=50
    )
    assert drawn == list(pairs_of([Factor("killers", 0)], 0.3, 7, range(2000)))


def test_spsa_finds_the_best_values_of_noisy_games() -> None:
    """Where the strength is known: the best values are far from where it begins."""
    numbers = {"one": Number(20, 0, 200, ""), "other": Number(80, 0, 100, "")}
    best = {"one": 120, "other": 30}
    spsa = Spsa(numbers, 6000, seed=3)
    random = Random(5)
    for number in range(6000):
        pair = spsa.pair(number)
        worth = [
            -sum(((side[name] - best[name]) / (numbers[name].high / 4)) ** 2 for name in best)
            for side in (pair.first, pair.second)
        ]
        chance = 1 / (1 + exp(worth[1] - worth[0]))
        spsa.learn(number, (random.random() < chance) + (random.random() < chance))
    assert spsa.found()["one"] == pytest.approx(120, abs=25)
    assert spsa.found()["other"] == pytest.approx(30, abs=12)


def test_spsa_plays_what_lies_between_by_chance() -> None:
    """Of 4 ± ½ the whole numbers on either side, as often as makes that the mean."""
    spsa = Spsa({"one": Number(4, 2, 6, "")}, 1, seed=1)
    pairs = [spsa.pair(number) for number in range(4000)]
    low, high = zip(*(sorted((each.first["one"], each.second["one"])) for each in pairs), strict=True)
    assert fmean(low) == pytest.approx(3.5, abs=0.05)
    assert fmean(high) == pytest.approx(4.5, abs=0.05)


def test_spsa_stays_within_bounds_and_moves_both_ways() -> None:
    spsa = Spsa(NUMBERS, 50, seed=1)
    for number in range(50):
        pair = spsa.pair(number)
        for name, each in NUMBERS.items():
            assert each.low <= pair.first[name] <= each.high
            assert each.low <= pair.second[name] <= each.high
        spsa.learn(number, 2)
    assert any(pair.first[name] != pair.second[name] for name in NUMBERS)
    assert all(each.low <= spsa.values[name] <= each.high for name, each in NUMBERS.items())


@pytest.mark.parametrize(
    ("command", "words"),
    [(screen_search, ["killers=off", "quiescence=off"]), (tune_search, ["null_margin", "late_base"])],
)
def test_commands_go_on_from_their_record(
    tmp_path: Path, command: click.Command, words: list[str], is_pure: bool
) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    record = tmp_path / "record.jsonl"
    usual = [*words, "--record", str(record), "--nodes", "100", "--concurrency", "1", "--pairs", "8"]
    first = CliRunner().invoke(command, usual)
    assert first.exit_code == 0, first.output
    lines = record.read_text().splitlines()
    assert len(lines) == 9
    record.write_text("\n".join(lines[:4]) + "\n")
    again = CliRunner().invoke(command, usual)
    assert again.exit_code == 0, again.output
    assert words[0].partition("=")[0] in again.output
    numbers = [json.loads(line)["number"] for line in record.read_text().splitlines()[1:]]
    assert numbers == list(range(8))
    if command is screen_search:  # what tuning plays next depends on what it has learned by then
        assert first.output.splitlines()[-2:] == again.output.splitlines()[-2:]


def test_tuning_learns_from_its_record(tmp_path: Path) -> None:
    """Nothing is left to play here."""
    run = {"names": ["null_margin"], "pairs": 3, "nodes": 100, "seed": 1, "engine": engine()}
    spsa = Spsa({"null_margin": NUMBERS["null_margin"]}, 3, 1)
    lines = [run | {"from": [NUMBERS["null_margin"].default]}]
    for number, points in ((1, 2.0), (0, 0.5), (2, 2.0)):
        spsa.learn(number, points)
        lines.append({"number": number, "points": points})
    record = tmp_path / "record.jsonl"
    record.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    words = ["null_margin", "--record", str(record), "--pairs", "3", "--nodes", "100"]
    done = CliRunner().invoke(tune_search, words)
    assert done.exit_code == 0, done.output
    found = spsa.found()["null_margin"]
    assert abs(found - NUMBERS["null_margin"].default) > 0.1
    assert done.output.startswith(f"null_margin={found:.1f} (was ")


@pytest.mark.parametrize(
    ("command", "words", "said"),
    [
        (screen_search, ["magic=on"], "magic"),
        (screen_search, ["killers=maybe"], "killers must be on or off, not 'maybe'"),
        (tune_search, ["magic"], "unknown parameter 'magic'"),
    ],
)
def test_bad_input_is_refused(tmp_path: Path, command: click.Command, words: list[str], said: str) -> None:
    done = CliRunner().invoke(command, [*words, "--record", str(tmp_path / "r")])
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "r").exists()


def test_another_engine_does_not_go_on_from_a_record(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    run = {"names": ["null_margin"], "from": [NUMBERS["null_margin"].default], "pairs": 3, "nodes": 100}
    lines = [run | {"seed": 1, "engine": "0123456789abcdef"}, {"number": 0, "points": 1.0}]
    record.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    words = ["null_margin", "--record", str(record), "--pairs", "3", "--nodes", "100"]
    done = CliRunner().invoke(tune_search, words)
    assert done.exit_code == 2
    assert "another run" in done.stderr
