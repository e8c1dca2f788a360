"""The signature of the search."""

import re
from pathlib import Path

import chess
import pytest

from eval.choice import Choices, EvaluatorError
from eval.weight_file import save
from protocol.uci import bench
from protocol.uci.bench import POSITIONS
from tests.eval.some_weights import random_weights


def test_positions_are_legal_and_distinct() -> None:
    boards = [chess.Board(fen) for fen in POSITIONS]
    assert all(board.is_valid() for board in boards)
    assert any(board.is_checkmate() for board in boards)
    assert any(board.is_stalemate() for board in boards)
    assert len(set(POSITIONS)) == len(POSITIONS) >= 40


def test_the_same_count_on_every_run() -> None:
    said: list[str] = []
    counts = set()
    for _ in range(2):
        (line,) = bench.report(bench.fresh_session(), 2, lambda: False, said.append)
        match = re.fullmatch(r"(\d+) nodes \d+ nps", line)
        assert match is not None
        counts.add(int(match[1]))
    assert len(counts) == 1
    assert len(said) == 2 * len(POSITIONS)
    assert sum(int(line.split()[2]) for line in said[: len(POSITIONS)]) in counts


def test_it_can_be_stopped() -> None:
    asked = iter([False] * 3)
    session = bench.fresh_session()
    assert bench.report(session, 1, lambda: next(asked, True), lambda _: None) == [
        "info string bench stopped"
    ]


def test_it_searches_with_the_evaluator_asked_for_or_not_at_all(tmp_path: Path) -> None:
    weights = tmp_path / "linear.json"
    save(weights, random_weights())
    choices = Choices(weights)
    assert bench.fresh_session("linear", choices).evaluator == "linear"
    assert bench.fresh_session(choices=choices).evaluator == choices.names[0]
    with pytest.raises(EvaluatorError, match="there is no such file"):
        bench.fresh_session("linear", Choices(tmp_path / "missing.json"))


@pytest.mark.slow
def test_the_usual_bench() -> None:
    (line,) = bench.report(bench.fresh_session(), bench.DEFAULT_DEPTH, lambda: False, lambda _: None)
    assert line.endswith(" nps")
