"""Whatever the text is, there are positions that the engine accepts, or one line with the reason."""

import random

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.cli.analysis.recognition import recognise, recognise_text
from scripts.laboratory.fuzzing.formats.text import recognised
from tests.engine.board.games import boards, choose


def played(data: st.DataObject) -> tuple[chess.Board, random.Random]:
    """The board after a few random moves of a game of either kind, and more of the same randomness."""
    board = data.draw(boards())
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(data.draw(st.integers(0, 30))):
        if not any(board.legal_moves):
            break
        board.push(choose(board, rng))
    return board, rng


@given(st.text(max_size=200))
@example("\x00")
@example("8/8/8/8/8/8/8/8/8/8/8/8/8/8/8")
def test_any_text(text: str) -> None:
    recognised(text)


@given(st.data())
def test_positions_and_games_as_they_are(data: st.DataObject) -> None:
    board, _ = played(data)
    (setup,) = recognise(board.fen())
    assert setup.board.fen() == board.fen()
    assert set(setup.board.legal_moves) == set(board.legal_moves) or board.chess960 != setup.board.chess960
    root = board.root()
    variant = '[Variant "Chess960"]\n' if board.chess960 else ""
    tags = f'{variant}[FEN "{root.shredder_fen() if board.chess960 else root.fen()}"]'
    (setup,) = recognise_text(f"{tags}\n\n{root.variation_san(board.move_stack)} *")
    assert setup.board.move_stack == board.move_stack
    assert setup.board.fen() == board.fen()


@pytest.mark.parametrize("letter", ["8/", "(", "{", "((", ")(", "1.", "!", "[", "\n", "8\n/", "a" * 50 + " "])
def test_long_texts_take_no_longer_than_their_length(letter: str) -> None:
    recognised(letter * (300_000 // len(letter)))
