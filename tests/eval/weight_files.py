"""Files of weights for tests: a good one, the same with something changed, and what is said of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.features import FEATURES, WEIGHTS
from eval.outcome import OutcomeModel
from eval.weight_file import LARGEST_WEIGHT, Weights, WeightsError, load, save
from tests.eval.some_weights import MODEL

OTHER = OutcomeModel((300.5, -10.25, 0.0, 1e-3), (90.0, 0.0, 0.1, 0.0))
GOOD = Weights(
    tuple(range(-500, WEIGHTS - 500)),
    (LARGEST_WEIGHT, -LARGEST_WEIGHT) + (0,) * (WEIGHTS - 2),
    MODEL,
    {
        "made": "2026-01-31",
        "data": "jeux, партии, 棋",
        "loss": {"before": 0.25, "after": [0.125, None, True]},
    },
)


def good_file(folder: Path) -> Path:
    path = folder / "weights.json"
    save(path, GOOD)
    return path


def content(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def problem(path: Path, read: Callable[[Path], object] = load) -> str:
    """Why it cannot be read: one line that names the file."""
    with pytest.raises(WeightsError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert len(text.splitlines()) == 1
    return text


def content_of(weights: Weights) -> dict[str, Any]:
    rows = {
        feature.name: {
            stage: list(part[feature.start : feature.start + feature.size])
            for stage, part in (("middle", weights.middle), ("endgame", weights.endgame))
        }
        for feature in FEATURES
    }
    outcome = weights.outcome and {"a": list(weights.outcome.a), "b": list(weights.outcome.b)}
    head = {"format": "lolli weights", "version": 1, "about": weights.about, "outcome": outcome}
    return head | {"features": rows}


def changed(path: Path, *keys: Any, to: Any) -> None:
    found = content_of(GOOD)
    inner: Any = found
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = to
    path.write_text(json.dumps(found))
