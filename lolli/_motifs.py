"""Tactical motifs of a line of play, by Lichess's names, as facts about squares of its boards.

A `Line` is what one side, the solver, plays against the other: its moves have even indices. A motif is found
where the rules of chess show it on the boards of the line; what the line is worth is for the search to say.
The definitions are ours, from what the words mean, compared with positions of https://database.lichess.org.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import chess

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 99}
_RAYS = (chess.BISHOP, chess.ROOK, chess.QUEEN)
_CORNERS = chess.SquareSet(chess.BB_CORNERS)
_EDGES = chess.SquareSet(chess.BB_RANK_1 | chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H)


@dataclass(frozen=True, slots=True)
class Motif:
    """`name` is Lichess's; `ply` the index of the move that shows it; `squares`: who acts, then on whom."""

    name: str
    ply: int
    squares: tuple[chess.Square, ...] = ()


class Line:
    """Moves from a board; `boards[i]` is before `moves[i]`. The solver is to move first.

    The stack of the first board matters: the last move on it is what the solver answers.
    """

    def __init__(self, board: chess.Board, moves: Sequence[chess.Move]) -> None:
        self.boards = [board.copy(stack=1)]
        self.moves = tuple(moves)
        for move in moves:
            after = self.boards[-1].copy(stack=1)
            after.push(move)
            self.boards.append(after)
        self.solver = board.turn

    def own(self, first: int = 0) -> Iterator[int]:
        """The indices of the solver's moves from `first`, which is even."""
        return iter(range(first, len(self.moves), 2))

    def captured(self, ply: int) -> chess.Piece | None:
        """What the move takes."""
        board, move = self.boards[ply], self.moves[ply]
        if board.is_en_passant(move):
            return chess.Piece(chess.PAWN, not board.turn)
        return board.piece_at(move.to_square) if board.is_capture(move) else None

    def balance(self, ply: int) -> int:
        """The solver's lead in material before move number `ply`, in pawns."""
        board = self.boards[ply]
        return material(board, self.solver) - material(board, not self.solver)

    def played(self, ply: int) -> tuple[chess.Board | None, chess.Move]:
        """A move and the board before it. At -1 it is the move that the line answers, if it is known."""
        if ply >= 0:
            return self.boards[ply], self.moves[ply]
        before = self.boards[0].copy(stack=1)
        if ply < -1 or not before.move_stack:
            return None, chess.Move.null()
        return before, before.pop()


def board_after(board: chess.Board, move: chess.Move) -> chess.Board:
    """The board after a move, without what came before."""
    after = board.copy(stack=False)
    after.push(move)
    return after


# What a square is worth


def value(board: chess.Board, square: chess.Square) -> int:
    """In pawns; 99 for a king, 0 for none."""
    return VALUES.get(board.piece_type_at(square) or 0, 0)


def exchange(board: chess.Board, square: chess.Square, by: chess.Color) -> int:
    """What `by` wins, in pawns, by taking on a square: never below 0.

    Static exchange evaluation: both sides take with the least valuable piece; pinned pieces take no part.
    """
    target = board.piece_at(square)
    takers = [
        each
        for each in board.attackers(by, square)
        if not board.is_pinned(by, each) or square in board.pin(by, each)
    ]
    if target is None or target.color == by or not takers:
        return 0
    taker = min(takers, key=lambda each: value(board, each))
    if board.piece_type_at(taker) == chess.KING and board.attackers(not by, square):
        return 0
    after = board.copy(stack=False)
    piece = after.remove_piece_at(taker)
    after.set_piece_at(square, piece)
    return max(0, VALUES[target.piece_type] - exchange(after, square, not by))


def _color(board: chess.Board, square: chess.Square) -> chess.Color:
    """That of the piece on an occupied square."""
    return bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[square])


def _king(board: chess.Board, color: chess.Color) -> chess.Square:
    return (board.kings & board.occupied_co[color]).bit_length() - 1


def is_defended(board: chess.Board, square: chess.Square) -> bool:
    """Whether the piece on a square could be taken back, also through its own side's line pieces."""
    color = _color(board, square)
    return bool(board.attackers(color, square)) or any(  # an attacker may stand before a defender
        _without(board, attacker).attackers(color, square) for attacker in board.attackers(not color, square)
    )


