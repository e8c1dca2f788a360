"""Moves as people type them: which legal move is meant, or why the move is not legal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_NUMBER = re.compile(r"^\d+\s*\.+\s*")
_EN_PASSANT = re.compile(r"e\.?p\.?\Z", re.IGNORECASE)
_AFTERTHOUGHTS = "+#!?"
_CASTLING = re.compile(r"[o0]-?[o0](-?[o0])?", re.IGNORECASE)
_DECORATION = str.maketrans("", "", "-x:=() ")
_FIGURINES = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP", "\ufe0e\ufe0f")
_SHORT, _LONG = "OO", "OOO"
_SHAPE = re.compile(
    r"(?P<piece>[KQRBNP]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)(?P<target>[a-h][1-8])(?P<promotion>[KQRBNP]?)",
    re.IGNORECASE,
)
_NULL_MOVES = {"--", "0000", "@@@@", "Z0"}


class MoveTextError(ValueError):
    """Why a text is not a move here, in one line for the player."""


def move_of(board: chess.Board, text: str) -> chess.Move | None:
    """The legal move that a text means; None if it means none.

    Capitals matter only if the text is ambiguous without them. Raises MoveTextError if several moves fit.
    """
    wanted = canonical(text)
    for fold in (str, str.lower):
        moves = [
            move for move in board.legal_moves if fold(wanted) in {fold(form) for form in _forms(board, move)}
        ]
        if len(moves) == 1:
            return moves[0]
        if moves:
            raise MoveTextError(f"{displayed(text)} is ambiguous: {alternatives(board, moves)}.")
    return None


def canonical(text: str) -> str:
    """A move reduced to its necessary letters and digits: `e2e4`, `Nbd2`, `e8q`, `OO`."""
    text = _without_suffix(_NUMBER.sub("", text.strip().translate(_FIGURINES)))
    if castling := _CASTLING.fullmatch(text):
        return _LONG if castling[1] else _SHORT
    return text.translate(_DECORATION)


def _without_suffix(text: str) -> str:
    end = len(text)
    while end and (text[end - 1] in _AFTERTHOUGHTS or text[end - 1].isspace()):
        end -= 1
    return _EN_PASSANT.sub("", text[:end])


def shape_of(text: str) -> re.Match[str] | None:
    """Piece, file, rank, target and promotion of a text that looks like a move; None for any other text."""
    return _SHAPE.fullmatch(canonical(text))


def is_castling(text: str) -> bool:
    """Whether a text means castling."""
    return canonical(text) in {_SHORT, _LONG}


def displayed(text: str) -> str:
    """The typed text, for an answer: printable and not too long."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in text.strip())
    return printable if len(printable) <= 20 else f"{printable[:19]}…"


def alternatives(board: chess.Board, moves: list[chess.Move]) -> str:
    """`Nbd2 or Nfd2`."""
    *others, last = sorted(board.san(move).rstrip("+#") for move in moves)
    return f"{', '.join(others)} or {last}" if others else last


def _forms(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """All canonical texts for a legal move."""
    source, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    if board.is_castling(move):
        yield from _castling_forms(board, move)
        return
    promotion = chess.piece_symbol(move.promotion).upper() if move.promotion else ""
    symbol = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN).upper()
    begins = [source, symbol, symbol + source]
    if symbol != "P":
        begins += [symbol + source[0], symbol + source[1]]
    else:
        begins.append(source[0] if board.is_capture(move) else "")
    for begin in begins:
        yield begin + target + promotion


