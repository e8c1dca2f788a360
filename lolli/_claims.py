"""What a line wins: facts of its boards, as text and as clauses of sentences.

Material is counted in pawns, from the side of the solver, who is to move first. Nothing here knows a score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import chess

from lolli import _texts as texts
from lolli._motifs import (
    VALUES,
    Line,
    Motif,
    board_after,
    exchange,
    is_defended,
    material,
    motifs,
    value,
)
from lolli._positions import move_words

_LONGEST_LINE = 12  # plies of a line that are looked at
SHOWN = 7  # plies of a line that are said; what comes later is not claimed
TELLING = 3  # plies of a refutation, of which the motifs are told
LEAST = 0.8  # pawns; less is not a pawn
MUCH = 2  # pawns; a greater loss is always the reason
_LONG = 5  # from this many plies on the line is told beside its motif
_MOST = 0.5  # of a gain must come within SHOWN plies
MAINLY = 0.65  # of it is enough to be told, if the rest comes later
_LIKE = {chess.KNIGHT: chess.BISHOP}
_IN_EXCHANGE = frozenset((chess.ROOK, chess.BISHOP, chess.PAWN))

Counting = Callable[[chess.Board], tuple[int | None, Sequence[chess.Move]]]
"""The material that the side to move comes out with, in centipawns, and the line; None for a mate."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What the solver of a line wins: its name, its worth, the plies to show, the square of its main piece.

    With `promoted` it is a pawn of the solver that promotes. `unless`: the recapture of the first move and
    the reply that refutes it.
    """

    what: str
    pawns: int
    plies: int
    square: chess.Square
    motif: Motif | None
    promoted: bool = False
    unless: Line | None = None


# Lines as text


def line_text(line: Line, plies: int) -> str:
    """The first moves of a line; after SHOWN plies only what takes back."""
    plies = max(1, min(plies, SHOWN + 1, len(line.moves)))
    parts = []
    for ply in range(plies):
        board, move = line.boards[ply], line.moves[ply]
        parts.append(move_words(board, move) if ply == 0 or board.turn else board.san(move))
    return " ".join(parts)


def clause_of(line: Line, motif: Motif | None, plies: int) -> str:
    """The motif of a line as a clause; its moves where no clause fits."""
    template = texts.CLAUSES.get(motif.name) if motif is not None and motif.ply == 0 else None
    after = line.boards[1]
    if motif is None or template is None or (motif.name == "intermezzo" and not after.is_check()):
        return line_text(line, plies)
    squares, mover = motif.squares, line.moves[0].to_square
    if motif.name == "trappedPiece" and squares[1] not in after.attacks(mover):
        return line_text(line, plies)
    if motif.name == "skewer" and squares[0] != mover:
        return line_text(line, plies)
    if _was_pinned(line, motif) or (
        motif.name == "capturingDefender" and _is_still_defended(line, squares[1])
    ):
        return line_text(line, plies)
    names = [texts.piece_on(after, square) for square in squares]
    fields = {"move": _first(line) if motif.name in _TWOFOLD else move_words(line.boards[0], line.moves[0])}
    if motif.name == "fork":
        ordered = sorted(squares[1:], key=lambda each: -VALUES[after.piece_type_at(each) or 0])
        fields["targets"] = texts.pieces_on(after, ordered)
    elif motif.name == "attraction":
        guard = texts.piece_on(after, line.moves[1].from_square)
        fields |= {"guard": guard, "square": chess.square_name(squares[1])}
    elif motif.name == "intermezzo":
        fields["square"] = chess.square_name(squares[1])
    else:
        fields |= dict(zip(_ROLES.get(motif.name, ()), names, strict=False))
    clause = template.format(**fields)
    return clause if plies < _LONG else texts.LINE.format(clause=clause, line=line_text(line, plies))


def _first(line: Line) -> str:
    """The first move of a line, with the piece that it captures if that is more than a pawn."""
    move, taken = move_words(line.boards[0], line.moves[0]), line.captured(0)
    if taken is None or taken.piece_type == chess.PAWN:
        return move
    return texts.AND.format(move=move, what=texts.piece_on(line.boards[0], line.moves[0].to_square))


_ROLES = {
    "skewer": ("actor", "front", "back"),
    "pin": ("actor", "pinned"),
    "trappedPiece": ("actor", "victim"),
    "discoveredAttack": ("actor", "victim"),
    "deflection": ("actor", "guard", "victim"),
    "capturingDefender": ("actor", "victim"),
}  # what the squares of a motif are called in its clause


# What a line wins


def settled_line(board: chess.Board, moves: Sequence[chess.Move], count: Counting) -> Line:
    """The line, continued by the exchanges that a search for material finds at its end."""
    line = Line(board, moves[:_LONGEST_LINE])
    end = line.boards[-1]
    if end.is_game_over() or _is_quiet(end):
        return line
    value, more = count(end)
    if value is None:
        return line
    longer = Line(board, (*line.moves, *more))
    for ply in range(len(line.moves), len(longer.boards)):
        if abs(value / 100 - lead_of(longer.boards[ply], end.turn)) < LEAST:
            return Line(board, longer.moves[:ply])
    return line


def _is_quiet(board: chess.Board) -> bool:
    """Whether there is no check, and nothing to be won by taking on one square."""
    return not board.is_check() and not any(exchange(board, each, board.turn) for each in targets(board))


def targets(board: chess.Board) -> chess.SquareSet:
    """What the side to move may take."""
    return chess.SquareSet(board.occupied_co[not board.turn] & ~board.kings)


def lead_of(board: chess.Board, color: chess.Color) -> int:
    """The material lead of a side, in pawns."""
    return material(board, color) - material(board, not color)


def leads_of(baseline: chess.Board, line: Line) -> list[int]:
    """The solver's gain in pawns on each board of a line, relative to `baseline`."""
    start = lead_of(baseline, line.solver)
    return [lead_of(board, line.solver) - start for board in line.boards]


