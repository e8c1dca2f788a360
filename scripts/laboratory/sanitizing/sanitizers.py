"""The sanitizers: how to compile for each, its environment, and a copy of the project to build.

They are gcc's, because their runtimes come with the compiler that builds Lolli. The interpreter is not
instrumented and need not be: it takes its locks through pthreads, whose calls the thread sanitizer watches
wherever they come from. The order that the interpreter lock imposes is therefore known, and nothing is
suppressed for Python's sake. Only Python's own allocator must be replaced (PYTHONMALLOC), since the
sanitizers cannot see what it frees and reuses.

CPython compiles its extensions with -fwrapv, so that signed numbers wrap in the normal build. Under the
sanitizers they must not overflow: results must not depend on how the interpreter was built.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


COMPILER = "gcc"
SUPPRESSIONS = Path(__file__).with_name("thread.supp")
_FAILED = 66  # the exit status of a process with reports
_QUICK_TO_COMPILE = ("-Og", "-g1", "-fno-omit-frame-pointer")


class SanitizerError(RuntimeError):
    """A sanitizer cannot be used, or its build failed. The message says why."""


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """`preloaded`: libraries to load before the interpreter. `variables`: options by environment variable."""

    name: str
    compiling: tuple[str, ...]
    linking: tuple[str, ...]
    preloaded: tuple[str, ...]
    variables: dict[str, tuple[str, ...]]
    fixed_addresses: bool = False
    """Whether it needs address space randomisation to be off."""

    def build_environment(self) -> dict[str, str]:
        """The environment of the build."""
        flags = " ".join((*_QUICK_TO_COMPILE, *self.compiling))
        return {
            **os.environ,
            "CC": COMPILER,
            "LDFLAGS": " ".join(self.linking),
            "LOLLI_CFLAGS": flags,
            "LOLLI_REQUIRE_COMPILED": "1",
        }

    def run_environment(self, tree: Path, reports: Path, *, leaks: bool = False) -> dict[str, str]:
        """The environment in which Python imports from `tree` and each process writes reports to `reports`.

        `leaks`: whether the address sanitizer looks for leaks when a process ends. It may crash if a thread
        ends at the same time, and libraries such as numpy leak: so only for processes with neither. Raises
        SanitizerError if the compiler lacks the runtime.
        """
        environment = {
            **os.environ,
            "LSAN_OPTIONS": f"detect_leaks={int(leaks)}",
            "LD_PRELOAD": " ".join(map(library, self.preloaded)),
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": str(tree),
        }
        for variable, options in self.variables.items():
            path = f'log_path="{reports / variable.partition("_")[0].lower()}"'
            environment[variable] = ":".join((*options, path, f"exitcode={_FAILED}"))
        return environment

    def command(self, *words: str | Path) -> list[str]:
        """The command that runs a program under the sanitizer."""
        setarch = shutil.which("setarch") if self.fixed_addresses else None
        return [*([setarch, "-R"] if setarch else []), *map(str, words)]


ADDRESS = Sanitizer(
    "address",
    compiling=(
        "-fsanitize=address,undefined,float-cast-overflow,float-divide-by-zero",
        "-fno-sanitize-recover=all",
        "-fno-wrapv",
    ),
    # Linked statically: as a shared library, libubsan would leave its log to libasan.
    linking=("-fsanitize=address,undefined", "-static-libubsan", "-Wl,--exclude-libs,libubsan.a"),
    # libstdc++: libasan does not see exceptions of C++ extensions that are loaded later.
    preloaded=("libasan.so", "libstdc++.so.6"),
    variables={
        "ASAN_OPTIONS": ("detect_stack_use_after_return=1", "strict_string_checks=1"),
        "UBSAN_OPTIONS": ("print_stacktrace=1", "halt_on_error=1"),
    },
)
THREAD = Sanitizer(
    "thread",
    compiling=("-fsanitize=thread",),
    linking=("-fsanitize=thread",),
    preloaded=("libtsan.so",),
    # It continues after a race, to find all of them; the process fails at its end.
    variables={"TSAN_OPTIONS": (f'suppressions="{SUPPRESSIONS}"', "halt_on_error=0", "history_size=7")},
    fixed_addresses=True,
)
SANITIZERS = {each.name: each for each in (ADDRESS, THREAD)}


def library(name: str) -> str:
    """The path of a library of the compiler. Raises SanitizerError if there is none."""
    try:
        found = subprocess.run(
            [COMPILER, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise SanitizerError(f"{COMPILER} cannot be run: {error}") from error
    if not Path(found).is_absolute():  # the compiler returns the name of a missing file unchanged
        raise SanitizerError(f"{COMPILER} has no {name}")
    return found


_COPIED = ("engine", "eval", "lolli", "protocol", "scripts", "tests", "docs", "setup.py", "pyproject.toml")
_FAULTS = "scripts/laboratory/sanitizing/faults"
_BUILD_FAULTS = f"""
import sys
from Cython.Build import cythonize
from setup import DIRECTIVES
from setuptools import Extension, setup
anew = sys.argv.pop() == "anew"
sources = [Extension("{_FAULTS.replace("/", ".")}", ["{_FAULTS}.py"])]
modules = cythonize(sources, build_dir="build/cython", compiler_directives=DIRECTIVES, force=anew)
setup(packages=[], ext_modules=modules)
"""
_MADE = {".so", ".c", ".pyc"}  # build products, which are not copied


def copy(root: Path, tree: Path) -> None:
    """Make `tree` equal to the project in `root`. Files that are equal keep their times."""
    wanted = {path.relative_to(root) for name in _COPIED for path in _files(root / name)}
    for path in wanted:
        source, target = root / path, tree / path
        if target.exists() and filecmp.cmp(source, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)  # with a new time, so that it is recompiled
        shutil.copymode(source, target)
    present = {path.relative_to(tree) for name in _COPIED for path in _files(tree / name)}
    for path in present - wanted:
        (tree / path).unlink()


def build(sanitizer: Sanitizer, tree: Path) -> None:
    """Compile the changes in `tree` and the planted faults. Raises SanitizerError with the output."""
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
