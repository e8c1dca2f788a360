"""The folder of packages that a bundle carries: Lolli as it was built here, and what it needs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from .archive import BundleError

ROOT = Path(__file__).resolve().parent.parent.parent
NOT_NEEDED = {"cython"}  # only where the kernel is not compiled, and in a bundle it is


def collect(site: Path) -> None:
    """Fill the folder `site`. Raises BundleError where the kernel is not compiled or something fails."""
    modules = compiled()
    if not modules:
        raise BundleError("the kernel is not compiled: scripts/build --force")
    run("setup.py", "--quiet", "build_py", "--build-lib", str(site))
    for module in modules:
        shutil.copy(module, site / module.relative_to(ROOT))
    if strip := shutil.which("strip"):  # three quarters of the bytes are debug symbols
        subprocess.run([strip, "-S", *(site / each.relative_to(ROOT) for each in modules)], check=False)
    pip = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile")
    run(*pip, "--target", str(site), *requirements())
    shutil.rmtree(site / "bin", ignore_errors=True)  # commands of this .venv


def compiled() -> list[Path]:
    """The compiled modules that lie beside their sources."""
    return [
        path for package in ("engine", "eval") for path in (ROOT / package).rglob(f"*{EXTENSION_SUFFIXES[0]}")
    ]


def requirements() -> list[str]:
    """What pyproject.toml says that Lolli needs to run, compiled."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted: list[str] = tomllib.load(file)["project"]["dependencies"]
    return [each for each in wanted if re.split(r"[^\w.-]", each)[0].lower() not in NOT_NEEDED]


def run(*words: str) -> None:
    """Run this Python with `words`, in the root of the project; its output goes where ours goes."""
    status = subprocess.run([sys.executable, *words], cwd=ROOT, check=False).returncode
    if status:
        raise BundleError(f"{' '.join(words[:3])} … ended with status {status}")
