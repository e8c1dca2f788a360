"""The engine's name, version, authors and licence, as `uci`, `--version` and `UCI_EngineAbout` show them."""

import os

NAME = "Lolli"
VERSION = "0.1.0"
AUTHOR = "the Lolli authors"
LICENCE = "GPL-3.0-or-later"
ABOUT = f"{NAME} {VERSION}, a chess engine in Python; {LICENCE}; see README.md"


def build(checkout: str = os.path.dirname(os.path.dirname(__file__))) -> str:
    """The version; in a checkout with the commit, so that two in one match have different names."""
    return f"{VERSION} {_commit(checkout)}".rstrip()


def _commit(checkout: str) -> str:
    """The beginning of the commit's hash, as git has it in its files: to run git would take too long."""
    folder = os.path.join(checkout, ".git")
    if place := _content(folder):  # of a worktree
        folder = os.path.join(checkout, place.removeprefix("gitdir: "))
    head = _content(folder, "HEAD")
    branch = head.removeprefix("ref: ")
    if branch != head:
        shared = os.path.join(folder, _content(folder, "commondir"))
        packed = _content(shared, "packed-refs").splitlines()
        found = (line for line in packed if line.endswith(f" {branch}"))
        head = _content(shared, branch) or next(found, "")
    return head[:12]


def _content(*parts: str) -> str:
    try:
        with open(os.path.join(*parts), encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""
