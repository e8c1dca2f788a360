"""The networks with a policy and a value that come with Lolli, and those in files that a user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.games.networks.file import PolicyFileError, PolicyWeights, load_policy
from engine.games.networks.network import COMPILED
from engine.games.rules.game import NotApplicableError

if TYPE_CHECKING:
    from engine.games.rules.compiled_state import CompiledState
    from engine.games.rules.game import Game

SHIPPED = "shipped"
"""In place of a file's name: the network of the game that comes with Lolli."""
NONE = "none"
"""In its place, too: no network."""
_FOLDER = Path(__file__).parent.parent / "weights"


def shipped_networks(game: str) -> dict[tuple[int, int], Path]:
    """The files of networks of a game, by rows and columns of the board."""
    found = {}
    for path in sorted(_FOLDER.glob(f"{game}-*.lolli")):
        rows, columns = map(int, path.stem.rpartition("-")[2].split("x"))
        found[rows, columns] = path
    return found


class KnownNetworks:
    """What a player may ask: the network of a file on boards of any size, or those shipped on their own."""

    def __init__(self, game: Game[Any], network: str) -> None:
        """`network`: SHIPPED, NONE or the name of a file. Raises PolicyFileError."""
        self._name = game.name
        self.wanted = network
        self._given = None
        if network not in {SHIPPED, NONE}:
            self._given = load_policy(network)
            if self._given.game != game.name:
                raise PolicyFileError(f"{network}: is for {self._given.game}, not for {game.name}")
            _check_planes(self._given, game.start(), network)

    def fitting(self, state: CompiledState) -> PolicyWeights | None:
        """The network for the board of a state, if there is one. Raises PolicyFileError.

        None of those shipped where nothing is compiled: a position would take seconds.
        """
        if self._given is not None or self.wanted == NONE or not COMPILED:
            return self._given
        board = state.plane_rows, state.plane_columns
        path = shipped_networks(self._name).get(board)
        return None if path is None else _loaded(path, state)

    def nearest(self, state: CompiledState) -> PolicyWeights:
        """The network that learned on a board of this size or, without one, of the nearest.

        Raises NotApplicableError where there is none, and PolicyFileError.
        """
        if self._given is not None:
            return self._given
        found = shipped_networks(self._name)
        if not found:
            raise NotApplicableError(f"there is no network for {self._name}")
        squares = state.plane_rows * state.plane_columns
        return _loaded(found[min(found, key=lambda board: abs(board[0] * board[1] - squares))], state)


def _loaded(path: Path, state: CompiledState) -> PolicyWeights:
    weights = load_policy(path)
    _check_planes(weights, state, path)
    return weights


def _check_planes(weights: PolicyWeights, state: CompiledState, name: str | Path) -> None:
    if weights.shape.planes != state.plane_count:
        raise PolicyFileError(f"{name}: looks at {weights.shape.planes} planes, not at {state.plane_count}")
