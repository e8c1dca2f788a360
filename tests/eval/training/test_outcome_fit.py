"""The fit of the outcome: games made up from a known model give that model back."""

from functools import cache

import chess
import numpy as np
import pytest

from engine.board.fen import parse_fen
from eval.outcome import OutcomeModel
from eval.outcome import material_of as material_of_position
from eval.training.outcome_fit import FitError, Observed, fit, loss, material_of, observe
from eval.training.positions import RECORD
from tests.engine.search.oracles import random_board
from tests.eval.training.record_files import record_of

MODELS = [
    OutcomeModel((350.0, -250.0, 220.0, -60.0), (60.0, 40.0, -20.0, 10.0)),
    OutcomeModel((150.0, 0.0, 0.0, 0.0), (80.0, 0.0, 0.0, 0.0)),
]
GAMES = 250_000


@cache
def played(model: OutcomeModel, seed: int = 1, least: int = 17) -> Observed:
    """Random results, one by one, with the model's own chances."""
    rng = np.random.default_rng(seed)
    material = rng.integers(least, 79, GAMES)
    value = np.rint(rng.normal(0, 200, GAMES)).astype(np.int64)
    chances = np.array(
        [
            (model.win(float(v), int(m)), model.win(-float(v), int(m)))
            for v, m in zip(value, material, strict=True)
        ]
    )
    lot = rng.random(GAMES)
    result = np.where(lot < chances[:, 0], 1, np.where(lot < chances.sum(axis=1), -1, 0))
    return Observed(value, material, result, np.ones(GAMES, np.int64))


@pytest.mark.parametrize("model", MODELS)
def test_a_known_model_is_found_again(model: OutcomeModel) -> None:
    seen = played(model)
    found = fit(seen)
    for material in range(20, 79, 4):
        assert found.even(material) == pytest.approx(model.even(material), rel=0.05)
        for value in range(-400, 401, 100):
            assert found.win(value, material) == pytest.approx(model.win(value, material), abs=0.02)
    assert loss(found, seen) <= loss(model, seen) + 1e-4


def test_material_of_which_there_are_no_games_gets_a_sensible_model() -> None:
    found = fit(played(MODELS[1], least=45))
    assert found.even(60) == pytest.approx(150, rel=0.05)
    assert 30 < found.even(17) < 600


def test_records_are_observed() -> None:
    """Two of the same kind make one row; the score and the result are the mover's."""
    position = parse_fen("4k3/8/8/8/8/8/P7/R3K3 b - - 0 1")
    poor = [record_of(position, *each) for each in ((480, 2, 30), (480, 2, 32), (-20, 1, 40))]
    seen = observe(np.array(poor, RECORD))
    assert seen.value.tolist() == [-20, 480]
    assert seen.material.tolist() == [17, 17]  # 6, which counts as the least that the model tells apart
    assert seen.result.tolist() == [0, 1]
    assert seen.count.tolist() == [1, 2]


def test_material_of_records_is_that_of_their_positions() -> None:
    fens = [random_board(seed, 250).fen() for seed in range(40)] + [chess.STARTING_FEN]
    positions = [parse_fen(fen) for fen in fens]
    records = np.array([record_of(position) for position in positions], RECORD)
    assert material_of(records).tolist() == [material_of_position(position) for position in positions]


def test_games_that_tell_nothing() -> None:
    with pytest.raises(FitError, match="no positions"):
        fit(observe(np.empty(0, RECORD)))
    won = Observed(np.array([10]), np.array([50]), np.array([1]), np.array([100]))
    with pytest.raises(FitError, match="wins, draws and losses"):
        fit(won)
