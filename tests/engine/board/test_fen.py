"""FEN both ways: what is read, what is refused and why, what is dropped."""

import chess
import pytest

from engine.board.fen import FenError, format_fen, parse_fen, square_name
from tests.engine.board.perft_positions import CHESS960, STANDARD

KINGS = "4k3/8/8/8/8/8/8/4K3"


@pytest.mark.parametrize("fen", [counted.fen for counted in (*STANDARD, *CHESS960)])
def test_read_and_written_as_python_chess_does(fen: str) -> None:
    board = chess.Board(fen, chess960=True)
    position = parse_fen(fen)
    assert format_fen(position) == board.fen()
    assert format_fen(position, chess960=True) == board.shredder_fen()
    assert format_fen(parse_fen(format_fen(position))) == board.fen()
    assert parse_fen(format_fen(position, chess960=True)).key == position.key


@pytest.mark.parametrize(
    ("fen", "counters"),
    [
        (f"{KINGS} w - -", "0 1"),
        (f"{KINGS} b - - 7", "7 1"),
        (f"{KINGS} b - - 99 200", "99 200"),
        (f"{KINGS} b - - 007 0012", "7 12"),
        (f"{KINGS} w - - 0 0", "0 1"),  # some programs begin to count at 0
        (f"  {KINGS}\tw  -   - 3  4\n", "3 4"),
    ],
)
def test_counters_and_spaces(fen: str, counters: str) -> None:
    position = parse_fen(fen)
    assert format_fen(position) == f"{KINGS} {'wb'[position.side]} - - {counters}"


@pytest.mark.parametrize(
    ("fen", "kept"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w KQkq -", "-"),  # no rooks
        ("4k3/8/8/8/8/8/4K3/R6R w KQ -", "-"),  # the king has left the first rank
        ("r3k2r/8/8/8/8/8/8/R3K3 w KQkq -", "Qkq"),
        ("4k3/8/8/8/8/8/8/n3K2r w KQ -", "-"),  # no rooks of one's own
        ("4k3/8/8/8/8/8/7R/R3K3 w HA -", "Q"),  # the rook has left the first rank
        ("4k3/8/8/8/8/8/8/R3K2R w GBgb -", "-"),  # no rook on that file
        ("4k3/8/8/8/8/8/8/R3K2R w E -", "-"),  # the king's own file
        ("R3K2R/8/8/8/8/8/8/r3k2r w KQkq -", "-"),  # on the other side's rank
        ("7k/8/8/8/8/8/8/R6K w KQ -", "Q"),
    ],
)
def test_rights_without_king_or_rook_are_dropped(fen: str, kept: str) -> None:
    assert format_fen(parse_fen(fen)).split()[2] == kept


BAD_FENS = [
    ("", "expected four to six fields, found 0"),
    ("startpos", "expected four to six fields, found 1"),
    (f"{KINGS} w -", "expected four to six fields, found 3"),
    (f"{KINGS} w - - 0 1 moves", "expected four to six fields, found 7"),
    # The board
    (f"{KINGS}/8 w - -", "expected eight ranks, found 9"),
    ("4k3/8/8//8/8/8/4K3 w - -", "rank 5: expected eight squares, found 0"),
    ("4k3/8/8/ppppppppp/8/8/8/4K3 w - -", "rank 5: expected eight squares, found 9"),
    (f"4k3/8/8/{'8' * 5000}/8/8/8/4K3 w - -", "rank 5: expected eight squares, found 40000"),
    ("4k3/8/8/9/8/8/8/4K3 w - -", "not a piece: '9'"),
    ("4k3/8/8/3x4/8/8/8/4K3 w - -", "not a piece: 'x'"),
    ("4k3/8/8/\u0668/8/8/8/4K3 w - -", "not a piece: '\u0668'"),  # an Arabic-Indic eight
    ("4\u212a3/8/8/8/8/8/8/4K3 w - -", "not a piece: '\u212a'"),  # the kelvin sign, k in lower case
    # What stands on it
    ("8/8/8/8/8/8/8/8 w - -", "White has no king"),
    ("8/8/8/8/8/8/8/4K3 w - -", "Black has no king"),
    ("4k3/8/8/8/8/8/8/P3K3 w - -", "a pawn cannot stand on a1"),
    ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - -", "White has 9 pawns"),
    ("4k3/8/8/8/8/QQQQQ3/QQQQQ3/4K3 w - -", "White has more pieces than promotions allow"),
    # The side to move
    (f"{KINGS} x - -", "the side to move must be w or b, not 'x'"),
    ("4k3/8/8/8/8/8/8/4RK2 w - -", "Black is in check, but White is to move"),
    ("4k3/8/8/8/8/8/3p4/4K3 b - -", "White is in check, but Black is to move"),
    ("4k3/8/8/8/7q/3n4/3p4/4K3 w - -", "more than two pieces give check"),
    # Castling
    (f"{KINGS} w X -", "not a castling right: 'X'"),
    (f"{KINGS} w \u212a -", "not a castling right: '\u212a'"),
    # En passant
    (f"{KINGS} w - e9", "not an en passant square: 'e9'"),
    (f"{KINGS} w - e\u0666", "not an en passant square"),
    # Counters
    (f"{KINGS} w - - x 1", "the halfmove clock must be a number, not 'x'"),
    (f"{KINGS} w - - \u00b2 1", "the halfmove clock must be a number"),
    (f"{KINGS} w - - 0 one", "the move number must be a number, not 'one'"),
    (f"{KINGS} w - - 10000 1", "the halfmove clock has more than four digits: 10000"),
    (f"{KINGS} w - - 0 4294967297", "the move number has more than four digits: 4294967297"),
    (f"{KINGS} w - - {'9' * 10_000} 1", "more than four digits"),
]


@pytest.mark.parametrize(("fen", "why"), BAD_FENS)
def test_refused_with_the_reason(fen: str, why: str) -> None:
    with pytest.raises(FenError) as refused:
        parse_fen(fen)
    reason = str(refused.value)
    assert why in reason
    assert "\n" not in reason
    assert len(reason) < 100


def test_as_many_promoted_pieces_as_pawns_are_gone() -> None:
    for fen in ("4k3/8/8/8/8/QQQQQ3/QQQQ4/4K3 b - -", "bbb1k3/1pppppp1/1r6/r7/r7/8/8/4K3 w - -"):
        assert parse_fen(fen).piece_at(4) == 5


def test_square_names() -> None:
    assert [square_name(square) for square in range(64)] == list(chess.SQUARE_NAMES)
