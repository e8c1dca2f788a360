"""Random numbers for compiled playouts, the same in both modes."""

import cython

if not cython.compiled:
    from engine.bits import i32, u64


class Random:
    """Splitmix64: 64 bits of state, seeded with any integer."""

    def __init__(self, seed: int) -> None:
        self._state = seed & 0xFFFFFFFFFFFFFFFF

    def reseed(self, seed: int) -> None:
        """Go on as a new one with this seed, 64 bits, would."""
        self._state = seed

    def bits(self) -> int:
        """The next 64 random bits."""
        self._state = u64(self._state + u64(0x9E3779B97F4A7C15))
        z = self._state
        z = u64((z ^ (z >> 30)) * u64(0xBF58476D1CE4E5B9))
        z = u64((z ^ (z >> 27)) * u64(0x94D049BB133111EB))
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """One of 0 … n - 1, all alike but for one in 2³² / n."""
        return i32(((self.bits() >> 32) * u64(n)) >> 32)
