"""Whether any 16 bits are a legal move here: against the list of all legal moves."""

import random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from engine.board.movegen import MoveStack, generate, generate_quiet, is_legal, legal_moves
from engine.board.position import COMPILED, Position
from tests.engine.board.games import boards, play
from tests.engine.board.perft_positions import CHESS960, STANDARD

STACK = MoveStack()
ALL_MOVES = range(1 << 16)
FENS = [counted.fen for counted in (*STANDARD, *CHESS960)]

seeds = st.integers(0, 2**32 - 1)


def agrees(position: Position, candidates: list[int] | range) -> None:
    legal = set(legal_moves(position))
    assert {move for move in candidates if is_legal(position, move)} == legal & {*candidates}


@pytest.mark.parametrize("fen", FENS if COMPILED else FENS[::8])
def test_of_all_that_a_move_can_be_the_legal_ones_are_legal(fen: str) -> None:
    agrees(parse_fen(fen), ALL_MOVES)


@given(board=boards(), seed=seeds)
@settings(max_examples=30 if COMPILED else 3)
def test_in_random_games(board: chess.Board, seed: int) -> None:
    """In each position all moves of the game's other positions, too: what a table could mix up."""
    rng = random.Random(seed)
    game = [position.copy() for position in play(board, rng, 120)]
    elsewhere = sorted({move for position in game for move in legal_moves(position)})
    for i, position in enumerate(game):
        agrees(position, elsewhere)
        agrees(position, ALL_MOVES if COMPILED and i % 16 == 0 else rng.sample(ALL_MOVES, 256))


@given(board=boards(), seed=seeds)
@settings(max_examples=60 if COMPILED else 20)
def test_noisy_and_quiet_moves_are_all_moves_in_the_same_order(board: chess.Board, seed: int) -> None:
    for position in play(board, random.Random(seed), 120):
        noisy = [STACK.at(i) for i in range(generate(position, STACK, 0, True))]
        quiet = [STACK.at(i) for i in range(generate_quiet(position, STACK, 0))]
        both = legal_moves(position)
        assert sorted(noisy + quiet) == sorted(both)
        assert [move for move in both if move in noisy] == noisy
        assert [move for move in both if move in quiet] == quiet
