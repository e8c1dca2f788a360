"""What cases are made of: damage, positions, and several files packed into one case."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from protocol.uci.bench import POSITIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random


_LENGTHS = (0, 0, 0, 1, 1, 2, 10, 100)
"""Lengths of replaced pieces, in bytes."""
HOSTILE = (
    *(b"\0", b"\t", b"\r", b"\x1b[2J", b"\x7f", b"\x85", b"\xa0", b"\xff", b"\xff\xfe", b"\xc3\xa9", b"\xc3"),
    *("٣", "½", "\u200b", "\u2028", "\u202e", "\ufeff", "\U0001f600"),
    *(b"-1", b"0", b"1e999", b"99999999999999999999", b"0x10", b"1_000", b"9" * 5000, b"nan"),
    *(b"%s%n", b"../..", b"~", b"$(reboot)", b"`reboot`", b"'", b'"', b"\\", b"{}", b"(" * 300),
)
"""Input that often breaks programs."""


def as_bytes(snippets: Sequence[bytes | str]) -> list[bytes]:
    """The snippets, with text encoded in UTF-8."""
    return [each.encode() if isinstance(each, str) else each for each in snippets]


_HOSTILE = as_bytes(HOSTILE)


def damaged(data: bytes, rng: Random, times: int, snippets: Sequence[bytes] = _HOSTILE) -> bytes:
    """The data with `times` pieces removed, doubled, or replaced by a snippet."""
    for _ in range(times):
        begin = rng.randrange(len(data) + 1)
        end = min(len(data), begin + rng.choice(_LENGTHS))
        with_what = rng.choice((b"", data[begin:end] * 2, *rng.choices(snippets, k=6)))
        data = data[:begin] + with_what + data[end:]
    return data


def flipped(data: bytes, rng: Random, times: int) -> bytes:
    """The data with `times` random bytes replaced."""
    changed = bytearray(data)
    for _ in range(times if data else 0):
        changed[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(changed)


def cut(data: bytes, rng: Random) -> bytes:
    """The data, cut at a random place."""
    return data[: rng.randrange(len(data) + 1)]


def random_bytes(rng: Random, most: int) -> bytes:
    """Fewer than `most` random bytes."""
    return rng.randbytes(rng.randrange(most))


CHESS960 = (
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
    "8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1",
    "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
    "4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1",
)
"""Castling that exists only in Chess960."""
SPECIAL = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/pp1p1ppp/8/2pPp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 3",
    "8/P1k5/8/8/8/8/p1K5/8 w - - 0 1",
    "8/8/8/8/8/5K2/6Q1/7k b - - 0 1",
    "7k/5Q2/8/8/8/8/8/K7 b - - 99 300",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - -",
    "8/8/8/2kpP3/8/8/3K4/8 w - d6 0 2",
)
FENS = (chess.STARTING_FEN, *SPECIAL, *CHESS960, *POSITIONS)


@cache
def _board(fen: str) -> chess.Board:
    return chess.Board(fen, chess960=True)


def played(rng: Random, most: int) -> chess.Board:
    """A board after fewer than `most` random moves from one of FENS, with the moves on its stack."""
    board = _board(rng.choice(FENS)).copy()
    for _ in range(rng.randrange(most)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="lolli-fuzz-")


def folder() -> Path:
    """A folder for the files of a case, emptied at each call."""
    path = Path(_made().name)
    for each in path.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
    return path


def saved(name: str, data: bytes) -> Path:
    """A file with these bytes, the only one in the folder."""
    return saved_files({name: data}) / name


def saved_files(files: Mapping[str, bytes]) -> Path:
    """The folder with these files and no others."""
    path = folder()
    for name, content in files.items():
        (path / name).write_bytes(content)
    return path


_HEAD = b"== "


def packed(files: dict[str, bytes]) -> bytes:
    """Several files as one case, each after a line with its name."""
    return b"\n".join(_HEAD + name.encode() + b"\n" + data for name, data in files.items())


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a case, which may be damaged. Names that would lead out of the folder are ignored."""
    files = {}
    for part in (b"\n" + data).split(b"\n" + _HEAD)[1:]:
        name, _, content = part.partition(b"\n")
        text = name.decode("ascii", "replace")
        if text.replace(".", "").replace("-", "").isalnum() and not text.startswith("."):
            files[text] = content
    return files
