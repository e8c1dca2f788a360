"""Signs that a keyboard lacks."""

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"


def with_real_minus(text: str) -> str:
    """A number in ASCII, as it is set in print."""
    return text.replace("-", MINUS)
