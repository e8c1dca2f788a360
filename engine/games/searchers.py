"""All searchers by name: their options, what each needs of a game, and how it becomes a player.

A searcher plays from the file of its name in engine.games.search, loaded when a player is made; its compiled
twin, where it has one, is `NAME-fast`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from sys import getsizeof
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.games.rules.game import NotApplicableError
from engine.games.rules.own import is_file
from engine.games.search.basics import sensible_moves
from engine.system.memory import NoMemoryError

if TYPE_CHECKING:
    from engine.games.players import Player
    from engine.games.rules.game import Game

Value: TypeAlias = bool | int | float | str
Need: TypeAlias = "Callable[[Game[Any]], str | None]"
"""Returns the reason why a game cannot be played, or None."""

_SHOWN = 40  # characters of a wrong text that are quoted
_DIGITS = 18
_YES, _NO = ("true", "on", "yes", "1"), ("false", "off", "no", "0")


class OptionError(ValueError):
    """An unknown option, or a text that is not a value of it; the message is one line."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a searcher; its type is that of the default.

    `least` and `most` bound a number, both included; a text must be one of `choices`, or if there are none,
    may be any, such as the name of a file. `limits`: whether a value other than 0 says how long to search.
    """

    name: str
    default: Value
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    limits: bool = False

    def read(self, text: str) -> Value:
        """The value of `text`. Raises OptionError."""
        try:
            value = self._converted(text.strip())
        except ValueError:
            value = None
        if value is None:
            raise OptionError(f"{self.name} must be {self._expected()}, not {text.strip()[:_SHOWN]!r}")
        return value

    def _expected(self) -> str:
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return f"one of {', '.join(self.choices)}" if self.choices else "a name"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        least = "" if self.least is None else f" from {self.least:g}"
        return kind + least + ("" if self.most is None else f" to {self.most:g}")

    def _converted(self, text: str) -> Value | None:
        """The value, or None where it is not allowed. Raises ValueError."""
        if isinstance(self.default, bool):
            return True if text.lower() in _YES else False if text.lower() in _NO else None
        if isinstance(self.default, str):
            if not self.choices:
                return text or None
            return text.lower() if text.lower() in self.choices else None
        if isinstance(self.default, int):
            return self._bounded(int(text)) if len(text) <= _DIGITS else None
        return self._bounded(float(text))

    def _bounded(self, number: float) -> float | None:
        above = self.least is None or number >= self.least
        below = self.most is None or number <= self.most
        return number if above and below else None  # never NaN


def read_options(options: Sequence[Option], texts: Mapping[str, str] | None = None) -> dict[str, Value]:
    """The values of all options; the default where there is no text. Raises OptionError."""
    by_name = {option.name: option for option in options}
    values = {option.name: option.default for option in options}
    for name, text in (texts or {}).items():
        if name.lower() not in by_name:
            known = ", ".join(by_name) or "none"
            raise OptionError(f"unknown option {name[:_SHOWN]!r}; known options: {known}")
        values[name.lower()] = by_name[name.lower()].read(text)
    return values


def options_text(values: Mapping[str, Value]) -> str:
    """The options of a searcher as `name=value`, separated by blanks."""
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}
    return " ".join(f"{name}={text}" for name, text in texts.items())


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A searcher: `name` on the command line and over GTP, `title` as people write it.

    It can play a game if none of `needs(game)` gives a reason why not. Each of the `switches` is an option
    that can be on only where the game gives no reason why not. `make(game, seed, **values)` makes a player.
    `like`: the searcher of the textbook that a file plays like, and is watched as; empty for all others.
    """

    name: str
    title: str
    summary: str
    options: tuple[Option, ...]
    needs: tuple[Need, ...]
    make: Callable[..., Player]
    switches: Mapping[str, Need] = field(default_factory=dict)
    like: str = ""

    def obstacle(self, game: Game[Any]) -> str | None:
        """Why it cannot play this game, in one line; None if it can."""
        return next((reason for need in self.needs if (reason := need(game))), None)

    def values(self, game: Game[Any], options: Mapping[str, str] | None = None) -> dict[str, Value]:
        """The values of all options; those that are not given are the ones that serve best in this game.

        Raises OptionError, also for a switch that is to be on and cannot be.
        """
        given = {name.lower(): text for name, text in (options or {}).items()}
        values = read_options(self.options, {**game.advice.get(self.name, {}), **given})
        for name, need in self.switches.items():
            if values[name] and (reason := need(game)):
                if name in given:
                    raise OptionError(f"{name} {reason}")
                values[name] = False
        return values

    def player(self, game: Game[Any], seed: int = 0, options: Mapping[str, str] | None = None) -> Player:
        """A player of the game with these options, see `values`.

        Raises NotApplicableError with the obstacle, OptionError.
        """
        values = self.values(game, options)
        if reason := self.obstacle(game):
            raise NotApplicableError(reason)
        try:
            return self.make(game, seed, **values)
        except (NoMemoryError, ValueError) as error:
            raise OptionError(str(error)) from error


