"""All searchers by name: what each needs of a game, its options, and how it becomes a player.

A searcher is one entry in the table below. Its module is loaded when a player is made, not before. A searcher
plays from the file of its name in engine.games.search; its compiled twin, where it has one, is `NAME-fast`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.games.players.needs import (
    compiled,
    exact,
    learned,
    load,
    no_chance,
    patterns,
    policy,
    priors,
    proofs,
    small,
    turns,
    two_players,
    zero_sum,
)
from engine.games.players.searcher_options import Option, OptionError, Value, read_options
from engine.games.rules.game import NotApplicableError
from engine.system.memory import NoMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.games.players.player import Player
    from engine.games.rules.game import Game

    Need: TypeAlias = Callable[[Game[Any]], str | None]
    Maker: TypeAlias = Callable[[Game[Any], int, Mapping[str, Value]], Player]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A searcher: `name` on the command line and over GTP, `title` as people write it.

    It can play a game if none of `needs(game)` gives a reason why not. Each of the `switches` is an option
    that can be on only where the game gives no reason why not.
    """

    name: str
    title: str
    summary: str
    options: tuple[Option, ...]
    needs: tuple[Need, ...]
    make: Maker
    switches: Mapping[str, Need] = field(default_factory=dict)

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
            return self.make(game, seed, values)
        except (NoMemoryError, ValueError) as error:
            raise OptionError(str(error)) from error


# How functions and classes become players. `where` is written "module:name", below engine.games.


def deepened(where: str, *, proves: bool = True) -> Maker:
    """Makes players of a function `f(state, depth, estimate, meter, **options) -> Result`.

    `proves`: whether its value is that of the game where no estimate was used. The option `depth` is not
    passed to it; see DEPTH.
    """

    def make(game: Game[Any], _seed: int, values: Mapping[str, Value]) -> Player:
        search = partial(load(where), **_others(values))
        return _deepening(game, values, lambda: search, proves=proves)

    return make


def deepened_with_memory(where: str, *, proves: bool = True) -> Maker:
    """Makes players of a class, or function, `F(game, **options)`, called for each game.

    What it makes is called as `f(state, depth, estimate, meter) -> Result`.
    """

    def make(game: Game[Any], _seed: int, values: Mapping[str, Value]) -> Player:
        return _deepening(game, values, partial(load(where), game, **_others(values)), proves=proves)

    return make


def deepened_with_files(where: str) -> Maker:
    """The same, but called only once: there is nothing to forget, and what it reads from files stays."""

    def make(game: Game[Any], _seed: int, values: Mapping[str, Value]) -> Player:
        search = load(where)(game, **_others(values))
        return _deepening(game, values, lambda: search, proves=True)

    return make


def playing(where: str) -> Maker:
    """Makes players of a class `F(game, seed, **options)` that is a Player itself."""

    def make(game: Game[Any], seed: int, values: Mapping[str, Value]) -> Player:
        made: Player = load(where)(game, seed, **values)
        return made

    return make


def _deepening(
    game: Game[Any], values: Mapping[str, Value], new_search: Callable[[], Any], *, proves: bool
) -> Player:
    """A player that deepens with what `new_search` returns, which is called for each game."""
    from engine.games.players.deepening_player import DeepeningPlayer  # noqa: PLC0415 - see above

    return DeepeningPlayer(game, new_search, depth=int(values.get(DEPTH.name, 0)), proves=proves)


def _others(values: Mapping[str, Value]) -> dict[str, Value]:
    """All options but `depth`."""
    return {name: value for name, value in values.items() if name != DEPTH.name}


DEPTH = Option(
    "depth", 0, "plies to search at once; 0: one more after the other, until a limit", 0, 150, limits=True
)

