"""The list of features: complete, without gaps."""

import subprocess
import sys

from eval import features
from eval.features import FEATURES, WEIGHTS, Feature
from tests.compiled import ROOT

TOO_FEW = """
import sys
sys.path.insert(0, ".")
{start}
from eval.features import WEIGHTS
from eval.linear import Linear
from eval.weight_file import Weights
for middle, endgame in ((0, WEIGHTS), (WEIGHTS - 1, WEIGHTS), (WEIGHTS, WEIGHTS - 1), (WEIGHTS, 0)):
    try:
        Linear(Weights((0,) * middle, (0,) * endgame))
    except (IndexError, ValueError):
        print("refused")
"""

NUMBERED = {
    name: value for name, value in vars(features).items() if name.isupper() and isinstance(value, int)
}


def constant(feature: Feature) -> str:
    (name,) = (name for name, value in NUMBERED.items() if value == feature.start)
    return name


def test_features_follow_each_other_without_gap() -> None:
    start = 0
    for feature in FEATURES:
        assert feature.start == start, feature.name
        start += feature.size
    assert start == WEIGHTS


def test_names_are_unique_and_every_start_has_a_constant() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    constants = [constant(feature) for feature in FEATURES]
    assert {*constants, "WEIGHTS"} == NUMBERED.keys()
    assert constants == [name for name in NUMBERED if name != "WEIGHTS"]  # in the same order


def test_too_few_weights_are_refused(is_pure: bool) -> None:
    """In a process of its own, which C could bring down."""
    start = "from tests import pure; pure.install()" if is_pure else ""
    run = subprocess.run(
        [sys.executable, "-c", TOO_FEW.format(start=start)],
        capture_output=True,
        check=False,
        text=True,
        cwd=ROOT,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "refused\n" * 4
