"""Text from and for clients and terminals: numbers, error messages, and what is safe to show."""

from unicodedata import normalize

LONGEST_MESSAGE = 300  # characters

_BLANKS = frozenset("\xa0\u1680\u202f\u205f\u3000") | frozenset(map(chr, range(0x2000, 0x200B)))
_JOINERS = frozenset("\u200c\u200d")  # some languages, and emojis, need them


class ProtocolError(ValueError):
    """A line that cannot be obeyed; the text is the error message for the client."""


def quoted(text: str) -> str:
    """The text in quotes for a message: printable, at most 62 characters."""
    shown = ascii(text[:60])
    return shown if len(text) <= 60 and len(shown) <= 62 else f"{shown[:58]}...{shown[0]}"


def folded(text: str) -> str:
    """The same for texts that differ only in case, in spaces, or in how accents are encoded."""
    return normalize("NFC", " ".join(text.casefold().split()))


def integer(text: str) -> int:
    """A whole number in plain decimal digits; 10**20 with more than 20 digits. Raises ProtocolError.

    Python's own `int` also accepts underscores and the digits of every script, and refuses 4,300 digits.
    """
    digits = text[1:] if text.startswith(("-", "+")) else text
    if not (digits.isascii() and digits.isdigit()):
        raise ProtocolError(f"not a whole number: {quoted(text)}")
    digits = digits.lstrip("0") or "0"
    number = int(digits) if len(digits) <= 20 else 10**20  # beyond every bound
    return -number if text.startswith("-") else number


def escaped(text: str, kept: str = "") -> str:
    """The text with escapes for what a terminal could obey, and for what it cannot show.

    Those are control characters except the `kept` ones, marks that change the direction of writing, halves
    of surrogate pairs, and characters that Unicode does not define.
    """
    if text.isprintable():
        return text
    harmless = _BLANKS | _JOINERS | frozenset(kept)
    return "".join(c if c.isprintable() or c in harmless else ascii(c)[1:-1] for c in text)


def escaped_lines(data: bytes) -> bytes:
    """`escaped` for lines of text in UTF-8, or almost, as bytes."""
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    return escaped(text, "\n\t").encode()


def printable(message: str) -> str:
    """A message on one line of at most LONGEST_MESSAGE characters, whatever it quotes."""
    text = escaped(message[: LONGEST_MESSAGE + 1])
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."


def info_string(message: str) -> str:
    """A message as UCI writes it."""
    return f"info string {printable(message)}"


def describe(error: BaseException) -> str:
    """The error in one line: its class and message."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def located(error: BaseException) -> str:
    """The error in one line, with the place in the source where it was raised."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" ({place.tb_frame.f_code.co_filename}:{place.tb_lineno})" if place is not None else ""
    return f"{describe(error)}{where}"
