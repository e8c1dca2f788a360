"""Files of networks with a policy and a value, and those that come with Lolli.

A file is one binary, described by JSON at its head:

    8 bytes     LolliPVN
    u16, u16    version, 0
    u32         length of the description in bytes
    …           description: JSON in UTF-8, filled up with blanks to a multiple of 64 bytes from the start
    …           the arrays of `PolicyShape.parameters()` in their order: of kernels of 3 by 3 first a float32
                for each output, then the int8 that this multiplies; all others as float32
    32 bytes    BLAKE2b of everything before

Numbers are little-endian. The description:

    {"game": "go", "rows": 9, "columns": 9, "planes": 12, "channels": 48, "blocks": 6, "pooled": 32,
     "hidden": 48, "about": {...}}

Rows and columns are those of the board that the network learned on. The value network of chess has files of
the same kind: see eval/network_file.py.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from math import isfinite, prod
from pathlib import Path
from typing import Any

from engine.games.networks.network import COMPILED, MOST_BLOCKS, STEP, PolicyShape, dequantise
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.game import Game, NotApplicableError
from engine.games.weights import FOLDER
from engine.system import files
from engine.system.files import FilePath

try:
    from _blake2 import blake2b  # hashlib takes 3 ms to load
except ImportError:
    from hashlib import blake2b

MAGIC, VERSION = b"LolliPVN", 1
LARGEST_FILE = 1 << 24
"""Bytes."""
MOST_CHANNELS, MOST_SIDE, MOST_PLANES = 512, 25, 64
SHIPPED, NONE = "shipped", "none"
"""In place of a file's name: the network of the game that comes with Lolli, and no network."""
_HEAD, _ALIGNMENT, _DIGEST = 16, 64, 32  # bytes
_SHAPE = ("planes", "channels", "blocks", "pooled", "hidden")
_KEYS = ("game", "rows", "columns", *_SHAPE, "about")
_LARGEST, _STEPS = 1e6, 127
_LONGEST_REASON = 200  # characters


class PolicyFileError(ValueError):
    """Why a file cannot be used: its name and the reason, in one line."""


@dataclass(frozen=True, slots=True)
class PolicyWeights:
    """A network, the game and the board that it learned on, and how it was made.

    `numbers` are float32, as PolicyNetwork takes them.
    """

    game: str
    rows: int
    columns: int
    shape: PolicyShape
    numbers: memoryview[float]
    about: dict[str, Any] = field(default_factory=dict)


def load_policy(path: FilePath) -> PolicyWeights:
    """The network in a file. Raises PolicyFileError where it is missing or anything in it is wrong."""
    try:
        data = files.read_file(path, LARGEST_FILE)
        return _parsed(data)
    except FileNotFoundError:
        reason = "there is no such file"
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except ValueError as error:
        reason = str(error)
    raise PolicyFileError(f"{os.fspath(path)}: {reason[:_LONGEST_REASON]}")


def save_policy(path: FilePath, weights: PolicyWeights) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    described = {
        "game": weights.game,
        "rows": weights.rows,
        "columns": weights.columns,
        **asdict(weights.shape),
        "about": weights.about,
    }
    text = json.dumps(described, ensure_ascii=False).encode()
    text += b" " * (-(_HEAD + len(text)) % _ALIGNMENT)
    data = MAGIC + VERSION.to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    for first, size in _places(weights.shape):
        given = weights.numbers[first : first + prod(size)]
        data += _quantised(given, size[-1]) if _is_quantised(size) else given.tobytes()
    data += blake2b(data, digest_size=_DIGEST).digest()
    files.write_whole(path, data)


def _places(shape: PolicyShape) -> Iterator[tuple[int, tuple[int, ...]]]:
    first = 0
    for _, size in shape.parameters():
        yield first, size
        first += prod(size)


def _is_quantised(size: tuple[int, ...]) -> bool:
    return len(size) > 2


def _quantised(numbers: memoryview[float], outputs: int) -> bytes:
    scales = array("f", (max(map(abs, numbers[output::outputs])) / _STEPS for output in range(outputs)))
    stored = array("b", (round(x / (scales[i % outputs] or 1.0)) for i, x in enumerate(numbers)))
    return scales.tobytes() + stored.tobytes()


def _parsed(data: bytes) -> PolicyWeights:
    if not data.startswith(MAGIC):
        raise ValueError("is not a file of a network with a policy")
    version = int.from_bytes(data[8:12], "little")
    if version != VERSION:
        raise ValueError(f"is of version {version}, not {VERSION}")
    whole = len(data) >= _HEAD + _DIGEST
    if not whole or blake2b(data[:-_DIGEST], digest_size=_DIGEST).digest() != data[-_DIGEST:]:
        raise ValueError("is not a whole file of a network: its digest is wrong")
    end = _HEAD + int.from_bytes(data[12:_HEAD], "little")
    described = _described(data[_HEAD:end])
    shape = PolicyShape(*(described[name] for name in _SHAPE))
    numbers = _numbers(data[end:-_DIGEST], shape)
    board = described["rows"], described["columns"]
    return PolicyWeights(described["game"], *board, shape, numbers, described["about"])


def _described(text: bytes) -> dict[str, Any]:
    try:
        described = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise ValueError("its description cannot be read") from None
    if not isinstance(described, dict) or described.keys() != set(_KEYS):
        raise ValueError(f"its description does not have the entries {', '.join(_KEYS)}")
    if type(described["game"]) is not str or type(described["about"]) is not dict:
        raise ValueError("its game is not a name, or what is said about it not an object")
    most = {"rows": MOST_SIDE, "columns": MOST_SIDE, "planes": MOST_PLANES, "blocks": MOST_BLOCKS}
    for name in _KEYS[1:-1]:
        value = described[name]
        least, greatest = name != "blocks", most.get(name, MOST_CHANNELS)
        if type(value) is not int or not least <= value <= greatest:
            raise ValueError(f"its {name} are {value!r}, not a number from {least:d} to {greatest}")
    for name in ("channels", "pooled"):
        if described[name] % STEP:
            raise ValueError(f"its {name} are {described[name]}, not a multiple of {STEP}")
    return described


def _numbers(data: bytes, shape: PolicyShape) -> memoryview[float]:
    expected = sum(
        4 * size[-1] + prod(size) if _is_quantised(size) else 4 * prod(size) for _, size in _places(shape)
    )
    if len(data) != expected:
        raise ValueError(f"has {len(data)} bytes of weights instead of {expected}")
    numbers = memoryview(bytearray(4 * shape.count())).cast("f")
    at = 0
    for first, size in _places(shape):
        count = prod(size)
        quantised = _is_quantised(size)
        read = array("f", data[at : at + 4 * (size[-1] if quantised else count)])
        at += 4 * len(read)
        if not all(isfinite(number) and abs(number) <= _LARGEST for number in read):
            raise ValueError("one of its numbers is too large, or none")
        if quantised:
            stored = memoryview(data[at : at + count]).cast("b")
            dequantise(stored, memoryview(read.tobytes()).cast("f"), numbers[first : first + count])
            at += count
        else:
            numbers[first : first + count] = memoryview(read.tobytes()).cast("f")
    return numbers


def shipped_networks(game: str) -> dict[tuple[int, int], Path]:
    """The files of networks of a game, by rows and columns of the board."""
    found = {}
    for path in sorted(FOLDER.glob("*-*.lolli")):
        name, _, size = path.stem.rpartition("-")
        if name == game:
            rows, columns = map(int, size.split("x"))
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
