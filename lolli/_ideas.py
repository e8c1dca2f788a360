"""What the first move of a line threatens or does, and the rules of endings, as clauses of sentences."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import chess

from lolli import _texts as texts
from lolli._claims import (
    LEAST,
    MUCH,
    Counting,
    is_retaken,
    lead_of,
    leads_of,
    origin,
    proven_plies,
    settled_line,
    targets,
    winnings,
)
from lolli._motifs import Line, board_after, exchange, is_loose, is_trapped, value
from lolli._positions import is_recapture, move_words

_OPENING = 26  # pieces and pawns of a position where it matters to develop
_ENDING = 5  # pieces, without pawns, of one where the king belongs in the centre
_LIGHT = frozenset((chess.KNIGHT, chess.BISHOP))
_HOME = (chess.SquareSet(chess.BB_RANK_8), chess.SquareSet(chess.BB_RANK_1))
_START = chess.Board()
_CENTRE = chess.SquareSet(chess.BB_CENTER)


@dataclass(frozen=True, slots=True)
class Idea:
    """What a move does, as a clause; two are equal if to do the one is like doing the other."""

    kind: str
    about: Hashable
    text: str = field(compare=False)


def idea(kind: str, about: Hashable = None, **fields: Any) -> Idea:
    return Idea(kind, about, texts.IDEAS[kind].format(**fields))


# What the side that has moved threatens


def passed_of(board: chess.Board) -> chess.Board | None:
    """The board if the side to move passes; None if it is in check, or the game is over before or then."""
    if board.is_check() or board.is_game_over():
        return None
    passed = board_after(board, chess.Move.null())
    return None if passed.is_game_over() else passed


def mating_move(board: chess.Board) -> chess.Move | None:
    return next((move for move in board.legal_moves if _is_mate(board, move)), None)


def _is_mate(board: chess.Board, move: chess.Move) -> bool:
    if not board.gives_check(move):
        return False
    after = board_after(board, move)
    return after.is_checkmate()


def threats(line: Line, count: Counting, *, quiet: bool) -> Iterator[Idea]:
    """What the first move of a line threatens, if it cannot be taken itself, the weightiest first.

    That is mate, a new queen, a trapped piece, and if `quiet` two things at once, or a capture or other move
    that wins two pawns and could not before.
    """
    after, head = line.boards[1], line.moves[0].to_square
    is_taken = exchange(after, head, after.turn) or after.has_legal_en_passant()
    board = None if is_taken else passed_of(after)
    if board is None:
        return
    if (check := mating_move(board)) is not None:
        yield idea("threatens", check, threat=move_words(board, check))
    elif (check := _mating_check(board)) is not None:
        yield idea("threatens_mate", check, threat=move_words(board, check))
    if (promotion := _promotion(line.boards[0], board)) is not None:
        yield idea("threatens", promotion, threat=move_words(board, promotion))
    if (victim := _trapped(line, count)) is not None:
        yield idea("traps", victim, what=texts.piece_on(after, victim))
    if quiet:
        yield from double_attacks(line)
        capture = _threatened(line.boards[0], board, count)
        if capture is not None and not _is_evaded(line, capture.to_square):
            if capture.from_square == head:
                target = capture.to_square
                yield idea("attacks", (target,), what=texts.piece_on(after, target))
            else:
                yield idea("threatens", capture, threat=move_words(board, capture))
        elif not (line.moves[1:] and line.captured(1)):
            yield from _quiet_threats(line.boards[0], board, count)


def _mating_check(board: chess.Board) -> chess.Move | None:
    """A check after which each reply allows mate."""
    for move in board.legal_moves:
        if board.gives_check(move):
            checked = board_after(board, move)
            replies = [board_after(checked, reply) for reply in checked.legal_moves]
            if replies and all(mating_move(each) is not None for each in replies):
                return move
    return None


def _promotion(before: chess.Board, board: chess.Board) -> chess.Move | None:
    """A move to a new queen that nothing can take, and that was not possible before."""
    for move in board.generate_legal_moves(board.pawns):
        if move.promotion == chess.QUEEN and move not in before.legal_moves:
            after = board_after(board, move)
            if not after.attackers(after.turn, move.to_square):
                return move
    return None


def _trapped(line: Line, count: Counting) -> chess.Square | None:
    """A safe piece that a quiet first move traps, and that the line or a search for material then wins."""
    if line.captured(0):
        return None
    board, after = line.boards[:2]
    for victim in after.attacks(line.moves[0].to_square) & after.occupied_co[after.turn] & ~after.kings:
        if value(after, victim) > MUCH and not is_loose(board, victim) and is_trapped(after, victim):
            is_taken = len(line.moves) > 2 and origin(line, 2, line.moves[2].to_square) == victim
            if (is_taken and not is_retaken(line, 2)) or _is_lost(after, count):
                return victim
    return None


def _is_lost(board: chess.Board, count: Counting) -> bool:
    """Whether the side to move loses two pawns at least."""
    forced = count(board)[0]
    return forced is not None and forced / 100 - lead_of(board, board.turn) <= -MUCH


def _threatened(before: chess.Board, board: chess.Board, count: Counting) -> chess.Move | None:
    """A capture that wins two pawns, did not before, and whose target does not attack the attacker, too."""
    gains = {each: exchange(board, each, board.turn) for each in targets(board)}
    new = [each for each in gains if exchange(before, each, before.turn) < MUCH <= gains[each]]
    if not new:
        return None
    target = max(new, key=gains.__getitem__)
    captures = board.generate_legal_captures(to_mask=chess.BB_SQUARES[target])
    capture = min(captures, key=lambda each: value(board, each.from_square), default=None)
    if capture is None or _takes_back(board, capture.from_square, capture.to_square):
        return None
    after = board_after(board, capture)
    won = None if after.is_game_over() else count(after)[0]
    is_won = won is not None and -won / 100 - lead_of(board, board.turn) > MUCH * LEAST
    return capture if is_won else None


def _is_evaded(line: Line, target: chess.Square) -> bool:
    """Whether what is threatened moves away, and the line then takes something else for good."""
    moves = line.moves
    is_other = len(moves) > 2 and moves[1].from_square == target and moves[1].to_square != moves[2].to_square
    return is_other and line.captured(2) is not None and not is_retaken(line, 2)


def _quiet_threats(before: chess.Board, board: chess.Board, count: Counting) -> Iterator[Idea]:
    """A threat that takes nothing, and wins two pawns more than could be won before."""
    if any(exchange(board, each, board.turn) >= MUCH for each in targets(board)):
        return  # that is what is threatened
    won, moves = count(board)
    had = count(before)[0]
    if won is None or had is None or board.is_capture(moves[0]) or won - had < 100 * MUCH:
        return
    line = settled_line(board, moves, count)
    leads = leads_of(board, line)
    plies = proven_plies(line, leads, count)
    what, _ = winnings(board, line, plies)
    if what and leads[plies] >= MUCH:
        yield idea("threatens_to_win", moves[0], threat=move_words(board, moves[0]), what=what)


def _takes_back(board: chess.Board, attacker: chess.Square, target: chess.Square) -> bool:
    """Whether the target attacks its attacker, too, and is worth no more."""
    reach = board.attacks(target) & board.pin(not board.color_at(attacker), target)
    return attacker in reach and value(board, attacker) >= value(board, target)


# What a move does that wins nothing


def of(line: Line) -> Iterator[Idea]:
    """What the first move of a line takes or does to the other side, the weightiest first."""
    yield from _takings(line)
    yield from effects(line)


def takes_or_attacks(line: Line) -> Iterator[Idea]:
    yield from _takings(line)
    yield from attacks(line)


def _takings(line: Line) -> Iterator[Idea]:
    """What the first move of a line takes, if that is worth it, or that it recaptures."""
    board, move = line.boards[0], line.moves[0]
    square, is_plain = move.to_square, line.captured(0) and not board.is_en_passant(move)
    if is_recapture(board, move):
        yield Idea("takes", value(board, square), texts.IDEAS["retakes"])
    elif is_plain and exchange(board, square, line.solver) >= min(MUCH, value(board, square)):
        text, more = texts.IDEAS["takes"].format(what=texts.piece_on(board, square)), attacked_more(line)
        if more is not None:
            what = texts.piece_on(line.boards[1], more)
            text = texts.FACTS["attacking"].format(fact=text, what=what)
        yield Idea("takes", value(board, square), text)


def places(line: Line) -> Iterator[Idea]:
    """Why the first move of a line goes to its square, if it is no capture."""
    if line.boards[0].is_castling(line.moves[0]):
        if line.boards[0].pieces(chess.QUEEN, not line.solver):
            yield idea("castles")
    elif not line.captured(0):
        yield from _places(line)


def _places(line: Line) -> Iterator[Idea]:
    (board, after), tail, head = line.boards[:2], line.moves[0].from_square, line.moves[0].to_square
    kind, home = board.piece_type_at(tail), _HOME[line.solver]
    is_opening = chess.popcount(board.occupied) >= _OPENING
    is_home = tail in home and (board.chess960 or kind == _START.piece_type_at(tail))
    if is_opening and kind in _LIGHT and is_home and head not in home:
        yield idea("develops", what=texts.piece_on(board, tail))
    elif is_opening and kind == chess.PAWN and head in _CENTRE and tail not in _CENTRE:
        yield idea("centre")
    elif kind == chess.PAWN and _is_passed(after, head) and not is_loose(after, head):
        yield idea("advances" if _is_passed(board, tail) else "passes")
    elif kind == chess.ROOK and _is_open(board, head) and not _is_open(board, tail):
        yield idea("file", file=chess.FILE_NAMES[chess.square_file(head)])
    elif kind == chess.KING and _is_ending(board) and _from_centre(head) < _from_centre(tail):
        yield idea("king")


def _is_open(board: chess.Board, square: chess.Square) -> bool:
    """Whether there are no pawns on the file."""
    return not board.pawns & chess.BB_FILES[chess.square_file(square)]


def _is_ending(board: chess.Board) -> bool:
    return not board.queens and chess.popcount(board.occupied & ~board.pawns) <= _ENDING


def _from_centre(square: chess.Square) -> int:
    return min(chess.square_distance(square, each) for each in _CENTRE)


def attacks(line: Line) -> Iterator[Idea]:
    """What the first move of a line attacks: two at once, or one that the reply moves away or guards."""
    yield from _drives_from(line)
    yield from double_attacks(line)
    if len(line.moves) < 2 or _can_be_taken(line):
        return
    after = line.boards[1]
    if (victim := _pinned(line)) is not None:
        yield idea("pins", victim, what=texts.piece_on(after, victim))
    reply, least = line.moves[1].from_square, 2 if line.captured(0) else 1
    new = [each for each in attacked(line) if value(after, each) >= least]
    if (victim := _taken_after_check(line)) is not None:
        key = "attacks_with_check" if victim in after.attacks(line.moves[0].to_square) else "wins_by_check"
        yield idea(key, victim, what=texts.piece_on(after, victim))
    if new and after.is_check() and line.moves[2:] and line.moves[2].to_square == new[0]:
        yield idea("attacks_with_check", new[0], what=texts.piece_on(after, new[0]))
    elif _is_chased(line) and after.piece_type_at(reply) != chess.PAWN:
        yield idea("attacks", (reply,), what=texts.piece_on(after, reply))
    elif (
        len(new) == 1
        and reply != new[0]
        and not is_retaken(line, 0)
        and not after.is_check()
        and not exchange(line.boards[2], new[0], line.solver)
    ):
        yield idea("attacks", (new[0],), what=texts.piece_on(after, new[0]))


def _drives_from(line: Line) -> Iterator[Idea]:
    """That the first move attacks a guard, which moves away, so that what it guarded is taken."""
    victim, after = _left_by(line), line.boards[1]
    if victim is None or victim in after.attacks(line.moves[0].to_square) or _can_be_taken(line):
        return
    guard = line.moves[1].from_square
    if _is_chased(line) and after.piece_type_at(guard) != chess.PAWN:
        what, guarded = (texts.piece_on(after, each) for each in (guard, victim))
        yield idea("drives", victim, what=what, victim=guarded)


def double_attacks(line: Line) -> Iterator[Idea]:
    """The two that the first move of a line attacks at once, if it cannot be taken itself."""
    if len(line.moves) < 2 or _can_be_taken(line):
        return
    after = line.boards[1]
    both = sorted(attacked(line), key=lambda each: -value(after, each))[:2]
    if len(both) < 2 and _is_chased(line):
        behind = _behind(line)
        if behind is not None:
            front = texts.piece_on(after, line.moves[1].from_square)
            yield idea("skewers", behind, what=front, victim=texts.piece_on(after, behind))
        both = [line.moves[1].from_square, *_taken_instead(line)]
    if len(both) == 2 and (value(after, both[0]) > 1 or not line.captured(0)):
        yield idea("attacks", tuple(both), what=texts.pieces_on(after, both))


def attacked_more(line: Line) -> chess.Square | None:
    """The most valuable piece that a capture attacks, if it is worth more than what is captured."""
    after, taken = line.boards[1], value(line.boards[0], line.moves[0].to_square)
    more = (each for each in attacked(line) if value(after, each) > taken)
    return max(more, key=partial(value, after), default=None)


def each_attack(line: Line) -> Iterator[Idea]:
    for each in attacked(line):
        yield idea("attacks", (each,), what=texts.piece_on(line.boards[1], each))


def _can_be_taken(line: Line) -> bool:
    """Whether the piece that has moved is loose, and can be taken even if it gives check."""
    after, head = line.boards[1], line.moves[0].to_square
    if after.has_legal_en_passant():
        return True
    return is_loose(after, head) and any(move.to_square == head for move in after.legal_moves)


def attacked(line: Line) -> list[chess.Square]:
    """What can be won after the first move of a line by the piece that has moved, and could not before."""
    (board, after), us, head = line.boards[:2], line.solver, line.moves[0].to_square
    through = after.copy(stack=False)  # through pieces of its own side, but not through its pawns
    for own in after.attacks(head) & after.occupied_co[us] & ~after.pawns:
        through.remove_piece_at(own)
    theirs = through.attacks(head) & after.occupied_co[not us] & ~after.kings
    new = [each for each in theirs if exchange(after, each, us) > exchange(board, each, us)]
    return [each for each in new if not _takes_back(after, head, each)]


def _pinned(line: Line) -> chess.Square | None:
    """What the first move of a line pins to the king, if it is worth more than the piece that has moved."""
    (board, after), head = line.boards[:2], line.moves[0].to_square
    them = after.turn
    for victim in after.attacks(head) & after.occupied_co[them]:
        is_new = after.is_pinned(them, victim) and not board.is_pinned(them, victim)
        if is_new and value(after, victim) > value(after, head):
            return victim
    return None


def _taken_after_check(line: Line) -> chess.Square | None:
    """A piece that can be won after whatever answers the check of the first move."""
    after, us = line.boards[1], line.solver
    if not after.is_check():
        return None
    replies = [board_after(after, reply) for reply in after.legal_moves]
    if any(board.is_check() for board in replies):
        return None  # there may be no time to take
    targets = chess.SquareSet(after.occupied_co[not us] & ~after.kings & ~after.pawns)
    new = [each for each in targets if not exchange(line.boards[0], each, us)]
    by_itself = after.attacks(line.moves[0].to_square)

    def is_won(square: chess.Square) -> bool:
        least = MUCH if square in by_itself else max(MUCH, value(after, square) - 1)  # nearly all of it
        return all(exchange(board, square, us) >= least for board in replies)

    return max(filter(is_won, new), key=lambda each: value(after, each), default=None)


def is_met(line: Line, attack: Idea) -> bool:
    """Whether the one piece that the first move attacks moves away, or the reply takes something."""
    is_one = attack.kind == "attacks" and attack.about == (line.moves[1].from_square,)
    return is_one or line.captured(1) is not None


def _is_chased(line: Line) -> bool:
    """Whether the reply moves away a piece, not the king, that the first move has attacked."""
    (board, after), head, reply = line.boards[:2], line.moves[0].to_square, line.moves[1].from_square
    is_new = reply in after.attacks(head) and is_loose(after, reply) and not is_loose(board, reply)
    is_away = not is_retaken(line, 0) and after.piece_type_at(reply) != chess.KING
    return is_new and is_away and not _takes_back(after, head, reply)


def _behind(line: Line) -> chess.Square | None:
    """What can be taken by the piece that has moved once the one that it attacks is gone."""
    after, head, front = line.boards[1], line.moves[0].to_square, line.moves[1].from_square
    without = after.copy(stack=False)
    without.remove_piece_at(front)
    new = without.attacks(head) & without.occupied_co[after.turn] & ~after.attacks(head) & ~after.kings
    won = (each for each in new if exchange(without, each, line.solver) >= MUCH)
    return max(won, key=lambda each: value(after, each), default=None)


def _taken_instead(line: Line) -> Iterator[chess.Square]:
    """What the piece that has moved attacks, too, and is taken after the other one has moved away."""
    if len(line.moves) > 2 and line.captured(2):
        (first, reply, taking), board = line.moves[:3], line.boards[2]
        target = taking.to_square
        is_worth_it = not is_retaken(line, 2) or value(board, taking.from_square) <= value(board, target)
        is_attacked = target in line.boards[1].attacks(first.to_square)
        if is_attacked and target != reply.to_square and is_worth_it:
            yield target


def _left_by(line: Line) -> chess.Square | None:
    """What the reply no longer guards, and the solver then takes for good."""
    if len(line.moves) < 3 or not line.captured(2) or is_retaken(line, 2):
        return None
    target, reply = line.moves[2].to_square, line.moves[1]
    guards = line.boards[1].attackers(not line.solver, target)
    return target if reply.from_square in guards and target != reply.to_square else None


def effects(line: Line) -> Iterator[Idea]:
    """What the first move of a line does to the other side, most of it as its reply shows."""
    if len(line.moves) < 2:
        return
    yield from attacks(line)
    (board, after, end), (head, reply) = line.boards[:3], (line.moves[0].to_square, line.moves[1])
    them, kind = not line.solver, after.piece_type_at(reply.from_square)
    pawns = end.pieces_mask(chess.PAWN, them) & chess.BB_FILES[chess.square_file(head)]
    by_others = any(after.generate_legal_moves(~after.pawns, chess.BB_SQUARES[head]))
    stay = len(line.moves) < 3 or line.moves[2].to_square != head
    is_taken = reply.to_square == head and line.captured(0) and stay
    before = board.pieces_mask(chess.PAWN, them) & chess.BB_FILES[chess.square_file(head)]
    if is_taken and chess.popcount(pawns) > max(1, chess.popcount(before)) and not by_others:
        yield idea("doubles", side=texts.SIDES[them])
    loses = board.has_castling_rights(them) and not end.has_castling_rights(them)
    must_move = kind == chess.KING and not any(after.generate_legal_moves(~after.kings))
    if loses and must_move and after.is_check() and end.queens:
        yield idea("uncastles", side=texts.SIDES[them])


def _is_passed(board: chess.Board, square: chess.Square) -> bool:
    """Whether no pawn of the other side can stop or take this pawn on its way."""
    color, file, rank = board.color_at(square), chess.square_file(square), chess.square_rank(square)
    pawns = (
        (chess.square_file(each), chess.square_rank(each)) for each in board.pieces(chess.PAWN, not color)
    )
    return not any(abs(x - file) < 2 and (y > rank if color else y < rank) for x, y in pawns)


# Endings


def uncaught(board: chess.Board) -> chess.Square | None:
    """A passed pawn of the side that has moved, if the other has pawns alone and its king is too far away."""
    us, king = not board.turn, next(iter(board.pieces(chess.KING, board.turn)))
    if board.occupied_co[board.turn] & ~board.pawns & ~board.kings:
        return None
    for pawn in board.pieces(chess.PAWN, us):
        goal = chess.square(chess.square_file(pawn), 7 if us else 0)
        way = chess.between(pawn, goal) | chess.BB_SQUARES[goal]
        steps = min(chess.popcount(way), 5)  # the first may be two squares
        is_far = chess.square_distance(king, goal) > steps + 1 and chess.square_distance(king, pawn) > 1
        if is_far and not way & board.occupied and _is_passed(board, pawn):
            return pawn
    return None


def uncovered(board: chess.Board, color: chess.Color) -> chess.Square | None:
    """The corner where all pawns of a side promote, if its only pieces are bishops of the other colour."""
    own = board.occupied_co[color] & ~board.kings
    for goal in (chess.A8, chess.H8) if color else (chess.A1, chess.H1):
        pawns, light = (
            own & board.pawns & chess.BB_FILES[chess.square_file(goal)],
            goal in {chess.A8, chess.H1},
        )
        bishops = own & board.bishops & (chess.BB_DARK_SQUARES if light else chess.BB_LIGHT_SQUARES)
        if pawns and bishops and own == pawns | bishops and not board.occupied_co[not color] & ~board.kings:
            return goal
    return None


def opposition(line: Line) -> Idea | None:
    """That the first move takes the opposition, with one pawn left."""
    board, head = line.boards[1], line.moves[0].to_square
    other = next(iter(board.pieces(chess.KING, board.turn)))
    is_facing = chess.square_distance(head, other) == 2 and abs(head - other) in {2, 16}
    is_facing = is_facing and not chess.between(head, other) & board.occupied
    bare = board.occupied == board.kings | board.pawns and chess.popcount(board.pawns) == 1
    return idea("opposition") if is_facing and bare and board.kings & chess.BB_SQUARES[head] else None
