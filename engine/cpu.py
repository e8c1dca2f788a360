"""Does this processor have what the compiled kernel was built for?

The one compiled module that is always built for the baseline, so that a processor which lacks something can
be told so in words: the first kernel instruction that it does not know would end the process.
"""

import cython

if not cython.compiled:

    def first_missing() -> bytes:
        """Plain Python needs nothing of the processor."""
        return b""

    def march() -> bytes:
        """Plain Python is built for nothing in particular."""
        return b""


def missing_feature() -> str | None:
    """Name the first instruction set that the kernel may use and this processor lacks, such as "avx2".

    None where nothing is missing, in particular where the kernel is not compiled or not for x86.
    """
    return first_missing().decode("ascii") or None


def built_for() -> str:
    """Name the processor that the kernel was built for, as in `cc -march=`; empty for the baseline."""
    return march().decode("ascii")
