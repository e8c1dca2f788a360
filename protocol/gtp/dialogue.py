"""The GTP dialogue: one thread reads, another obeys line after line and answers each once, in order.

So the reading thread always hears `# interrupt`, which ends a search at once, and any line, an empty one too,
ends an analysis; every other line waits for its turn. All lines that were read before the end of the input
are answered, as GNU Go does, unless nobody reads the answers.
"""

from __future__ import annotations

import select
import sys
from functools import partial
from io import BytesIO
from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, BinaryIO

from engine.games.rules.game import NotApplicableError
from protocol.gtp import analysis
from protocol.gtp.commands import answer
from protocol.gtp.parser import SYNTAX_ERROR, is_interrupt, parse
from protocol.gtp.replies import failure, success
from protocol.reader import Backlog, lines
from protocol.writer import ErrorsReported, Writer, leave

if TYPE_CHECKING:
    from protocol.gtp.gtp_session import GtpSession
    from protocol.gtp.parser import Request

QUIT = "quit"
_STOP_SECONDS = 0.01  # between two calls of `stop`: the first may come before the search has begun
_CHECK_SECONDS = 0.2  # between two looks at whether somebody still reads, after the end of the input
_TOO_LONG = ""  # stands for a line that was too long to be read; other empty lines want no answer


class GtpDialogue:
    """One dialogue with one controller, from the first line to `quit` or the end of the input."""

    def __init__(self, session: GtpSession, writer: Writer) -> None:
        self._session = session
        self._writer = writer
        self._backlog = Backlog(self._obey, self._leave_if_unheard)
        self._received = 0  # requests; written by the reading thread alone
        self._followed = 0  # the number of the last request after which another line was read
        self._interrupted = 0  # the number of the last request whose search is to stop
        self._answered = 0  # written by the obeying thread alone
        self._answering = Lock()  # held while `_answered` changes, and while a search is stopped
        self._analysing = 0  # the number of the request that is an analysis and goes on; 0 if none does
        self._ended = False  # there are no more lines

    def run(self, stream: BinaryIO) -> None:
        """Obey the lines of a stream until `quit` or its end; what was read before that is still done.

        While reading has to wait or has ended, the process ends as soon as nobody can read its answers.
        """
        for line in lines(stream, lambda: self._receive(_TOO_LONG)):
            request = parse(line)
            self._followed = self._received  # an analysis that has yet to begin will be over, too
            if is_interrupt(line):
                self._interrupt(self._received)
            else:
                self._interrupt(self._analysing)
            if request is not None:
                self._receive(line)
                if request.name == QUIT:
                    break
        self._ended = True
        self._interrupt(self._analysing)
        while not self._backlog.join(_CHECK_SECONDS):
            self._leave_if_unheard()

    def _receive(self, line: str) -> None:
        self._received += 1
        self._backlog.add(line)

    def _obey(self, line: str, _received_ns: int) -> None:
        request = parse(line)
        if request is not None and request.name in (*analysis.NAMES, *analysis.GENERATING):
            told = self._report(request)
        else:
            told = failure("", SYNTAX_ERROR) if request is None else answer(self._session, request)
        with self._answering:
            self._answered += 1
        self._writer.lines(told)

    def _report(self, request: Request) -> list[str]:
        """Write reports of an analysis, or while a move is found; what ends the answer.

        An analysis goes on until the next line comes, and has at least one report.
        """
        try:
            wanted = analysis.asked(self._session, request.name, request.arguments)
        except (ValueError, NotApplicableError) as error:
            return failure(request.id, str(error))
        (head, end), played = success(request.id), []
        number = self._answered + 1
        if not wanted.is_for_a_move:
            self._analysing = number  # before anybody can answer the first line
        self._writer.line(head)
        with ErrorsReported("the analysis failed"):
            if wanted.is_for_a_move:
                played = [f"play {analysis.generate(self._session, wanted, self._writer.line)}"]
            else:
                for report in analysis.reports(self._session, wanted, partial(self._is_over, number)):
                    self._writer.line(report)
        self._analysing = 0
        return [*played, end]

    def _is_over(self, number: int) -> bool:
        """Whether the analysis that is request `number` is to end."""
        return self._ended or self._received > number or self._followed >= number

    def _interrupt(self, last: int) -> None:
        """Stop the searches of all requests up to number `last`, and of no later one, and return at once."""
        if self._interrupted < last:
            self._interrupted = last
            Thread(target=self._stop, args=(last,), name="interrupt", daemon=True).start()

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
