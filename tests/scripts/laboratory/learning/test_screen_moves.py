"""What search parameters are worth, by the moves that searches choose."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from engine.board.fen import format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.search.parameters import NUMBERS
from eval.learning import game_file
from scripts.laboratory.learning.duel import FixedNodesPlayer
from scripts.laboratory.learning.given_evaluator import GivenEvaluator
from scripts.laboratory.learning.screen_moves import (
    ChosenPosition,
    MoveDifferences,
    MoveFactor,
    MoveTerms,
    MoveWorker,
    coins,
    effects,
    positions_of,
    screen_moves,
    worth_of,
)
from tests.eval.learning.record_files import write_games

WAC_1 = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1"
LATE_BASE = NUMBERS["late_base"].default


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    write_games(folder / "a.games", 30, 24, seed=1)
    return folder


def worker(*factors: MoveFactor, nodes: int = 300) -> MoveWorker:
    return MoveWorker(MoveTerms(GivenEvaluator.read("linear"), factors, nodes, seed=1))


def test_effects_are_found_again() -> None:
    """In made-up answers. What a factor is worth differs from position to position; its mean is known."""
    factors = [MoveFactor("null_move", 1, 0), MoveFactor("late_base", 6, 14), MoveFactor("killers", 1, 0)]
    points = {"null_move": -0.004, "late_base": 0.002, "killers": 0.0}
    random = Random(1)
    misses = dict.fromkeys(points, 0)
    for run in range(20):
        answers = []
        for number in range(run * 400, run * 400 + 400):
            more = random.gauss(1, 3)
            differences = tuple(
                sum(more * coin * points[factor.name] for factor, coin in coins(factors, 7, number, visit))
                + random.gauss(0, 0.004)
                for visit in range(6 if number % 3 else 1)
            )
            answers.append(MoveDifferences(number, differences))
        for effect in effects(factors, answers, 7):
            name = effect.factor.name
            misses[name] += abs(effect.points - points[name]) > 2 * effect.error
            assert 0.0001 < effect.error < 0.001
    assert all(missed <= 4 for missed in misses.values())


def test_all_visits_of_a_position_count_as_one() -> None:
    """Of a factor that gains 0.04 in a third of the positions and nothing elsewhere, a third is left."""
    factor = MoveFactor("killers", 1, 0)
    answers = [
        MoveDifferences(
            number,
            tuple(coins([factor], 1, number, visit)[0][1] * 0.04 for visit in range(12))
            if number % 3 == 0
            else (0.0,),
        )
        for number in range(300)
    ]
    assert effects([factor], answers, 1)[0].points == pytest.approx(0.04 / 3)


def test_a_blunder_counts_as_much_as_the_most_that_counts() -> None:
    factor = MoveFactor("killers", 1, 0)
    answers = [MoveDifferences(number, (coins([factor], 1, number, 0)[0][1] * 0.9,)) for number in range(50)]
    assert effects([factor], answers, 1)[0].points == pytest.approx(0.05)


def test_too_few_positions_tell_nothing() -> None:
    factors = [MoveFactor("killers", 1, 0), MoveFactor("history", 1, 0)]
    for count in range(3):
        found = effects(factors, [MoveDifferences(number, (0.01,)) for number in range(count)], 1)
        assert [(each.points, each.error) for each in found] == [(0.0, inf)] * 2


def test_the_coins_are_fair_and_always_the_same() -> None:
    factors = [MoveFactor("killers", 1, 0), MoveFactor("history", 1, 0)]
    tossed = [coins(factors, 3, number, 0) for number in range(1000)]
    assert tossed == [coins(factors, 3, number, 0) for number in range(1000)]
    assert sum(both[0][1] for both in tossed) == pytest.approx(0, abs=120)
    assert sum(both[0][1] * both[1][1] for both in tossed) == pytest.approx(0, abs=120)


def test_positions_are_of_different_games_and_undecided(games: Path) -> None:
    found = list(positions_of(games, 1, 20))
    assert 10 < len(found) <= 20
    assert len({each.number for each in found}) == len(found)
    played = list(game_file.games(games / "a.games"))
    for each in found:
        positions = [format_fen(position) for position in played[each.number].positions()]
        ply = positions.index(each.fen)
        assert 10 <= ply < len(positions) - 4
        assert abs(int(played[each.number].plies["score"][ply])) <= 500
    assert all(len(legal_moves(parse_fen(each.fen))) > 1 for each in found)
    assert found == list(positions_of(games, 1, 20)) != list(positions_of(games, 2, 20))
    assert list(positions_of(games, 1, 3)) == found[:3]


def test_searches_that_are_alike_agree() -> None:
    assert worker(MoveFactor("late_base", 10, 10)).work(ChosenPosition(0, WAC_1)) == MoveDifferences(
        0, (0.0,)
    )


def test_the_better_move_is_the_one_of_more_nodes() -> None:
    """A search of one node plays the first move; all differences are to the good of the longer search."""
    factor = MoveFactor("nodes", 300, 1)
    answer = worker(factor).work(ChosenPosition(5, WAC_1))
    assert len(answer.differences) == 1  # the other pair is the same with the sides exchanged
    both = worker(factor, MoveFactor("killers", 1, 0)).work(ChosenPosition(5, WAC_1))
    assert len(both.differences) == 2
    for visit, difference in enumerate(answer.differences):
        assert difference * coins([factor], 1, 5, visit)[0][1] < 0


def test_a_move_that_mates_is_worth_a_point_and_stalemate_half_of_one() -> None:
    judge = FixedNodesPlayer(GivenEvaluator.read("linear").make(), 300)
    position = parse_fen("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1")
    moves = {move: worth_of(position, move, judge) for move in legal_moves(position)}
    assert max(moves.values()) == 1.0
    assert 0.5 in moves.values()


def test_the_command_goes_on_from_its_record(games: Path, tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    record = tmp_path / "record.jsonl"
    words = [str(games), "nodes=1", "killers=off", "--record", str(record), "--nodes", "100"]
    usual = [*words, "--positions", "12", "--concurrency", "1", "--eval", "linear"]
    first = CliRunner().invoke(screen_moves, usual)
    assert first.exit_code == 0, first.output
    lines = record.read_text().splitlines()
    numbers = [each.number for each in positions_of(games, 1, 12)]
    assert [json.loads(line)["number"] for line in lines[1:]] == numbers
    record.write_text("\n".join(lines[:4]) + "\n")
    again = CliRunner().invoke(screen_moves, usual)
    assert again.exit_code == 0, again.output
    assert record.read_text().splitlines() == lines
    assert first.output.splitlines()[-6:] == again.output.splitlines()[-6:]
    assert "100 to 1" in again.output


def test_without_factors_each_number_is_moved_both_ways(games: Path, tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    record = tmp_path / "record.jsonl"
    words = [str(games), "--record", str(record), "--nodes", "50", "--positions", "2", "--eval", "linear"]
    done = CliRunner().invoke(screen_moves, words)
    assert done.exit_code == 0, done.output
    factors = json.loads(record.read_text().splitlines()[0])["factors"]
    assert [name for name, _, _ in factors] == list(NUMBERS)
    for name, low, high in factors:
        assert NUMBERS[name].low <= low <= NUMBERS[name].default <= high <= NUMBERS[name].high
        assert low < high


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["magic=on"], "magic"),
        (["nodes=0"], "nodes must be a number from 1 on, not '0'"),
        (["nodes=" + "9" * 5000], "nodes must be a number from 1 on"),
        (["late_base=5", "late_base=12"], "late_base is given twice"),
        ([f"late_base={LATE_BASE}"], f"late_base is {LATE_BASE} already"),
        (["nodes=x"], "not 'x'"),
        (["late_base=1000"], "late_base must be from 1 to 16"),
    ],
)
def test_bad_factors_are_refused(games: Path, tmp_path: Path, words: list[str], said: str) -> None:
    done = CliRunner().invoke(screen_moves, [str(games), *words, "--record", str(tmp_path / "r")])
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "r").exists()


def test_the_record_of_another_run_is_refused(games: Path, tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    words = [str(games), "--record", str(tmp_path / "r"), "--nodes", "50", "--positions", "1"]
    assert CliRunner().invoke(screen_moves, [*words, "killers=off"]).exit_code == 0
    done = CliRunner().invoke(screen_moves, [*words, "history=off"])
    assert done.exit_code == 2
    assert "another run" in done.stderr