def is_loose(board: chess.Board, square: chess.Square) -> bool:
    """Whether a piece is attacked, and is undefended or worth more than an attacker."""
    color = _color(board, square)
    attackers = board.attackers(not color, square)
    if not attackers:
        return False
    worth = value(board, square)
    return not is_defended(board, square) or any(value(board, each) < worth for each in attackers)


def material(board: chess.Board, color: chess.Color) -> int:
    """In pawns, of one side alone."""
    kinds = range(chess.PAWN, chess.KING)
    return sum(VALUES[kind] * chess.popcount(board.pieces_mask(kind, color)) for kind in kinds)


def is_trapped(board: chess.Board, square: chess.Square) -> bool:
    """Whether a piece of the side to move is in danger and has no safe square to go to."""
    kind = board.piece_type_at(square)
    if kind in {None, chess.PAWN, chess.KING} or board.is_check() or not is_loose(board, square):
        return False
    if board.is_pinned(board.turn, square):
        return False
    worth = value(board, square)
    for move in board.generate_legal_moves(chess.BB_SQUARES[square]):
        if value(board, move.to_square) >= worth:
            return False
        after = board_after(board, move)
        if not is_loose(after, move.to_square):
            return False
    return True


# Motifs of single moves and of their consequences


def _forks(line: Line) -> Iterator[Motif]:
    """A safe piece attacks two or more that are worth more, undefended, or the king."""
    for ply in line.own():
        after, square = line.boards[ply + 1], line.moves[ply].to_square
        kind = after.piece_type_at(square)
        if kind == chess.KING or is_loose(after, square):
            continue
        targets = tuple(
            each
            for each in after.attacks(square) & after.occupied_co[not line.solver]
            if _is_target(after, square, each)
        )
        if len(targets) > 1 and ply + 2 < len(line.moves):
            reply, taking = line.moves[ply + 1], line.moves[ply + 2]
            moved = reply.to_square if reply.from_square in targets else None
            if taking.to_square in {*targets, moved}:
                yield Motif("fork", ply, (square, *targets))


def _is_target(board: chess.Board, attacker: chess.Square, target: chess.Square) -> bool:
    kind = board.piece_type_at(target)
    if kind == chess.PAWN:
        return False
    if VALUES[kind or 0] > value(board, attacker):
        return True
    return not is_defended(board, target) and attacker not in board.attacks(target)


def _hanging(line: Line) -> Iterator[Motif]:
    """The first move takes an undefended piece, and not just back."""
    taken, move = line.captured(0), line.moves[0]
    if taken is None or taken.piece_type in {chess.PAWN, chess.KING}:
        return
    if is_defended(line.boards[0], move.to_square):
        return
    earlier, last = line.played(-1)
    traded = earlier is not None and value(earlier, last.to_square) >= VALUES[taken.piece_type]
    if traded and last.to_square == move.to_square:
        return
    if line.balance(min(3, len(line.moves))) - line.balance(0) < VALUES[taken.piece_type]:
        return
    yield Motif("hangingPiece", 0, (move.from_square, move.to_square))


def _trapped(line: Line) -> Iterator[Motif]:
    """A piece is taken that was in danger, with no safe square to go to, when its side was to move."""
    for ply in line.own(2):
        taken, reply = line.captured(ply), line.moves[ply - 1]
        if taken is None or taken.piece_type == chess.PAWN:
            continue
        square = line.moves[ply].to_square
        if reply.to_square == square:
            square = reply.from_square
        if is_trapped(line.boards[ply - 1], square):
            yield Motif("trappedPiece", ply - 2, (line.moves[ply].from_square, square))
            return


def _skewers(line: Line) -> Iterator[Motif]:
    """A line piece takes what stood behind a more valuable piece that had to leave the line."""
    for ply in line.own(2):
        move, reply = line.moves[ply], line.moves[ply - 1]
        board, earlier = line.boards[ply], line.boards[ply - 1]
        if line.captured(ply) is None or board.piece_type_at(move.from_square) not in _RAYS:
            continue
        if move.to_square == reply.to_square or line.boards[ply + 1].is_checkmate():
            continue
        if earlier.piece_at(move.from_square) != board.piece_at(move.from_square):
            continue
        front = reply.from_square
        if front in chess.SquareSet.between(move.from_square, move.to_square) and (
            value(earlier, front) > value(board, move.to_square)
            and exchange(board, move.to_square, line.solver) > 0
        ):
            yield Motif("skewer", ply - 2, (move.from_square, front, move.to_square))


