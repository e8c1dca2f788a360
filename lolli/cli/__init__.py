"""The command line: clients of the Python interface, with the user's defaults from config.toml."""

import os
from functools import partial
from typing import TYPE_CHECKING

from engine.system import services

if TYPE_CHECKING:
    from engine.session import Session

CONFIG_VARIABLE = "LOLLI_CONFIG"


def config_file() -> tuple[str, bool]:
    """The user's config file, empty for none; and whether it was named, so that it has to exist."""
    named = os.environ.get(CONFIG_VARIABLE)
    if named is not None:
        return named, True
    return os.path.join(services.config_folder("lolli"), "config.toml"), False


def has_config() -> bool:
    """Whether there is something to read, or to complain about."""
    path, named = config_file()
    return bool(path) and (named or os.path.exists(path))


def speak_uci(session: "Session | None" = None) -> None:
    """Speak UCI with the user's defaults, but with the evaluator of a given session."""
    from protocol.uci.dialogue import main  # noqa: PLC0415 - not for the commands

    own = None
    if has_config():
        from lolli.cli.config import uci_defaults  # noqa: PLC0415 - most people have no such file

        own = partial(uci_defaults, keeps_evaluator=session is not None)
    main(session, own)
