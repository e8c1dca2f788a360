"""For which processors the kernel was compiled, and what this one lacks for each.

This module alone is always compiled for the baseline processor, so that it can name what is missing: the
first kernel instruction that the processor does not know would end the process.
"""

import cython

if not cython.compiled:

    def first_missing(march: bytes) -> bytes:
        """Plain Python needs no instruction set."""
        del march
        return b""

    def marches() -> bytes:
        """Plain Python is built for no processor."""
        return b""


def choices() -> list[str]:
    """The processors that it was compiled for, as in `cc -march=`, the best one last; "" for the baseline."""
    return marches().decode("ascii").split(" ")


def missing(march: str) -> str | None:
    """The first instruction set, such as "avx2", that code for `march` may use and this processor lacks.

    None where none is missing, or where the kernel is not compiled or not for x86.
    """
    return first_missing(march.encode("ascii")).decode("ascii") or None
