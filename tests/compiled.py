"""What setup.py compiles, and whether what lies beside the sources was made from them."""

import ast
import os
import re
import sysconfig
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX")
SHARED = "engine.cython_shared"  # what Cython puts into one module for all compiled ones; it has no source
CIMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+)?cimport\s+(.+)$", re.MULTILINE)


@cache
def compiled_names() -> tuple[str, ...]:
    for statement in ast.parse((ROOT / "setup.py").read_text()).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "COMPILED":
            return tuple(ast.literal_eval(statement.value))
    raise LookupError("setup.py has no COMPILED")


def source(name: str, suffix: str) -> Path:
    """The file of module `name` that ends in `suffix`, whether or not it exists."""
    return ROOT / (name.replace(".", "/") + suffix)


def cimports(name: str) -> set[str]:
    found = set()
    for package, listed in CIMPORT.findall(source(name, ".pxd").read_text()):
        names = [word.split(" as ")[0].strip(" ()") for word in listed.split(",")]
        found |= {package, *(f"{package}.{each}" for each in names)} if package else set(names)
    return {each for each in found if source(each, ".pxd").exists()}


def sources(name: str) -> set[Path]:
    """All files that compiled module `name` is made from: its own and every .pxd that these draw in."""
    declared, waiting = set(), {name}
    while waiting:
        declared |= waiting
        waiting = {found for each in waiting for found in cimports(each)} - declared
    return {source(name, ".py"), *(source(each, ".pxd") for each in declared)}


def is_stale(name: str) -> bool:
    made = source(name, SUFFIX).stat().st_mtime_ns
    return any(path.stat().st_mtime_ns > made for path in sources(name))


def problem() -> str | None:
    """Say why a test of the compiled modules would not test these sources; None where it would."""
    present = [name for name in compiled_names() if source(name, SUFFIX).exists()]
    absent = sorted({*compiled_names()} - {*present})
    on_disk = {path for top in ("engine", "eval") for path in (ROOT / top).rglob(f"*{SUFFIX}")}
    made = {source(name, SUFFIX) for name in (*present, SHARED)}
    leftover = sorted(str(path) for path in on_disk - made)
    required = os.environ.get("LOLLI_REQUIRE_COMPILED", "") not in {"", "0"}
    if leftover:
        return f"compiled, but not in setup.py: {', '.join(leftover)}; run scripts/build --force"
    if absent and (present or required):
        return f"not compiled: {', '.join(absent)}; run scripts/build --force"
    stale = [name for name in present if is_stale(name)]
    if stale:
        return f"compiled from older sources: {', '.join(stale)}; run scripts/build"
    return None
