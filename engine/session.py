"""One chess engine: the position, the table, the threads that search, and how to stop them."""

from collections.abc import Sequence
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING

from engine.board.fen import START_FEN, mirrored, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, parse_move
from engine.board.position import Position
from engine.lookup.library import Library
from engine.search.engine import Engine
from engine.search.limits import FULL, HandicapListener, Limits, Settings
from engine.search.probing import Prober
from engine.search.report import Listener
from engine.search.run import Run
from engine.search.time_manager import Timekeeper
from engine.system.control import now
from engine.system.files import FilePath
from engine.system.thread_pool import run_in_thread
from eval.choice import Choice, Choices
from eval.evaluator import Explanation
from eval.outcome import OutcomeModel

if TYPE_CHECKING:
    from random import Random


class SearchingError(RuntimeError):
    """Not possible while a search is running."""


class Session:
    """One engine. All methods are for one thread, the protocol's; the search runs in others."""

    def __init__(
        self, settings: Settings | None = None, megabytes: int = 16, choices: Choices | None = None
    ) -> None:
        """Loads the weights of the evaluators unless `choices` are given; see `problems`."""
        self.settings = settings or Settings()
        self.chooser: Random | None = None
        """Makes the random choices of a handicap; None: seeded from the system when first needed."""
        self.library = Library()
        self._choices = choices or Choices()
        self._choice = self._choices[self._choices.names[0]]
        self._position = parse_fen(START_FEN)
        self._fen: str | None = START_FEN  # with the moves, the game so far, which mostly just grows
        self._moves: list[str] = []
        self._engine = Engine(self._choice.make, megabytes)
        self._search: Run | None = None
        self._search_over = Event()  # set when its thread has nothing left to do
        self._search_over.set()
        self._timekeeper = Timekeeper()

    @property
    def position(self) -> Position:
        """The current position; not to be changed."""
        return self._position

    @property
    def searching(self) -> bool:
        """Whether a search has yet to give its outcome."""
        return self._search is not None and not self._search.over

    @property
    def ending(self) -> bool:
        """Whether a search's outcome is on its way: it has ended or was stopped, and holds nothing back."""
        return self._search is not None and self._search.ending

    def set_position(self, fen: str, moves: Sequence[str] = ()) -> None:
        """Go to a position and play moves.

        FenError leaves everything unchanged, MoveError the position before the illegal move.
        """
        self._must_be_idle("position")
        known = len(self._moves)
        if fen == self._fen and list(moves[:known]) == self._moves:
            position = self._position.copy()
        else:
            position, known = parse_fen(fen), 0
        played = list(moves[:known])
        try:
            for text in moves[known:]:
                position.advance(parse_move(position, text))
                played.append(text)
        finally:
            self._position, self._fen, self._moves = position, fen, played

    def flip(self) -> None:
        self._must_be_idle("flip")
        self._position, self._fen, self._moves = mirrored(self._position), None, []

    def get_ready(self) -> None:
        """Prepare the searchers, the table, a thread and a handicap's chooser; see `shortages`."""
        self._must_be_idle("getting ready")
        self._engine.prepare(self.settings.threads)
        self._engine.table.touch()
        run_in_thread(lambda: None, "search")
        if self.settings.handicap != FULL:
            self._chance()
            self.library.prepare_opening_moves()

    def go(self, limits: Limits, listener: Listener, started: int | None = None) -> None:
        """Begin a search, which reports to the listener. Raises SearchingError if one is running.

        `started`: when the command arrived, in nanoseconds of `control.now`. The outcome of an infinite
        search or of pondering is held back until `stop` or `ponderhit`. A handicap does not count if the
        search is infinite, for a mate or `analysing`. A search for a mate guesses nothing, because zugzwang
        and quiet key moves are common there, and begins with an empty table, which may hold guesses and draws
        by repetition on other paths.
        """
        self._must_be_idle("go")
        started = now() if started is None else started
        moves = legal_moves(self._position)
        if limits.search_moves:
            moves = [move for move in moves if move in limits.search_moves]
            if not moves:
                raise MoveError("none of the search moves is legal")
        engine, settings = self._engine, replace(self.settings)
        tables, prober = self.library.tables, self.library.prober()
        if limits.mate is not None:
            engine.table.clear()
            # They keep only what is nearest to the next capture or pawn move: a mate may be elsewhere.
            tables, prober = None, Prober()
        engine.parameters.reset(settings.parameters, guesses=limits.mate is None)
        engine.begin()
        if self._search:
            self._timekeeper.stop(self._search.spent)
        self._timekeeper.start((self._fen, tuple(self._moves)), limits, self._position.side)
        self._engine.prepare(settings.threads)
        lines = settings.lines
        answer = None if settings.analysing else self.library.book_move(self._position, limits, lines)
        handicap = settings.handicap
        if handicap != FULL and not (settings.analysing or limits.infinite or limits.mate is not None):
            # One thread is enough for so few nodes, and a weak player knows no endgame tables.
            tables, prober, settings.threads = None, Prober(), 1
            chance, position = self._chance(), self._position.copy()
            handicap = handicap.hurried(limits.time[position.side])
            if position.base_ply + position.height < handicap.opening:
                handicap = handicap.knowing(self.library.opening_moves(position))
            limits = replace(limits, nodes=handicap.node_limit(limits.nodes))
            listener = HandicapListener(listener, handicap, settings.lines, chance, position)
            settings.lines = max(settings.lines, handicap.lines)
        self._search = Run(
            engine,
            self._position,
            moves,
            limits,
            settings,
            listener,
            started=started,
            answer=answer,
            tables=tables,
            prober=prober,
            delays=self._timekeeper.delays,
        )
        try:
            self._search_over = run_in_thread(self._search.run, "search")
        except Exception:  # no thread or no memory for it: the session stays idle
            self._search = None
            raise

    def stop(self) -> None:
        """Ask the search to end; returns at once."""
        if self._search:
            self._search.stop()

    @property
    def pondering(self) -> bool:
        """Whether a search waits for `ponderhit`."""
        return self._search is not None and self._search.pondering

    def ponderhit(self, received_ns: int | None = None) -> None:
        """The move pondered on was played: the clock counts from `received_ns`, by default from now."""
        if self._search:
            self._search.ponderhit(received_ns)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the search has given its outcome; False if that took more than `timeout` seconds."""
        return self._search is None or self._search.delivered.wait(timeout)

    def new_game(self) -> None:
        self._must_be_idle("a new game")
        self._engine.new_game()
        self._timekeeper.new_game()

    def clear_table(self) -> None:
        self._must_be_idle("clearing the hash table")
        self._engine.clear_table()

    def resize_table(self, megabytes: int) -> None:
        """An empty table of another size, or the largest for which there is memory; see `shortages`.

        Raises TableError where there is next to no memory.
        """
        self._must_be_idle("a new hash table")
        self._engine.resize_table(megabytes, self.settings.threads)

    def shortages(self) -> list[str]:
        """What the system had less of than was asked for; each line is given once."""
        return self._engine.shortages()

    @property
    def problems(self) -> list[str]:
        """What could not be loaded and why, a line each; mostly empty."""
        return self._choices.problems

    @property
    def evaluators(self) -> tuple[str, ...]:
        """The evaluators that can be used, the default first."""
        return self._choices.names

    @property
    def evaluator(self) -> str:
        return self._choice.name

    @property
    def outcome_model(self) -> OutcomeModel | None:
        """What the values of the evaluator in use mean, if that is known."""
        return self._choice.outcome

    @property
    def normalises(self) -> bool:
        """Whether scores are reported on the scale of the outcome model, not as they are."""
        return self._choice.normalises

    def use_evaluator(self, name: str) -> None:
        """Evaluate with this evaluator from now on. EvaluatorError leaves everything unchanged."""
        self._must_be_idle("another evaluator")
        self._judge_by(self._choices[name])

    def load_weights(self, path: FilePath | None) -> None:
        """Other weights for the evaluator that they are for; None: the default ones for all evaluators.

        WeightsError leaves everything unchanged.
        """
        self._must_be_idle("loading weights")
        if path is None:
            self._choices.restore()
        else:
            self._choices.load(path)
        self._judge_by(self._choices[self._choice.name])

    def static_value(self) -> int:
        """The evaluator's centipawns for the position, without a search, from the mover's point of view."""
        self._must_be_idle("evaluating")
        self._engine.prepare(self.settings.threads)
        return self._engine.searchers[0].evaluator.static_value(self._position)

    def explanations(self) -> list[tuple[Choice, Explanation]]:
        """The evaluator's explanation of its value; after that of a network, also that of `linear`."""
        return self._choices.explanations(self._choice.name, self._position)

    def close(self) -> None:
        """Stop, wait until no thread of the search is left, and give the endgame tables back."""
        self.stop()
        self._search_over.wait()
        self.library.close()

    def _must_be_idle(self, what: str) -> None:
        if self.searching:
            raise SearchingError(f"{what} has to wait: a search is running")

    def _chance(self) -> "Random":
        if self.chooser is None:
            from random import Random  # noqa: PLC0415 - slow to load, and at full strength not needed

            self.chooser = Random()
        return self.chooser

    def _judge_by(self, choice: Choice) -> None:
        """What was learned with another evaluator is of no use to this one."""
        if choice is self._choice:
            return
        self._engine.use_evaluator(choice.make)
        self._choice = choice
        self._timekeeper.new_game()
