"""A copy of the project with a build of its own, so that the one beside the sources stays as it is."""

from __future__ import annotations

import filecmp
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from .sanitizers import SanitizerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .sanitizers import Sanitizer

_COPIED = ("engine", "eval", "protocol", "scripts", "tests", "docs", "setup.py", "pyproject.toml")
_FAULTS = "scripts/laboratory/sanitizing/faults"
_BUILD_FAULTS = f"""
import sys
from Cython.Build import cythonize
from setup import DIRECTIVES
from setuptools import Extension, setup
anew = sys.argv.pop() == "anew"
sources = [Extension("{_FAULTS.replace("/", ".")}", ["{_FAULTS}.py"])]
setup(ext_modules=cythonize(sources, build_dir="build/cython", compiler_directives=DIRECTIVES, force=anew))
"""
_MADE = {".so", ".c", ".pyc"}  # what lies beside the sources, here and there, and is not copied


def copy(root: Path, tree: Path) -> None:
    """Make `tree` the same as the project in `root`; what is the same already keeps its time."""
    wanted = {path.relative_to(root) for name in _COPIED for path in _files(root / name)}
    for path in wanted:
        source, target = root / path, tree / path
        if target.exists() and filecmp.cmp(source, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)  # and so newer than what was made from the one before it
        shutil.copymode(source, target)
    present = {path.relative_to(tree) for name in _COPIED for path in _files(tree / name)}
    for path in present - wanted:
        (tree / path).unlink()


def build(sanitizer: Sanitizer, tree: Path) -> None:
    """Compile what has changed in `tree`, and the faults to plant. Raises SanitizerError with the output."""
    environment = sanitizer.build_environment()
    _run([sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], tree, environment)
    flags = environment["LOLLI_CFLAGS"]
    recipe = tree / "build" / "faults-recipe"
    age = "kept" if recipe.exists() and recipe.read_text() == flags else "anew"
    recipe.unlink(missing_ok=True)
    command = [sys.executable, "-c", _BUILD_FAULTS, "--quiet", "build_ext", "--inplace", age]
    _run(command, tree, {**environment, "CFLAGS": flags})
    recipe.write_text(flags)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        for entry in path.iterdir():
            if entry.name != "__pycache__":
                yield from _files(entry)
    elif path.suffix not in _MADE and path.exists():
        yield path


def _run(command: list[str], tree: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SanitizerError(f"the build in {tree} failed:\n{done.stdout}{done.stderr}")
