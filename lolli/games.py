"""The other games, and the searchers of a lecture on adversarial search, from Python.

>>> from lolli import games
>>> state = games.new("tictactoe")
>>> state = state.play("B2").play("A1")
>>> found = games.search(state, "alphabeta")
>>> found.value, found.exact
(0.0, True)

Games, options and searchers have the names of the command line: see `names`, `searchers`, `options`, and
`lolli games`. Players are numbered from 0; values and payoffs are mostly from -1, lost, to 1, won.

Errors are `GameError`, a ValueError with a message in one line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, TypeAlias

from engine.games.catalogue import GAMES, Rules
from engine.games.levels import levels as levels_of
from engine.games.limits import limits_of
from engine.games.players import Player, decide
from engine.games.rules.game import (
    CHANCE,
    OVER,
    Game,
    IllegalMoveError,
    NotApplicableError,
    SizeError,
    variation,
)
from engine.games.rules.own import is_file
from engine.games.search.basics import Decision, SearchLimits
from engine.games.searchers import DEPTH, SEARCHERS, OptionError, algorithm, current_name
from engine.system.thread_pool import run_in_thread

__all__ = [
    "Found",
    "GameError",
    "GameState",
    "Searcher",
    "Tried",
    "levels",
    "names",
    "new",
    "options",
    "search",
    "searchers",
]

Value: TypeAlias = bool | float | str

_PATIENCE = 0.2  # seconds after which a system that wakes nobody by itself looks for signals
_STOP_SECONDS = 0.02  # between two attempts to end a search, which may not have begun yet


class GameError(ValueError):
    """An unknown game, move, searcher or option, or one that does not go with the other."""


class GameState:
    """A position of a game: immutable, hashable, and equal to another if the same can follow.

    States of games with options are equal only if the options were given in the same way.

    `game` is the name of the game, `players` how many there are.
    """

    def __init__(self, kind: Rules, rules: Game[Any], state: Any) -> None:
        """Use `new`."""
        self._kind = kind
        self._rules = rules
        self._state = state

    @property
    def game(self) -> str:
        """The name of the game, such as `othello`."""
        return self._rules.name

    @property
    def players(self) -> int:
        """The number of players."""
        return self._rules.players

    @property
    def player(self) -> int | None:
        """The player to move, 0 … n - 1; None where chance is to move, or nobody."""
        found: int = self._state.player
        return None if found in (CHANCE, OVER) else found

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self._state.player == OVER)

    @property
    def is_chance(self) -> bool:
        """Whether chance is to move: dice are to be rolled."""
        return bool(self._state.player == CHANCE)

    @property
    def payoffs(self) -> tuple[float, ...]:
        """What each player has won, once the game is over. Raises GameError before."""
        if not self.is_over:
            raise GameError("the game is not over")
        return tuple(self._state.payoff())

    @property
    def estimate(self) -> tuple[float, ...]:
        """What the game's evaluation function guesses that each player will win, without looking ahead."""
        if self.is_over:
            return self.payoffs
        with _game_errors():
            return tuple(self._rules.estimate(self._state))

    def moves(self) -> list[str]:
        """The legal moves in the game's notation, always in the same order; or the outcomes of chance."""
        return [self._rules.text(self._state, move) for move in self._state.moves()]

    def chances(self) -> dict[str, float]:
        """Each outcome of chance with its probability. Raises GameError where it is not to move."""
        if not self.is_chance:
            raise GameError("chance is not to move")
        return {self._rules.text(self._state, move): odds for move, odds in self._state.chances()}

    def play(self, *moves: str) -> GameState:
        """The state after some moves, or outcomes of chance. Raises GameError where one is not legal."""
        state = self._state
        for move in moves:
            try:
                state = state.play(self._rules.parse(state, move))
            except IllegalMoveError as error:
                raise GameError(str(error)) from None
        return GameState(self._kind, self._rules, state)

    def __str__(self) -> str:
        return self._rules.show(self._state)

    def __repr__(self) -> str:
        return f"<{self._rules.title}: {_mover(self)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameState):
            return NotImplemented
        return self._kind == other._kind and bool(self._state == other._state)

    def __hash__(self) -> int:
        return hash((self.game, self._state))


