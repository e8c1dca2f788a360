"""Why a move is bad or good: facts that the boards and lines of searches prove, and sentences that say them.

Material is claimed only where two kinds of search agree: the best line of the engine, to its quiet end, and a
search that counts material alone, so that nothing counts that a side gives away of its own accord. Both are
compared with the better move: what is also so after that is no reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import chess
from chess.engine import Cp, Score

from lolli import _texts as texts
from lolli._motifs import VALUES, Line, Motif, exchange, material, motifs, value
from lolli._positions import is_recapture, move_words

LONGEST_LINE = 12
"""Plies of a line that are looked at."""
_SHOWN = 7  # plies of a line that are said; what comes later is not claimed
_LONG = 5  # plies of a line that is told beside its motif
_LEAST = 80  # centipawns; less is not a pawn
_MOST = 0.5  # of a loss is to be seen, and is not to follow from the better move, too
_WON, _BETTER, _SLIGHTLY = 300, 120, 50  # centipawns; at 100 every second game is won
_WITH_MORE = frozenset(("allows mate", "loses material"))
_TELLING = 3  # plies of a refutation, of which the motifs are told
_BOUND = 1000  # centipawns; higher scores are as good
_MORE = 150  # centipawns of the evaluation that a pawn stands for, and that may be lost besides
_FAR_MATE = 8  # moves; nobody learns from one that is farther away
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


def _value(score: Score) -> str:
    """`+1.3`, `-0.4`, `mate in 3`."""
    mate = score.mate()
    if mate is not None:
        return f"mate in {abs(mate)}"
    value = score.score() or 0
    return "0.0" if abs(value) < 5 else f"{value / 100:+.1f}"


# What is won in a line


def _settled(board: chess.Board, moves: Sequence[chess.Move], count: Counting) -> Line:
    """The line, continued by the exchanges that a search for material finds at its end."""
    line = Line(board, moves[:LONGEST_LINE])
    end = line.boards[-1]
    value = more = None
    if not end.is_game_over():
        value, more = count(end)
    if value is None or more is None:
        return line
    longer = Line(board, (*line.moves, *more))
    for ply in range(len(line.moves), len(longer.boards)):
        if abs(value - 100 * _lead(longer.boards[ply], end.turn)) < _LEAST:
            return Line(board, longer.moves[:ply])
    return line


def _lead(board: chess.Board, color: chess.Color) -> int:
    """In material, in pawns."""
    return material(board, color) - material(board, not color)


def _lost(before: chess.Board, after: chess.Board, color: chess.Color) -> Counter[chess.PieceType]:
    """Pieces of a side that are gone, knights as bishops; a promoted pawn is neither gone nor new."""
    kinds = range(chess.PAWN, chess.KING)
    gone = Counter({kind: _number(before, kind, color) - _number(after, kind, color) for kind in kinds})
    while gone[chess.PAWN] > 0 and (new := [kind for kind in kinds if gone[kind] < 0]):
        gone[chess.PAWN] -= 1
        gone[new[0]] += 1
    gone[chess.BISHOP] += gone.pop(chess.KNIGHT)
    return gone


def _number(board: chess.Board, kind: chess.PieceType, color: chess.Color) -> int:
    return len(board.pieces(kind, color))


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
_CERTAIN = frozenset(("skewer", "trappedPiece", "pin", "discoveredCheck", "doubleCheck"))


def _gain(baseline: chess.Board, line: Line, forced: int, count: Counting) -> _Gain | None:
    """What the solver of a line wins, compared with `baseline`.

    Not more than `forced`, in centipawns, which a count of material has found, and than what the line keeps
    to its end. None if that is less than a pawn, or mostly taken too late to be shown.
    """
    settled = _settled(line.boards[0], line.moves, count)
    leads = [_lead(board, line.solver) - _lead(baseline, line.solver) for board in settled.boards]
    most = min(leads[-1], round(forced / 100))
    quiet = [ply for ply in range(len(leads)) if ply + 1 == len(leads) or not settled.captured(ply)]
    kept = {ply: min(most, *(leads[each] for each in quiet if each >= ply)) for ply in quiet if ply <= _SHOWN}
    pawns = max(kept.values(), default=0)
    if pawns < max(1, most * _MOST):
        return None
    lasting = [ply for ply in kept if kept[ply] == pawns]
    end = next((ply for ply in lasting if leads[ply] == pawns), lasting[0])
    settled = Line(settled.boards[0], settled.moves[:end])
    after, winner = settled.boards[-1], line.solver
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
    if leads[end] - pawns > pawns // 4:
        return None  # too much of it is won back
    certain = ply == 0 or (motif is not None and (motif.name in _CERTAIN or _with_king(settled, motif)))
    what = _what(lost, gained, texts.piece_on(settled.boards[0], square) if certain else None)
    return _Gain(what, pawns, _last_capture(settled) if lost.total() > 1 else ply + 1, square, motif)


def _is_retaken(line: Line, ply: int) -> bool:
    """Whether the piece that has moved is taken by the next move."""
    return ply + 1 < len(line.moves) and line.moves[ply].to_square == line.moves[ply + 1].to_square


def _last_capture(line: Line) -> int:
    """The plies up to the solver's last capture."""
    return max(ply for ply in line.own() if line.captured(ply)) + 1


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
    fields = {"move": move_words(line.boards[0], line.moves[0])}
    if motif.name == "fork":
        ordered = sorted(squares[1:], key=lambda each: -VALUES[after.piece_type_at(each) or 0])
        fields["targets"] = texts.listed([texts.piece_on(after, each) for each in ordered])
    elif motif.name == "attraction":
        fields |= {"guard": _drawn(line), "square": chess.square_name(squares[1])}
    elif motif.name == "intermezzo":
        fields["square"] = chess.square_name(squares[1])
    else:
        fields |= dict(zip(_ROLES.get(motif.name, ()), names, strict=False))
    clause = template.format(**fields)
    return clause if plies < _LONG else texts.LINE.format(clause=clause, line=_line_text(line, plies))


