"""The __main__.py of the file that scripts/bundle makes: starts the Lolli in that file.

Compiled modules cannot be imported from an archive. The first start unpacks them into a folder named after a
hash of their contents. To keep starts fast, little of the standard library is imported.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from zipimport import zipimporter

KEPT = 2 * 24 * 3600  # seconds that a folder is kept after its last start


def main() -> None:
    """Failures to start are one line and exit status 1."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # it is, in the background of a script
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    archive = zipimporter(sys.path[0])
    key, suffix = archive.get_data("build").decode().split()
    if suffix != EXTENSION_SUFFIXES[0]:
        sys.exit(f"lolli: made for Python {suffix}, but this one is {EXTENSION_SUFFIXES[0]}")
    sys.path[0] = unpacked(archive, key)
    try:
        from lolli.__main__ import main as lolli  # noqa: PLC0415 - it has just been unpacked
    except ImportError as error:  # from a noexec file system, or damaged
        sys.exit(f"lolli: {sys.path[0]}: {error}")
    lolli()


def unpacked(archive: zipimporter, key: str) -> str:
    """The folder with the modules, in the first usable place. Exits if there is none."""
    tried = []
    for place in places():
        try:
            return ready(place, key, archive)
        except OSError as error:
            tried.append(f"{place}: {error.strerror or error}")
    sys.exit(f"lolli: cannot unpack ({'; '.join(tried)}): set XDG_CACHE_HOME to a writable folder")


def places() -> Iterator[str]:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):  # as the XDG Base Directory Specification requires
        cache = os.path.expanduser("~/.cache")
    if os.path.isabs(cache):
        yield os.path.join(cache, "lolli")
    yield os.path.join(os.environ.get("TMPDIR") or "/tmp", f"lolli-{os.geteuid()}")  # noqa: S108 - checked


def ready(place: str, key: str, archive: zipimporter) -> str:
    """The folder, unpacked if necessary, and locked while this process runs. Raises OSError."""
    place = os.path.abspath(place)  # so that the working directory may change
    folder = os.path.join(place, key)
    os.makedirs(place, 0o700, exist_ok=True)
    owned(place)
    while not held(folder):
        door = os.open(place, os.O_RDONLY)
        try:
            lock(door)
            if not os.path.isdir(folder):
                unpack(archive, folder)
                prune(place)
        finally:
            os.close(door)
    return folder


def lock(descriptor: int, *, shared: bool = False, wait: bool = True) -> None:
    """Until it is closed or the process ends. Without `wait`, raises OSError if another process has it."""
    import fcntl  # noqa: PLC0415 - where it is missing, no file of this kind can be started

    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def owned(place: str) -> None:
    """Raise PermissionError if other users could write modules there."""
    status = os.lstat(place)
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(0, "other users can write there")


def held(folder: str) -> bool:
    """Whether `folder` exists. If so, it is marked as used now and locked against `prune`."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return False
    lock(descriptor, shared=True)
    try:
        is_there = os.path.samestat(os.fstat(descriptor), os.stat(folder))
    except FileNotFoundError:  # pruned in the meantime
        is_there = False
    if not is_there:
        os.close(descriptor)
        return False
    with suppress(OSError):  # a read-only disk
        os.utime(descriptor)
    return True


def unpack(archive: zipimporter, folder: str) -> None:
    """All modules or nothing. The caller has locked the place."""
    import shutil  # noqa: PLC0415 - rarely needed, and slow
    import zlib  # noqa: PLC0415
    from io import BytesIO  # noqa: PLC0415
    from zipfile import BadZipFile, ZipFile  # noqa: PLC0415

    part = folder + ".part"
    shutil.rmtree(part, ignore_errors=True)  # from a process that was killed
    try:
        with ZipFile(BytesIO(archive.get_data("site.zip"))) as site:
            site.extractall(part)
        os.rename(part, folder)
    except (BadZipFile, zlib.error) as error:
        shutil.rmtree(part, ignore_errors=True)
        sys.exit(f"lolli: {archive.archive} is damaged: {error}")
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        raise


def prune(place: str) -> None:
    """Remove folders not started for long and not running. The caller has locked the place."""
    import shutil  # noqa: PLC0415 - rarely needed, and slow

    for folder in os.scandir(place):
        with suppress(OSError):  # it is in use, or has been removed
            if not folder.is_dir() or time.time() - folder.stat().st_mtime < KEPT:
                continue
            descriptor = os.open(folder.path, os.O_RDONLY)
            try:
                lock(descriptor, wait=False)
                if not folder.name.endswith(".part"):
                    os.rename(folder.path, folder.path + ".part")
                shutil.rmtree(folder.path.removesuffix(".part") + ".part")
            finally:
                os.close(descriptor)


if __name__ == "__main__":
    main()
