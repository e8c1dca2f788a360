"""Comparing the evaluations with another engine: positions from games, agreement, the command."""

from pathlib import Path

import chess
import chess.engine
import pytest
from click.testing import CliRunner

from eval.learning.start import hand_set
from eval.material import Material
from eval.weight_file import save
from scripts.laboratory.learning.correlate import A_GAME, agreement, correlate, judged, sample

GAME = """[Event "?"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8
10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Re8 13. Ng5 h6 14. Nxf7 Kxf7 15. Bb3+ Kf8 *

"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(GAME + GAME.replace("9. h3", "9. a4"))
    return path


def test_sample_takes_different_positions_of_the_middle_of_games(games: Path) -> None:
    boards = sample([games], 1000, seed=1)
    assert 2 < len(boards) <= 2 * A_GAME
    assert len({board.epd() for board in boards}) == len(boards)
    assert not any(board.is_check() for board in boards)
    assert min(board.fullmove_number for board in boards) >= 5


def test_sample_is_the_same_for_the_same_seed(games: Path) -> None:
    assert sample([games], 5, seed=3) == sample([games], 5, seed=3)
    assert len(sample([games], 5, seed=3)) == 5


def test_judgement_is_from_the_point_of_view_of_white() -> None:
    boards = [chess.Board(f"4k3/8/8/8/8/8/8/Q3K3 {side} - - 0 1") for side in "wb"]
    assert judged(boards, Material()) == [900, 900]


def test_agreement_of_known_numbers() -> None:
    same = agreement("x", [-300, -40, 0, 70, 2000], [-300, -40, 0, 70, 1000])
    assert same.positions == 5
    assert (same.linear, same.ranks, same.side) == pytest.approx((1, 1, 1))
    opposite = agreement("x", [300, 40, 0, -70], [-300, -40, 0, 70])
    assert (opposite.linear, opposite.ranks, opposite.side) == pytest.approx((-1, -1, 0))
    assert agreement("x", [100, -100, 0, 10], [60, 60, -80, -20]).side == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--engine", "no-such-engine"], "engine not found"),
        (["--weights", "{games}"], "is not a whole file of weights"),
        (["--engine", "true"], "true: "),
    ],
)
def test_command_says_what_is_wrong(games: Path, arguments: list[str], reason: str) -> None:
    weights = games.with_name("hand.json")
    save(weights, hand_set())
    given = ["--weights", str(weights), "--engine", "true", *(word.format(games=games) for word in arguments)]
    result = CliRunner().invoke(correlate, [str(games), *given])
    assert result.exit_code != 0
    assert reason in result.output
    assert "Traceback" not in result.output


def test_command_needs_positions(tmp_path: Path) -> None:
    path, weights = tmp_path / "none.pgn", tmp_path / "hand.json"
    path.write_text("")
    save(weights, hand_set())
    result = CliRunner().invoke(correlate, [str(path), "--weights", str(weights), "--engine", "true"])
    assert result.exit_code == 2
    assert "no positions" in result.output
