"""Why a game of a PGN file is not read."""

LARGEST_GAME = 4 << 20
"""Bytes. What has as many is no game that is read: every move costs a hundred times its text in memory."""

_LONGEST_REASON = 120  # characters: it may quote the file


class UnreadableError(ValueError):
    """One short line: why a game cannot be read without losing anything.

    line -- where in the game, from 0
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…")
        self.line = line


class NoGameError(UnreadableError):
    """There is no game, and nothing that wants to be one: only blank lines, escaped lines and comments."""
