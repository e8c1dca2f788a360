"""The table of proved bounds: what is found is what was entered, never what belongs to another number."""

import random

import pytest

from engine.games.fast.bounds import Bounds


def entered(table: Bounds, number: int) -> tuple[int, int] | None:
    entry = table.find(table.place(number))
    return ((entry & 0xFF) - 128, (entry >> 8 & 0xFF) - 128) if entry else None


@pytest.mark.parametrize("bits", [10, 32, 49, 59])
def test_what_is_found_was_entered(bits: int) -> None:
    draws = random.Random(bits)
    table = Bounds(8, bits)
    truth: dict[int, tuple[int, int]] = {}
    for _ in range(3000):
        number = draws.randrange(1 << bits)
        truth[number] = lower, upper = draws.randint(-100, 0), draws.randint(0, 100)
        table.enter(table.place(number), lower, upper, 1)
    assert {entered(table, number) for number in truth} - set(truth.values()) <= {None}
    assert all(entered(table, number) in {found, None} for number, found in truth.items())
    for _ in range(3000):
        number = draws.randrange(1 << bits)
        assert entered(table, number) == truth.get(number) or entered(table, number) is None


@pytest.mark.parametrize("bits", [10, 33, 49, 64])
def test_no_two_numbers_share_a_place(bits: int) -> None:
    table = Bounds(256, bits)
    numbers = {*range(1000), *((1 << bits) - 1 - i for i in range(1000 if bits > 10 else 24))}
    numbers |= {1 << i for i in range(bits)}
    assert len({table.place(number) for number in numbers}) == len(numbers)


def test_what_took_long_stays() -> None:
    table = Bounds(1, 49)
    table.enter(table.place(7), -3, 5, 1 << 30)
    for number in range(100, 20_000):
        table.enter(table.place(number), 0, 0, 1)
    assert entered(table, 7) == (-3, 5)


@pytest.mark.parametrize(("megabytes", "bits"), [(0, 40), (1, 64), (4, 65)])
def test_a_table_too_small_to_tell_numbers_apart_is_refused(megabytes: int, bits: int) -> None:
    with pytest.raises(ValueError, match="too small"):
        Bounds(megabytes, bits)
