"""Files of endgame tables: one binary, described by JSON at its head.

    8 bytes     LolliTab
    u16, u16    version, 0
    u32         length of the description in bytes
    …           description: JSON in UTF-8
    …           the entries of all parts, one after the other, compressed by zlib
    32 bytes    BLAKE2b of everything before

Numbers are little-endian. The description:

    {"game": "chess", "men": "KPK", "parts": [["KQK", 81920], ["KRK", 81920], ["KPK", 196608]]}

A part is named after its men and has that many entries, one byte each; endgame_table.py says what an entry
means, and the game's `Positions` which position has which number. A file is read whole or not at all.
"""

from __future__ import annotations

import json
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import NotApplicableError
from engine.games.search.endgame_table import EndgameTable, Part
from engine.system.files import read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.rules.game import Game, Positions
    from engine.system.files import FilePath

MAGIC, VERSION = b"LolliTab", 1
LARGEST_FILE = 1 << 26
"""Bytes."""
_HEAD, _DIGEST = 16, 32  # bytes


class TableFileError(ValueError):
    """A file that is not an endgame table of the game, or is damaged; the message is one line."""


def packed(game: Game[Any], men: str, table: EndgameTable) -> bytes:
    """The content of the file of a table that was made of `game.endings(men)`."""
    parts = [[part.positions.name, part.positions.size] for part in table.parts]
    description = json.dumps({"game": game.name, "men": men, "parts": parts}).encode()
    head = MAGIC + VERSION.to_bytes(2, "little") + bytes(2) + len(description).to_bytes(4, "little")
    entries = zlib.compress(b"".join(part.entries for part in table.parts), 9)
    content = head + description + entries
    return content + blake2b(content, digest_size=_DIGEST).digest()


def load_table(path: FilePath, game: Game[Any]) -> EndgameTable:
    """The table in a file. Raises TableFileError."""
    if not str(path):
        raise TableFileError("the name of the file is empty")
    try:
        content = read_file(path, LARGEST_FILE)
    except OSError as error:
        raise TableFileError(f"{path}: {error.strerror}") from None
    try:
        return unpacked(content, game)
    except TableFileError as error:
        raise TableFileError(f"{path}: {error}") from None


def unpacked(content: bytes, game: Game[Any]) -> EndgameTable:
    """The table in the content of a file. Raises TableFileError."""
    if content[: len(MAGIC)] != MAGIC:
        raise TableFileError("not an endgame table")
    if blake2b(content[:-_DIGEST], digest_size=_DIGEST).digest() != content[-_DIGEST:]:
        raise TableFileError("damaged: the checksum is wrong")
    version = int.from_bytes(content[len(MAGIC) : len(MAGIC) + 2], "little")
    if version != VERSION:
        raise TableFileError(f"an endgame table of version {version}; this is version {VERSION}")
    end = _HEAD + int.from_bytes(content[_HEAD - 4 : _HEAD], "little")
    endings = _described(content[_HEAD:end], game)
    entries = _inflated(content[end:-_DIGEST], sum(positions.size for positions in endings))
    parts = []
    for positions in endings:
        parts.append(Part(positions, entries[: positions.size]))
        entries = entries[positions.size :]
    return EndgameTable(parts)


def _described(description: bytes, game: Game[Any]) -> Sequence[Positions]:
    """The positions of all parts. Raises TableFileError."""
    try:
        read = json.loads(description)
        name, men, parts = str(read["game"]), str(read["men"]), read["parts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise TableFileError("its description cannot be read") from None
    if name != game.name:
        raise TableFileError(f"an endgame table of {name[:40]!r}, not of {game.name}")
    try:
        endings = game.endings(men)
    except NotApplicableError as error:
        raise TableFileError(str(error)) from None
    if parts != [[positions.name, positions.size] for positions in endings]:
        raise TableFileError(f"its parts are not those of {men[:40]!r}")
    return endings


def _inflated(data: bytes, size: int) -> bytes:
    """The `size` bytes of which `data` was compressed. Raises TableFileError."""
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(data, size + 1)
    except zlib.error:
        found = b""
    if len(found) != size or not inflater.eof:
        raise TableFileError("its entries cannot be read")
    return found
