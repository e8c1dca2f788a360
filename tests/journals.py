"""Journals as they stand in a file, whole and damaged."""

import json
import zlib
from collections.abc import Mapping
from typing import Any


def line(record: Mapping[str, Any]) -> bytes:
    return summed(json.dumps(record, separators=(",", ":")).encode())


def summed(text: bytes) -> bytes:
    """An object in JSON with the sum that it would have; it need not be one that could be read."""
    return b'%b,"sum":%d}\n' % (text[:-1], zlib.crc32(text))


def journal(run: Mapping[str, Any], *records: Mapping[str, Any]) -> bytes:
    return line({"journal": "lolli", **run}) + b"".join(map(line, records))
