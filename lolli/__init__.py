"""Lolli, a chess engine. `python -m lolli` is the command `lolli`.

Importing this package takes no time: the command stands on it, and a GUI waits for its start.
"""

from protocol import about

__all__ = ["__version__"]

__version__ = about.VERSION