def _pins(line: Line) -> Iterator[Motif]:
    """A pinned piece may not take what it attacks, or is attacked and cannot leave."""
    them = not line.solver
    for ply in line.own():
        after = line.boards[ply + 1]
        king = _king(after, them)
        for square in chess.SquareSet(after.occupied_co[them] & ~chess.BB_SQUARES[king]):
            if not after.is_pinned(them, square):
                continue
            ray = after.pin(them, square)
            if _cannot_take(after, square, ray) or _cannot_leave(after, square, ray):
                pinner = ray & after.attackers(line.solver, square)
                yield Motif("pin", ply, (*pinner, square, king))


def _cannot_take(board: chess.Board, pinned: chess.Square, ray: chess.SquareSet) -> bool:
    worth = value(board, pinned)
    for target in board.attacks(pinned) & board.occupied_co[not board.turn] & ~ray:
        if value(board, target) > worth or not is_defended(board, target):
            return True
    return False


def _cannot_leave(board: chess.Board, pinned: chess.Square, ray: chess.SquareSet) -> bool:
    solver = not board.turn
    if board.piece_type_at(pinned) == chess.PAWN or not is_loose(board, pinned):
        return False
    for pinner in board.attacks(pinned) & ray & board.occupied_co[solver]:
        if value(board, pinner) >= value(board, pinned):
            return False  # it takes, or trades itself for, what pins it
    return exchange(board, pinned, solver) > 0


def _discoveries(line: Line) -> Iterator[Motif]:
    """A piece leaves the line of another, which gives check or takes afterwards."""
    for ply in line.own():
        after, move = line.boards[ply + 1], line.moves[ply]
        checkers = after.checkers()
        others = [each for each in checkers if each != move.to_square]
        if others and not line.boards[ply].is_castling(move):
            king = _king(after, after.turn)
            if move.from_square in chess.SquareSet.between(others[0], king):
                yield Motif("discoveredCheck", ply, (others[0], king, move.to_square))
                if len(checkers) == 1:
                    yield Motif("discoveredAttack", ply, (others[0], king, move.to_square))
        if len(checkers) > 1:
            yield Motif("doubleCheck", ply, tuple(checkers))
        if ply + 2 < len(line.moves):
            nxt = line.moves[ply + 2]
            if (
                line.captured(ply + 2) is not None
                and move.to_square != nxt.from_square
                and move.from_square in chess.SquareSet.between(nxt.from_square, nxt.to_square)
                and line.moves[ply + 1].to_square != nxt.to_square
                and nxt.to_square in after.attacks(nxt.from_square)
            ):
                yield Motif("discoveredAttack", ply, (nxt.from_square, nxt.to_square, move.to_square))


def _without(board: chess.Board, square: chess.Square) -> chess.Board:
    bare = board.copy(stack=False)
    bare.remove_piece_at(square)
    return bare


def _deflections(line: Line) -> Iterator[Motif]:
    """A defender is made to leave: it takes a sacrifice or answers a check, and what it guarded falls."""
    for ply in line.own(2):
        move, reply, lure = line.moves[ply], line.moves[ply - 1], line.moves[ply - 2]
        earlier, board = line.boards[ply - 1], line.boards[ply]
        falls = line.captured(ply) is not None or move.promotion
        if not falls or move.to_square in {reply.to_square, lure.to_square}:
            continue
        if value(line.boards[ply - 2], lure.to_square) >= value(line.boards[ply - 2], lure.from_square):
            continue
        if not (reply.to_square == lure.to_square or earlier.is_check()):
            continue
        guarded = move.to_square in _without(earlier, move.from_square).attacks(reply.from_square)
        if guarded and move.to_square not in board.attacks(reply.to_square):
            yield Motif("deflection", ply - 2, (lure.to_square, reply.from_square, move.to_square))


