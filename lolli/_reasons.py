"""Why a move is bad or good: what its line and the better one claim, compared, and sentences that say it.

Material is claimed only where two kinds of search agree: the best line of the engine, to its quiet end, and a
search that counts material alone, so that nothing counts that a side gives away of its own accord. Both are
compared with the better move: what is also so after that is no reason. Of an evaluation only its class is
said: no numbers, and nothing where the game is decided either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import chess
from chess.engine import Cp, Score

from lolli import _claims as claims
from lolli import _ideas as ideas
from lolli import _texts as texts
from lolli._ideas import Idea
from lolli._motifs import Line, board_after, exchange, motifs, needs_bishops, value
from lolli._positions import is_recapture, move_words

_ALSO = 0.35  # of a loss may follow from the better move, too
_WON, _CLEAR, _BETTER, _LEVEL = 300, 140, 100, 50  # centipawns; at 100 half the games are won
_LARGE, _NOTABLE, _SMALL = 200, 120, 100  # losses: too large for a quiet reason, worth naming, small
_NOTHING = 30  # centipawns; so much is no advantage
_FAR_AHEAD, _LOST = 450, 400  # from there on the game is decided
_DECIDED, _SHARE = 250, 0.38  # centipawns that tell moves apart then, and the part of a lesser score
_BY_BISHOPS = frozenset(("bodenMate", "doubleBishopMate"))
_WITH_MORE = frozenset(("allows mate", "loses material"))
_BOUND = 1000  # centipawns; higher scores are as good
_FEW, _SHARPER = 13, 1.5  # pieces and pawns of an endgame, and the factor of its scores
_LOWEST, _FURTHER = 70, 50  # centipawns: least for a pawn, and for each more
_ENOUGH, _MORE = 220, 325  # centipawns: enough for any loss, most for each pawn
_SOON = 6  # plies of the better line in which the answer is looked for
_FEW_MOVES = 6  # that are tried for zugzwang
_NEAR_MATE, _CRUSHING = 2500, 5  # centipawns of a mate that is not counted, and pawns that are worth as much
_HOPELESS = 700  # centipawns, where a mate that is some moves away is no news
_FAR_MATE = 8  # moves; nobody learns from one that is farther away


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


# Bad moves


@dataclass(frozen=True)
class _Case:
    """A move with what is known before and after it; scores and material are the mover's."""

    board: chess.Board
    move: chess.Move
    before: Known
    after: Known
    count: claims.Counting

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
        return claims.settled_line(self.then, self.after.line, self.count)

    @cached_property
    def best(self) -> Line:
        """The better line, settled."""
        return claims.settled_line(self.board, self.before.line, self.count)

    @cached_property
    def taken(self) -> list[int]:
        """The pawns that the other side has won on each board of the refutation."""
        return claims.leads_of(self.board, self.refutation)

    @cached_property
    def won(self) -> list[int]:
        """The pawns that the mover has won on each board of the better line."""
        return claims.leads_of(self.board, self.best)

    @cached_property
    def kept(self) -> float | None:
        """The pawns that the better line certainly wins, by force and to its end; None for a mate."""
        return self._certain(self.better.boards[1], -1, self.won)

    @cached_property
    def lost(self) -> float | None:
        """The pawns that the move certainly loses, by force and in the refutation; None for a mate."""
        return self._certain(self.then, 1, self.taken)

    def _certain(self, then: chess.Board, sign: int, leads: Sequence[int]) -> float | None:
        forced = None if then.is_game_over() else self.count(then)[0]
        lead = claims.lead_of(self.board, self.mover)
        return None if forced is None else min(sign * (forced / 100 + lead), leads[-1])

    @cached_property
    def is_taken_back(self) -> bool:
        """Whether the move is a capture that is answered by a capture on the same square."""
        return self.board.is_capture(self.move) and self.answer.moves[0].to_square == self.move.to_square

    @cached_property
    def cost(self) -> int:
        """What the move costs in pawns at the ends of both lines, or in the better one before."""
        return self.taken[-1] + max(self.won[-1], claims.soon(self.best, self.won))

    @cached_property
    def same_answer(self) -> Line | None:
        """The better line from where the answer is soon played there, too, and takes the same."""
        first, taken, better = self.answer.moves[0], self.answer.captured(0), self.better
        for ply in range(1, min(_SOON, len(better.moves)), 2):
            if better.moves[ply] == first and better.captured(ply) == taken:
                return Line(better.boards[ply], better.moves[ply:])
        return None

    @cached_property
    def also(self) -> frozenset[Idea]:
        """What the answer does if it is played after the better move, too."""
        line = self.same_answer
        if line is None:
            return frozenset()
        threats = ideas.threats(line, self.count, quiet=True)
        return frozenset((*ideas.of(line), *ideas.each_attack(line), *threats))

    def mates(self, known: Known) -> int:
        """The moves until the mover mates, below 0 until it is mated; 0 for no mate."""
        return _pov(known.score, self.mover).mate() or 0

    @property
    def loss(self) -> int:
        """In centipawns."""
        return self.scores[0] - self.scores[1]

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
    count: claims.Counting,
    *,
    whole: bool = True,
) -> Reason | None:
    """The reason of a move that loses winning chances; None if `before` has no better line.

    `board` is before the move; `after` is of the position after it, with the refutation. With `whole` the
    reason has `more`.
    """
    if not before.line or before.line[0] == move:
        return None
    case = _Case(board, move, before, after, _remembering(count))
    for find in (_mates, _material, _draws, _scores):
        reason = find(case)
        if reason is not None:
            more = _better(case) if whole and reason.facts["kind"] in _WITH_MORE else ""
            return replace(reason, more=more, motifs=reason.motifs | _names(case.answer, claims.TELLING))
    return None


