"""The engine's name, version, authors and licence, as `uci`, `--version` and `UCI_EngineAbout` show them."""

NAME = "Lolli"
VERSION = "0.1.0"
AUTHOR = "the Lolli authors"
LICENCE = "GPL-3.0-or-later"
ABOUT = f"{NAME} {VERSION}, a chess engine in Python; {LICENCE}; see README.md"
