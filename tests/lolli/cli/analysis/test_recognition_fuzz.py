"""Whatever the text is, there are positions that the engine accepts, or one line with the reason."""

import random

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from lolli.cli.analysis.notation import RecognitionError
from lolli.cli.analysis.recognition import recognise, recognise_text
from tests import fuzzing
from tests.engine.board.games import boards, choose

WORDS = (
    *("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "8/8/8/8/8/8/8/4K2k", "rnbqkbnr/pppppppp/8"),
    *("startpos", "position", "moves", "fen", "e2e4", "e4", "1.", "2...", "Nf3", "O-O", "--", "0-0-0"),
    *("1-0", "(", ")", "{", "}", ";", "$1", "w", "b", "-", "KQkq", "HAha", "e3", "0", "9999"),
    *('[White "A"]', '[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]', '[Variant "Chess960"]'),
    *('[Variant "Atomic"]', 'id "x";', "hmvc 9999;", "fmvn 9999;", "https://lichess.org/analysis/", "?fen="),
    *("%2F", "/", "~", "_", "\n", "\n\n", "\x1b[2J", "\u200b", "♘f3", "½", "bm Nf3;", "e8=Q", "\r\n"),
)
SNIPPETS = [*"/ \n0123456789KQkq-_xw\"'(){};.", *WORDS]


def written(board: chess.Board) -> st.SearchStrategy[str]:
    root = board.root()
    moves = " ".join(move.uci() for move in board.move_stack)
    return st.sampled_from(
        (
            board.fen(),
            board.shredder_fen(),
            f"position fen {root.fen()} moves {moves}",
            f"https://lichess.org/analysis/{board.fen().replace(' ', '_')}",
            f"position startpos moves {moves}",
            f'[FEN "{root.fen()}"]\n\n{root.variation_san(board.move_stack)} *',
            f"{root.fen()} | {moves}",
        )
    )


fragments = st.tuples(st.sampled_from(("", " ", "\n")), st.lists(st.sampled_from(WORDS), max_size=12))
good = fuzzing.played().flatmap(written).map(str.encode)


def recognised(text: str, game: int | None = None, ply: int | None = None) -> None:
    try:
        setups = recognise_text(text, game=game, ply=ply)
    except RecognitionError as error:
        reason = str(error)
        fuzzing.assert_plain(reason)
        assert reason.isprintable()
        return
    assert setups
    for setup in setups:
        assert setup.name.isprintable(), f"a name that is not printable: {setup.name!r}"
        _played_again(setup.board)


def _played_again(board: chess.Board) -> None:
    parse_fen(board.fen())
    again = board.root()
    parse_fen(again.fen())
    for move in board.move_stack:
        assert not move or move in again.legal_moves, f"{move} is not legal in {again.fen()}"
        again.push(move)
    assert again == board, f"the moves lead to {again.fen()}, not to {board.fen()}"


def played(data: st.DataObject) -> tuple[chess.Board, random.Random]:
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
def test_long_texts_are_read_or_refused(letter: str) -> None:
    recognised(letter * (300_000 // len(letter)))


@given(fuzzing.damaged(good, SNIPPETS), st.integers(1, 3), st.integers(0, 40))
@fuzzing.examples(200)
def test_damaged(data: bytes, game: int, ply: int) -> None:
    text = data.decode("utf-8", "replace")
    recognised(text)
    recognised(text, game, ply)


@given(fragments)
@fuzzing.examples(100)
def test_fragments(parts: tuple[str, list[str]]) -> None:
    recognised(parts[0].join(parts[1]))
