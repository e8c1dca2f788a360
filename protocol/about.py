"""Who the engine is: the words that `uci`, `--version` and `UCI_EngineAbout` print."""

NAME = "Lolli"
VERSION = "0.1.0"
AUTHOR = "the Lolli authors"
LICENCE = "GPL-3.0-or-later"
ABOUT = f"{NAME} {VERSION}, a chess engine in Python; {LICENCE}; README.md tells more"