_ROLES = {
    "skewer": ("actor", "front", "back"),
    "pin": ("actor", "pinned"),
    "trappedPiece": ("actor", "victim"),
    "discoveredAttack": ("actor", "victim"),
    "deflection": ("actor", "guard", "victim"),
    "capturingDefender": ("actor", "victim"),
}  # what the squares of a motif are called in its clause


def _drawn(line: Line) -> str:
    return texts.piece_on(line.boards[1], line.moves[1].from_square)


# Bad moves


@dataclass(frozen=True, slots=True)
class _Case:
    """A move with what is known before and after it; scores from the mover's point of view."""

    board: chess.Board
    move: chess.Move
    before: Known
    after: Known

    @property
    def mover(self) -> chess.Color:
        return self.board.turn

    @property
    def then(self) -> chess.Board:
        """The board after the move."""
        board = self.board.copy()
        board.push(self.move)
        return board

    @property
    def answer(self) -> Line:
        """The refutation."""
        return Line(self.then, self.after.line)

    @property
    def better(self) -> Line:
        return Line(self.board, self.before.line)

    def pov(self, score: Score) -> Score:
        return score if self.mover == chess.WHITE else -score


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
    case = _Case(board, move, before, after)
    if not before.line or before.line[0] == move:
        return None
    for find in (_mates, _material, _draws, _scores):
        reason = find(case, count)
        if reason is not None:
            more = _better(case, count) if whole and reason.facts["kind"] in _WITH_MORE else ""
            return replace(reason, more=more, motifs=reason.motifs | _names(case.answer, _TELLING))
    return None


