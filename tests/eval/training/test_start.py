"""Weights set by hand: whole, loadable, and of the right sign."""

from pathlib import Path

import pytest

from engine.board.fen import mirrored, parse_fen
from eval import weight_file
from eval.features import FEATURES, WEIGHTS
from eval.linear import Linear
from eval.training.tuner import hand_set

BETTER_WORSE = {
    "a knight in the centre": ("4k3/8/8/8/3N4/8/8/4K3", "4k3/8/8/8/8/8/8/N3K3"),
    "a bishop that can move": ("4k3/ppp5/8/8/8/8/PPP5/4KB2", "4k3/ppp5/8/8/8/8/PPP5/1B2K3"),
    "two bishops": ("4k1nr/pppp4/8/8/8/8/PPPP4/2B1KB1R", "4k1nr/pppp4/8/8/8/8/PPPP4/2B1KN1R"),
    "a rook on an open file": ("7k/ppp2p2/8/8/8/8/PPP2P2/4R1K1", "7k/ppp2p2/8/8/8/8/PPP2P2/2R3K1"),
    "a passed pawn far ahead": ("8/1k6/5P2/8/8/1p6/8/6K1", "8/1k6/8/8/5P2/1p6/8/6K1"),
    "a king before its passed pawn": ("8/7k/4K3/8/4P3/8/8/8", "8/7k/8/8/4P3/8/8/K7"),
    "pawns side by side": ("4k3/pp6/8/8/2PP4/8/8/4K3", "4k3/pp6/8/8/3P4/3P4/8/4K3"),
    "a king behind its pawns": (
        "rnbq1rk1/5ppp/8/8/8/8/5PPP/RNBQ1RK1",
        "rnbq1rk1/5ppp/8/8/8/8/5PPP/RNBQKR2",
    ),
    "shelter that did not move": (
        "rnbq1rk1/5ppp/8/8/8/8/5PPP/RNBQ1RK1",
        "rnbq1rk1/5ppp/8/8/6PP/5P2/8/RNBQ1RK1",
    ),
    "pieces near the enemy's king": (
        "rn3rk1/5ppp/8/6N1/7Q/3B4/5PPP/5RK1",
        "rn3rk1/5ppp/8/N7/Q7/3B4/5PPP/5RK1",
    ),
    "a pawn that attacks a piece": ("4k3/8/8/3n4/4P3/8/8/R3K3", "4k3/8/8/3n4/3P4/8/8/R3K3"),
    "a piece that nobody defends": ("4k3/7p/1n6/8/8/7P/1R6/4K3", "4k3/p7/1n6/8/8/P7/1R6/4K3"),
    "a king in the middle of an endgame": (
        "6k1/1p3ppp/8/8/4K3/8/1P3PPP/8",
        "6k1/1p3ppp/8/8/8/8/1P3PPP/7K",
    ),
    "a rook behind its passed pawn": ("6k1/8/8/P7/8/8/R7/2r3K1", "6k1/8/R7/P7/8/8/8/2r3K1"),
}


def test_every_weight_is_set_and_can_be_kept(tmp_path: Path) -> None:
    weights = hand_set()
    assert len(weights.middle) == len(weights.endgame) == WEIGHTS
    weight_file.save(tmp_path / "hand.json", weights)
    kept = weight_file.load(tmp_path / "hand.json")
    assert (kept.middle, kept.endgame, kept.outcome) == (weights.middle, weights.endgame, None)


def test_no_feature_is_forgotten() -> None:
    weights = hand_set()
    for feature in FEATURES:
        place = slice(feature.start, feature.start + feature.size)
        assert any(weights.middle[place] + weights.endgame[place]), feature.name


@pytest.mark.parametrize("what", BETTER_WORSE)
def test_what_is_better_is_worth_more(what: str) -> None:
    evaluator = Linear(hand_set())
    better, worse = (parse_fen(f"{placement} w - - 0 1") for placement in BETTER_WORSE[what])
    assert evaluator.trace(better).value > evaluator.trace(worse).value
    assert evaluator.trace(mirrored(better)).value < evaluator.trace(mirrored(worse)).value
