"""Lines that are read, and lines that wait."""

import os
from io import BytesIO
from threading import Event, Thread, Timer

import pytest

from protocol import reader
from protocol.reader import Backlog, lines
from tests.patience import PATIENCE


def test_lines_of_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LONGEST_LINE", 8)
    refused: list[int] = []
    stream = BytesIO(b"uci\r\n1234567\n12345678\nnext\nx\xff\xc3\xa9\n" + b"long " * 9 + b"\nlast")
    assert list(lines(stream, lambda: refused.append(1))) == ["uci", "1234567", "next", "x\ufffdé", "last"]
    assert refused == [1, 1]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert list(lines(BytesIO("\ufeffuci\n\ufeffuci\n".encode()), lambda: None)) == ["uci", "\ufeffuci"]


def test_a_stream_that_cannot_be_read_has_ended() -> None:
    class Broken(BytesIO):
        def readline(self, _size: int | None = -1, /) -> bytes:
            raise IsADirectoryError

    assert list(lines(Broken(), lambda: None)) == []


def test_a_non_blocking_pipe_is_made_blocking() -> None:
    """A line that comes in two halves is one line."""
    outlet, inlet = os.pipe()
    os.set_blocking(outlet, False)
    os.write(inlet, b"uci\nisre")

    def go_on() -> None:
        os.write(inlet, b"ady\nquit\n")
        os.close(inlet)

    with os.fdopen(outlet, "rb") as stream:
        said = lines(stream, lambda: None)
        assert next(said) == "uci"
        later = Timer(0.1, go_on)
        later.start()
        assert list(said) == ["isready", "quit"]
        later.join()


@pytest.mark.parametrize("error", [MemoryError, RuntimeError])
def test_without_a_thread_the_reader_obeys_the_backlog(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """By the reading thread, which cannot read a `stop` meanwhile."""
    heard: list[str] = []

    def refuse(*_: object) -> None:
        raise error("no more threads")

    backlog = Backlog(lambda line, _: heard.append(line), lambda: heard.append("it is full"))
    with monkeypatch.context() as patched:
        patched.setattr(reader, "run_in_thread", refuse)
        backlog.add("go")
    assert heard == ["it is full", "go"]
    assert backlog.join(0)
    backlog.add("quit")
    assert backlog.join(PATIENCE)
    assert heard[2:] == ["quit"]


def test_a_backlog_is_bounded_and_keeps_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is longer than the bound is taken, too, when no other waits."""
    monkeypatch.setattr(reader, "MOST_WAITING", 500)
    monkeypatch.setattr(reader, "_CHECK_SECONDS", 0.01)
    go_on, is_full = Event(), Event()
    obeyed: list[tuple[int, int]] = []

    def obey(line: str, received_ns: int) -> None:
        assert go_on.wait(PATIENCE)
        obeyed.append((len(line), received_ns))

    backlog = Backlog(obey, is_full.set)
    sent = [(10, 1), (1000, 2), (20, 3), (1000, 4), *((30, number) for number in range(5, 40))]

    def add_all() -> None:
        for length, received_ns in sent:
            backlog.add("x" * length, received_ns)

    client = Thread(target=add_all)
    client.start()
    assert is_full.wait(PATIENCE)
    assert not backlog.join(0.01)
    assert client.is_alive()
    go_on.set()
    client.join(PATIENCE)
    assert backlog.join(PATIENCE)
    assert obeyed == sent
    assert backlog.empty
