"""Endgame tables: a damaged one may say anything, but the game goes on, with a line that names the file.

If there are real tables (see `FOLDER`), they are damaged. Other files begin as a table
does and go on at random.
"""

from __future__ import annotations

import time
from functools import cache
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.lookup.syzygy import SyzygyTables
from scripts.laboratory.fuzzing.ending_positions import FOLDER, random_board
from scripts.laboratory.fuzzing.ingredients import (
    cut,
    damaged,
    flipped,
    packed,
    random_bytes,
    saved_files,
    unpacked,
)
from scripts.laboratory.fuzzing.target import require, require_plain

if TYPE_CHECKING:
    from pathlib import Path

_ENDINGS = ("KQvK", "KRvK", "KPvK", "KBNvK", "KRvKR", "KQvKQ", "KPPvK", "KRPvK")
_SUFFIXES = {"rtbw": b"\x71\xe8\x23\x5d", "rtbz": b"\xd7\x66\x0c\xa5"}
_PIECES = " PNBRQK"
_ASKED = 3  # positions of each ending
_SECONDS = 10.0  # for all positions of a case


def make(rng: Random) -> bytes:
    """Both files of an ending, damaged or made up, or rarely random bytes."""
    ending = rng.choice(_ENDINGS)
    files = {}
    for kind, magic in _SUFFIXES.items():
        whole = _whole(f"{ending}.{kind}")
        files[f"{ending}.{kind}"] = whole if whole and rng.random() < 0.9 else _made_up(ending, magic, rng)
    name = rng.choice(list(files))
    files[name] = _spoiled(files[name], rng)
    if rng.random() < 0.2:
        del files[rng.choice(list(files))]
    return packed(files)


def check(data: bytes) -> int:
    """Check what the tables say about positions of their endings."""
    files = unpacked(data)
    place = saved_files(files)
    tables = SyzygyTables([str(place)])
    require_plain(tables.summary, "the summary")
    began, answers = time.monotonic(), 1
    for ending in dict.fromkeys(name.partition(".")[0] for name in files):
        if ending in _ENDINGS:
            answers += _ask(tables, ending, place, Random(crc32(data)))
    require(time.monotonic() - began < _SECONDS, "the tables took too long")
    return answers


def _ask(tables: SyzygyTables, ending: str, place: Path, chooser: Random) -> int:
    for _ in range(_ASKED):
        position = parse_fen(random_board(ending, chooser).fen())
        moves = legal_moves(position)
        told = tables.verdict(position, moves, lambda: False)
        damage = tables.damage()
        if damage:
            require_plain(damage, "the damage")
            require(str(place) in damage, f"the damage does not name the file: {damage}")
        require(not tables.damage(), "the same damage twice")
        if told is not None:
            require(told.best, "no move is the best")
            require(sorted((*told.best, *told.others)) == sorted(moves), "not all moves, each once")
            require(set(told.values) == set(moves), "not a value for each move")
    return _ASKED


def _spoiled(data: bytes, rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.6:
        head = data[: rng.choice((4, 4, 48, 200))]
        return head + flipped(data[len(head) :], rng, rng.choice((1, 2, 10, 100, 1000)))
    if kind < 0.7:
        return flipped(data, rng, rng.randrange(1, 5))
    if kind < 0.85:
        spoiled = damaged(data, rng, rng.randrange(1, 3))
        return spoiled + b"\0" * ((16 - len(spoiled)) % 64) if rng.random() < 0.7 else spoiled
    return cut(data, rng) if kind < 0.95 else random_bytes(rng, 200)


def _made_up(ending: str, magic: bytes, rng: Random) -> bytes:
    """A file with the pieces and the length of a table, and random contents."""
    white, black = ending.split("v")
    pieces = [_PIECES.index(letter) for letter in white] + [_PIECES.index(letter) | 8 for letter in black]
    orders = 2 if "P" in white and "P" in black else 1
    one = rng.randbytes(orders) + bytes(piece | (piece ^ 8) << 4 for piece in pieces)
    head = magic + bytes([rng.choice((0, 1, 2, 3))]) + one * (4 if "P" in ending else 1)
    fill = rng.choice((rng.randbytes, bytes, lambda n: b"\xff" * n))
    body = head + fill(rng.choice((64, 256, 2048)))
    return body[: len(body) // 64 * 64] + bytes(16)


@cache
def _whole(name: str) -> bytes:
    """A real table; empty if there is none."""
    path = FOLDER / name
    return path.read_bytes() if path.is_file() else b""
