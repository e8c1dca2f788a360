"""The networks with a policy and a value that come with Lolli, and those in files that a user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.games.compiled.policy_file import PolicyFileError, PolicyWeights, load_policy
from engine.games.compiled.policy_network import COMPILED

if TYPE_CHECKING:
    from engine.games.rules.compiled_state import CompiledState
    from engine.games.rules.game import Game

SHIPPED = "shipped"
"""In place of a file's name: the network of the game that comes with Lolli."""
NONE = "none"
"""In its place, too: no network."""
_FOLDER = Path(__file__).parent.parent / "compiled" / "weights"


def shipped_networks(game: str) -> dict[tuple[int, int], Path]:
    """The files of networks of a game, by rows and columns of the board."""
    found = {}
    for path in sorted(_FOLDER.glob(f"{game}-*.lolli")):
        rows, columns = map(int, path.stem.rpartition("-")[2].split("x"))
        found[rows, columns] = path
    return found


def usable_weights(game: Game[Any], network: str) -> PolicyWeights | None:
    """The network in the file that a user names; None for the SHIPPED one. Raises PolicyFileError."""
    if network == SHIPPED:
        return None
    weights = load_policy(network)
    if weights.game != game.name:
        raise PolicyFileError(f"{network}: is for {weights.game}, not for {game.name}")
    check_planes(weights, game.start(), network)
    return weights


def check_planes(weights: PolicyWeights, state: CompiledState, name: str | Path) -> None:
    """Raises PolicyFileError where a network cannot look at such a state."""
    if weights.shape.planes != state.plane_count:
        raise PolicyFileError(f"{name}: looks at {weights.shape.planes} planes, not at {state.plane_count}")


class KnownNetworks:
    """What a player may ask: the network of a file on boards of any size, or those shipped on their own."""

    def __init__(self, game: Game[Any], network: str) -> None:
        """`network`: SHIPPED, NONE or the name of a file. Raises PolicyFileError."""
        self._name = game.name
        self.wanted = network
        self._given = None if network == NONE else usable_weights(game, network)

    def fitting(self, state: CompiledState) -> PolicyWeights | None:
        """The network for the board of a state, if there is one. Raises PolicyFileError.

        None of those shipped where nothing is compiled: a position would take seconds.
        """
        if self._given is not None or self.wanted == NONE or not COMPILED:
            return self._given
        path = shipped_networks(self._name).get((state.plane_rows, state.plane_columns))
        return None if path is None else load_policy(path)
