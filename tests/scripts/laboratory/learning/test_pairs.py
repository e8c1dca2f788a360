"""Matches of two evaluators at the kernel's speed, beside the players of the laboratory's other duels."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.constants import INFINITE
from engine.search.engine import Engine
from engine.search.report import Score
from engine.search.selfplay import SelfPlayer
from engine.system.control import thread_time
from eval.network_file import save_network
from eval.outcome import STANDARD
from scripts.laboratory.jobs import JobRunner
from scripts.laboratory.lab_options import OPENINGS
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.pairs import (
    EvaluatorMatch,
    Pair,
    PairPlayer,
    PlayedPair,
    Tally,
    Terms,
    match_evaluators,
)
from scripts.laboratory.long_run import JournalError
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
        for ply, engine in enumerate(islice(cycle(reversed(slow) if position.side else slow), plies)):
            move = slow_move(engine, position, legal_moves(position), nodes)
            assert move == white.moves[ply]
            position.advance(move)


def test_an_evaluator_wins_as_much_as_it_loses_against_itself(is_pure: bool) -> None:
    worker = PairPlayer(terms(10, second=LINEAR, book=ENDGAMES if is_pure else BOOK))
    for number in range(2):
        pair = worker.work(Pair(number))
        assert sum(pair.results) == 0
        assert pair.plies[0] == pair.plies[1]
        assert pair.nodes[0] == pair.nodes[1]


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
    before = thread_time()
    pair = worker.work(Pair(0))
    spent = (thread_time() - before) / 1000
    assert 0.5 * sum(pair.moves) < spent / 1000 < 1.5 * sum(pair.moves)
    linear, material = (nodes / moves for nodes, moves in zip(pair.nodes, pair.moves, strict=True))
    assert 200 < linear < material


def test_points_of_pairs_are_counted() -> None:
    tally = Tally()
    for number, results in enumerate([(1, 1), (1, 0), (1, -1), (0, 0), (-1, 0), (-1, -1)]):
        tally.add(PlayedPair(Pair(number), results, (0, 6), (30, 40), (35, 35), (350, 700)))
    assert tally.pairs == [1, 1, 2, 1, 1]
    assert tally.games == [4, 4, 4]
    assert tally.nodes == [2100, 4200]
    assert tally.endings == {"checkmate": 6, "clear draw": 6}


def test_a_match_resumes(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    record = tmp_path / "match.jsonl"
    match = EvaluatorMatch(record, terms(), 6)
    played = list(match.play(JobRunner(2)))
    match.close()
    assert sorted(each.pair.number for each in played) == list(range(6))
    lines = record.read_text().splitlines()
    record.write_text("\n".join(lines[:4]) + "\n" + lines[4][:20])
    again = EvaluatorMatch(record, terms(), 6)
    assert sum(again.tally.pairs) == 3
    assert len(list(again.play(JobRunner(1)))) == 3
    again.close()
    assert again.tally == match.tally
    for other in (terms(101), terms(first=MATERIAL), terms(microseconds=5), terms(book=ENDGAMES)):
        with pytest.raises(JournalError, match="another run"):
            EvaluatorMatch(record, other, 6)


@pytest.mark.parametrize(
    "changed",
    [{"results": [1, 2]}, {"results": [1]}, {"endings": [0, 8]}, {"nodes": [-1, 0]}, {"number": "1"}],
)
def test_records_that_are_wrong(tmp_path: Path, changed: dict[str, object]) -> None:
    record = tmp_path / "match.jsonl"
    usual = {
        "number": 0,
        "results": [1, 0],
        "endings": [0, 6],
        "plies": [9, 9],
        "moves": [9, 9],
        "nodes": [9, 9],
    }
    record.write_text("".join(f"{json.dumps(line)}\n" for line in (terms().identity(), usual | changed)))
    with pytest.raises(JournalError, match="line 2"):
        EvaluatorMatch(record, terms(), 6)


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
