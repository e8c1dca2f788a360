"""Compile the kernel with Cython; where that cannot be done, the same .py files run as they are, slowly.

In a checkout the compiled modules lie beside their sources. What a wheel installs is one package, `lolli`,
with the others inside it: see scripts/releasing/one_package.py.

LOLLI_MARCH               the processor to build for, as in `cc -march=`; empty for the compiler's baseline. A
                          wheel may serve several, the best one last: LOLLI_MARCH="x86-64 x86-64-v3"
LOLLI_CFLAGS              options for the C compiler instead of -O3
LOLLI_REQUIRE_COMPILED=1  fail instead of falling back to plain Python
LOLLI_MODULES=chess       compile only what chess over UCI needs, and leave the other modules as they are
"""

import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from copy import copy
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

sys.path.insert(0, str(Path(__file__).resolve().parent))  # pip does not run this file as a script
from scripts.releasing import compiler, one_package

COMPILED = (
    "engine.system.cpu",
    "engine.system.control",
    "engine.board.attacks",
    "engine.board.zobrist",
    "engine.board.position",
    "engine.board.cycles",
    "engine.board.movegen",
    "engine.board.perft",
    "engine.board.packed",
    "engine.search.parameters",
    "engine.search.table",
    "engine.search.exchange",
    "engine.search.correction",
    "engine.search.probing",
    "engine.search.ordering",
    "engine.search.alphabeta",
    "engine.search.root_search",
    "engine.search.selfplay",
    "eval.evaluator",
    "eval.material",
    "eval.masks",
    "eval.endings",
    "eval.linear",
    "eval.network",
    "eval.network_bounds",
    "eval.batch",
    "eval.training.packing",
    "eval.training.trainer",
    "engine.games.rules.backgammon.board",
    "engine.games.rules.backgammon.learning",
    "engine.games.rules.backgammon.network",
    "engine.games.rules.checkers.board",
    "engine.games.rules.chinesecheckers",
    "engine.games.rules.compiled_state",
    "engine.games.rules.connectfour",
    "engine.games.rules.focus",
    "engine.games.rules.go.board",
    "engine.games.rules.go.playouts",
    "engine.games.rules.go.policy",
    "engine.games.rules.go.tactics",
    "engine.games.rules.othello",
    "engine.games.rules.othello_patterns",
    "engine.games.rules.virus",
    "engine.games.fast.best_reply",
    "engine.games.fast.nodes",
    "engine.games.fast.othello_endgame",
    "engine.games.fast.othello_search",
    "engine.games.networks.network",
    "engine.games.fast.puct",
    "engine.games.fast.puct_games",
    "engine.games.fast.solver",
    "engine.games.fast.uct",
)
SHARED = "engine.cython_shared"  # what Cython would otherwise put into each module: memoryviews, functions
OWN_OPTIONS = {
    # Loops over float32 become vectors if a square root need not set errno and a comparison may not trap;
    # the results are the same.
    "eval.training.trainer": ["-fno-math-errno", "-fno-trapping-math"],
    # Long code that runs once in a search or less; the compiler's time shows.
    "engine.search.parameters": ["-O1"],
    SHARED: ["-O1"],
}
BASELINE = (
    "engine.system.cpu",
    SHARED,
)  # run on every processor; the former says which of these the others need
FEATURES = (
    *("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "bmi", "bmi2", "fma", "aes", "pclmul"),
    *("f16c", "lzcnt", "movbe", "gfni", "vpclmulqdq"),
    *("avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512ifma", "avx512vbmi", "avx512vbmi2"),
    *("avx512vnni", "avx512bitalg", "avx512vpopcntdq"),
)  # those of engine/system/cpu.pxd that are not in every x86-64 processor
ZIG = ["-fPIC", "-fwrapv", "-DNDEBUG", "-Wno-unreachable-code"]
# In a wheel for the baseline alone: what learns, and what a better processor makes no faster.
ONCE = (
    *("engine.games.rules.chinesecheckers", "engine.games.rules.focus", "engine.games.rules.virus"),
    *("engine.games.rules.go.board", "engine.games.rules.go.playouts", "engine.games.rules.go.policy"),
    *("engine.games.rules.go.tactics", "engine.games.rules.compiled_state"),
    *("engine.games.rules.backgammon.board", "engine.games.rules.backgammon.learning"),
    *("engine.games.rules.checkers.board", "engine.games.fast.best_reply", "engine.games.fast.nodes"),
    *("engine.games.fast.uct", "engine.games.fast.puct", "engine.games.fast.puct_games"),
    *("engine.search.root_search", "engine.search.parameters", "engine.search.selfplay"),
    *("eval.training.packing", "eval.training.trainer"),
)
FALSE_ALARMS = ["-Wno-array-bounds", "-Wno-maybe-uninitialized"]  # of gcc, about code that Cython writes
MICROSOFT = ["/O2"]  # all that Microsoft's compiler is told
SLOW_PEXT = {"__bdver4__", "__znver1__", "__znver2__"}  # in microcode: slower than a multiplication
DIRECTIVES = {
    "language_level": 3,
    "auto_pickle": False,  # no state is pickled, and the code for it is an eighth of all
    "annotation_typing": False,  # annotations are for people and mypy; the C types stand in the .pxd
    "infer_types": True,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "show_performance_hints": False,
}
OPTIONS = os.environ.get("LOLLI_CFLAGS", "-O3").split()
WHEEL = not {"bdist_wheel", "build", "install"}.isdisjoint(sys.argv)  # or for the checkout, or an sdist
RECIPE = Path("build/package-recipe" if WHEEL else "build/recipe")  # how the last good build was made
SOURCES = Path("build/package") if WHEEL else Path()
SMALL = ["-fno-asynchronous-unwind-tables"] if WHEEL else []  # a wheel is downloaded
STRIPPED = ["-Wl,-s"] if WHEEL and sys.platform == "linux" else []
TELLING = Lock()  # several extensions are compiled at once
CHESS_ALONE = os.environ.get("LOLLI_MODULES") == "chess"
REQUIRED = os.environ.get("LOLLI_REQUIRE_COMPILED", "") not in {"", "0"}


class BuildExt(build_ext):
    """Build every extension or, where that fails and is allowed to, none."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()
        if self.inplace:
            self.build_lib = "build/inplace"  # the same for `build_ext --inplace` and an editable install

    def run(self) -> None:
        inplace = self.inplace  # setuptools resets it meanwhile
        try:
            super().run()
        except Exception as error:
            if REQUIRED:
                raise
            for output in self.get_outputs():
                Path(output).unlink(missing_ok=True)
            self.extensions = []
            if WHEEL:
                one_package.run_without_cython(Path(self.build_lib))
            warn(
                "THE KERNEL IS NOT COMPILED and runs, some 100 times slower, as plain Python"
                f" ({compiler.missing() or f'{type(error).__name__}: {error}'})"
            )
        if inplace:
            self.remove_leftovers()
        elif WHEEL:
            self.remove_all_else()

    def build_extensions(self) -> None:
        """Translate and compile; all anew where anything but the sources has changed."""
        from Cython.Build import cythonize  # noqa: PLC0415 - its absence, too, falls back

        if zig := compiler.from_pypi():
            warn("there is no C compiler: compiled with the one from PyPI, ziglang")
            self.compiler.set_executables(compiler_so=[*zig, *ZIG], linker_so=[*zig, "-shared"])
        known = self.predefined("") or set()
        quiet = FALSE_ALARMS if "__GNUC__" in known and "__clang__" not in known else []
        for each in self.extensions:
            own = each.extra_compile_args if self.speaks_gnu() else MICROSOFT
            each.extra_compile_args = [*quiet, *own]
        marches = self.choose_marches()
        needs = {march: "".join(f' NEED("{name}")' for name in self.features(march)) for march in marches}
        pext = {march: [("LOLLI_PEXT", "1")] if self.has_fast_pext(march) else [] for march in marches}
        recipe = repr(
            [
                *(version("cython"), DIRECTIVES, SMALL, STRIPPED, OPTIONS, OWN_OPTIONS, needs, pext),
                *([self.compiler.compiler_so, self.compiler.linker_so] if self.speaks_gnu() else []),
            ]
        )
        self.force = self.force or not RECIPE.exists() or RECIPE.read_text() != recipe
        RECIPE.unlink(missing_ok=True)
        *modules, shared = self.extensions
        if self.force or not Path(shared.sources[0]).exists():
            Path(shared.sources[0]).parent.mkdir(parents=True, exist_ok=True)
            words = (f"--generate-shared={shared.sources[0]}", "--module-name", shared.name)
            self.spawn([sys.executable, "-m", "cython", "-3", *words])
        translated = cythonize(
            modules,
            build_dir="build/cython",
            include_path=[str(SOURCES)],
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=shared.name,
            force=self.force,
            nthreads=self.parallel,
        )
        sources = {each.name: each.sources for each in translated}
        for each in modules:
            each.sources = sources[each.name]
        baseline = [each for each in self.extensions if each.name.endswith(BASELINE)]
        kernel = [each for each in self.extensions if each not in baseline]
        for each in baseline:
            each.define_macros = [
                ("LOLLI_MARCHES", f'"{" ".join(marches)}"'),
                ("LOLLI_NEEDS", " ".join(f'MARCH("{march}",{listed})' for march, listed in needs.items())),
            ]
        hot = [each for each in kernel if not each.name.endswith(ONCE)]
        better = [variant(each, march, pext[march]) for march in marches[1:] for each in hot]
        kernel = [variant(each, marches[0], pext[marches[0]], each.name) for each in kernel]
        self.extensions = [*baseline, *kernel, *better]
        self.stale = {each.name for each in self.extensions if self.is_stale(each)}
        self.made = 0
        super().build_extensions()
        RECIPE.parent.mkdir(exist_ok=True)
        RECIPE.write_text(recipe)

    def build_extension(self, ext: Extension) -> None:
        """Build one extension, its objects apart from those of the same sources for other processors."""
        apart = copy(self)
        apart.build_temp = f"{self.build_temp}/{ext.extra_compile_args[-1].lstrip('-/')}"
        super(BuildExt, apart).build_extension(ext)
        if ext.name in self.stale:
            with TELLING:
                self.made += 1
                print(f"[{self.made:2}/{len(self.stale)}] Compiled {ext.name}", flush=True)

    def is_stale(self, ext: Extension) -> bool:
        """Whether an extension has to be compiled."""
        return bool(
            self.force
            or newer_group([*ext.sources, *ext.depends], self.get_ext_fullpath(ext.name), missing="newer")
        )

    def choose_marches(self) -> list[str]:
        """LOLLI_MARCH, or what most machines of the last ten years have; empty for the baseline."""
        wanted = os.environ.get("LOLLI_MARCH")
        if not self.speaks_gnu():
            return [""]
        by_default = "x86-64-v3" if platform.machine() in {"x86_64", "AMD64"} else ""
        marches = (by_default if wanted is None else wanted).split(" ")
        if len(marches) > 1 and not WHEEL:
            sys.exit(f"LOLLI_MARCH={wanted}: only a wheel can serve several processors")
        unknown = [march for march in marches if march and self.predefined(march) is None]
        if not unknown:
            return marches
        self.spawn([*self.compiler.compiler_so, "-E", "-x", "c", os.devnull])  # any compiler at all?
        if wanted not in {None, "native"}:
            sys.exit(f"LOLLI_MARCH={wanted}: {self.compiler.compiler_so[0]} does not know {unknown[0]}")
        warn(f"{self.compiler.compiler_so[0]} does not know {unknown[0]}: built for its baseline")
        return [""]

    def features(self, march: str) -> list[str]:
        """The names of the instruction sets that code built for `march` may use."""
        macros = self.predefined(march) or set()
        return [name for name in FEATURES if f"__{name.upper().replace('.', '_')}__" in macros]

    def has_fast_pext(self, march: str) -> bool:
        """Whether PEXT is fast on every processor for which `march` stands.

        A level such as x86-64-v3 stands for AMD's before Zen 3, too, where it is slow.
        """
        if not march or march.startswith("x86-64"):
            return False
        macros = self.predefined(march) or set()
        return "__BMI2__" in macros and not macros & SLOW_PEXT

    def speaks_gnu(self) -> bool:
        """Whether the compiler takes the options of gcc, as all but Microsoft's do."""
        return str(self.compiler.compiler_type) != "msvc"

    def predefined(self, march: str) -> set[str] | None:
        """The macros that the compiler predefines for a processor, or None where it does not know it."""
        if not self.speaks_gnu():
            return None
        command = [*self.compiler.compiler_so, *compiler.options(march), "-dM", "-E", "-x", "c", os.devnull]
        try:
            listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
        except (OSError, subprocess.CalledProcessError):
            return None
        return {line.split()[1] for line in listing.splitlines() if line.startswith("#define ")}

    def remove_all_else(self) -> None:
        """Remove from the folder of the build what earlier builds have left: a wheel takes all of it."""
        packages: Any = self.get_finalized_command("build_py")
        outputs = [*packages.get_outputs(), *self.get_outputs()]
        kept = {Path(name).resolve() for name in (*outputs, f"{self.build_lib}/{one_package.SHADOW}")}
        for path in Path(self.build_lib).rglob("*"):
            if path.is_file() and path.resolve() not in kept:
                path.unlink()

    def remove_leftovers(self) -> None:
        """Remove compiled modules that this build did not make: they would shadow their .py."""
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        names = [each.name for each in self.extensions]
        made = {Path(name.replace(".", "/") + suffix) for name in (*names, *(COMPILED if names else ()))}
        for package in ("engine", "eval"):
            for found in Path(package).rglob(f"*{suffix}"):
                if found not in made:
                    found.unlink()


def warn(text: str) -> None:
    print(f"\n*** warning: {text}\n", file=sys.stderr, flush=True)


def is_chess(name: str) -> bool:
    """Whether chess over UCI needs a compiled module."""
    return not name.startswith(("engine.games.", "eval.training."))


def packages() -> list[str]:
    """The packages of a wheel, all in `lolli`; of a checkout, those at its top."""
    names = (one_package.NAME, *one_package.INSIDE)
    return find_packages(str(SOURCES), include=[each for name in names for each in (name, f"{name}.*")])


def variant(extension: Extension, march: str, macros: Iterable[tuple[str, str]], name: str = "") -> Extension:
    """The extension for a processor; engine/system/processor.py looks for it in the folder `march`."""
    top, _, inner = extension.name.partition(".")
    made = copy(extension)
    made.name = name or f"{top}.{march}.{inner}"
    made.define_macros = [*macros]
    made.extra_compile_args = [*extension.extra_compile_args, *compiler.options(march)]
    return made


def extension(name: str) -> Extension:
    """The compiled module that is called `name` in a checkout."""
    full_name = f"{one_package.NAME}.{name}" if WHEEL else name
    source = SOURCES / (full_name.replace(".", "/") + ".py")
    return Extension(
        full_name,
        [f"build/cython/{full_name}.c" if name == SHARED else str(source)],
        # Python's own options have -g, which takes a third of the time.
        extra_compile_args=["-g0", *SMALL, *OPTIONS, *OWN_OPTIONS.get(name, ())],
        extra_link_args=STRIPPED,
    )


if __name__ == "__main__":
    if sys.platform == "darwin":  # the Python from python.org would have it for two processors at once
        os.environ.setdefault("ARCHFLAGS", f"-arch {platform.machine()}")
    compiler.settle()
    if WHEEL:
        one_package.write(Path(), SOURCES, COMPILED)
    setup(
        packages=packages(),
        # Naming the root makes an editable install one line in a .pth file, no import hook, which takes time.
        package_dir={"": str(SOURCES)},
        ext_modules=[extension(name) for name in (*COMPILED, SHARED) if is_chess(name) or not CHESS_ALONE],
        cmdclass={"build_ext": BuildExt},
    )