def _attractions(line: Line) -> Iterator[Motif]:
    """A piece that takes a sacrifice is attacked on the square to which it was drawn."""
    for ply in line.own(2):
        reply, lure = line.moves[ply - 1], line.moves[ply - 2]
        if reply.to_square != lure.to_square:
            continue
        drawn = line.boards[ply].piece_type_at(reply.to_square)
        if drawn not in {chess.KING, chess.QUEEN, chess.ROOK}:
            continue
        after, move = line.boards[ply + 1], line.moves[ply]
        if reply.to_square not in after.attacks(move.to_square):
            continue
        takes = ply + 2 < len(line.moves) and line.moves[ply + 2].to_square == reply.to_square
        if drawn == chess.KING or takes:
            yield Motif("attraction", ply - 2, (lure.to_square, reply.to_square, move.to_square))


def _interferences(line: Line) -> Iterator[Motif]:
    """A piece steps between a defender and what it guards, which then falls."""
    for ply in line.own():
        board, target = line.boards[ply], line.moves[ply].to_square
        if board.piece_at(target) is None or is_defended(board, target):
            continue
        for step, (before, move) in enumerate((line.played(ply - 1), line.played(ply - 2))):
            if before is None or before.piece_at(target) != board.piece_at(target):
                continue
            for guard in before.attackers(not line.solver, target) & ~chess.SquareSet([move.from_square]):
                if (
                    before.piece_type_at(guard) in _RAYS
                    and move.to_square in chess.SquareSet.between(guard, target)
                    and board.piece_at(guard) == before.piece_at(guard)
                ):
                    yield Motif("interference", max(0, ply - 1 - step), (move.to_square, guard, target))


def _intermezzi(line: Line) -> Iterator[Motif]:
    """Another move is played before taking back, which was possible at once."""
    for ply in line.own(2):
        move, between = line.moves[ply], line.moves[ply - 2]
        square = move.to_square
        if line.captured(ply) is None or square in {between.to_square, line.moves[ply - 1].to_square}:
            continue
        before, taking = line.played(ply - 3)
        if before is None or taking.to_square != square or not before.is_capture(taking):
            continue
        guards = line.boards[ply - 2].attackers(not line.solver, square)
        if line.moves[ply - 1].from_square in guards:
            continue  # a deflection
        if move in line.boards[ply - 2].legal_moves:
            yield Motif("intermezzo", ply - 2, (between.to_square, square))


def _clearances(line: Line) -> Iterator[Motif]:
    """A piece makes way: another one goes to or through the square that it left."""
    for ply in line.own(2):
        move, first, reply = line.moves[ply], line.moves[ply - 2], line.moves[ply - 1]
        board = line.boards[ply]
        if board.piece_type_at(move.from_square) not in _RAYS or move.from_square == first.to_square:
            continue
        if line.captured(ply) is not None or reply.to_square == move.to_square:
            continue
        after = line.boards[ply + 1]
        if after.is_checkmate() or line.boards[ply - 1].checkers() & ~chess.SquareSet([first.to_square]):
            continue
        if after.is_check() and board.piece_type_at(reply.to_square) == chess.KING:
            continue  # a chase of the king
        way = chess.SquareSet.between(move.from_square, move.to_square)
        if first.from_square == move.to_square or first.from_square in way:
            yield Motif("clearance", ply - 2, (first.to_square, first.from_square, move.to_square))


def _x_rays(line: Line) -> Iterator[Motif]:
    """A line piece takes back on a square that it reached through the piece that had just taken there."""
    for ply in line.own(2):
        move, reply, first = line.moves[ply], line.moves[ply - 1], line.moves[ply - 2]
        way = chess.SquareSet.between(move.from_square, move.to_square)
        if move.to_square == reply.to_square == first.to_square and reply.from_square in way:
            yield Motif("xRayAttack", ply - 2, (move.from_square, reply.from_square, move.to_square))


def _removed_defenders(line: Line) -> Iterator[Motif]:
    """A defender is taken, and what it guarded falls."""
    for ply in line.own(2):
        move, taking, reply = line.moves[ply], line.moves[ply - 2], line.moves[ply - 1]
        target, before = move.to_square, line.boards[ply - 2]
        if line.boards[ply].piece_at(target) is None or line.captured(ply - 2) is None:
            continue
        if (
            taking.to_square != reply.to_square
            or target == reply.to_square
            or line.boards[ply - 1].is_check()
        ):
            continue
        guards = before.attackers(not line.solver, target)
        if taking.to_square in guards and not is_defended(line.boards[ply], target):
            yield Motif("capturingDefender", ply - 2, (taking.to_square, target))


