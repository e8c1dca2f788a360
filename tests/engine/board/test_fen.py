"""FEN both ways: what is read, what is refused and why, what is dropped."""

import chess
import pytest

from engine.board.fen import START_FEN, FenError, format_fen, parse_fen, square_name
from engine.board.move import is_en_passant
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
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


@pytest.mark.parametrize("number", [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 518, 610, 777, 959])
def test_starts_of_chess960(number: int) -> None:
    board = chess.Board.from_chess960_pos(number)
    for fen in (board.fen(), board.shredder_fen()):
        position = parse_fen(fen)
        assert position.castling == 15
        assert format_fen(position) == board.fen()
        assert format_fen(position, chess960=True) == board.shredder_fen()


def test_the_start() -> None:
    position = parse_fen(START_FEN)
    assert (position.side, position.castling, position.en_passant, position.halfmoves) == (0, 15, -1, 0)
    assert [position.rook_square(right) for right in range(4)] == [7, 0, 63, 56]
    assert [position.piece_at(square) for square in (0, 4, 12, 20, 51, 60)] == [3, 5, 0, 7, 8, 13]
    assert format_fen(position) == START_FEN
    assert format_fen(position, chess960=True) == START_FEN.replace("KQkq", "HAha")


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
    ("fen", "x_fen", "shredder"),
    [
        # With two rooks on one side of the king K and Q are the outer ones; the inner go by their file.
        ("4k3/8/8/8/8/8/8/RR1K2RR w KQ -", "KQ", "HA"),
        ("4k3/8/8/8/8/8/8/RR1K2RR w GB -", "GB", "GB"),
        ("4k3/8/8/8/8/8/8/RR1K2RR w HB -", "KB", "HB"),
        ("rr1k2rr/8/8/8/8/8/8/4K3 b ga -", "gq", "ga"),
        # Another side's rook, or another piece, farther out makes no difference.
        ("4k3/8/8/8/8/8/8/r1R1KR1q w FC -", "KQ", "FC"),
        ("4k3/8/8/8/8/8/8/r1R1KR1q w KQ -", "KQ", "FC"),
        # Of two on the same side the outer one prevails.
        ("4k3/8/8/8/8/8/8/RR1K2RR w GHAB -", "KQ", "HA"),
        ("4k3/8/8/8/8/8/8/RR1K2RR w BAKG -", "KQ", "HA"),
        # The order and repetition of the letters do not matter.
        ("r3k2r/8/8/8/8/8/8/R3K2R w qkQKQ -", "KQkq", "HAha"),
        # Both notations at once.
        ("r3k2r/8/8/8/8/8/8/R3K2R w KAhq -", "KQkq", "HAha"),
    ],
)
def test_inner_and_outer_rooks(fen: str, x_fen: str, shredder: str) -> None:
    position = parse_fen(fen)
    assert format_fen(position).split()[2] == x_fen
    assert format_fen(position, chess960=True).split()[2] == shredder
    assert parse_fen(format_fen(position)).key == position.key


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


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3", "no pawn beside it"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6", "no pawn to take"),
        ("4k3/8/8/3nP3/8/8/8/4K3 w - d6", "another piece in the pawn's place"),
        ("4k3/8/8/3PP3/8/8/8/4K3 w - d6", "a pawn of one's own in its place"),
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6", "the square is occupied"),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6", "the square that the pawn came from is occupied"),
        ("4k3/8/8/8/3pP3/8/8/4K3 w - e3", "the wrong side's rank"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d5", "the pawn's own square"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d8", "a rank where none can be"),
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6", "both pawns leave the king's rank"),
        ("4r2k/8/8/3pP3/8/8/8/4K3 w - d6", "the capturing pawn is pinned"),
        ("4k3/8/8/3pP3/8/8/8/r3K3 w - d6", "check by another piece"),
        ("4k3/8/8/3pPp2/4K3/8/8/8 w - d6", "check by another pawn"),
        ("4k3/8/8/p6P/8/8/8/4K3 w - a6", "files a and h are no neighbours"),
    ],
)
def test_en_passant_squares_of_no_use_are_dropped(fen: str, why: str) -> None:
    position = parse_fen(fen)
    assert position.en_passant == -1, why
    assert position.key == parse_fen(" ".join([*fen.split()[:3], "-"])).key
    assert not any(is_en_passant(move) for move in legal_moves(position))


@pytest.mark.parametrize(
    ("fen", "captures"),
    [
        ("4k3/8/8/2PpP3/8/8/8/4K3 w - d6", ["c5d6", "e5d6"]),
        ("4k3/8/8/8/Pp6/8/8/4K3 b - a3", ["b4a3"]),
        ("4k3/8/8/8/6pP/8/8/4K3 b - h3", ["g4h3"]),
        ("8/8/8/K1PpP2r/8/8/8/4k3 w - d6", ["c5d6", "e5d6"]),  # the other pawn still shields the king
        ("8/8/8/3pP3/4K3/8/8/4k3 w - d6", ["e5d6"]),  # takes the pawn that gives check
        ("4r2k/8/8/2PpP3/8/8/8/4K3 w - d6", ["c5d6"]),  # one of two is pinned
        ("7k/5b2/8/3Pp3/8/8/K7/8 w - e6", ["d5e6"]),  # along the line of the pin
    ],
)
def test_en_passant_squares_of_use_are_kept(fen: str, captures: list[str]) -> None:
    position = parse_fen(fen)
    assert square_name(position.en_passant) == fen.split()[3]
    assert sorted(move_text(move) for move in legal_moves(position) if is_en_passant(move)) == captures
    assert position.key != parse_fen(" ".join([*fen.split()[:3], "-"])).key


