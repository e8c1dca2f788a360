"""Files of value networks: one binary, described by JSON at its head.

    8 bytes     LolliNet
    u16, u16    version, 0
    u32         length of the description in bytes
    …           description: JSON in UTF-8, filled up with blanks to a multiple of 64 bytes from the start
    int16 …     hidden weights, a row of `width` for each input; hidden biases; output weights, 2 * width for
                each of 8 output buckets, those of the mover's units first
    int32 * 8   output biases
    32 bytes    BLAKE2b of everything before

Numbers are little-endian. The description:

    {"width": 256, "king_places": [64 numbers], "output_buckets": 8, "activation": "screlu",
     "quantisation": [255, 64], "scale": 139, "endings": {"won": true, "drawish": true},
     "outcome": {"a": [...], "b": [...]} or null, "about": {...}}

The input of a piece is king bucket * 768 + (colour * 6 + kind) * 64 + square: colour 0 is the side that the
units belong to, kind 0 a pawn and 5 a king. The board is turned so that this side's king is on files a to d
and its back rank is the first. Hidden weights and biases are times 255, output weights times 64, output
biases times 64 * 255; the value is `scale` centipawns times the output. A file is read whole or not at all,
and refused if its numbers could make a sum overflow.
"""

import json
import os
from dataclasses import dataclass, field
from typing import Any

from engine.system import files
from engine.system.files import FilePath
from engine.system.memory import NoMemoryError, reserve
from eval.network_bounds import unsafe_outputs, unsafe_unit
from eval.network_shape import OUTPUT_BUCKETS, OUTPUT_UNIT, ROWS, UNIT, WIDTH_STEP
from eval.outcome import OutcomeModel
from eval.weight_file import FOLDER, WeightsError, about_of, content_of, fault, outcome_of

try:
    from _blake2 import blake2b  # hashlib takes 3 ms to load
except ImportError:
    from hashlib import blake2b

MAGIC, VERSION = b"LolliNet", 1
STANDARD = os.path.join(FOLDER, "network.lolli")
LARGEST_FILE = 1 << 24  # bytes

SQUARES = 64
LEAST_WIDTH, MOST_WIDTH = 32, 1024
KING_BUCKETS = 32  # at most; a king on files a to d has no more squares
LARGEST_SCALE = 10_000
_HEAD, _ALIGNMENT, _DIGEST = 16, 64, 32  # bytes
_KEYS = (
    *("width", "king_places", "output_buckets", "activation", "quantisation", "scale"),
    *("endings", "outcome", "about"),
)
_FIXED = {"output_buckets": OUTPUT_BUCKETS, "activation": "screlu", "quantisation": [UNIT, OUTPUT_UNIT]}


@dataclass(frozen=True, slots=True)
class NetworkWeights:
    """A network. Raises ValueError where a number is out of its bounds or might make another overflow.

    `numbers` are the int16 in the order of the file. They may be given in any buffer, and are copied:
    read-only, and aligned to cache lines. `king_places` has the king bucket of each square of files a to d;
    the others do not count. `about` says how the network was made.
    """

    width: int
    numbers: memoryview
    output_biases: tuple[int, ...]
    king_places: tuple[int, ...] = (0,) * SQUARES
    scale: int = 139
    won_endings: bool = True
    drawish_endings: bool = True
    outcome: OutcomeModel | None = None
    about: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_shape(self)
        given = memoryview(self.numbers).cast("B")
        expected = 2 * _count(self.width, self.king_buckets)
        if len(given) != expected:
            raise ValueError(f"has {len(given)} bytes of weights instead of {expected}")
        memory = reserve(expected)
        memoryview(memory)[:] = given
        object.__setattr__(self, "numbers", memoryview(memory).toreadonly().cast("h"))
        _check_overflow(self)

    @property
    def king_buckets(self) -> int:
        return 1 + max(self._places())

    def digest(self) -> str:
        """The same for networks that play alike: neither `outcome` nor `about` counts."""
        endings = self.won_endings, self.drawish_endings
        shape = self.width, self._places(), self.output_biases, self.scale, endings
        return blake2b(repr(shape).encode() + self.numbers.tobytes(), digest_size=8).hexdigest()

    def _places(self) -> list[int]:
        return [self.king_places[square] for square in range(SQUARES) if square & 4 == 0]


def is_network(data: bytes) -> bool:
    """Whether these first bytes of a file, 8 at least, are those of a file of a network."""
    return data.startswith(MAGIC)


def load_network(path: FilePath) -> NetworkWeights:
    """The network in a file. Raises WeightsError where the file is missing or anything in it is wrong."""
    return parse_network(read_network_file(path), path)


def read_network_file(path: FilePath) -> bytes:
    """What `parse_network` takes. Raises WeightsError where the file is missing or cannot be read."""
    return content_of(path, LARGEST_FILE)


def parse_network(data: bytes, path: FilePath) -> NetworkWeights:
    """The network in the bytes of a file. Raises WeightsError, with the file's name, as `load_network`."""
    _check_whole(data, path)
    end = _HEAD + int.from_bytes(data[12:_HEAD], "little")
    described = _described(path, data[_HEAD:end])
    try:
        return _network(path, described, memoryview(data)[end:-_DIGEST])
    except WeightsError:
        raise
    except (ValueError, NoMemoryError) as error:
        raise fault(path, str(error)) from None