SEARCHERS: dict[str, Algorithm] = {}  # in the order in which they are listed; `NAME-fast` after its textbook
_FORMER_NAMES = {"treesearch": "uct-fast"}


def current_name(name: str) -> str:
    """The name of a searcher; also for its former name, which is still good in a configuration."""
    return _FORMER_NAMES.get(name, name)


def algorithm(name: str) -> Algorithm:
    """The searcher of that name, or the one in that file.

    Raises KeyError for an unknown searcher, OptionError for a file that cannot be used.
    """
    return _algorithm_in(name) if is_file(name) else SEARCHERS[current_name(name)]


@cache
def _algorithm_in(path: str) -> Algorithm:
    from engine.games.players.student import algorithm_of

    return algorithm_of(path)


def player(game: Game[Any], name: str, seed: int = 0, options: Mapping[str, str] | None = None) -> Player:
    """A player of a game by the name of its searcher.

    Raises KeyError for an unknown searcher, NotApplicableError, OptionError.
    """
    return algorithm(name).player(game, seed, options)


# What a searcher may need of a game


def _two_players(game: Game[Any]) -> str | None:
    return None if game.players == 2 else f"needs two players, not {game.players}"


def _zero_sum(game: Game[Any]) -> str | None:
    return None if game.zero_sum else "needs payoffs that add up to 0"


def _no_chance(game: Game[Any]) -> str | None:
    return "needs a game without chance" if game.chance else None


def _compiled(game: Game[Any]) -> str | None:
    from engine.games.rules.compiled_state import CompiledState

    return None if isinstance(game.start(), CompiledState) else "needs a game with compiled states"


def _no_weights(game: Game[Any]) -> str | None:
    return None if game.weights is None else "has the game's own estimate only, without weights"


def _proofs(game: Game[Any]) -> str | None:
    won_drawn_lost = None if game.payoffs == (-1, 1) else "needs payoffs of -1, 0 and 1"
    return _two_players(game) or won_drawn_lost


def policy(game: Game[Any]) -> str | None:
    return None if getattr(game.start(), "policy_given", False) else "needs a game with a learned policy"


def _priors(game: Game[Any]) -> str | None:
    known = getattr(game.start(), "priors_given", False)
    return None if known else "needs a game that knows something of moves"


def _learned(game: Game[Any]) -> str | None:
    from engine.games.networks.file import shipped_networks

    return None if shipped_networks(game.name) else "needs a game with a learned network"


def turns(game: Game[Any]) -> str | None:
    """Another player could move on the same board."""
    state = game.start()
    try:
        if state.player >= 0:
            state.turn(state.player)
    except NotApplicableError as error:
        return str(error)
    return None


def _exact(game: Game[Any]) -> str | None:
    from engine.games.players.solvers import solver_obstacle

    return solver_obstacle(game.start())


def _patterns(game: Game[Any]) -> str | None:
    return None if game.name == "othello" else "needs a game whose patterns have learned weights"