def _remembering(count: claims.Counting) -> claims.Counting:
    """The same, but each position is counted once."""
    known: dict[str, tuple[int | None, Sequence[chess.Move]]] = {}

    def counted(board: chess.Board) -> tuple[int | None, Sequence[chess.Move]]:
        key = board.fen()
        if key not in known:
            known[key] = count(board)
        return known[key]

    return counted


def only_better(board: chess.Board, better: chess.Move) -> Reason:
    """What can be said of every move with a mark."""
    return Reason(
        texts.BETTER["plain"].format(better=move_words(board, better)), facts={"kind": "evaluation"}
    )


def _mates(case: _Case) -> Reason | None:
    after, before = case.mates(case.after), case.mates(case.before)
    farthest = _FAR_MATE if case.scores[0] > -_HOPELESS else claims.TELLING
    if -farthest <= after < 0 and case.after.line:
        line = case.answer
        return _reason(_mate_text("allows_mate", line, -after), line, "allows mate")
    if 0 < before <= _FAR_MATE and not case.then.is_stalemate():
        line = case.better
        text = _mate_text("misses_mate", line, before)
        loss = _material(case)
        if loss is not None and loss.facts["kind"] == "loses material" and loss.facts["pawns"] > claims.MUCH:
            text = f"{text} {loss.text}"
        return Reason(text, arrows=_arrows(case.answer, None), facts={"kind": "misses mate"})
    return None


def _mate_text(template: str, line: Line, count: int) -> str:
    name, plies = "mate", 1
    if line.boards[-1].is_checkmate() and len(line.moves) <= claims.SHOWN:
        unfit = {"mate"} if needs_bishops(line.boards[-1]) else {"mate", *_BY_BISHOPS}
        names = (each.name for each in motifs(line) if each.name in texts.MATES.keys() - unfit)
        name, plies = next(names, name), len(line.moves)
    key = f"{template}_at_once" if count == 1 else template
    return (texts.REASONS | texts.GOOD)[key].format(
        mate=texts.MATES[name], count=count, line=claims.line_text(line, plies)
    )


def _explains(case: _Case, gain: claims.Gain) -> bool:
    """Whether the material is what the evaluation has changed by: all of it, and not far more."""
    is_enough = gain.pawns > claims.MUCH or not _is_little(case, gain.pawns)
    return is_enough and not _is_too_much(case, gain.pawns) and _explains_scores(case, gain)


def _explains_scores(case: _Case, gain: claims.Gain) -> bool:
    """Whether there is no score as of a mate, or as much is won."""
    scores = (each.score.score(mate_score=2 * _NEAR_MATE) for each in (case.before, case.after))
    return gain.pawns >= _CRUSHING or max(map(abs, scores)) < _NEAR_MATE


