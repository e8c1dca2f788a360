"""The files in the working directory of an engine under test: good, damaged, and not regular files."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from engine.lookup.book import STANDARD as STANDARD_BOOK
from eval.weight_file import STANDARD as STANDARD_WEIGHTS
from scripts.laboratory.fuzzing.formats import book, network, sgf, tables, weights
from scripts.laboratory.fuzzing.ingredients import unpacked

_EACH = 6
_MADE = {"json": weights.make, "lolli": network.make, "bin": book.make, "sgf": sgf.make}
_GIANT = 1 << 36  # bytes, none of them written
_GOOD = ("good.json", "good.lolli", "good.bin", "good.sgf")
FILES = (
    *_GOOD,
    *(f"{number}.{suffix}" for suffix in _MADE for number in range(_EACH)),
    *(f"tables{number}" for number in range(_EACH)),
    *("folder", "fifo", "giant", "circle", "missing", "log.txt", "/dev/zero", "/dev/stdin", "/dev/null"),
    *("/dev/full", "/dev/tty", "/proc/self/mem", "folder/log.txt", "/no/such/file"),
)
"""Names of files there, and of others; `missing` does not exist."""


def prepare(folder: Path) -> None:
    """Make the files, always the same ones."""
    for suffix, make in _MADE.items():
        for number in range(_EACH):
            (folder / f"{number}.{suffix}").write_bytes(make(Random(f"{suffix} {number}")))
    goods = (Path(STANDARD_WEIGHTS).read_bytes(), network.good(), STANDARD_BOOK.read_bytes(), sgf.GOOD)
    for name, content in zip(_GOOD, goods, strict=True):
        (folder / name).write_bytes(content)
    for number in range(_EACH):
        inner = folder / f"tables{number}"
        inner.mkdir()
        for name, content in unpacked(tables.make(Random(f"tables {number}"))).items():
            (inner / name).write_bytes(content)
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    os.mkfifo(folder / "folder" / "KQvK.rtbw")
    (folder / "circle").symlink_to("circle")
    with (folder / "giant").open("wb") as file:
        file.truncate(_GIANT)
