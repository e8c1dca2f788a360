"""One game between two players."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import chess

from .adjudication import Referee
from .pgn import MoveNote, pgn_text
from .player import EnginePlayer, EngineReply, ForfeitError, GameState, late
from .record import FinishedGame, Termination, Usage
from .time_control import GameClock

if TYPE_CHECKING:
    from .book import Opening
    from .plan import MatchRules


@dataclass(frozen=True, slots=True)
class GameJob:
    """A game to be played. Its number says who has White: engine 0 if it is even."""

    number: int
    opening: Opening


@dataclass(frozen=True, slots=True)
class _Outcome:
    ending: Termination
    winner: chess.Color | None
    detail: str = ""


class EngineGame:
    """A game being played."""

    def __init__(self, job: GameJob, rules: MatchRules, players: tuple[EnginePlayer, EnginePlayer]) -> None:
        """Set up the opening and the clocks; `players` are engine 0 and engine 1."""
        self._job = job
        self._rules = rules
        self._players = players
        board = job.opening.board(chess960=rules.chess960)
        white = job.number % 2
        self._seats = {chess.WHITE: white, chess.BLACK: 1 - white}
        clocks = [
            GameClock(rules.engines[seat].pace, rules.engines[seat].margin) for seat in (white, 1 - white)
        ]
        self._table = GameState(board, job.opening.fen, list(job.opening.moves), (clocks[0], clocks[1]))
        self._referee = Referee(board, rules.adjudication)
        self._usage = [Usage(), Usage()]
        self._notes: list[MoveNote] = []

    def play(self) -> tuple[FinishedGame, str]:
        """Play to the end. The record and the game as PGN. Raises StartError."""
        outcome = self._play()
        for player in self._players:
            player.rest()
        first, second = (
            used + Usage(peak_memory=player.peak_memory())
            for used, player in zip(self._usage, self._players, strict=True)
        )
        record = FinishedGame(
            number=self._job.number,
            result=_result(outcome.winner),
            ending=outcome.ending,
            detail=outcome.detail,
            plies=len(self._table.board.move_stack),
            usage=(first, second),
        )
        if record.forfeiter is not None:
            record = replace(record, last_lines=self._players[record.forfeiter].last_lines())
        return record, pgn_text(self._table.board, self._notes, record, self._rules)

    def _play(self) -> _Outcome:
        board = self._table.board
        for colour in chess.COLORS:
            try:
                self._players[self._seats[colour]].new_game(self._table)
            except ForfeitError as error:
                return _Outcome(error.ending, not colour, error.detail)
        while True:
            if (ending := self._referee.end_by_rule(board)) is not None:
                return _Outcome(ending, not board.turn if ending is Termination.CHECKMATE else None)
            if (verdict := self._referee.adjudicate(board)) is not None:
                return _Outcome(*verdict)
            try:
                self._players[self._seats[not board.turn]].ponder(self._table)
                resigned = self._move()
            except ForfeitError as error:
                return _Outcome(error.ending, not board.turn, error.detail)
            if resigned:
                return _Outcome(Termination.RESIGNATION, not board.turn)

    def _move(self) -> bool:
        """Play one move. True if the engine resigned instead. Raises ForfeitError."""
        table, board = self._table, self._table.board
        seat, clock = self._seats[board.turn], table.clock(board.turn)
        allowance = clock.allowance
        try:
            reply = self._players[seat].move(table)
        except ForfeitError as error:
            self._usage[seat] += Usage(overrun=clock.overrun(error.elapsed or 0))
            raise
        overrun = clock.overrun(reply.elapsed)
        in_time = clock.spend(reply.elapsed)
        self._usage[seat] += replace(_usage_of(reply, clock), overrun=overrun)
        if not in_time and allowance is not None:
            raise late(reply.elapsed, allowance)
        if reply.move is None:
            return True
        move = _legal_move(board, reply.move)
        table.moves.append(board.uci(move))
        board.push(move)
        self._referee.note(board, reply.analysis.score)
        self._notes.append(MoveNote(reply.analysis, reply.elapsed, clock.left if clock.runs else None))
        return False


def _legal_move(board: chess.Board, text: str) -> chess.Move:
    """The move of this text. Raises ForfeitError if it is not legal or not a move."""
    try:
        move = board.parse_uci(text)
        if not move:
            raise ForfeitError(Termination.ILLEGAL_MOVE, f"{text} in {board.fen()}")
    except ValueError:
        try:
            return board.parse_san(text)  # XBoard engines may castle with O-O
        except ValueError:
            raise ForfeitError(Termination.ILLEGAL_MOVE, f"{text or 'nothing'} in {board.fen()}") from None
    return move


def _usage_of(reply: EngineReply, clock: GameClock) -> Usage:
    analysis = reply.analysis
    return Usage(
        moves=1,
        time=reply.elapsed,
        longest_move=reply.elapsed,
        lowest_clock=clock.lowest,
        depth_moves=int(analysis.depth is not None),
        depth=analysis.depth or 0,
        nodes=analysis.nodes or 0,
        nodes_time=reply.elapsed if analysis.nodes is not None else 0,
    )


def _result(winner: chess.Color | None) -> str:
    if winner is None:
        return "1/2-1/2"
    return "1-0" if winner else "0-1"
