"""The C of all compiled modules is compiled for Windows and macOS, with the compiler that PyPI has.

Compiled, not linked and not run: there is no Python of these systems here. The headers of Python are those of
this system, for Windows with a pyconfig.h of our own, as CPython generates none there.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.compiled import ROOT, SHARED, compiled_names

TRANSLATED = ROOT / "build" / "cython"
FOR_WINDOWS = ROOT / "tests" / "data" / "windows" / "pyconfig.h"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="no ziglang: pip install ziglang"),
]


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    """A copy of the headers of this Python: they include the pyconfig.h that lies beside them."""
    return Path(shutil.copytree(sysconfig.get_path("include"), tmp_path / "include"))


def sources() -> list[Path]:
    paths = [TRANSLATED / f"{name.replace('.', '/')}.c" for name in compiled_names()]
    paths.append(TRANSLATED / f"{SHARED}.c")
    if not all(path.exists() for path in paths):
        pytest.skip("not built from these sources: scripts/build --force")
    return paths


def complaints(source: Path, system: str, headers: Path, target: Path) -> str:
    """Why a file does not compile; empty where it does."""
    command = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        system,
        "-O0",
        "-Wall",
        "-Wno-unused-function",
    ]
    done = subprocess.run(
        [*command, f"-I{headers}", "-c", source, "-o", target / f"{source.stem}-{hash(source)}.o"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("system", ["x86_64-windows-gnu", "aarch64-macos"])  # both systems, both processors
def test_all_modules_compile_for(system: str, headers: Path, tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the same in both modes")
    if "windows" in system:
        shutil.copy(FOR_WINDOWS, headers / "pyconfig.h")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda each: complaints(each, system, headers, tmp_path), sources()))
    assert not [each for each in said if each]
