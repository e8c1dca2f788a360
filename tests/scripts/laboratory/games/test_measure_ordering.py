"""scripts/lab measure-ordering: what it counts, beside what theory says."""

from __future__ import annotations

import json
from random import Random

import pytest
from click.testing import CliRunner

from scripts.laboratory.games.measure_ordering import measure, measure_ordering


@pytest.mark.parametrize(("breadth", "depth"), [(3, 4), (4, 3), (2, 7)])
def test_alphabeta_is_between_the_bounds(breadth: int, depth: int) -> None:
    measured = measure(Random(1), breadth, depth, 1, trees=3)
    assert measured.plain == breadth**depth
    assert measured.perfect == breadth ** ((depth + 1) // 2) + breadth ** (depth // 2) - 1
    assert measured.perfect <= measured.random <= measured.worst <= measured.plain


def test_chance_multiplies_the_leaves() -> None:
    measured = measure(Random(1), 3, 3, 2, trees=3)
    assert measured.plain == 3**3 * 2**3
    assert measured.perfect < measured.plain
    assert measured.perfect <= measured.worst <= measured.plain


def test_tables_and_json() -> None:
    words = ["--breadth", "3", "--depth", "3", "--outcomes", "2", "--chance-depth", "2", "--trees", "2"]
    tables = CliRunner().invoke(measure_ordering, words, catch_exceptions=False)
    assert tables.exit_code == 0
    assert "Leaves of alpha-beta, 3 moves" in tables.output
    assert "Star1: perfect" in tables.output
    lines = (
        CliRunner().invoke(measure_ordering, [*words, "--json"], catch_exceptions=False).output.splitlines()
    )
    shapes = [json.loads(line) for line in lines]
    assert [(shape["depth"], shape["outcomes"]) for shape in shapes] == [
        (1, 1),
        (2, 1),
        (3, 1),
        (1, 2),
        (2, 2),
    ]
    assert shapes[2]["plain"] == 27
