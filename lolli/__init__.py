"""Lolli from Python: the chess engine in this process, positions by the million, and the other games.

>>> import chess, lolli
>>> with lolli.Engine() as engine:
...     info = engine.analyse(chess.Board(), chess.engine.Limit(nodes=10_000))
>>> info["depth"] > 5
True

What `__all__` names is stable; every other module, here and in the packages that this one rests on, is
private and may change from one version to the next. Boards, moves, limits and scores are those of
python-chess. Nothing is loaded before it is used: `import lolli` itself takes milliseconds.

Errors of engines and positions are `EngineError` of python-chess or classes derived from it, and leave the
engine as it was; an array of the wrong shape or type is a plain ValueError.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which takes time to load: a Ctrl-C may come before `main` heeds it
if TYPE_CHECKING:
    from chess.engine import EngineError, EngineTerminatedError

    from lolli import games as games
    from lolli._about import __version__
    from lolli._analysis import Analysis
    from lolli._async import AsyncAnalysis, AsyncEngine
    from lolli._engine import Engine
    from lolli._errors import LimitError, OptionError, PositionError
    from lolli._packing import pack, unpack
    from lolli._positions import evaluate_many, legal_moves, legal_moves_many, perft
    from lolli._results import BenchResult

__all__ = [
    "Analysis",
    "AsyncAnalysis",
    "AsyncEngine",
    "BenchResult",
    "Engine",
    "EngineError",
    "EngineTerminatedError",
    "LimitError",
    "OptionError",
    "PositionError",
    "__version__",
    "evaluate_many",
    "games",
    "legal_moves",
    "legal_moves_many",
    "pack",
    "perft",
    "unpack",
]

_HOMES = {
    "_about": ("__version__",),
    "_analysis": ("Analysis",),
    "_async": ("AsyncAnalysis", "AsyncEngine"),
    "_engine": ("Engine",),
    "_errors": ("EngineError", "EngineTerminatedError", "LimitError", "OptionError", "PositionError"),
    "_packing": ("pack", "unpack"),
    "_positions": ("evaluate_many", "legal_moves", "legal_moves_many", "perft"),
    "_results": ("BenchResult",),
}
"""In which module each name is, so that the command `lolli`, too, starts without loading them."""
_HOME = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # else no wrong name would be noticed

    def __getattr__(name: str) -> object:
        """A public name, when it is first asked for."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name != "__version__":
            import_module("._processor", __name__)
        if name == "games":
            return import_module(".games", __name__)
        found: object = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
