"""The list of features: complete, without gaps."""

import math
import subprocess
import sys

from eval import features
from eval.features import FEATURES, PIECE_NAMES, TERMS, WEIGHTS, Feature
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
    """The name in capitals whose number is where the feature starts."""
    (name,) = (name for name, value in NUMBERED.items() if value == feature.start)
    return name


def test_features_follow_each_other_without_gap() -> None:
    start = 0
    for feature in FEATURES:
        assert feature.start == start, feature.name
        start += feature.size
    assert start == WEIGHTS


def test_size_is_the_product_of_the_axes() -> None:
    for feature in FEATURES:
        assert feature.size == math.prod(feature.shape) > 0
        assert all(type(length) is int and length > 0 for length in feature.shape)


def test_names_are_unique_and_every_start_has_a_constant() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    constants = [constant(feature) for feature in FEATURES]
    assert {*constants, "WEIGHTS"} == NUMBERED.keys()
    assert constants == [name for name in NUMBERED if name != "WEIGHTS"]  # in the same order


def test_every_feature_says_what_it_means() -> None:
    for feature in FEATURES:
        assert feature.meaning
        assert "\n" not in feature.meaning + feature.name + feature.term
        assert feature.name == feature.name.strip().lower()


def test_terms_are_those_of_the_features() -> None:
    assert set(TERMS) == {feature.term for feature in FEATURES}
    assert len(set(TERMS)) == len(TERMS)
    assert TERMS[0] == FEATURES[0].term


def test_axes_that_count_pieces_have_their_number() -> None:
    by_name = {feature.name: feature for feature in FEATURES}
    assert len(PIECE_NAMES) == 6
    assert by_name["placement"].shape == (len(PIECE_NAMES), 8, 8)
    assert by_name["facing"].shape == (len(PIECE_NAMES) - 1, 8, 8)
    for name, most in (("knight", 8), ("bishop", 13), ("rook", 14), ("queen", 27)):
        assert by_name[f"{name} mobility"].shape == (most + 1,)


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
