"""One executable file out of a folder of packages: a zipapp that unpacks the folder at its first start."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipapp
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

if TYPE_CHECKING:
    from collections.abc import Iterable

UNPACK = Path(__file__).parent / "unpack.py"
LONGEST = 120  # bytes of a path after #!, by the strictest of the systems that are around


class BundleError(Exception):
    """A bundle cannot be made; the text is one line that says why."""


def write(site: Path, target: Path, python: Path, suffix: str) -> None:
    """Make `target`, which carries the packages in `site` and runs `protocol.entry` on `python`.

    `python` is the absolute path of an interpreter whose extension modules end in `suffix`. The same
    packages make the same file. An older `target` stays until the new one is complete.
    """
    if len(str(python)) > LONGEST or len(str(python).split()) != 1:
        raise BundleError(f"{python}: too long, or with a space in it, for the first line of a script")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as name:
        source = Path(name) / "source"
        source.mkdir()
        compress(site, source / "site.zip")
        (source / "__main__.py").write_bytes(UNPACK.read_bytes())
        key = hashlib.sha256((source / "site.zip").read_bytes()).hexdigest()[:16]
        (source / "build").write_text(f"{key} {suffix}\n")
        made = Path(name) / target.name
        zipapp.create_archive(source, made, f"{python} -IS")  # none of the user's own settings and packages
        made.chmod(0o755)
        made.replace(target)


def compress(folder: Path, target: Path) -> None:
    """Write the files below `folder` to the zip file `target`, without the times at which they were made."""
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for path in files(folder):
            entry = ZipInfo(path.relative_to(folder).as_posix())
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as source, archive.open(entry, "w") as compressed:
                shutil.copyfileobj(source, compressed)


def files(folder: Path) -> Iterable[Path]:
    """All files below `folder`, in the order of their names."""
    return sorted(path for path in folder.rglob("*") if path.is_file())
