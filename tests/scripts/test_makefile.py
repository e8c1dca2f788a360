"""What `make` does with its words; the scripts behind it have their own tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled import ROOT, SUFFIX

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make")
STUB = """echo "$(basename "$0")" "$@" "CC=$CC" "PYTHON=$PYTHON" "LOLLI_MARCH=$LOLLI_MARCH" >>called
[ -z "$FAILS" ] || exit 1
[ "$1" != --network ] || shift 2
[ -z "$1" ] || echo made >"$1"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The Makefile among stubs that, as after unpacking by Python's zipfile, may not be executed."""
    tree = tmp_path / "lolli-1a2b"
    (tree / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tree)
    for name in ("build", "bundle"):
        (tree / "scripts" / name).write_text(STUB)
    return tree


def make(tree: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run make with nothing of this process's own settings, and nothing of a make that runs the tests."""
    own = ("CC", "PYTHON", "EXE", "EVALFILE")
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in own and not name.startswith(("LOLLI_", "MAKE", "MFLAGS"))
    }
    command = ["make", "--silent", *words]
    return subprocess.run(
        command, cwd=tree, env=inherited | environment, capture_output=True, text=True, check=False
    )


def called(tree: Path) -> list[str]:
    return (tree / "called").read_text().splitlines()


def test_alone_it_builds_in_place(tree: Path) -> None:
    assert make(tree).returncode == 0
    assert called(tree) == ["build CC= PYTHON= LOLLI_MARCH="]


def test_the_command_of_openbench_makes_the_file_that_it_names(tree: Path) -> None:
    done = make(tree, "-j", "EXE=Lolli-1A2B3C4D", "CC=clang", PYTHON="python3.12", LOLLI_MARCH="x86-64-v3")
    assert done.returncode == 0, done.stderr
    assert called(tree) == ["bundle Lolli-1A2B3C4D CC=clang PYTHON=python3.12 LOLLI_MARCH=x86-64-v3"]
    assert (tree / "Lolli-1A2B3C4D").exists()


@pytest.mark.parametrize("network", ["../../Networks/1a2b3c4d", "/nets/1a 2b"])
def test_the_network_of_openbench_goes_into_the_file(tree: Path, network: str) -> None:
    done = make(tree, "-j", "EXE=Lolli", f"EVALFILE={network}")
    assert done.returncode == 0, done.stderr
    assert called(tree) == [f"bundle --network {network} Lolli CC= PYTHON= LOLLI_MARCH="]
    assert (tree / "Lolli").read_text() == "made\n"


def test_a_network_without_a_file_to_go_into_is_refused(tree: Path) -> None:
    done = make(tree, "EVALFILE=/nets/1a2b3c4d")
    assert done.returncode != 0
    assert "EVALFILE needs EXE" in done.stderr
    assert not (tree / "called").exists()


def test_clean_leaves_the_sources_and_the_environment(tree: Path) -> None:
    kept = [tree / "engine" / "board" / "perft.py", tree / ".venv" / f"psutil{SUFFIX}"]
    gone = [
        tree / "engine" / "board" / f"perft{SUFFIX}",
        tree / "eval" / f"linear{SUFFIX}",
        tree / "build" / "stamp",
    ]
    for path in (*kept, *gone):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert make(tree, "clean").returncode == 0
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in gone)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="no /proc")
def test_the_engine_made_plays_from_anywhere(tmp_path: Path, is_pure: bool) -> None:
    """What was built here, in one file; pip brings in what Lolli needs."""
    if is_pure:
        pytest.skip("what make makes is compiled")
    engines, cache = tmp_path / "Engines", tmp_path / "cache"
    engines.mkdir()
    engine = engines / "Lolli-1A2B3C4D"
    done = make(
        ROOT, "-j", f"EXE={tmp_path / engine.name}", LOLLI_MARCH=os.environ.get("LOLLI_MARCH", "native")
    )
    assert done.returncode == 0, done.stderr
    shutil.move(tmp_path / engine.name, engines)
    environment = {"XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT)}
    bench = subprocess.run(
        [f"./{engine.name}", "bench", "1"], cwd=engines, env=environment, capture_output=True, check=True
    )
    assert bench.stdout.rstrip().endswith(b" nps")
    with subprocess.Popen(
        [f"./{engine.name}"], cwd=engines, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"setoption name Hash value 8\nsetoption name Threads value 1\ngo depth 3\n")
        process.stdin.flush()
        assert any(line.startswith(b"bestmove ") for line in process.stdout)
        mapped = Path(f"/proc/{process.pid}/maps").read_text()
        arguments = Path(f"/proc/{process.pid}/cmdline").read_text()
        process.communicate(b"quit\n")
    assert f"{cache}/lolli/" in mapped
    assert str(ROOT) not in mapped
    assert engine.name in arguments  # by which the client of OpenBench finds processes to kill
