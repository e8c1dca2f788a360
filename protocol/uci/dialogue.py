"""The UCI dialogue: each line that comes in is obeyed by one handler.

The reading thread never searches. A line that cannot be obeyed gets one `info string` and changes nothing. A
line that would disturb what runs waits, and so do those after it; once the answer is on its way, every line
waits. During a search `stop`, `isready` and `ponderhit` act at once. `stop` and `quit` end the search that
runs, and those that wait as soon as they begin: each `go` gets its `bestmove`.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from threading import Event, Thread
from typing import Any, BinaryIO, TypeAlias

from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, move_text, parse_move
from engine.board.perft import StoppedError, divide
from engine.board.position import Position
from engine.search.report import Outcome, Progress, Report
from engine.session import Session
from engine.system import control
from protocol import evaluation
from protocol.reader import LONGEST_LINE, Backlog, lines
from protocol.text import ProtocolError, describe, info_string
from protocol.uci import bench
from protocol.uci import options as uci_options
from protocol.uci import replies as uci_replies
from protocol.uci.parser import (
    Bare,
    Bench,
    Command,
    Debug,
    Go,
    Perft,
    SetOption,
    SetPosition,
    command_word,
    parse,
    shortened,
)
from protocol.writer import Writer, errors_reported, report_error, warn

Preferred: TypeAlias = Mapping[uci_options.UciOption, Any]
"""Values of options that count until the client sets them: the user's defaults."""
_HINT = "Lolli speaks UCI, for GUIs; type help to see what can be typed, quit to leave.\n"
_GREETINGS = (Bare("uci"), Bare("quit"))
DISTURBING = frozenset(("bench", "eval", "flip", "go", "position", "setoption", "ucinewgame"))


GRACE = 4.0  # seconds that a job may still take after `quit`: it could go on for ever


class Search:
    """Listens to one `go` of a session: writes its reports and one `bestmove`.

    `busy` becomes false before the last line is written, so that a client which answers at once need not
    wait; `join` waits for the little that is left. `ending`: only the answer is still to come. `finish`: the
    dialogue ends.
    """

    def __init__(self, session: Session, writer: Writer, chess960: bool, shows_chances: bool) -> None:
        self.busy = True
        self._session = session
        self._writer = writer
        self._chess960 = chess960
        self._scale = evaluation.scale_of(
            session.position, session.outcome_model, session.normalises, shows_chances
        )

    def report(self, report: Report) -> None:
        if self.busy:
            self._writer.line(uci_replies.info(report, self._chess960, self._scale))

    def progress(self, progress: Progress) -> None:
        if self.busy:
            self._writer.line(uci_replies.progress(progress, self._chess960))

    def outcome(self, outcome: Outcome) -> None:
        """The answer: written once, whatever comes after it."""
        if self.busy:
            self.busy = False
            if outcome.remark:
                self._writer.message(outcome.remark)
            self._writer.line(uci_replies.best_move(outcome, self._chess960))

    def failed(self, error: BaseException) -> None:
        """An error in the search. The game goes on: an outcome with a legal move still follows."""
        report_error("the search failed", error)
        self._writer.message(f"the search failed: {describe(error)}")

    @property
    def ending(self) -> bool:
        """Whether the move is on its way, and not held back until `stop` or `ponderhit`."""
        return self._session.ending

    def stop(self) -> None:
        self._session.stop()

    def join(self) -> None:
        self._session.wait()

    def finish(self) -> None:
        self.stop()
        self.join()


class Job:
    """A task in a thread of its own: `task(stopped)` polls `stopped()` and returns the lines to write.

    When the dialogue ends, it may take `grace` more seconds, None for no limit.
    """

    def __init__(
        self, task: Callable[[Callable[[], bool]], Iterable[str]], writer: Writer, grace: float | None = GRACE
    ) -> None:
        self.busy = True
        self._task = task
        self._writer = writer
        self._grace = grace
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="job", daemon=True)
        self._thread.start()

    @property
    def ending(self) -> bool:
        return self._stopping.is_set()

    def stop(self) -> None:
        self._stopping.set()

    def join(self) -> None:
        self._thread.join()

    def finish(self) -> None:
        """Let a short task end, as scripts expect that send `quit` right after it; stop a long one."""
        self._thread.join(self._grace)
        self.stop()
        self.join()

    def _run(self) -> None:
        try:
            closing = list(self._task(self._stopping.is_set))
        except Exception as error:  # noqa: BLE001 - whatever it is, the dialogue goes on
            report_error("internal error", error)
            closing = [info_string(f"internal error: {describe(error)}")]
        self.busy = False
        self._writer.lines(closing)


