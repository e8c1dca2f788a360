"""All that the engine writes: lines on stdout, the log of the dialogue, and errors on stderr.

Lines come from the dialogue and from the threads of searches; each is written whole and at once.
"""

import errno
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TextIO

from engine.system import files
from protocol import about
from protocol.text import escaped, info_string, located

STDOUT = 1
STDERR = 2
_TAB = "\t"
_HEAD = f" -- {about.NAME} "
_BEGINNING = re.compile(rf"[0-9TZ:.-]{{24}}{_HEAD}".encode())


def report_error(what: str, error: BaseException) -> None:
    """Report an error on stderr, in one line with the place in the source where it was raised."""
    warn(f"{what}: {located(error)}")


@contextmanager
def errors_reported(what: str) -> Iterator[None]:
    """A context whose errors are reported on stderr, see `report_error`, and end nothing but the block."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is
        report_error(what, error)


def warn(text: str) -> None:
    with suppress(OSError):
        os.write(STDERR, f"lolli: {escaped(text)}\n".encode("utf-8", "replace"))


def leave(status: int = 0) -> None:
    """End the process at once, from any thread: nobody reads its answers any more."""
    os._exit(status)


class Writer:
    """Writes whole lines to a file descriptor, from any thread, without buffering.

    `on_closed(status)` is called in the thread that notices that no more can be written, and need not return:
    0 where the other end is closed, otherwise 2.
    """

    def __init__(self, descriptor: int = STDOUT, on_closed: Callable[[int], None] = leave) -> None:
        files.make_blocking(descriptor)
        self.descriptor = descriptor
        self._on_closed = on_closed
        self._lock = Lock()
        self._log: TextIO | None = None

    def line(self, text: str) -> None:
        """Write one line, with line breaks inside it replaced: they would forge a second line.

        What a terminal could obey is written as escapes: a person may be sitting at one.
        """
        self.lines((text,))

    def lines(self, texts: Iterable[str]) -> None:
        """Write lines with no other line between them."""
        whole = [escaped(" ".join(text.splitlines())) for text in texts]
        with self._lock:
            self._write(whole)
            for text in whole:
                self._record("<<", text)

    def message(self, text: str) -> None:
        self.line(info_string(text))

    def received(self, text: str) -> None:
        if self._log is not None:
            with self._lock:
                self._record(">>", text)

    def log_to(self, path: str) -> None:
        """Log both directions, appending to the file at `path`; an empty path ends the log.

        Raises OSError where it cannot be written, or is not a log; then there is no log.
        """
        with self._lock:
            self._close_log()
            if path:
                self._log = _open_log(path)
                self._note("--", f"{about.NAME} {about.VERSION}, process {os.getpid()}")

    def _write(self, texts: list[str]) -> None:
        data = memoryview("".join(text + "\n" for text in texts).encode("utf-8", "replace"))
        try:
            while data:
                try:
                    data = data[os.write(self.descriptor, data) :]
                except BlockingIOError:  # another program has made the shared terminal non-blocking
                    files.make_blocking(self.descriptor)
        except ConnectionError:
            self._on_closed(0)
        except OSError as error:
            warn(f"stdout: {error.strerror}")
            self._on_closed(2)

    def _record(self, direction: str, text: str) -> None:
        """Add to the log; a log that fails, for example on a full disk, ends with one message."""
        try:
            self._note(direction, text)
        except OSError as error:
            self._write([info_string(f"the log ends here: {error.strerror}")])

    def _note(self, direction: str, text: str) -> None:
        if self._log is None:
            return
        try:
            self._log.write(f"{_timestamp()} {direction} {escaped(text, _TAB)}\n")
        except OSError:
            self._close_log()
            raise

    def _close_log(self) -> None:
        log, self._log = self._log, None
        if log is not None:
            with suppress(OSError):  # what could not be written has been reported already
                log.close()


def _open_log(path: str) -> TextIO:
    """A regular file, which cannot block; new, empty or a log: a mistyped name must not spoil a file."""
    descriptor = files.descriptor_of(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, follow=False)
    beginning = os.read(descriptor, len(_timestamp()) + len(_HEAD))
    if beginning and not _BEGINNING.fullmatch(beginning):
        os.close(descriptor)
        raise files.UnusableFileError(errno.EEXIST, f"a file that is not a log of {about.NAME}", path)
    return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace", buffering=1)


def _timestamp() -> str:
    now = time.time_ns() // 1_000_000
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now // 1000))}.{now % 1000:03}Z"