def _is_too_much(case: _Case, pawns: int) -> bool:
    """Whether the evaluation has changed by less than these pawns."""
    least = _LOWEST + _FURTHER * (pawns - 1)
    return case.loss < min(least, _ENOUGH, (_BOUND + case.scores[0]) // 2)


def _is_little(case: _Case, pawns: int) -> bool:
    """Whether the evaluation has changed by far more than these pawns."""
    return case.loss > _MORE * pawns


def _material(case: _Case) -> Reason | None:
    if not case.after.line or max(case.taken[-1], case.won[-1]) < 1:
        return None
    lost, kept = case.lost, case.kept or 0.0
    if lost is None:
        return None
    if lost >= max(claims.LEAST, min(kept, claims.MUCH)) and kept > -_ALSO * lost:
        gain = claims.gain_of(case.board, case.refutation, lost, case.count)
        if gain is not None and _explains(case, gain):
            offered = gain.pawns == 1 and case.scores[1] >= 0  # and worth it
            return None if offered or _is_doubtful(case, gain, case.refutation) else _loss(case, gain)
        if lost > max(kept, claims.MUCH):
            return None  # what it misses is less than what it loses
    if kept >= claims.LEAST and case.taken[-1] > -_ALSO * kept:
        return _missed(case, kept)
    return None


def _is_doubtful(case: _Case, gain: claims.Gain, line: Line) -> bool:
    """Whether it is but a pawn, and the game is decided, or the other side need not play along."""
    if gain.pawns > 1 or line.boards[0].piece_type_at(gain.square) != chess.PAWN:
        return False
    return _is_decided(*case.scores) or not claims.is_forced(line, gain.plies)


def _clause(line: Line, gain: claims.Gain) -> str:
    clause = claims.clause_of(line, gain.motif, gain.plies)
    return _with_refutation(clause, gain.unless) or clause


def _with_refutation(clause: str, unless: Line | None) -> str:
    """The clause of a capture, with why it is not taken back in brackets; empty if it can be."""
    return texts.LINE.format(clause=clause, line=claims.line_text(unless, claims.SHOWN)) if unless else ""


def _loss(case: _Case, gain: claims.Gain) -> Reason:
    answer = case.refutation
    if gain.promoted:
        text = texts.REASONS["lets_promote"].format(
            square=chess.square_name(gain.square), line=claims.line_text(answer, gain.plies)
        )
    else:
        key = "loses_undefended" if claims.is_undefended(gain, answer) else "loses"
        text = texts.REASONS[key].format(what=gain.what, line=_clause(answer, gain))
    return _reason(text, answer, "loses material", gain)


def _missed(case: _Case, kept: float) -> Reason | None:
    first = case.before.line[0]
    gain = claims.gain_of(case.board, case.best, kept, case.count)
    if gain is None or gain.promoted or _is_doubtful(case, gain, case.best) or not _explains(case, gain):
        return None
    if case.taken[0] < min(0, case.taken[-1]) and not case.is_taken_back:
        return None  # what the move takes is won back by other means, which are the reason
    line = claims.line_text(case.best, gain.plies)
    captures = case.board.is_capture(case.move) and case.board.is_capture(first)
    if captures and case.move.to_square == first.to_square and case.move.from_square != first.from_square:
        if case.loss < _SMALL:
            return None
        text = texts.REASONS["takes_wrongly"].format(line=line)
    elif gain.plies == 1 and is_recapture(case.board, first):
        text = texts.REASONS["misses_retaking"].format(square=chess.square_name(first.to_square), line=line)
    else:
        clause = _clause(case.best, gain)
        text = texts.REASONS["misses_win"].format(what=gain.what, line=clause)
    if case.scores[1] <= -_BETTER and (fact := _fact(case)[1]):
        text = f"{text} {_sentence(fact)}."
    return Reason(
        text, "", frozenset(), _arrows(case.answer, None), {"kind": "misses material", "what": gain.what}
    )


def _draws(case: _Case) -> Reason | None:
    """A draw that the rules give, where there was an advantage."""
    then, score = case.then, case.scores[0]
    if score < _CLEAR:
        return None
    if then.is_stalemate():
        better = move_words(case.board, case.before.line[0])
        text = texts.REASONS["stalemates"].format(state=texts.STATES[_state(score)], better=better)
        return Reason(text, facts={"kind": "stalemates"})
    if case.after.score != Cp(0) or not case.after.line:
        return None
    board, checks, saves = then.copy(), True, True  # each answer is a check; each of the mover's moves
    answer = Line(then, _repeated(case.answer))
    for ply, move in enumerate(answer.moves[: claims.SHOWN + 1]):
        board.push(move)
        checks = checks and (ply % 2 == 1 or board.is_check())
        saves = saves and (ply % 2 == 0 or board.is_check())
        key = ""
        if board.is_stalemate():
            key = "allows_stalemate" if board.turn != case.mover else ""
        elif board.is_repetition(2) and (checks or not saves or ply == 0):
            key = "allows_perpetual" if checks else "allows_repetition"
        if key:
            text = texts.REASONS[key].format(
                side=texts.SIDES[not case.mover], line=claims.line_text(answer, ply + 1)
            )
            return Reason(text, arrows=_arrows(case.answer, None), facts={"kind": key})
    return None


def _repeated(line: Line) -> tuple[chess.Move, ...]:
    """The moves of a line, with the check and the answer that repeat a position of it, if there are such."""
    seen = {board.epd() for board in line.boards}
    end = line.boards[-1]
    for check in end.legal_moves if end.turn == line.solver else ():
        after = board_after(end, check)
        if after.is_check():
            for answer in after.legal_moves:
                last = board_after(after, answer)
                if last.epd() in seen:
                    return (*line.moves, check, answer)
    return line.moves


def _state(score: int) -> str:
    """A key of STATES: how the side with this score stands for certain, as engines differ."""
    if score >= _CLEAR:
        return "won" if score >= _WON else "better"
    return "level" if score > -_BETTER else "worse"


def _now(before: int, after: int, mover: chess.Color) -> str:
    """How the position stands after the move; empty where engines may disagree."""
    if after <= -_CLEAR and (before > -_CLEAR or before - after >= _SMALL):
        had, has = (score <= -_WON for score in (before, after))
        key = "more" if had or (before <= -_BETTER and not has) else "won" if has else "better"
        return texts.NOW[key].format(side=texts.SIDES[not mover])
    if before < _CLEAR or before - after < _NOTABLE:
        return ""
    if after == 0 and before < _WON:
        return ""  # many a repetition that a search finds is none
    key = "lost" if after <= _NOTHING else "gone" if after <= min(before // 2, 2 * _BETTER) else "less"
    return texts.NOW[key].format(side=texts.SIDES[mover])


def _scores(case: _Case) -> Reason | None:
    """A loss that is not material: what the answer or the better move does, and how the game stands."""
    before, after = case.scores
    if not case.after.line:
        return None
    plies, fact = _what_answer_does(case)
    shown, idea = _what_better_does(case, is_told=bool(fact))
    certain = (fact or case.loss >= min(_SHARE * abs(before), _ENOUGH)) and not _is_settled(before, after)
    kept, now = (texts.KEPT[_state(before)], _now(before, after, case.mover)) if certain else ("", "")
    if after >= _WON or (before <= -_BETTER and case.loss < _NOTABLE):
        kept = ""
    place = _idea(case, ideas.places(case.better)) if case.loss < _SMALL and not (idea or now) else None
    if place is not None:
        shown, idea = 1, place.text
    if now and not fact:
        told = claims.telling_plies(case.board, case.answer)
        if told > 1 or case.answer.moves[0] not in case.better.moves[1:2]:  # where it answers that, too
            fact = texts.FACTS["after"].format(line=claims.line_text(case.answer, told), now=now)
    elif now and plies == 1:
        fact = texts.FACTS["and"].format(fact=fact, now=now)
    better = claims.line_text(case.best, shown)
    if kept and fact:
        key = "kept_by" if idea else "kept"
        text = texts.REASONS[key].format(better=better, idea=idea, kept=kept, fact=fact)
    elif fact or idea:
        better = texts.FACTS["which"].format(better=better, idea=idea) if idea else better
        key = "better_was" if fact else "only"
        text = texts.REASONS[key].format(fact=_sentence(fact), better=better)
    else:
        return None
    return Reason(text, arrows=_arrows(case.answer, None), facts={"kind": "evaluation"})


def _what_answer_does(case: _Case) -> tuple[int, str]:
    """The plies that the clause covers, and what the answer does, as a clause; empty for nothing."""
    is_ending = chess.popcount(case.board.occupied) <= _FEW
    if rule := (_ending(case) if is_ending else "") or _promotes(case):
        return 1, rule
    plies, fact = _fact(case)
    attack = "" if _shows_more(case) else _effect(case, ideas.attacks(case.answer))
    if fact := fact or attack or _given(case):
        return plies, fact
    plies, fact = _proven_loss(case)
    return plies, fact or (_quiet(case) if case.loss < _LARGE else "")


def _shows_more(case: _Case) -> bool:
    """Whether a large loss is rather shown by the line than by an attack on one piece that moves away."""
    attack = next(ideas.attacks(case.answer), None)
    if attack is None or attack.kind != "attacks" or attack.about != (case.answer.moves[1].from_square,):
        return False
    return case.loss >= _LARGE and claims.telling_plies(case.board, case.answer) > 1


def _what_better_does(case: _Case, *, is_told: bool) -> tuple[int, str]:
    """The plies of the better line to show, and what it does; with `is_told` only what weighs as much."""
    threat = ideas.opposition(case.better) or _threat(case, quiet=False)
    idea = threat or _idea(case, ideas.takes_or_attacks(case.better))
    plies, wins = _proven_win(case) if case.scores[0] > -_BETTER else (1, "")
    misses = wins and plies > 1 and case.scores[1] > -_BETTER
    if idea is not None and (threat or not misses or not ideas.is_met(case.best, idea)):
        return 1, idea.text
    if taken := _takes_guarded(case):
        return 1, taken
    won = claims.winning_plies(case.best, case.won, case.count) if case.cost >= claims.MUCH else 0
    if (won == claims.TELLING and claims.is_forced(case.best, won)) or _retakes(case):
        return claims.TELLING, ""
    if wins and (misses or plies < claims.TELLING or not is_told):
        return plies, wins
    idea = _idea(case, ideas.effects(case.better)) if case.loss < _LARGE else None
    if idea is None and not is_told:
        idea = _threat(case, quiet=True)
    if idea is not None:
        return 1, idea.text
    return claims.telling_plies(case.board, case.better, claims.MUCH if is_told else 1), ""


def _takes_guarded(case: _Case) -> str:
    """What the better move takes though it is guarded, and why it is not taken back."""
    line, square = case.better, case.better.moves[0].to_square
    worth = value(case.board, square)
    if not worth or case.won[1] < worth or _takes_as_much(case) or _is_too_much(case, worth):
        return ""
    unless = claims.refuted_retaking(line, case.count, worth)
    takes = texts.IDEAS["takes"].format(what=texts.piece_on(case.board, square))
    return _with_refutation(takes, unless)


def _threat(case: _Case, *, quiet: bool) -> Idea | None:
    """What the better move threatens and the move does not."""
    threat = next(_threats(case, case.better, quiet=quiet), None)
    played = Line(case.board, (case.move, *case.after.line))
    return None if threat is None or threat in _threats(case, played, quiet=quiet) else threat


def _retakes(case: _Case) -> bool:
    """Whether the answer takes the same at once after the better move, which is then taken back."""
    line, first = case.better, case.answer.moves[0]
    is_same = case.same_answer is not None and line.moves[1] == first and bool(line.captured(1))
    return is_same and claims.is_retaken(line, 1)


def _sentence(fact: str) -> str:
    return f"{fact[:1].upper()}{fact[1:]}"


def _is_settled(before: int, after: int) -> bool:
    """Whether the game is decided before and after the move, and it does not change much."""
    far = before <= -_WON or (before >= _FAR_AHEAD and after >= _WON)
    return _is_decided(before, after) or (far and before - after < _DECIDED)


def _is_decided(before: int, after: int) -> bool:
    return before <= -_LOST or min(before, after) >= _FAR_AHEAD


def _quiet(case: _Case) -> str:
    """What the move gives up that the better one keeps, or what the answer does."""
    board, move, us = case.board, case.move, case.mover
    had, has, keeps = (each.has_castling_rights(us) for each in (board, case.then, case.better.boards[1]))
    keeps = keeps or board.is_castling(case.better.moves[0])
    if had and not has and keeps and not board.is_castling(move) and board.pieces(chess.QUEEN, not us):
        return texts.FACTS["uncastles"]
    return _effect(case, ideas.effects(case.answer))


def _effect(case: _Case, found: Iterator[Idea]) -> str:
    """The first of what the answer does, unless it does so after the better move, too, or that does."""
    idea = next(found, None)
    if idea is None or idea in case.also or idea in ideas.of(case.better):
        return ""
    return _does(case, idea)


def _idea(case: _Case, found: Iterator[Idea]) -> Idea | None:
    """The first of what the better move does, if neither the move nor the answer does the like."""
    line = Line(case.board, (case.move, *case.after.line))
    played = {*ideas.of(line), *ideas.each_attack(line), *ideas.places(line), *ideas.effects(case.answer)}
    takes = not _takes_as_much(case)
    return next((each for each in found if each not in played and (takes or each.kind != "takes")), None)


def _takes_as_much(case: _Case) -> bool:
    """Whether the move takes as much as the better one, or the same can be taken a move later."""
    target = case.better.moves[0].to_square
    is_soon = len(case.answer.moves) > 1 and case.answer.moves[1].to_square == target
    later = value(case.then, target) if is_soon else 0
    return max(value(case.board, case.move.to_square), later) >= value(case.board, target)


def _threats(case: _Case, line: Line, *, quiet: bool) -> Iterator[Idea]:
    """What the first move of a line threatens; of a capture only mate, a new queen and a trapped piece."""
    takes = line.captured(0) and not (line is case.answer and case.is_taken_back)
    return ideas.threats(line, case.count, quiet=quiet and not takes)


def _does(case: _Case, idea: Idea) -> str:
    return texts.FACTS["does"].format(move=move_words(case.then, case.answer.moves[0]), idea=idea.text)


def _ending(case: _Case) -> str:
    """The endgame rule that makes the answer strong; empty if it also holds after the better move."""
    after, best = case.answer.boards[1], case.better.boards[: claims.TELLING][-1]
    pawn, corner = ideas.uncaught(after), ideas.uncovered(after, case.mover)
    if pawn is not None and len(case.better.moves) > 1 and ideas.uncaught(best) is None:
        key, square = "uncaught", pawn
    elif corner is not None and ideas.uncovered(best, case.mover) is None and abs(case.scores[1]) <= _LEVEL:
        key, square = "uncovered", corner
    else:
        idea = ideas.opposition(case.answer)
        if idea is None and _is_zugzwang(case):
            idea = ideas.idea("zugzwang", side=texts.SIDES[case.mover])
        return _does(case, idea) if idea is not None else ""
    first = move_words(case.then, case.answer.moves[0])
    return texts.FACTS[key].format(move=first, square=chess.square_name(square))


def _promotes(case: _Case) -> str:
    """That a pawn of the other side promotes in the refutation alone, and none of the mover's."""
    pawn = claims.promoting(case.refutation) if case.cost > claims.MUCH else None
    others = (*case.best.moves[1::2], *case.refutation.moves[1::2])
    if pawn is None or any(move.promotion for move in others):
        return ""
    first = move_words(case.then, case.answer.moves[0])
    return texts.FACTS["promotes"].format(move=first, square=chess.square_name(pawn))


def _is_zugzwang(case: _Case) -> bool:
    """Whether each of the few moves after the answer loses material, and a pass would not."""
    after = case.answer.boards[1]
    passed = ideas.passed_of(after)
    if passed is None or after.legal_moves.count() > _FEW_MOVES:
        return False
    lead, here, there = 100 * claims.lead_of(after, after.turn), case.count(after)[0], case.count(passed)[0]
    return here is not None and there is not None and here <= lead - 100 * claims.LEAST and -there >= lead


# What a line shows without a sentence of its own


def _fact(case: _Case) -> tuple[int, str]:
    """What the answer does, as a clause, or the plies in which it wins something; else 1 and nothing."""
    answer = case.answer
    if case.same_answer is not None and case.cost < claims.MUCH and case.loss < _WON:
        return 1, ""  # it answers the better move, too
    if (motif := claims.twofold(answer)) is not None:
        return 1, claims.clause_of(answer, motif, 1)
    plies = claims.winning_plies(case.refutation, case.taken, case.count) if case.cost >= 1 else 0
    won = _has_won(case, plies)
    is_first_of_more = won and case.taken[1] < claims.MAINLY * case.taken[plies]
    if not is_first_of_more and (taken := _taken(case, plies)):
        return 1, taken
    threat = next(_threats(case, answer, quiet=not plies), None)
    if threat is not None and threat not in case.also:
        return 1, _does(case, threat)
    return (plies, won) if won else (1, "")


def _proven_loss(case: _Case) -> tuple[int, str]:
    """The plies in which the answer wins material, as a count before each reply proves, with the clause."""
    plies = claims.proven_plies(case.refutation, case.taken, case.count) if case.cost >= 1 else 0
    fact = _has_won(case, plies)
    return (plies, fact) if fact else (1, "")


def _has_won(case: _Case, plies: int) -> str:
    """What the answer wins within these plies, as a clause; empty for too little, or if it is taken back."""
    what, is_pawns = claims.winnings(case.board, case.refutation, plies)
    if not what or case.taken[plies] < 1 or (is_pawns and _is_little(case, case.taken[plies])):
        return ""
    if _is_too_much(case, min(case.taken[plies], case.cost)) or _is_taken_anyway(case, plies):
        return ""
    line, side = claims.line_text(case.refutation, plies), texts.SIDES[not case.mover]
    lead = claims.lead_of(case.refutation.boards[plies], not case.mover)
    key = "wins_back" if -claims.MUCH <= lead <= 0 else "wins"
    fact = texts.FACTS[key].format(line=line, side=side, what=what)
    square = case.answer.moves[0].to_square
    if plies > 1 or case.is_taken_back or exchange(case.then, square, not case.mover) >= claims.MUCH:
        return fact
    unless = claims.refuted_retaking(case.refutation, case.count, case.taken[1])
    return _with_refutation(fact, unless)


def _is_taken_anyway(case: _Case, plies: int) -> bool:
    """Whether all that is taken for good within these plies is soon taken after the better move, too."""
    line, better = case.refutation, case.better
    soon = (ply for ply in range(1, min(_SOON, len(better.moves)), 2) if not claims.is_retaken(better, ply))
    anyway = [(better.captured(ply), better.moves[ply].to_square) for ply in soon]
    taken = [
        ply
        for ply in range(2 * case.is_taken_back, plies, 2)
        if line.captured(ply) and not claims.is_retaken(line, ply)
    ]
    return bool(taken) and all((line.captured(ply), line.moves[ply].to_square) in anyway for ply in taken)


def _proven_win(case: _Case) -> tuple[int, str]:
    """The plies in which the better line wins material as surely, and that, as a clause without the line."""
    plies = claims.proven_plies(case.best, case.won, case.count) if case.cost >= 1 else 0
    if not plies or is_recapture(case.board, case.best.moves[0]):
        return 1, ""
    what, is_pawns = claims.winnings(case.board, case.best, plies)
    key, won = "wins", case.won[plies]
    if case.taken[0] < 0 and case.taken[-1] < 0:
        what, is_pawns = claims.surplus(case.board, case.best, plies, case.refutation)
        key, won = "wins_more", case.won[plies] + case.taken[-1]
    elif plies == 1 and _takes_as_much(case):
        return 1, ""
    if not what or won < 1 or (is_pawns and _is_little(case, won)):
        return 1, ""
    return plies, texts.IDEAS[key].format(what=what)


def _taken(case: _Case, plies: int) -> str:
    """What the answer takes for good, as a clause, if the line wins no more in its first `plies` plies."""
    answer, board = case.answer, case.then
    first, taken = answer.moves[0], answer.captured(0)
    if not taken or board.is_en_passant(first) or case.is_taken_back or case.taken[1] <= 0:
        return ""
    worth = value(board, first.to_square)
    elsewhere = len(answer.moves) > 1 and not claims.is_retaken(answer, 0)
    is_traded = elsewhere and claims.MUCH < worth <= value(answer.boards[1], answer.moves[1].to_square)
    if is_traded or _is_taken_anyway(case, 1):
        return ""
    is_free = exchange(board, first.to_square, board.turn) >= worth
    lasts = not plies and case.taken[-1] >= worth and not _is_little(case, worth)
    if plies != 1 and (case.cost < claims.MAINLY * worth or not (is_free or lasts)):
        return ""
    text = _takes(case)
    line = claims.refuted_retaking(answer, case.count, worth)
    if is_free and not line:
        if (more := ideas.attacked_more(answer)) is None:
            return text
        return texts.FACTS["attacking"].format(fact=text, what=texts.piece_on(answer.boards[1], more))
    return _with_refutation(text, line)


def _takes(case: _Case) -> str:
    what = texts.piece_on(case.then, case.answer.moves[0].to_square)
    return _does(case, ideas.idea("takes", what=what))


def _given(case: _Case) -> str:
    """What the answer takes, as a clause, if the mover gives a piece."""
    board, square = case.then, case.answer.moves[0].to_square
    worth = value(board, square)
    if case.is_taken_back or case.same_answer is not None or worth <= claims.MUCH:
        return ""
    is_given = exchange(board, square, board.turn) >= worth and min(case.taken[1:3], default=0) > 0
    return _takes(case) if is_given else ""


def _better(case: _Case) -> str:
    """What the better move does."""
    better = move_words(case.board, case.before.line[0])
    mate = case.mates(case.before)
    if mate > 0:
        return texts.BETTER["mates_at_once" if mate == 1 else "mates"].format(better=better, count=mate)
    if case.kept is not None and case.kept >= claims.LEAST:
        gain = claims.gain_of(case.board, case.best, case.kept, case.count)
        if gain is not None and not gain.promoted and _explains_scores(case, gain):
            key = "retakes" if is_recapture(case.board, case.before.line[0]) else "wins"
            return texts.BETTER[key].format(better=better, what=gain.what)
    return texts.BETTER["plain"].format(better=better)


def _reason(text: str, line: Line, kind: str, gain: claims.Gain | None = None) -> Reason:
    facts: dict[str, Any] = {"kind": kind}
    if gain is not None:
        facts |= {"what": gain.what, "pawns": gain.pawns}
    last = len(line.moves) if gain is None else gain.plies
    return Reason(text, "", _names(line, last), _arrows(line, gain), facts)


def _names(line: Line, plies: int) -> frozenset[str]:
    """Of the motifs in the first plies of a line."""
    return frozenset(motif.name for motif in motifs(Line(line.boards[0], line.moves[:plies])))


def _arrows(line: Line, gain: claims.Gain | None) -> tuple[tuple[chess.Square, chess.Square], ...]:
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
    count: claims.Counting,
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
        whole = line.boards[-1].is_checkmate() and len(line.moves) <= claims.SHOWN
        text = texts.GOOD["mates"].format(
            count=mate + 1, line=claims.line_text(line, len(line.moves) if whole else 1)
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
    text = texts.KEEPS[_state(score)].format(line=claims.line_text(line, 3))
    return Reason(text, facts={"kind": "evaluation"})


def _wins(board: chess.Board, line: Line, count: claims.Counting) -> Reason | None:
    then, mover = line.boards[1], board.turn
    if then.is_game_over() or is_recapture(board, line.moves[0]):
        return None
    value = count(then)[0]
    if value is None:
        return None
    won = -value / 100 - claims.lead_of(board, mover)
    settled = claims.settled_line(board, line.moves, count)
    gain = claims.gain_of(board, settled, won, count)
    if gain is None:
        return None
    key = "wins_undefended" if claims.is_undefended(gain, settled) else "wins"
    text = texts.GOOD[key].format(what=gain.what, line=_clause(settled, gain))
    names = _names(settled, gain.plies)
    return Reason(text, "", names, (), {"kind": "wins material", "what": gain.what, "pawns": gain.pawns})


def _parries(board: chess.Board, line: Line, count: claims.Counting) -> Reason | None:
    """A threat that a pass would allow, and that the move does not."""
    then, passed = line.boards[1], ideas.passed_of(board)
    if passed is None or then.is_game_over():
        return None
    threat = ideas.mating_move(passed)
    if threat is not None and ideas.mating_move(then) is None and not then.is_check():
        text = texts.GOOD["stops_mate"].format(line=passed.san(threat))
        return Reason(text, motifs=frozenset({"defensiveMove"}), facts={"kind": "stops mate"})
    lost, threats = count(passed)
    kept, start = count(then)[0], 100 * claims.lead_of(board, board.turn)
    if (
        threat is not None
        or lost is None
        or kept is None
        or not threats
        or -kept < start - 100 * claims.LEAST
    ):
        return None
    square, move = threats[0].to_square, line.moves[0]
    now = move.to_square if move.from_square == square else square
    if board.is_capture(move) or exchange(then, now, then.turn):
        return None
    worth = value(board, square)
    is_free = exchange(passed, square, passed.turn) >= worth  # not a trade that draws a guard away
    if worth < 2 or not is_free or abs(lost + start - 100 * worth) > 100 * claims.LEAST:
        return None
    text = texts.GOOD["saves"].format(what=texts.piece_on(board, square), line=passed.san(threats[0]))
    return Reason(text, motifs=frozenset({"defensiveMove"}), facts={"kind": "saves"})
