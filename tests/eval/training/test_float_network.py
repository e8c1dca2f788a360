"""Networks of float32: their layout, king buckets, and how they are rounded for a file."""

from typing import Any

import numpy as np
import pytest

from engine.board.fen import parse_fen
from eval.network import Network
from eval.network_shape import ROWS
from eval.training.float_network import KING_BUCKETS, FloatNetwork, king_places
from tests.engine.search.oracles import random_board
from tests.eval.training.network_reference import ReferenceNetwork
from tests.eval.training.record_files import record_of


def some_network(width: int, buckets: int) -> FloatNetwork:
    drawn = FloatNetwork.drawn(width, king_places(buckets), 3)
    outputs = drawn.outputs() * 2
    outputs[:, -1] = np.linspace(-0.5, 0.5, len(outputs))
    return FloatNetwork.joined(drawn.places, drawn.hidden(), outputs)


def without_endings(network: FloatNetwork) -> Network:
    return Network(network.for_file(139, {}, won_endings=False, drawish_endings=False))


@pytest.mark.parametrize("buckets", KING_BUCKETS)
def test_king_places(buckets: int) -> None:
    places = king_places(buckets)
    assert {*places} == {*range(buckets)}
    assert all(places[square] == places[square ^ 7] for square in range(64))


@pytest.mark.parametrize(("width", "buckets"), [(32, 1), (96, 2)])
def test_parts_come_back(width: int, buckets: int) -> None:
    chance = np.random.default_rng(1)
    hidden = chance.random((buckets * ROWS + 1, width), np.float32)
    outputs = chance.random((8, 2 * width + 1), np.float32)
    network = FloatNetwork.joined(king_places(buckets), hidden, outputs)
    assert np.array_equal(network.hidden(), hidden)
    assert np.array_equal(network.outputs(), outputs)


def test_a_drawn_network_depends_on_the_seed_alone() -> None:
    values = [FloatNetwork.drawn(64, king_places(2), seed).values for seed in (1, 1, 2)]
    assert np.array_equal(values[0], values[1])
    assert not np.array_equal(values[0], values[2])


def test_weights_of_what_no_position_has_are_zero() -> None:
    hidden = FloatNetwork.drawn(32, king_places(4), 1).hidden()[:-1].reshape(4, 2, 6, 64, 32)
    used: np.ndarray[Any, np.dtype[np.bool_]] = np.asarray(hidden.any(axis=-1))
    assert not used[:, :, 0, :8].any()
    assert not used[:, :, 0, 56:].any()
    assert used[:, :, 0, 8:56].all()
    assert used[:, 1, 5].all()
    assert used[:, 0, 5].sum(axis=0).reshape(8, 8).tolist() == [[1] * 4 + [0] * 4] * 8


@pytest.mark.parametrize(("width", "buckets"), [(32, 1), (64, 4)])
def test_integers_are_close(width: int, buckets: int) -> None:
    """Centipawns of the evaluator that plays, and of the network that learned."""
    network = some_network(width, buckets)
    evaluator, reference = without_endings(network), ReferenceNetwork.of(network)
    for seed in range(30):
        position = parse_fen(random_board(seed, 120).fen())
        (logit,) = reference.logits(np.array([record_of(position)]))
        assert evaluator.static_value(position) == pytest.approx(139 * logit, abs=12)


def test_integers_are_exact() -> None:
    """Weights that are integers already stay what they are."""
    first = some_network(32, 2).for_file(139, {"made": "today"})
    again = FloatNetwork.of_file(first).for_file(139, {"made": "today"})
    assert first.numbers.tobytes() == again.numbers.tobytes()
    assert again == first


def test_a_network_goes_on_with_king_buckets() -> None:
    """Without having learned anything for them yet, it values all as before."""
    network = some_network(32, 1)
    wider = network.with_places(king_places(8))
    evaluators = without_endings(network), without_endings(wider)
    for seed in range(10):
        position = parse_fen(random_board(seed, 100).fen())
        first, second = (evaluator.static_value(position) for evaluator in evaluators)
        assert first == second
    assert wider.with_places(king_places(8)) is wider
    with pytest.raises(ValueError, match="king buckets"):
        wider.with_places(king_places(4))
