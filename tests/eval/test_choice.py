"""Which evaluators can be chosen: what is missing or broken is named with its file and the reason."""

from pathlib import Path

import pytest

from engine.board.fen import START_FEN, parse_fen
from eval.choice import NAMES, Choices, EvaluatorError, owner
from eval.linear import Linear
from eval.material import Material
from eval.network import Network
from eval.network_file import save_network
from eval.outcome import OutcomeModel
from eval.weight_file import WeightsError, save, save_outcome
from tests.eval.some_networks import random_network
from tests.eval.some_weights import MODEL, random_weights

POSITION = parse_fen("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
OTHER = OutcomeModel((300.0, 0.0, 0.0, 0.0), (90.0, 0.0, 0.0, 0.0))
Files = tuple[Path, Path, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    linear, material, network = (
        tmp_path / name for name in ("linear.json", "material.json", "network.lolli")
    )
    save(linear, random_weights())
    save_outcome(material, OTHER, {})
    save_network(network, random_network())
    return linear, material, network


@pytest.fixture
def missing(tmp_path: Path) -> Path:
    return tmp_path / "missing"


def values(choices: Choices) -> list[int]:
    return [choices[name].make().static_value(POSITION) for name in NAMES]


def test_all_of_them(files: Files) -> None:
    choices = Choices(*files)
    assert choices.names == ("network", "material", "linear")
    assert choices.problems == []
    for name, kind in zip(NAMES, (Material, Linear, Network), strict=True):
        assert isinstance(choices[name].make(), kind)
    assert [choices[name].outcome for name in NAMES] == [OTHER, MODEL, MODEL]
    assert [choices[name].learned for name in NAMES] == [False, True, True]


def test_the_best_that_can_be_loaded_is_the_default(files: Files, missing: Path) -> None:
    linear, material, network = files
    assert Choices(linear, material, missing).names == ("linear", "material")
    assert Choices(missing, material, network).names == ("network", "material")
    assert Choices(missing, material, missing).names == ("material",)
    network.write_bytes(b"LolliNet")
    assert Choices(*files).names == ("linear", "material")


def test_one_that_cannot_be_loaded_is_not_among_the_names(files: Files, missing: Path) -> None:
    choices = Choices(missing, files[1], missing)
    reason = f"{missing}: there is no such file"
    assert choices.problems == [f"Eval {name} cannot be used: {reason}" for name in ("linear", "network")]
    for name in ("linear", "network"):
        with pytest.raises(EvaluatorError) as caught:
            choices[name]
        assert str(caught.value) == reason
    with pytest.raises(EvaluatorError, match="unknown evaluator 'stockfish'"):
        choices["stockfish"]


def test_material_plays_without_its_chances(files: Files, missing: Path) -> None:
    choices = Choices(files[0], missing, files[2])
    assert sorted(choices.names) == sorted(NAMES)
    assert choices["material"].outcome is None
    (problem,) = choices.problems
    assert problem.startswith("the chances under Eval material are not known: ")
    assert problem.endswith("missing: there is no such file")


def test_other_weights_are_for_the_evaluator_that_they_tell(files: Files, tmp_path: Path) -> None:
    choices = Choices(*files)
    before = values(choices)
    linear, network = tmp_path / "other", tmp_path / "another"
    save(linear, random_weights(seed=2, outcome=None))
    save_network(network, random_network(seed=2, outcome=None))
    assert [owner(linear), owner(network)] == ["linear", "network"]
    assert choices.load(linear) == "linear"
    mixed = [before[0], Linear(random_weights(seed=2)).static_value(POSITION), before[2]]
    assert values(choices) == mixed != before
    assert choices["linear"].outcome is None
    assert choices.load(network) == "network"
    assert values(choices) == [*mixed[:2], Network(random_network(seed=2)).static_value(POSITION)]
    assert choices["network"].outcome is None
    choices.restore()
    assert values(choices) == before


def test_a_network_is_explained_beside_linear(files: Files, missing: Path) -> None:
    choices = Choices(*files)
    for name, expected in (
        ("material", ["material"]),
        ("linear", ["linear"]),
        ("network", ["network", "linear"]),
    ):
        explained = choices.explanations(name, POSITION)
        assert [choice.name for choice, _ in explained] == expected
        assert all(told == choice.make().explain(POSITION) for choice, told in explained)
    (alone,) = Choices(missing, files[1], files[2]).explanations("network", POSITION)
    assert alone[0].name == "network"


def test_weights_that_are_gone_cannot_be_restored(files: Files, tmp_path: Path) -> None:
    choices = Choices(*files)
    save_network(tmp_path / "other", random_network(seed=2))
    choices.load(tmp_path / "other")
    loaded = choices["network"]
    files[2].unlink()
    with pytest.raises(WeightsError, match="no such file"):
        choices.restore()
    assert choices["network"] is loaded


def test_files_that_are_no_weights_count_as_those_of_linear(tmp_path: Path, missing: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert [owner(path) for path in (missing, tmp_path, tmp_path / "empty")] == ["linear"] * 3


def test_what_comes_with_the_program_can_be_loaded() -> None:
    choices = Choices()
    assert choices.problems == []
    for name in NAMES:
        assert choices[name].outcome is not None
        assert abs(choices[name].make().static_value(parse_fen(START_FEN))) < 100