def _small(game: Game[Any]) -> str | None:
    """All states that can follow the usual start fit into a table that is made at once."""
    from engine.games.search.lookup import TooManyStatesError, solve

    start = game.start()
    try:
        solve(start, min(6_000, (1 << 26) // getsizeof(start)))  # 6,000: among them all of tic-tac-toe
    except (TooManyStatesError, NotApplicableError) as error:
        return str(error)
    return None


_OPPOSED = (_two_players, _zero_sum, _no_chance)
_TURNS = (_zero_sum, _no_chance, turns)
_NETWORK_NEEDS = (_two_players, _no_chance, _learned)


def _playouts(default: int, of: str = "random games") -> Option:
    return Option("playouts", default, f"{of}, where no limit is given", 1, 1_000_000_000, limits=True)


def _nodes(default: int) -> Option:
    what = "positions looked at, where no limit is given"
    return Option("nodes", default, what, 1, 1_000_000_000_000, limits=True)


def _memory(default: int, of: str) -> Option:
    return Option("megabytes", default, f"of memory for {of}", 1, 65_536)


DEPTH = Option(
    "depth", 0, "plies to search at once; 0: one more after the other, until a limit", 0, 150, limits=True
)
_RULE = Option(
    "rule",
    "move-to-front",
    "how an opponent with a best reply moves forward in the list",
    choices=("move-to-front", "transposition"),
)
_EXPLORATION = Option("exploration", 1.0, "c in win rate + c·sqrt(ln N / n)", 0, 100)
_FINAL = Option(
    "final",
    "visits",
    "play the move most visited, or the one with the best win rate",
    choices=("visits", "rate"),
)
_EXPECTED = (
    Option(
        "pruning",
        "star1",
        "none; between chance nodes; or across them, too; naive prunes there as elsewhere, which is wrong",
        choices=("none", "reset", "star1", "naive"),
    ),
    Option(
        "bounds",
        "game",
        "for star1: the least and the greatest payoff of the first player, as in 0,10; or the game's",
    ),
)
_HOOKS = (
    Option("look_up", "none", "values known beforehand: a file of `lolli solve --make`, or theory"),
    Option("cut_off", "depth", "end at the depth; or only in quiet positions", choices=("depth", "quiet")),
    Option(
        "extend",
        "none",
        "a ply more for no move; for the only one; for captures and other noisy ones",
        choices=("none", "forced", "noisy"),
    ),
    Option(
        "random_games", 0, "random games whose mean is the estimate; 0: the game's own estimate", 0, 10_000
    ),
)
_ADDITIONS = (
    Option("transpositions", True, "a transposition table"),
    Option("principal", True, "principal variation first"),
    Option("killers", True, "killer moves early"),
    Option("history", True, "history heuristic"),
    Option("quiescence", True, "follow noisy moves beyond the horizon"),
    Option("singular", False, "singular extensions: a ply more for a move much better than all others"),
)
_REUSE = Option("reuse", True, "keep the tree from move to move")
_OF_UCT = (
    Option("expand_after", 1, "visits of a node before it gets children", 1, 1_000_000),
    Option("rave", 0.0, "visits after which AMAF weighs no more than the win rate; 0: no AMAF", 0, 1e9),
    Option("priors", True, "begin with what the game knows of moves"),
    Option(
        "policy",
        0.0,
        "in place of priors, the simulations won that a policy gives its likeliest move;"
        " 0: none, and no network",
        0,
        1e6,
    ),
    Option(
        "network",
        "none",
        "with policy above 0, a network in its place, which also says who is ahead: none, shipped, or a file",
    ),
    Option("network_after", 16, "with a network: visits of a node before it gets children", 1, 1_000_000),
    Option("network_visits", 8, "simulations that the network's value counts for", 0, 1_000),
    Option(
        "network_bias", 0.3, "with a network: c in c·p·sqrt(N) / (1 + n) for a move of probability p", 0, 1e3
    ),
    Option(
        "widening",
        0.0,
        "by policy, the k-th move after 40·(1 + w + … + w^(k-2)) visits; 0: all at once",
        0,
        10,
    ),
    Option("solver", True, "prove wins, draws and losses; two players"),
    _REUSE,
    _memory(256, "the tree"),
    Option("threads", 1, "trees that grow at the same time, added up at the root", 1, 256),
)
_OF_PUCT = (
    Option("exploration", 1.25, "c in Q + c·P·sqrt(N) / (1 + n), Q from -1 to 1", 0, 100),
    Option(
        "reduction",
        0.2,
        "first-play urgency: a move not tried is worth its parent less this·sqrt(P of those tried)",
        0,
        10,
    ),
)
_NETWORK = Option("network", "shipped", "the file of a network for this game, or the one that is shipped")
_OF_FAST_PUCT = (
    Option("games", 0, "random games from each leaf, whose mean is mixed into its value", 0, 1_000),
    Option("mixing", 0.5, "the weight of that mean; the rest is the learned value", 0, 1),
    Option("expand_after", 1, "with games: visits of a leaf before it is evaluated", 1, 1_000_000),
    Option("batch", 8, "positions that are evaluated together", 1, 256),
    Option("threads", 1, "of the evaluation; the same moves with any number", 1, 256),
    Option("solver", True, "prove wins, draws and losses"),
    _REUSE,
    _memory(256, "the tree"),
    _NETWORK,
)


def _searcher(
    name: str,
    title: str,
    needs: tuple[Need, ...] = (),
    options: tuple[Option, ...] = (),
    switches: Mapping[str, Need] | None = None,
) -> Callable[[Callable[..., Player]], Callable[..., Player]]:
    """Enters a function that makes players; its docstring is the summary."""

    def enter(make: Callable[..., Player]) -> Callable[..., Player]:
        SEARCHERS[name] = Algorithm(name, title, make.__doc__ or "", options, needs, make, switches or {})
        return make

    return enter


def _deepening(game: Game[Any], depth: int, new_search: Callable[[], Any], *, proves: bool = True) -> Player:
    """A player that deepens with what `new_search` returns, which is called for each game.

    `proves`: whether its value is that of the game where no estimate was used.
    """
    from engine.games.players.textbook import DeepeningPlayer

    return DeepeningPlayer(game, new_search, depth=depth, proves=proves)


@_searcher("random", "Random")
def _random(_game: Game[Any], seed: int) -> Player:
    """any sensible move, all equally likely"""
    from engine.games.players import RandomPlayer

    return RandomPlayer(seed)


@_searcher("minimax", "Minimax", _OPPOSED, (DEPTH,))
def _minimax(game: Game[Any], _seed: int, depth: int) -> Player:
    """every line, with nothing pruned"""
    from engine.games.search.minimax import minimax

    return _deepening(game, depth, lambda: minimax)


@_searcher("alphabeta", "Alpha-beta", _OPPOSED, (DEPTH, *_HOOKS))
def _alphabeta(game: Game[Any], _seed: int, depth: int, **hooks: Any) -> Player:
    """minimax without the moves that cannot matter"""
    from engine.games.players.textbook import alphabeta_with

    search = alphabeta_with(game, **hooks)
    return _deepening(game, depth, lambda: search)


@_searcher("enhanced", "Enhanced alpha-beta", _OPPOSED, (DEPTH, *_ADDITIONS))
def _enhanced(game: Game[Any], _seed: int, depth: int, **additions: bool) -> Player:
    """alpha-beta with a transposition table, quiescence and extensions; each can be switched off"""
    from engine.games.search.enhanced_alphabeta import EnhancedAlphaBeta

    return _deepening(game, depth, lambda: EnhancedAlphaBeta(game, **additions))


@_searcher("expectiminimax", "Expectiminimax", (_two_players, _zero_sum), (DEPTH, *_EXPECTED))
def _expectiminimax(game: Game[Any], _seed: int, depth: int, pruning: str, bounds: str) -> Player:
    """minimax with chance as a player"""
    from engine.games.players.textbook import NAIVE, with_pruning

    search = with_pruning(game, pruning, bounds)
    return _deepening(game, depth, lambda: search, proves=pruning != NAIVE)


@_searcher("maxn", "Max-N", (), (DEPTH,))
def _maxn(game: Game[Any], _seed: int, depth: int) -> Player:
    """every player looks after itself alone; any number of players, any payoffs"""
    from engine.games.search.maxn import maxn

    return _deepening(game, depth, lambda: maxn)


@_searcher("paranoid", "Paranoid", (_zero_sum,), (DEPTH,))
def _paranoid(game: Game[Any], _seed: int, depth: int) -> Player:
    """alpha-beta, as if all others had joined forces; any number of players"""
    from engine.games.search.paranoid import paranoid

    return _deepening(game, depth, lambda: paranoid, proves=False)


@_searcher("bestreply", "Best-Reply Search", _TURNS, (DEPTH,))
def _best_reply(game: Game[Any], _seed: int, depth: int, rule: str = "in-turn") -> Player:
    """after each own move only the one opponent who hurts most replies"""
    from engine.games.players.textbook import best_reply_with_lists

    return _deepening(game, depth, lambda: best_reply_with_lists(game, rule), proves=False)


@_searcher("bestreply-fast", "Best-Reply Search, compiled", (*_TURNS, _compiled, _no_weights), (DEPTH,))
def _best_reply_fast(game: Game[Any], _seed: int, depth: int, rule: str = "in-turn") -> Player:
    """the compiled twin of bestreply: the same values and moves, sooner"""
    from engine.games.players.textbook import fast_best_reply

    return _deepening(game, depth, lambda: fast_best_reply(rule), proves=False)


@_searcher("threat-ads", "Threat-ADS", _TURNS, (DEPTH, _RULE))
def _threat_ads(game: Game[Any], seed: int, depth: int, rule: str) -> Player:
    """Best-Reply Search that asks the most dangerous opponent first"""
    return _best_reply(game, seed, depth, rule)


@_searcher("threat-ads-fast", "Threat-ADS, compiled", (*_TURNS, _compiled, _no_weights), (DEPTH, _RULE))
def _threat_ads_fast(game: Game[Any], seed: int, depth: int, rule: str) -> Player:
    """the compiled twin of threat-ads: the same values and moves, sooner"""
    return _best_reply_fast(game, seed, depth, rule)


@_searcher("lookup", "Look-up table", (_small,))
def _lookup(_game: Game[Any], _seed: int) -> Player:
    """everything is worked out beforehand; any number of players"""
    from engine.games.players.solvers import TablePlayer

    return TablePlayer()


_GAMES = Option("games", 50, "random games a move, where no limit is given", 1, 1_000_000, limits=True)


@_searcher("montecarlo", "Monte-Carlo", (), (_GAMES,))
def _monte_carlo(_game: Game[Any], seed: int, games: int) -> Player:
    """random games after each move, the highest win rate; no tree"""
    from engine.games.players.textbook import SamplingPlayer
    from engine.games.search.monte_carlo import monte_carlo

    def playouts(state: Any) -> int:
        return games * len(sensible_moves(state))

    return SamplingPlayer(monte_carlo, seed, playouts, has_nodes=False)


@_searcher("uct", "UCT", (), (_playouts(1_000), _EXPLORATION, _FINAL))
def _uct(game: Game[Any], seed: int, playouts: int, exploration: float, final: str) -> Player:
    """random games where a growing tree is most promising; any number of players, and chance"""
    from engine.games.players.textbook import SamplingPlayer
    from engine.games.search.uct import uct

    search = partial(uct, payoffs=game.payoffs, exploration=exploration, final=final)
    return SamplingPlayer(search, seed, lambda _: playouts)


@_searcher(
    "uct-fast",
    "UCT, compiled",
    (_no_chance, _compiled),
    (_playouts(10_000), _EXPLORATION, _FINAL, *_OF_UCT),
    {"priors": _priors, "policy": policy, "solver": _proofs},
)
def _uct_fast(game: Game[Any], seed: int, **options: Any) -> Player:
    """the compiled twin of uct, with more of what strong programs have; each can be switched off"""
    from engine.games.players.trees import fast_uct

    return fast_uct(game, seed, **options)


@_searcher("puct", "PUCT", _NETWORK_NEEDS, (_playouts(100, "simulations"), *_OF_PUCT, _NETWORK))
def _puct(game: Game[Any], _seed: int, playouts: int, network: str, **options: float) -> Player:
    """a learned policy says where to look and a learned value who is ahead; no random games"""
    from engine.games.players.trees import PuctPlayer

    return PuctPlayer(game, network, playouts, **options)


@_searcher(
    "puct-fast", "PUCT, compiled", _NETWORK_NEEDS, (_playouts(400, "simulations"), *_OF_PUCT, *_OF_FAST_PUCT)
)
def _puct_fast(game: Game[Any], seed: int, network: str, threads: int, **options: Any) -> Player:
    """the compiled twin of puct, which evaluates positions in batches, and proves results"""
    from engine.games.fast.puct import PuctOptions
    from engine.games.players.trees import FastPuctPlayer

    return FastPuctPlayer(game, seed, PuctOptions(**options), network, threads)


_STRONG = Option("strong", True, "not only win, but as early or as high as can be")


@_searcher(
    "solver",
    "Solver",
    (_no_chance, _compiled, _exact),
    (_memory(64, "the table of bounds"), _STRONG, _nodes(20_000_000)),
)
def _solver(game: Game[Any], seed: int, **options: Any) -> Player:
    """alpha-beta to the end of the game; uct-fast where that is out of reach"""
    from engine.games.players.solvers import SolverPlayer

    return SolverPlayer(game, player(game, "uct-fast", seed), **options)


_PROBCUT = Option("probcut", True, "leave out what a shallow search foretells to be outside the window")


@_searcher(
    "patterns",
    "Alpha-beta with learned patterns",
    (_patterns,),
    (_memory(64, "the table of positions"), _PROBCUT, _nodes(1_000_000)),
)
def _patterns_player(game: Game[Any], seed: int, **options: Any) -> Player:
    """Othello: an evaluation learned from own games, ProbCut, and an exact end; solver on small boards"""
    from engine.games.players.patterns import PatternsPlayer

    return PatternsPlayer(lambda: player(game, "solver", seed), **options)