def _mates(case: _Case, count: Counting) -> Reason | None:
    del count
    after, before = case.pov(case.after.score).mate(), case.pov(case.before.score).mate()
    if after is not None and -_FAR_MATE <= after < 0 and case.after.line:
        line = case.answer
        return _reason(_mate_text("allows_mate", line, -after), line, "allows mate")
    if before is not None and 0 < before <= _FAR_MATE:
        line = case.better
        text = _mate_text("misses_mate", line, before)
        return Reason(text, arrows=_arrows(case.answer, None), facts={"kind": "misses mate"})
    return None


def _mate_text(template: str, line: Line, count: int) -> str:
    name = "mate"
    if line.boards[-1].is_checkmate():
        name = next(
            (each.name for each in motifs(line) if each.name in texts.MATES and each.name != "mate"), name
        )
        plies = len(line.moves)
    else:
        plies = 1
    if plies > _SHOWN:
        plies = 1
    key = f"{template}_at_once" if count == 1 else template
    return (texts.REASONS | texts.GOOD)[key].format(
        mate=texts.MATES[name], count=count, line=_line_text(line, plies)
    )


@dataclass(frozen=True, slots=True)
class _Account:
    """The mover's lead in centipawns: at first, and by force after the move and after the better one.

    What the move takes counts as the mover's before if the better one wins as much.
    """

    baseline: chess.Board
    start: int
    played: int
    better: int

    def differs_by(self, gain: _Gain) -> bool:
        """Whether the better move saves most of what the other side gains."""
        return self.better - self.played >= 100 * _MOST * gain.pawns


def _explains(case: _Case, gain: _Gain) -> bool:
    """Whether the material is what the evaluation has changed by, and not by far more."""
    before, after = (
        max(-_BOUND, min(_BOUND, case.pov(each.score).score(mate_score=_BOUND)))
        for each in (case.before, case.after)
    )
    return before - after <= _MORE * (1 + gain.pawns)


def _account(case: _Case, count: Counting) -> _Account | None:
    then, best = case.then, case.better.boards[1]
    if then.is_game_over() or best.is_game_over():
        return None
    played, better = count(then)[0], count(best)[0]
    if played is None or better is None:
        return None
    baseline = then if -better >= 100 * _lead(then, case.mover) - _LEAST else case.board
    return _Account(baseline, 100 * _lead(baseline, case.mover), -played, -better)


def _material(case: _Case, count: Counting) -> Reason | None:
    account = _account(case, count)
    if account is None or account.better - account.played < _LEAST or not case.after.line:
        return None
    answer = case.answer
    loss = account.start - account.played
    gain = _gain(account.baseline, answer, loss, count)
    if gain is not None and _explains(case, gain) and account.differs_by(gain):
        kept = _lead(_settled(case.board, case.better.moves, count).boards[-1], case.mover)
        if _lead(account.baseline, case.mover) - kept > _MOST * gain.pawns:
            return None  # the better line loses it, too
        if gain.pawns == 1 and case.pov(case.after.score) >= Cp(0):
            return None  # it is offered, and worth it
        is_trade = value(case.board, case.move.to_square) >= gain.pawns
        return (is_trade and _missed(case, account, count)) or _loss(case, gain)
    return _missed(case, account, count)


def _loss(case: _Case, gain: _Gain) -> Reason:
    answer = case.answer
    if gain.promoted:
        text = texts.REASONS["lets_promote"].format(
            square=chess.square_name(gain.square), line=_line_text(answer, gain.plies)
        )
    else:
        key = "loses_undefended" if _is_undefended(gain, answer) else "loses"
        text = texts.REASONS[key].format(what=gain.what, line=_clause(answer, gain.motif, gain.plies))
    return _reason(text, answer, "loses material", gain)


