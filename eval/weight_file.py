"""Files of learned weights: JSON, by the name of the feature.

    {"format": "lolli weights", "version": 1, "about": {...}, "outcome": {"a": [...], "b": [...]},
     "features": {"placement": {"middle": [...], "endgame": [...]}, ...}}

Weights are whole centipawns. A file is read whole or not at all: whatever an evaluator could stumble over
later is refused here.
"""

import json
import os
from dataclasses import dataclass, field
from typing import Any, cast

from engine.system import files
from engine.system.files import FilePath
from eval.features import FEATURES, Feature
from eval.outcome import Coefficients, OutcomeModel

FORMAT, VERSION = "lolli weights", 1
LARGEST_WEIGHT = 1000  # centipawns, with either sign; the bound of the evaluation rests on it
LARGEST_FILE = 1 << 24  # bytes; ours has a thousandth of them

_LONGEST_REASON = 200  # characters

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights")
STANDARD = os.path.join(FOLDER, "linear.json")
MATERIAL = os.path.join(FOLDER, "material.json")


class WeightsError(ValueError):
    """Why a file cannot be used: its name and the reason, in one line."""


@dataclass(frozen=True, slots=True)
class Weights:
    """`middle` and `endgame` have features.WEIGHTS entries in centipawns; `about` says how they were made."""

    middle: tuple[int, ...]
    endgame: tuple[int, ...]
    outcome: OutcomeModel | None = None
    about: dict[str, Any] = field(default_factory=dict)


def fault(path: FilePath, reason: str) -> WeightsError:
    """The error to raise, its reason cut short: it may quote a file full of something else."""
    return WeightsError(
        f"{os.fspath(path)}: {reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON] + ' …'}"
    )


def content_of(path: FilePath, largest: int) -> bytes:
    """All of a file. Raises WeightsError where it is missing or cannot be read."""
    try:
        return files.read_file(path, largest)
    except FileNotFoundError:
        raise fault(path, "there is no such file") from None
    except OSError as error:
        raise fault(path, f"cannot be read: {error.strerror}") from None


def load(path: FilePath) -> Weights:
    """The weights in a file. Raises WeightsError where the file is missing or anything in it is wrong."""
    content = _read(path)
    features = content.get("features")
    if not isinstance(features, dict):
        raise fault(path, "has no features")
    names = [feature.name for feature in FEATURES]
    unknown = [name for name in features if name not in names]
    if unknown:
        raise fault(path, f"made for other features: {unknown[0]!r} is unknown")
    middle: list[int] = []
    endgame: list[int] = []
    for feature in FEATURES:
        middle += _numbers(path, features, feature, "middle")
        endgame += _numbers(path, features, feature, "endgame")
    return Weights(tuple(middle), tuple(endgame), outcome_of(path, content), about_of(path, content))


def has_features(path: FilePath) -> bool:
    """Whether a file has weights, not only a model of the outcome. Raises WeightsError."""
    return bool(_read(path).get("features"))


def load_outcome(path: FilePath) -> OutcomeModel:
    """The model of the outcome alone. Raises WeightsError, as well where the file has no model."""
    model = outcome_of(path, _read(path))
    if model is None:
        raise fault(path, "has no model of the outcome")
    return model


def save(path: FilePath, weights: Weights) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    features = {}
    for feature in FEATURES:
        place = slice(feature.start, feature.start + feature.size)
        features[feature.name] = {"middle": weights.middle[place], "endgame": weights.endgame[place]}
    _write(path, weights.about, weights.outcome, features)


def save_outcome(path: FilePath, model: OutcomeModel, about: dict[str, Any]) -> None:
    """Replace the model of the outcome in a file, or make a file with the model alone.

    `about`, how the model was made, goes into the file's own "about", under "outcome". Raises OSError, and
    WeightsError where the file exists and is not a file of weights.
    """
    content = _read(path) if os.path.exists(path) else {}
    features = content.get("features", {})
    if features != {}:
        load(path)  # raises where anything is wrong with it
    _write(path, {**about_of(path, content), "outcome": about}, model, features)


def _read(path: FilePath) -> dict[str, Any]:
    data = content_of(path, LARGEST_FILE)
    try:
        content = json.loads(data.decode())
    except (UnicodeDecodeError, RecursionError):
        raise fault(path, "is not a file of weights") from None
    except ValueError as error:  # short above all
        raise fault(path, f"is not a whole file of weights: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise fault(path, "is not a file of weights")
    if content.get("version") != VERSION or isinstance(content["version"], bool):
        raise fault(path, f"is of version {content.get('version')!r}, not {VERSION}")
    return content


def _numbers(path: FilePath, features: dict[str, Any], feature: Feature, stage: str) -> list[int]:
    part = features.get(feature.name)
    numbers = part.get(stage) if isinstance(part, dict) else None
    if not isinstance(numbers, list):
        raise fault(path, f"has no {stage} weights for {feature.name!r}")
    if len(numbers) != feature.size:
        raise fault(path, f"{len(numbers)} {stage} weights for {feature.name!r} instead of {feature.size}")
    for number in numbers:
        if isinstance(number, float) and not -LARGEST_WEIGHT <= number <= LARGEST_WEIGHT:
            raise fault(path, f"a weight of {feature.name!r} is {number}, not finite or too large")
        if type(number) is not int or not -LARGEST_WEIGHT <= number <= LARGEST_WEIGHT:
            raise fault(path, f"a weight of {feature.name!r} is {number!r}, not whole centipawns")
    return numbers


def outcome_of(path: FilePath, content: dict[str, Any]) -> OutcomeModel | None:
    """The model of the outcome in what a file holds. Raises WeightsError."""
    part = content.get("outcome")
    if part is None:
        return None
    if not isinstance(part, dict) or not all(isinstance(part.get(name), list) for name in ("a", "b")):
        raise fault(path, "its model of the outcome is wrong: a and b are lists of numbers")
    try:
        a, b = (cast("Coefficients", tuple(map(float, part[name]))) for name in ("a", "b"))
        return OutcomeModel(a, b)
    except (TypeError, ValueError, OverflowError) as error:
        raise fault(path, f"its model of the outcome is wrong: {error}") from None


def about_of(path: FilePath, content: dict[str, Any]) -> dict[str, Any]:
    """What a file says of how its weights were made. Raises WeightsError."""
    about = content.get("about", {})
    if not isinstance(about, dict):
        raise fault(path, "what it says about itself cannot be read")
    return about


def _write(
    path: FilePath, about: dict[str, Any], outcome: OutcomeModel | None, features: dict[str, Any]
) -> None:
    content = {
        "format": FORMAT,
        "version": VERSION,
        "about": about,
        "outcome": None if outcome is None else {"a": list(outcome.a), "b": list(outcome.b)},
    }
    text = json.dumps(content, indent=1)[:-2] + ',\n "features": {'
    rows = [
        f'\n  {json.dumps(name)}: {{\n   "middle": {json.dumps(part["middle"])},'
        f'\n   "endgame": {json.dumps(part["endgame"])}\n  }}'
        for name, part in features.items()
    ]
    text += ",".join(rows) + "\n }\n}\n"
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    files.write_whole(path, text.encode())