def save_network(path: FilePath, weights: NetworkWeights) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    outcome = weights.outcome and {"a": list(weights.outcome.a), "b": list(weights.outcome.b)}
    described = {
        "width": weights.width,
        "king_places": list(weights.king_places),
        **_FIXED,
        "scale": weights.scale,
        "endings": {"won": weights.won_endings, "drawish": weights.drawish_endings},
        "outcome": outcome,
        "about": weights.about,
    }
    text = json.dumps(described).encode()
    text += b" " * (-(_HEAD + len(text)) % _ALIGNMENT)
    data = MAGIC + VERSION.to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    data += weights.numbers.tobytes()
    data += b"".join(bias.to_bytes(4, "little", signed=True) for bias in weights.output_biases)
    data += blake2b(data, digest_size=_DIGEST).digest()
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    files.write_whole(path, data)


def _check_whole(data: bytes, path: FilePath) -> None:
    if not is_network(data):
        raise fault(path, "is not a file of a network")
    version = int.from_bytes(data[8:12], "little")
    if version != VERSION:
        raise fault(path, f"is of version {version}, not {VERSION}")
    if (
        len(data) < _HEAD + _DIGEST
        or blake2b(data[:-_DIGEST], digest_size=_DIGEST).digest() != data[-_DIGEST:]
    ):
        raise fault(path, "is not a whole file of a network: its digest is wrong")


def _described(path: FilePath, text: bytes) -> dict[str, Any]:
    try:
        described = json.loads(text.decode())
    except (UnicodeDecodeError, RecursionError):
        raise fault(path, "its description cannot be read") from None
    except ValueError as error:
        raise fault(path, f"its description cannot be read: {error}") from None
    if not isinstance(described, dict):
        raise fault(path, "its description is not an object")
    if wrong := sorted(described.keys() ^ {*_KEYS}):
        has = "an unknown entry" if wrong[0] in described else "no entry"
        raise fault(path, f"its description has {has} {wrong[0]!r}")
    for name, value in _FIXED.items():
        if described[name] != value:
            raise fault(path, f"its {name} is {described[name]!r}, not {value!r}")
    return described


def _network(path: FilePath, described: dict[str, Any], numbers: memoryview) -> NetworkWeights:
    endings, places = described["endings"], described["king_places"]
    if not isinstance(endings, dict) or endings.keys() != {"won", "drawish"}:
        raise ValueError("its endings are not won and drawish")
    if not isinstance(places, list):
        raise ValueError("its king_places are not a list")
    rest = numbers[-4 * OUTPUT_BUCKETS :].tobytes()
    biases = [int.from_bytes(rest[at : at + 4], "little", signed=True) for at in range(0, len(rest), 4)]
    return NetworkWeights(
        described["width"],
        numbers[: -4 * OUTPUT_BUCKETS],
        tuple(biases),
        tuple(places),
        described["scale"],
        endings["won"],
        endings["drawish"],
        outcome_of(path, described),
        about_of(path, described),
    )


def _count(width: int, king_buckets: int) -> int:
    return (king_buckets * ROWS + 1 + 2 * OUTPUT_BUCKETS) * width


def _check_shape(weights: NetworkWeights) -> None:
    width = weights.width
    if type(width) is not int or not LEAST_WIDTH <= width <= MOST_WIDTH or width % WIDTH_STEP:
        raise ValueError(f"its width is {width!r}, not a multiple of {WIDTH_STEP} up to {MOST_WIDTH}")
    if len(weights.king_places) != SQUARES:
        raise ValueError(f"has {len(weights.king_places)} king_places instead of {SQUARES}")
    for bucket in weights.king_places:
        if type(bucket) is not int or not 0 <= bucket < KING_BUCKETS:
            raise ValueError(
                f"one of its king_places is {bucket!r}, not a number from 0 to {KING_BUCKETS - 1}"
            )
    if type(weights.scale) is not int or not 0 < weights.scale <= LARGEST_SCALE:
        raise ValueError(f"its scale is {weights.scale!r}, not whole centipawns up to {LARGEST_SCALE}")
    if not all(type(switch) is bool for switch in (weights.won_endings, weights.drawish_endings)):
        raise ValueError("its endings are not true or false")
    biases = weights.output_biases
    if len(biases) != OUTPUT_BUCKETS:
        raise ValueError(f"has {len(biases)} output biases instead of {OUTPUT_BUCKETS}")
    for bias in biases:
        if type(bias) is not int or not -(1 << 31) <= bias < 1 << 31:
            raise ValueError(f"one of its output biases is {bias!r}, not a number of 32 bits")


def _check_overflow(weights: NetworkWeights) -> None:
    """Raise ValueError unless it is proved that no number leaves its bits in any position."""
    width, buckets = weights.width, weights.king_buckets
    biases = buckets * ROWS * width
    most = memoryview(bytearray(4 * SQUARES * width)).cast("i")
    for bucket in range(buckets):
        unit = unsafe_unit(weights.numbers, width, bucket, biases, most)
        if unit >= 0:
            raise ValueError(f"its hidden unit {unit} might leave 16 bits in king bucket {bucket}")
    half = unsafe_outputs(weights.numbers, width, biases + width)
    if half >= 0:
        raise ValueError(f"the weights of its output bucket {half // 2} are too large")
