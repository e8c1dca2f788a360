"""Keys: what must tell two positions apart does, and the numbers are those of SplitMix64."""

from engine.board.fen import parse_fen
from engine.board.position import Position

EMPTY, PAWN, KING, BLACK = 7, 0, 5, 8
ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R"


def with_one(piece: int, square: int) -> Position:
    """Both kings on their squares and one more piece, were it on a square where it cannot be."""
    pieces = [EMPTY] * 64
    pieces[4], pieces[60], pieces[square] = KING, BLACK + KING, piece
    return Position.set_up(pieces, 0)


def test_the_numbers_are_those_of_splitmix64() -> None:
    """The first four of seed 0, as the reference implementation (Vigna, 2015) prints them."""
    drawn = [with_one(PAWN, square).pawn_key for square in range(4)]
    assert drawn == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]


def test_each_piece_on_each_square_counts() -> None:
    squares = [square for square in range(64) if square not in (4, 60)]
    pieces = [colour * BLACK + kind for colour in range(2) for kind in range(5)]
    keys = {with_one(piece, square).key for piece in pieces for square in squares}
    assert len(keys) == len(pieces) * len(squares)


def test_the_pawn_key_knows_pawns_only() -> None:
    pawns = "4k3/pp6/8/8/8/8/6PP/4K3 w - -"
    assert parse_fen("r3k3/pp6/8/8/2N5/8/6PP/R3K3 b Qq -").pawn_key == parse_fen(pawns).pawn_key
    assert parse_fen("4k3/pp6/8/8/8/8/6P1/4K3 w - -").pawn_key != parse_fen(pawns).pawn_key
    assert parse_fen("4k3/8/8/8/8/8/8/4K3 w - -").pawn_key == 0


def test_the_table_key_knows_how_near_the_fifty_move_rule_is() -> None:
    positions = [parse_fen(f"{ROOKS} w - - {halfmoves} 90") for halfmoves in range(200)]
    keys = [position.table_key() for position in positions]
    assert keys[:16] == [positions[0].key] * 16
    assert [keys.index(key) for key in keys] == [
        0 if halfmoves < 16 else min(halfmoves & ~7, 128) for halfmoves in range(200)
    ]
