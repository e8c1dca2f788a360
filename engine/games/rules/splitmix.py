"""SplitMix64: random numbers for compiled playouts, and keys for hashing; the same in both modes."""

import cython

if not cython.compiled:
    from engine.system.bits import i32, u64


class Random:
    """A generator with 64 bits of state, seeded with any integer."""

    def __init__(self, seed: int) -> None:
        self._state = seed & 0xFFFFFFFFFFFFFFFF

    def reseed(self, seed: int) -> None:
        """Start again with `seed`, 64 bits."""
        self._state = seed

    def bits(self) -> int:
        """The next 64 random bits."""
        self._state = u64(self._state + u64(0x9E3779B97F4A7C15))
        return scrambled(self._state)

    def below(self, n: int) -> int:
        """One of 0 … n - 1, equally likely but for one in 2³² / n."""
        return i32(((self.bits() >> 32) * u64(n)) >> 32)


def mixed(n: int) -> int:
    """64 bits that look random, different for each `n`: number `n` of the generator with seed 0."""
    return scrambled(u64(u64(n + 1) * u64(0x9E3779B97F4A7C15)))


def scrambled(z: int) -> int:
    """The output of the generator in the state `z`."""
    z = u64((z ^ (z >> 30)) * u64(0xBF58476D1CE4E5B9))
    z = u64((z ^ (z >> 27)) * u64(0x94D049BB133111EB))
    return z ^ (z >> 31)
