"""The tokens of move text. No character is skipped: what is not part of a token is an error."""

import re
from dataclasses import dataclass, field

LARGEST_GAME = 4 << 20
"""Bytes; nothing as large is read as a game: every move costs a hundred times its text in memory."""

_LONGEST_REASON = 120  # characters; it may quote the file
# The moves are those that python-chess understands. Its reader skips unknown text; this one does not.
_TOKEN = re.compile(
    r"""(?:
    (?P<result> \* | 1-0 | 0-1 | 1/2-1/2 )
    |(?P<special> -- | Z0 | 0000 | @@@@ | O-O(?:-O)? | 0-0(?:-0)? ) [+\#]{0,2} (?![-\w])
    |(?P<number> [0-9]+ ) (?![0-9/]) (?: \s* [.…] )*
    |P? (?P<move> [NBKRQ]? [a-h]? [1-8]? [-x]? [a-h][1-8] (?: =? [nbrqNBRQ] )? )
        [+\#]{0,2} (?: \s? e\.p\. )? (?![-\w])
    |(?P<comment> \{ [^}]* \}? )
    |(?P<rest> ; [^\n]* )
    |(?P<escape> ^% [^\n]* )
    |(?P<nag> \$ [0-9]{1,3} (?![0-9]) | [!?]{1,2} (?![!?]) )
    |(?P<open> \( )
    |(?P<close> \) )
    )\s*""",
    re.VERBOSE | re.MULTILINE,
)


class UnreadableError(ValueError):
    """One short line: why a game cannot be read without losing anything.

    line -- where in the game, from 0
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…")
        self.line = line


class NoGameError(UnreadableError):
    """There is no game: only blank lines, escaped lines and comments."""


@dataclass(slots=True)
class Movetext:
    """The content of the move text of a game.

    tokens -- moves, NAGs, comments in braces, parentheses and the result
    places -- where the moves among them begin in the text
    escapes -- the lines that begin with `%`
    """

    tokens: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    escapes: list[str] = field(default_factory=list)
    result: str | None = None


class Scanner:
    """Scans move text that begins at `start`, in one pass."""

    def __init__(self, text: str, start: int = 0) -> None:
        self._text = text
        self._position = start  # of the present token
        self._number: int | None = None  # place of a move number still without its move
        self._moves = [0]  # how many the main line and each open variation has
        self._found = Movetext()
        self._takers = {
            "move": self._take_move,
            "special": self._take_move,
            "number": self._take_number,
            "nag": self._take_nag,
            "comment": self._take_comment,
            "rest": self._take_rest,
            "escape": self._found.escapes.append,
            "open": self._begin_variation,
            "close": self._end_variation,
            "result": self._take_result,
        }

    def scan(self) -> Movetext:
        """The content. Raises UnreadableError at the first token that is not allowed in its place."""
        while self._text[self._position : self._position + 1].isspace():
            self._position += 1
        while match := _TOKEN.match(self._text, self._position):
            kind = str(match.lastgroup)
            self._takers[kind](match[kind])
            self._position = match.end()
        if self._position < len(self._text):
            raise self._error(f"{self._word()!r} cannot be read")
        while len(self._moves) > 1:  # the game was cut off
            self._end_variation(")")
        return self._found

    def _take_move(self, token: str) -> None:
        self._follow_no_result(token)
        self._moves[-1] += 1
        self._number = None
        self._found.places.append(self._position)
        self._found.tokens.append(token)

    def _take_number(self, token: str) -> None:
        self._follow_no_result(token)
        self._follow_no_number()
        if token.lstrip("0") == "1" and len(self._moves) == 1 and self._moves[0] > 1:
            raise self._error("move number 1 again: two games without a result between them")
        self._number = self._position

    def _take_nag(self, token: str) -> None:
        self._follow_no_result(token)
        if not self._moves[-1]:
            raise self._error(f"{token} before the first move")
        self._found.tokens.append(token)

    def _take_comment(self, token: str) -> None:
        if not token.endswith("}"):
            raise self._error("comment without a closing brace")
        # Of white space alone, python-chess would keep the braces only until it is read again.
        self._found.tokens.append(token if token[1:-1].strip() else "{ }")

    def _take_rest(self, token: str) -> None:
        if "}" in token:
            raise self._error("closing brace in a comment to the end of the line")
        self._found.tokens.append(f"{{ {token[1:].strip()} }}")

    def _begin_variation(self, token: str) -> None:
        self._follow_no_result(token)
        self._follow_no_number()
        if not self._moves[-1]:
            raise self._error("variation before the first move")
        self._moves.append(0)
        self._found.tokens.append(token)

    def _end_variation(self, token: str) -> None:
        self._number = None
        if len(self._moves) == 1:
            raise self._error("a closing parenthesis without an opening one")
        if not self._moves.pop():
            raise self._error("empty variation")
        self._found.tokens.append(token)

    def _take_result(self, token: str) -> None:
        self._follow_no_result(token)
        if len(self._moves) > 1:
            raise self._error(f"result {token} inside a variation")
        self._number = None
        self._found.result = token
        self._found.tokens.append(token)

    def _follow_no_result(self, token: str) -> None:
        if self._found.result is not None:
            raise self._error(f"{token!r} after the result")

    def _follow_no_number(self) -> None:
        if self._number is not None:
            self._position = self._number
            raise self._error("move number without a move")

    def _word(self) -> str:
        """The present word from its first letter, cut if it is very long."""
        begin = self._position
        while begin > max(0, self._position - 20) and not self._text[begin - 1].isspace():
            begin -= 1
        return self._text[begin : self._position + 20].split()[0]

    def _error(self, reason: str) -> UnreadableError:
        return UnreadableError(reason, self._text.count("\n", 0, self._position))