BAD_FENS = [
    ("", "expected four to six fields, found 0"),
    ("startpos", "expected four to six fields, found 1"),
    (f"{KINGS} w -", "expected four to six fields, found 3"),
    (f"{KINGS} w - - 0 1 moves", "expected four to six fields, found 7"),
    # The board
    ("8/8/8/8 w - - 0 1", "expected eight ranks, found 4"),
    (f"{KINGS}/8 w - -", "expected eight ranks, found 9"),
    ("4k3/8/8//8/8/8/4K3 w - -", "rank 5: expected eight squares, found 0"),
    ("4k3/8/8/ppppppppp/8/8/8/4K3 w - -", "rank 5: expected eight squares, found 9"),
    (f"4k3/8/8/{'8' * 5000}/8/8/8/4K3 w - -", "rank 5: expected eight squares, found 40000"),
    (f"{'p' * 9999}/8/8/8/8/8/8/4K3 w - -", "rank 8: expected eight squares, found 9999"),
    ("4k3/8/8/9/8/8/8/4K3 w - -", "not a piece: '9'"),
    ("4k3/8/8/3x4/8/8/8/4K3 w - -", "not a piece: 'x'"),
    ("4k3/8/8/\u0668/8/8/8/4K3 w - -", "not a piece: '\u0668'"),  # an Arabic-Indic eight
    ("4k3/8/8/\u00b9p6/8/8/8/4K3 w - -", "not a piece: '\u00b9'"),  # a superscript one
    ("4\u212a3/8/8/8/8/8/8/4K3 w - -", "not a piece: '\u212a'"),  # the kelvin sign, k in lower case
    ("4k3/8/8/3\x004/8/8/8/4K3 w - -", "not a piece"),
    # What stands on it
    ("8/8/8/8/8/8/8/8 w - -", "White has no king"),
    ("8/8/8/8/8/8/8/4K3 w - -", "Black has no king"),
    ("4k3/8/8/8/8/8/8/K3K3 w - -", "White has 2 kings"),
    ("4k3/8/8/8/8/8/8/P3K3 w - -", "a pawn cannot stand on a1"),
    ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - -", "White has 9 pawns"),
    ("4k3/8/8/8/8/QQQQQ3/QQQQQ3/4K3 w - -", "White has more pieces than promotions allow"),
    # The side to move
    (f"{KINGS} x - -", "the side to move must be w or b, not 'x'"),
    ("4k3/8/8/8/8/8/8/4RK2 w - -", "Black is in check, but White is to move"),
    ("4k3/8/8/8/8/8/3p4/4K3 b - -", "White is in check, but Black is to move"),
    ("8/8/8/8/8/8/3k4/4K3 w - -", "Black is in check, but White is to move"),
    ("4k3/8/8/8/7q/3n4/3p4/4K3 w - -", "more than two pieces give check"),
    # Castling
    (f"{KINGS} w X -", "not a castling right: 'X'"),
    (f"{KINGS} w K-q -", "not a castling right: '-'"),
    (f"{KINGS} w \u212a -", "not a castling right: '\u212a'"),
    # En passant
    (f"{KINGS} w - e", "not an en passant square: 'e'"),
    (f"{KINGS} w - e9", "not an en passant square: 'e9'"),
    (f"{KINGS} w - E6", "not an en passant square: 'E6'"),
    (f"{KINGS} w - e\u0666", "not an en passant square"),
    (f"{KINGS} w - 0 1", "not an en passant square: '0'"),
    # Counters
    (f"{KINGS} w - - x 1", "the halfmove clock must be a number, not 'x'"),
    (f"{KINGS} w - - -1 1", "the halfmove clock must be a number, not '-1'"),
    (f"{KINGS} w - - 1_0 1", "the halfmove clock must be a number"),
    (f"{KINGS} w - - \u00b2 1", "the halfmove clock must be a number"),
    (f"{KINGS} w - - \u0661 1", "the halfmove clock must be a number"),
    (f"{KINGS} w - - 0 one", "the move number must be a number, not 'one'"),
    (f"{KINGS} w - - 10000 1", "the halfmove clock has more than four digits: 10000"),
    (f"{KINGS} w - - 0 4294967297", "the move number has more than four digits: 4294967297"),
    (f"{KINGS} w - - {'9' * 10_000} 1", "more than four digits"),
    (f"{KINGS} w - - 0 {'9' * 10_000}", "more than four digits"),
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
