"""`scripts/bundle`: all of Lolli, as built here, in one executable file.

The file is a zipapp. It unpacks its packages at its first start (see unpack.py).
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipapp
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import click

from eval.network_file import STANDARD, load_network
from eval.weight_file import WeightsError

UNPACK = Path(__file__).parent / "unpack.py"
LONGEST = 120  # bytes of the path after #!, by the strictest system in use


class BundleError(Exception):
    """A bundle cannot be made. The message is one line that says why."""


def write(site: Path, target: Path, python: Path, suffix: str) -> None:
    """The same packages make the same file. An older `target` stays until the new one is complete."""
    if len(str(python)) > LONGEST or len(str(python).split()) != 1:
        raise BundleError(f"{python}: too long for the first line of a script, or contains a space")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as name:
        source = Path(name) / "source"
        source.mkdir()
        compress(site, source / "site.zip")
        (source / "__main__.py").write_bytes(UNPACK.read_bytes())
        key = hashlib.sha256((source / "site.zip").read_bytes()).hexdigest()[:16]
        (source / "build").write_text(f"{key} {suffix}\n")
        made = Path(name) / target.name
        zipapp.create_archive(source, made, f"{python} -IS")  # without the user's own settings and packages
        made.chmod(0o755)
        made.replace(target)


def compress(folder: Path, target: Path) -> None:
    """Without the times of the files, so that the same files make the same zip."""
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for path in files(folder):
            entry = ZipInfo(path.relative_to(folder).as_posix())
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as source, archive.open(entry, "w") as compressed:
                shutil.copyfileobj(source, compressed)


def files(folder: Path) -> Iterable[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


ROOT = Path(__file__).resolve().parent.parent.parent


def collect(site: Path, network: Path | None = None) -> None:
    """Raises BundleError if the kernel is not compiled or a step fails."""
    if network is not None:
        load_network(network)
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
    if network is not None:
        shutil.copy(network, site / Path(STANDARD).relative_to(ROOT))


def compiled() -> list[Path]:
    return [
        path for package in ("engine", "eval") for path in (ROOT / package).rglob(f"*{EXTENSION_SUFFIXES[0]}")
    ]


def requirements() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted: list[str] = tomllib.load(file)["project"]["dependencies"]
    return wanted


def run(*words: str) -> None:
    status = subprocess.run([sys.executable, *words], cwd=ROOT, check=False).returncode
    if status:
        raise BundleError(f"{' '.join(words[:3])} … failed with status {status}")


@click.command()
@click.argument("target", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--network", type=click.Path(path_type=Path), help="Include this network instead of the usual one."
)
def bundle(target: Path, network: Path | None) -> None:
    """Make FILE: all of Lolli in one executable, for this machine and this Python.

    The file can be moved anywhere, and needs neither this folder nor .venv nor a network. Its first start
    unpacks it into $XDG_CACHE_HOME/lolli or ~/.cache/lolli, and removes versions there that have not been
    started for two days. The extras [report] and [cluster] are not included.
    """
    if not target.name or not os.access(target.parent, os.W_OK | os.X_OK):
        sys.exit(f"scripts/bundle: cannot write to {target.parent}")
    with tempfile.TemporaryDirectory(prefix="lolli-bundle-") as name:
        site = Path(name).resolve()  # TMPDIR may be a relative path
        try:
            collect(site, network)
            python = Path(sys.executable).resolve()  # not that of .venv
            write(site, target, python, EXTENSION_SUFFIXES[0])
        except (BundleError, WeightsError, OSError) as error:
            sys.exit(f"scripts/bundle: {error}")
    click.echo(f"{target}: {target.stat().st_size / 1e6:.1f} MB", err=True)
