"""Files that users name: which are opened, which are refused, and how much of them is read."""

import errno
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.system import files
from tests.patience import PATIENCE
from tests.traps import REASONS, TRAPS, full_disk, laid

LARGEST = 3 << 20


@contextmanager
def stdin_is_a_pipe() -> Iterator[None]:
    outlet, inlet = os.pipe()
    before = os.dup(0)
    os.dup2(outlet, 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        for descriptor in (outlet, inlet, before):
            os.close(descriptor)


@given(st.integers(0, 5_000_000))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_of_a_file_or_an_error(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    content = os.urandom(64) * (size // 64 + 1)
    path.write_bytes(content[:size])
    if size > LARGEST:
        with pytest.raises(files.UnusableFileError, match="larger than 3 MiB"):
            files.read_file(path, LARGEST)
    else:
        assert files.read_file(path, LARGEST) == content[:size]


@pytest.mark.parametrize("trap", TRAPS)
def test_what_is_refused(tmp_path: Path, trap: str) -> None:
    path = laid(trap, tmp_path / "file")
    with stdin_is_a_pipe(), pytest.raises(OSError, match=REASONS[trap]) as caught:
        files.read_file(path, LARGEST)
    assert caught.value.filename == str(path)


def test_sockets_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        with pytest.raises(files.UnusableFileError, match=r"socket: a socket, not a regular file"):
            files.read_file(path, LARGEST)


def test_what_the_system_says_is_kept(tmp_path: Path) -> None:
    for name in ("a\0b", "a\ud800b"):
        with pytest.raises(files.UnusableFileError, match="not the name of a file"):
            files.read_file(name, LARGEST)
    with pytest.raises(FileNotFoundError):
        files.read_file(tmp_path / "none", LARGEST)
    with pytest.raises(NotADirectoryError):
        files.read_file(Path(__file__) / "none", LARGEST)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OSError, match="Too many levels"):
        files.read_file(tmp_path / "loop", LARGEST)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="a file of Linux")
def test_a_file_that_is_said_to_be_empty() -> None:
    path = Path("/proc/self/maps")
    assert path.stat().st_size == 0
    assert b"[stack]" in files.read_file(path, LARGEST)
    with pytest.raises(files.UnusableFileError, match="larger than 100 bytes"):
        files.read_file(path, 100)


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(LARGEST))
    with files.open_file(path, LARGEST) as file:
        with path.open("ab") as other:
            other.write(b"more")
        with pytest.raises(files.UnusableFileError, match="larger than 3 MiB"):
            files.read_all(file, LARGEST, str(path))


def test_another_thing_in_its_place_since_it_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, fifo = tmp_path / "file", laid("FIFO", tmp_path / "fifo")
    path.touch()
    real = os.open

    def exchange_and_open(*arguments: Any) -> int:
        fifo.replace(path)
        return real(*arguments)

    monkeypatch.setattr("os.open", exchange_and_open)
    with pytest.raises(files.UnusableFileError, match="a FIFO, not a regular file"):
        files.read_file(path, LARGEST)


def test_links_where_none_is_to_be_followed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    with pytest.raises(files.UnusableFileError, match="a symbolic link, not a regular file"):
        files.descriptor_of(tmp_path / "link", follow=False)
    (tmp_path / "nowhere").symlink_to("none")
    with pytest.raises(files.UnusableFileError, match="a symbolic link"):
        files.descriptor_of(tmp_path / "nowhere", os.O_WRONLY | os.O_CREAT, follow=False)
    assert not (tmp_path / "none").exists()


def test_streams_end_somewhere() -> None:
    assert files.read_all(BytesIO(b"abc"), 3, "stdin") == b"abc"
    with pytest.raises(files.UnusableFileError, match="stdin: larger than 2 bytes"):
        files.read_all(BytesIO(b"abc"), 2, "stdin")
    with Path("/dev/zero").open("rb") as endless, pytest.raises(files.UnusableFileError, match="3 MiB"):
        files.read_all(endless, LARGEST, "stdin")