def _lost(before: chess.Board, after: chess.Board, color: chess.Color) -> Counter[chess.PieceType]:
    """Pieces of a side that are gone, knights as bishops; a promoted pawn is neither gone nor new."""
    kinds = range(chess.PAWN, chess.KING)
    gone = Counter({kind: len(before.pieces(kind, color)) - len(after.pieces(kind, color)) for kind in kinds})
    while gone[chess.PAWN] > 0 and (new := [kind for kind in kinds if gone[kind] < 0]):
        gone[chess.PAWN] -= 1
        gone[new[0]] += 1
    gone[chess.BISHOP] += gone.pop(chess.KNIGHT)
    return gone


def _what(lost: Counter[chess.PieceType], gained: Counter[chess.PieceType], named: str | None) -> str:
    """A name for a trade that loses. `named` is the piece that is lost, if it is known."""
    if lost[chess.ROOK] == gained[chess.BISHOP] == 1 and not {*lost, *gained} - _IN_EXCHANGE:
        pawns = _pieces(Counter({chess.PAWN: lost[chess.PAWN] + gained[chess.PAWN]}))
        key = "exchange_for_pawns" if gained[chess.PAWN] else "exchange_and_pawns" if pawns else "exchange"
        return texts.WHAT[key].format(pawns=pawns)
    name = named if named is not None and lost.total() == 1 else _pieces(lost)
    return texts.WHAT["for"].format(lost=name, gained=_pieces(gained)) if gained else name


def _pieces(pieces: Counter[chess.PieceType]) -> str:
    """`a rook and two pawns`; empty for none."""
    names = []
    for kind in sorted(+pieces, reverse=True):
        number = pieces[kind]
        if number > 1:
            key = "minors" if kind == chess.BISHOP else "several"
        else:
            key = {chess.BISHOP: "minor", chess.QUEEN: "only"}.get(kind, "one")
        names.append(texts.WHAT[key].format(count=texts.COUNTS.get(number), piece=texts.PIECES[kind]))
    return texts.listed(names) if names else ""


