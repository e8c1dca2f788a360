"""`scripts/lab match`: a game between two engines, a match of many of them, and the command."""

import contextlib
import sys
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import chess
import click

from engine.system.services import processors
from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.jobs import JobError, JobRunner
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    KeyValues,
    Words,
    WordsCommand,
    count_option,
    every_option,
    file_option,
    require_even,
    seed_option,
)
from scripts.laboratory.long_run import JournalError, RunDisplay, exit_status
from scripts.laboratory.match_display import (
    LiveGame,
    MatchDisplay,
    can_watch,
    forfeit_line,
    status_line,
    summary,
)
from scripts.laboratory.match_engine import (
    RESULTS,
    Disturbance,
    EngineSpec,
    FinishedGame,
    ForfeitError,
    GameClock,
    GameState,
    MatchTally,
    MoveNote,
    Stalls,
    Store,
    Termination,
    UciPlayer,
    Usage,
    busy_programs,
    late,
    parse_engine,
    parsed,
    pgn_text,
)
from scripts.laboratory.openings import Opening, OpeningSuite, OpeningSuiteError
from scripts.laboratory.statistics import Sprt, SprtVerdict, parse_sprt

Outcome = tuple[Termination, chess.Color | None, str]
"""How a game ended, the winner, and what there is to say of it."""


@dataclass(frozen=True, slots=True)
class MatchRules:
    """An engine stalls if silent for `stall_seconds` beyond its clock. `max_moves`: full moves to a draw."""

    engines: tuple[EngineSpec, ...]
    chess960: bool = False
    max_moves: int | None = None
    stall_seconds: float = 30.0
    disturbance: Disturbance = field(default_factory=Disturbance)

    def __post_init__(self) -> None:
        if len(self.engines) != 2:
            raise ValueError(f"a match needs two engines, not {len(self.engines)}: give --engine twice")
        if self.disturbance.stalls and self.engines[0].pace.clock is None:
            raise ValueError("stalls= needs a tc=: how often they come depends on the length of a game")
        if self.engines[0].name == self.engines[1].name:
            raise ValueError(f"both engines are called {self.engines[0].name!r}: give each a name=")


def end_by_rule(board: chess.Board) -> Termination | None:
    """None if the game goes on. A draw by threefold repetition or fifty moves is claimed at once."""
    if not any(board.generate_legal_moves()):
        return Termination.CHECKMATE if board.is_check() else Termination.STALEMATE
    if board.is_insufficient_material():
        return Termination.INSUFFICIENT_MATERIAL
    if board.halfmove_clock >= 100:
        return Termination.FIFTY_MOVES
    return Termination.REPETITION if board.is_repetition(3) else None


class EngineGame:
    """Engine 0 has White if the game's number is even."""

    def __init__(
        self,
        number: int,
        opening: Opening,
        rules: MatchRules,
        players: tuple[UciPlayer, UciPlayer],
        tell: Callable[[LiveGame], None] | None = None,
        stalls: Stalls | None = None,
    ) -> None:
        """`players`: engine 0 and 1. `tell` is called first and after each move, while no clock runs."""
        self._number, self._rules, self._players = number, rules, players
        self._tell, self._stalls = tell, stalls
        white = number % 2
        self._seats = {chess.WHITE: white, chess.BLACK: 1 - white}
        first, second = (
            GameClock(rules.engines[seat].pace, rules.engines[seat].margin) for seat in (white, 1 - white)
        )
        board = opening.board(chess960=rules.chess960)
        self._state = GameState(board, opening.fen, list(opening.moves), (first, second))
        self._usage = [Usage(), Usage()]
        self._notes: list[MoveNote] = []

    def play(self) -> tuple[FinishedGame, str]:
        ending, winner, detail = self._play()
        for player in self._players:
            player.rest()
        first, second = (
            used + Usage(peak_memory=player.pipe.peak())
            for used, player in zip(self._usage, self._players, strict=True)
        )
        board = self._state.board
        record = FinishedGame(
            self._number, RESULTS[winner], ending, detail, len(board.move_stack), (first, second)
        )
        if record.forfeiter is not None:
            record = replace(record, last_lines=self._players[record.forfeiter].pipe.last_lines())
        return record, pgn_text(board, self._notes, record, self._rules.engines)

    def _play(self) -> Outcome:
        board, most = self._state.board, self._rules.max_moves
        for colour in chess.COLORS:
            try:
                self._players[self._seats[colour]].new_game()
            except ForfeitError as error:
                return error.ending, not colour, error.detail
        while True:
            if self._tell is not None:
                self._tell(self._live())
            if (ending := end_by_rule(board)) is not None:
                return ending, not board.turn if ending is Termination.CHECKMATE else None, ""
            if most is not None and len(board.move_stack) >= 2 * most:
                return Termination.MOVE_LIMIT, None, ""
            try:
                self._players[self._seats[not board.turn]].ponder(self._state)
                self._move()
            except ForfeitError as error:
                return error.ending, not board.turn, error.detail + self._stopped(error)

    def _live(self) -> LiveGame:
        state, notes = self._state, self._notes
        own, other = (notes[-back].analysis if back <= len(notes) else None for back in (2, 1))
        stack = state.board.move_stack
        first, second = (clock.left if clock.runs else None for clock in state.clocks)
        return LiveGame(
            number=self._number,
            fen=state.board.fen(),
            last=stack[-1].uci() if stack else None,
            clocks=(first, second),
            analyses=(own, other) if state.board.turn else (other, own),
        )

    def _stopped(self, error: ForfeitError) -> str:
        if self._stalls is None or error.elapsed is None:
            return ""
        now = time.monotonic_ns()
        return f", stopped for {self._stalls.within(now - error.elapsed, now) / NS_PER_MS:.0f} ms of them"

    def _move(self) -> None:
        state, board = self._state, self._state.board
        seat, clock = self._seats[board.turn], state.clock(board.turn)
        allowance = clock.allowance
        reply = self._players[seat].move(state)
        analysis = reply.analysis
        in_time = clock.spend(reply.elapsed)
        self._usage[seat] += Usage(
            moves=1,
            time=reply.elapsed,
            longest_move=reply.elapsed,
            lowest_clock=clock.lowest,
            depth_moves=int(analysis.depth is not None),
            depth=analysis.depth or 0,
            nodes=analysis.nodes or 0,
            nodes_time=reply.elapsed if analysis.nodes is not None else 0,
        )
        if not in_time and allowance is not None:
            raise late(reply.elapsed, allowance)
        move = parsed(board, reply.move)
        if move is None:
            raise ForfeitError(Termination.ILLEGAL_MOVE, f"{reply.move or 'nothing'} in {board.fen()}")
        state.moves.append(board.uci(move))
        board.push(move)
        self._notes.append(MoveNote(analysis, reply.elapsed, clock.left if clock.runs else None))


