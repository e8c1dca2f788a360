"""What goes wrong, told on the error stream."""

import os
from contextlib import suppress

from protocol.text import escaped

STDERR = 2


def describe(error: BaseException) -> str:
    """The error in one line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def located(error: BaseException) -> str:
    """The error in one line that names the place in the source."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" ({place.tb_frame.f_code.co_filename}:{place.tb_lineno})" if place is not None else ""
    return f"{describe(error)}{where}"


def complain(what: str, error: BaseException) -> None:
    """Tell the error stream, in one line that names the place in the source."""
    tell(f"{what}: {located(error)}")


def tell(text: str) -> None:
    """Write one line to the error stream."""
    with suppress(OSError):
        os.write(STDERR, f"lolli: {escaped(text)}\n".encode("utf-8", "replace"))