def _sacrifice(line: Line) -> Iterator[Motif]:
    """After an answer the solver has at least two pawns less than at first."""
    for ply in line.own(2):
        if line.balance(ply + 1) <= line.balance(0) - 2 and not any(move.promotion for move in line.moves):
            yield Motif("sacrifice", ply - 2, (line.moves[ply - 2].to_square,))
            return


def _promotions(line: Line) -> Iterator[Motif]:
    for ply in line.own():
        move = line.moves[ply]
        if move.promotion:
            yield Motif("promotion", ply, (move.to_square,))
            if move.promotion != chess.QUEEN:
                yield Motif("underPromotion", ply, (move.to_square,))
        if line.boards[ply].is_en_passant(move):
            yield Motif("enPassant", ply, (move.to_square,))


# Mates with a name: what the final board shows


def mates(line: Line) -> Iterator[Motif]:
    """The names of the mate at the end of the line."""
    board, last = line.boards[-1], len(line.moves) - 1
    if not board.is_checkmate():
        return
    king = _king(board, board.turn)
    yield Motif("mate", last, (line.moves[last].to_square, king))
    if last // 2 < 5:
        yield Motif(f"mateIn{last // 2 + 1}", last)
    for name, shows in _MATES.items():
        if shows(board, king):
            yield Motif(name, last, (*board.checkers(), king))


def _around(king: chess.Square) -> chess.SquareSet:
    return chess.SquareSet(chess.BB_KING_ATTACKS[king])


def _is_back_rank(board: chess.Board, king: chess.Square) -> bool:
    """On its first rank, checked along it, with a piece of its own on each square before it."""
    rank = chess.square_rank(king)
    if rank != (0 if board.turn else 7):
        return False
    ahead = _around(king) & chess.BB_RANKS[1 if board.turn else 6]
    blocked = ahead & board.occupied_co[board.turn]
    along = [each for each in board.checkers() if chess.square_rank(each) == rank]
    covered = any(board.attackers(not board.turn, square) for square in ahead)
    return bool(along) and blocked == ahead and not covered


def _is_smothered(board: chess.Board, king: chess.Square) -> bool:
    knights = [each for each in board.checkers() if board.piece_type_at(each) == chess.KNIGHT]
    return bool(knights) and not _around(king) & ~board.occupied_co[board.turn]


def _checker(board: chess.Board, *kinds: chess.PieceType) -> chess.Square | None:
    checkers = list(board.checkers())
    return checkers[0] if len(checkers) == 1 and board.piece_type_at(checkers[0]) in kinds else None


def _is_arabian(board: chess.Board, king: chess.Square) -> bool:
    """In the corner, checked by a rook beside it that a knight guards."""
    rook = _checker(board, chess.ROOK)
    return (
        rook is not None
        and king in _CORNERS
        and chess.square_distance(rook, king) == 1
        and any(
            chess.square_distance(each, king) == 2
            and abs(chess.square_file(each) - chess.square_file(king)) == 2
            for each in board.attackers(not board.turn, rook) & board.knights
        )
    )


def _is_hook(board: chess.Board, king: chess.Square) -> bool:
    """A rook beside the king, guarded by a knight beside it, which a pawn guards."""
    rook, them = _checker(board, chess.ROOK), not board.turn
    return (
        rook is not None
        and chess.square_distance(rook, king) == 1
        and any(
            chess.square_distance(each, king) == 1 and board.attackers(them, each) & board.pawns
            for each in board.attackers(them, rook) & board.knights
        )
    )


def _is_dovetail(board: chess.Board, king: chess.Square) -> bool:
    """Away from the edge, a queen diagonally beside it; what she does not cover its own pieces take."""
    queen = _checker(board, chess.QUEEN)
    if queen is None or king in _EDGES or chess.square_distance(queen, king) != 1:
        return False
    if chess.square_file(queen) == chess.square_file(king) or chess.square_rank(queen) == chess.square_rank(
        king
    ):
        return False
    bare = _without(board, king)
    free = _around(king) & ~bare.occupied_co[board.turn] & ~chess.SquareSet([queen])
    return all(bare.attackers(not board.turn, square) == chess.SquareSet([queen]) for square in free)