_ADDITIONS = (
    Option("transpositions", True, "a transposition table"),
    Option("principal", True, "principal variation first"),
    Option("killers", True, "killer moves early"),
    Option("history", True, "history heuristic"),
    Option("quiescence", True, "follow noisy moves beyond the horizon"),
    Option("singular", False, "singular extensions: a ply more for a move much better than all others"),
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
_PRUNING = Option(
    "pruning",
    "star1",
    "none; between chance nodes; or across them, too",
    choices=("none", "reset", "star1"),
)
_BOUNDS = Option(
    "bounds",
    "game",
    "for star1: the least and the greatest payoff of the first player, as in 0,10; or the game's",
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
_PUCT_EXPLORATION = Option("exploration", 1.25, "c in Q + c·P·sqrt(N) / (1 + n), Q from -1 to 1", 0, 100)
_REDUCTION = Option(
    "reduction",
    0.2,
    "first-play urgency: a move not tried is worth its parent less this·sqrt(P of those tried)",
    0,
    10,
)
_NETWORK = Option("network", "shipped", "the file of a network for this game, or the one that is shipped")
_OPPOSED = (two_players, zero_sum, no_chance)
_TURNS = (zero_sum, no_chance, turns)


def _playouts(default: int) -> Option:
    return Option("playouts", default, "random games, where no limit is given", 1, 1_000_000_000, limits=True)


def _nodes(default: int) -> Option:
    what = "positions looked at, where no limit is given"
    return Option("nodes", default, what, 1, 1_000_000_000_000, limits=True)


def _memory(default: int, of: str) -> Option:
    return Option("megabytes", default, f"of memory for {of}", 1, 65_536)


_TABLE = (
    Algorithm(
        "random",
        "Random",
        "any sensible move, all equally likely",
        (),
        (),
        playing("players.player:RandomPlayer"),
    ),
    Algorithm(
        "minimax",
        "Minimax",
        "every line, with nothing pruned",
        (DEPTH,),
        _OPPOSED,
        deepened("search.minimax:minimax"),
    ),
    Algorithm(
        "alphabeta",
        "Alpha-beta",
        "minimax without the moves that cannot matter",
        (DEPTH, *_HOOKS),
        _OPPOSED,
        deepened_with_files("players.hooked_alphabeta:HookedAlphaBeta"),
    ),
    Algorithm(
        "enhanced",
        "Enhanced alpha-beta",
        "alpha-beta with a transposition table, quiescence and extensions; each can be switched off",
        (DEPTH, *_ADDITIONS),
        _OPPOSED,
        deepened_with_memory("search.enhanced_alphabeta:EnhancedAlphaBeta"),
    ),
    Algorithm(
        "expectiminimax",
        "Expectiminimax",
        "minimax with chance as a player",
        (DEPTH, _PRUNING, _BOUNDS),
        (two_players, zero_sum),
        deepened_with_memory("players.deepening_player:with_pruning"),
    ),
    Algorithm(
        "maxn",
        "Max-N",
        "every player looks after itself alone; any number of players, any payoffs",
        (DEPTH,),
        (),
        deepened("search.maxn:maxn"),
    ),
    Algorithm(
        "paranoid",
        "Paranoid",
        "alpha-beta, as if all others had joined forces; any number of players",
        (DEPTH,),
        (zero_sum,),
        deepened("search.paranoid:paranoid", proves=False),
    ),
    Algorithm(
        "bestreply",
        "Best-Reply Search",
        "after each own move only the one opponent who hurts most replies",
        (DEPTH,),
        _TURNS,
        deepened_with_memory("players.deepening_player:BestReply", proves=False),
    ),
    Algorithm(
        "bestreply-fast",
        "Best-Reply Search, compiled",
        "the compiled twin of bestreply: the same values and moves, sooner",
        (DEPTH,),
        (*_TURNS, compiled),
        deepened_with_memory("players.deepening_player:FastBestReply", proves=False),
    ),
    Algorithm(
        "threat-ads",
        "Threat-ADS",
        "Best-Reply Search that asks the most dangerous opponent first",
        (DEPTH, _RULE),
        _TURNS,
        deepened_with_memory("players.deepening_player:BestReply", proves=False),
    ),
    Algorithm(
        "threat-ads-fast",
        "Threat-ADS, compiled",
        "the compiled twin of threat-ads: the same values and moves, sooner",
        (DEPTH, _RULE),
        (*_TURNS, compiled),
        deepened_with_memory("players.deepening_player:FastBestReply", proves=False),
    ),
    Algorithm(
        "lookup",
        "Look-up table",
        "everything is worked out beforehand; any number of players",
        (),
        (small,),
        playing("players.exact:TablePlayer"),
    ),
    Algorithm(
        "montecarlo",
        "Monte-Carlo",
        "random games after each move, the highest win rate; no tree",
        (Option("games", 50, "random games a move, where no limit is given", 1, 1_000_000, limits=True),),
        (),
        playing("players.sampling:MonteCarloPlayer"),
    ),
    Algorithm(
        "uct",
        "UCT",
        "random games where a growing tree is most promising; any number of players, and chance",
        (_playouts(1_000), _EXPLORATION, _FINAL),
        (),
        playing("players.sampling:UctPlayer"),
    ),
    Algorithm(
        "uct-fast",
        "UCT, compiled",
        "the compiled twin of uct, with more of what strong programs have; each can be switched off",
        (
            _playouts(10_000),
            _EXPLORATION,
            _FINAL,
            Option("expand_after", 1, "visits of a node before it gets children", 1, 1_000_000),
            Option(
                "rave", 0.0, "visits after which AMAF weighs no more than the win rate; 0: no AMAF", 0, 1e9
            ),
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
                "with policy above 0, a network in its place, which also says who is ahead: none, shipped,"
                " or a file",
            ),
            Option(
                "network_after", 16, "with a network: visits of a node before it gets children", 1, 1_000_000
            ),
            Option("network_visits", 8, "simulations that the network's value counts for", 0, 1_000),
            Option("network_bias", 0.3, "with a network: the same as bias, which is not used then", 0, 1e3),
            Option(
                "bias",
                0.0,
                "with policy, without a network: c in c·p·sqrt(N) / (1 + n) for a move of probability p",
                0,
                1e3,
            ),
            Option(
                "widening",
                0.0,
                "by policy, the k-th move after 40·(1 + w + … + w^(k-2)) visits; 0: all at once",
                0,
                10,
            ),
            Option("solver", True, "prove wins, draws and losses; two players"),
            Option("reuse", True, "keep the tree from move to move"),
            _memory(256, "the tree"),
            Option("threads", 1, "trees that grow at the same time, added up at the root", 1, 256),
        ),
        (no_chance, compiled),
        playing("players.sampling:fast_uct"),
        {"priors": priors, "policy": policy, "solver": proofs},
    ),
    Algorithm(
        "puct",
        "PUCT",
        "a learned policy says where to look and a learned value who is ahead; no random games",
        (
            Option("playouts", 100, "simulations, where no limit is given", 1, 1_000_000_000, limits=True),
            _PUCT_EXPLORATION,
            _REDUCTION,
            _NETWORK,
        ),
        (two_players, no_chance, learned),
        playing("players.policy:PuctPlayer"),
    ),
    Algorithm(
        "puct-fast",
        "PUCT, compiled",
        "the compiled twin of puct, which evaluates positions in batches, and proves results",
        (
            Option("playouts", 400, "simulations, where no limit is given", 1, 1_000_000_000, limits=True),
            _PUCT_EXPLORATION,
            _REDUCTION,
            Option("games", 0, "random games from each leaf, whose mean is mixed into its value", 0, 1_000),
            Option("mixing", 0.5, "the weight of that mean; the rest is the learned value", 0, 1),
            Option("expand_after", 1, "with games: visits of a leaf before it is evaluated", 1, 1_000_000),
            Option("batch", 8, "positions that are evaluated together", 1, 256),
            Option("threads", 1, "of the evaluation; the same moves with any number", 1, 256),
            Option("solver", True, "prove wins, draws and losses"),
            Option("reuse", True, "keep the tree from move to move"),
            _memory(256, "the tree"),
            _NETWORK,
        ),
        (two_players, no_chance, learned),
        playing("players.policy:fast_puct"),
    ),
    Algorithm(
        "solver",
        "Solver",
        "alpha-beta to the end of the game; uct-fast where that is out of reach",
        (
            _memory(64, "the table of bounds"),
            Option("strong", True, "not only win, but as early or as high as can be"),
            _nodes(20_000_000),
        ),
        (no_chance, compiled, exact),
        playing("players.exact:SolverPlayer"),
    ),
    Algorithm(
        "patterns",
        "Alpha-beta with learned patterns",
        "Othello: an evaluation learned from own games, ProbCut, and an exact end; solver on small boards",
        (
            _memory(64, "the table of positions"),
            Option("probcut", True, "leave out what a shallow search foretells to be outside the window"),
            _nodes(1_000_000),
        ),
        (patterns,),
        playing("players.patterns:PatternsPlayer"),
    ),
)

SEARCHERS: dict[str, Algorithm] = {searcher.name: searcher for searcher in _TABLE}
"""In the order in which they are listed; `NAME-fast` after its textbook."""
_FORMER_NAMES = {"treesearch": "uct-fast"}


def current_name(name: str) -> str:
    """The name of a searcher; also for its former name, which is still good in a configuration."""
    return _FORMER_NAMES.get(name, name)


def player(game: Game[Any], name: str, seed: int = 0, options: Mapping[str, str] | None = None) -> Player:
    """A player of a game by the name of its searcher.

    Raises KeyError for an unknown searcher, NotApplicableError, OptionError.
    """
    return SEARCHERS[name].player(game, seed, options)
