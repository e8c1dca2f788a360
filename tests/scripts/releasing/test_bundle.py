"""The one file that carries Lolli: where it unpacks itself, and what it does where it cannot."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from zipfile import ZipFile

import pytest

from scripts.releasing import bundle
from scripts.releasing.unpack import KEPT
from tests.patience import PATIENCE

PYTHON = Path(sys.executable).resolve()
SUFFIX = EXTENSION_SUFFIXES[0]
ENTRY = """
import os
import sys

def main() -> None:
    os.chdir("/")  # what is imported later is still found
    from lolli.words import prefix

    print(prefix, *sys.argv[1:], flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    (site / "lolli").mkdir(parents=True)
    (site / "lolli" / "__init__.py").touch()
    (site / "lolli" / "__main__.py").write_text(ENTRY)
    (site / "lolli" / "words.py").write_text("prefix = 'Lolli:'\n")
    return site


@pytest.fixture
def engine(site: Path, tmp_path: Path) -> Path:
    """A bundle that was moved away from where it was made, and the packages are gone."""
    bundle.write(site, tmp_path / "made", PYTHON, SUFFIX)
    shutil.rmtree(site)
    (tmp_path / "Engines").mkdir()
    return (tmp_path / "made").rename(tmp_path / "Engines" / "Lolli-1A2B3C4D")


@pytest.fixture
def other(engine: Path, site: Path) -> Path:
    """A bundle of something else."""
    (site / "lolli").mkdir(parents=True)
    (site / "lolli" / "__main__.py").write_text("def main() -> None:\n    print('Another')\n")
    other = engine.with_name("Lolli-5E6F7A8B")
    bundle.write(site, other, PYTHON, SUFFIX)
    return other


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    (tmp_path / "tmp").mkdir()
    return {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}


def start(engine: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """As OpenBench starts one: by a relative path, from another folder. Its input is empty."""
    return subprocess.run(
        [f"./{engine.parent.name}/{engine.name}", *words],
        cwd=engine.parent.parent,
        env=environment,
        input="",
        capture_output=True,
        text=True,
        check=False,
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def folders(cache: Path) -> list[str]:
    return names(cache / "lolli")


def test_it_runs_wherever_it_is_and_unpacks_once(
    engine: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    cache = tmp_path / "home" / ".cache"
    first = start(engine, "go", "a b", **environment)
    assert (first.stdout, first.stderr) == ("Lolli: go a b\n", "")
    (folder,) = folders(cache)
    unpacked = (cache / "lolli" / folder / "lolli" / "__main__.py").stat()
    second = start(engine, **environment)
    assert (second.stdout, second.stderr) == ("Lolli:\n", "")
    assert (cache / "lolli" / folder / "lolli" / "__main__.py").stat().st_ino == unpacked.st_ino


def test_the_users_own_packages_do_not_matter(
    engine: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "lolli").mkdir()
    for path in (tmp_path / "lolli" / "__init__.py", tmp_path / "signal.py"):
        path.write_text("raise ImportError('the wrong one')")
    done = start(engine, **environment, PYTHONPATH=str(tmp_path))
    assert done.stdout == "Lolli:\n", done.stderr


def test_first_starts_at_once(engine: Path, environment: dict[str, str], tmp_path: Path) -> None:
    processes = [
        subprocess.Popen([engine], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert [process.communicate(timeout=PATIENCE)[0] for process in processes] == [b"Lolli:\n"] * 4
    assert len(folders(tmp_path / "home" / ".cache")) == 1


def test_what_a_killed_start_left_is_cleared_away(
    engine: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    cache = tmp_path / "home" / ".cache"
    start(engine, **environment)
    (folder,) = folders(cache)
    (cache / "lolli" / folder).rename(cache / "lolli" / f"{folder}.part")
    (cache / "lolli" / f"{folder}.part" / "lolli" / "words.py").unlink()
    assert start(engine, **environment).stdout == "Lolli:\n"
    assert folders(cache) == [folder]


def test_without_a_cache_it_uses_a_temporary_folder_of_the_users_own(
    engine: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for _ in range(2):
        done = start(engine, **environment, XDG_CACHE_HOME=str(tmp_path / "file"))
        assert (done.stdout, done.stderr) == ("Lolli:\n", "")
    assert names(tmp_path / "tmp") == [f"lolli-{os.geteuid()}"]
    assert (tmp_path / "tmp" / f"lolli-{os.geteuid()}").stat().st_mode & 0o777 == 0o700


def test_nowhere_to_unpack_is_one_line(engine: Path, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    foreign = tmp_path / "tmp" / f"lolli-{os.geteuid()}"
    foreign.mkdir()
    foreign.chmod(0o777)
    done = start(engine, **environment, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"lolli: cannot unpack ({tmp_path / 'file' / 'lolli'}: Not a directory;"
        f" {foreign}: other users can write there): set XDG_CACHE_HOME to a writable folder\n"
    )
    assert not list(foreign.iterdir())


def test_another_python_is_refused(site: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """As after an upgrade of the system: its modules would be passed over, and the slow sources run."""
    bundle.write(site, tmp_path / "Lolli", PYTHON, ".cpython-27-abacus.so")
    done = start(tmp_path / "Lolli", **environment)
    assert done.returncode == 1
    assert done.stderr == f"lolli: made for Python .cpython-27-abacus.so, but this one is {SUFFIX}\n"


def test_a_damaged_file_is_one_line(engine: Path, environment: dict[str, str], tmp_path: Path) -> None:
    content = bytearray(engine.read_bytes())
    content[content.index(b"lolli/__main__.py") + 40] ^= 0xFF
    engine.write_bytes(content)
    done = start(engine, **environment)
    assert done.returncode == 1
    assert re.fullmatch(r"lolli: \S+/Engines/Lolli-1A2B3C4D is damaged: .+\n", done.stderr)
    assert not folders(tmp_path / "home" / ".cache")


def test_what_is_not_used_any_more_is_removed(
    engine: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    cache = tmp_path / "home" / ".cache" / "lolli"
    for name in ("recent", "running", "old", "older.part"):
        (cache / name / "lolli").mkdir(parents=True)
        if name != "recent":
            os.utime(cache / name, (0, time.time() - KEPT - 60))
    cache.chmod(0o700)
    running = os.open(cache / "running", os.O_RDONLY)
    fcntl.flock(running, fcntl.LOCK_SH)
    start(engine, **environment)
    os.close(running)
    assert {"recent", "running"} < set(names(cache))
    assert len(names(cache)) == 3


def test_an_engine_that_runs_keeps_its_folder(
    engine: Path, other: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    with subprocess.Popen(
        [engine], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "Lolli:\n"
        (folder,) = (tmp_path / "home" / ".cache" / "lolli").iterdir()
        os.utime(folder, (0, 0))
        assert start(other, **environment).stdout == "Another\n"
        assert folder.exists()
        process.communicate(timeout=PATIENCE)


def test_the_same_packages_share_a_folder(site: Path, tmp_path: Path) -> None:
    bundle.write(site, tmp_path / "one", PYTHON, SUFFIX)
    os.utime(site / "lolli" / "words.py", (0, 0))
    bundle.write(site, tmp_path / "two", PYTHON, SUFFIX)
    keys = set()
    for name in ("one", "two"):
        with ZipFile(tmp_path / name) as archive:
            keys.add(archive.read("build"))
    assert len(keys) == 1
