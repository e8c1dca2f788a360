"""scripts/lab rate-puzzles: the rating at which half of the puzzles are solved."""

import lzma
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from engine.search.limits import Handicap
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings
from lolli.cli.playing.chess import weaken
from scripts.laboratory.rate_puzzles import Puzzle, half_solved, rate_puzzles, read_puzzles, sample, solves

HEAD = "PuzzleId,FEN,Moves,Rating,Themes\n"
MATE = "6k1/5ppp/8/8/8/7P/6P1/K2R4 b - - 0 1"
ROWS = f"a,{MATE},g8h8 d1d8,450,mate\nb,{MATE},g8h8 d1d8,1250,mate\nc,{MATE},g8h8 d1d8,1290,mate\n"


@pytest.mark.parametrize("half", [500, 900, 1400])
@pytest.mark.parametrize("spread", [150, 400, 900])
def test_the_half_of_a_logistic_curve_is_found(half: int, spread: int) -> None:
    """Whatever its slope, and however many puzzles there are of each hundred."""
    ratings, solved = [], []
    for band in range(400, 1600, 100):
        number = 200 + band % 700
        share = 1 / (1 + 10 ** ((band - half) / spread))
        ratings += [band] * number
        solved += [index < round(share * number) for index in range(number)]
    assert half_solved(ratings, solved) == pytest.approx(half, abs=40)


def test_who_solves_more_is_rated_higher() -> None:
    ratings = [*range(400, 1600, 10)]
    found = [half_solved(ratings, [rating < limit for rating in ratings]) for limit in (300, 700, 1100, 1700)]
    assert found == sorted(found)
    assert found[1] == pytest.approx(700, abs=30)
    with pytest.raises(ValueError, match="no puzzles"):
        half_solved([], [])


def test_the_halves_have_nothing_in_common() -> None:
    puzzles = [Puzzle(f"p{number}", MATE, (), 400 + number) for number in range(1000)]
    halves = [sample(puzzles, 1000, back=back, seed=1) for back in (False, True)]
    assert sorted(halves[0] + halves[1]) == sorted(puzzles)
    few = sample(puzzles, 7, back=True, seed=2)
    assert set(few) < set(halves[1])
    assert [sum(each.rating // 100 == band for each in few) for band in range(4, 14)] == [7] * 10
    assert few == sample(puzzles, 7, back=True, seed=2) != sample(puzzles, 7, back=True, seed=3)


@pytest.mark.parametrize(
    ("moves", "solved"),
    [("g8h8 d1d8", True), ("g8h8 d1e1", True), ("g8f8 d1d8", False)],
)
def test_a_solution_or_another_mate(moves: str, solved: bool) -> None:
    """The second says that Re1 is the solution; it is Rd8, mate. In the third nothing is to be found."""
    with Analyst(AnalystSettings(megabytes=1)) as analyst:
        weaken(analyst, Handicap.of_level(20), Random(1))
        assert solves(analyst, Puzzle("a", MATE, tuple(moves.split()), 400)) == solved


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.csv.xz"
    path.write_bytes(lzma.compress((HEAD + ROWS).encode()))
    assert [each.rating for each in read_puzzles(path)] == [450, 1250, 1290]
    halves = [
        CliRunner().invoke(rate_puzzles, [str(path), "--first", "20", "--last", "21", *words])
        for words in ((), ("--held-back",))
    ]
    told = [done.output.splitlines() for done in halves]
    assert [len(lines) for lines in told] == [2, 2]
    assert all("solved 100% of " in line for lines in told for line in lines)
    assert CliRunner().invoke(rate_puzzles, [str(path), "--first", "9", "--last", "8"]).exit_code == 2


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.csv.xz"
    path.write_bytes(lzma.compress((HEAD + ROWS).encode())[:-40])
    with pytest.raises(ValueError, match="not a file of Lichess's puzzles"):
        read_puzzles(path)


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", HEAD + f"a,{MATE},g8h8 d1d8,high,mate\n"])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "puzzles.csv"
    path.write_text(text)
    done = CliRunner().invoke(rate_puzzles, [str(path)])
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    assert "puzzles" in done.output.splitlines()[-1]


def test_a_puzzle_with_an_illegal_move_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.csv"
    path.write_text(HEAD + "".join(f"{name},{MATE},g8g6 d1d8,450,mate\n" for name in "abcdef"))
    done = CliRunner().invoke(rate_puzzles, [str(path), "--first", "20", "--last", "20"])
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == f"Error: illegal uci: 'g8g6' in {MATE}"
