"""The model of the outcome against its definition in exact decimals, and against what chances must be."""

from decimal import Decimal, localcontext
from math import inf, nan

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import START_FEN, parse_fen
from eval.outcome import Coefficients, OutcomeModel, material_of
from tests.engine.search.oracles import VALUES, random_board
from tests.engine.search.searching import sized
from tests.eval.some_weights import MODEL

MODELS = [
    MODEL,
    OutcomeModel((350.0, -250.0, 220.0, -60.0), (60.0, 40.0, -20.0, 10.0)),
    OutcomeModel((1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
    OutcomeModel((2.0, 0.0, 0.0, 0.0), (4000.0, 0.0, 0.0, 0.0)),
]
GOOD: Coefficients = (200.0, 0.0, 0.0, 0.0)

models = st.sampled_from(MODELS)
values = st.integers(-40_000, 40_000)
materials = st.integers(0, 103)


def exact_win(model: OutcomeModel, value: int, material: int) -> Decimal:
    """1 / (1 + exp((a - value) / b)), a and b in powers of material / 58."""
    with localcontext() as context:
        context.prec = 60
        x = Decimal(min(max(material, 17), 78)) / 58
        a, b = (
            sum((Decimal(c) * x**power for power, c in enumerate(each)), Decimal(0))
            for each in (model.a, model.b)
        )
        return 1 / (1 + ((a - value) / b).exp())


@given(models, values, materials)
def test_chances_are_those_of_the_definition(model: OutcomeModel, value: int, material: int) -> None:
    win, draw, loss = model.chances(value, material)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert abs(win - 1000 * exact_win(model, value, material)) <= Decimal("0.500001")
    assert abs(loss - 1000 * exact_win(model, -value, material)) <= Decimal("1.000001")


@given(models, values, values, materials)
def test_more_is_never_worse(model: OutcomeModel, one: int, other: int, material: int) -> None:
    low, high = sorted((one, other))
    assert model.chances(low, material)[0] <= model.chances(high, material)[0]
    assert model.chances(low, material)[2] >= model.chances(high, material)[2]
    assert model.normalised(low, material) <= model.normalised(high, material)


@pytest.mark.parametrize("model", MODELS)
def test_a_hundred_is_an_even_chance_to_win(model: OutcomeModel) -> None:
    for material in range(17, 79):
        even = model.even(material)
        assert model.win(even, material) == pytest.approx(0.5)
        if even > 50:
            assert model.normalised(round(even), material) == pytest.approx(100, abs=1)
        assert model.normalised(0, material) == 0
        assert model.normalised(-1234, material) == -model.normalised(1234, material)


@pytest.mark.parametrize("model", MODELS)
def test_material_outside_the_range_counts_as_its_bound(model: OutcomeModel) -> None:
    for value in (-500, 0, 77, 10_000):
        assert model.chances(value, 2) == model.chances(value, 17)
        assert model.chances(value, 103) == model.chances(value, 78)


@pytest.mark.parametrize(
    ("coefficients", "reason"),
    [
        ((1.0, 2.0, 3.0), "3 coefficients, not 4"),
        ((200.0, 0.0, 0.0, 0.0, 0.0), "5 coefficients, not 4"),
        ((200.0, nan, 0.0, 0.0), "not a finite number: nan"),
        ((200.0, 0.0, inf, 0.0), "not a finite number: inf"),
        ((0.0, 0.0, 0.0, 0.0), "is 0 centipawns at material 17, below 1"),
        ((-200.0, 0.0, 0.0, 0.0), "is -200 centipawns at material 17, below 1"),
        ((58.0, -45.0, 0.0, 0.0), r"is 0\.\d+ centipawns at material 74, below 1"),
        # material 58 and 63 are fine, what lies between is not
        ((5397.25, -10290.0, 4900.0, 0.0), "centipawns at material 59, below 1"),
        ((1e308, 1e308, 1e308, 1e308), "is inf centipawns"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused(coefficients: Coefficients, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^a .*{reason}"):
        OutcomeModel(coefficients, GOOD)
    with pytest.raises(ValueError, match=f"^b .*{reason}"):
        OutcomeModel(GOOD, coefficients)


def test_material_is_what_python_chess_counts() -> None:
    assert material_of(parse_fen(START_FEN)) == 78
    for seed in range(sized(60, 20)):
        board = random_board(seed, 250)
        worth = sum(
            VALUES[piece.piece_type] for piece in board.piece_map().values() if piece.piece_type != chess.KING
        )
        assert 100 * material_of(parse_fen(board.fen())) == worth
