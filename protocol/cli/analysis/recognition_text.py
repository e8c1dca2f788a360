"""Where text comes from, and what a clipboard, a word processor or a web page has done to it."""

from __future__ import annotations

import re
from errno import EFBIG
from pathlib import Path
from urllib.parse import unquote

from protocol import given_file
from protocol.cli.analysis.recognition_setup import RecognitionError
from protocol.given_file import STDIO

_LARGEST = 1 << 24  # bytes
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_LOOKED_AT = 4096  # bytes at the beginning that tell text from other data
_SUFFIXES = (".epd", ".fen", ".json", ".pgn", ".txt", ".uci")
_INVISIBLE = (
    0xAD,
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2065),
    0xFE0E,
    0xFE0F,
    0xFEFF,
)
_BLANKS = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
_DASHES = (*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63, 0xFF0D)
_APOSTROPHES = (*range(0x2018, 0x201C), 0x2039, 0x203A)
_QUOTES = (*range(0x201C, 0x2020), 0xAB, 0xBB)
_PLAIN = {
    **dict.fromkeys(_INVISIBLE, ""),
    **dict.fromkeys(_BLANKS, " "),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys(_QUOTES, '"'),
    0x2026: "...",
    0x2044: "/",
    0x2215: "/",
    0xFF0F: "/",
    **dict.fromkeys((0x0B, 0x0C, 0x85, 0x2028, 0x2029), "\n"),
}
_SLASHES_OF_A_BOARD = 7
_TAG = re.compile(r'^[ \t]*\[[A-Za-z0-9_]+[ \t]+".*"[ \t]*\][ \t]*$', re.MULTILINE)
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)


def is_file(word: str) -> bool:
    """Whether a word means a file, a folder included, or standard input."""
    try:
        return word == STDIO or (word != "" and Path(word).exists())  # nothing would be this folder
    except OSError:  # a text too long for a name
        return False


def looks_like_path(word: str) -> bool:
    """Whether somebody who typed this word meant a file."""
    return (
        bool(word)
        and not re.search(r"\s", word)
        and (word.lower().endswith(_SUFFIXES) or word.startswith(("./", "../", "~", "/")))
    )


def file_text(name: str) -> str:
    """The text of a file, or of standard input for `-`. RecognitionError where there is none to be had."""
    try:
        data = given_file.read(name, _LARGEST)
    except OSError as error:
        reason = error.strerror or "cannot be read"
        advice = ": cut out what is to be analysed" if error.errno == EFBIG else ""
        raise RecognitionError(f"{reason[0].lower()}{reason[1:]}{advice}") from None
    if not data.strip():
        raise RecognitionError("empty")
    return _decoded(data)


def plain(text: str) -> str:
    """The same text in plain characters: one kind of blank, line break, dash and quotation mark."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_PLAIN)


def without_addresses(text: str) -> str:
    """Web addresses replaced by what they say about a position, if anything; lichess' and chess.com's do."""
    return _URL.sub(_unwrapped, text)


def looks_like_pgn(text: str) -> bool:
    """Whether there are tags in it, each in a line of its own, as in `[Event "?"]`."""
    return bool(_TAG.search(text))


def from_first_tag(text: str) -> str:
    """A text that looks like PGN without what stands before it."""
    match = _TAG.search(text)
    return text[match.start() :].lstrip() if match else text


def is_address(text: str) -> bool:
    """Whether the text begins with the address of a web page."""
    return bool(_URL.match(text.strip()))


def _decoded(data: bytes) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None and b"\0" in data[:_LOOKED_AT]:
        raise RecognitionError("not a text file")
    try:
        return data.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unwrapped(match: re.Match[str]) -> str:
    """What the address of a web page has to say about a position: lichess' and chess.com's are known."""
    words = unquote(re.sub(r"[?&#=+]", " ", match[0])).replace("_", " ")
    _, analysis, moves = words.partition("/pgn/")
    if analysis:
        return moves
    return f" {words} " if words.count("/") >= _SLASHES_OF_A_BOARD else " "
