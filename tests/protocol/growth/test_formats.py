"""Every text format, its texts twice as long: the work must not be more than twice as much."""

import pytest

from engine.board.position import COMPILED
from tests.protocol.growth.counting import MOST_PER_DOUBLING, assert_time_grows_linearly, growth
from tests.protocol.growth.formats import LONG_GAME, SHAPES, Shape


@pytest.mark.parametrize("name", SHAPES)
def test_operations_grow_with_the_length(name: str) -> None:
    shape = SHAPES[name]
    assert max(growth(shape.read, shape.text, shape.size)) <= MOST_PER_DOUBLING


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="it is the same reading, a hundred times as slow")
@pytest.mark.parametrize("shape", [*SHAPES.values(), LONG_GAME], ids=[*SHAPES, "annotate: a long game"])
def test_time_grows_with_the_length(shape: Shape) -> None:
    """It alone sees what C does; twenty times the time for eight times the text are allowed."""
    assert_time_grows_linearly(shape.read, shape.text, shape.size)
