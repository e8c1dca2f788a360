"""Words of a protocol: what a line asks for that cannot be had, numbers, and text that is fit to be shown."""

LONGEST_MESSAGE = 300  # characters

_BLANKS = frozenset("\xa0\u1680\u202f\u205f\u3000") | frozenset(map(chr, range(0x2000, 0x200B)))
_JOINERS = frozenset("\u200c\u200d")  # some languages, and emojis, need them


class ProtocolError(ValueError):
    """A line that cannot be obeyed; the text is the reason, fit to be shown."""


def quoted(text: str) -> str:
    """The text in quotes, printable and not too long, for a message."""
    shown = ascii(text[:60])
    return shown if len(text) <= 60 and len(shown) <= 62 else f"{shown[:58]}...{shown[0]}"


def integer(text: str) -> int:
    """A whole number in plain decimal digits; beyond 20 digits it counts as 10**20. Raises ProtocolError.

    Python's own `int` also takes underscores and the digits of every script, and stops at 4,300 digits.
    """
    digits = text[1:] if text.startswith(("-", "+")) else text
    if not (digits.isascii() and digits.isdigit()):
        raise ProtocolError(f"{quoted(text)} is not a whole number")
    digits = digits.lstrip("0") or "0"
    number = int(digits) if len(digits) <= 20 else 10**20  # beyond every bound
    return -number if text.startswith("-") else number


def escaped(text: str, kept: str = "") -> str:
    """The text with escapes for what a terminal could obey, and for what it cannot show.

    Those are control characters but for the `kept` ones, changes of the direction of writing, halves of
    surrogate pairs, and what Unicode does not know.
    """
    if text.isprintable():
        return text
    harmless = _BLANKS | _JOINERS | frozenset(kept)
    return "".join(c if c.isprintable() or c in harmless else ascii(c)[1:-1] for c in text)


def escaped_lines(data: bytes) -> bytes:
    """The same of lines of text in UTF-8, or something like it, for a terminal."""
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    return escaped(text, "\n\t").encode()


def escaped_json(text: str) -> str:
    """The same of a line of JSON, which stays JSON of the same value."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _json_escape(c) for c in text)


def printable(message: str) -> str:
    """A message for people on one line, whatever it quotes."""
    text = escaped(message[: LONGEST_MESSAGE + 1])
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."


def info_string(message: str) -> str:
    """A message as UCI writes it."""
    return f"info string {printable(message)}"


def _json_escape(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
