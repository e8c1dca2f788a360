"""What a searcher may need of a game: each function returns the reason why it cannot play it, or None."""

from __future__ import annotations

from importlib import import_module
from sys import getsizeof
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import NotApplicableError

if TYPE_CHECKING:
    from engine.games.rules.game import Game

_SMALL = 6_000  # states, among them all of tic-tac-toe
_SMALL_BYTES = 1 << 26  # of the states; fewer than _SMALL where each is as large as those of Go


def load(where: str) -> Any:
    """What is slow to load and seldom needed; `where` is written "module:name", below engine.games."""
    module, _, name = where.partition(":")
    return getattr(import_module(f"..{module}", __package__), name)


def two_players(game: Game[Any]) -> str | None:
    """Two players, no more."""
    return None if game.players == 2 else f"needs two players, not {game.players}"


def zero_sum(game: Game[Any]) -> str | None:
    """What one player wins the others lose."""
    return None if game.zero_sum else "needs payoffs that add up to 0"


def no_chance(game: Game[Any]) -> str | None:
    """No dice."""
    return "needs a game without chance" if game.chance else None


def compiled(game: Game[Any]) -> str | None:
    """The states are compiled."""
    kind: type = load("rules.compiled_state:CompiledState")
    return None if isinstance(game.start(), kind) else "needs a game with compiled states"


def proofs(game: Game[Any]) -> str | None:
    """A result is a win, a draw or a loss of two players."""
    won_drawn_lost = None if game.payoffs == (-1, 1) else "needs payoffs of -1, 0 and 1"
    return two_players(game) or won_drawn_lost


def policy(game: Game[Any]) -> str | None:
    """Something has been learned of moves."""
    known = getattr(game.start(), "policy_given", False)
    return None if known else "needs a game with a learned policy"


def priors(game: Game[Any]) -> str | None:
    """Something is known of moves that have not been tried."""
    known = getattr(game.start(), "priors_given", False)
    return None if known else "needs a game that knows something of moves"


def learned(game: Game[Any]) -> str | None:
    """There is a learned network."""
    found = load("networks.known:shipped_networks")(game.name)
    return None if found else "needs a game with a learned network"


def turns(game: Game[Any]) -> str | None:
    """Another player could move on the same board."""
    state = game.start()
    if state.player < 0:
        return None
    try:
        state.turn(state.player)
    except NotApplicableError as error:
        return str(error)
    return None


def exact(game: Game[Any]) -> str | None:
    """There is a solver for its positions."""
    found: str | None = load("players.solving:solver_obstacle")(game.start())
    return found


def patterns(game: Game[Any]) -> str | None:
    """Weights of patterns have been learned."""
    return None if game.name == "othello" else "needs a game whose patterns have learned weights"


def small(game: Game[Any]) -> str | None:
    """All states that can follow the usual start fit into a table that is made at once."""
    start = game.start()
    try:
        load("search.lookup:solve")(start, min(_SMALL, _SMALL_BYTES // getsizeof(start)))
    except (load("search.lookup:TooManyStatesError"), NotApplicableError) as error:
        return str(error)
    return None