def _castling_forms(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """Castling as `OO`, as king takes rook, and by the king's target unless that could be a king move."""
    short = chess.square_file(move.to_square) > chess.square_file(move.from_square)
    yield _SHORT if short else _LONG
    targets = {move.to_square}
    rank = chess.square_rank(move.from_square)
    king_target = chess.square(6 if short else 2, rank)
    if chess.square_distance(move.from_square, king_target) > 1:
        targets.add(king_target)
        yield f"K{chess.square_name(king_target)}"
    if not board.chess960:
        targets.add(chess.square(7 if short else 0, rank))
    for target in targets:
        yield chess.square_name(move.from_square) + chess.square_name(target)


def refusal(board: chess.Board, text: str) -> str:
    """One line why a text is not a legal move."""
    if text.strip() in _NULL_MOVES:
        return "Passing is not allowed."
    if is_castling(text):
        return f"{displayed(text)} is not possible: {_no_castling(board, canonical(text) == 'OO')}."
    shape = shape_of(text)
    if shape is None:
        return f"{displayed(text)!r} is neither a move nor a command. Type help or moves."
    target = chess.parse_square(shape["target"].lower())
    movers = _movers(board, shape)
    if isinstance(movers, str):
        return f"{displayed(text)} is not possible: {movers}."
    return _reason(board, text, shape, movers, target)


def _reason(
    board: chess.Board, text: str, shape: re.Match[str], movers: chess.SquareSet, target: chess.Square
) -> str:
    reaching = [
        move for move in board.pseudo_legal_moves if move.to_square == target and move.from_square in movers
    ]
    legal = [move for move in reaching if board.is_legal(move)]
    if legal and legal[0].promotion:
        choices = alternatives(board, legal)
        if shape["promotion"]:
            return f"A pawn cannot be promoted to a {_name_of(shape['promotion'])}: {choices}."
        return f"Add the piece for the promotion: {choices}."
    if legal:
        return f"{displayed(text)} is not possible. Did you mean {alternatives(board, legal)}?"
    if reaching:
        return f"{displayed(text)} is not possible: {_exposed(board, reaching[0])}."
    return f"{displayed(text)} is not possible: {_out_of_reach(board, movers, target)}."


def _movers(board: chess.Board, shape: re.Match[str]) -> chess.SquareSet | str:
    """The squares of the pieces that may be meant, or why there are none."""
    mine = chess.SquareSet(board.occupied_co[board.turn])
    if shape["file"] and shape["rank"]:
        square = chess.parse_square((shape["file"] + shape["rank"]).lower())
        piece = board.piece_at(square)
        if piece is None:
            return f"{chess.square_name(square)} is empty"
        if piece.color != board.turn:
            whose = "White's" if piece.color else "Black's"
            return f"the {_name(piece.piece_type)} on {chess.square_name(square)} is {whose}"
        return chess.SquareSet([square])
    kind = _kind(shape)
    movers = chess.SquareSet(board.pieces(kind, board.turn)) & mine
    if shape["file"]:
        movers &= chess.BB_FILES[ord(shape["file"].lower()) - ord("a")]
    if shape["rank"]:
        movers &= chess.BB_RANKS[int(shape["rank"]) - 1]
    if not movers:
        where = f" on the {shape['file'].lower()}-file" if shape["file"] else ""
        where = f" on rank {shape['rank']}" if shape["rank"] else where
        return f"you have no {_name(kind)}{where}"
    return movers


def _kind(shape: re.Match[str]) -> chess.PieceType:
    return chess.PIECE_SYMBOLS.index(shape["piece"].lower()) if shape["piece"] else chess.PAWN


def _exposed(board: chess.Board, move: chess.Move) -> str:
    """Why a pseudo-legal move is not legal."""
    if board.piece_type_at(move.from_square) == chess.KING:
        return f"the king would be in check on {chess.square_name(move.to_square)}"
    return "it leaves the king in check" if board.is_check() else "it would put the king in check"


def _out_of_reach(board: chess.Board, movers: chess.SquareSet, target: chess.Square) -> str:
    """Why none of these pieces can move to the target."""
    name = chess.square_name(target)
    held = board.piece_at(target)
    if held is not None and held.color == board.turn:
        return f"your own {_name(held.piece_type)} is on {name}"
    kinds = {board.piece_type_at(square) or chess.PAWN for square in movers}
    kind = kinds.pop()
    if kind == chess.PAWN:
        return _no_pawn_move(board, movers, target)
    lines = [square for square in movers if target in _on_empty_board(kind, square)]
    if not lines:
        if len(movers) == 1:
            return f"a {_name(kind)} does not move from {chess.square_name(movers.pop())} to {name}"
        return f"no {_name(kind)} of yours moves to {name}"
    blockers = chess.SquareSet(chess.between(lines[0], target)) & board.occupied
    blocker = min(blockers, key=lambda square: chess.square_distance(square, lines[0]))
    piece = board.piece_at(blocker)
    kind_of_blocker = _name(piece.piece_type) if piece else "piece"
    return f"the {kind_of_blocker} on {chess.square_name(blocker)} is in the way"


def _no_pawn_move(board: chess.Board, movers: chess.SquareSet, target: chess.Square) -> str:
    forward = 8 if board.turn else -8
    name = chess.square_name(target)
    same_file = movers & chess.BB_FILES[chess.square_file(target)]
    for square in same_file:
        steps = (target - square) // forward
        if steps == 1 or (steps == 2 and chess.BB_SQUARES[square] & _home(board.turn)):
            blocked = square + forward if board.piece_at(square + forward) else target
            piece = board.piece_at(blocked)
            blocker = f"the {_name(piece.piece_type)} on {chess.square_name(blocked)}" if piece else name
            return f"the pawn on {chess.square_name(square)} is blocked by {blocker}"
    takers = movers & board.attackers(board.turn, target)
    if takers:
        return f"there is no piece to take on {name}"
    if len(movers) == 1:
        return f"the pawn on {chess.square_name(movers.pop())} does not move to {name}"
    return f"no pawn of yours moves to {name}"


def _home(color: chess.Color) -> chess.Bitboard:
    return chess.BB_RANK_2 if color else chess.BB_RANK_7


def _on_empty_board(kind: chess.PieceType, square: chess.Square) -> chess.SquareSet:
    empty = chess.Board(None)
    empty.set_piece_at(square, chess.Piece(kind, chess.WHITE))
    return empty.attacks(square)


def _no_castling(board: chess.Board, short: bool) -> str:
    rights = board.has_kingside_castling_rights if short else board.has_queenside_castling_rights
    if not rights(board.turn):
        return "there is no right to castle on that side"
    if board.is_check():
        return "the king is in check"
    king = board.king(board.turn)
    if king is not None:
        target = chess.square(6 if short else 2, chess.square_rank(king))
        path = chess.SquareSet.between(king, target) | chess.BB_SQUARES[target]
        attacked = [square for square in path if board.is_attacked_by(not board.turn, square)]
        if attacked and not path & board.occupied:
            return f"the king would be in check on {chess.square_name(attacked[0])}"
    return "there are pieces between king and rook"


def _name(kind: chess.PieceType) -> str:
    return chess.piece_name(kind)


def _name_of(symbol: str) -> str:
    return _name(chess.PIECE_SYMBOLS.index(symbol.lower()))
