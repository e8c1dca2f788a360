"""Random trees as text, as `lolli tree --game "tree …"` takes them."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

_GREATEST = 20
_ODDS = (
    ("1/2", "1/2"),
    ("1/4", "3/4"),
    ("1/4", "1/2", "1/4"),
    ("0.2", "0.8"),
    ("0.3", "0.7"),
    ("0.1", "0.9"),
)
_THREE_PLIES = (2, 2, 2)
_MOST_OF_ONE = 9  # a payoff of one of three players


def tree_of_numbers(random: Random, shape: Sequence[int]) -> str:
    """With `shape` moves on each ply, and a different number at each leaf."""
    numbers = iter(random.sample(range(1, _GREATEST + 1), prod(shape)))
    return nested(shape, lambda: str(next(numbers)))


def tree_of_lotteries(random: Random) -> str:
    """Two chance nodes below MAX, with numbers or with MIN below them."""
    is_deep = random.choice((True, False))

    def outcome() -> str:
        one, other = random.sample(range(_GREATEST + 1), 2)
        return f"({one},{other})" if is_deep else str(one)

    def lottery() -> str:
        return f"[{','.join(f'{odds}:{outcome()}' for odds in random.choice(_ODDS))}]"

    return f"({lottery()},{lottery()})"


def tree_of_vectors(random: Random, *, zero_sum: bool) -> str:
    """For three players, one after the other, with two moves each."""

    def leaf() -> str:
        least = -_MOST_OF_ONE if zero_sum else 0
        first, second, third = (random.randint(least, _MOST_OF_ONE) for _ in range(3))
        return f"{first}/{second}/{-first - second if zero_sum else third}"

    return nested(_THREE_PLIES, leaf)


def nested(shape: Sequence[int], leaf: Callable[[], str]) -> str:
    """Brackets with `shape` children on each ply, and what `leaf` makes at the end."""
    if not shape:
        return leaf()
    return f"({','.join(nested(shape[1:], leaf) for _ in range(shape[0]))})"
