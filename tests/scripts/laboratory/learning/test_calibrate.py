"""scripts/lab calibrate: the ratings behind the levels of play."""

import random
import subprocess
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import chess
import pytest

from scripts.laboratory.learning import calibrate as calibration
from scripts.laboratory.learning.calibrate import (
    ANCHORS,
    LEVELS,
    CalibrationGame,
    CalibrationWorker,
    LevelResult,
    Mover,
    Pairing,
    identity,
    pairings,
    rate,
)
from scripts.laboratory.long_run import RunJournal
from scripts.laboratory.statistics import score_of
from tests.pure import ROOT


def strength(player: int) -> float:
    """As it is in these games. The steps from level to level differ, as the real ones do."""
    return 300 + 83 * player - 36 * (player % 3) if player > 0 else ANCHORS[-1 - player][0]


def played(seed: int, times: int) -> list[LevelResult]:
    """All pairings, `times` times, at random. Between two levels differences count 1.6 times."""
    chooser = random.Random(seed)

    def score(pairing: Pairing) -> float:
        difference = strength(pairing.level) - strength(pairing.other)
        return score_of(1.6 * difference if pairing.other > 0 else difference)

    return [
        LevelResult(pairing.level, pairing.other, game, float(chooser.random() < score(pairing)))
        for pairing in pairings()
        for game in range(times * pairing.games)
    ]


def test_no_pairing_is_played_twice() -> None:
    found = [(each.level, each.other) for each in pairings()]
    assert len(found) == len(set(found))


def test_known_strengths_are_found() -> None:
    ratings = rate(played(1, times=40))
    assert [rating.elo for rating in ratings] == pytest.approx([strength(level) for level in LEVELS], abs=45)
    assert [rating.level for rating in ratings] == list(LEVELS)


def calibrate(*words: object) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "scripts" / "lab"), "calibrate", *map(str, words)]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=300)


def test_another_engine_is_refused(tmp_path: Path) -> None:
    done = calibrate("--results", tmp_path / "r.jsonl", "--stockfish", ROOT / "scripts" / "run")
    assert done.returncode == 2
    assert "not Stockfish 15.1" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def stockfish(tmp_path: Path) -> Path:
    """What says it is Stockfish 15.1."""
    path = tmp_path / "stockfish"
    path.write_text("#!/bin/sh\nread uci\necho id name Stockfish 15.1\necho uciok\nread quit\n")
    path.chmod(0o755)
    return path


def test_a_run_goes_on_from_its_results_and_from_no_others(tmp_path: Path, stockfish: Path) -> None:
    """Where all games have been played nothing is left but the table."""
    path, results = tmp_path / "r.jsonl", played(1, times=1)
    with RunJournal(path, identity(seed=1)) as journal:
        for result in results:
            journal.append(asdict(result))
    done = calibrate("--results", path, "--stockfish", stockfish)
    expected = [
        f"level {each.level:2}  {each.elo:4.0f} ± {1.96 * each.error:3.0f}  {each.games} games"
        for each in rate(results)
    ]
    assert done.stdout.splitlines()[-len(expected) :] == expected
    done = calibrate("--results", path, "--stockfish", stockfish, "--seed", 2)
    assert done.returncode == 2
    assert "belongs to another run: seed was 1 and is 2" in done.stderr


def test_games_are_played_with_either_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """By turns, from the same opening, and the points are the level's."""
    told = list[tuple[bool, str]]()

    def play(_level: Mover, _other: Mover, white: bool, board: chess.Board) -> float:
        told.append((white, board.fen()))
        return float(white)

    monkeypatch.setattr(calibration, "play", play)
    pairing, fen = Pairing(4, -1, 60), "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
    with closing(CalibrationWorker(str(ROOT / "scripts" / "run"), seed=1)) as worker:
        results = [worker.work(CalibrationGame(pairing, number, fen)) for number in range(4)]
    assert results == [LevelResult(4, -1, number, float(number % 2 == 0)) for number in range(4)]
    assert told == [(True, fen), (False, fen)] * 2


@pytest.mark.parametrize("white", [True, False])
@pytest.mark.parametrize(
    "moves", [["f2f3", "e7e5", "g2g4", "d8h4"], ["e2e4", "f7f6", "d2d4", "g7g5", "d1h5"]]
)
def test_who_mates_has_the_point(moves: list[str], white: bool) -> None:
    movers = [iter(moves[::2]), iter(moves[1::2])]
    level, other = (
        lambda _board, own=own: chess.Move.from_uci(next(own)) for own in (movers if white else movers[::-1])
    )
    white_mates = len(moves) % 2 == 1
    assert calibration.play(level, other, white, chess.Board()) == float(white_mates == white)


def test_a_game_is_the_same_whoever_plays_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else a worker has played, and in which order, changes nothing."""
    boards = list[chess.Board]()
    play = calibration.play

    def seen(level: Mover, other: Mover, white: bool, board: chess.Board) -> float:
        boards.append(board)
        return play(level, other, white, board)

    monkeypatch.setattr(calibration, "play", seen)
    games = [CalibrationGame(Pairing(2, 3, 60), number, chess.STARTING_FEN) for number in range(2)]
    for order in (games, games[::-1]):
        with closing(CalibrationWorker(str(ROOT / "scripts" / "run"), seed=1)) as worker:
            for game in order:
                worker.work(game)
    first, second = ([board.move_stack for board in each] for each in (boards[:2], boards[:1:-1]))
    assert first == second
    assert first[0] != first[1]
