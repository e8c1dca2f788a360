"""Perft as the dialogue and the command line have it."""

import pytest

from engine.board.fen import START_FEN, parse_fen
from protocol import divide

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "depth", "nodes"), [(START_FEN, 1, 20), (START_FEN, 3, 8902), (KIWIPETE, 2, 2039)]
)
def test_counts(fen: str, depth: int, nodes: int) -> None:
    position = parse_fen(fen)
    assert sum(count for _, count in divide.divide(position, depth, lambda: False)) == nodes


def test_counts_in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divide, "AT_ONCE", 1)
    position = parse_fen(KIWIPETE)
    assert sum(count for _, count in divide.divide(position, 3, lambda: False)) == 97862
    assert position.key == parse_fen(KIWIPETE).key


def test_castling_in_the_clients_notation() -> None:
    position = parse_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    said: list[str] = []
    divide.report(position, 1, True, lambda: False, said.append)
    assert "e1h1: 1" in said


def test_stopped() -> None:
    said: list[str] = []
    asked = iter([False] * 5)
    lines = divide.report(parse_fen(START_FEN), 2, False, lambda: next(asked, True), said.append)
    assert lines == ["info string perft stopped"]
    assert len(said) == 5


def test_no_moves() -> None:
    stalemate = parse_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert divide.report(stalemate, 3, False, lambda: False, lambda _: None) == ["", "Nodes searched: 0", ""]
