"""scripts/bundle."""

from __future__ import annotations

import os
import sys
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import click

from . import archive, contents


@click.command()
@click.argument("target", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
def command(target: Path) -> None:
    """Make FILE: all of Lolli in one executable, for this machine and this Python.

    It goes on working wherever it is moved, without this folder, without .venv and without a network. Its
    first start unpacks it into $XDG_CACHE_HOME/lolli, or else ~/.cache/lolli, from where what has not been
    started for two days is removed again. What [report] and [cluster] add to an installation is not in it.
    """
    if not target.name or not os.access(target.parent, os.W_OK | os.X_OK):
        sys.exit(f"scripts/bundle: no file can be made in {target.parent}")
    with tempfile.TemporaryDirectory(prefix="lolli-bundle-") as name:
        site = Path(name).resolve()  # TMPDIR may be a relative path
        try:
            contents.collect(site)
            python = Path(sys.executable).resolve()  # not that of .venv
            archive.write(site, target, python, EXTENSION_SUFFIXES[0])
        except (archive.BundleError, OSError) as error:
            sys.exit(f"scripts/bundle: {error}")
    click.echo(f"{target}: {target.stat().st_size / 1e6:.1f} MB", err=True)
