"""GTP, version 2, as text: a line to a request, an answer to lines. Pure functions: nothing here acts.

Farnebäck, Specification of the Go Text Protocol, version 2, draft 2 (2002), sections 2.3 to 2.5.
"""

import re
import unicodedata
from dataclasses import dataclass

from protocol.text import printable

UNKNOWN_COMMAND = "unknown command"
SYNTAX_ERROR = "syntax error"
ILLEGAL_MOVE = "illegal move"
UNACCEPTABLE_SIZE = "unacceptable size"
CANNOT_UNDO = "cannot undo"
CANNOT_SCORE = "cannot score"
CANNOT_LOAD = "cannot load file"

_INTERRUPT = re.compile(r"\s*#\s*interrupt\s*")
_ID = re.compile(r"[0-9]+")


class GtpError(ValueError):
    """A command that fails; the text is what the controller is told."""


@dataclass(frozen=True, slots=True)
class Request:
    """A line that wants an answer. The id stays text, of any length; it is empty where there was none."""

    id: str
    name: str
    arguments: tuple[str, ...] = ()


def parse(line: str) -> Request | None:
    """What a line asks; None for one that is empty, or a comment and nothing else."""
    words = _cleaned(line).split()
    if not words:
        return None
    identity = words.pop(0) if _ID.fullmatch(words[0]) else ""
    return Request(identity, words[0] if words else "", tuple(words[1:]))


def is_interrupt(line: str) -> bool:
    """Whether it is the comment by which GoGui stops a search."""
    return _INTERRUPT.fullmatch(line) is not None


def success(identity: str, text: str = "") -> list[str]:
    """The lines that answer a command that was obeyed, the empty one at the end included.

    Lines of the text that are blank are left out, since an empty line ends an answer.
    """
    first, *rest = text.splitlines() or [""]
    head = f"={identity} {first}" if first.strip() else f"={identity}"
    return [head, *(line for line in rest if line.strip()), ""]


def failure(identity: str, message: str) -> list[str]:
    """The lines that answer a command that failed, the empty one at the end included."""
    return [f"?{identity} {printable(message)}", ""]


def _cleaned(line: str) -> str:
    """Without the comment and without control characters; a tab is a blank."""
    text = line.partition("#")[0].replace("\t", " ")
    return text if text.isprintable() else "".join(c for c in text if unicodedata.category(c) != "Cc")
