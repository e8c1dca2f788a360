"""Open endgame tables with Fathom in a process of its own: some that are damaged would end the engine's.

Run as a script with the name of the library and the folder, it writes BEGUN and then, of each line of stdin,
eight bitboards as Fathom takes them, the result: 0 … 4 where the table can be used.
"""

import ctypes
import os
import sys
from collections.abc import Sequence

BEGUN = "begun"


def load(name: str) -> ctypes.CDLL:
    """The library of that name. Raises OSError or AttributeError."""
    library = ctypes.CDLL(name)
    library.tb_init.argtypes = [ctypes.c_char_p]
    library.tb_init.restype = ctypes.c_bool
    library.tb_probe_wdl_impl.argtypes = [*[ctypes.c_uint64] * 8, ctypes.c_uint, ctypes.c_bool]
    return library


def result(library: ctypes.CDLL, boards: Sequence[int]) -> int:
    """The result with Black to move, no pawn to be taken en passant; the table is opened if it is not yet."""
    return int(library.tb_probe_wdl_impl(*boards, 0, False))


def main() -> None:
    name, folder = sys.argv[1:]
    library = load(name)
    library.tb_init(os.fsencode(folder))
    _tell(BEGUN)
    for line in sys.stdin:
        _tell(result(library, [int(word) for word in line.split()]))


def _tell(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()  # the next table may end the process


if __name__ == "__main__":
    main()
