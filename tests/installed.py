"""Run the tests against the `lolli` that is installed, not against the checkout: `pytest --installed`.

The tests import `engine`, `eval` and `protocol`. Here these are other names of the modules `lolli.engine`,
`lolli.eval` and `lolli.protocol`; those of the checkout are never imported.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = frozenset({"engine", "eval", "protocol"})


class SameModule(Loader):
    """Loads nothing: the module is the one inside `lolli`, and stays as it is."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(f"lolli.{spec.name}")
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own


class OtherNames(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        return ModuleSpec(fullname, SameModule()) if fullname.partition(".")[0] in PACKAGES else None


def install() -> str:
    """Make the rest of this process import the installed Lolli; returns its folder.

    Must come before any import of the engine. Raises ImportError where none is installed.
    """
    elsewhere = [place for place in sys.path if Path(place).resolve() != ROOT]
    sys.path, kept = elsewhere, sys.path  # the checkout has a package of that name, too
    try:
        lolli = importlib.import_module("lolli")
    finally:
        sys.path = kept
    if Path(lolli.__path__[0]).resolve().parent == ROOT:
        raise ImportError("lolli is installed from this checkout, not from a wheel")
    sys.meta_path.insert(0, OtherNames())
    return str(lolli.__path__[0])
