"""Games that PUCT has played against itself: their files, and what there is to learn from them.

All numbers are little-endian. A file is a header and then the games, in the order in which they ended.

    header  0  8 bytes  b"LolliPol"
            8  u16      version, 1
           10  u16      0
           12  u32      D, how many bytes of description follow
           16  D bytes  description: a JSON object in UTF-8 that says how the games were made
         16+D  u32      CRC-32 of all bytes before

    game    0  u32      how many bytes follow, the CRC-32 not counted
            4  i8       payoff of player 0
            5  u8       0
            6  u16      N, plies
            8  u16      M, plies to learn from
           10  u16      S, squares whose owner is known, all or none
           12  N * u16  moves, as the game has them
               N * i16  mean payoff of the mover in the search, times 10000
               M times  u16 ply, u16 K moves tried, K times u16 `policy_index` and u16 visits
               S * i8   owner of each square: 1 player 0, -1 player 1, 0 nobody
               u32      CRC-32 of the bytes of the game before
"""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.games.fast.puct_games import VALUE, replay
from engine.games.rules.go.playouts import GoState
from engine.system.files import descriptor_of
from eval.training.file_header import FileKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from engine.games.fast.puct_games import PlayedGame
    from engine.games.rules.compiled_state import CompiledState

Reals: TypeAlias = npt.NDArray[np.float32]

_GAME = struct.Struct("<IbBHHH")
_NUMBER = struct.Struct("<I")
_ROW = struct.Struct("<HH")
_LARGEST = 1 << 24  # bytes of a game


class PolicyGameError(ValueError):
    """A file of games, or a game in it, cannot be used. The message says why."""


POLICY_GAMES = FileKind(b"LolliPol", 1, "games of PUCT", PolicyGameError)


@dataclass(frozen=True, slots=True)
class PolicyGame:
    """A game: see the module. `tried` has, by ply to learn from, `policy_index` and visits of each move."""

    result: int
    moves: npt.NDArray[np.uint16]
    values: npt.NDArray[np.int16]
    tried: dict[int, npt.NDArray[np.uint16]]
    owners: npt.NDArray[np.int8]

    @classmethod
    def of(cls, played: PlayedGame) -> Self:
        """The record of a game that has just ended."""
        moves = np.frombuffer(played.moves, np.uint16)
        visits = np.frombuffer(played.visits, np.uint16).reshape(len(moves), -1)
        tried = {}
        for ply in np.flatnonzero(visits.any(axis=1)).tolist():
            places = np.flatnonzero(visits[ply])
            tried[ply] = np.stack([places.astype(np.uint16), visits[ply, places]], axis=1)
        owners = owners_of(played.last)
        return cls(int(played.result), moves, np.frombuffer(played.values, np.int16), tried, owners)

    def to_bytes(self) -> bytes:
        """As in a file."""
        rows = [
            _ROW.pack(ply, len(tried)) + tried.astype("<u2").tobytes() for ply, tried in self.tried.items()
        ]
        parts = (self.moves.astype("<u2").tobytes(), self.values.astype("<i2").tobytes(), *rows)
        body = b"".join(parts) + self.owners.astype(np.int8).tobytes()
        head = _GAME.pack(
            len(body) + _GAME.size - _NUMBER.size,
            self.result,
            0,
            len(self.moves),
            len(rows),
            len(self.owners),
        )
        return head + body + _NUMBER.pack(zlib.crc32(head + body))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The game of these bytes. Raises ValueError or struct.error where they are none."""
        _, result, _, plies, rows, squares = _GAME.unpack_from(data)
        at = _GAME.size
        moves = np.frombuffer(data, "<u2", plies, at).astype(np.uint16)
        values = np.frombuffer(data, "<i2", plies, at + 2 * plies).astype(np.int16)
        at += 4 * plies
        tried = {}
        for _ in range(rows):
            ply, count = _ROW.unpack_from(data, at)
            numbers = np.frombuffer(data, "<u2", 2 * count, at + _ROW.size)
            tried[ply] = numbers.astype(np.uint16).reshape(count, 2)
            at += _ROW.size + 4 * count
        owners = np.frombuffer(data, np.int8, squares, at)
        if at + squares + _NUMBER.size != len(data) or any(ply >= plies for ply in tried):
            raise ValueError("the parts do not fit together")
        return cls(result, moves, values, tried, owners)


def owners_of(state: Any) -> npt.NDArray[np.int8]:
    """The owner of each square at the end of a game, as files have it; empty where the game has none."""
    if not isinstance(state, GoState):
        return np.zeros(0, np.int8)
    regions = state.owners()
    signs = (0, 1, -1, 0)  # by colour, or colours, of the stones there or around
    points = [
        (row + 1) * state.stride + column + 1 for row in range(state.size) for column in range(state.size)
    ]
    return np.array([signs[state.at(p) or regions[p]] for p in points], np.int8)


def read_games(file: BinaryIO, name: str) -> Iterator[PolicyGame]:
    """The games from the present place of `file` on, without an incomplete one at its end.

    The iteration leaves `file` after the last complete game. Raises PolicyGameError at a damaged game.
    """
    while True:
        place = file.tell()
        head = file.read(_NUMBER.size)
        if len(head) < _NUMBER.size:
            break
        length = _NUMBER.unpack(head)[0]
        if length > _LARGEST:
            raise PolicyGameError(f"{name}: the game at byte {place} is damaged")
        data = head + file.read(length + _NUMBER.size)
        if len(data) < length + 2 * _NUMBER.size:
            if _has_all_parts(data):  # only its length is too large, and games may follow
                raise PolicyGameError(f"{name}: the game at byte {place} is damaged")
            break
        if data[-_NUMBER.size :] != _NUMBER.pack(zlib.crc32(data[: -_NUMBER.size])):
            raise PolicyGameError(f"{name}: the game at byte {place} is damaged")
        try:
            game = PolicyGame.from_bytes(data)
        except (ValueError, struct.error) as error:
            raise PolicyGameError(f"{name}: the game at byte {place} is damaged: {error}") from None
        yield game
    file.seek(place)


def _has_all_parts(data: bytes) -> bool:
    """Whether the game that begins these bytes is all there, whatever its length is said to be."""
    try:
        plies, rows, squares = _GAME.unpack_from(data)[3:]
        at: int = _GAME.size + 4 * plies
        for _ in range(rows):
            at += _ROW.size + 4 * _ROW.unpack_from(data, at)[1]
    except struct.error:
        return False
    return bool(at + squares + _NUMBER.size <= len(data))


def games(path: Path) -> Iterator[PolicyGame]:
    """All games of a file. Raises PolicyGameError and OSError."""
    with os.fdopen(descriptor_of(path), "rb") as file:
        POLICY_GAMES.read_header(file, str(path))
        yield from read_games(file, str(path))


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


def flat(arrays: Sequence[Any]) -> list[Any]:
    """The numbers of each array, one after the other, in the form that compiled functions take."""
    return [memoryview(array.reshape(-1)) for array in arrays]