@dataclass(frozen=True, slots=True)
class Tried:
    """What sampling has found out about a move: how often it was tried, and the mover's mean payoff."""

    move: str
    visits: int
    mean: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a searcher has found.

    `move` is to be played, `line` what is expected. `value` is for the player to move, None where the
    searcher has none, `values` are for all players where it has them; `exact`: it is the value of the game,
    with no estimate in it. `depth` is in plies, 0 for a searcher without depths; `nodes` were visited,
    `leaves` judged, and `playouts` random games played, or simulations of PUCT, in `seconds`. `tried` are the
    moves that sampling has tried, the most visited first.
    """

    move: str
    line: tuple[str, ...]
    value: float | None
    values: tuple[float, ...] | None
    exact: bool
    depth: int
    nodes: int
    leaves: int
    playouts: int
    seconds: float
    tried: tuple[Tried, ...]


class Searcher:
    """A searcher that keeps what it has learned in a game from move to move, as far as it does.

    `name` is a searcher, such as `alphabeta`, or a level, such as `level3`; `state` is any state of the game.
    Its options are those of `options`; `fixed_depth` in plies searches that deep at once, without iterative
    deepening. `seed` makes random choices repeatable. Raises GameError.
    """

    def __init__(
        self, state: GameState, name: str, *, seed: int = 0, fixed_depth: int | None = None, **options: Value
    ) -> None:
        self._kind = state._kind
        self._limits = SearchLimits()
        given = {option: _text(value) for option, value in options.items()}
        if fixed_depth is not None:
            given[DEPTH.name] = str(fixed_depth)
        if name.startswith("level") and not is_file(name):
            known = {f"level{level.number}": level for level in levels_of(state._rules)}
            if name not in known:
                raise GameError(f"unknown level {name[:40]!r}: this game has level1 to level{len(known)}")
            level = known[name]
            name, given, self._limits = level.searcher, {**level.options, **given}, level.limits
        with _game_errors(f"{name}: "):
            self._player: Player = algorithm(_known(name)).player(state._rules, seed, given)

    def search(
        self,
        state: GameState,
        *,
        seconds: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        playouts: int | None = None,
    ) -> Found:
        """Search until the first limit is reached; `depth` in plies, `playouts` are random games, or
        simulations of PUCT.

        Without a limit those of the level hold, or what the searcher does by itself: seconds mostly, or to
        the end of a small game. In a settled game of Go a searcher with playouts checks the move that ends
        it, which may take as many playouts again; where that move is played, nothing is `tried`. Raises
        GameError where no player is to move, for a state of another game, and for limits that are not above
        0; TypeError for those that are not numbers, or not whole where they count something.
        """
        if state._kind != self._kind:
            raise GameError("this searcher was made for another game")
        if state.player is None:
            raise GameError("no player is to move")
        limits = limits_of(self._limits, _limits(seconds, depth=depth, nodes=nodes, playouts=playouts))
        with _game_errors():
            decision = self._decided(state, limits)
        return _found(state, decision)

    def _decided(self, state: GameState, limits: SearchLimits) -> Decision:
        """In a thread of its own: compiled searches see no signals, so Ctrl-C ends them from this one."""
        found: list[Decision] = []
        errors: list[BaseException] = []
        is_over = False

        def run() -> None:
            try:
                found.append(
                    decide(state._rules, self._player, state._state, limits, stopped=lambda: is_over)
                )
            except BaseException as error:  # noqa: BLE001 - raised below
                errors.append(error)

        over = run_in_thread(run, "search")
        try:
            while not over.wait(_PATIENCE):
                pass
        except BaseException:
            is_over = True
            while not over.wait(_STOP_SECONDS):
                self._player.stop()
            raise
        for error in errors:
            raise error
        return found[0]

    def new_game(self) -> None:
        """Forget what was learned."""
        self._player.new_game()


def names() -> tuple[str, ...]:
    """The names of all games."""
    return tuple(GAMES)


def new(name: str, *, players: int | None = None, size: int | None = None, **options: Value) -> GameState:
    """The first state of a game, such as `new("virus", players=3, size=7)` or `new("tree", tree="sixteen")`.

    `players` and `size` are by default the usual ones; `options` are the game's own. Raises GameError.
    """
    try:
        kind = Rules.named(name, players, {option: _text(value) for option, value in options.items()})
        rules = kind.game()
        kind = replace(kind, name=rules.name, players=rules.players)  # however they were typed
        return GameState(kind, rules, rules.start(size))
    except SizeError as error:
        raise GameError(str(error)) from None


def searchers(state: GameState | None = None) -> tuple[str, ...]:
    """The names of all searchers, or of those that can play the game of a state."""
    fitting = (each for each in SEARCHERS.values() if state is None or each.obstacle(state._rules) is None)
    return tuple(each.name for each in fitting)


def options(state: GameState, name: str) -> dict[str, Value]:
    """The options of a searcher, with the values that they have in the game of a state. Raises GameError."""
    with _game_errors():
        return dict(algorithm(_known(name)).values(state._rules))


def levels(state: GameState) -> tuple[str, ...]:
    """The levels of play of a game, the weakest first: names for `search` and `Searcher`."""
    return tuple(f"level{level.number}" for level in levels_of(state._rules))


def search(
    state: GameState,
    name: str,
    *,
    seconds: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    playouts: int | None = None,
    fixed_depth: int | None = None,
    seed: int = 0,
    **options: Value,
) -> Found:
    """What a searcher finds in a state, having learned nothing before; see `Searcher` for the arguments."""
    searcher = Searcher(state, name, seed=seed, fixed_depth=fixed_depth, **options)
    return searcher.search(state, seconds=seconds, depth=depth, nodes=nodes, playouts=playouts)


def _limits(seconds: float | None, **counts: int | None) -> SearchLimits:
    for name, number in {"seconds": seconds, **counts}.items():
        if number is not None and not isinstance(number, Real if name == "seconds" else Integral):
            kind = "a number" if name == "seconds" else "a whole number"
            raise TypeError(f"{name} must be {kind}, not {number!r:.40}")
        if number is not None and not number > 0:
            raise GameError("limits must be above 0")
    whole = {name: None if count is None else int(count) for name, count in counts.items()}
    return SearchLimits(None if seconds is None else float(seconds), **whole)


@contextmanager
def _game_errors(prefix: str = "") -> Iterator[None]:
    try:
        yield
    except (NotApplicableError, OptionError) as error:
        raise GameError(f"{prefix}{error}") from None


def _mover(state: GameState) -> str:
    if state.is_over:
        return f"over, {', '.join(f'{payoff:g}' for payoff in state.payoffs)}"
    return "chance to move" if state.is_chance else f"player {state.player} to move"


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _known(name: str) -> str:
    name = current_name(name)
    if name not in SEARCHERS and not is_file(name):
        raise GameError(f"unknown searcher {name[:40]!r}; available: {', '.join(SEARCHERS)}")
    return name


def _found(state: GameState, decision: Decision) -> Found:
    rules, first = state._rules, state._state
    move = rules.text(first, decision.move)
    return Found(
        move=move,
        line=tuple(text for _, text in variation(rules, first, decision.line)) or (move,),
        value=decision.value,
        values=None if decision.values is None else tuple(decision.values),
        exact=decision.exact,
        depth=decision.depth,
        nodes=decision.counts.visited,
        leaves=decision.counts.leaves,
        playouts=decision.counts.playouts,
        seconds=decision.seconds,
        tried=tuple(Tried(rules.text(first, each.move), each.visits, each.mean) for each in decision.tried),
    )