def _covered(board: chess.Board, king: chess.Square, piece: chess.Square) -> chess.SquareSet:
    """What a piece covers when the king is taken away."""
    return _without(board, king).attacks(piece)


def _by_bishops(board: chess.Board, king: chess.Square) -> tuple[int, int] | None:
    """The files of the bishops beyond the king's, if a bishop gives check and none but bishops guard."""
    bishops = board.pieces(chess.BISHOP, not board.turn)
    guards = chess.SquareSet()
    for square in _around(king):
        if board.color_at(square) != board.turn:
            guards |= board.attackers(not board.turn, square)
    if _checker(board, chess.BISHOP) is None or len(bishops) < 2 or guards & ~bishops:
        return None
    files = [chess.square_file(each) - chess.square_file(king) for each in bishops]
    return min(files), max(files)


def needs_bishops(board: chess.Board) -> bool:
    """Whether the mate needs each of the winner's bishops, which Lichess does not ask of those named so."""
    bishops = board.pieces(chess.BISHOP, not board.turn)
    return not any(_without(board, each).is_checkmate() for each in bishops)


def _is_double_bishop(board: chess.Board, king: chess.Square) -> bool:
    files = _by_bishops(board, king)
    return files is not None and not files[0] < 0 < files[1]


def _is_boden(board: chess.Board, king: chess.Square) -> bool:
    files = _by_bishops(board, king)
    return files is not None and files[0] < 0 < files[1]


def _is_anastasia(board: chess.Board, king: chess.Square) -> bool:
    """On the edge, checked along it by a rook or queen, shut in by a knight and its own piece."""
    checker = _checker(board, chess.ROOK, chess.QUEEN)
    if checker is None or king not in _EDGES or king in _CORNERS:
        return False
    file = chess.square_file(king)
    if file not in {0, 7} or chess.square_file(checker) != file:
        return False
    inner = chess.square(1 if file == 0 else 6, chess.square_rank(king))
    knight = chess.square(3 if file == 0 else 4, chess.square_rank(king))
    return board.color_at(inner) == board.turn and board.piece_at(knight) == chess.Piece(
        chess.KNIGHT, not board.turn
    )


def _is_opera(board: chess.Board, king: chess.Square) -> bool:
    """A rook beside the king, which is at the edge, gives check, guarded by a bishop."""
    rook = _checker(board, chess.ROOK)
    return (
        rook is not None
        and king in _EDGES
        and chess.square_distance(rook, king) == 1
        and board.attackers(not board.turn, rook) & ~board.bishops == chess.SquareSet()
    )


def _is_pillsbury(board: chess.Board, king: chess.Square) -> bool:
    """A rook without a knight checks a king at the edge; bishops cover what the rook does not."""
    rook = _checker(board, chess.ROOK)
    edge = chess.BB_RANK_1 | chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H
    if (
        rook is None
        or not edge & chess.BB_SQUARES[king]
        or board.attackers(not board.turn, rook) & board.knights
    ):
        return False
    free = _around(king) & ~_covered(board, king, rook) & ~board.occupied_co[board.turn]
    bishops = board.pieces(chess.BISHOP, not board.turn) & ~board.attackers(not board.turn, rook)
    return bool(free) and all(any(square in board.attacks(bishop) for bishop in bishops) for square in free)


_MATES: dict[str, Callable[[chess.Board, chess.Square], bool]] = {
    "backRankMate": _is_back_rank,
    "smotheredMate": _is_smothered,
    "arabianMate": _is_arabian,
    "hookMate": _is_hook,
    "dovetailMate": _is_dovetail,
    "doubleBishopMate": _is_double_bishop,
    "bodenMate": _is_boden,
    "anastasiaMate": _is_anastasia,
    "operaMate": _is_opera,
    "pillsburysMate": _is_pillsbury,
}

_MOTIFS: tuple[Callable[[Line], Iterator[Motif]], ...] = (
    _hanging,
    _forks,
    _skewers,
    _pins,
    _discoveries,
    _trapped,
    _deflections,
    _attractions,
    _interferences,
    _intermezzi,
    _clearances,
    _x_rays,
    _removed_defenders,
    _promotions,
    _sacrifice,
    mates,
)


def motifs(line: Line) -> list[Motif]:
    """All motifs of a line, in the order of this file."""
    if not line.moves:
        return []
    return [motif for find in _MOTIFS for motif in find(line)]