def _missed(case: _Case, account: _Account, count: Counting) -> Reason | None:
    better = case.better
    start = 100 * _lead(case.board, case.mover)
    won = account.better - start
    gain = _gain(case.board, better, won, count)
    if gain is None or not (_explains(case, gain) and account.differs_by(gain)):
        return None
    end = _settled(case.then, case.after.line, count).boards[-1]
    if _lead(end, case.mover) - _lead(case.board, case.mover) > _MOST * gain.pawns:
        return None  # the move wins it, too
    if gain.plies == 1 and is_recapture(case.board, better.moves[0]):
        square = chess.square_name(better.moves[0].to_square)
        text = texts.REASONS["misses_retaking"].format(square=square, line=_line_text(better, 1))
    elif gain.promoted:
        return None
    else:
        text = texts.REASONS["misses_win"].format(
            what=gain.what, line=_clause(better, gain.motif, gain.plies)
        )
    return Reason(
        text, "", frozenset(), _arrows(case.answer, None), {"kind": "misses material", "what": gain.what}
    )


def _draws(case: _Case, count: Counting) -> Reason | None:
    """A draw that the rules give, where there was an advantage."""
    del count
    score, then = case.pov(case.before.score), case.then
    if score < Cp(_BETTER):
        return None
    better, value = move_words(case.board, case.before.line[0]), _value(case.before.score)
    if then.is_stalemate():
        text = texts.REASONS["stalemates"].format(state=_had(score), better=better, value=value)
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


def _had(score: Score) -> str:
    """What the mover had, in words."""
    if score >= Cp(_WON):
        return texts.STATES["won"]
    if score >= Cp(_BETTER):
        return texts.STATES["better"]
    return texts.STATES["slightly" if score >= Cp(_SLIGHTLY) else "equal"]


def _scores(case: _Case, count: Counting) -> Reason | None:
    """What was lost by the evaluation alone, the move that kept it, and the answer with its threat."""
    if not case.after.line:
        return None
    before, after = case.pov(case.before.score), case.pov(case.after.score)
    fields = {
        "better": move_words(case.board, case.before.line[0]),
        "move": move_words(case.then, case.after.line[0]) + _effect(case, count),
        "value": _value(case.before.score),
        "now": _value(case.after.score),
        "side": texts.SIDES[not case.mover],
    }
    lost = after <= Cp(-_SLIGHTLY)
    if before >= Cp(_SLIGHTLY) and not lost:
        fields["state"] = _had(before)
        key = "shrinks" if fields["state"] in {_had(after), _had(_increased(after))} else "gives_up"
    elif lost and (before > Cp(-_SLIGHTLY) or _stands(-before) != _stands(-after)):
        key, fields["state"] = "worsens", _stands(-after)
    else:
        key = "harms"
    text = texts.REASONS[key].format(**fields)
    return Reason(text, arrows=_arrows(case.answer, None), facts={"kind": "evaluation"})


def _effect(case: _Case, count: Counting) -> str:
    """What the answer takes or threatens; nothing of a trade, or if it answers the better move, too."""
    answer = case.answer
    board, first = answer.boards[0], answer.moves[0]
    takes_back = case.board.is_capture(case.move) and first.to_square == case.move.to_square
    trade = takes_back or _is_retaken(answer, 0)
    if trade or board.is_en_passant(first) or first in case.better.moves[1:2]:
        return ""
    if answer.captured(0):
        return texts.TAKES.format(what=texts.piece_on(board, first.to_square))
    return _threat(answer.boards[1], count)


def _threat(board: chess.Board, count: Counting) -> str:
    """What the side that has just moved threatens: mate at once, or to win two pawns by a capture."""
    if board.is_check() or board.is_game_over():
        return ""
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    threat = next((move for move in passed.legal_moves if _is_mate(passed, move)), None)
    if threat is None:
        targets = {move.to_square for move in passed.generate_legal_captures()}
        if not any(exchange(passed, target, passed.turn) > 1 for target in targets):
            return ""
        won, line = count(passed)
        if won is None or not line or exchange(passed, line[0].to_square, passed.turn) < 2:
            return ""
        kept, threat = count(board)[0], line[0]
        if kept is None or won + kept < 2 * _LEAST:
            return ""
    return texts.THREAT.format(threat=move_words(passed, threat))


