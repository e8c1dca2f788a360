"""Whatever the text is, there are positions that the engine accepts, or one line with the reason."""

import random

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from protocol.analysis.recognition import RecognitionError, recognise, recognise_text
from tests.board.games import boards, choose

SCRAPS = (
    chess.STARTING_FEN,
    chess.STARTING_FEN.split()[0],
    "8/8/8/8/8/8/8/4K2k",
    "rnbqkbnr/pppppppp/8",
    "startpos",
    "position",
    "moves",
    "fen",
    "e2e4",
    "e4",
    "1.",
    "2...",
    "Nf3",
    "O-O",
    "--",
    "0-0-0",
    "1-0",
    "(",
    ")",
    "{",
    "}",
    ";",
    "$1",
    "w",
    "b",
    "-",
    "KQkq",
    "HAha",
    "e3",
    "0",
    "9999",
    '[White "A"]',
    '[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]',
    '[Variant "Chess960"]',
    '[Variant "Atomic"]',
    'id "x";',
    "hmvc 9999;",
    "fmvn 9999;",
    "https://lichess.org/analysis/",
    "?fen=",
    "%2F",
    "/",
    "~",
    "_",
    "\n",
    "\n\n",
    "\x1b[2J",
    "\u200b",
    "♘f3",
    "½",
)


def check(text: str, game: int | None = None, ply: int | None = None) -> None:
    """Recognised for the engine to use, or refused in one line that can be printed."""
    try:
        setups = recognise_text(text, game=game, ply=ply)
    except RecognitionError as error:
        message = str(error)
        assert message
        assert message.isprintable()
        return
    assert setups
    for setup in setups:
        parse_fen(setup.board.fen())
        assert setup.name.isprintable()
        again = setup.board.root()
        parse_fen(again.fen())
        for move in setup.board.move_stack:
            assert not move or move in again.legal_moves
            again.push(move)
        assert again == setup.board


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
    check(text)


@given(st.lists(st.sampled_from(SCRAPS), max_size=12), st.sampled_from(("", " ", "\n")))
@settings(max_examples=300)
def test_scraps(scraps: list[str], between: str) -> None:
    check(between.join(scraps))


@given(st.data())
def test_what_is_almost_a_position_or_a_game(data: st.DataObject) -> None:
    board, rng = played(data)
    moves = " ".join(move.uci() for move in board.move_stack)
    text = data.draw(
        st.sampled_from(
            (
                board.fen(),
                board.shredder_fen(),
                f"position fen {board.root().fen()} moves {moves}",
                f'[FEN "{board.root().fen()}"]\n\n{board.root().variation_san(board.move_stack)} *',
            )
        )
    )
    for _ in range(data.draw(st.integers(1, 4))):
        place = rng.randrange(len(text) + 1)
        new = rng.choice([*text, *"/ \n0123456789KQkq-_xw\"'(){};.", ""])
        text = text[:place] + new + text[place + rng.randrange(2) :]
    check(text, data.draw(st.none() | st.integers(1, 3)), data.draw(st.none() | st.integers(0, 40)))


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
    check(letter * (300_000 // len(letter)))
