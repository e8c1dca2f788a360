"""What a build does where something is missing, and how `scripts/run` finds its way."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled import ROOT, SUFFIX

X86_64 = platform.machine() == "x86_64"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the scripts are for a POSIX shell")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the project whose only compiled module is the small engine.system.cpu."""
    text, found = re.subn(
        r"^COMPILED = \(.*?^\)",
        'COMPILED = ("engine.system.cpu",)',
        (ROOT / "setup.py").read_text(),
        flags=re.DOTALL | re.MULTILINE,
    )
    assert found == 1
    (tmp_path / "setup.py").write_text(text)
    for name in (
        "pyproject.toml",
        "scripts/build",
        "scripts/run",
        "engine/system/cpu.py",
        "engine/system/cpu.pxd",
        "engine/system/processor.py",
        "scripts/__init__.py",
        "scripts/releasing/__init__.py",
        "scripts/releasing/compiler.py",
        "scripts/releasing/one_package.py",
        "protocol/about.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for package in ("engine", "eval", "protocol"):
        (tmp_path / package).mkdir(exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    return tmp_path


def build(tree: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run setup.py as scripts/build does, with nothing of this process's own settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LOLLI_")}
    return subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=tree,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def start(tree: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / "scripts" / script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def built_for(tree: Path) -> str:
    command = [sys.executable, "-c", "from engine.system.processor import built_for; print(built_for())"]
    return subprocess.run(command, cwd=tree, check=True, capture_output=True, text=True).stdout.strip()


def test_without_a_compiler_every_module_is_plain(tree: Path) -> None:
    leftover = tree / "eval" / f"material{SUFFIX}"
    leftover.touch()
    done = build(tree, CC=str(tree / "no-compiler"))
    assert done.returncode == 0, done.stderr
    assert "NOT COMPILED" in done.stderr
    assert not leftover.exists()
    assert built_for(tree) == ""


def test_it_says_at_last_why_what_must_compile_did_not(tree: Path) -> None:
    executable(tree / ".venv" / "bin" / "python", f'exec {sys.executable} "$@"')
    executable(tree / ".venv" / "bin" / "lolli", "")
    (tree / ".venv" / "made-in").write_text(f"{tree}\n")
    (tree / ".venv" / "installed").touch()
    done = start(tree, "build", CC=str(tree / "no-compiler"), LOLLI_REQUIRE_COMPILED="1")
    assert done.returncode != 0
    assert (
        done.stderr.splitlines()[-1]
        == "scripts/build: not built, for the reason above; if a C compiler is missing, set CC"
    )
    assert "no-compiler" in done.stderr
    assert not (tree / "build" / "stamp").exists()


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_chess_is_compiled_first_and_the_rest_left_as_it_is(tree: Path) -> None:
    games = tree / "engine" / "games"
    games.mkdir()
    for name, text in (
        ("__init__.py", ""),
        ("small.py", "def one() -> int:\n    return 1\n"),
        ("small.pxd", ""),
    ):
        (games / name).write_text(text)
    setup = tree / "setup.py"
    setup.write_text(
        setup.read_text().replace('"engine.system.cpu",', '"engine.system.cpu", "engine.games.small",')
    )
    compiled = tree / "engine" / "system" / f"cpu{SUFFIX}", games / f"small{SUFFIX}"
    found = []
    for wanted in ("chess", "", "chess"):
        assert build(tree, LOLLI_MODULES=wanted, LOLLI_REQUIRE_COMPILED="1").returncode == 0
        found.append([path.exists() for path in compiled])
    assert found == [[True, False], [True, True], [True, True]]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_module_that_fails_takes_the_compiled_ones_along(tree: Path) -> None:
    assert build(tree, LOLLI_REQUIRE_COMPILED="1").returncode == 0
    assert (tree / "engine" / "system" / f"cpu{SUFFIX}").exists()
    (tree / "engine" / "system" / "cpu.pxd").write_text("cdef no_such_type feature\n")
    done = build(tree)
    assert done.returncode == 0, done.stderr
    assert "NOT COMPILED" in done.stderr
    assert not list(tree.glob(f"engine/*{SUFFIX}"))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.skipif(not X86_64, reason="not x86-64")
def test_another_processor_is_another_build(tree: Path) -> None:
    for wanted, named in [
        ({}, "x86-64-v3"),
        ({"LOLLI_MARCH": "native"}, "native"),
        ({"LOLLI_MARCH": ""}, ""),
    ]:
        assert build(tree, LOLLI_REQUIRE_COMPILED="1", **wanted).returncode == 0
        assert built_for(tree) == named


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.skipif(not X86_64, reason="not x86-64")
@pytest.mark.parametrize(
    ("march", "fast"),
    [
        ("", False),
        ("x86-64-v3", False),  # could be any, one of AMD's before Zen 3 as well
        ("bdver4", False),
        ("znver1", False),
        ("znver2", False),
        ("znver3", True),
        ("haswell", True),
        ("ivybridge", False),
    ],
)
def test_pext_is_for_processors_where_it_is_fast(tree: Path, march: str, fast: bool) -> None:
    done = build(tree, LOLLI_MARCH=march, LOLLI_REQUIRE_COMPILED="1", LOLLI_CFLAGS="-O0")
    assert done.returncode == 0, done.stderr
    assert ("LOLLI_PEXT" in (tree / "build" / "recipe").read_text()) == fast


def test_without_a_compiler_the_one_from_pypi_compiles(tree: Path) -> None:
    """Its place is taken by the compiler of this machine, which is hidden otherwise."""
    own = shutil.which("cc")
    if own is None or not X86_64:
        pytest.skip("no C compiler, or not x86-64")
    (tree / "ziglang.py").write_text(
        f"import os, sys\nwords = [each.replace('x86_64_v', 'x86-64-v') for each in sys.argv[2:]]\n"
        f"os.environ['PATH'] = {os.environ['PATH']!r}\nos.execv({own!r}, [{own!r}, *words])\n"
    )
    done = build(tree, PATH=str(tree), PYTHONPATH=str(tree), LOLLI_REQUIRE_COMPILED="1", CC="")
    assert done.returncode == 0, done.stderr
    assert "compiled with the one from PyPI, ziglang" in done.stderr
    assert built_for(tree) == "x86-64-v3"


def test_an_old_python_is_refused_by_name(tree: Path) -> None:
    old = executable(tree / "old", '[ "$1" != -c ] || exit 1; echo Python 3.9.2')
    done = start(tree, "build", PYTHON=str(old))
    assert done.returncode != 0
    assert done.stdout == ""
    assert "is Python 3.9.2: set PYTHON to Python 3.11" in done.stderr
    assert not (tree / ".venv").exists()


def test_a_build_that_fails_keeps_lolli_from_starting(tree: Path) -> None:
    executable(tree / ".venv" / "bin" / "lolli", "echo started")
    done = start(tree, "run", PYTHON="no-such-python")
    assert done.returncode != 0
    assert done.stdout == ""


def test_run_works_through_symlinks_and_keeps_folder_and_words(tree: Path, tmp_path: Path) -> None:
    executable(tree / "scripts" / "build", "echo building >&2")
    executable(tree / ".venv" / "bin" / "lolli", 'pwd -P; printf "[%s]" "$@"; cat')
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    (elsewhere / "near").symlink_to(tree / "scripts" / "run")
    (elsewhere / "far").symlink_to("near")
    for command in (["./far"], [str(elsewhere / "near")], ["sh", "far"]):
        done = subprocess.run(
            [*command, "go", "a b"], cwd=elsewhere, input="uci", capture_output=True, text=True, check=True
        )
        assert done.stdout == f"{elsewhere.resolve()}\n[go][a b]uci"
        assert done.stderr == "building\n"
