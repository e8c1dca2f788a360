"""Evaluators by name and file: what tells them apart, and which are refused."""

import pickle
from array import array
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from engine.board.fen import START_FEN, parse_fen
from eval.features import WEIGHTS
from eval.linear import Linear
from eval.network import Network
from eval.network_file import NetworkWeights, save_network
from eval.outcome import OutcomeModel
from eval.weight_file import STANDARD, Weights, WeightsError, load, save
from scripts.laboratory.learning.evaluators import GivenEvaluator, default_name, evaluator_options
from tests.eval.some_networks import BY_RANK, random_network


def test_weights_are_told_apart_by_what_they_weigh() -> None:
    nothing, something = (0,) * WEIGHTS, (1,) * WEIGHTS
    bare = Weights(nothing, nothing)
    model = OutcomeModel((100.0, 0.0, 0.0, 0.0), (50.0, 0.0, 0.0, 0.0))
    described = replace(bare, outcome=model, about={"made": "x"})
    assert GivenEvaluator("linear", bare).digest() == GivenEvaluator("linear", described).digest()
    others = [bare, replace(bare, middle=something), replace(bare, endgame=something)]
    assert GivenEvaluator("material").digest() is None
    assert len({GivenEvaluator("linear", weights).digest() for weights in others}) == 3


def test_weights_come_from_a_file(tmp_path: Path) -> None:
    weights = load(Path(STANDARD))
    changed = replace(weights, middle=tuple(weight + 50 for weight in weights.middle))
    save(tmp_path / "other.json", changed)
    found = GivenEvaluator.read("linear", str(tmp_path / "other.json"))
    assert found.digest() == GivenEvaluator("linear", changed).digest()
    assert found.digest() != GivenEvaluator.read("linear").digest()
    position = parse_fen(START_FEN)
    assert found.make().static_value(position) == Linear(changed).static_value(position)
    assert found.make() is not found.make()


def test_a_network_travels_as_its_file(tmp_path: Path) -> None:
    """Which may be gone by then."""
    paths = [tmp_path / f"{seed}.lolli" for seed in (1, 2)]
    for seed, path in enumerate(paths, 1):
        save_network(path, random_network(seed))
    found, other = (GivenEvaluator.read("network", str(path)) for path in paths)
    assert found.digest() != other.digest()
    for path in paths:
        path.unlink()
    arrived = pickle.loads(pickle.dumps(found))
    assert arrived == found
    position = parse_fen("r3k2r/8/8/3q4/8/8/8/R3K2R w KQkq - 0 1")
    assert arrived.make().static_value(position) == Network(random_network(1)).static_value(position)
    assert str(found) == f"network {found.digest()}"


def test_a_network_is_told_by_what_plays(tmp_path: Path) -> None:
    """Its model of the outcome can be fitted and its games go on."""
    weights, path = random_network(1), tmp_path / "network.lolli"

    def digest(changed: NetworkWeights) -> str | None:
        save_network(path, changed)
        return GivenEvaluator.read("network", str(path)).digest()

    same = [weights, replace(weights, outcome=None), replace(weights, about={"made": "x"})]
    assert {digest(each) for each in same} == {weights.digest()}
    numbers = array("h", weights.numbers)
    numbers[100] += 1
    others = [
        replace(weights, numbers=memoryview(numbers)),
        replace(weights, output_biases=(1, *weights.output_biases[1:])),
        replace(weights, scale=140),
        replace(weights, won_endings=True),
        replace(weights, drawish_endings=True),
        random_network(1, king_places=BY_RANK),
    ]
    assert len({weights.digest(), *map(digest, others)}) == 7


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], default_name()),
        (["--weights", "net.lolli"], "network"),
        (["--eval", "material"], "material"),
    ],
)
def test_the_weights_tell_the_evaluator(words: list[str], name: str, tmp_path: Path) -> None:
    save_network(tmp_path / "net.lolli", random_network())
    command = click.command()(evaluator_options(lambda evaluator: click.echo(evaluator.name)))
    words = [str(tmp_path / word) if word == "net.lolli" else word for word in words]
    done = CliRunner().invoke(command, words)
    assert done.output == f"{name}\n"


@pytest.mark.parametrize(
    ("name", "file", "said"),
    [
        ("linear", "none.json", "none.json: there is no such file"),
        ("network", "none.lolli", "none.lolli: there is no such file"),
        ("material", "none.json", "material has no weights: none.json"),
        ("magic", None, "unknown evaluator 'magic': use material, "),
    ],
)
def test_what_is_refused(name: str, file: str | None, said: str) -> None:
    with pytest.raises(WeightsError, match=said):
        GivenEvaluator.read(name, file)
