"""Adjudicated games that are played on: which games, to which end, and what is counted."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.adjudication import STANDARD, Ending
from engine.board.fen import parse_fen
from eval.learning.game_file import OLD_GAMES, GameRecord, pack_game, pack_position
from eval.material import Material
from scripts.laboratory.learning.check_adjudication import (
    PlayedOn,
    PlayOnWorker,
    VerdictTally,
    adjudicated,
    check_adjudication,
)
from scripts.laboratory.learning.given_evaluator import GivenEvaluator
from scripts.laboratory.learning.selfplay_games import make_player

ROOK_UP = "8/5k2/8/8/8/8/2K5/7R w - - 0 1"
LEVEL = "8/5kp1/8/8/8/8/2KP4/8 w - - 0 1"
SOON = {
    ROOK_UP: replace(STANDARD, level_score=32000, won_score=300),
    LEVEL: replace(STANDARD, level_score=32000, won_score=32000, drawn_score=1000, drawn_from=5),
}


def game(number: int, fen: str, result: int | None = None) -> bytes:
    """A game that is decided soon; its result is changed to `result`."""
    player = make_player(Material(), 20, SOON[fen])
    start = parse_fen(fen)
    plies = player.play(start)
    return pack_game(
        number,
        player.result if result is None else result,
        player.ending_number,
        pack_position(start),
        player.moves[:plies].tobytes(),
        player.scores[:plies].tobytes(),
    )


def write(path: Path, *found: bytes) -> Path:
    path.write_bytes(OLD_GAMES.pack_header({}) + b"".join(found))
    return path


@pytest.mark.parametrize(
    ("fen", "verdict", "result"), [(ROOK_UP, Ending.CLEAR_WIN, 1), (LEVEL, Ending.CLEAR_DRAW, 0)]
)
def test_a_game_is_played_to_its_end(fen: str, verdict: Ending, result: int, is_pure: bool) -> None:
    worker = PlayOnWorker(GivenEvaluator.read("linear"), 20 if is_pure else 300)
    on = worker.work(GameRecord.from_bytes(game(0, fen)))
    assert (on.verdict, on.result) == (verdict, result)
    assert on.plies > 0
    if verdict is Ending.CLEAR_WIN and not is_pure:
        assert on.reached == 1


def test_what_is_counted() -> None:
    tally = VerdictTally()
    win, draw = Ending.CLEAR_WIN, Ending.CLEAR_DRAW
    for verdict, result, reached in ((win, 1, 1), (win, -1, -1), (win, 1, 0), (win, 1, -1), (draw, 0, 1)):
        tally.add(PlayedOn(verdict, result, reached, 10))
    assert (tally.held[win], tally.drawn[win], tally.won[win], tally.games(win)) == (2, 1, 1, 4)
    assert (tally.held[draw], tally.drawn[draw], tally.won[draw], tally.games(draw)) == (0, 0, 1, 1)
    assert tally.plies == {win: 40, draw: 10}


def test_which_games_are_drawn(tmp_path: Path) -> None:
    wins, draws = [game(number, ROOK_UP) for number in range(9)], [game(9, LEVEL)]
    path = write(tmp_path / "a.games", *wins, *draws)
    assert sorted(each.number for each in adjudicated([path], 100, 1)) == list(range(10))
    few = [[each.number for each in adjudicated([tmp_path], 4, seed)] for seed in range(20)]
    assert all(len(set(numbers)) == 5 and numbers[-1] == 9 for numbers in few)
    assert {number for numbers in few for number in numbers} == set(range(10))
    assert few[3] == [each.number for each in adjudicated([path], 4, 3)]


def run_command(*words: str) -> Result:
    return CliRunner().invoke(check_adjudication, ["--concurrency", "1", "--nodes", "100", *words])


def test_the_command(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    write(tmp_path / "a.games", game(0, ROOK_UP), game(1, ROOK_UP, result=-1))
    done = run_command(str(tmp_path))
    assert done.exit_code == 0, done.output
    row = next(line for line in done.output.splitlines() if "clear win" in line)
    assert [part.strip() for part in row.split("│")[2:6]] == ["2", "1 (50.0%)", "0 (0.0%)", "1 (50.0%)"]


def test_a_file_that_is_not_one(tmp_path: Path) -> None:
    (tmp_path / "a.games").write_bytes(b"nonsense")
    done = run_command(str(tmp_path))
    assert done.exit_code == 2
    assert "not a file of games" in " ".join(done.output.split())
