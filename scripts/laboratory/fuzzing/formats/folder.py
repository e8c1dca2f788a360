"""The folder in which the files of cases lie, as long as this process lives."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="lolli-fuzz-")


def folder() -> Path:
    """An empty folder, which is the same each time."""
    path = Path(_made().name)
    for each in path.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
    return path


def saved(name: str, data: bytes) -> Path:
    """A file with these bytes, alone in the folder."""
    path = folder() / name
    path.write_bytes(data)
    return path


_HEAD = b"== "


def packed(files: dict[str, bytes]) -> bytes:
    """Several files as one case: before each a line with its name."""
    return b"\n".join(_HEAD + name.encode() + b"\n" + data for name, data in files.items())


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a case, whatever became of it: a name that would lead elsewhere is none."""
    files = {}
    for part in (b"\n" + data).split(b"\n" + _HEAD)[1:]:
        name, _, content = part.partition(b"\n")
        text = name.decode("ascii", "replace")
        if text.replace(".", "").replace("-", "").isalnum() and not text.startswith("."):
            files[text] = content
    return files
