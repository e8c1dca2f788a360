"""Wilson's interval."""

from math import comb

import pytest

from protocol.intervals import wilson


def test_the_interval_holds_the_true_share_as_often_as_it_says() -> None:
    """Brute force over all results of 40 games: Wilson's interval is right 95 times in 100, more or less."""
    for share in (0.1, 0.3, 0.5, 0.8):
        right = sum(
            comb(40, won) * share**won * (1 - share) ** (40 - won)
            for won in range(41)
            if wilson(won, 40)[0] <= share <= wilson(won, 40)[1]
        )
        assert right == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize(("points", "games"), [(0, 0), (0, 5), (5, 5), (2.5, 5)])
def test_an_interval_is_one(points: float, games: int) -> None:
    low, high = wilson(points, games)
    share = points / games if games else 0.5
    assert 0 <= low <= share <= high <= 1
    assert low < high


def test_interval_is_wilsons() -> None:
    """The examples of R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, method 3."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
