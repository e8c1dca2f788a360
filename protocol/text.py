"""Words of a protocol: what a line asks for that cannot be had, numbers, and text that is fit to be shown."""

LONGEST_MESSAGE = 300  # characters


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


def printable(message: str) -> str:
    """A message for people on one line, whatever it quotes."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message[: LONGEST_MESSAGE + 1])
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."


def info_string(message: str) -> str:
    """A message as UCI writes it."""
    return f"info string {printable(message)}"
