"""Whether this processor has the instruction sets that the compiled kernel was built for.

This module alone is always compiled for the baseline processor, so that it can name what is missing: the
first kernel instruction that the processor does not know would end the process.
"""

import cython

if not cython.compiled:

    def first_missing() -> bytes:
        """Plain Python needs no instruction set."""
        return b""

    def march() -> bytes:
        """Plain Python is built for no processor."""
        return b""


def missing_feature() -> str | None:
    """The first instruction set, such as "avx2", that the kernel may use and this processor lacks.

    None where none is missing, or where the kernel is not compiled or not for x86.
    """
    return first_missing().decode("ascii") or None


def built_for() -> str:
    """The processor that the kernel was built for, as in `cc -march=`; empty for the baseline."""
    return march().decode("ascii")
