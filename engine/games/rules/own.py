"""A game, or a search, in a Python file of its own, and the game in one: `--game mine.py`.

The file of a game defines `start()`, the first state, see State; `chances` is needed only where chance is to
move, and `turn` only for Best-Reply Search. It may define

    PLAYERS = 2             how many play
    PAYOFFS = (-1, 1)       the least and the greatest payoff
    ZERO_SUM = True         whether the payoffs of all players add up to 0
    estimate(state)         a guess of the payoffs: of each player, or of player 0
    text(state, move)       a move in words, without blanks and #; no other move of the state has the same
    show(state)             the board, in lines

`moves()` returns a list or a tuple; where chance is to move, the outcomes of `chances()` in their order. In a
game with chance, estimates must lie within PAYOFFS.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from functools import cache
from math import inf, isclose, isnan
from numbers import Real
from pathlib import Path
from random import Random
from traceback import FrameSummary, extract_tb
from types import ModuleType
from typing import Any

from engine.games.rules.game import CHANCE, OVER, Game, Move, NotApplicableError, SizeError
from engine.system import files

_LARGEST_FILE = 1 << 20  # bytes
_OWN = "own:"  # before the path in the name of a module
_LONGEST = 200  # characters of an error's message
_SHOWN = 60  # characters of what was returned
_GAMES = 3  # that are played at random to try the rules
MOST_PLIES = 1_000  # of a game


class OwnFileError(NotApplicableError):
    """A file that cannot be used, or a function of it that fails; the message is one line."""


def is_file(name: str) -> bool:
    """Whether a game or a searcher is named by a file, such as `mine.py`."""
    return name.endswith(".py")


def load(path: str) -> ModuleType:
    """The file as a module, read afresh. Raises OwnFileError.

    Modules in its folder are loaded for it alone, even if another file's or Python's have the same names.
    Their `print` writes to stderr and `input` raises EOFError: stdin and stdout are the command's.
    """
    path = str(Path(path).absolute())  # the file may change the folder
    folder = Path(path).parent.resolve()
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # for packages, which all files share
    beside: dict[str, ModuleType] = {}

    def imported(name: str, *given: Any, **more: Any) -> ModuleType:
        source = folder / f"{name}.py"
        if not source.is_file():
            return __import__(name, *given, **more)
        if name not in beside:
            beside[name] = module = _module(str(source), imported)
            try:
                _run(module)
            except BaseException:
                del beside[name]
                raise
        return beside[name]

    module = _module(path, imported)
    with reporting(path):
        _run(module)
    return module


def _module(path: str, imported: Callable[..., ModuleType]) -> ModuleType:
    """A module that is yet to run, with a function in place of `__import__`."""
    module = ModuleType(f"{_OWN}{path}")
    module.__file__ = path
    own = {"__import__": imported, "print": _print, "input": _input}
    module.__dict__["__builtins__"] = {**vars(builtins), **own}
    sys.modules[module.__name__] = module  # its dataclasses look it up
    return module


def _print(*values: object, file: Any = None, **more: Any) -> None:
    print(*values, file=sys.stderr if file is None else file, **more)


def _input(_prompt: object = "") -> str:
    raise EOFError("EOF when reading a line")


def is_own(names: Mapping[str, Any]) -> bool:
    """Whether these are the global names of a module that was loaded here."""
    return str(names.get("__name__")).startswith(_OWN)


def _run(module: ModuleType) -> None:
    path = str(module.__file__)
    with files.open_file(path, _LARGEST_FILE) as file:
        source = files.read_all(file, _LARGEST_FILE, path)
    exec(compile(source, path, "exec"), module.__dict__)  # noqa: S102 - it is to be played by


@contextmanager
def reporting(path: str, *others: type[BaseException]) -> Iterator[None]:
    """Raise OwnFileError in place of an error, with the last line of the file that ran.

    `others` pass, unless the file itself raises one. The current folder is afterwards what it was.
    """
    path = str(Path(path).absolute())  # as in the names of frames
    try:
        with chdir("."):
            yield
    except (Exception, SystemExit) as error:
        frames = extract_tb(error.__traceback__)
        # What a file calls may raise these, but it is Lolli that stops a search from within one.
        raised_at = frames if isinstance(error, (OSError, SystemExit)) else frames[-1:]
        if isinstance(error, (OwnFileError, *others)) and not _own_lines(raised_at, path):
            raise
        raise OwnFileError(_one_line(error, path)) from error


@contextmanager
def reporting_game(name: str, *others: type[BaseException]) -> Iterator[None]:
    """Raise SizeError in place of an error, as `reporting`, if `name` is the file of a game.

    NotApplicableError and SizeError are Lolli's, and pass, too.
    """
    if not is_file(name):
        yield
        return
    try:
        with reporting(name, NotApplicableError, SizeError, *others):
            yield
    except OwnFileError as error:
        raise SizeError(f"{name}: {error}") from None


def _one_line(error: BaseException, path: str) -> str:
    if isinstance(error, OSError) and error.filename == path:
        return str(error.strerror)
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"line {error.lineno}: {error.msg}"
    where = "".join(
        f"{'' if file == Path(path) else f'{file.name}, '}line {line}: "
        for file, line in _own_lines(extract_tb(error.__traceback__), path)[-1:]
    )
    said = _as_text(str, error)[:_LONGEST]
    return f"{where}{type(error).__name__}{': ' if said else ''}{said}"


def _own_lines(frames: Sequence[FrameSummary], path: str) -> list[tuple[Path, int | None]]:
    """The lines of these that are in the file, or in one beside it."""
    beside = Path(path).parent.resolve()
    places = [(Path(frame.filename), frame.lineno) for frame in frames]
    return [(file, line) for file, line in places if file.suffix == ".py" and file.resolve().parent == beside]


def _as_text(function: Callable[[object], str], value: object) -> str:
    try:
        return " ".join(function(value).split())
    except Exception:  # noqa: BLE001 - a class of the file's may fail at this, too
        return f"<{type(value).__name__}>"


def function_of(module: ModuleType, name: str) -> Callable[..., Any]:
    """A function that the file defines. Raises OwnFileError."""
    found: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(found):
        raise OwnFileError(f"defines no function {name}")
    return found


def is_number(value: object) -> bool:
    if isinstance(value, float) and isnan(value):
        return False
    return isinstance(value, Real) and not isinstance(value, bool)


def values_of(found: Any, players: int, function: str = "estimate") -> tuple[float, ...]:
    """What the function returns as one value for each player. Raises OwnFileError."""
    if is_number(found) and players == 2:
        return float(found), -float(found)
    if isinstance(found, Sequence) and len(found) == players and all(map(is_number, found)):
        return tuple(map(float, found))
    raise OwnFileError(f"{function} returned {shown(found)}: expected a value for each player")


def shown(value: object) -> str:
    """A value that a function returned, for a message."""
    return _as_text(repr, value)[:_SHOWN]


class OwnGame(Game[Any]):
    """The game in a file; some random games have been played to try its rules."""

    def __init__(self, path: str) -> None:
        """Raises SizeError for a file in which there is no such game."""
        module = load(path)
        said = (module.__doc__ or "").strip() or Path(path).stem
        self.name, self.title = path, re.split(r"[:.\n]", said)[0]
        self.players = getattr(module, "PLAYERS", 2)
        self.payoffs = getattr(module, "PAYOFFS", (-1.0, 1.0))
        self.zero_sum = getattr(module, "ZERO_SUM", True)
        self.cautious = not hasattr(module, "estimate")
        self._module = module
        with reporting(path):
            self._check_payoffs()
            self._start = function_of(module, "start")()
            for name in ("player", "moves", "play", "payoff"):
                if not hasattr(self._start, name):
                    raise OwnFileError(f"start() is {shown(self._start)}: a state needs {name}")
            self._complete(type(self._start))
            for seed in range(_GAMES):
                self._try_rules(Random(seed), with_texts=not seed)

    def start(self, size: int | None = None) -> Any:
        self.checked_size(size)
        return self._start

    def estimate(self, state: Any) -> Sequence[float]:
        """Raises SizeError."""
        own = getattr(self._module, "estimate", None)
        if own is None:
            return (0.0,) * self.players
        found = own(state)
        try:
            return values_of(found, self.players)
        except OwnFileError as error:  # of the game, not of who plays it
            raise SizeError(f"{self.name}: {error}") from None

    def text(self, state: Any, move: Move) -> str:
        own = getattr(self._module, "text", None)
        return "".join(str(move if own is None else own(state, move)).split())

    def show(self, state: Any) -> str:
        own = getattr(self._module, "show", None)
        return str(state if own is None else own(state)) or "-"

    @staticmethod
    def _complete(kind: type) -> None:
        """Give the class of the states what most games do without."""

        def no_chance(_state: Any) -> Any:
            raise NotApplicableError("no chance in this game")

        def no_turn(_state: Any, _player: int) -> Any:
            raise NotApplicableError("the turn is part of the state in this game")

        for name, function in (("chances", no_chance), ("turn", no_turn)):
            if not hasattr(kind, name):
                setattr(kind, name, function)

    def _try_rules(self, random: Random, *, with_texts: bool) -> None:
        """Raises OwnFileError."""
        state, played = self._start, 0
        estimates: list[Sequence[float]] = []
        while state.player != OVER:
            before = hash(state)
            moves = self._moves(state, played)
            if played == MOST_PLIES:
                raise OwnFileError(f"a game is not over after {MOST_PLIES:,} moves")
            if with_texts:
                self._check_texts([self.text(state, each) for each in moves])
            move = random.choice(moves)
            hash(move)  # searchers keep moves in sets
            after = state.play(move)
            if hash(state) != before:
                raise OwnFileError(f"play({shown(move)}) changes the state: return another one")
            if after.player != OVER:
                estimates.append(values_of(self.estimate(after), self.players))
            state, played = after, played + 1
        if list(state.moves()):
            raise OwnFileError("moves() is not empty where the game is over")
        payoffs = values_of(state.payoff(), self.players, "payoff")
        if self.zero_sum and not isclose(sum(payoffs), 0, abs_tol=1e-9):
            raise OwnFileError(
                f"payoff() is {shown(payoffs)}, which does not add up to 0: set ZERO_SUM = False"
            )
        self._check_bounds("payoff", payoffs)
        for estimate in estimates if self.chance else ():  # expectiminimax prunes by these bounds
            self._check_bounds("estimate", estimate)

    def _check_payoffs(self) -> None:
        ends: Any = self.payoffs
        are_numbers = isinstance(ends, Sequence) and len(ends) == 2 and all(map(is_number, ends))
        if not (are_numbers and -inf < ends[0] < ends[1] < inf):
            raise OwnFileError(f"PAYOFFS is {shown(ends)}: expected two finite numbers, the least first")

    def _moves(self, state: Any, played: int) -> Sequence[Move]:
        moves: Sequence[Move] = state.moves()
        if not isinstance(moves, Sequence):
            raise OwnFileError(f"moves() is {shown(moves)}: return a list or a tuple")
        if state.player == CHANCE:
            self.chance = True
            if [*moves] != [outcome for outcome, _ in state.chances()]:
                raise OwnFileError("where chance moves, moves() must be the outcomes of chances()")
        elif not 0 <= state.player < self.players:
            raise OwnFileError(f"after {played} moves the player is {shown(state.player)}")
        if not moves:
            raise OwnFileError(f"after {played} moves there is no move, and the game is not over")
        return moves

    @staticmethod
    def _check_texts(texts: Sequence[str]) -> None:
        if len(set(texts)) < len(texts) or any(not text or "#" in text for text in texts):
            raise OwnFileError(
                f"the texts of a state's moves are {shown(' '.join(texts))}: they must differ, not be empty,"
                " and have no #"
            )

    def _check_bounds(self, function: str, values: Sequence[float]) -> None:
        least, greatest = self.payoffs
        if not all(least <= value <= greatest for value in values):
            raise OwnFileError(f"{function}() is {shown(values)}: PAYOFFS are {least:g} to {greatest:g}")


@cache
def own_game(path: str) -> OwnGame:
    """The game in a file, which is read once. Raises SizeError."""
    with reporting_game(path):
        return OwnGame(path)
