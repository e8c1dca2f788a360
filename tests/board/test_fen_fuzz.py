"""Any text at all: either a position that python-chess takes for one too, or a FenError."""

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.board.fen import START_FEN, FenError, format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.position import COMPILED, Position
from tests.board.perft_positions import CHESS960, STANDARD

EXAMPLES = 500 if COMPILED else 200
FENS = [counted.fen for counted in (*STANDARD, *CHESS960)]

# What python-chess may still say of a position that is good enough to play on from: two checks that no
# move can have given.
TOLERATED = chess.STATUS_IMPOSSIBLE_CHECK
# Where our reader is the stricter one of the two.
STRICTER = ("fields", "promotions allow", "is a number", "not plausible")

placements = st.lists(st.sampled_from("PNBRQKpnbrqk12345678/"), max_size=80).map("".join)
castlings = (
    st.sampled_from(["KQkq", "Kq", "-"])
    | st.permutations("KQkqABCDEFGHabcdefgh").map(lambda letters: "".join(letters[:3]))
    | st.text(alphabet="KQkqAa-x", min_size=1, max_size=3)
)
squares = st.sampled_from(["-", "-", "-", *chess.SQUARE_NAMES, "e", "e9", "i3", "E3"])
counters = st.sampled_from(["0", "1", "50", "100", "9999", "10000", "-1", "x", "", "1 1"])
junk = st.text(alphabet=st.sampled_from("/ wb-KQkqPpRr018e36\t.x\u0663\u212a\x85\x00"), max_size=60)


@st.composite
def arrangements(draw: st.DrawFn) -> str:
    """Both kings and other pieces anywhere, with castling and en passant, good or bad by chance."""
    board = chess.Board(None, chess960=True)
    side = draw(st.sampled_from("wb"))
    for square, letter in draw(st.dictionaries(st.integers(0, 63), st.sampled_from("PPNBRQppnbrq"))).items():
        on_the_rim = square < 8 or square > 55
        board.set_piece_at(square, chess.Piece.from_symbol("rR"[square < 8] if on_the_rim else letter))
    board.set_piece_at(draw(st.integers(0, 7) | st.integers(0, 63)), chess.Piece.from_symbol("K"))
    board.set_piece_at(draw(st.integers(56, 63) | st.integers(0, 63)), chess.Piece.from_symbol("k"))
    en_passant = draw(squares)
    if draw(st.booleans()):
        file, turn = draw(st.integers(0, 6)), side == "w"
        board.set_piece_at(chess.square(file, 4 if turn else 3), chess.Piece(chess.PAWN, turn))
        board.set_piece_at(chess.square(file + 1, 4 if turn else 3), chess.Piece(chess.PAWN, not turn))
        en_passant = chess.square_name(chess.square(file + 1, 5 if turn else 2))
    fields = (side, draw(castlings), en_passant, draw(st.sampled_from(["", "0 1", "99 200"])))
    return " ".join((board.board_fen(), *fields))


@st.composite
def edited(draw: st.DrawFn) -> str:
    """A good FEN with some letters replaced, left out or put in."""
    letters = list(draw(st.sampled_from(FENS)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(letters)))
        letters[start : start + draw(st.integers(0, 2))] = draw(
            st.text(alphabet="PNBRQKpnbrqk12345678/ wb-acegh36", max_size=2)
        )
    return "".join(letters)


def by_chess(text: str) -> chess.Board | None:
    """The board if python-chess finds nothing wrong with it."""
    try:
        board = chess.Board(text, chess960=True)
    except ValueError:
        return None
    return board if board.is_valid() else None


def read(text: str) -> tuple[Position | None, str]:
    """The position, or why there is none."""
    try:
        return parse_fen(text), ""
    except FenError as refused:
        return None, str(refused)


def check(text: str) -> None:
    theirs = by_chess(text)
    position, refusal = read(text)
    if position is None:
        assert len(refusal.splitlines()) == 1
        assert theirs is None or any(why in refusal for why in STRICTER), refusal
        return
    written = format_fen(position, chess960=True)
    board = chess.Board(written, chess960=True)
    assert board.status() | TOLERATED == TOLERATED
    assert board.shredder_fen() == written
    assert theirs is None or theirs.shredder_fen() == written
    assert {move_text(move, chess960=True) for move in legal_moves(position)} == {
        move.uci() for move in board.legal_moves
    }
    for again in (written, format_fen(position)):
        assert parse_fen(again).key == position.key
        assert format_fen(parse_fen(again), chess960=True) == written


@given(text=st.text() | junk)
@settings(max_examples=EXAMPLES)
def test_text(text: str) -> None:
    check(text)


@given(fields=st.tuples(placements, st.sampled_from(["w", "b", "x"]), castlings, squares, counters, counters))
@settings(max_examples=EXAMPLES)
def test_fields(fields: tuple[str, ...]) -> None:
    check(" ".join(fields))


@given(text=arrangements())
@settings(max_examples=EXAMPLES)
def test_arrangements(text: str) -> None:
    check(text)


@given(text=edited())
@settings(max_examples=EXAMPLES)
@example(text=START_FEN)
def test_edited(text: str) -> None:
    check(text)


@pytest.mark.parametrize("fen", FENS)
def test_every_letter_left_out_or_doubled(fen: str) -> None:
    for i in range(len(fen)):
        check(fen[:i] + fen[i + 1 :])
        check(fen[: i + 1] + fen[i:])