class GameWorker:
    def __init__(self, rules: MatchRules, tell: Callable[[LiveGame], None] | None = None) -> None:
        self._rules = rules
        self._tell = tell
        self._players: dict[int, UciPlayer] = {}

    def work(self, job: tuple[int, Opening]) -> tuple[FinishedGame, str]:
        players = self._player(0), self._player(1)
        stops = self._rules.disturbance.stops(job[0], self._rules.engines[0].pace)
        with Stalls([player.pipe.pid for player in players], stops) as stalls:
            record, text = EngineGame(*job, self._rules, players, self._tell, stalls).play()
        if record.forfeiter is not None:
            self._players.pop(record.forfeiter).pipe.kill()
        return record, text

    def close(self) -> None:
        while self._players:
            self._players.popitem()[1].pipe.close()

    def _player(self, seat: int) -> UciPlayer:
        if seat not in self._players:
            spec, rules = self._rules.engines[seat], self._rules
            spec = replace(spec, command=rules.disturbance.command(spec.command))
            self._players[seat] = UciPlayer(spec, chess960=rules.chess960, stall_seconds=rules.stall_seconds)
        return self._players[seat]


class EngineMatch:
    def __init__(
        self,
        rules: MatchRules,
        games: int,
        book: OpeningSuite,
        seed: int,
        sprt: Sprt | None = None,
        store: Store | None = None,
    ) -> None:
        """Resume after the games in `store`; None: write none. `seed`: of the openings' order."""
        self.rules, self.games, self.book, self.sprt = rules, games, book, sprt
        self._store = store
        self._order = book.order(seed)
        self.tally = store.tally if store else MatchTally()

    @property
    def verdict(self) -> SprtVerdict:
        """Undecided without a sequential test."""
        return self.sprt.verdict(self.tally.pairs) if self.sprt else SprtVerdict.UNDECIDED

    @property
    def status(self) -> str:
        return status_line(self.tally, self.sprt)

    def play(
        self, concurrency: int, follow: Callable[[LiveGame], None] | None = None
    ) -> Generator[FinishedGame, None, None]:
        """`follow` gets each game at its start and after each move. Raises JobError and OpeningSuiteError."""
        if self.verdict is not SprtVerdict.UNDECIDED:
            return
        worker = partial(GameWorker, self.rules)
        with contextlib.closing(JobRunner(concurrency)(worker, self._jobs(), follow)) as results:
            for record, text in results:
                if self._store is not None:
                    self._store.keep(record, text)
                self.tally.add(record)
                yield record
                if self.verdict is not SprtVerdict.UNDECIDED:
                    return

    def _jobs(self) -> Iterator[tuple[int, Opening]]:
        for number in range(self.games):
            if number not in self.tally:
                yield number, self.book.opening(self._order[number // 2 % len(self._order)])


@click.command(cls=WordsCommand, context_settings=WIDE)
@click.option("--engine", "engines", type=Words(), multiple=True, help="Give it twice: name= cmd= …")
@click.option(
    "--each",
    type=Words(),
    help="For both: dir= tc= nodes= depth= movetime= nodestime= timemargin= ponder= option.NAME=",
)
@count_option("--games", 100, "Number of games at most, even.", least=2)
@count_option("--concurrency", 1, "Games at the same time.")
@file_option("--openings", "Openings: EPD, FEN or PGN, also .gz, .xz, .bz2.")
@seed_option("the order of the openings")
@click.option("--chess960", is_flag=True, help="Play Chess960, by default from its 960 start positions.")
@click.option(
    "--sprt", type=Words(), help="Stop when decided: elo0= elo1= alpha= beta= model=logistic|normalised."
)
@count_option("--max-moves", None, "Adjudicate longer games as draws.")
@click.option("--disturb", type=Words(), help="Disturb the engines: stalls=LOW-HIGH busy=PROGRAMS slow=MS.")
@file_option("--pgn", "Write the games here; the match resumes from it.")
@every_option(10)
@click.option("--watch", is_flag=True, help="Show the games on boards while they are played, in a terminal.")
def match(  # noqa: PLR0913, PLR0917 - an argument for each option
    engines: tuple[KeyValues, ...],
    each: KeyValues | None,
    games: int,
    concurrency: int,
    openings: Path | None,
    seed: int,
    chess960: bool,
    sprt: KeyValues | None,
    max_moves: int | None,
    disturb: KeyValues | None,
    pgn: Path | None,
    every: int,
    watch: bool,
) -> None:
    """Play two engines against each other, each opening once with either colour.

    \b
    scripts/lab match --engine name=new cmd=scripts/run --engine name=old cmd="../old/scripts/run" \\
        --each tc=1+0.01 option.Hash=16 --games 400 --concurrency 2 --pgn new-old.pgn --sprt elo0=0 elo1=10
    scripts/lab match --engine name=a cmd=scripts/run --engine name=b cmd=scripts/run \\
        --each tc=3+0.03 ponder=true --disturb stalls=20-300 --games 200

    tc is [moves/][minutes:]seconds[+increment]. movetime and timemargin are in milliseconds; timemargin is
    the time by which a move may exceed the clock, by default 0. With ponder=true
    an engine thinks while its opponent does. With nodestime=N the clock counts the nodes that the engine
    reports, N as a millisecond: a match on the clock that a busy machine does not disturb, for engines with
    the option of that name. With --pgn FILE the same command resumes an interrupted match,
    from the journal FILE with the suffix .jsonl; --games and --sprt may be changed.

    --disturb stops both engines (SIGSTOP) for LOW to HIGH milliseconds, three times a game in the mean; keeps
    each processor busy with other programs; delays all lines by up to MS milliseconds.

    With --watch there is a board for each of the games at the same time, as many and as large as the terminal
    has room for, with the clocks, and White's view of each engine's last score and its depth.
    """
    require_even(games)
    if watch and not can_watch():
        raise click.UsageError("--watch needs a terminal to draw on: standard output is none")
    try:
        specs = tuple(parse_engine(words, each or ()) for words in engines)
        disturbance = Disturbance.parse(disturb or ())
        rules = MatchRules(specs, chess960, max_moves, disturbance=disturbance)
        if openings is None and chess960:
            book = OpeningSuite.of_chess960()
        else:
            book = OpeningSuite.read(openings or OPENINGS, chess960=chess960)
        test = parse_sprt(sprt)
        store = Store(pgn, _identity(rules, book, seed)) if pgn else None
    except (ValueError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    programs = busy_programs(rules.disturbance.busy * processors())
    with contextlib.closing(store) if store else contextlib.nullcontext(), programs:
        running = EngineMatch(rules, games, book, seed, test, store)
        if watch:
            played, score = running.tally.played, running.status
            display: RunDisplay = MatchDisplay(rules.engines, games, played, concurrency, score)
        else:
            display = RunDisplay("games", games, running.tally.played, every)
        status = _play(running, concurrency, display)
    sys.exit(status)


def _play(running: EngineMatch, concurrency: int, display: RunDisplay) -> int:
    engines, tally, pairs = running.rules.engines, running.tally, running.games // 2
    follow = display.follow if isinstance(display, MatchDisplay) else None
    with display:
        if (openings := len(running.book.entries)) < pairs:
            display.say(f"There are {openings} openings for {pairs} pairs: they are repeated.")
        if engines[0].pace != engines[1].pace:
            display.say("The engines have different limits.")

        def play() -> None:
            with contextlib.closing(running.play(concurrency, follow)) as records:
                for record in records:
                    if isinstance(display, MatchDisplay):
                        display.ended(record)
                    if record.forfeiter is not None:
                        display.say(forfeit_line(record, engines))
                    display.show(tally.played, running.status)

        status = exit_status(play, display.say, JobError, OpeningSuiteError)
    if tally.played:
        display.console.print(summary(tally, engines, running.games, running.sprt), highlight=False)
    return status


def _identity(rules: MatchRules, book: OpeningSuite, seed: int) -> dict[str, Any]:
    """What two runs must have in common to be the same match."""
    return {**asdict(rules), "openings": book.digest(), "seed": seed}
