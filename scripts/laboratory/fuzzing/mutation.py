"""Damage: what was good, with something left out, put in, doubled and exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_LENGTHS = (0, 0, 0, 1, 1, 2, 10, 100)
"""Of what is replaced, in bytes."""
HOSTILE = (
    *(b"\0", b"\t", b"\r", b"\x1b[2J", b"\x7f", b"\x85", b"\xa0", b"\xff", b"\xff\xfe", b"\xc3\xa9", b"\xc3"),
    *("٣", "½", "\u200b", "\u2028", "\u202e", "\ufeff", "\U0001f600"),
    *(b"-1", b"0", b"1e999", b"99999999999999999999", b"0x10", b"1_000", b"9" * 5000, b"nan"),
    *(b"%s%n", b"../..", b"~", b"$(reboot)", b"`reboot`", b"'", b'"', b"\\", b"{}", b"(" * 300),
)
"""What has upset programs before, whatever they read."""


def as_bytes(snippets: Sequence[bytes | str]) -> list[bytes]:
    """All in UTF-8."""
    return [each.encode() if isinstance(each, str) else each for each in snippets]


_HOSTILE = as_bytes(HOSTILE)


def damaged(data: bytes, rng: Random, times: int, snippets: Sequence[bytes] = _HOSTILE) -> bytes:
    """The data with so many pieces left out, doubled, or exchanged for a snippet."""
    for _ in range(times):
        begin = rng.randrange(len(data) + 1)
        end = min(len(data), begin + rng.choice(_LENGTHS))
        with_what = rng.choice((b"", data[begin:end] * 2, *rng.choices(snippets, k=6)))
        data = data[:begin] + with_what + data[end:]
    return data


def flipped(data: bytes, rng: Random, times: int) -> bytes:
    """The data with so many bytes exchanged for any others."""
    changed = bytearray(data)
    for _ in range(times if data else 0):
        changed[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(changed)


def cut(data: bytes, rng: Random) -> bytes:
    """The beginning of the data, of any length."""
    return data[: rng.randrange(len(data) + 1)]


def random_bytes(rng: Random, most: int) -> bytes:
    """Any bytes, fewer than `most` of them."""
    return rng.randbytes(rng.randrange(most))
