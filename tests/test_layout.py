"""The shape of the project: its layers, the names and the lengths of its modules, what a wheel contains."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.compiled import ROOT, SUFFIX, cimports, compiled_names, source

PACKAGES = ("engine", "eval", "protocol")
PUBLIC = "lolli"
"""The package for others. They do not know ours, so its classes may be called as some of ours are."""
A_CLASS = re.compile(r"^ *class (\w+)[(:\[]", re.MULTILINE)
LONGEST = 500
"""Lines of a module; a test of it may be as long."""
# For C; the .py is for the plain run.
HEADERS_ONLY = {
    "engine.bits",
    "engine.cache_line",
    "engine.board.bitboard",
    "engine.board.move",
    "engine.games.rules.game",
    "engine.search.constants",
    "engine.search.picking",
    "engine.search.ply",
    "eval.features",
    "eval.learning.layout",
    "eval.network_shape",
}
SHARED = ("engine.bits", "engine.cache_line", "engine.clock", "engine.control")
LAYERS = (*SHARED, "engine.board", "eval", "engine.search", "engine.session")
HOUSES = (LAYERS, (*SHARED, "engine.games.rules", "engine.games.textbook", "engine.games.compiled"))
# In each house a layer may cimport from those before it.


def modules(suffix: str) -> set[str]:
    """The dotted names of all files in our packages that end in `suffix`, packages themselves excepted."""
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob(f"*{suffix}"))
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths if path.stem != "__init__"
    }


def layer(name: str, house: tuple[str, ...]) -> int | None:
    """The place of a module in a house; None for a module outside of it."""
    return next((i for i, top in enumerate(house) if name == top or name.startswith(f"{top}.")), None)


def test_modules_with_c_types_are_those_that_are_compiled() -> None:
    assert modules(".pxd") - HEADERS_ONLY == set(compiled_names())


@pytest.mark.parametrize("name", sorted(compiled_names()))
def test_compiled_module_is_in_a_package_open_to_cimport(name: str) -> None:
    assert source(name, ".py").exists()
    assert source(name, ".py").with_name("__init__.pxd").exists()


@pytest.mark.parametrize("name", sorted(modules(".pxd")))
def test_cimports_obey_the_order_of_layers(name: str) -> None:
    for other in cimports(name):
        places = [(layer(name, house), layer(other, house)) for house in HOUSES]
        assert any(mine is not None and theirs is not None and theirs <= mine for mine, theirs in places), (
            f"{name} may not cimport {other}"
        )


@pytest.mark.parametrize("package", PACKAGES)
def test_package_files_import_nothing(package: str) -> None:
    for path in (ROOT / package).rglob("__init__.p*"):
        assert path.suffix == ".pyc" or path.stat().st_size == 0, f"{path} is not empty"


@cache
def texts() -> Mapping[str, str]:
    """All Python and C declarations of the project, by the names of the files."""
    tops = (*PACKAGES, PUBLIC, "scripts", "tests")
    paths = [path for top in tops for suffix in (".py", ".pxd") for path in (ROOT / top).rglob(f"*{suffix}")]
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in paths}


def with_two_homes(files: Mapping[str, str]) -> dict[str, list[str]]:
    """The names of classes that several Python files define, or one of them twice, with these files."""
    homes = defaultdict(list)
    for file, text in files.items():
        for name in A_CLASS.findall(text) if file.endswith(".py") else ():
            homes[name].append(file)
    return {name: found for name, found in homes.items() if len(found) > 1}


def too_long(files: Mapping[str, str]) -> list[str]:
    """The files with more than LONGEST lines."""
    return [file for file, text in files.items() if len(text.splitlines()) > LONGEST]


def test_a_class_has_one_home() -> None:
    assert with_two_homes({"a.py": "class _A:", "b.py": "if x:\n    class _A(B):\n"}) == {
        "_A": ["a.py", "b.py"]
    }
    assert not with_two_homes({"a.py": "class A:\nclass B(A):", "a.pxd": "cdef class A:", "b.py": "a = A"})
    files = {file: text for file, text in texts().items() if not file.startswith("tests/")}
    for public in (True, False):
        assert not with_two_homes(
            {file: text for file, text in files.items() if file.startswith(PUBLIC) is public}
        )


def test_no_module_is_too_long() -> None:
    assert too_long({"a.py": "\n" * LONGEST, "b.pxd": "\n" * (LONGEST + 1)}) == ["b.pxd"]
    assert not too_long(texts())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the sources alone."""
    tree = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    for name in (*PACKAGES, PUBLIC, "tests", "scripts"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "."],
        cwd=tree,
        env={**os.environ, "LOLLI_REQUIRE_COMPILED": "1"},
        check=True,
    )
    return next(tree.glob("*.whl"))


@pytest.mark.alone
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_wheel_holds_the_packages_and_nothing_else(wheel: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the wheel is the same in both modes")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {
        path
        for top in (*PACKAGES, PUBLIC)
        for path in (ROOT / top).rglob("*")
        if path.suffix in {".py", ".pxd"}
    }
    for folder in ("eval/weights", "engine/games/rules/backgammon"):
        ours |= {path for path in (ROOT / folder).iterdir() if path.suffix in {".json", ".lolli"}}
    ours |= set((ROOT / "engine" / "lookup").glob("*.bin"))
    ours.add(ROOT / PUBLIC / "py.typed")
    ours |= set((ROOT / "protocol" / "cli").glob("*/page/*"))
    expected = {path.relative_to(ROOT).as_posix() for path in ours}
    expected |= {name.replace(".", "/") + SUFFIX for name in compiled_names()}
    assert names == expected
