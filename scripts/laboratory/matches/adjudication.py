"""The end of a game: by the rules of chess, or adjudicated by the rules of the match."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from scripts.laboratory.matches.record import Termination

if TYPE_CHECKING:
    from collections.abc import Hashable

    from chess.engine import Score


# The score of a mate, in centipawns.
_MATE_SCORE = 100_000


@dataclass(frozen=True, slots=True)
class AdjudicationRules:
    """When a game is adjudicated. Scores are in centipawns; None means never.

    A draw: from full move `draw_move` on, the scores of the last `draw_count` moves of both sides were within
    ±`draw_score`. A loss: the scores of a side's last `resign_count` moves were at most -`resign_score` and,
    with `resign_both`, the opponent's were at least `resign_score`. After `max_moves` full moves a game is
    drawn.
    """

    draw_move: int = 0
    draw_count: int = 8
    draw_score: int | None = None
    resign_count: int = 3
    resign_score: int | None = None
    resign_both: bool = False
    max_moves: int | None = None


class Referee:
    """Decides after every move of a game whether it is over."""

    def __init__(self, board: chess.Board, rules: AdjudicationRules) -> None:
        """Start at the first move of the engines. Positions before it count for repetitions."""
        self._rules = rules
        self._seen: Counter[Hashable] = Counter()
        self._scores: dict[chess.Color, list[int | None]] = {chess.WHITE: [], chess.BLACK: []}
        replay = board.root()
        self._note_position(replay)
        for move in board.move_stack:
            replay.push(move)
            self._note_position(replay)

    def end_by_rule(self, board: chess.Board) -> Termination | None:
        """How the game ends by the rules of chess in this position, None if it goes on.

        A draw by threefold repetition or fifty moves is claimed at once.
        """
        if not any(board.generate_legal_moves()):
            return Termination.CHECKMATE if board.is_check() else Termination.STALEMATE
        if board.is_insufficient_material():
            return Termination.INSUFFICIENT_MATERIAL
        if board.halfmove_clock >= 100:
            return Termination.FIFTY_MOVES
        return Termination.REPETITION if self._seen[_key(board)] >= 3 else None

    def note(self, board: chess.Board, score: Score | None) -> None:
        """Note the position after a move, and the score that its player reported."""
        self._note_position(board)
        value = None if score is None else score.score(mate_score=_MATE_SCORE)
        self._scores[not board.turn].append(value)

    def adjudicate(self, board: chess.Board) -> tuple[Termination, chess.Color | None] | None:
        """How the game is adjudicated after the last move, and the winner; None if it goes on."""
        rules = self._rules
        if self._is_agreed_draw(board):
            return Termination.DRAW_ADJUDICATED, None
        loser = not board.turn
        if rules.resign_score is not None and self._is_lost(loser, rules.resign_score):
            return Termination.WIN_ADJUDICATED, not loser
        if rules.max_moves is not None and board.turn and board.fullmove_number > rules.max_moves:
            return Termination.MOVE_LIMIT, None
        return None

    def _note_position(self, board: chess.Board) -> None:
        self._seen[_key(board)] += 1

    def _is_agreed_draw(self, board: chess.Board) -> bool:
        bound, count = self._rules.draw_score, self._rules.draw_count
        if bound is None or board.fullmove_number < self._rules.draw_move:
            return False
        last = [score for scores in self._scores.values() for score in scores[-count:]]
        return len(last) == 2 * count and all(score is not None and abs(score) <= bound for score in last)

    def _is_lost(self, colour: chess.Color, bound: int) -> bool:
        count = self._rules.resign_count
        own, other = self._scores[colour][-count:], self._scores[not colour][-count:]
        if len(own) < count or not all(score is not None and score <= -bound for score in own):
            return False
        if not self._rules.resign_both:
            return True
        return len(other) == count and all(score is not None and score >= bound for score in other)


def _key(board: chess.Board) -> Hashable:
    """A key that is equal for positions that count as repetitions of each other."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.clean_castling_rights(),
        board.ep_square if board.has_legal_en_passant() else None,
    )
