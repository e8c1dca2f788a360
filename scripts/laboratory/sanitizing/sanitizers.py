"""The sanitizers: how to compile for each, and the environment in which what was compiled runs.

gcc's, because its runtimes come with the compiler that Lolli is built with anyway. The interpreter is not
instrumented. It need not be: it takes its lock, and every other, through pthreads, whose calls the thread
sanitizer watches wherever they come from. So what the lock orders is known to be ordered, and nothing has to
be suppressed for Python's sake. Only its own allocator must be left out (PYTHONMALLOC): the sanitizers
cannot see what it frees and hands out again.

CPython has its extensions compiled with -fwrapv, and so the signed numbers of the normal build wrap. Under
the sanitizers they may not: what is computed must not depend on how the interpreter was built.
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
_FAILED = 66  # the status of a process that has reported
_QUICK_TO_COMPILE = ("-Og", "-g1", "-fno-omit-frame-pointer")


class SanitizerError(RuntimeError):
    """Why a sanitizer cannot be used or the build for it failed, in one line."""


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """`preloaded`: libraries that must be there before the interpreter; `variables`: options by variable."""

    name: str
    compiling: tuple[str, ...]
    linking: tuple[str, ...]
    preloaded: tuple[str, ...]
    variables: dict[str, tuple[str, ...]]
    fixed_addresses: bool = False
    """Whether it cannot cope with memory being mapped anywhere at random."""

    def build_environment(self) -> dict[str, str]:
        """The environment in which setup.py builds for it."""
        flags = " ".join((*_QUICK_TO_COMPILE, *self.compiling))
        return {
            **os.environ,
            "CC": COMPILER,
            "LDFLAGS": " ".join(self.linking),
            "LOLLI_CFLAGS": flags,
            "LOLLI_REQUIRE_COMPILED": "1",
        }

    def run_environment(self, tree: Path, reports: Path, *, leaks: bool = False) -> dict[str, str]:
        """The environment in which Python imports from `tree` and each process writes what it reports to
        a file of its own in `reports`. Raises SanitizerError where the compiler lacks the runtime.

        `leaks`: whether the address sanitizer looks for lost memory when a process ends. It may crash where
        a thread is ending, too, and libraries such as numpy lose memory: so only where neither is there.
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
        """The words that start a program under it."""
        setarch = shutil.which("setarch") if self.fixed_addresses else None
        return [*([setarch, "-R"] if setarch else []), *map(str, words)]


ADDRESS = Sanitizer(
    "address",
    compiling=(
        "-fsanitize=address,undefined,float-cast-overflow,float-divide-by-zero",
        "-fno-sanitize-recover=all",
        "-fno-wrapv",
    ),
    # As a library of its own libubsan would not find its log: libasan answers in its place when it is told.
    linking=("-fsanitize=address,undefined", "-static-libubsan", "-Wl,--exclude-libs,libubsan.a"),
    # libstdc++: where an extension in C++ is loaded later, libasan cannot see what it throws.
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
    # It goes on after a race, to find all; the process fails in the end.
    variables={"TSAN_OPTIONS": (f'suppressions="{SUPPRESSIONS}"', "halt_on_error=0", "history_size=7")},
    fixed_addresses=True,
)
SANITIZERS = {each.name: each for each in (ADDRESS, THREAD)}


def library(name: str) -> str:
    """The path of a library that comes with the compiler. Raises SanitizerError where it does not."""
    try:
        found = subprocess.run(
            [COMPILER, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise SanitizerError(f"{COMPILER} cannot be run: {error}") from error
    if not Path(found).is_absolute():  # it gives the name back where it has no such file
        raise SanitizerError(f"{COMPILER} comes without {name}")
    return found


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
