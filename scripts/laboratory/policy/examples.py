"""Examples to learn from: what was seen in positions, and what the search and the end of the game said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.games.compiled.puct_games import VALUE, replay
from scripts.laboratory.policy.float_network import flat
from scripts.laboratory.policy.game_records import PolicyGameError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.float_network import Reals
    from scripts.laboratory.policy.game_records import PolicyGame


@dataclass(frozen=True, slots=True)
class PolicyExamples:
    """For each position: planes, channels last; probabilities by `policy_index`; the value and the owners of
    squares, from -1 to 1 for the player to move (0: unknown)."""

    planes: Reals
    policy: Reals
    values: Reals
    owners: Reals

    def __len__(self) -> int:
        return len(self.values)

    def part(self, rows: Any) -> PolicyExamples:
        """Some of them: a slice, or an array of their numbers."""
        return PolicyExamples(self.planes[rows], self.policy[rows], self.values[rows], self.owners[rows])


def examples_of(record: PolicyGame, first: CompiledState, searched: float) -> PolicyExamples:
    """The examples of a game that began with `first`; `searched` is the part of the search in the value.

    Raises PolicyGameError at an illegal move.
    """
    rows, columns, planes = first.plane_rows, first.plane_columns, first.plane_count
    plies = np.array(sorted(record.tried), int)
    wanted = np.zeros(len(record.moves), np.uint8)
    wanted[plies] = 1
    seen = np.zeros((len(plies), rows, columns, planes), np.float32)
    buffers = flat((record.moves, wanted, seen if seen.size else np.zeros(1, np.float32)))
    if (ply := replay(first.copy(), *buffers)) >= 0:
        raise PolicyGameError(f"ply {ply + 1} is illegal")
    policy = np.zeros((len(plies), rows * columns + 1), np.float32)
    for row, ply in enumerate(plies.tolist()):
        tried = record.tried[ply].astype(int)
        policy[row, tried[:, 0]] = tried[:, 1] / tried[:, 1].sum()
    sides = np.where((plies + first.player) % 2 == 0, 1, -1).astype(np.float32)
    found = record.values[plies].astype(np.float32) / VALUE
    values = (1 - searched) * record.result * sides + searched * found
    owners = np.zeros((len(plies), rows * columns), np.float32)
    if len(record.owners):
        owners[:] = record.owners.astype(np.float32) * sides[:, None]
    return PolicyExamples(seen, policy, values.astype(np.float32), owners)


def joined(parts: Sequence[PolicyExamples]) -> PolicyExamples:
    """All examples of several games."""
    return PolicyExamples(
        np.concatenate([part.planes for part in parts]),
        np.concatenate([part.policy for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.owners for part in parts]),
    )


def symmetries(first: CompiledState) -> npt.NDArray[np.int64]:
    """For each symmetry of the game a row of squares: where what comes to lie on each square comes from."""
    board = np.arange(first.plane_rows * first.plane_columns).reshape(first.plane_rows, -1)
    if first.symmetries == 8:
        turned = [np.rot90(board, turns) for turns in range(4)]
        ways: list[Any] = [way for each in turned for way in (each, each[:, ::-1])]
    else:
        ways = [board, board[:, ::-1]][: first.symmetries]
    return np.stack([way.ravel() for way in ways])
