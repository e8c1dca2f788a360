"""Files of networks with a policy and a value: one binary, described by JSON at its head.

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
from dataclasses import asdict, dataclass, field
from math import isfinite, prod
from typing import TYPE_CHECKING, Any

from engine.games.networks.network import MOST_BLOCKS, dequantise
from engine.games.networks.shape import STEP, PolicyShape
from engine.system import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.system.files import FilePath

try:
    from _blake2 import blake2b  # hashlib takes 3 ms to load
except ImportError:
    from hashlib import blake2b

MAGIC, VERSION = b"LolliPVN", 1
LARGEST_FILE = 1 << 24
"""Bytes."""
MOST_CHANNELS, MOST_SIDE, MOST_PLANES = 512, 25, 64
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
    """Where the numbers of each array begin, and its shape."""
    first = 0
    for _, size in shape.parameters():
        yield first, size
        first += prod(size)


def _is_quantised(size: tuple[int, ...]) -> bool:
    """Whether an array is stored in 8 bits: a kernel of 3 by 3."""
    return len(size) > 2


def _quantised(numbers: memoryview[float], outputs: int) -> bytes:
    """The scale of each output, and then the numbers in 8 bits."""
    scales = array("f", (max(map(abs, numbers[output::outputs])) / _STEPS for output in range(outputs)))
    stored = array("b", (round(x / (scales[i % outputs] or 1.0)) for i, x in enumerate(numbers)))
    return scales.tobytes() + stored.tobytes()


def _parsed(data: bytes) -> PolicyWeights:
    """Raises ValueError."""
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
    """The description, checked. Raises ValueError."""
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
    """All weights as float32. Raises ValueError."""
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
