"""The engine at its best, asked for advice: a hint, a judgement, whether a draw is fair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from protocol.cli.terminal.words import chances_text, score_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from chess.engine import PovScore, Score

    from engine.search.limits import Limits
    from protocol.cli.analysis.analyst import Analyst
    from protocol.cli.analysis.finding import Finding

_REPLIES, _LINE = 3, 8  # plies
_EQUAL, _BETTER, _WINNING = 30, 100, 250  # centipawns; at 100 every second game is won
_EARLY_UNTIL = 30  # moves
_MATE = 100_000  # centipawns


class Adviser:
    """Made when it is first asked; `stop` is for any thread, or a signal's handler."""

    def __init__(self, make: Callable[[], Analyst], limits: Limits) -> None:
        """`limits` are those of each question."""
        self._make = make
        self._limits = limits
        self._analyst: Analyst | None = None

    def hint(self, board: chess.Board) -> str:
        """A move for the side to move and what speaks for it. The game is not over."""
        finding = self._ask(board)
        move, *replies = finding.moves
        then = f", then perhaps {_line(board, move, replies)}" if replies else ""
        return f"Try {board.san(move)}{_virtue(board, move)} ({_outlook(finding.score)}){then}."

    def judgement(self, board: chess.Board) -> str:
        """Who is better, White's score and chances, and the line that this is seen from."""
        finding = self._ask(board)
        text = f"{_verdict(finding.white)}, {score_text(finding.white)}"
        if finding.chances is not None and not finding.white.is_mate():
            text += f", White wins, draws, loses {chances_text(finding.chances)} %"
        return f"{text}: {board.variation_san(finding.moves[:_LINE])}"

    def objection(self, board: chess.Board, color: chess.Color) -> str | None:
        """Why this side would not agree on a draw; None where it would."""
        finding = self._ask(board)
        value = finding.score.pov(color).score(mate_score=_MATE)
        if value > _EQUAL:
            return f"it sees itself ahead, {score_text(finding.white)}"
        if value > -_BETTER and board.fullmove_number < _EARLY_UNTIL:
            return f"the game is young and open, {score_text(finding.white)}"
        return None

    def stop(self) -> None:
        """Answer now."""
        if self._analyst is not None:
            self._analyst.stop()

    def close(self) -> None:
        """Leave no thread behind."""
        if self._analyst is not None:
            self._analyst.close()

    def _ask(self, board: chess.Board) -> Finding:
        if self._analyst is None:
            self._analyst = self._make()
        return self._analyst.best(board, self._limits)


def _line(board: chess.Board, move: chess.Move, replies: list[chess.Move]) -> str:
    after = board.copy(stack=False)
    after.push(move)
    return after.variation_san(replies[:_REPLIES])


def _virtue(board: chess.Board, move: chess.Move) -> str:
    """What can be seen of a move at once."""
    if move.promotion:
        return f", which makes a {chess.piece_name(move.promotion)}"
    if board.is_capture(move):
        taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
        return f", which takes a {chess.piece_name(taken or chess.PAWN)}"
    if board.is_castling(move):
        return ", which brings the king to safety"
    return ", with check" if board.gives_check(move) else ""


def _outlook(score: PovScore) -> str:
    """What the side to move may expect."""
    mate = score.relative.mate()
    if mate is None:
        return f"{score_text(score.relative)} for you"
    return f"mate in {mate}" if mate > 0 else f"mated in {-mate}"


def _verdict(score: Score) -> str:
    """`score` is White's."""
    mate = score.mate()
    if mate is not None:
        return f"{'White' if mate > 0 else 'Black'} mates"
    value = score.score() or 0
    side = "White" if value > 0 else "Black"
    for least, words in ((_WINNING, "is winning"), (_BETTER, "is better"), (_EQUAL, "is a little better")):
        if abs(value) >= least:
            return f"{side} {words}"
    return "About equal"
