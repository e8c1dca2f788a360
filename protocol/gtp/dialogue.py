"""The GTP dialogue: one thread reads, another obeys line after line and answers each once, in order.

So `# interrupt` ends a search at once, and any line, an empty one too, ends an analysis. All lines read
before the end of the input are answered, as GNU Go does, unless nobody reads the answers.
"""

import select
import sys
from collections import deque
from functools import partial
from io import BytesIO
from threading import Lock, Thread
from time import sleep
from typing import BinaryIO

from protocol.gtp.commands import COMMANDS, answer
from protocol.gtp.parser import SYNTAX_ERROR, Request, failure, is_interrupt, parse
from protocol.gtp.session import GtpSession
from protocol.reader import Backlog, lines
from protocol.writer import Writer, leave

QUIT = "quit"
_STOP_SECONDS = 0.01  # between two calls of `stop`: the first may come before the search has begun
_CHECK_SECONDS = 0.2  # between two looks at whether somebody still reads, after the end of the input


class GtpDialogue:
    """One dialogue with one controller, from the first line to `quit` or the end of the input."""

    def __init__(self, session: GtpSession, writer: Writer) -> None:
        self._session = session
        self._writer = writer
        self._backlog = Backlog(self._obey, self._leave_if_unheard)
        self._requests: deque[Request | None] = deque()  # those that wait; None: a line that was too long
        self._received = 0  # requests; written by the reading thread alone
        self._followed = 0  # the number of the last request after which another line was read
        self._interrupted = 0  # the number of the last request whose search is to stop
        self._answered = 0  # written by the obeying thread alone
        self._answering = Lock()  # held while `_answered` changes, and while a search is stopped
        self._analysing = 0  # the number of the request that is an analysis and goes on; 0 if none does
        self._ended = False  # there are no more lines

    def run(self, stream: BinaryIO) -> None:
        """Obey the lines of a stream until `quit` or its end; what was read before that is still done.

        While reading waits or has ended, the process ends as soon as nobody can read its answers.
        """
        for line in lines(stream, self._receive_long):
            request = parse(line)
            self._followed = self._received  # an analysis that has yet to begin will be over, too
            if is_interrupt(line):
                self._interrupt(self._received)
            else:
                self._interrupt(self._analysing)
            if request is not None:
                self._receive(line, request)
                if request.name == QUIT:
                    break
        self._ended = True
        self._interrupt(self._analysing)
        while not self._backlog.join(_CHECK_SECONDS):
            self._leave_if_unheard()

    def _receive_long(self) -> None:
        """A line too long to be read is a syntax error, and ends an analysis as others do."""
        self._followed = self._received
        self._interrupt(self._analysing)
        self._receive("")

    def _receive(self, line: str, request: Request | None = None) -> None:
        self._received += 1
        self._requests.append(request)
        self._backlog.add(line)

    def _obey(self, _line: str, _received_ns: int) -> None:
        request, number = self._requests.popleft(), self._answered + 1
        if request is None:
            told = failure("", SYNTAX_ERROR)
        else:
            command = COMMANDS.get(request.name)
            if command is not None and command.endless:
                self._analysing = number  # before anybody can answer the first line
            told = answer(self._session, request, self._writer.line, partial(self._is_over, number))
            self._analysing = 0
        with self._answering:
            self._answered += 1
        self._writer.lines(told)

    def _is_over(self, number: int) -> bool:
        return self._ended or self._received > number or self._followed >= number

    def _interrupt(self, last: int) -> None:
        """Stop the searches of all requests up to number `last`, and of no later one, and return at once."""
        if self._interrupted < last:
            self._interrupted = last
            try:
                Thread(target=self._stop, args=(last,), name="interrupt", daemon=True).start()
            except (RuntimeError, MemoryError):  # the system has no more threads
                self._session.player.stop()

    def _stop(self, last: int) -> None:
        while True:
            with self._answering:
                if self._answered >= last:
                    return
                self._session.player.stop()
            sleep(_STOP_SECONDS)

    def _leave_if_unheard(self) -> None:
        if nobody_reads(self._writer.descriptor):
            leave()


def nobody_reads(descriptor: int) -> bool:
    """Whether the other end of a pipe is closed; False where the system cannot say."""
    if sys.platform == "win32":
        return False
    poll = select.poll()
    poll.register(descriptor, 0)  # errors and hang-ups are always reported
    return bool(poll.poll(0))


def main(session: GtpSession) -> None:
    """Speak GTP on stdin and stdout."""
    GtpDialogue(session, Writer()).run(sys.stdin.buffer if sys.stdin is not None else BytesIO())
