"""`scripts/lab match`: a game between two engines, a match of many of them, and the command."""

from __future__ import annotations

import contextlib
import sys
import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import chess
import click

from engine.system.services import processors
from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.jobs import JobError, run_jobs
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    KeyValues,
    Words,
    WordsCommand,
    amount_option,
    choice_option,
    count_option,
    every_option,
    file_option,
    require_even,
    seed_option,
)
from scripts.laboratory.long_run import JournalError, RunDisplay, exit_status
from scripts.laboratory.matches.display import MatchDisplay, can_watch, forfeit_line, status_line, summary
from scripts.laboratory.matches.disturb import Disturbance, Stalls, busy_programs
from scripts.laboratory.matches.engine import EngineReply, ForfeitError, GameState, LiveGame, UciPlayer, late
from scripts.laboratory.matches.record import (
    FinishedGame,
    MatchTally,
    MoveNote,
    Store,
    Termination,
    Usage,
    pgn_text,
)
from scripts.laboratory.matches.rules import (
    EngineSpec,
    GameClock,
    MatchRules,
    MatchRulesError,
    Referee,
    parse_adjudication,
    parse_disturbance,
    parse_engine,
    parse_sprt,
)
from scripts.laboratory.openings import Opening, OpeningSuite, OpeningSuiteError
from scripts.laboratory.statistics import Sprt, SprtVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path


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
        players: tuple[UciPlayer, UciPlayer],
        tell: Callable[[LiveGame], None] | None = None,
        stalls: Stalls | None = None,
    ) -> None:
        """Set up the opening and the clocks. `players` are engine 0 and engine 1.

        `tell` is told how the game stands at its beginning and after each move, while no clock runs.
        """
        self._job = job
        self._stalls = stalls
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
                self._players[self._seats[colour]].new_game()
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
                self._move()
            except ForfeitError as error:
                return _Outcome(error.ending, not board.turn, error.detail + self._stopped(error))

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

    def _stopped(self, error: ForfeitError) -> str:
        """A text: for how much of a late move the engines were stopped."""
        if self._stalls is None or error.elapsed is None:
            return ""
        now = time.monotonic_ns()
        return f", stopped for {self._stalls.within(now - error.elapsed, now) / NS_PER_MS:.0f} ms of them"

    def _move(self) -> None:
        """Play one move. Raises ForfeitError."""
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
        move = _legal_move(board, reply.move)
        table.moves.append(board.uci(move))
        board.push(move)
        self._referee.note(board, reply.analysis.score)
        self._notes.append(MoveNote(reply.analysis, reply.elapsed, clock.left if clock.runs else None))


