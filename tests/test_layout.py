"""The shape of the project: its layers, the names and the lengths of its modules."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import pytest

from tests.compiled import ROOT, cimports, compiled_names, source

PACKAGES = ("engine", "eval", "protocol")
PUBLIC = "lolli"
"""The package for others. They do not know ours, so its classes may be called as some of ours are."""
A_CLASS = re.compile(r"^ *class (\w+)[(:\[]", re.MULTILINE)
LONGEST = 1000
"""Lines of a module; a test of it may be as long."""
# For C; the .py is for the plain run.
HEADERS_ONLY = {
    "engine.bits",
    "engine.cache_line",
    "engine.portable",
    "engine.board.bitboard",
    "engine.board.move",
    "engine.games.compiled.convolution",
    "engine.games.rules.game",
    "engine.games.rules.othello_lines",
    "engine.search.constants",
    "engine.search.picking",
    "engine.search.ply",
    "eval.features",
    "eval.learning.layout",
    "eval.network_shape",
}
SHARED = ("engine.portable", "engine.bits", "engine.cache_line", "engine.clock", "engine.control")
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
