"""Where a person's own defaults are; apart from what reads them, since most people have none."""

import os

from engine.system import services

VARIABLE = "LOLLI_CONFIG"
_NAME = "config.toml"


def place() -> tuple[str, bool]:
    """The file, empty for none, and whether somebody named it, so that it has to be there."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return named, True
    return os.path.join(services.config_folder("lolli"), _NAME), False


def is_there() -> bool:
    """Whether there is something to read, or to complain about."""
    path, named = place()
    return bool(path) and (named or os.path.exists(path))