def _legal_move(board: chess.Board, text: str) -> chess.Move:
    """Parse a move. Raises ForfeitError if it is not legal."""
    with contextlib.suppress(ValueError):
        if move := board.parse_uci(text):
            return move
    raise ForfeitError(Termination.ILLEGAL_MOVE, f"{text or 'nothing'} in {board.fen()}")


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

    def __init__(self, rules: MatchRules, tell: Callable[[LiveGame], None] | None = None) -> None:
        """The engines are started for the first game. `tell` is for `EngineGame`."""
        self._rules = rules
        self._tell = tell
        self._players: dict[int, UciPlayer] = {}

    def work(self, job: GameJob) -> tuple[FinishedGame, str]:
        """Play one game. The result, and the game as PGN. Raises StartError."""
        players = self._player(0), self._player(1)
        stops = self._rules.disturbance.stops(job.number, self._rules.engines[0].pace)
        with Stalls([player.pid for player in players], stops) as stalls:
            record, text = EngineGame(job, self._rules, players, self._tell, stalls).play()
        if record.forfeiter is not None:
            self._players.pop(record.forfeiter).kill()
        if self._rules.restart:
            self.close()
        return record, text

    def close(self) -> None:
        """End the engines."""
        while self._players:
            self._players.popitem()[1].close()

    def _player(self, seat: int) -> UciPlayer:
        if seat not in self._players:
            spec, rules = self._rules.engines[seat], self._rules
            spec = replace(spec, command=rules.disturbance.command(spec.command))
            self._players[seat] = UciPlayer(spec, chess960=rules.chess960, stall_seconds=rules.stall_seconds)
        return self._players[seat]


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
        self.tally = store.tally if store else MatchTally()

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
        return run_jobs(partial(GameWorker, self._rules), self._jobs(), concurrency, follow)

    def _jobs(self) -> Iterator[GameJob]:
        for number in range(self._schedule.games):
            if number not in self.tally:
                index = self._order[number // 2 % len(self._order)]
                yield GameJob(number, self._schedule.book.opening(index))


_FORFEITED = 1


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
@choice_option("--order", ("random", "sequential"), "random", "Order of the openings.")
@seed_option("the random order")
@click.option("--chess960", is_flag=True, help="Play Chess960, by default from its 960 start positions.")
@click.option(
    "--sprt", type=Words(), help="Stop when decided: elo0= elo1= alpha= beta= model=logistic|normalised."
)
@click.option("--draw", type=Words(), help="Adjudicate draws: move=40 count=8 score=10.")
@click.option("--resign", type=Words(), help="Adjudicate losses: count=3 score=1000 both=0.")
@count_option("--max-moves", None, "Adjudicate longer games as draws.")
@click.option("--restart", is_flag=True, help="Restart the engines for each game.")
@click.option("--disturb", type=Words(), help="Disturb the engines: stalls=LOW-HIGH busy=PROGRAMS slow=MS.")
@amount_option("--stall", 30.0, "Seconds of silence after which an engine forfeits.", least=0.01)
@file_option("--pgn", "Write the games here; the match resumes from it.")
@click.option("--event", default="Match", show_default=True, help="Event in the PGN.")
@every_option(10)
@click.option("--watch", is_flag=True, help="Show the games on boards while they are played, in a terminal.")
@click.option("--fail-on-forfeit", is_flag=True, help="Exit with status 1 if an engine failed to play on.")
def match(  # noqa: PLR0913, PLR0917 - an argument for each option
    engines: tuple[KeyValues, ...],
    each: KeyValues | None,
    games: int,
    concurrency: int,
    openings: Path | None,
    order: str,
    seed: int,
    chess960: bool,
    sprt: KeyValues | None,
    draw: KeyValues | None,
    resign: KeyValues | None,
    max_moves: int | None,
    restart: bool,
    disturb: KeyValues | None,
    stall: float,
    pgn: Path | None,
    event: str,
    every: int,
    watch: bool,
    fail_on_forfeit: bool,
) -> None:
    """Play two engines against each other, each opening once with either colour.

    \b
    scripts/lab match --engine name=new cmd=scripts/run --engine name=old cmd="../old/scripts/run" \\
        --each tc=1+0.01 option.Hash=16 --games 400 --concurrency 2 --pgn new-old.pgn --sprt elo0=0 elo1=10
    scripts/lab match --engine name=a cmd=scripts/run --engine name=b cmd=scripts/run \\
        --each tc=3+0.03 ponder=true --disturb stalls=20-300 --games 200 --fail-on-forfeit

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
    require_even(games, "openings")
    if watch and not can_watch():
        raise click.UsageError("--watch needs a terminal to draw on: standard output is none")
    try:
        rules = MatchRules(
            engines=_two([parse_engine(words, each or ()) for words in engines]),
            adjudication=parse_adjudication(draw, resign, max_moves),
            chess960=chess960,
            restart=restart,
            stall_seconds=stall,
            disturbance=parse_disturbance(disturb or ()),
            event=event,
        )
        schedule = Schedule(
            games=games,
            book=_openings(openings, chess960=chess960),
            seed=seed if order == "random" else None,
            sprt=parse_sprt(sprt),
        )
        store = Store(pgn, _identity(rules, schedule)) if pgn else None
    except (MatchRulesError, OpeningSuiteError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    programs = busy_programs(rules.disturbance.busy * processors())
    with contextlib.closing(store) if store else contextlib.nullcontext(), programs:
        running = EngineMatch(rules, schedule, store)
        if watch:
            display: RunDisplay = MatchDisplay(running, rules, schedule, concurrency)
        else:
            display = RunDisplay("games", games, running.tally.played, every)
        status = _play(running, rules, schedule, concurrency, display)
    if fail_on_forfeit and running.tally.forfeits:
        status = status or _FORFEITED
    sys.exit(status)


def _play(
    running: EngineMatch, rules: MatchRules, schedule: Schedule, concurrency: int, display: RunDisplay
) -> int:
    """Play the remaining games, show the progress, and print the summary. The exit status."""
    tally = running.tally
    follow = display.follow if isinstance(display, MatchDisplay) else None
    with display:
        for warning in _warnings(rules, schedule):
            display.say(warning)

        def play() -> None:
            with contextlib.closing(running.play(concurrency, follow)) as records:
                for record in records:
                    if isinstance(display, MatchDisplay):
                        display.ended(record)
                    if record.forfeiter is not None:
                        display.say(forfeit_line(record, rules.engines))
                    display.show(tally.played, status_line(tally, schedule.sprt))

        status = exit_status(play, display.say, JobError, OpeningSuiteError)
    if tally.played:
        display.console.print(summary(tally, rules.engines, schedule.games, schedule.sprt), highlight=False)
    return status


def _warnings(rules: MatchRules, schedule: Schedule) -> list[str]:
    """What makes the match less fair than it could be."""
    warnings = []
    openings = len(schedule.book.entries)
    if openings < schedule.games // 2:
        warnings.append(f"There are {openings} openings for {schedule.games // 2} pairs: they are repeated.")
    if rules.engines[0].pace != rules.engines[1].pace:
        warnings.append("The engines have different limits.")
    return warnings


def _two(engines: list[EngineSpec]) -> tuple[EngineSpec, EngineSpec]:
    if len(engines) != 2:
        raise MatchRulesError(f"a match needs two engines, not {len(engines)}: give --engine twice")
    return engines[0], engines[1]


def _openings(path: Path | None, *, chess960: bool) -> OpeningSuite:
    """The openings of a file or, by default, the project's suite or the start positions of Chess960."""
    if path is None and chess960:
        return OpeningSuite.of_chess960()
    return OpeningSuite.read(path or OPENINGS, chess960=chess960)


def _identity(rules: MatchRules, schedule: Schedule) -> dict[str, Any]:
    """What two runs must have in common to be the same match."""
    identity = asdict(rules) | {"openings": schedule.book.digest(), "seed": schedule.seed}
    del identity["event"]
    for engine in identity["engines"]:
        engine["protocol"] = "uci"  # as in the journals of older versions
    if rules.disturbance == Disturbance():
        del identity["disturbance"]
    return identity
