"""Why a move is bad or good: facts that the boards and lines of searches prove, and sentences that say them.

Material is claimed only where two kinds of search agree: the best line of the engine, to its quiet end, and a
search that counts material alone, so that nothing counts that a side gives away of its own accord. Both are
compared with the better move: what is also so after that is no reason. Of an evaluation only its class is
said: no numbers, and nothing where the game is decided either way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import chess
from chess.engine import Cp, Score

from lolli import _texts as texts
from lolli._motifs import VALUES, Line, Motif, exchange, is_loose, material, motifs, value
from lolli._positions import is_recapture, move_words

LONGEST_LINE = 12
"""Plies of a line that are looked at."""
_SHOWN = 7  # plies of a line that are said; what comes later is not claimed
_LONG = 5  # plies of a line that is told beside its motif
_LEAST = 0.8  # pawns; less is not a pawn
_MOST = 0.5  # of a gain is to be seen within the plies that are said
_MAINLY = 0.65  # of it is all that is said, if the rest follows later
_ALSO = 0.35  # of a loss may follow from the better move, too
_WON, _BETTER, _SLIGHT, _LEVEL = 300, 100, 70, 50  # centipawns; at 100 every second game is won
_SURELY, _PLAIN = 120, 200  # well inside those, as engines differ; a loss that wants a plain reason
_FAR_AHEAD, _LOST = 450, 400  # from there on the game is decided
_DECIDED, _SHARE = 250, 0.38  # centipawns that tell moves apart then, and the part of a lesser score
_WITH_MORE = frozenset(("allows mate", "loses material"))
_TELLING = 3  # plies of a refutation, of which the motifs are told
_BOUND = 1000  # centipawns; higher scores are as good
_FEW, _SHARPER = 13, 1.5  # pieces and pawns of an endgame, and the factor of its scores
_LOWEST, _ENOUGH, _MORE = 60, 150, 325  # centipawns: least for each pawn, enough for any loss, most for each
_MUCH = 2  # pawns; nothing that a move costs besides makes a greater loss beside the point
_FEW_MOVES = 6  # that are tried for zugzwang
_FAR_MATE = 8  # moves; nobody learns from one that is farther away
_OPENING = 26  # pieces and pawns of a position where it matters to develop
_LIGHT = frozenset((chess.KNIGHT, chess.BISHOP))
_HOME = (chess.SquareSet(chess.BB_RANK_8), chess.SquareSet(chess.BB_RANK_1))
_CENTRE = chess.SquareSet(chess.BB_CENTER)
_LIKE = {chess.KNIGHT: chess.BISHOP}
_IN_EXCHANGE = frozenset((chess.ROOK, chess.BISHOP, chess.PAWN))

Counting = Callable[[chess.Board], tuple[int | None, Sequence[chess.Move]]]
"""The material that the side to move comes out with, in centipawns, and the line; None for a mate."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a search says of a position: White's score, and the best line."""

    score: Score
    line: tuple[chess.Move, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence about a move; `more` says what the better move does.

    `motifs` has Lichess's names: of the refutation of a bad move, or of the idea of a good one. `arrows` are
    pairs of squares on the board after the move. `facts` are for machines.
    """

    text: str
    more: str = ""
    motifs: frozenset[str] = frozenset()
    arrows: tuple[tuple[chess.Square, chess.Square], ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def paragraph(self) -> str:
        """All that is said."""
        return f"{self.text} {self.more}".strip()


@dataclass(frozen=True, slots=True)
class _Gain:
    """What the solver of a line wins: its name, its worth, the plies to show, the square of its main piece.

    With `promoted` it is a pawn of the solver that promotes.
    """

    what: str
    pawns: int
    plies: int
    square: chess.Square
    motif: Motif | None
    promoted: bool = False


# Moves as text


def _line_text(line: Line, plies: int) -> str:
    """The first moves of a line, the last of them the solver's."""
    plies = max(1, min(plies, _SHOWN, len(line.moves)))
    parts = []
    for ply in range(plies):
        board, move = line.boards[ply], line.moves[ply]
        parts.append(move_words(board, move) if ply == 0 or board.turn else board.san(move))
    return " ".join(parts)


# What is won in a line


def _settled(board: chess.Board, moves: Sequence[chess.Move], count: Counting) -> Line:
    """The line, continued by the exchanges that a search for material finds at its end."""
    line = Line(board, moves[:LONGEST_LINE])
    end = line.boards[-1]
    if end.is_game_over() or _is_quiet(end):
        return line
    value, more = count(end)
    if value is None:
        return line
    longer = Line(board, (*line.moves, *more))
    for ply in range(len(line.moves), len(longer.boards)):
        if abs(value / 100 - _lead(longer.boards[ply], end.turn)) < _LEAST:
            return Line(board, longer.moves[:ply])
    return line


def _is_quiet(board: chess.Board) -> bool:
    """Whether there is no check, and nothing to be won by taking on one square."""
    targets = chess.SquareSet(board.occupied_co[not board.turn] & ~board.kings)
    return not board.is_check() and not any(exchange(board, each, board.turn) for each in targets)


def _lead(board: chess.Board, color: chess.Color) -> int:
    """In material, in pawns."""
    return material(board, color) - material(board, not color)


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


def _gain(baseline: chess.Board, settled: Line, forced: float) -> _Gain | None:
    """What the solver of a settled line wins, compared with `baseline`: not more than `forced`, in pawns.

    None if that is less than a pawn, or mostly taken too late to be shown.
    """
    leads = _leads(baseline, settled)
    most = min(leads[-1], round(forced))
    quiet = [ply for ply in range(len(leads)) if ply + 1 == len(leads) or not settled.captured(ply)]
    kept = {ply: min(most, *(leads[each] for each in quiet if each >= ply)) for ply in quiet if ply <= _SHOWN}
    highest = max(kept.values(), default=0)
    if highest < max(1, most * _MOST):
        return None
    pawns = next(each for each in kept.values() if each >= _MAINLY * highest)
    lasting = [ply for ply in kept if kept[ply] == pawns]
    end = next((ply for ply in lasting if leads[ply] == pawns), lasting[0])
    settled = Line(settled.boards[0], settled.moves[:end])
    after, winner = settled.boards[-1], settled.solver
    promotion = next((ply for ply in settled.own() if settled.moves[ply].promotion), None)
    if promotion is not None and not _is_retaken(settled, promotion):
        square = _origin(settled, promotion, settled.moves[promotion].from_square)
        return _Gain(texts.WHAT["material"], pawns, promotion + 1, square, None, promoted=True)
    taken, spent = _lost(baseline, after, not winner), _lost(baseline, after, winner)
    lost, gained = taken - spent, spent - taken
    victim = next((found for kind in sorted(lost, reverse=True) if (found := _victim(settled, kind))), None)
    if victim is None:
        return None
    ply, square = victim
    motif = _shown(settled, ply, square)
    if leads[end] - pawns > max(pawns // 4, pawns > 1):
        return None  # too much of it is won back
    soon = leads[ply + 1] == pawns and not _is_retaken(settled, ply)
    plies = ply + 1 if soon else _last_change(settled)
    certain = ply == 0 or (motif is not None and (motif.name in _CERTAIN or _with_king(settled, motif)))
    alone = sum(settled.captured(each) is not None for each in range(0, plies, 2)) == 1
    what = _what(lost, gained, texts.piece_on(settled.boards[0], square) if certain and alone else None)
    return _Gain(what, pawns, plies, square, motif)


def _leads(baseline: chess.Board, line: Line) -> list[int]:
    """Of the solver, in pawns more than on `baseline`, on each board of a line."""
    start = _lead(baseline, line.solver)
    return [_lead(board, line.solver) - start for board in line.boards]


def _is_retaken(line: Line, ply: int) -> bool:
    """Whether the piece that has moved is taken by the next move."""
    return ply + 1 < len(line.moves) and line.moves[ply].to_square == line.moves[ply + 1].to_square


def _last_change(line: Line) -> int:
    """The plies up to the last capture or promotion."""
    return max(ply for ply, move in enumerate(line.moves) if line.captured(ply) or move.promotion) + 1


def _is_undefended(gain: _Gain, line: Line) -> bool:
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
        if _is_retaken(line, ply):
            spent = line.captured(ply + 1)
            if spent is not None and VALUES[spent.piece_type] >= VALUES[kind]:
                continue
        square = move.to_square
        if line.boards[ply].is_en_passant(move):
            square += -8 if line.boards[ply].turn else 8
        return ply, _origin(line, ply, square)
    return None


def _origin(line: Line, ply: int, square: chess.Square) -> chess.Square:
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


def _takes_part(line: Line, motif: Motif, ply: int, squares: set[chess.Square]) -> bool:
    if motif.name in {"doubleCheck", "discoveredCheck"}:
        by = line.moves[ply].from_square
        return motif.ply == ply or (motif.ply == ply - 2 and by == line.moves[motif.ply].to_square)
    if motif.name == "attraction":
        return motif.ply >= ply - 4
    return bool(squares & set(motif.squares)) and motif.ply >= ply - 2


def _clause(line: Line, motif: Motif | None, plies: int) -> str:
    """How a line does it: by a motif, or just its moves."""
    template = texts.CLAUSES.get(motif.name) if motif is not None and motif.ply == 0 else None
    after = line.boards[1]
    if motif is None or template is None or (motif.name == "intermezzo" and not after.is_check()):
        return _line_text(line, plies)
    squares, mover = motif.squares, line.moves[0].to_square
    if motif.name == "trappedPiece" and squares[1] not in after.attacks(mover):
        return _line_text(line, plies)
    if motif.name == "skewer" and squares[0] != mover:
        return _line_text(line, plies)
    names = [texts.piece_on(after, square) for square in squares]
    fields = {"move": _first(line) if motif.name in _TWOFOLD else move_words(line.boards[0], line.moves[0])}
    if motif.name == "fork":
        ordered = sorted(squares[1:], key=lambda each: -VALUES[after.piece_type_at(each) or 0])
        fields["targets"] = texts.listed([texts.piece_on(after, each) for each in ordered])
    elif motif.name == "attraction":
        guard = texts.piece_on(after, line.moves[1].from_square)
        fields |= {"guard": guard, "square": chess.square_name(squares[1])}
    elif motif.name == "intermezzo":
        fields["square"] = chess.square_name(squares[1])
    else:
        fields |= dict(zip(_ROLES.get(motif.name, ()), names, strict=False))
    clause = template.format(**fields)
    return clause if plies < _LONG else texts.LINE.format(clause=clause, line=_line_text(line, plies))


def _first(line: Line) -> str:
    """The first move of a line, with the piece that it takes, in front of what else it does."""
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


# Bad moves


@dataclass(frozen=True)
class _Case:
    """A move with what is known before and after it; scores and material are the mover's."""

    board: chess.Board
    move: chess.Move
    before: Known
    after: Known
    count: Counting

    @property
    def mover(self) -> chess.Color:
        return self.board.turn

    @cached_property
    def then(self) -> chess.Board:
        """The board after the move."""
        board = self.board.copy()
        board.push(self.move)
        return board

    @cached_property
    def answer(self) -> Line:
        """The refutation."""
        return Line(self.then, self.after.line)

    @cached_property
    def better(self) -> Line:
        return Line(self.board, self.before.line)

    @cached_property
    def refutation(self) -> Line:
        """The answer, settled."""
        return _settled(self.then, self.after.line, self.count)

    @cached_property
    def best(self) -> Line:
        """The better line, settled."""
        return _settled(self.board, self.before.line, self.count)

    @cached_property
    def taken(self) -> list[int]:
        """The pawns that the other side has won on each board of the refutation."""
        return _leads(self.board, self.refutation)

    @cached_property
    def won(self) -> list[int]:
        """The pawns that the mover has won on each board of the better line."""
        return _leads(self.board, self.best)

    @cached_property
    def kept(self) -> float | None:
        """The pawns that the better line certainly wins, by force and to its end; None for a mate."""
        then = self.better.boards[1]
        forced = None if then.is_game_over() else self.count(then)[0]
        if forced is None:
            return None
        return min(-forced / 100 - _lead(self.board, self.mover), self.won[-1])

    @cached_property
    def lost(self) -> float | None:
        """The pawns that the move certainly loses, by force and in the refutation; None for a mate."""
        forced = None if self.then.is_game_over() else self.count(self.then)[0]
        if forced is None:
            return None
        return min(forced / 100 + _lead(self.board, self.mover), self.taken[-1])

    @cached_property
    def is_taken_back(self) -> bool:
        """Whether the move is a capture that is answered by a capture on the same square."""
        return self.board.is_capture(self.move) and self.answer.moves[0].to_square == self.move.to_square

    @cached_property
    def cost(self) -> int:
        """What the move costs in pawns, if both lines are played to their ends."""
        return self.taken[-1] + self.won[-1]

    def mates(self, known: Known) -> int:
        """The moves until the mover mates, below 0 until it is mated; 0 for no mate."""
        return _pov(known.score, self.mover).mate() or 0

    @cached_property
    def scores(self) -> tuple[int, int]:
        """Before and after the move, in centipawns, within bounds."""
        return _bounded(self.before.score, self.board, self.mover), _bounded(
            self.after.score, self.board, self.mover
        )


def _pov(score: Score, color: chess.Color) -> Score:
    """White's score as that of a side."""
    return score if color == chess.WHITE else -score


def _bounded(score: Score, board: chess.Board, color: chess.Color) -> int:
    """White's score as that of a side, in centipawns, within bounds; the engine's are low in endgames."""
    value = _pov(score, color).score(mate_score=_BOUND)
    if chess.popcount(board.occupied) <= _FEW and abs(value) >= _BETTER:
        value = round(_SHARPER * value)
    return max(-_BOUND, min(_BOUND, value))


def why_bad(
    board: chess.Board,
    move: chess.Move,
    before: Known,
    after: Known,
    count: Counting,
    *,
    whole: bool = True,
) -> Reason | None:
    """The reason of a move that loses winning chances; None if `before` has no better line.

    `board` is before the move; `after` is of the position after it, with the refutation. With `whole` the
    reason has `more`.
    """
    if not before.line or before.line[0] == move:
        return None
    case = _Case(board, move, before, after, count)
    for find in (_mates, _material, _draws, _scores):
        reason = find(case)
        if reason is not None:
            more = _better(case) if whole and reason.facts["kind"] in _WITH_MORE else ""
            return replace(reason, more=more, motifs=reason.motifs | _names(case.answer, _TELLING))
    return None


def only_better(board: chess.Board, better: chess.Move) -> Reason:
    """What can be said of every move with a mark."""
    return Reason(
        texts.BETTER["plain"].format(better=move_words(board, better)), facts={"kind": "evaluation"}
    )


def _mates(case: _Case) -> Reason | None:
    after, before = case.mates(case.after), case.mates(case.before)
    farthest = _FAR_MATE if case.scores[0] > -_LOST else _TELLING
    if -farthest <= after < 0 and case.after.line:
        line = case.answer
        return _reason(_mate_text("allows_mate", line, -after), line, "allows mate")
    if 0 < before <= _FAR_MATE:
        line = case.better
        text = _mate_text("misses_mate", line, before)
        loss = _material(case)
        if loss is not None and loss.facts["kind"] == "loses material" and loss.facts["pawns"] > _MUCH:
            text = f"{text} {loss.text}"
        return Reason(text, arrows=_arrows(case.answer, None), facts={"kind": "misses mate"})
    return None


def _mate_text(template: str, line: Line, count: int) -> str:
    name, plies = "mate", 1
    if line.boards[-1].is_checkmate() and len(line.moves) <= _SHOWN:
        name = next(
            (each.name for each in motifs(line) if each.name in texts.MATES and each.name != "mate"), name
        )
        plies = len(line.moves)
    key = f"{template}_at_once" if count == 1 else template
    return (texts.REASONS | texts.GOOD)[key].format(
        mate=texts.MATES[name], count=count, line=_line_text(line, plies)
    )


def _explains(case: _Case, gain: _Gain) -> bool:
    """Whether the material is what the evaluation has changed by: all of it, and not far more."""
    before, after = case.scores
    least = min(_LOWEST * gain.pawns, _ENOUGH, (_BOUND + before) // 2)
    return before - after >= least and (gain.pawns > _MUCH or before - after <= _MORE * gain.pawns)


def _material(case: _Case) -> Reason | None:
    if not case.after.line or max(case.taken[-1], case.won[-1]) < 1:
        return None
    lost, kept = case.lost, case.kept or 0.0
    if lost is None:
        return None
    if lost >= max(_LEAST, kept) and kept > -_ALSO * lost:
        gain = _gain(case.board, case.refutation, lost)
        if gain is not None and _explains(case, gain):
            offered = gain.pawns == 1 and case.scores[1] >= 0  # and worth it
            return None if offered or _is_doubtful(case, gain, case.refutation) else _loss(case, gain)
    if kept >= _LEAST and case.taken[-1] > -_ALSO * kept:
        return _missed(case, kept)
    return None


def _is_doubtful(case: _Case, gain: _Gain, line: Line) -> bool:
    """Whether it is but a pawn, and the game is decided, or the other side need not play along."""
    if gain.pawns > 1 or line.boards[0].piece_type_at(gain.square) != chess.PAWN:
        return False
    return _is_decided(*case.scores) or not _is_forced(line, gain.plies)


def _is_forced(line: Line, plies: int) -> bool:
    """Whether each reply of the other side answers a check or takes back."""
    return all(
        line.boards[ply].is_check() or line.moves[ply].to_square == line.moves[ply - 1].to_square
        for ply in range(1, plies, 2)
    )


def _loss(case: _Case, gain: _Gain) -> Reason:
    answer = case.refutation
    if gain.promoted:
        text = texts.REASONS["lets_promote"].format(
            square=chess.square_name(gain.square), line=_line_text(answer, gain.plies)
        )
    else:
        key = "loses_undefended" if _is_undefended(gain, answer) else "loses"
        text = texts.REASONS[key].format(what=gain.what, line=_clause(answer, gain.motif, gain.plies))
    return _reason(text, answer, "loses material", gain)


def _missed(case: _Case, kept: float) -> Reason | None:
    first = case.before.line[0]
    gain = _gain(case.board, case.best, kept)
    if gain is None or gain.promoted or _is_doubtful(case, gain, case.best) or not _explains(case, gain):
        return None
    if case.taken[0] < min(0, case.taken[-1]) and not case.is_taken_back:
        return None  # what the move takes is won back by other means, which are the reason
    line = _line_text(case.best, gain.plies)
    captures = case.board.is_capture(case.move) and case.board.is_capture(first)
    if captures and case.move.to_square == first.to_square and case.move.from_square != first.from_square:
        text = texts.REASONS["takes_wrongly"].format(line=line)
    elif gain.plies == 1 and is_recapture(case.board, first):
        text = texts.REASONS["misses_retaking"].format(square=chess.square_name(first.to_square), line=line)
    else:
        clause = _clause(case.best, gain.motif, gain.plies)
        text = texts.REASONS["misses_win"].format(what=gain.what, line=clause)
    return Reason(
        text, "", frozenset(), _arrows(case.answer, None), {"kind": "misses material", "what": gain.what}
    )


def _draws(case: _Case) -> Reason | None:
    """A draw that the rules give, where there was an advantage."""
    then, score = case.then, case.scores[0]
    if score < _SURELY:
        return None
    if then.is_stalemate():
        better = move_words(case.board, case.before.line[0])
        text = texts.REASONS["stalemates"].format(state=texts.STATES[_state(score)], better=better)
        return Reason(text, facts={"kind": "stalemates"})
    if case.after.score != Cp(0) or not case.after.line:
        return None
    board, checks = then.copy(), True
    answer = Line(then, _repeated(case.answer))
    for ply, move in enumerate(answer.moves):
        board.push(move)
        checks = checks and (ply % 2 == 1 or board.is_check())
        key = ""
        if board.is_stalemate():
            key = "allows_stalemate"
        elif board.is_repetition(2):
            key = "allows_perpetual" if checks else "allows_repetition"
        if key:
            text = texts.REASONS[key].format(
                side=texts.SIDES[not case.mover], line=_line_text(answer, ply + 1)
            )
            return Reason(text, arrows=_arrows(case.answer, None), facts={"kind": key})
    return None


def _repeated(line: Line) -> tuple[chess.Move, ...]:
    """The moves of a line, with the check and the answer that repeat a position of it, if there are such."""
    seen = {board.epd() for board in line.boards}
    end = line.boards[-1]
    for check in end.legal_moves if end.turn == line.solver else ():
        after = end.copy(stack=False)
        after.push(check)
        if after.is_check():
            for answer in after.legal_moves:
                last = after.copy(stack=False)
                last.push(answer)
                if last.epd() in seen:
                    return (*line.moves, check, answer)
    return line.moves


def _state(score: int) -> str:
    """A key of STATES: how the side with this score stands for certain, as engines differ."""
    if score >= _SURELY:
        return "won" if score >= _WON else "better"
    return "level" if score > -_BETTER else "worse"


def _now(before: int, after: int, mover: chess.Color) -> str:
    """What has become of the position for the mover; empty near the borders."""
    if after <= -_SURELY:
        return texts.NOW["won" if after <= -_WON else "better"].format(side=texts.SIDES[not mover])
    if before < _SURELY or before // 2 < after < _BETTER:
        return ""
    return texts.NOW["gone" if after <= before // 2 else "less"]


def _scores(case: _Case) -> Reason | None:
    """What was lost without material: what the answer does, or the better move, and how the game stands."""
    before, after = case.scores
    if not case.after.line or _is_settled(before, after):
        return None
    ending = _ending(case) if chess.popcount(case.board.occupied) <= _FEW else ""
    plies, fact = (1, ending) if ending else _fact(case)
    lost, idea = before - after, _opposition(case.better)
    if lost < _PLAIN:
        fact, idea = fact or _quiet(case), idea or next(_ideas(case.better), "")
    certain = fact or plies > 1 or lost >= min(_SHARE * abs(before), _ENOUGH)
    kept, now = (texts.KEPT[_state(before)], _now(before, after, case.mover)) if certain else ("", "")
    if now and not fact:
        fact = texts.FACTS["after"].format(line=_line_text(case.refutation, plies), now=now)
    elif now and plies == 1:
        fact = texts.FACTS["and"].format(fact=fact, now=now)
    won = _winning_plies(case.best, case.won) if case.cost >= _MUCH else 0
    is_told = won == _TELLING and _is_forced(case.best, won)
    better = _line_text(case.best, won if is_told else 1)
    if kept and fact and not idea:
        text = texts.REASONS["kept"].format(better=better, kept=kept, fact=fact)
    elif fact or idea:
        better = texts.FACTS["which"].format(better=better, idea=idea) if idea else better
        key = "better_was" if fact else "only"
        text = texts.REASONS[key].format(fact=f"{fact[:1].upper()}{fact[1:]}", better=better)
    else:
        return None
    return Reason(text, arrows=_arrows(case.answer, None), facts={"kind": "evaluation"})


def _is_settled(before: int, after: int) -> bool:
    """Whether the game is decided before and after the move, and it does not change much."""
    far = before <= -_WON or (before >= _FAR_AHEAD and after >= _WON)
    return _is_decided(before, after) or (far and before - after < _DECIDED)


def _is_decided(before: int, after: int) -> bool:
    return before <= -_LOST or min(before, after) >= _FAR_AHEAD


def _quiet(case: _Case) -> str:
    """What is wrong with the move itself, as the better one shows, or what the answer does to its side."""
    board, move, us = case.board, case.move, case.mover
    had, has, keeps = (each.has_castling_rights(us) for each in (board, case.then, case.better.boards[1]))
    keeps = keeps or board.is_castling(case.better.moves[0])
    if had and not has and keeps and not board.is_castling(move) and board.pieces(chess.QUEEN, not us):
        return texts.FACTS["uncastles"]
    back = move.to_square in _HOME[us] and move.from_square not in _HOME[us] and _is_opening(board)
    if back and board.piece_type_at(move.from_square) in _LIGHT and not is_loose(board, move.from_square):
        return texts.FACTS["retreats"].format(what=texts.piece_on(board, move.from_square))
    idea = "" if case.answer.moves[0] in case.better.moves[1:2] else next(_effects(case.answer), "")
    return idea and _does(case, idea)


def _does(case: _Case, idea: str) -> str:
    return texts.FACTS["does"].format(move=move_words(case.then, case.answer.moves[0]), idea=idea)


def _ending(case: _Case) -> str:
    """A rule of endings by which the answer is strong, and that does not hold after the better move."""
    after, best = case.answer.boards[1], case.better.boards[:_TELLING][-1]
    pawn, corner = _uncaught(after), _uncovered(after, case.mover)
    if pawn is not None and _uncaught(best) is None:
        key, square = "uncaught", pawn
    elif corner is not None and _uncovered(best, case.mover) is None and abs(case.scores[1]) <= _LEVEL:
        key, square = "uncovered", corner
    elif idea := _opposition(case.answer):
        return _does(case, idea)
    else:
        return (
            _does(case, texts.IDEAS["zugzwang"].format(side=texts.SIDES[case.mover]))
            if _is_zugzwang(case)
            else ""
        )
    first = move_words(case.then, case.answer.moves[0])
    return texts.FACTS[key].format(move=first, square=chess.square_name(square))


def _is_zugzwang(case: _Case) -> bool:
    """Whether each of the few moves after the answer loses material, and a pass would not."""
    after = case.answer.boards[1]
    passed = _passed(after)
    if passed is None or after.legal_moves.count() > _FEW_MOVES:
        return False
    lead, here, there = 100 * _lead(after, after.turn), case.count(after)[0], case.count(passed)[0]
    return here is not None and there is not None and here <= lead - 100 * _LEAST and -there >= lead


# What a move does that wins nothing


def _ideas(line: Line) -> Iterator[str]:
    """What the first move of a line does on the board, the weightiest first."""
    board, head, taken = line.boards[0], line.moves[0].to_square, line.captured(0)
    yield from _effects(line)
    if board.is_castling(line.moves[0]):
        yield texts.IDEAS["castles"]
    traded = board.queens and not line.boards[: _TELLING + 1][-1].queens
    if traded and _lead(board, line.solver) >= _MUCH:
        yield texts.IDEAS["trades"]
    if is_recapture(board, line.moves[0]):
        yield texts.IDEAS["retakes"]
    elif taken and exchange(board, head, line.solver):
        yield texts.IDEAS["takes"].format(what=texts.piece_on(board, head))
    elif not taken:
        yield from _places(line)


def _places(line: Line) -> Iterator[str]:
    """Why the first move of a line, no capture, goes to its square."""
    (board, after), tail, head = line.boards[:2], line.moves[0].from_square, line.moves[0].to_square
    kind, file, home = board.piece_type_at(tail), chess.square_file(head), _HOME[line.solver]
    if _is_opening(board) and kind in _LIGHT and tail in home and head not in home:
        yield texts.IDEAS["develops"].format(what=texts.piece_on(board, tail))
    elif _is_opening(board) and kind == chess.PAWN and head in _CENTRE:
        yield texts.IDEAS["centre"]
    elif kind == chess.PAWN and _is_passed(after, head) and not is_loose(after, head):
        yield texts.IDEAS["advances" if _is_passed(board, tail) else "passes"]
    elif kind == chess.ROOK and not board.pawns & chess.BB_FILES[file] and file != chess.square_file(tail):
        yield texts.IDEAS["file"].format(file=chess.FILE_NAMES[file])


def _effects(line: Line) -> Iterator[str]:
    """What the first move of a line does to the other side, as its reply shows."""
    if len(line.moves) < 2:
        return
    (board, after, end), (head, reply) = line.boards[:3], (line.moves[0].to_square, line.moves[1])
    them, target, kind = not line.solver, reply.from_square, after.piece_type_at(reply.from_square)
    is_new = target in after.attacks(head) and is_loose(after, target) and not is_loose(board, target)
    if is_new and kind not in {chess.PAWN, chess.KING} and not is_loose(after, head):
        yield texts.IDEAS["attacks"].format(what=texts.piece_on(after, target))
    pawns = end.pieces_mask(chess.PAWN, them) & chess.BB_FILES[chess.square_file(head)]
    if reply.to_square == head and kind == chess.PAWN and line.captured(0) and chess.popcount(pawns) > 1:
        yield texts.IDEAS["doubles"].format(side=texts.SIDES[them])
    loses = board.has_castling_rights(them) and not end.has_castling_rights(them)
    if loses and kind == chess.KING and after.is_check() and end.queens:
        yield texts.IDEAS["uncastles"].format(side=texts.SIDES[them])


def _is_opening(board: chess.Board) -> bool:
    return chess.popcount(board.occupied) >= _OPENING


def _is_passed(board: chess.Board, square: chess.Square) -> bool:
    """Whether no pawn of the other side can stop or take this pawn on its way."""
    color, file, rank = board.color_at(square), chess.square_file(square), chess.square_rank(square)
    pawns = (
        (chess.square_file(each), chess.square_rank(each)) for each in board.pieces(chess.PAWN, not color)
    )
    return not any(abs(x - file) < 2 and (y > rank if color else y < rank) for x, y in pawns)


def _uncaught(board: chess.Board) -> chess.Square | None:
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


def _uncovered(board: chess.Board, color: chess.Color) -> chess.Square | None:
    """The corner where all pawns of a side promote, if it has besides just a bishop of the other colour."""
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


def _opposition(line: Line) -> str:
    """Whether the first move, with one pawn left, brings the kings face to face, a square between them."""
    board, head = line.boards[1], line.moves[0].to_square
    other = next(iter(board.pieces(chess.KING, board.turn)))
    is_facing = chess.square_distance(head, other) == 2 and abs(head - other) in {2, 16}
    bare = board.occupied == board.kings | board.pawns and chess.popcount(board.pawns) == 1
    return texts.IDEAS["opposition"] if is_facing and bare and board.kings & chess.BB_SQUARES[head] else ""


# What a line shows without a sentence of its own


def _fact(case: _Case) -> tuple[int, str]:
    """What the answer does, as a clause, or the plies in which it wins something; else 1 and nothing."""
    answer = case.answer
    board, first = answer.boards[0], answer.moves[0]
    if first in case.better.moves[1:2] and case.cost < _MUCH:
        return 1, ""  # it answers the better move, too
    if (motif := _twofold(answer)) is not None:
        return 1, _clause(answer, motif, 1)
    plies = _winning_plies(case.refutation, case.taken) if case.cost >= 1 else 0
    takes = answer.captured(0) and not board.is_en_passant(first)
    if takes and not case.is_taken_back and case.taken[1] > 0:
        won = exchange(board, first.to_square, board.turn) if case.cost >= 1 else 0
        if plies == 1 or won >= min(_MUCH, value(board, first.to_square)):
            what = texts.piece_on(board, first.to_square)
            return 1, texts.FACTS["takes"].format(move=move_words(board, first), what=what)
    threat = _threat(answer.boards[1], case.count, quiet=not plies and not answer.captured(0))
    if threat:
        return 1, texts.FACTS["threatens"].format(move=move_words(board, first), threat=threat)
    what = _won(case.board, case.refutation, plies) if plies else ""
    if not what:
        return plies or 1, ""
    line = _line_text(case.refutation, plies)
    return plies, texts.FACTS["wins"].format(line=line, side=texts.SIDES[board.turn], what=what)


def _won(baseline: chess.Board, line: Line, plies: int) -> str:
    """What the solver has won after so many plies of a line, compared with `baseline`."""
    end = line.boards[plies]
    taken, spent = _lost(baseline, end, not line.solver), _lost(baseline, end, line.solver)
    return _what(taken - spent, spent - taken, None) if taken - spent else ""


def _twofold(line: Line) -> Motif | None:
    """The motif of a first move that attacks more than it takes, and takes a piece by that with the next."""
    taken = line.captured(2) if len(line.moves) > 2 else None
    if taken is None or taken.piece_type == chess.PAWN:
        return None
    if line.balance(min(4, len(line.moves))) <= line.balance(0):
        return None
    motif = _shown(line, 2, _origin(line, 2, line.moves[2].to_square))
    return motif if motif is not None and motif.name in _TWOFOLD and motif.ply == 0 else None


def _winning_plies(line: Line, leads: Sequence[int]) -> int:
    """After how many plies of a line, few or forced, it has won something that it keeps; else 0."""
    quiet = [ply for ply in range(1, len(leads)) if ply + 1 == len(leads) or not line.captured(ply)]
    for ply in quiet:
        kept = min(leads[each] for each in quiet if each >= ply)
        if kept >= 1 and ply <= _LONG:
            plies = _last_change(Line(line.boards[0], line.moves[:ply]))
            if _is_forced(line, plies) or (kept >= _MUCH and plies <= _TELLING):
                return plies
    return 0


def _passed(board: chess.Board) -> chess.Board | None:
    """The board if the side to move could pass; None if it is in check or the game is over."""
    if board.is_check() or board.is_game_over():
        return None
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    return passed


def _mating(board: chess.Board) -> chess.Move | None:
    return next((move for move in board.legal_moves if _is_mate(board, move)), None)


def _threat(board: chess.Board, count: Counting, *, quiet: bool) -> str:
    """What the side that has just moved threatens: mate at once, or else, if `quiet`, to win two pawns."""
    passed = _passed(board)
    if passed is None:
        return ""
    threat = _mating(passed)
    targets = chess.SquareSet(board.occupied_co[board.turn] & ~board.kings) if quiet else ()
    if threat is None and any(exchange(passed, target, passed.turn) >= _MUCH for target in targets):
        won, line = count(passed)
        lead = None if won is None else won / 100 - _lead(passed, passed.turn)
        if lead and lead > _MUCH * _LEAST and exchange(passed, line[0].to_square, passed.turn) >= _MUCH:
            threat = line[0]
    return "" if threat is None else move_words(passed, threat)


def _better(case: _Case) -> str:
    """What the better move does."""
    better = move_words(case.board, case.before.line[0])
    mate = case.mates(case.before)
    if mate > 0:
        return texts.BETTER["mates_at_once" if mate == 1 else "mates"].format(better=better, count=mate)
    if case.kept is not None and case.kept >= _LEAST:
        gain = _gain(case.board, case.best, case.kept)
        if gain is not None and not gain.promoted and not is_recapture(case.board, case.before.line[0]):
            return texts.BETTER["wins"].format(better=better, what=gain.what)
    return texts.BETTER["plain"].format(better=better)


def _reason(text: str, line: Line, kind: str, gain: _Gain | None = None) -> Reason:
    facts: dict[str, Any] = {"kind": kind}
    if gain is not None:
        facts |= {"what": gain.what, "pawns": gain.pawns}
    last = len(line.moves) if gain is None else gain.plies
    return Reason(text, "", _names(line, last), _arrows(line, gain), facts)


def _names(line: Line, plies: int) -> frozenset[str]:
    """Of the motifs in the first plies of a line."""
    return frozenset(motif.name for motif in motifs(Line(line.boards[0], line.moves[:plies])))


def _arrows(line: Line, gain: _Gain | None) -> tuple[tuple[chess.Square, chess.Square], ...]:
    """The answer, and whom it attacks."""
    if not line.moves:
        return ()
    first = line.moves[0]
    arrows = [(first.from_square, first.to_square)]
    if gain is not None and gain.motif is not None and gain.motif.ply == 0:
        actor, *targets = gain.motif.squares
        if gain.motif.name in {"fork", "skewer", "discoveredAttack", "discoveredCheck"}:
            arrows += [(actor, target) for target in targets if target != first.to_square]
    return tuple(dict.fromkeys(arrows))


# Good moves


def why_good(
    board: chess.Board,
    move: chess.Move,
    after: Known,
    count: Counting,
    second: tuple[chess.Move, Score] | None,
) -> Reason:
    """What a good move does. `second` is the next best move with White's score, if that is much worse."""
    line = Line(board, (move, *after.line))
    then = line.boards[1]
    if then.is_checkmate():
        return Reason(texts.GOOD["is_mate"], "", _names(line, 1), (), {"kind": "mate"})
    mate = _pov(after.score, board.turn).mate()
    if mate is not None and mate < 0:
        answer = Line(then, after.line)
        return Reason(
            _mate_text("mated", answer, -mate),
            motifs=_names(answer, len(answer.moves)),
            facts={"kind": "mated"},
        )
    if mate is not None and mate > 0:
        whole = line.boards[-1].is_checkmate() and len(line.moves) <= _SHOWN
        text = texts.GOOD["mates"].format(
            count=mate + 1, line=_line_text(line, len(line.moves) if whole else 1)
        )
        return Reason(text, "", _names(line, len(line.moves)), (), {"kind": "mate"})
    for find in (_wins, _parries):
        reason = find(board, line, count)
        if reason is not None:
            return reason
    score = _bounded(after.score, board, board.turn)
    if second is not None and (now := _now(score, _bounded(second[1], board, board.turn), board.turn)):
        text = texts.GOOD["only"].format(better=move_words(board, second[0]), now=now)
        return Reason(text, facts={"kind": "only move"})
    text = texts.KEEPS[_state(score)].format(line=_line_text(line, 3))
    return Reason(text, facts={"kind": "evaluation"})


def _wins(board: chess.Board, line: Line, count: Counting) -> Reason | None:
    then, mover = line.boards[1], board.turn
    if then.is_game_over() or is_recapture(board, line.moves[0]):
        return None
    value = count(then)[0]
    if value is None:
        return None
    gain = _gain(board, _settled(board, line.moves, count), -value / 100 - _lead(board, mover))
    if gain is None:
        return None
    key = "wins_undefended" if _is_undefended(gain, line) else "wins"
    text = texts.GOOD[key].format(what=gain.what, line=_clause(line, gain.motif, gain.plies))
    names = _names(line, gain.plies)
    return Reason(text, "", names, (), {"kind": "wins material", "what": gain.what, "pawns": gain.pawns})


def _parries(board: chess.Board, line: Line, count: Counting) -> Reason | None:
    """A threat that a pass would allow, and that the move does not."""
    then, passed = line.boards[1], _passed(board)
    if passed is None or then.is_game_over():
        return None
    threat = _mating(passed)
    if threat is not None and _mating(then) is None:
        text = texts.GOOD["stops_mate"].format(line=passed.san(threat))
        return Reason(text, motifs=frozenset({"defensiveMove"}), facts={"kind": "stops mate"})
    lost, threats = count(passed)
    kept, start = count(then)[0], 100 * _lead(board, board.turn)
    if threat is not None or lost is None or kept is None or not threats or -kept < start - 100 * _LEAST:
        return None
    square = threats[0].to_square
    if value(board, square) < 2 or abs(lost + start - 100 * value(board, square)) > 100 * _LEAST:
        return None
    text = texts.GOOD["saves"].format(what=texts.piece_on(board, square), line=passed.san(threats[0]))
    return Reason(text, motifs=frozenset({"defensiveMove"}), facts={"kind": "saves"})


def _is_mate(board: chess.Board, move: chess.Move) -> bool:
    if not board.gives_check(move):
        return False
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()