class Uci:
    """One dialogue with one client, from the first line to `quit` or the end of the input."""

    def __init__(
        self,
        session: Session,
        writer: Writer,
        preferred: Preferred | None = None,
        problems: Sequence[str] = (),
    ) -> None:
        """The greeting reports the `problems` of the user's defaults."""
        self.session = session
        self._default_evaluator = session.evaluator
        self._preferred = preferred or {}
        self._has_preferred = False  # whether the session has them
        self._problems = problems
        self.chess960 = False
        self.shows_chances = False
        self.strength = uci_options.Strength()
        self.switched: dict[str, int] = {}  # techniques, by an option of their own
        self._writer = writer
        self._debug = False
        self._over = False
        self._activity: Search | Job | None = None
        self._stopped_ns = 0  # when the last `stop` came
        self._endless = False  # whether the last search only ends at a line
        self._backlog = Backlog(self._receive_in_turn, self._stop_endless)
        self._bare: dict[str, Callable[[], None]] = {
            "uci": self._uci,
            "isready": self._is_ready,
            "ucinewgame": session.new_game,
            "register": lambda: None,  # nobody has to
            "quit": self._quit,
            "d": lambda: writer.lines(uci_replies.board(session.position, self.chess960)),
            "eval": lambda: writer.lines(evaluation.tables(session.explanations(), session.position)),
            "flip": lambda: session.flip(),  # noqa: PLW0108 - tests replace it
            "help": lambda: writer.lines(uci_replies.HELP),
            "compiler": lambda: writer.lines(uci_replies.build()),
        }

    def run(self, stream: BinaryIO) -> None:
        """Obey the lines of a stream until `quit` or its end, then stop what runs and let it answer."""
        try:
            for line in lines(stream, self._refuse_line):
                self.receive(line, control.now())
                if self._over:
                    break
        finally:
            self._over = True
            if (running := self._running) is not None:
                running.finish()
            self._backlog.join()
            self._settle()
            self.session.close()

    def receive(self, line: str, received_ns: int) -> None:
        """Obey a line, received at that time of the engine's clock, now or in its turn. Never raises."""
        self._writer.received(line)
        word, running = command_word(line), self._running
        if word == "stop":
            self._stop(received_ns)
        elif self._backlog.empty and (word not in DISTURBING if running else not self._busy):
            self._receive_in_turn(line, received_ns)
        elif word == "quit":
            self._over = True
        elif running and word == "isready":
            self._writer.line("readyok")
        elif running and word == "ponderhit" and self.session.pondering:
            self.session.ponderhit(received_ns)
        else:
            self._backlog.add(line, received_ns)

    def _receive_in_turn(self, line: str, received_ns: int) -> None:
        try:
            if self._running is None or command_word(line) in DISTURBING:
                self._settle()
            command = parse(line)
            if command is not None:
                self._obey(command, received_ns)
        except ValueError as error:  # ProtocolError, FenError, MoveError: the client's mistake
            self._writer.message(str(error))
        except Exception as error:  # noqa: BLE001 - no line may end the game
            report_error("internal error", error)
            self._writer.message(f"internal error: {describe(error)}")

    def log_to(self, path: str) -> None:
        """Log the dialogue to a file, or report why that is impossible."""
        try:
            self._writer.log_to(path)
        except OSError as error:
            self._writer.message(f"no log: {path}: {error.strerror}")

    def notice(self, text: str) -> None:
        self._writer.message(text)

    # What runs beside the dialogue

    @property
    def _busy(self) -> bool:
        return self._activity is not None and self._activity.busy

    @property
    def _running(self) -> Search | Job | None:
        """What runs and was not asked to end; for any thread."""
        activity = self._activity
        return activity if activity is not None and activity.busy and not activity.ending else None

    def _settle(self) -> None:
        if self._activity is not None:
            self._activity.join()
            self._activity = None

    def _start(self, activity: Search | Job, received_ns: int) -> None:
        """Note what runs, as a line asked for; end it if a `stop` or the end has come since."""
        self._activity = activity
        if received_ns < self._stopped_ns:
            activity.stop()
        elif self._over:
            activity.finish()

    def _stop(self, received_ns: int) -> None:
        self._stopped_ns = received_ns
        if (running := self._running) is not None:
            running.stop()

    def _stop_endless(self) -> None:
        """Stop a search that does not end by itself: while the backlog is full, no `stop` can be read."""
        running = self._running
        if isinstance(running, Search) and self._endless:
            self._writer.message("stopped the search: other lines wait for its end")
            running.stop()

    def _refuse_line(self) -> None:
        self._writer.message(f"ignored a line longer than {LONGEST_LINE} bytes")

    # One handler per command

    def _obey(self, command: Command, received_ns: int) -> None:
        if not self._has_preferred and command not in _GREETINGS:
            self._take_preferred()
        match command:
            case Bare("ponderhit"):
                self.session.ponderhit(received_ns)
            case Bare(word):
                self._bare[word]()
            case Go():
                self._go(command, received_ns)
            case SetPosition():
                self._set_position(command)
            case SetOption():
                self._set_option(command)
            case Perft():
                self._perft(command, received_ns)
            case Bench(depth):
                self._bench(depth, received_ns)
            case Debug(on):
                self._debug = on

    def _uci(self) -> None:
        defaults = {uci_options.find("Eval"): self._default_evaluator, **self._preferred}
        declared = (replace(each, default=defaults.get(each, each.default)) for each in uci_options.OPTIONS)
        declarations = [option.declaration(self.session) for option in declared]
        self._writer.lines(uci_replies.introduction(declarations, [*self._problems, *self.session.problems]))

    def _is_ready(self) -> None:
        """Answer at once during a search; else once everything is ready for the next one."""
        if not self._busy:
            with errors_reported("not ready for a search"):  # `go` tells the client
                self.session.get_ready()
        self._tell_shortages()
        self._writer.line("readyok")

    def _set_position(self, command: SetPosition) -> None:
        try:
            self.session.set_position(command.fen, command.moves)
        except MoveError as error:
            raise ProtocolError(f"position: {error}; played the moves before it") from None

    def _go(self, command: Go, received_ns: int) -> None:
        position = self.session.position
        moves, skipped = [], []
        for text in command.search_moves:
            try:
                moves.append(parse_move(position, text))
            except MoveError as error:
                skipped.append(f"go: searchmoves: {error}")
        for reason in (*command.skipped, *shortened(skipped)):
            self._writer.message(reason)
        limits = replace(command.limits, search_moves=tuple(moves))
        if self._debug:
            self._writer.message(str(limits))
        self._endless = limits.endless
        search = Search(self.session, self._writer, self.chess960, self.shows_chances)
        try:
            self.session.go(limits, search, received_ns)
            self._start(search, received_ns)
        except Exception as error:  # noqa: BLE001 - mostly no memory for threads: still, a move must be played
            search.failed(error)
            search.outcome(Outcome(next(iter(legal_moves(position)), 0), 0))
        self._tell_shortages()

    def _perft(self, command: Perft, received_ns: int) -> None:
        for reason in command.skipped:
            self._writer.message(reason)
        position, chess960, depth = self.session.position, self.chess960, command.depth
        job = Job(lambda stopped: _perft(position, depth, chess960, stopped, self._writer.line), self._writer)
        self._start(job, received_ns)

    def _bench(self, depth: int | None, received_ns: int) -> None:
        session, depth = bench.fresh_session(), depth or bench.DEFAULT_DEPTH
        job = Job(
            lambda stopped: bench.report(session, depth, stopped, self.notice),
            self._writer,
            grace=GRACE if depth > bench.DEFAULT_DEPTH else None,  # scripts want the whole signature
        )
        self._start(job, received_ns)

    def _quit(self) -> None:
        self._over = True

    def _set_option(self, command: SetOption) -> None:
        option = uci_options.find(command.name)
        self._apply(option, option.value(command.value, self.session))

    def _take_preferred(self) -> None:
        """After the greeting, for which clients do not wait long: endgame tables may take seconds."""
        self._has_preferred = True
        for option, value in self._preferred.items():
            self._apply(option, value)

    def _apply(self, option: uci_options.UciOption, value: Any) -> None:
        if option.apply is None:
            return
        try:
            option.apply(self, value)
        except Exception as error:  # noqa: BLE001 - mostly a table too large for the memory
            self._writer.message(f"{option.name} stays as it was: {str(error) or describe(error)}")
        self._tell_shortages()

    def _tell_shortages(self) -> None:
        for shortage in self.session.shortages():
            self._writer.message(shortage)


def _perft(
    position: Position, depth: int, chess960: bool, stopped: Callable[[], bool], say: Callable[[str], None]
) -> list[str]:
    """Pass `e2e4: 20` to `say` for each root move, and return the lines with the sum, as Stockfish does."""
    total = 0
    try:
        for move, nodes in divide(position, depth, stopped):
            say(f"{move_text(move, chess960)}: {nodes}")
            total += nodes
    except StoppedError:
        return ["info string perft stopped"]
    return ["", f"Nodes searched: {total}", ""]


def main(
    session: Session | None = None, own: Callable[[Session], tuple[Preferred, Sequence[str]]] | None = None
) -> None:
    """Speak UCI on stdin and stdout; `own` gives the user's defaults and lines about mistakes in them."""
    session = session or Session()
    preferred, problems = own(session) if own is not None else ({}, ())
    for problem in (*session.problems, *problems):
        warn(problem)
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(_HINT)
    dialogue = Uci(session, Writer(), preferred, problems)
    dialogue.run(sys.stdin.buffer if sys.stdin is not None else BytesIO())
