"""The __main__.py of the file that scripts/bundle makes: start the Lolli that the file carries.

Compiled modules cannot be imported from an archive, so the first start unpacks them into a folder named by
their content, and later starts find them there. Needs nothing but the standard library, and little of that:
every start waits for it.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from zipimport import zipimporter

try:
    import fcntl
except ImportError:
    CAN_LOCK = False
else:
    CAN_LOCK = True

KEPT = 2 * 24 * 3600  # seconds that a folder stays after its last start; the file can unpack it again


def main() -> None:
    """Run the command `lolli`. What keeps it from running is one line and exit status 1."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in the background of a script
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    archive = zipimporter(sys.path[0])
    key, suffix = archive.get_data("build").decode().split()
    if suffix != EXTENSION_SUFFIXES[0]:
        sys.exit(f"lolli: made for a Python of {suffix}, and this one is of {EXTENSION_SUFFIXES[0]}")
    sys.path[0] = unpacked(archive, key)
    try:
        from protocol.entry import main as lolli  # noqa: PLC0415 - here at last
    except ImportError as error:  # unpacked where nothing may be executed, or damaged since
        sys.exit(f"lolli: {sys.path[0]}: {error}")
    lolli()


def unpacked(archive: zipimporter, key: str) -> str:
    """The folder with the modules, in the first place that will have it. Exits where none will."""
    tried = []
    for place in places():
        try:
            return ready(place, key, archive)
        except OSError as error:
            tried.append(f"{place}: {error.strerror or error}")
    sys.exit(f"lolli: nowhere to unpack to ({'; '.join(tried)}); name a folder in XDG_CACHE_HOME")


def places() -> Iterator[str]:
    """The user's cache, or else a folder of the user's own among the temporary ones."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):  # as the XDG Base Directory Specification wants it
        cache = os.path.expanduser("~/.cache")
    if os.path.isabs(cache):
        yield os.path.join(cache, "lolli")
    yield os.path.join(os.environ.get("TMPDIR") or "/tmp", f"lolli-{os.geteuid()}")  # noqa: S108 - checked


def ready(place: str, key: str, archive: zipimporter) -> str:
    """The folder `key` in `place`, unpacked if it was not, and kept while this process lives.

    Raises OSError where that cannot be done, or where others could have written it.
    """
    place = os.path.abspath(place)  # modules are imported from it whatever the working directory is by then
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
    """Lock a file, where that can be done, until it is closed or this process ends in whatever way.

    Raises OSError; without `wait` also where others have locked it.
    """
    if CAN_LOCK:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind | (0 if wait else fcntl.LOCK_NB))


def owned(place: str) -> None:
    """Raise PermissionError where anyone else could put modules for this user to run."""
    status = os.lstat(place)
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(0, "others may write there")


def held(folder: str) -> bool:
    """Whether `folder` is there. If so, it is marked as used now, and locked against `prune`."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return False
    lock(descriptor, shared=True)
    try:
        is_there = os.path.samestat(os.fstat(descriptor), os.stat(folder))
    except FileNotFoundError:  # pruned between the two
        is_there = False
    if not is_there:
        os.close(descriptor)
        return False
    with suppress(OSError):  # a disk that is read only
        os.utime(descriptor)
    return True


def unpack(archive: zipimporter, folder: str) -> None:
    """Write the modules to `folder`, all or nothing. The caller has locked the place."""
    import shutil  # noqa: PLC0415 - rarely needed, and slow
    import zlib  # noqa: PLC0415
    from io import BytesIO  # noqa: PLC0415
    from zipfile import BadZipFile, ZipFile  # noqa: PLC0415

    part = folder + ".part"
    shutil.rmtree(part, ignore_errors=True)  # of a process that was killed
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
    """Remove what has not been started for long, and is not running. The caller has locked the place."""
    import shutil  # noqa: PLC0415 - rarely needed, and slow

    if not CAN_LOCK:  # what runs could not be told from what does not
        return
    for folder in os.scandir(place):
        with suppress(OSError):  # it runs, or someone else has removed it
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
