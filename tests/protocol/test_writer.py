"""The one writer of stdout, and its log."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from threading import Thread, Timer

import pytest

from protocol import writer
from protocol.writer import Writer, errors_reported

LONG = "x" * 20_000  # more than a pipe takes at once, with a few of them


class Pipe:
    def __init__(self) -> None:
        self.outlet, self.inlet = os.pipe()
        self.gone: list[int] = []
        self.writer = Writer(self.inlet, self.gone.append)

    def lines(self) -> list[str]:
        os.close(self.inlet)
        with os.fdopen(self.outlet, encoding="utf-8", newline="") as reader:
            return reader.read().split("\n")[:-1]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.writer.log_to("")
    for descriptor in (pipe.inlet, pipe.outlet):
        with suppress(OSError):
            os.close(descriptor)


def test_lines(pipe: Pipe) -> None:
    pipe.writer.line("readyok")
    pipe.writer.lines(["a", "", "b"])
    pipe.writer.message("so\nit is")
    assert pipe.lines() == ["readyok", "a", "", "b", r"info string so\nit is"]


def test_a_line_stays_one_line(pipe: Pipe) -> None:
    pipe.writer.line("a\nbestmove e2e4\r\nb")
    assert pipe.lines() == ["a bestmove e2e4 b"]


def test_threads_do_not_cut_each_others_lines(pipe: Pipe) -> None:
    def write() -> None:
        for _ in range(20):
            pipe.writer.line(LONG)

    threads = [Thread(target=write) for _ in range(4)]
    heard: list[str] = []
    reader = Thread(target=lambda: heard.extend(_read(pipe.outlet, 80)))
    for thread in (reader, *threads):
        thread.start()
    for thread in (reader, *threads):
        thread.join()
    assert heard == [LONG] * 80


def test_a_full_non_blocking_pipe_loses_nothing(pipe: Pipe) -> None:
    os.set_blocking(pipe.inlet, False)
    pipe.writer = Writer(pipe.inlet, pipe.gone.append)
    heard: list[str] = []
    reader = Timer(0.1, lambda: heard.extend(_read(pipe.outlet, 20)))
    reader.start()
    pipe.writer.lines([LONG] * 20)
    os.close(pipe.inlet)
    reader.join()
    assert heard == [LONG] * 20
    assert pipe.gone == []


def _read(descriptor: int, count: int) -> list[str]:
    with os.fdopen(os.dup(descriptor)) as reader:
        return [reader.readline().rstrip("\n") for _ in range(count)]


def test_nobody_listens(pipe: Pipe) -> None:
    os.close(pipe.outlet)
    pipe.writer.line("hello?")
    assert pipe.gone == [0]


def test_log_of_both_directions_with_times(pipe: Pipe, tmp_path: Path) -> None:
    path = tmp_path / "a log.txt"
    pipe.writer.received("before")
    pipe.writer.log_to(str(path))
    pipe.writer.received("isready \ud800")
    pipe.writer.line("readyok")
    pipe.writer.log_to("")
    pipe.writer.line("after")
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    first, *lines = path.read_text().splitlines()
    assert re.fullmatch(rf"{time} -- Lolli \S+, process \d+", first)
    assert [line.split(" ", 1)[1] for line in lines] == [r">> isready \ud800", "<< readyok"]
    assert all(re.match(time, line) for line in lines)


def test_a_log_is_continued_not_overwritten(pipe: Pipe, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.touch()
    for _ in range(2):
        before = path.read_text()
        pipe.writer.log_to(str(path))
        pipe.writer.line("readyok")
        assert path.read_text().startswith(before)
    assert path.read_text().count(" << readyok\n") == 2


@pytest.mark.parametrize(
    "content", ["ssh-ed25519 AAAA me\n", "x", "2026-01-01T00:00:00.000Z -- another\n", "link"]
)
def test_no_other_file_is_written_to(pipe: Pipe, tmp_path: Path, content: str) -> None:
    path = tmp_path / "keys"
    if content == "link":
        path.symlink_to(tmp_path / "new")
    else:
        path.write_text(content)
    with pytest.raises(OSError, match=r"not a log of Lolli|a symbolic link"):
        pipe.writer.log_to(str(path))
    pipe.writer.line("readyok")
    assert not (tmp_path / "new").exists()
    assert content == "link" or path.read_text() == content


@pytest.mark.parametrize("path", ["/no/such/folder/log.txt", "/", "/dev/null", "a\0b"])
def test_unwritable_log(pipe: Pipe, path: str) -> None:
    with pytest.raises(OSError, match=re.compile("no such|not|directory", re.IGNORECASE)):
        pipe.writer.log_to(path)
    pipe.writer.line("readyok")
    assert pipe.lines() == ["readyok"]


def test_a_log_that_fails_later_says_so_once(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    class FillsUp(StringIO):
        def write(self, text: str) -> int:
            if "readyok" in text:
                raise OSError(28, "No space left on device")
            return super().write(text)

    monkeypatch.setattr(writer, "_open_log", lambda _: FillsUp())
    pipe.writer.log_to("log.txt")
    pipe.writer.line("readyok")
    pipe.writer.line("readyok")
    assert pipe.lines() == ["readyok", "info string the log ends here: No space left on device", "readyok"]


def test_errors_are_reported_and_end_the_block_alone(capfd: pytest.CaptureFixture[str]) -> None:
    with errors_reported("it failed"):
        raise ValueError("why")
    said = capfd.readouterr().err
    assert re.fullmatch(r"lolli: it failed: .*why.*\n", said)
    with pytest.raises(KeyboardInterrupt), errors_reported("it failed"):
        raise KeyboardInterrupt
    assert capfd.readouterr().err == ""
