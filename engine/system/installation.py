"""How this Lolli was installed, for advice that names the command that helps; imported only for that."""

import json
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

_TOP = Path(__file__).resolve().parent.parent.parent
_BUNDLE_AGAIN = "make the file again with scripts/bundle"
_COMMANDS = {
    "checkout": ("scripts/build --dev", "scripts/build --force"),
    "bundle": (_BUNDLE_AGAIN, _BUNDLE_AGAIN),
    "pipx": (
        "pipx install --force {lolli}",
        "pipx install --force --pip-args='--no-binary lolli' {lolli}",
    ),
    "uv tool": (
        "uv tool install {lolli}",
        "uv tool install --reinstall --no-binary-package lolli {lolli}",
    ),
    "uv": (
        "uv pip install {lolli}",
        "uv pip install --reinstall-package lolli --no-binary-package lolli {lolli}",
    ),
    "pip": (
        "{python} -m pip install {lolli}",
        "{python} -m pip install --force-reinstall --no-deps --no-binary lolli {lolli}",
    ),
}
"""By what installed it: the commands that add an extra, and that compile it from source."""


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


def to_add(extra: str = "") -> str:
    """The command that installs Lolli once more, with what its optional dependencies `extra` need."""
    origin = _origin()
    lolli = f"'lolli{f'[{extra}]' if extra else ''}{f' @ {origin}' if origin else ''}'"
    return _COMMANDS[installer()][0].format(lolli=lolli, python=sys.executable)


def to_compile() -> str:
    """The command that compiles the engine on this machine, for the processor that LOLLI_MARCH names."""
    origin = _origin()
    lolli = "lolli" if not origin or origin.endswith(".whl") else f"'{origin}'"
    return _COMMANDS[installer()][1].format(lolli=lolli, python=sys.executable)


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
