"""A game between two engines, and a match of many of them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import chess

from scripts.laboratory.jobs import follow_jobs, run_jobs
from scripts.laboratory.matches.adjudication import Referee
from scripts.laboratory.matches.engine_player import (
    EnginePlayer,
    EngineReply,
    ForfeitError,
    GameState,
    LiveGame,
    late,
)
from scripts.laboratory.matches.record import FinishedGame, MatchTally, Termination, Usage
from scripts.laboratory.matches.store import MoveNote, pgn_text
from scripts.laboratory.matches.time_control import GameClock
from scripts.laboratory.matches.uci_player import UciPlayer
from scripts.laboratory.matches.xboard_player import XBoardPlayer
from scripts.laboratory.statistics import SprtVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from scripts.laboratory.matches.plan import EngineSpec, MatchRules
    from scripts.laboratory.matches.store import Store
    from scripts.laboratory.openings import Opening, OpeningSuite
    from scripts.laboratory.statistics import Sprt


@dataclass(frozen=True, slots=True)
class GameJob:
    """A game to be played. Engine 0 has White if the number is even."""

    number: int
    opening: Opening


@dataclass(frozen=True, slots=True)
class _Outcome:
    ending: Termination
    winner: chess.Color | None
    detail: str = ""


class EngineGame:
    """A game in progress."""

    def __init__(
        self,
        job: GameJob,
        rules: MatchRules,
        players: tuple[EnginePlayer, EnginePlayer],
        tell: Callable[[LiveGame], None] | None = None,
    ) -> None:
        """Set up the opening and the clocks. `players` are engine 0 and engine 1.

        `tell` is told how the game stands at its beginning and after each move, while no clock runs.
        """
        self._job = job
        self._tell = tell
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
        """Play to the end. The result, and the game as PGN. Raises StartError."""
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
            if self._tell is not None:
                self._tell(self._live())
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

    def _live(self) -> LiveGame:
        table, notes = self._table, self._notes
        own, other = (notes[-back].analysis if back <= len(notes) else None for back in (2, 1))
        white, black = (own, other) if table.board.turn else (other, own)
        stack = table.board.move_stack
        first, second = (clock.left if clock.runs else None for clock in table.clocks)
        return LiveGame(
            number=self._job.number,
            fen=table.board.fen(),
            last=stack[-1].uci() if stack else None,
            clocks=(first, second),
            analyses=(white, black),
        )

    def _move(self) -> bool:
        """Play one move. Whether the engine resigned instead. Raises ForfeitError."""
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
    """Parse a move. Raises ForfeitError if it is not legal."""
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


class GameWorker:
    """Plays games one after the other with the same two engine processes."""

    def __init__(
        self,
        rules: MatchRules,
        start: Callable[[EngineSpec, MatchRules], EnginePlayer] | None = None,
        tell: Callable[[LiveGame], None] | None = None,
    ) -> None:
        """The engines are started for the first game, by `start` or else by `start_player`.

        `tell` is for `EngineGame`.
        """
        self._rules = rules
        self._tell = tell
        self._start = start or start_player
        self._players: dict[int, EnginePlayer] = {}

    def players(self) -> tuple[EnginePlayer, EnginePlayer]:
        """Both engines, started if they are not running. Raises StartError."""
        return self._player(0), self._player(1)

    def work(self, job: GameJob) -> tuple[FinishedGame, str]:
        """Play one game. The result, and the game as PGN. Raises StartError."""
        record, text = EngineGame(job, self._rules, self.players(), self._tell).play()
        if record.forfeiter is not None:
            self._players.pop(record.forfeiter).kill()
        if self._rules.restart:
            self.close()
        return record, text

    def close(self) -> None:
        """End the engines."""
        while self._players:
            self._players.popitem()[1].close()

    def _player(self, seat: int) -> EnginePlayer:
        if seat not in self._players:
            self._players[seat] = self._start(self._rules.engines[seat], self._rules)
        return self._players[seat]


def start_player(spec: EngineSpec, rules: MatchRules) -> EnginePlayer:
    """Start an engine. Raises StartError."""
    if spec.protocol == "xboard":
        return XBoardPlayer(spec, stall_seconds=rules.stall_seconds)
    return UciPlayer(spec, chess960=rules.chess960, stall_seconds=rules.stall_seconds)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The length of a match, and its openings."""

    games: int
    book: OpeningSuite
    seed: int | None
    """Seed of the order of the openings; None: the order of the file."""
    sprt: Sprt | None


class EngineMatch:
    """A match."""

    def __init__(self, rules: MatchRules, schedule: Schedule, store: Store | None) -> None:
        """Resume after the games in `store`. Without a store the games are not written."""
        self._rules = rules
        self._schedule = schedule
        self._store = store
        self._order = schedule.book.order(schedule.seed)
        self.tally = MatchTally(store.records if store else ())

    @property
    def verdict(self) -> SprtVerdict:
        """The verdict of the sequential test; undecided without a test."""
        sprt = self._schedule.sprt
        return sprt.verdict(self.tally.pairs) if sprt else SprtVerdict.UNDECIDED

    def play(
        self, concurrency: int, follow: Callable[[LiveGame], None] | None = None
    ) -> Generator[FinishedGame, None, None]:
        """Play the remaining games and yield each when it has been written.

        `follow` gets each game at its beginning and after each move. Raises JobError and OpeningSuiteError.
        """
        if self.verdict is not SprtVerdict.UNDECIDED:
            return
        with contextlib.closing(self._results(concurrency, follow)) as results:
            for record, text in results:
                if self._store is not None:
                    self._store.keep(record, text)
                self.tally.add(record)
                yield record
                if self.verdict is not SprtVerdict.UNDECIDED:
                    return

    def _results(
        self, concurrency: int, follow: Callable[[LiveGame], None] | None
    ) -> Generator[tuple[FinishedGame, str], None, None]:
        if follow is None:
            return run_jobs(partial(GameWorker, self._rules), self._jobs(), concurrency)
        return follow_jobs(partial(GameWorker, self._rules, None), self._jobs(), concurrency, follow)

    def _jobs(self) -> Iterator[GameJob]:
        for number in range(self._schedule.games):
            if number not in self.tally:
                index = self._order[number // 2 % len(self._order)]
                yield GameJob(number, self._schedule.book.opening(index))
