"""A person's own defaults: where the file is, what may stand in it, and how mistakes are told."""

import os
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from engine.system import services
from protocol import config
from protocol.config_file import Config, load
from protocol.uci.options import find

WHOLE = """\
# mine
hash = 256
threads = 4
eval = "linear"
tables = ["tables", "/syzygy/6"]
book = "~/books/my.bin"
colours = false
pieces = "letters"
board-size = "large"

[uci]
"Move Overhead" = 100

[analyse]
lines = 3
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of somebody without settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (config.VARIABLE, "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def write(home: Path, text: str) -> str:
    path = home / ".config" / "lolli" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("xdg", [None, "settings"])
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_usual_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch, platform: str, xdg: str | None
) -> None:
    """The same that click names, whose import takes longer than the start of the engine may."""
    if xdg is not None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / xdg))
    monkeypatch.setenv("APPDATA", str(home / "AppData"))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("click.utils.WIN", platform == "win32")
    monkeypatch.setattr("click.utils.sys.platform", platform)
    assert services.config_folder("lolli") == click.get_app_dir("lolli")


def test_without_a_file(home: Path) -> None:
    assert load() == Config()
    assert not list(home.iterdir())


def test_a_whole_file(home: Path) -> None:
    path = write(home, WHOLE)
    own = load()
    assert own.path == path
    assert own.problems == ()
    folder = Path(path).parent
    assert own.general == {
        "hash": 256,
        "threads": 4,
        "eval": "linear",
        "tables": f"{folder}/tables{os.pathsep}/syzygy/6",
        "book": str(home / "books" / "my.bin"),
        "colours": False,
        "pieces": "letters",
        "board-size": "large",
    }
    assert own.sections == {"uci": {"Move Overhead": 100}, "analyse": {"lines": 3}}


def test_the_mark_that_editors_on_windows_put_before_the_text(home: Path) -> None:
    path = write(home, "")
    Path(path).write_bytes("hash = 8\r\n[uci]\r\nThreads = 2\r\n".encode("utf-8-sig"))
    own = load()
    assert own.problems == ()
    assert own.general == {"hash": 8}
    assert own.sections == {"uci": {"Threads": 2}}


def test_another_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, WHOLE)
    other = home / "other.toml"
    monkeypatch.setenv(config.VARIABLE, str(other))
    assert load().problems == (f"{other}: No such file or directory",)
    other.write_text("hash = 8")
    assert load().general == {"hash": 8}
    monkeypatch.setenv(config.VARIABLE, "")
    assert load() == Config()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("hash = 1\nhsh = 256\n", 2, "hsh: unknown key, did you mean hash?"),
        ("\n\nxyzzy = 1", 3, "xyzzy: unknown key"),
        ('hash = "big"', 1, "hash: not a whole number from 1 to 65536"),
        ("hash = 0", 1, "hash: not a whole number from 1 to 65536"),
        ("hash = true", 1, "hash: not a whole number from 1 to 65536"),
        ("threads = 513", 1, "threads: not a whole number from 1 to 512"),
        ('eval = "deep"', 1, "eval: not one of material, linear, network: 'deep'"),
        ("book = 3", 1, "book: neither true, false nor the name of a file"),
        ("tables = [3]", 1, "tables: neither a folder nor a list of folders"),
        ('"colours" = 3', 1, "colours: neither true nor false"),
        ('pieces = ["letters"]', 1, "pieces: not one of letters, outlined, coloured: \"['letters']\""),
    ],
)
def test_what_is_wrong(home: Path, text: str, line: int, reason: str) -> None:
    path = write(home, f"{text}\n[uci]\nhsh = 1\n")
    own = load()
    assert own.problems == (f"{path}, line {line}: {reason}",)
    assert own.general.keys() <= {"hash"}, "the rest counts"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"hash = 1\nthreads 4\n", ", line 2: Expected '=' after a key in a key/value pair"),
        (b"hash = 1\nhash = 2\n", ", line 2: Cannot overwrite a value"),
        (b"\xff", ": not in UTF-8"),
        (b"[uci", ": Expected ']' at the end of a table declaration"),
        (b"#" * (1 << 21), ": larger than 16 KiB"),
        (b"\n".join(b"key%d = 1" % number for number in range(20_000)), ": larger than 16 KiB"),
        (b"hash = " + b"9" * 6000, ": Exceeds the limit (4300 digits) for integer string conversion"),
        (b"hash = " + b"[" * 8000, ": brackets in too many brackets"),
    ],
)
def test_what_is_no_toml(home: Path, data: bytes, reason: str) -> None:
    path = write(home, "")
    Path(path).write_bytes(data)
    (problem,) = load().problems
    assert problem.startswith(f"{path}{reason}")
    assert "column" not in problem


def test_a_folder_or_a_pipe_in_place_of_the_file(home: Path) -> None:
    path = home / ".config" / "lolli" / "config.toml"
    path.mkdir(parents=True)
    assert load().problems == (f"{path}: Is a directory",)
    path.rmdir()
    os.mkfifo(path)
    assert load().problems == (f"{path}: a FIFO, not a regular file",)


@pytest.mark.parametrize(("key", "name"), [("hash", "Hash"), ("threads", "Threads")])
def test_bounds_are_those_of_uci(home: Path, key: str, name: str) -> None:
    option = find(name)
    values: list[Any] = [option.smallest - 1, option.smallest, option.largest, option.largest + 1]
    refused = []
    for value in values:
        write(home, f"{key} = {value}")
        refused.append(bool(load().problems))
    assert refused == [True, False, False, True]
