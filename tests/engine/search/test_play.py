"""Whole games at little depth, and zugzwang: what shows only over many searches, or in few positions."""

import random

import chess
import pytest

from engine.board.fen import parse_fen
from engine.board.notation import move_text, parse_move
from engine.board.position import COMPILED
from engine.search.constants import TABLEBASE_BOUND
from engine.search.limits import Limits, Settings
from engine.search.parameters import NUMBERS, TECHNIQUES
from tests.engine.search.oracles import random_board
from tests.engine.search.searching import deepening, iterations, nodes, opened, search, sized, without

WORKS_BY_ZUGZWANG = "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1"  # Rf1, and Black runs out of moves


def random_parameters(rng: random.Random) -> dict[str, int]:
    off = {name: 0 for name in TECHNIQUES if rng.random() < 0.15}
    return off | {name: rng.randint(number.low, number.high) for name, number in NUMBERS.items()}


@pytest.mark.parametrize("seed", range(sized(16, 4)))
def test_random_games_are_played_by_the_rules(seed: int) -> None:
    """By one session from an opening of random moves to the end; every line shown can be played."""
    rng = random.Random(seed)
    board = random_board(seed, 10)
    start, moves = board.fen(), 0
    board = chess.Board(start)
    with opened(Settings(parameters=random_parameters(rng) if seed % 2 else {})) as session:
        while not board.is_game_over(claim_draw=True) and moves < sized(200, 40):
            limits = Limits(depth=rng.randint(1, sized(5, 2)), nodes=sized(20_000, 1_000))
            heard = search(session, limits, start, [move.uci() for move in board.move_stack])
            for report in heard.reports:
                line = board.copy(stack=False)
                for move in report.moves:
                    line.push_uci(move_text(move))  # raises where it is illegal
            board.push_uci(heard.best)
            moves += 1


@pytest.mark.skipif(not COMPILED, reason="takes minutes")
def test_zugzwang_is_seen_in_the_end() -> None:
    """Null moves hide it from shallow searches; deeper ones verify what a pass promises."""
    run = deepening(WORKS_BY_ZUGZWANG, node_limit=1_000_000)
    found = (each.best for each in iterations(run, 24))
    assert any(move_text(best.move) == "e1f1" and best.score > 100 for best in found)


@pytest.mark.parametrize(
    "fen", ["8/8/1p6/1Pk5/2P5/1K6/8/8 w - - 0 1", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"]
)
def test_no_pass_is_tried_where_only_pawns_are_left(fen: str) -> None:
    depth = sized(12, 5)
    assert nodes(fen, depth) == nodes(fen, depth, without("null_move"))


@pytest.mark.skipif(COMPILED, reason="a search of one move, which only the plain source shows")
def test_a_pass_proves_no_mate() -> None:
    """After h2 any move of Black would let White mate, but it is White's turn."""
    fen = "kbK5/pp6/RP6/8/8/7p/8/7N b - - 0 1"
    searcher = deepening(fen, without("reverse_futility", "razoring", "probcut")).searcher
    searcher.new_depth(9)
    assert searcher.search_root_move(parse_move(parse_fen(fen), "h3h2"), -300, -299, 9, 0) >= -TABLEBASE_BOUND
