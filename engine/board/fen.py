"""FEN both ways: X-FEN and Shredder-FEN are read, either is written.

A position from which no game could go on is refused with the reason. What merely has no effect (castling
rights without the rook, an en passant square on which no pawn can capture) is dropped, as GUIs do.
"""

from engine.board.bitboard import BISHOP, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, SQUARES
from engine.board.position import Position

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

_LETTERS = "PNBRQK..pnbrqk"
_NAMES = ("White", "Black")
_FIELDS = range(4, 7)
_MOST_CHECKERS = 2
_FILES = _RANKS = _PAWNS = 8
_MAX_DIGITS = 4


class FenError(ValueError):
    """Why a FEN cannot be used, in one line."""


def parse_fen(text: str) -> Position:
    """The position of a FEN with four to six fields. Raises FenError."""
    fields = text.split()
    if len(fields) not in _FIELDS:
        raise FenError(f"FEN: expected four to six fields, found {len(fields)}")
    pieces = _parse_board(fields[0])
    if fields[1] not in ("w", "b"):
        raise FenError(f"the side to move must be w or b, not {fields[1][:20]!r}")
    side = "wb".index(fields[1])
    rooks = _parse_castling(fields[2], pieces)
    en_passant = _parse_en_passant(fields[3], pieces, side)
    halfmoves = _parse_counter(fields, 4, "halfmove clock", 0)
    fullmove = max(1, _parse_counter(fields, 5, "move number", 1))
    _check_counts(pieces)
    position = Position.set_up(pieces, side, rooks, en_passant, halfmoves, fullmove)
    king = pieces.index((side ^ 1) * 8 + KING)
    occupied = sum(1 << sq for sq, piece in enumerate(pieces) if piece != EMPTY)
    if position.attacked(king, side, occupied):
        raise FenError(f"{_NAMES[side ^ 1]} is in check, but {_NAMES[side]} is to move")
    if position.checkers.bit_count() > _MOST_CHECKERS:
        raise FenError("more than two pieces give check")
    return position


def format_fen(position: Position, chess960: bool = False) -> str:
    """The FEN of a position, with all six fields; in Chess960 as Shredder-FEN, castling rights by file."""
    ranks = []
    for rank in range(7, -1, -1):
        text = ""
        for file in range(8):
            piece = position.piece_at(rank * 8 + file)
            text += "1" if piece == EMPTY else _LETTERS[piece]
        for run in range(8, 1, -1):
            text = text.replace("1" * run, str(run))
        ranks.append(text)
    en_passant = position.en_passant
    return " ".join(
        (
            "/".join(ranks),
            "wb"[position.side],
            _format_castling(position, chess960),
            square_name(en_passant) if en_passant >= 0 else "-",
            str(position.halfmoves),
            str(position.fullmove()),
        )
    )


def mirrored(position: Position) -> Position:
    """The same position with the ranks mirrored and the colours exchanged."""
    pieces = [position.piece_at(sq ^ 56) for sq in range(SQUARES)]
    rooks = [position.rook_square(right ^ 2) for right in range(4)]
    return Position.set_up(
        [piece if piece == EMPTY else piece ^ 8 for piece in pieces],
        position.side ^ 1,
        [rook if rook < 0 else rook ^ 56 for rook in rooks],
        position.en_passant if position.en_passant < 0 else position.en_passant ^ 56,
        position.halfmoves,
        position.fullmove(),
    )


def square_name(square: int) -> str:
    """`e4` for 28."""
    return "abcdefgh"[square & 7] + "12345678"[square >> 3]


def _parse_board(text: str) -> list[int]:
    ranks = text.split("/")
    if len(ranks) != _RANKS:
        raise FenError(f"expected eight ranks, found {len(ranks)}")
    pieces = [EMPTY] * SQUARES
    for row, rank in enumerate(ranks):
        file = 0
        for letter in rank:
            if letter in "12345678":
                file += int(letter)
            elif letter != "." and letter in _LETTERS:
                if file < _FILES:
                    pieces[(7 - row) * 8 + file] = _LETTERS.index(letter)
                file += 1
            else:
                raise FenError(f"rank {8 - row}: not a piece: {letter!r}")
        if file != _FILES:
            raise FenError(f"rank {8 - row}: expected eight squares, found {file}")
    return pieces