def _increased(score: Score) -> Score:
    """By half: what is not far below a winning position is not called another one."""
    return score if score.is_mate() else Cp((score.score() or 0) * 3 // 2)


def _stands(score: Score) -> str:
    """How the side with the advantage stands."""
    name = "is_won" if score >= Cp(_WON) else "is_better" if score >= Cp(_BETTER) else "is_slightly"
    return texts.STATES[name]


def _better(case: _Case, count: Counting) -> str:
    """What the better move does."""
    better, value = move_words(case.board, case.before.line[0]), _value(case.before.score)
    mate = case.pov(case.before.score).mate()
    if mate is not None and mate > 0:
        return texts.BETTER["mates_at_once" if mate == 1 else "mates"].format(better=better, count=mate)
    start, line = 100 * _lead(case.board, case.mover), case.better
    forced = None if line.boards[1].is_game_over() else count(line.boards[1])[0]
    if forced is not None:
        gain = _gain(case.board, line, -forced - start, count)
        if gain is not None and not gain.promoted and not is_recapture(case.board, line.moves[0]):
            return texts.BETTER["wins"].format(better=better, what=gain.what)
        kept = 100 * _lead(_settled(case.board, line.moves, count).boards[-1], case.mover)
        if not line.captured(0) and min(kept, -forced + _LEAST - 1) >= start:
            return texts.BETTER["holds"].format(better=better, value=value)
    return texts.BETTER["scored"].format(better=better, value=value)


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
    mover = board.turn
    line = Line(board, (move, *after.line))
    then = line.boards[1]
    if then.is_checkmate():
        return Reason(texts.GOOD["is_mate"], "", _names(line, 1), (), {"kind": "mate"})
    mate = (after.score if mover == chess.WHITE else -after.score).mate()
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
    if second is not None:
        text = texts.GOOD["only"].format(
            value=_value(after.score), better=move_words(board, second[0]), now=_value(second[1])
        )
        return Reason(text, facts={"kind": "only move"})
    text = texts.GOOD["keeps"].format(value=_value(after.score), line=_line_text(line, 3))
    return Reason(text, facts={"kind": "evaluation"})


def _wins(board: chess.Board, line: Line, count: Counting) -> Reason | None:
    then, mover = line.boards[1], board.turn
    if then.is_game_over() or is_recapture(board, line.moves[0]):
        return None
    value = count(then)[0]
    if value is None:
        return None
    gain = _gain(board, line, -value - 100 * _lead(board, mover), count)
    if gain is None:
        return None
    key = "wins_undefended" if _is_undefended(gain, line) else "wins"
    text = texts.GOOD[key].format(what=gain.what, line=_clause(line, gain.motif, gain.plies))
    names = _names(line, gain.plies)
    return Reason(text, "", names, (), {"kind": "wins material", "what": gain.what, "pawns": gain.pawns})


def _parries(board: chess.Board, line: Line, count: Counting) -> Reason | None:
    """A threat that a pass would allow, and that the move does not."""
    then = line.boards[1]
    if board.is_check() or then.is_game_over():
        return None
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    threat = next((move for move in passed.legal_moves if _is_mate(passed, move)), None)
    if threat is not None and not any(_is_mate(then, move) for move in then.legal_moves):
        text = texts.GOOD["stops_mate"].format(line=passed.san(threat))
        return Reason(text, motifs=frozenset({"defensiveMove"}), facts={"kind": "stops mate"})
    lost, threats = count(passed)
    kept, start = count(then)[0], 100 * _lead(board, board.turn)
    if threat is not None or lost is None or kept is None or not threats or -kept < start - _LEAST:
        return None
    square = threats[0].to_square
    if value(board, square) < 2 or abs(lost + start - 100 * value(board, square)) > _LEAST:
        return None
    text = texts.GOOD["saves"].format(what=texts.piece_on(board, square), line=passed.san(threats[0]))
    return Reason(text, motifs=frozenset({"defensiveMove"}), facts={"kind": "saves"})


def _is_mate(board: chess.Board, move: chess.Move) -> bool:
    if not board.gives_check(move):
        return False
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()
