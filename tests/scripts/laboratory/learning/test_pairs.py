"""Pairs of games at the kernel's speed: matches of evaluators, screening and tuning of the search."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice
from math import exp, inf
from pathlib import Path
from random import Random
from time import thread_time_ns

import click
import pytest
from click.testing import CliRunner, Result

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.constants import INFINITE
from engine.search.engine import Engine
from engine.search.parameters import NUMBERS, Number
from engine.search.report import Score
from engine.search.selfplay import SelfPlayer
from eval.network_file import save_network
from eval.outcome import STANDARD
from scripts.laboratory.lab_options import OPENINGS
from scripts.laboratory.learning.evaluators import GivenEvaluator, engine
from scripts.laboratory.learning.pairs import (
    ClockedPlayer,
    NodeClock,
    Pair,
    PairPlayer,
    Spsa,
    Tally,
    Terms,
    effects,
    match_evaluators,
    pair_of,
    screen_search,
    tune_search,
)
from scripts.laboratory.openings import OpeningSuite
from tests.eval.some_networks import random_network

LINEAR, MATERIAL = GivenEvaluator.read("linear"), GivenEvaluator("material")
BOOK = OpeningSuite.read(OPENINGS, chess960=False)
ENDGAMES = OpeningSuite(
    (
        "8/5k2/8/8/8/8/2K5/7R w - - 0 1",
        "8/5kp1/8/8/8/8/2KP4/8 b - - 0 1",
        "8/5k2/7b/8/8/3PN3/2K5/8 w - - 0 1",
    ),
    is_pgn=False,
    chess960=False,
)


def terms(
    nodes: int = 100,
    *,
    first: GivenEvaluator = LINEAR,
    second: GivenEvaluator = MATERIAL,
    microseconds: int = 0,
    book: OpeningSuite = BOOK,
) -> Terms:
    return Terms(first, second, book, nodes, 1, microseconds)


def slow_move(engine: Engine, position: Position, moves: Sequence[int], nodes: int) -> int:
    """The move of a search by `Engine.iterations`, which SelfPlayer does without."""
    engine.begin()
    move = moves[0]
    for iteration in engine.iterations(position, moves, node_limit=nodes):
        move = iteration.best.move
        mate = Score(iteration.best.score).mate()
        if iteration.finished and mate is not None and iteration.depth > 2 * abs(mate):
            break
    return move


@pytest.mark.parametrize("number", range(3))
def test_the_moves_are_those_of_slow_players(number: int, is_pure: bool) -> None:
    nodes = 10 if is_pure else 300
    fen = (ENDGAMES if is_pure else BOOK).opening(number).board().fen()
    for pair in ((LINEAR, MATERIAL), (MATERIAL, LINEAR)):
        rules = replace(STANDARD, level_score=INFINITE, won_score=INFINITE)
        white, black = (
            SelfPlayer(Engine.single(each.make(), 4).searchers[0], nodes, nodes, rules) for each in pair
        )
        plies = white.play_against(black, parse_fen(fen))
        assert plies > 3
        slow = [Engine.single(each.make(), 4) for each in pair]
        position = parse_fen(fen)
        for ply, each in enumerate(islice(cycle(reversed(slow) if position.side else slow), plies)):
            move = slow_move(each, position, legal_moves(position), nodes)
            assert move == white.moves[ply]
            position.advance(move)


def test_a_pair_is_the_same_whatever_was_played_before(is_pure: bool) -> None:
    these = terms(10, book=ENDGAMES) if is_pure else terms()
    worker = PairPlayer(these)
    found = worker.work(Pair(1))
    worker.work(Pair(2))
    assert worker.work(Pair(1)) == found
    assert worker.work(Pair(1)) != worker.work(Pair(2))
    swapped = PairPlayer(replace(these, first=MATERIAL, second=LINEAR)).work(Pair(1))
    assert swapped.results == (-found.results[1], -found.results[0])
    assert swapped.moves == found.moves[::-1]
    assert swapped.nodes == found.nodes[::-1]


def test_the_better_evaluator_wins(is_pure: bool) -> None:
    if is_pure:
        pytest.skip("takes minutes in plain Python")
    worker, tally = PairPlayer(terms()), Tally()
    for number in range(8):
        tally.add(worker.work(Pair(number)))
    assert sum(tally.games) == 16
    assert tally.games[2] > 2 * tally.games[0]


@pytest.mark.alone
def test_a_search_ends_after_its_processor_time(is_pure: bool) -> None:
    """Whatever else the machine does; so the weaker evaluator searches more nodes."""
    if is_pure:
        pytest.skip("too slow to be short")
    worker = PairPlayer(terms(microseconds=1000))
    before = thread_time_ns()
    pair = worker.work(Pair(0))
    spent = (thread_time_ns() - before) / 1000
    assert 0.5 * sum(pair.moves) < spent / 1000 < 1.5 * sum(pair.moves)
    linear, material = (nodes / moves for nodes, moves in zip(pair.nodes, pair.moves, strict=True))
    assert 200 < linear < material


def usual_match(record: Path, *words: str) -> Result:
    usual = ["--first", "linear", "--second", "material", "--record", str(record), "--nodes", "100"]
    return CliRunner().invoke(match_evaluators, [*usual, "--concurrency", "2", "--pairs", "6", *words])


def test_a_match_resumes(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    record = tmp_path / "match.jsonl"
    whole = usual_match(record)
    assert whole.exit_code == 0, whole.output
    lines = record.read_text().splitlines()
    assert sorted(json.loads(line)["number"] for line in lines[1:]) == list(range(6))
    record.write_text("\n".join(lines[:4]) + "\n" + lines[4][:20])
    again = usual_match(record)
    assert again.exit_code == 0, again.output
    assert sorted(record.read_text().splitlines()[1:]) == sorted(lines[1:])
    assert again.output.splitlines()[-6:] == whole.output.splitlines()[-6:]
    for other in (("--nodes", "101"), ("--second", "linear"), ("--microseconds", "5"), ("--seed", "2")):
        refused = usual_match(record, *other)
        assert refused.exit_code == 2
        assert "another run" in refused.output


@pytest.mark.parametrize(
    "changed",
    [{"results": [1, 2]}, {"results": [1]}, {"endings": [0, 8]}, {"nodes": [-1, 0]}, {"number": "1"}],
)
def test_records_that_are_wrong(tmp_path: Path, changed: dict[str, object]) -> None:
    record = tmp_path / "match.jsonl"
    played = {"number": 0, "results": [1, 0], "endings": [0, 6], "plies": [9, 9], "moves": [9, 9]}
    lines = (terms().identity(), played | {"nodes": [9, 9]} | changed)
    record.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    result = usual_match(record)
    assert result.exit_code == 2
    assert "line 2" in result.output


def run_command(*words: str) -> Result:
    return CliRunner().invoke(match_evaluators, ["--nodes", "50", "--concurrency", "1", *words])


def test_the_command(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    save_network(tmp_path / "net=1.lolli", random_network())
    network = f"network={tmp_path / 'net=1.lolli'}"
    words = ["--first", network, "--second", "material", "--record", str(tmp_path / "m.jsonl")]
    result = run_command(*words, "--pairs", "3")
    assert result.exit_code == 0, result.output
    first = GivenEvaluator.read("network", str(tmp_path / "net=1.lolli"))
    assert f"{first} against material, 50 nodes a move: 6 games" in result.output
    again = run_command(*words, "--pairs", "200", "--sprt", "elo0=-100", "elo1=0")
    assert again.exit_code == 0, again.output
    assert "LLR" in again.output
    assert len((tmp_path / "m.jsonl").read_text().splitlines()) < 150


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--first", "magic"], "unknown evaluator 'magic'"),
        (["--first", "linear=none.json"], "none.json: there is no such file"),
        (["--first", "linear", "--pairs", "30000"], "there are 20000 openings for 30000 pairs"),
        (["--first", "linear", "--sprt", "elo0=x"], "--sprt takes"),
    ],
)
def test_what_is_refused(tmp_path: Path, words: list[str], said: str) -> None:
    record = tmp_path / "m.jsonl"
    result = run_command("--record", str(record), *words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())
    assert not record.exists()


# Settings of the search parameters


@pytest.fixture(scope="module")
def worker() -> PairPlayer:
    return PairPlayer(Terms(LINEAR, LINEAR, BOOK, nodes=60, seed=1))


def test_a_pair_divides_the_factors_between_its_sides() -> None:
    factors = [(name, 0) for name in ("null_move", "killers", "probcut", "multicut", "improving")]
    sides = Counter[str]()
    for pair in (pair_of(factors, 1, number) for number in range(200)):
        assert {*pair.first} | {*pair.second} == {name for name, _ in factors}
        assert len(pair.first) + len(pair.second) == len(factors)
        sides.update([*pair.first])
    assert all(60 < sides[name] < 140 for name, _ in factors)


def test_games_on_a_clock_that_counts_nodes(is_pure: bool) -> None:
    """A smaller share of the clock is fewer nodes a move; the same pair is the same games."""
    clock = NodeClock(base=60, increment=1, nodes=2 if is_pure else 20)
    player = ClockedPlayer(replace(terms(second=LINEAR), clock=clock), clock)
    hasty = Pair(0, {"time_share": 50, "time_growth": 0, "time_increment": 30, "time_hard": 200})
    played = player.work(hasty)
    assert played == player.work(hasty)
    first, second = (nodes / moves for nodes, moves in zip(played.nodes, played.moves, strict=True))
    assert first < 0.7 * second


def test_effects_are_found_again() -> None:
    """In made-up games, in which each factor is worth what is known."""
    factors = [(name, 0) for name in ("null_move", "killers", "probcut", "multicut")]
    elo = {"null_move": -80.0, "killers": -40.0, "probcut": -40.0, "multicut": 0.0}
    random = Random(1)
    played = []
    for pair in (pair_of(factors, 1, number) for number in range(4000)):
        difference = sum(elo[name] for name in pair.first) - sum(elo[name] for name in pair.second)
        chance = 1 / (1 + exp(-difference * 0.005756))
        played.append((pair, float((random.random() < chance) + (random.random() < chance))))
    for effect in effects(factors, played):
        assert effect.elo == pytest.approx(elo[effect.factor[0]], abs=1.5 * effect.error)
        assert 5 < effect.error < 15


def test_effects_of_few_pairs_have_honest_errors() -> None:
    """Of factors that are worth nothing: nine in ten at least are within their 95% intervals."""
    factors = [(f"factor{number}", 0) for number in range(20)]
    random, within, count = Random(3), 0, 0
    for seed in range(20):
        pairs = [pair_of(factors, seed, number) for number in range(60)]
        played = [(pair, random.choice((0.0, 0.5, 1.0, 1.0, 1.5, 2.0))) for pair in pairs]
        within += sum(abs(effect.elo) < effect.error for effect in effects(factors, played))
        count += len(factors)
    assert within > 0.9 * count
    assert all(effect.error == inf for effect in effects(factors, played[: len(factors)]))


def test_effects_of_pairs_that_are_all_alike_are_not_certain() -> None:
    """Of n, at most 3 in n others differ, by a whole point: 0.125 a pair of 24, which are 89 Elo."""
    factors = [("null_move", 0), ("killers", 0)]
    played = [(pair_of(factors, 1, number), 1.0) for number in range(24)]
    assert [(elo, round(error)) for _, elo, error in effects(factors, played)] == [(0, 89), (0, 89)]
    assert [error for *_, error in effects(factors, played[:6])] == [inf, inf]
    for_killers = [(pair, 1.5 if "killers" in pair.first else 0.5) for pair, _ in played]
    assert all(error >= 85 for *_, error in effects(factors[1:], for_killers))


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
    run = {"names": ["null_margin"], "pairs": 3, "nodes": 100, "clock": None, "seed": 1, "engine": engine()}
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
        (screen_search, ["time_share=300"], "time_share needs --clock"),
        (tune_search, ["time_share"], "unknown parameter 'time_share'"),
        (tune_search, ["--clock", "40/5"], "'40/5' has a number of moves"),
        (screen_search, ["--clock", "fast"], "'fast' is not a time control"),
    ],
)
def test_bad_input_is_refused(tmp_path: Path, command: click.Command, words: list[str], said: str) -> None:
    done = CliRunner().invoke(command, [*words, "--record", str(tmp_path / "r")])
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "r").exists()
