"""Files of value networks: a stand-in until the evaluator's own module is here."""

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.outcome import OutcomeModel

MAGIC, VERSION = b"LolliNet", 1


@dataclass(frozen=True, slots=True)
class NetworkWeights:
    """A network in integers."""

    width: int
    numbers: memoryview
    output_biases: tuple[int, ...]
    king_places: tuple[int, ...]
    scale: int = 139
    won_endings: bool = True
    drawish_endings: bool = True
    outcome: OutcomeModel | None = None
    about: dict[str, Any] = field(default_factory=dict)


def save_network(path: Path | str, weights: NetworkWeights) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    described = {
        "width": weights.width,
        "king_places": list(weights.king_places),
        "output_buckets": 8,
        "activation": "screlu",
        "quantisation": [255, 64],
        "scale": weights.scale,
        "endings": {"won": weights.won_endings, "drawish": weights.drawish_endings},
        "outcome": None,
        "about": weights.about,
    }
    text = json.dumps(described).encode()
    text += b" " * (-(16 + len(text)) % 64)
    data = MAGIC + VERSION.to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    data += weights.numbers.tobytes()
    data += b"".join(bias.to_bytes(4, "little", signed=True) for bias in weights.output_biases)
    data += hashlib.blake2b(data, digest_size=32).digest()
    partial = f"{path}.partial"
    Path(partial).write_bytes(data)
    os.replace(partial, path)  # noqa: PTH105


def load_network(path: Path | str) -> NetworkWeights:
    """The network in a file."""
    data = Path(path).read_bytes()
    end = 16 + int.from_bytes(data[12:16], "little")
    described = json.loads(data[16:end])
    rest = data[-64:-32]
    return NetworkWeights(
        described["width"],
        memoryview(data[end:-64]).cast("h"),
        tuple(int.from_bytes(rest[at : at + 4], "little", signed=True) for at in range(0, 32, 4)),
        tuple(described["king_places"]),
        described["scale"],
        about=described["about"],
    )