@pytest.mark.parametrize("name", ["x", "long" * 60])
def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    """Through a link, which stays one, as the mode does."""
    path, link = tmp_path / "there" / name, tmp_path / "link"
    path.parent.mkdir()
    link.symlink_to(path)
    files.write_whole(link, b"old")
    path.chmod(0o640)
    with full_disk(1000), pytest.raises(OSError, match="File too large") as caught:
        files.write_whole(link, bytes(1001))
    assert caught.value.filename == str(link)
    assert path.read_bytes() == b"old"
    with full_disk(1000):
        files.write_whole(link, bytes(1000))
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (bytes(1000), 0o640)
    with suppress(KeyboardInterrupt), files.writing(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == bytes(1000)
    assert link.is_symlink()
    assert list(path.parent.iterdir()) == [path]


def test_no_writer_is_woken_by_what_is_refused(tmp_path: Path) -> None:
    """Who waits for a reader of the FIFO would write into nothing."""
    path = laid("FIFO", tmp_path / "fifo")
    writer = Thread(target=path.write_bytes, args=(b"for somebody else",))
    writer.start()
    with pytest.raises(files.UnusableFileError):
        files.read_file(path, LARGEST)
    assert path.read_bytes() == b"for somebody else"
    writer.join(PATIENCE)
    assert not writer.is_alive()


def test_writers_of_one_process_do_not_share_what_is_unfinished(tmp_path: Path) -> None:
    """Names that begin alike, one file twice, and a link that somebody laid where the writer may write."""
    names = ["long" * 60 + end for end in "ab"]
    with ExitStack() as stack:
        writers = [stack.enter_context(files.writing(tmp_path / name)) for name in (*names, names[0])]
        for number, file in enumerate(writers):
            file.write(b"%d" % number)
        assert len({each.name for each in tmp_path.iterdir()}) == len(writers)
    assert [(tmp_path / name).read_bytes() for name in names] == [b"0", b"1"]  # the first ended last
    assert len(list(tmp_path.iterdir())) == len(names)


def test_a_link_in_a_shared_folder_is_not_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (tmp_path / f".lolli-{bytes(8).hex()}.partial").symlink_to(victim)
    monkeypatch.setattr("os.urandom", bytes)
    with pytest.raises(FileExistsError):
        files.write_whole(tmp_path / "x", b"new")
    assert victim.read_bytes() == b"mine"


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_copy_is_new_and_has_the_mode_of_what_was_copied(
    tmp_path: Path, mode: int, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else may read it, not even before it is whole; another copy made meanwhile stays.

    So where the file system has no hard links, as FAT.
    """

    def refuse(*_: str) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    path, copy = tmp_path / "x", tmp_path / "copy"
    path.touch()
    path.chmod(mode)
    with files.writing(copy, path) as file:
        assert Path(str(file.name)).stat().st_mode & 0o777 == mode
        file.write(b"one")
    assert (copy.read_bytes(), copy.stat().st_mode & 0o777) == (b"one", mode)
    copy.unlink()
    with ExitStack() as stack:
        stack.enter_context(files.writing(copy, path)).write(b"two")
        copy.write_bytes(b"other")
        with pytest.raises(FileExistsError):
            stack.close()
    assert copy.read_bytes() == b"other"
    assert sorted(tmp_path.iterdir()) == [copy, path]


def test_what_is_added_is_added_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "x"
    files.append_whole(path, b"one")
    with full_disk(1000), pytest.raises(OSError, match="File too large") as caught:
        files.append_whole(path, bytes(1000))
    assert caught.value.filename == str(path)
    files.append_whole(path, b"two")
    assert path.read_bytes() == b"onetwo"


def test_what_another_process_added_meanwhile_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full after two bytes; what cannot be cut off does not hide that either."""
    path = tmp_path / "x"
    path.write_bytes(b"one")
    real, pieces = os.write, [b"tw", b"other"]

    def write(descriptor: int, _content: bytes) -> int:
        for piece in pieces:
            real(descriptor, piece)
        if not pieces:
            raise OSError(errno.ENOSPC, "full")
        pieces.clear()
        return 2

    monkeypatch.setattr("os.write", write)
    with pytest.raises(OSError, match="full"):
        files.append_whole(path, b"two")
    assert path.read_bytes() == b"onetwother"
    monkeypatch.setattr("os.ftruncate", Mock(side_effect=OSError(errno.EIO, "another")))
    with pytest.raises(OSError, match="full"):
        files.append_whole(path, b"two")


@pytest.mark.parametrize("trap", ["FIFO", "device", "folder"])
@pytest.mark.parametrize("write", [files.write_whole, files.append_whole])
def test_only_a_regular_file_is_written(
    tmp_path: Path, trap: str, write: Callable[[Path, bytes], None]
) -> None:
    path = laid(trap, tmp_path / "x")
    with pytest.raises(OSError, match=REASONS[trap]):
        write(path, b"new")
    assert not path.is_file()
