"""The suites that come with Lolli, in scripts/laboratory/data."""

import chess
import pytest

from engine.search.limits import Limits
from protocol.cli.analysis.analyst import Analyst
from protocol.cli.suites.epd import SuitePosition, parse_position, suite_lines
from protocol.cli.suites.runner import examine
from protocol.uci.bench import POSITIONS
from tests.pure import ROOT


def read(name: str) -> list[SuitePosition]:
    data = (ROOT / "scripts" / "laboratory" / "data" / name).read_bytes()
    return [parse_position(text, name, line) for line, text in suite_lines(data)]


MATES = read("mates.epd")
BRATKO_KOPEC = read("bratko-kopec.epd")


@pytest.mark.parametrize("suite", [MATES, BRATKO_KOPEC])
def test_positions_are_legal_and_distinct(suite: list[SuitePosition]) -> None:
    assert all(position.board.is_valid() for position in suite)
    assert len({position.board.epd() for position in suite}) == len(suite)
    assert len({position.name for position in suite}) == len(suite)


def test_the_test_of_bratko_and_kopec() -> None:
    assert [position.name for position in BRATKO_KOPEC] == [f"BK.{number:02}" for number in range(1, 25)]
    assert {position.board.fen() for position in BRATKO_KOPEC} <= set(POSITIONS)
    assert all(position.best for position in BRATKO_KOPEC)


def can_mate(board: chess.Board, moves: int) -> bool:
    """Whether the side to move can force mate in so many moves, by looking at all of them."""
    for move in list(board.legal_moves):
        board.push(move)
        mates = board.is_checkmate() or (moves > 1 and not board.is_game_over() and is_lost(board, moves - 1))
        board.pop()
        if mates:
            return True
    return False


def is_lost(board: chess.Board, moves: int) -> bool:
    """Whether the other side can force mate in so many moves whatever the side to move plays."""
    for move in list(board.legal_moves):
        board.push(move)
        mates = can_mate(board, moves)
        board.pop()
        if not mates:
            return False
    return True


@pytest.mark.parametrize(
    "position", [each for each in MATES if (each.mate or 9) <= 2], ids=lambda each: each.name
)
def test_short_mates_are_as_long_as_they_say(position: SuitePosition) -> None:
    mate = position.mate or 0
    assert can_mate(position.board, mate)
    assert mate == 1 or not can_mate(position.board, mate - 1)


@pytest.mark.parametrize("position", MATES, ids=lambda each: each.name)
def test_mates_are_found(position: SuitePosition, is_pure: bool) -> None:
    mate = position.mate or 0
    if is_pure and mate > 2:
        pytest.skip("takes too long as plain Python")
    nodes = 4_000_000 if position.name == "m4.5" else 1_000_000  # that one is found after some two million
    with Analyst() as analyst:
        result = examine(position, analyst, Limits(nodes=nodes))
    assert result.solved
    assert result.final.score.relative.mate() == mate
