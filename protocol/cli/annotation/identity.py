"""What must be the same for two runs, or for the workers of one, to come to the same result."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, BinaryIO

from engine import files
from engine.board.position import COMPILED
from eval.choice import DEFAULT
from eval.weight_file import LARGEST_FILE, STANDARD
from protocol import about

if TYPE_CHECKING:
    from protocol.cli.analysis.settings import AnalystSettings

_ENDS = 64 * 1024  # bytes of a file's beginning and end that tell it from others
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class EngineIdentity:
    """An engine as far as its results depend on it, and whether it is fast."""

    version: str
    evaluator: str
    weights: str
    compiled: bool

    def difference(self, other: EngineIdentity) -> str | None:
        """Why this one cannot do the work of another, None where it can."""
        if self.version != other.version:
            return f"has {about.NAME} {self.version}, not {other.version}"
        if (self.evaluator, self.weights) != (other.evaluator, other.weights):
            return (
                f"has other weights of the evaluator {other.evaluator} ({self.weights}, not {other.weights})"
            )
        if other.compiled and not self.compiled:
            return "runs uncompiled, about 100 times slower"
        return None


@cache
def engine_identity(settings: AnalystSettings) -> EngineIdentity:
    """The engine that this process would make of the settings. Raises OSError."""
    name = settings.evaluator or ("linear" if settings.weights else DEFAULT)
    weights = "none"
    if name == "linear":
        content = files.read_file(settings.weights or STANDARD, LARGEST_FILE)
        weights = hashlib.sha256(content).hexdigest()[:_DIGITS]
    return EngineIdentity(about.VERSION, name, weights, COMPILED)


def file_identity(file: BinaryIO) -> str:
    """The size of a file in bytes, and a hash of its beginning and its end. Raises OSError."""
    size = file.seek(0, os.SEEK_END)
    digest = hashlib.sha256()
    for place in (0, max(0, size - _ENDS)):
        file.seek(place)
        digest.update(file.read(_ENDS))
    file.seek(0)
    return f"{size} bytes, {digest.hexdigest()[:_DIGITS]}"
