"""One chess engine: the position, the table, the threads that search, and how to stop them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.board.fen import START_FEN, mirrored, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, parse_move
from engine.board.position import Position
from engine.clock import now
from engine.control import Control
from engine.files import FilePath
from engine.lookup.library import Library
from engine.search.alphabeta import Searcher
from engine.search.crew import fill, needed
from engine.search.delays import Timekeeper
from engine.search.handicap import FULL
from engine.search.limits import Limits
from engine.search.parameters import Parameters
from engine.search.report import Listener
from engine.search.run import Run, Task
from engine.search.settings import Settings
from engine.search.table import Table
from engine.search.weakened import Weakened
from eval.choice import Choice, Choices
from eval.explanation import Explanation
from eval.outcome import OutcomeModel

if TYPE_CHECKING:
    from random import Random


class SearchingError(RuntimeError):
    """What was asked for has to wait until the search has ended."""


class Session:
    """One engine. All methods are for one thread, the protocol's; the search runs in others."""

    def __init__(
        self, settings: Settings | None = None, megabytes: int = 16, choices: Choices | None = None
    ) -> None:
        """Reads the weights of the evaluators unless they are given; see `problems`."""
        self.settings = settings or Settings()
        self.chooser: Random | None = None
        """Decides where a handicap leaves a choice; None until then for one that nobody can foresee."""
        self.library = Library()
        self._choices = choices or Choices()
        self._choice = self._choices[self._choices.names[0]]
        self._position = parse_fen(START_FEN)
        self._fen: str | None = START_FEN  # with the moves, the game so far: mostly it just grows
        self._moves: list[str] = []
        self._table = Table(megabytes)
        self._control = Control()
        self._use = Parameters()
        self._searchers: list[Searcher] = []
        self._crowded = 0  # so many searchers were wanted, and there was no room for all of them
        self._shortages: list[str] = []
        self._search: Run | None = None
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
        """Whether a search's outcome is on its way: it has ended or was told to, and holds nothing back."""
        return self._search is not None and self._search.ending

    @property
    def hash_megabytes(self) -> int:
        """The size of the transposition table."""
        return self._table.megabytes

    def set_position(self, fen: str, moves: Sequence[str] = ()) -> None:
        """Go to a position and play moves; FenError or MoveError leave everything as it was."""
        self._must_be_idle("position")
        known = len(self._moves)
        if fen == self._fen and list(moves[:known]) == self._moves:
            position = self._position.copy()
        else:
            position, known = parse_fen(fen), 0
        for text in moves[known:]:
            position.advance(parse_move(position, text))
        self._position, self._fen, self._moves = position, fen, list(moves)

    def flip(self) -> None:
        """Turn the board upside down and exchange the colours."""
        self._must_be_idle("flip")
        self._position, self._fen, self._moves = mirrored(self._position), None, []

    def get_ready(self) -> None:
        """Do beforehand what would cost the next search time: make its searchers; see `shortages`."""
        self._must_be_idle("getting ready")
        self._prepare_searchers()

    def go(self, limits: Limits, listener: Listener, started: int | None = None) -> None:
        """Begin a search; it reports to the listener. SearchingError if one is running.

        `started` is when the command arrived, in nanoseconds of `clock.now`. The outcome of an
        infinite search or of pondering is held back until `stop` or `ponderhit`. A handicap counts
        unless the search is infinite, for a mate or `analysing`, which nobody asks of an opponent. Looking
        for a mate is no time to guess, zugzwang and quiet keys being common there; and the table, which may
        hold guesses and draws by repetition on another path, is emptied first.
        """
        self._must_be_idle("go")
        moves = legal_moves(self._position)
        if limits.search_moves:
            moves = [move for move in moves if move in limits.search_moves]
            if not moves:
                raise MoveError("none of the search moves is legal here")
        if limits.mate is not None:
            self._table.clear()
        changed = {"singular_extensions": self.settings.singular_extensions, **self.settings.parameters}
        self._use.reset(changed, guesses=limits.mate is None)
        self._table.new_search()
        self._control.begin()
        if self._search:
            self._timekeeper.end(self._search.spent)
        self._timekeeper.begin((self._fen, tuple(self._moves)), limits, self._position.side)
        task = Task(
            position=self._position,
            moves=moves,
            limits=limits,
            settings=replace(self.settings),
            started=now() if started is None else started,
            searchers=self._prepare_searchers(),
            table=self._table,
            control=self._control,
            use=self._use,
            answer=self.library.book_move(self._position, limits, self.settings.lines),
            # They keep only what is nearest to the next capture or pawn move: a mate may be elsewhere.
            tables=self.library.tables if limits.mate is None else None,
            delays=self._timekeeper.delays,
        )
        if self._is_weakened(limits):
            task, listener = self._weaken(task, listener)
        search = Run(task, listener)
        search.start()
        self._search = search

    def stop(self) -> None:
        """Ask the search to end; returns at once."""
        if self._search:
            self._search.stop()

    def ponderhit(self, received_ns: int | None = None) -> None:
        """The move pondered on was played: the clock counts from `received_ns`, by default from now."""
        if self._search:
            self._search.ponderhit(received_ns)

    def wait(self, timeout: float | None = None) -> bool:
        """Until the search has given its outcome; False if that took more than `timeout` seconds."""
        return self._search is None or self._search.delivered.wait(timeout)

    def new_game(self) -> None:
        """Forget all that was learned in the last game."""
        self.clear_table()
        self._timekeeper.new_game()
        for searcher in self._searchers:
            searcher.forget_moves()

    def clear_table(self) -> None:
        """Empty the transposition table."""
        self._must_be_idle("clearing the hash table")
        self._table.clear()
        for searcher in self._searchers:
            searcher.forget_positions()

    def resize_table(self, megabytes: int) -> None:
        """An empty table of another size, or the largest that there is memory for: then `shortages` says so.

        Raises TableError where there is next to no memory.
        """
        self._must_be_idle("a new hash table")
        if megabytes == self._table.megabytes:
            return
        self._table.resize(megabytes, needed(self.settings.threads - len(self._searchers)))
        self._crowded = 0  # there may be more memory now for searchers
        if self._table.megabytes < megabytes:
            self._shortages.append(f"Hash: {self._table.megabytes} of {megabytes} MB, for lack of memory")
        for searcher in self._searchers:
            searcher.forget_positions()

    def shortages(self) -> list[str]:
        """What there is less of than was asked for, as the system has no more; each line is given once."""
        told, self._shortages = self._shortages, []
        return told

    @property
    def problems(self) -> list[str]:
        """What could not be loaded and why, a line each; nothing mostly."""
        return self._choices.problems

    @property
    def evaluators(self) -> tuple[str, ...]:
        """The evaluators that can be used, the first being the one to begin with."""
        return self._choices.names

    @property
    def evaluator(self) -> str:
        """The evaluator in use."""
        return self._choice.name

    @property
    def outcome_model(self) -> OutcomeModel | None:
        """What the values of the evaluator in use mean, if that is known."""
        return self._choice.outcome

    @property
    def normalises(self) -> bool:
        """Whether scores are told on the scale of the outcome model, not as they are."""
        return self._choice.normalises

    def use_evaluator(self, name: str) -> None:
        """Judge by this evaluator from now on. EvaluatorError leaves everything as it was."""
        self._must_be_idle("another evaluator")
        self._judge_by(self._choices[name])

    def load_weights(self, path: FilePath | None) -> None:
        """Other weights for `linear`, None for the usual ones; WeightsError leaves everything as it was."""
        self._must_be_idle("loading weights")
        self._choices.load_linear(path)
        self._judge_by(self._choices[self._choice.name])

    def explain(self) -> Explanation:
        """What the static value of the position is made of."""
        return self._choice.make().explain(self._position)

    def close(self) -> None:
        """Stop, and wait until no thread of the search is left."""
        self.stop()
        if self._search:
            self._search.join()

    def _must_be_idle(self, what: str) -> None:
        if self.searching:
            raise SearchingError(f"{what} has to wait: a search is running")

    def _is_weakened(self, limits: Limits) -> bool:
        """Whether the move is to be chosen by the handicap."""
        settings = self.settings
        analysing = settings.analysing or limits.infinite or limits.mate is not None
        return settings.handicap != FULL and not analysing

    def _weaken(self, task: Task, listener: Listener) -> tuple[Task, Listener]:
        """The task for the handicap, which hears of the search before the listener does.

        One thread is enough for so few nodes, and endgame tables are nothing that a weak player has in mind.
        """
        handicap, shown = task.settings.handicap, task.settings.lines
        weakened = replace(
            task,
            limits=handicap.limited(task.limits, task.position.men()),
            settings=replace(task.settings, lines=max(shown, handicap.lines)),
            searchers=task.searchers[:1],
            tables=None,
        )
        return weakened, Weakened(listener, handicap, shown, self._chance())

    def _chance(self) -> "Random":
        """Who decides, now that there is something to decide."""
        if self.chooser is None:
            from random import Random  # noqa: PLC0415 - slow to load, and at full strength not needed

            self.chooser = Random()
        return self.chooser

    def _judge_by(self, choice: Choice) -> None:
        """What the table and the searchers learned from another evaluator is of no use to this one."""
        if choice is self._choice:
            return
        self._choice = choice
        self.new_game()
        for searcher in self._searchers:
            searcher.use_evaluator(choice.make())

    def _prepare_searchers(self) -> list[Searcher]:
        """As many as there are threads or, if fewer, as there is room for, each with its own evaluator."""
        wanted = self.settings.threads
        del self._searchers[wanted:]
        if len(self._searchers) < wanted != self._crowded:
            fill(self._searchers, wanted, self._new_searcher)
            self._note_crowding()
        if self._search is not None and self._search.refused:  # a thread, although there had been room for it
            del self._searchers[self._search.threads :]
            self._search.refused = False
            self._note_crowding()
        return self._searchers

    def _note_crowding(self) -> None:
        """Where there are fewer searchers than wanted, say so, and do not try again each time."""
        wanted = self.settings.threads
        if len(self._searchers) < wanted:
            self._crowded = wanted
            self._shortages.append(f"Threads: {len(self._searchers)} of {wanted}, for lack of room")

    def _new_searcher(self) -> Searcher:
        return Searcher(self._table, self._control, self._choice.make(), self._use)