def _check_counts(pieces: list[int]) -> None:
    for colour, name in enumerate(_NAMES):
        count = [pieces.count(colour * 8 + kind) for kind in range(6)]
        if count[KING] != 1:
            raise FenError(f"{name} has {count[KING] or 'no'} king{'s, not one' if count[KING] else ''}")
        if count[PAWN] > _PAWNS:
            raise FenError(f"{name} has {count[PAWN]} pawns, more than eight")
        promoted = sum(
            max(0, count[kind] - usual) for kind, usual in ((KNIGHT, 2), (BISHOP, 2), (ROOK, 2), (QUEEN, 1))
        )
        if promoted > _PAWNS - count[PAWN]:
            raise FenError(f"{name} has more pieces than promotions allow")
    for sq in (*range(8), *range(56, 64)):
        if pieces[sq] & 7 == PAWN and pieces[sq] != EMPTY:
            raise FenError(f"a pawn cannot stand on {square_name(sq)}")


def _parse_castling(text: str, pieces: list[int]) -> list[int]:
    """The rooks' squares for K, Q, k, q, or -1.

    K and Q mean the outermost rook on that side. Of two on the same side the outer one prevails.
    """
    rooks = [-1] * 4
    if text == "-":
        return rooks
    for letter in dict.fromkeys(text):
        if letter not in "ABCDEFGHKQabcdefghkq":
            raise FenError(f"not a castling right: {letter!r}")
        colour = int(letter.islower())
        home = colour * 56
        king, rook = colour * 8 + KING, colour * 8 + ROOK
        row = pieces[home : home + 8]
        if king not in row:
            continue
        king_file = row.index(king)
        rook_files = [file for file in range(8) if row[file] == rook]
        kind = letter.lower()
        if kind == "k":
            wanted = [file for file in rook_files[-1:] if file > king_file]
        elif kind == "q":
            wanted = [file for file in rook_files[:1] if file < king_file]
        else:
            wanted = [file for file in rook_files if file == "abcdefgh".index(kind)]
        for file in wanted:
            right = colour * 2 + (file < king_file)
            if rooks[right] < 0 or abs(file - king_file) > abs((rooks[right] & 7) - king_file):
                rooks[right] = home + file
    return rooks


def _parse_en_passant(text: str, pieces: list[int], side: int) -> int:
    if text == "-":
        return -1
    names = [square_name(square) for square in range(SQUARES)]
    if text not in names:
        raise FenError(f"not an en passant square: {text[:20]!r}")
    square = names.index(text)
    forward = -8 if side else 8
    if square >> 3 != (2 if side else 5):
        return -1
    pawn = (side ^ 1) * 8 + PAWN
    behind = (square, square + forward)
    if pieces[square - forward] != pawn or any(pieces[sq] != EMPTY for sq in behind):
        return -1
    return square


def _parse_counter(fields: list[str], index: int, name: str, default: int) -> int:
    if len(fields) <= index:
        return default
    text = fields[index]
    if not (text.isascii() and text.isdigit()):
        raise FenError(f"the {name} must be a number, not {text[:20]!r}")
    digits = text.lstrip("0") or "0"
    if len(digits) > _MAX_DIGITS:
        raise FenError(f"the {name} has more than four digits: {digits[:20]}")
    return int(digits)


def _format_castling(position: Position, chess960: bool) -> str:
    """`KQkq`; the file's letter instead where K or Q would mean another rook, or in Chess960."""
    text = ""
    for right, letter in enumerate("KQkq"):
        rook = position.rook_square(right)
        if rook < 0:
            continue
        by_file = chess960 or not _is_outermost(position, right, rook)
        file = square_name(rook)[0]
        text += (file if letter.islower() else file.upper()) if by_file else letter
    return text or "-"


def _is_outermost(position: Position, right: int, rook: int) -> bool:
    beyond = range(rook & ~7, rook) if right & 1 else range(rook + 1, (rook | 7) + 1)
    return all(position.piece_at(sq) != position.piece_at(rook) for sq in beyond)
