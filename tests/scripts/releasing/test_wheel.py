"""The sdist and the wheel: what they hold, and that the wheel alone is enough to play."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.compiled import ROOT, SHARED, SUFFIX, compiled_names

pytestmark = [
    pytest.mark.alone,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
]
PACKAGES = ("engine", "eval", "protocol")
ONCE = ("engine/cpu.", "engine/cython_shared.", "eval/learning/")
ON_X86 = "x86-64 x86-64-v3"


def tracked() -> set[str]:
    """The files of the project that git knows, or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout")
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory, is_pure: bool) -> Path:
    """An sdist built from a copy of the tracked files alone."""
    if is_pure:
        pytest.skip("the same in both modes")
    tree = tmp_path_factory.mktemp("tree")
    for name in tracked():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    subprocess.run([sys.executable, "setup.py", "--quiet", "sdist"], cwd=tree, check=True)
    return next(tree.glob("dist/*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    """A wheel built from the sdist, as pip builds it, but with the Cython that is here."""
    words = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(sdist.parent))
    settings = {"LOLLI_REQUIRE_COMPILED": "1", "LOLLI_MARCH": ON_X86, "LOLLI_CFLAGS": "-O0"}
    subprocess.run(
        [sys.executable, "-m", "pip", *words, str(sdist)], env={**os.environ, **settings}, check=True
    )
    return next(sdist.parent.glob("*.whl"))


def test_the_sdist_holds_all_that_is_tracked(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames() if archive.getmember(name).isfile()}
    made = {"PKG-INFO", "setup.cfg"}
    assert {name for name in names - made if not name.startswith("lolli.egg-info/")} == tracked()


def test_the_wheel_holds_one_package(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {path for top in PACKAGES for path in (ROOT / top).rglob("*") if path.suffix in {".py", ".pxd"}}
    for folder in ("eval/weights", "engine/games/rules/backgammon"):
        ours |= {path for path in (ROOT / folder).iterdir() if path.suffix in {".json", ".lolli"}}
    ours |= {path for path in (ROOT / "engine" / "lookup").iterdir() if path.suffix in {".bin", ".tsv"}}
    ours |= set((ROOT / "protocol" / "cli").glob("*/page/*"))
    expected = {f"lolli/{path.relative_to(ROOT).as_posix()}" for path in ours}
    expected |= {f"lolli/{path.name}" for path in (ROOT / "lolli").iterdir() if path.is_file()}
    compiled = {name.replace(".", "/") + SUFFIX for name in (*compiled_names(), SHARED)}
    expected |= {f"lolli/{path}" for path in compiled}
    expected |= {f"lolli/x86-64-v3/{path}" for path in compiled if not path.startswith(ONCE)}
    assert names == expected