_ORDER = (
    *("doubleCheck", "discoveredCheck", "hangingPiece", "skewer", "fork", "trappedPiece", "discoveredAttack"),
    *("capturingDefender", "deflection", "pin", "attraction", "intermezzo"),
)  # the most specific first

_TWOFOLD = frozenset(("fork", "skewer", "pin", "discoveredAttack"))

_CERTAIN = frozenset(("skewer", "trappedPiece", "pin", "discoveredCheck", "doubleCheck"))


def gain_of(baseline: chess.Board, settled: Line, forced: float, count: Counting) -> Gain | None:
    """What the solver of a settled line wins, compared with `baseline`: not more than `forced`, in pawns.

    None if that is less than a pawn, or mostly taken too late to be shown, or can perhaps be taken back.
    """
    leads = leads_of(baseline, settled)
    most = min(leads[-1], round(forced))
    quiet = [ply for ply in range(len(leads)) if _is_quiet_at(settled, ply)]
    kept = {ply: min(most, *(leads[each] for each in quiet if each >= ply)) for ply in quiet if ply <= SHOWN}
    highest = max(kept.values(), default=0)
    if highest < max(1, most * _MOST):
        return None
    pawns = next(each for each in kept.values() if each >= MAINLY * highest)
    lasting = [ply for ply in kept if kept[ply] == pawns]
    is_all = leads[lasting[0]] == leads[-1]  # that the line wins
    end = lasting[0] if is_all else next((ply for ply in lasting if leads[ply] == pawns), lasting[0])
    line, settled = settled, Line(settled.boards[0], settled.moves[:end])
    after, winner = settled.boards[-1], settled.solver
    promotion = next((ply for ply in settled.own() if settled.moves[ply].promotion), None)
    if promotion is not None and not is_retaken(settled, promotion):
        square = origin(settled, promotion, settled.moves[promotion].from_square)
        return Gain(texts.WHAT["material"], pawns, promotion + 1, square, None, promoted=True)
    net = _net(baseline, after, winner)
    lost, gained = +net, -net
    if set(gained) == {chess.PAWN} and _is_won_back(line, end):
        gained.clear()
    victim = next((found for kind in sorted(lost, reverse=True) if (found := _victim(settled, kind))), None)
    if victim is None:
        return None
    ply, square = victim
    motif = _guard_taken(settled, ply) or _shown(settled, ply, square)
    if leads[end] - pawns > max(pawns // 4, pawns > 1):
        return None  # too much of it is won back
    is_free = exchange(settled.boards[ply], settled.moves[ply].to_square, winner) > 0
    is_kept = all(leads[each] >= pawns for each in quiet if ply < each <= end)
    at_once = is_free and leads[ply + 1] == pawns and is_kept and not is_retaken(settled, ply)
    plies = ply + 1 if at_once else _last_change(settled)
    unless = refuted_retaking(line, count, pawns) if plies == 1 else None
    if plies == 1 and not is_free and not unless:
        return None
    certain = ply == 0 or (motif is not None and (motif.name in _CERTAIN or _with_king(settled, motif)))
    alone = sum(settled.captured(each) is not None for each in range(0, plies, 2)) == 1
    taken = settled.captured(ply)
    is_same = taken is not None and taken.piece_type == settled.boards[0].piece_type_at(square)
    is_named = is_same and certain and alone and (unless is None or unless.balance(2) <= unless.balance(0))
    what = _what(lost, gained, texts.piece_on(settled.boards[0], square) if is_named else None)
    return Gain(what, pawns, plies, square, motif, unless=unless)


def _is_won_back(line: Line, end: int) -> bool:
    """Whether what has taken something in the first plies of a line is itself taken later."""
    takers = {line.moves[ply].to_square for ply in range(1, end, 2) if line.captured(ply)}
    later = range(end + end % 2, len(line.moves), 2)
    return any(line.captured(ply) and line.moves[ply].to_square in takers for ply in later)


def is_retaken(line: Line, ply: int) -> bool:
    """Whether the piece that has moved is taken by the next move."""
    return ply + 1 < len(line.moves) and line.moves[ply].to_square == line.moves[ply + 1].to_square


def _last_change(line: Line) -> int:
    """The plies up to the last capture or promotion."""
    return max(ply for ply, move in enumerate(line.moves) if line.captured(ply) or move.promotion) + 1


def is_undefended(gain: Gain, line: Line) -> bool:
    """Whether just one piece is won, and it is named, and undefended."""
    named = gain.what == texts.piece_on(line.boards[0], gain.square)
    return named and gain.motif is not None and gain.motif.name == "hangingPiece"


def _with_king(line: Line, motif: Motif) -> bool:
    """Whether the king is one of two pieces that are forked, so that the other one is lost."""
    king = line.boards[motif.ply + 1].king(not line.solver)
    return motif.name == "fork" and king in motif.squares and len(motif.squares) == 3


def _victim(line: Line, kind: chess.PieceType) -> tuple[int, chess.Square] | None:
    """The first capture of such a piece that is not a trade: its ply, and where the piece was at first."""
    for ply in line.own():
        taken = line.captured(ply)
        if taken is None or _LIKE.get(taken.piece_type, taken.piece_type) != kind:
            continue
        move = line.moves[ply]
        if is_retaken(line, ply):
            spent = line.captured(ply + 1)
            if spent is not None and VALUES[spent.piece_type] >= VALUES[kind]:
                continue
        square = move.to_square
        if line.boards[ply].is_en_passant(move):
            square += -8 if line.boards[ply].turn else 8
        return ply, origin(line, ply, square)
    return None


def origin(line: Line, ply: int, square: chess.Square) -> chess.Square:
    """Where the piece that is on a square before a ply was at the beginning of the line."""
    for earlier in range(ply - 1, -1, -1):
        if line.moves[earlier].to_square == square:
            square = line.moves[earlier].from_square
    return square


def _shown(line: Line, ply: int, square: chess.Square) -> Motif | None:
    """The most specific motif by which the piece that was on a square is taken at a ply."""
    target = line.moves[ply].to_square
    found = [
        motif
        for motif in motifs(Line(line.boards[0], line.moves[: ply + 1]))
        if motif.name in _ORDER and _takes_part(line, motif, ply, {square, target})
    ]
    return min(found, key=lambda motif: (motif.ply > 0, _ORDER.index(motif.name)), default=None)


def _guard_taken(line: Line, ply: int) -> Motif | None:
    """What the second of two moves takes was guarded by what the first one took, and is then unguarded."""
    target, guard = line.moves[ply].to_square, line.moves[0].to_square
    taken = ply == 2 and line.captured(0) is not None and line.moves[1].to_square == guard
    if not taken or guard not in line.boards[0].attackers(not line.solver, target):
        return None
    return None if _is_still_defended(line, target) else Motif("capturingDefender", 0, (guard, target))


def _is_still_defended(line: Line, target: chess.Square) -> bool:
    """Whether the target is defended after some recapture on the first move's square."""
    after, square = line.boards[1], line.moves[0].to_square
    retaking = after.generate_legal_moves(to_mask=chess.BB_SQUARES[square])
    return any(is_defended(board_after(after, move), target) for move in retaking)


def _takes_part(line: Line, motif: Motif, ply: int, squares: set[chess.Square]) -> bool:
    if motif.name in {"doubleCheck", "discoveredCheck"}:
        by = line.moves[ply].from_square
        return motif.ply == ply or (motif.ply == ply - 2 and by == line.moves[motif.ply].to_square)
    if motif.name == "attraction":
        return motif.ply >= ply - 4
    return bool(squares & set(motif.squares)) and motif.ply >= ply - 2


def twofold(line: Line) -> Motif | None:
    """The fork, pin, skewer or discovered attack of the first move that wins a piece with the second."""
    taken = line.captured(2) if len(line.moves) > 2 else None
    if taken is None or taken.piece_type == chess.PAWN:
        return None
    if line.balance(min(4, len(line.moves))) <= line.balance(0):
        return None
    motif = _shown(line, 2, origin(line, 2, line.moves[2].to_square))
    if motif is None or motif.name not in _TWOFOLD or motif.ply > 0:
        return None
    if motif.name == "skewer" and motif.squares[0] != line.moves[0].to_square:
        return None
    return None if _was_pinned(line, motif) else motif


def _was_pinned(line: Line, motif: Motif) -> bool:
    """Whether the motif is the pin of a piece that was pinned before."""
    return motif.name == "pin" and line.boards[0].is_pinned(not line.solver, motif.squares[1])


def soon(line: Line, leads: Sequence[int]) -> int:
    """The lead on the last board within SHOWN plies where nothing is just being taken."""
    return next(leads[ply] for ply in range(min(SHOWN, len(leads) - 1), -1, -1) if _is_quiet_at(line, ply))


def _is_quiet_at(line: Line, ply: int) -> bool:
    return ply in {0, len(line.moves)} or not line.captured(ply)


def _gains(line: Line, leads: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Where the solver takes something for good: its ply, the plies with the retaking, the pawns kept."""
    quiet = [ply for ply in range(1, len(leads)) if _is_quiet_at(line, ply)]
    for ply in line.own():
        plies = ply + 2 if is_retaken(line, ply) else ply + 1
        goes_on = plies % 2 == 0 and plies < len(line.moves) and line.captured(plies)
        if ply < SHOWN and not goes_on and (line.captured(ply) or line.moves[ply].promotion):
            won = min(leads[plies], *(leads[each] for each in quiet if each >= plies))
            if won >= max(1, leads[plies] - max(1, leads[plies] // 4)):
                yield ply, plies, won


def telling_plies(baseline: chess.Board, line: Line, least: int = 1) -> int:
    """The plies of a line up to its first gain of `least` pawns; else 1.

    If any pawn will do, and the second move takes or gives check, that is told.
    """
    gains = _gains(line, leads_of(baseline, line))
    if gain := next((plies for ply, plies, won in gains if ply < _LONG and won >= least), 0):
        return gain
    is_sharp = len(line.moves) >= TELLING and (line.captured(2) or line.boards[TELLING].is_check())
    return TELLING if is_sharp and least == 1 else 1


def winning_plies(line: Line, leads: Sequence[int], count: Counting) -> int:
    """The plies in which the solver wins most of its material for good; 0 if that is not certain."""
    kept = {}
    for ply, plies, won in _gains(line, leads):
        is_driven = won >= MUCH and (ply < TELLING or (ply < _LONG and _drives(line, ply)))
        certain = ply + 2 if is_forced(line, plies) else ply
        if (certain > ply or is_driven) and _is_sure(line, certain, won - leads[0], count):
            kept[plies] = won
    return _first_of_most(kept)


def proven_plies(line: Line, leads: Sequence[int], count: Counting) -> int:
    """Like `winning_plies`, if a search for material agrees before each reply and after the gain."""
    kept = {
        plies: won
        for ply, plies, won in _gains(line, leads)
        if ply < _LONG
        and not exchange(line.boards[plies], line.moves[ply].to_square, not line.solver)
        and all(_is_sure(line, each, won - leads[0], count) for each in range(2, ply + 3, 2))
    }
    return _first_of_most(kept)


def _first_of_most(kept: dict[int, int]) -> int:
    """The fewest plies that win most of it, with what the next move takes in addition; 0 for none."""
    plies = next((plies for plies, won in kept.items() if won >= MAINLY * max(kept.values())), 0)
    for more, won in kept.items():
        if plies < more <= plies + 2 and won > kept[plies]:
            plies = more
    return plies


def _is_sure(line: Line, ply: int, won: int, count: Counting) -> bool:
    """Whether a search for material wins most of these pawns, too, from the reply before a ply on."""
    board = line.boards[ply - 1]
    if board.is_game_over():
        return board.is_checkmate()
    forced = count(board)[0]
    return forced is not None and -forced / 100 - lead_of(line.boards[0], line.solver) >= MAINLY * won


def is_forced(line: Line, plies: int) -> bool:
    """Whether each reply of the other side answers a check or takes back, or none has more than pawns."""
    bare = line.boards[0].occupied == line.boards[0].pawns | line.boards[0].kings
    return bare or all(
        line.boards[ply].is_check() or line.moves[ply].to_square == line.moves[ply - 1].to_square
        for ply in range(1, plies, 2)
    )


def _drives(line: Line, plies: int) -> bool:
    """Whether each move of the solver in the first `plies` plies gives check, takes, or attacks a piece."""
    return all(
        line.boards[ply + 1].is_check()
        or line.captured(ply)
        or any(
            exchange(line.boards[ply + 1], each, line.solver) >= MUCH
            for each in line.boards[ply + 1].attacks(line.moves[ply].to_square)
        )
        for ply in range(0, plies, 2)
    )


def promoting(line: Line) -> chess.Square | None:
    """Where, after the first move, the solver's pawn stands that soon promotes and is not taken at once."""
    ply = next((ply for ply in line.own() if ply and line.moves[ply].promotion), None)
    if ply is None or ply >= SHOWN or is_retaken(line, ply):
        return None
    rest = Line(line.boards[1], line.moves[1:])
    return origin(rest, ply - 1, line.moves[ply].from_square)


def _net(before: chess.Board, after: chess.Board, winner: chess.Color) -> Counter[chess.PieceType]:
    """The pieces that a side has won; those that it has lost are below zero."""
    net = _lost(before, after, not winner)
    net.subtract(_lost(before, after, winner))
    return net


def winnings(baseline: chess.Board, line: Line, plies: int) -> tuple[str, bool]:
    """The material that the solver has won after `plies` plies of a line, and whether it is but pawns."""
    net = _net(baseline, line.boards[plies], line.solver)
    return _what(+net, -net, None) if +net else "", set(+net) == {chess.PAWN}


def surplus(baseline: chess.Board, line: Line, plies: int, other: Line) -> tuple[str, bool]:
    """The same, less what the solver has won at the end of the other line; empty if that is not all less."""
    net = _net(baseline, line.boards[plies], line.solver)
    net.subtract(_net(baseline, other.boards[-1], line.solver))
    return _pieces(+net) if not -net else "", set(+net) == {chess.PAWN}


def refuted_retaking(line: Line, count: Counting, worth: int) -> Line | None:
    """The cheapest recapture of the first move, and what refutes it, after trades there; else None."""
    after, square = line.boards[1], line.moves[0].to_square
    guards = after.generate_legal_moves(to_mask=chess.BB_SQUARES[square])
    retaking = min(guards, key=lambda each: value(after, each.from_square), default=None)
    if retaking is None or is_retaken(line, 0):
        return None
    retaken = board_after(after, retaking)
    if retaken.is_game_over():
        return None
    won, moves = count(retaken)
    plies = 1
    while plies < len(moves) and moves[plies - 1].to_square == moves[plies].to_square == square:
        plies += 2
    refuted = Line(after, (retaking, *moves[:plies]))
    if won is None:
        return refuted if refuted.boards[-1].is_checkmate() else None
    return refuted if won / 100 - lead_of(line.boards[0], line.solver) >= worth - 1 + LEAST else None
