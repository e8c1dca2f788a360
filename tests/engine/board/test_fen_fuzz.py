"""Any text at all: either a position that python-chess takes for one too, or a FenError."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import FenError, format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.position import Position
from tests import fuzzing
from tests.engine.board.perft_positions import CHESS960, STANDARD
from tests.protocol.fuzz_lines import FENS, STRICTER

GOOD = [counted.fen for counted in (*STANDARD, *CHESS960)]
TOLERATED = chess.STATUS_IMPOSSIBLE_CHECK
"""An objection of python-chess that our reader does not have: a double check that no move can have given."""
REFUSED = {
    "fields": "8/8/8/8/8/8/8/4K2k w",
    "promotions allow": "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - -",
    "must be a number": "4k3/8/8/8/8/8/8/4K3 w - - x 1",
    "more than four digits": "4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999",
    "not a piece: '~'": "4k3/8/8/8/8/8/8/Q~3K3 w - -",
}
"""A FEN for each reason for which our reader may refuse what python-chess accepts."""

WITH_RIGHTS = """
4k3/8/8/8/8/8/8/RR1K2RR w KQ -
4k3/8/8/8/8/8/8/RR1K2RR w GB -
4k3/8/8/8/8/8/8/RR1K2RR w HB -
rr1k2rr/8/8/8/8/8/8/4K3 b ga -
4k3/8/8/8/8/8/8/r1R1KR1q w FC -
4k3/8/8/8/8/8/8/r1R1KR1q w KQ -
r3k2r/8/8/8/8/8/8/R3K2R w KAhq -
"""
"""K and Q are the outer rooks of a side, whatever stands farther out; inner ones go by their files."""
WITH_EN_PASSANT = """
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3
8/8/8/K2pP2r/8/8/8/4k3 w - d6
4r2k/8/8/3pP3/8/8/8/4K3 w - d6
4k3/8/8/p6P/8/8/8/4K3 w - a6
4k3/8/8/2PpP3/8/8/8/4K3 w - d6
4k3/8/8/8/Pp6/8/8/4K3 b - a3
8/8/8/K1PpP2r/8/8/8/4k3 w - d6
8/8/8/3pP3/4K3/8/8/4k3 w - d6
4r2k/8/8/2PpP3/8/8/8/4K3 w - d6
7k/5b2/8/3Pp3/8/8/K7/8 w - e6
"""
"""Squares that are kept, or dropped because no legal capture goes there."""
USELESS = """
4k3/8/8/8/8/8/8/4K3 w - e6
4k3/8/8/3nP3/8/8/8/4K3 w - d6
4k3/8/8/3PP3/8/8/8/4K3 w - d6
4k3/8/3n4/3pP3/8/8/8/4K3 w - d6
4k3/3n4/8/3pP3/8/8/8/4K3 w - d6
4k3/8/8/8/3pP3/8/8/4K3 w - e3
4k3/8/8/3pP3/8/8/8/4K3 w - d5
4k3/8/8/3pP3/8/8/8/r3K3 w - d6
"""
"""Squares that python-chess objects to, and that are dropped here."""

placements = st.lists(st.sampled_from("PNBRQKpnbrqk12345678/"), max_size=80).map("".join)
castlings = (
    st.sampled_from(["KQkq", "Kq", "-"])
    | st.permutations("KQkqABCDEFGHabcdefgh").map(lambda letters: "".join(letters[:3]))
    | st.text(alphabet="KQkqAa-x", min_size=1, max_size=3)
)
squares = st.sampled_from(["-", "-", "-", *chess.SQUARE_NAMES, "e", "e9", "i3", "E3"])
counters = st.sampled_from(["0", "1", "50", "100", "9999", "10000", "-1", "x", "", "1 1"])
junk = st.text(alphabet=st.sampled_from("/ wb-KQkqPpRr018e36\t.x\u0663\u212a\x85\x00"), max_size=60)
SNIPPETS = [*"PNBRQKpnbrqk12345678/ wb-acegh36"]


@st.composite
def arrangements(draw: st.DrawFn) -> str:
    """Kings and other pieces on random squares, with random castling rights and en passant squares."""
    rng = draw(st.randoms(use_true_random=False))
    board = chess.Board(None, chess960=True)
    for square in rng.sample(range(64), rng.randrange(20)):
        letters = "NBRQnbrq" if square < 8 or square > 55 else "PPNBRQppnbrq"
        board.set_piece_at(square, chess.Piece.from_symbol(rng.choice(letters)))
    for king, rank in (("K", 0), ("k", 56)):
        square = rank + rng.randrange(8) if rng.random() < 0.5 else rng.randrange(64)
        board.set_piece_at(square, chess.Piece.from_symbol(king))
    en_passant, turn = draw(squares), rng.random() < 0.5
    if rng.random() < 0.5:
        file = rng.randrange(7)
        board.set_piece_at(chess.square(file, 4 if turn else 3), chess.Piece(chess.PAWN, turn))
        board.set_piece_at(chess.square(file + 1, 4 if turn else 3), chess.Piece(chess.PAWN, not turn))
        en_passant = chess.square_name(chess.square(file + 1, 5 if turn else 2))
    fields = ("w" if turn else "b", draw(castlings), en_passant, rng.choice(("", "0 1", "99 200")))
    return " ".join((board.board_fen(), *fields))


def check(text: str) -> None:
    """Compare with python-chess: the position, its legal moves, and the FEN that is written again."""
    theirs = _by_chess(text)
    position, refusal = _read(text)
    if position is None:
        assert len(refusal.splitlines()) == 1, f"refused in several lines: {refusal!r}"
        assert theirs is None or any(why in refusal for why in STRICTER), f"refused, a FEN: {refusal}"
        return
    written = format_fen(position, chess960=True)
    board = chess.Board(written, chess960=True)
    assert board.status() | TOLERATED == TOLERATED, f"accepted, but {board.status()!r}: {written}"
    assert board.shredder_fen() == written, f"read as {written}, python-chess has {board.shredder_fen()}"
    if theirs is not None:
        assert theirs.shredder_fen() == written, f"{written} is {theirs.shredder_fen()} for python-chess"
    ours = {move_text(move, chess960=True) for move in legal_moves(position)}
    assert ours == {move.uci() for move in board.legal_moves}, f"other legal moves: {written}"
    for again in (written, format_fen(position)):
        assert parse_fen(again).key == position.key, f"another position when read again: {again}"
        assert format_fen(parse_fen(again), chess960=True) == written, f"read again, {again} is another"


def _by_chess(text: str) -> chess.Board | None:
    try:
        board = chess.Board(text, chess960=True)
    except ValueError:
        return None
    return board if board.is_valid() else None


def _read(text: str) -> tuple[Position | None, str]:
    try:
        return parse_fen(text), ""
    except FenError as refused:
        fuzzing.assert_plain(str(refused))
        return None, str(refused)


@given(text=st.text() | junk)
@fuzzing.examples(500)
def test_text(text: str) -> None:
    check(text)


@given(fields=st.tuples(placements, st.sampled_from(["w", "b", "x"]), castlings, squares, counters, counters))
@fuzzing.examples(500)
def test_fields(fields: tuple[str, ...]) -> None:
    check(" ".join(fields))


@given(arrangements())
@fuzzing.examples(300)
def test_arrangements(fen: str) -> None:
    check(fen)


@given(fuzzing.damaged(st.sampled_from(FENS).map(str.encode), SNIPPETS))
@fuzzing.examples(500)
def test_nearly_good(fen: bytes) -> None:
    check(fen.decode())


@given(fuzzing.played())
@fuzzing.examples(100)
def test_good(board: chess.Board) -> None:
    for fen in (board.fen(), board.shredder_fen(), board.epd()):
        check(fen)


@pytest.mark.parametrize("good", GOOD)
def test_every_letter_left_out_or_doubled(good: str) -> None:
    for i in range(len(good)):
        check(good[:i] + good[i + 1 :])
        check(good[: i + 1] + good[i:])


@pytest.mark.parametrize("fen", [*WITH_RIGHTS.strip().splitlines(), *WITH_EN_PASSANT.strip().splitlines()])
def test_castling_rights_and_en_passant_squares_as_in_python_chess(fen: str) -> None:
    assert _by_chess(fen) is not None
    check(fen)


@pytest.mark.parametrize("fen", USELESS.strip().splitlines())
def test_useless_en_passant_squares_are_dropped(fen: str) -> None:
    check(fen)
    assert parse_fen(fen).en_passant == -1


def test_every_reason_to_be_stricter_has_its_fen() -> None:
    assert {*REFUSED} == {*STRICTER}
    for reason, fen in REFUSED.items():
        with pytest.raises(FenError) as caught:
            parse_fen(fen)
        assert reason in str(caught.value)
