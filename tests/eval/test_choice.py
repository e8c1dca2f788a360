"""Which evaluators can be chosen: what is missing or broken is named with its file and the reason."""

from pathlib import Path

import pytest

from engine.board.fen import START_FEN, parse_fen
from eval.choice import DEFAULT, NAMES, Choices, EvaluatorError
from eval.linear import Linear
from eval.material import Material
from eval.outcome import OutcomeModel
from eval.weight_file import WeightsError, save, save_outcome
from tests.eval.some_weights import MODEL, random_weights

POSITION = parse_fen("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
OTHER = OutcomeModel((300.0, 0.0, 0.0, 0.0), (90.0, 0.0, 0.0, 0.0))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Good files: weights for linear, an outcome for material."""
    linear, material = tmp_path / "linear.json", tmp_path / "material.json"
    save(linear, random_weights())
    save_outcome(material, OTHER, {})
    return linear, material


def test_all_of_them(files: tuple[Path, Path]) -> None:
    choices = Choices(*files)
    assert sorted(choices.names) == sorted(NAMES)
    assert choices.names[0] == DEFAULT
    assert choices.problems == []
    assert isinstance(choices["material"].make(), Material)
    assert isinstance(choices["linear"].make(), Linear)
    assert (choices["material"].outcome, choices["linear"].outcome) == (OTHER, MODEL)
    assert (choices["material"].learned, choices["linear"].learned) == (False, True)


def test_each_thread_gets_its_own_with_the_same_judgement(files: tuple[Path, Path]) -> None:
    choices = Choices(*files)
    for name in NAMES:
        one, other = choices[name].make(), choices[name].make()
        assert one is not other
        assert one.static_value(POSITION) == other.static_value(POSITION)


def test_one_that_cannot_be_loaded_is_not_among_the_names(files: tuple[Path, Path], tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    choices = Choices(missing, files[1])
    assert choices.names == ("material",)
    (problem,) = choices.problems
    assert problem == f"Eval linear cannot be used: {missing}: there is no such file"
    with pytest.raises(EvaluatorError) as caught:
        choices["linear"]
    assert str(caught.value) == f"{missing}: there is no such file"
    with pytest.raises(EvaluatorError, match="unknown evaluator 'network'"):
        choices["network"]


def test_material_plays_without_its_chances(files: tuple[Path, Path], tmp_path: Path) -> None:
    choices = Choices(files[0], tmp_path / "missing.json")
    assert sorted(choices.names) == sorted(NAMES)
    assert choices["material"].outcome is None
    (problem,) = choices.problems
    assert problem.startswith("the chances under Eval material are not known: ")
    assert problem.endswith("missing.json: there is no such file")


def test_other_weights(files: tuple[Path, Path], tmp_path: Path) -> None:
    choices = Choices(*files)
    before = choices["linear"].make().static_value(POSITION)
    save(tmp_path / "other.json", random_weights(seed=2, outcome=None))
    choices.load_linear(tmp_path / "other.json")
    assert choices["linear"].outcome is None
    assert (
        choices["linear"].make().static_value(POSITION)
        == Linear(random_weights(seed=2)).static_value(POSITION)
        != before
    )
    choices.load_linear()
    assert choices["linear"].make().static_value(POSITION) == before


def test_other_weights_that_are_bad_change_nothing(files: tuple[Path, Path], tmp_path: Path) -> None:
    choices = Choices(*files)
    before = choices["linear"]
    bad = tmp_path / "short.json"
    bad.write_bytes(files[0].read_bytes()[:-100])
    with pytest.raises(WeightsError, match=r"short\.json: "):
        choices.load_linear(bad)
    assert choices["linear"] is before
    assert choices.problems == []


def test_good_weights_make_up_for_bad_ones(files: tuple[Path, Path], tmp_path: Path) -> None:
    choices = Choices(tmp_path / "missing.json", files[1])
    choices.load_linear(files[0])
    assert sorted(choices.names) == sorted(NAMES)
    assert choices.problems == []


def test_what_comes_with_the_program_can_be_loaded() -> None:
    choices = Choices()
    assert choices.problems == []
    for name in NAMES:
        assert choices[name].outcome is not None
        assert abs(choices[name].make().static_value(parse_fen(START_FEN))) < 100
