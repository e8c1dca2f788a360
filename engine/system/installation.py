"""How this Lolli was installed, for advice that names the command that helps; imported only for that."""

import json
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

_TOP = Path(__file__).resolve().parent.parent.parent
_BUNDLE_AGAIN = "make the file again with scripts/bundle"
_COMMANDS = {
    "checkout": (
        "scripts/build --dev",
        "restore what `git status` shows as deleted, then scripts/build --dev",
        "scripts/build --force",
    ),
    "bundle": ("a file of scripts/bundle cannot have them: use a checkout", _BUNDLE_AGAIN, _BUNDLE_AGAIN),
    "pipx": (
        "pipx install --force {lolli}",
        "pipx install --force {lolli}",
        "LOLLI_MARCH=native pipx install --force --pip-args='--no-binary lolli' {lolli}",
    ),
    "uv tool": (
        "uv tool install {lolli}",
        "uv tool install --reinstall {lolli}",
        "LOLLI_MARCH=native uv tool install --reinstall --no-binary-package lolli {lolli}",
    ),
    "uv": (
        "uv pip install {lolli}",
        "uv pip install --reinstall-package lolli {lolli}",
        "LOLLI_MARCH=native uv pip install --reinstall-package lolli --no-binary-package lolli {lolli}",
    ),
    "pip": (
        "{python} -m pip install {lolli}",
        "{python} -m pip install --force-reinstall {lolli}",
        "LOLLI_MARCH=native {python} -m pip install --force-reinstall --no-deps --no-binary lolli {lolli}",
    ),
}
"""By what installed it: how to add an extra, to repair it, and to compile it for this processor."""


def installer() -> str:
    """What this Lolli was installed by: checkout, bundle, pipx, uv tool, uv or pip."""
    if (_TOP / "setup.py").exists():
        return "checkout"
    if bundle() is not None:
        return "bundle"
    if Path(sys.prefix, "pipx_metadata.json").exists():
        return "pipx"
    if Path(sys.prefix, "uv-receipt.toml").exists():
        return "uv tool"
    return "uv" if _metadata("INSTALLER").strip() == "uv" else "pip"


def bundle() -> Path | None:
    """The one file of scripts/bundle that was started; None if it was something else."""
    started = Path(getattr(sys.modules["__main__"], "__file__", None) or "").parent  # __main__.py is inside
    return started if started.is_file() else None


def to_add(extra: str) -> str:
    """The command that adds what the optional dependencies `extra` need, or why none can."""
    return _command(0, _installed(f"lolli[{extra}]"))


def to_repair() -> str:
    """The command that installs all of Lolli once more."""
    return _command(1, _installed("lolli"))


def to_compile() -> str:
    """The command that compiles the engine on this machine, for its processor."""
    origin = _origin()
    return _command(2, "lolli" if not origin or origin.endswith(".whl") else f"'{origin}'")


def _command(place: int, lolli: str) -> str:
    return _COMMANDS[installer()][place].format(lolli=lolli, python=sys.executable)


def _installed(name: str) -> str:
    origin = _origin()
    return f"'{name}{f' @ {origin}' if origin else ''}'"


def _origin() -> str:
    """The address of the file, folder or repository that was installed; empty for a package index."""
    told = json.loads(_metadata("direct_url.json") or "{}")
    address = told.get("url", "")
    return f"git+{address}" if "vcs_info" in told else address


def _metadata(name: str) -> str:
    """A file that the installer has left; empty where there is none."""
    try:
        return Distribution.from_name("lolli").read_text(name) or ""
    except PackageNotFoundError:
        return ""
