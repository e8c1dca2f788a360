"""Run Lolli's Python source as it is, although compiled modules lie beside it.

`python tests/pure.py bench` is `lolli bench` without the compiled kernel.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = frozenset({"engine", "eval"})


class PlainFinder(MetaPathFinder):
    """Finds the .py of each module under PACKAGES, never the compiled module that would come before it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if fullname.partition(".")[0] not in PACKAGES:
            return None
        base = ROOT.joinpath(*fullname.split("."))
        package = base / "__init__.py"
        if package.exists():
            return spec_from_file_location(fullname, package, submodule_search_locations=[str(base)])
        module = base.with_suffix(".py")
        return spec_from_file_location(fullname, module) if module.exists() else None


def install() -> None:
    """Make the rest of this process import plain Python only. Must come before any import of the engine."""
    loaded = sorted(name for name in sys.modules if name.partition(".")[0] in PACKAGES)
    if loaded:
        raise RuntimeError(f"already imported, perhaps compiled: {', '.join(loaded)}")
    sys.meta_path.insert(0, PlainFinder())


if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # not this folder, whose names shadow others
    install()
    from lolli.__main__ import main

    main()
