"""The C compiler: this machine's own or, where it has none, `python -m ziglang cc` from PyPI.

`python -m scripts.releasing.compiler` prints what to install with pip before a build. A build runs
this, so it needs the standard library alone.
"""

import importlib.util
import os
import platform
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

PACKAGE = "ziglang>=0.14"
_SYSTEMS = {"linux", "darwin"}  # on Windows, Python's own build tools look for Microsoft's compiler
_MACHINES = {"x86_64", "aarch64", "arm64"}
_USUAL = ("cc", "gcc", "clang")


def own() -> str | None:
    """CC, Python's own or one with a usual name; None without any."""
    if os.environ.get("CC"):
        return os.environ["CC"]
    configured = sysconfig.get_config_var("CC") or ""
    if configured and shutil.which(shlex.split(configured)[0]):
        return str(configured)
    return next((name for name in _USUAL if shutil.which(name)), None)


def settle() -> None:
    """If Python's own compiler is missing and another exists, have a build use that."""
    configured = shlex.split(sysconfig.get_config_var("CC") or "")
    if configured and not os.environ.get("CC") and not shutil.which(configured[0]) and (found := own()):
        os.environ["CC"] = found


def has_headers() -> bool:
    return any(Path(sysconfig.get_path(name), "Python.h").exists() for name in ("include", "platinclude"))


def requirements() -> list[str]:
    if sys.platform not in _SYSTEMS or platform.machine() not in _MACHINES:
        return []
    return [] if own() or not has_headers() else [PACKAGE]


def from_pypi() -> list[str] | None:
    """The words that start the compiler from PyPI; None where it is not needed, or not installed."""
    if sys.platform not in _SYSTEMS or own() or importlib.util.find_spec("ziglang") is None:
        return None
    return [sys.executable, "-m", "ziglang", "cc"]


def options(march: str) -> list[str]:
    """`march` as in `cc -march=`; the compiler from PyPI writes x86_64_v3."""
    if not march:
        return []
    return [f"-march={march.replace('-', '_') if from_pypi() else march}"]


def missing() -> str | None:
    """What the machine lacks to compile, with the remedy; None where nothing is known to be missing."""
    if not has_headers():
        return "Python.h is missing; on Debian and Ubuntu: apt install python3-dev"
    if sys.platform in _SYSTEMS and not own() and from_pypi() is None:
        return "there is no C compiler; on Debian and Ubuntu: apt install gcc"
    return None


if __name__ == "__main__":
    for requirement in requirements():
        if importlib.util.find_spec("ziglang") is None:
            print(requirement)
