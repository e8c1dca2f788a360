"""The GTP dialogue: one thread reads, another obeys line after line and answers each once, in order.

So the reading thread always hears `# interrupt`, which ends a search at once; all else waits its turn. What
was read before the end of the input is answered in full, as GNU Go does, unless nobody reads the answers.
"""

from __future__ import annotations

import select
import sys
from io import BytesIO
from queue import SimpleQueue
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, BinaryIO

from protocol.gtp.commands import answer
from protocol.gtp.lines import SYNTAX_ERROR, Request, failure, is_interrupt, parse
from protocol.reader import lines
from protocol.writer import Writer, leave

if TYPE_CHECKING:
    from protocol.gtp.session import GtpSession

QUIT = "quit"
_AGAIN = 0.01  # seconds between two calls of `stop`: the first may come before the search has begun
_LOOK = 0.2  # seconds between two looks at whether somebody still reads, once nobody writes
_TOO_LONG = Request("", "")  # stands for a line that was too long to be read


class GtpDialogue:
    """One dialogue with one controller, from the first line to `quit` or the end of the input."""

    def __init__(self, session: GtpSession, writer: Writer) -> None:
        self._session = session
        self._writer = writer
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._received = 0  # requests; written by the reading thread alone
        self._interrupted = 0  # of them, those up to which searches are to stop
        self._answered = 0  # written by the obeying thread alone

    def run(self, stream: BinaryIO) -> None:
        """Obey the lines of a stream until `quit` or its end; everything before that is still done.

        Once there is no more to read, the process ends as soon as its answers cannot be heard any more.
        """
        worker = Thread(target=self._obey, name="gtp", daemon=True)
        worker.start()
        self._read(stream)
        self._requests.put(None)
        while worker.is_alive():
            if nobody_reads(self._writer.descriptor):
                leave()
            worker.join(_LOOK)

    def _read(self, stream: BinaryIO) -> None:
        """Hand on the lines, up to `quit`."""
        for line in lines(stream, lambda: self._receive(_TOO_LONG)):
            request = parse(line)
            if is_interrupt(line):
                self._interrupt()
            elif request is not None:
                self._receive(request)
                if request.name == QUIT:
                    break

    def _interrupt(self) -> None:
        if self._interrupted < self._received:
            self._interrupted = self._received
            Thread(target=self._stop, args=(self._received,), name="interrupt", daemon=True).start()

    def _receive(self, request: Request) -> None:
        self._received += 1
        self._requests.put(request)

    def _stop(self, last: int) -> None:
        """Stop the searches of all requests up to that number, and wait until they are answered."""
        while self._answered < last:
            self._session.thinker.stop()
            sleep(_AGAIN)

    def _obey(self) -> None:
        while (request := self._requests.get()) is not None:
            told = failure("", SYNTAX_ERROR) if request is _TOO_LONG else answer(self._session, request)
            self._answered += 1
            self._writer.lines(told)


def nobody_reads(descriptor: int) -> bool:
    """Whether the other end of a pipe is closed; False where that cannot be told."""
    if sys.platform == "win32":
        return False
    poll = select.poll()
    poll.register(descriptor, 0)  # errors and hang-ups are always told
    return bool(poll.poll(0))


def main(session: GtpSession) -> None:
    """Speak GTP on stdin and stdout."""
    GtpDialogue(session, Writer()).run(sys.stdin.buffer if sys.stdin is not None else BytesIO())
