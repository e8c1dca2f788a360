"""The header of all files of games: magic, version and a description in JSON, with a checksum."""

import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any, BinaryIO

_HEADER = struct.Struct("<8sHHI")
_CRC = struct.Struct("<I")
_LONGEST_DESCRIPTION = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: its magic of eight bytes, its version, what it holds, and the error that it raises."""

    magic: bytes
    version: int
    content: str
    error: type[ValueError]

    def pack_header(self, description: dict[str, Any]) -> bytes:
        """The header of a file."""
        text = json.dumps(description, sort_keys=True).encode()
        data = _HEADER.pack(self.magic, self.version, 0, len(text)) + text
        return data + _CRC.pack(zlib.crc32(data))

    def read_header(self, file: BinaryIO, name: str) -> dict[str, Any]:
        """Read the description and leave `file` behind the header. Raises `error`."""
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size or not head.startswith(self.magic):
            raise self.error(f"{name}: not a file of {self.content}")
        _, version, _, length = _HEADER.unpack(head)
        if version != self.version:
            raise self.error(f"{name}: a file of {self.content} of version {version}, not {self.version}")
        if length > _LONGEST_DESCRIPTION:
            raise self.error(f"{name}: its description is too long")
        text = file.read(length)
        if file.read(_CRC.size) != _CRC.pack(zlib.crc32(head + text)):
            raise self.error(f"{name}: its description is damaged")
        try:
            description = json.loads(text)
        except (ValueError, RecursionError):
            raise self.error(f"{name}: its description is not JSON") from None
        if not isinstance(description, dict):
            raise self.error(f"{name}: its description is not an object")
        return description
