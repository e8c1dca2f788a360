"""Why a move that was typed cannot be played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from protocol.cli.playing.move_text import alternatives, canonical, is_castling, shape_of, told

if TYPE_CHECKING:
    import re

_NULL_MOVES = {"--", "0000", "@@@@", "Z0"}


def refusal(board: chess.Board, text: str) -> str:
    """One line on a text that means no legal move."""
    if text.strip() in _NULL_MOVES:
        return "You cannot pass."
    if is_castling(text):
        return f"{told(text)} is not possible: {_no_castling(board, canonical(text) == 'OO')}."
    shape = shape_of(text)
    if shape is None:
        return f"{told(text)!r} is neither a move nor a command; try help, or moves."
    target = chess.parse_square(shape["target"].lower())
    movers = _movers(board, shape)
    if isinstance(movers, str):
        return f"{told(text)} is not possible: {movers}."
    return _told_of(board, text, shape, movers, target)


def _told_of(
    board: chess.Board, text: str, shape: re.Match[str], movers: chess.SquareSet, target: chess.Square
) -> str:
    reaching = [
        move for move in board.pseudo_legal_moves if move.to_square == target and move.from_square in movers
    ]
    legal = [move for move in reaching if board.is_legal(move)]
    if legal and legal[0].promotion:
        choices = alternatives(board, legal)
        if shape["promotion"]:
            return f"A pawn cannot become a {_name_of(shape['promotion'])}: {choices}."
        return f"Say what the pawn becomes: {choices}."
    if legal:
        return f"{told(text)} is not possible; do you mean {alternatives(board, legal)}?"
    if reaching:
        return f"{told(text)} is not possible: {_exposed(board, reaching[0])}."
    return f"{told(text)} is not possible: {_out_of_reach(board, movers, target)}."


def _movers(board: chess.Board, shape: re.Match[str]) -> chess.SquareSet | str:
    """The pieces that may be meant, or why there are none."""
    mine = chess.SquareSet(board.occupied_co[board.turn])
    if shape["file"] and shape["rank"]:
        square = chess.parse_square((shape["file"] + shape["rank"]).lower())
        piece = board.piece_at(square)
        if piece is None:
            return f"there is nothing on {chess.square_name(square)}"
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
    """Why a move that its piece could make is not legal."""
    if board.piece_type_at(move.from_square) == chess.KING:
        return f"the king would be in check on {chess.square_name(move.to_square)}"
    return "it leaves the king in check" if board.is_check() else "it would put the king in check"


def _out_of_reach(board: chess.Board, movers: chess.SquareSet, target: chess.Square) -> str:
    """Why none of these pieces can go there."""
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
        return f"there is nothing to take on {name}"
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
        return "the king or that rook has moved, or is not at home"
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
