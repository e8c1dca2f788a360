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
engine unchanged; an array of the wrong shape or type is a plain ValueError.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which takes time to load: a Ctrl-C may come before `main` heeds it
if TYPE_CHECKING:
    from lolli import games as games
    from lolli._async import AsyncAnalysis, AsyncEngine
    from lolli._coach import Accuracy, Explanation, accuracy, annotate, explain
    from lolli._engine import BenchResult, Engine
    from lolli._errors import EngineError, EngineTerminatedError, LimitError, OptionError, PositionError
    from lolli._positions import evaluate_many, legal_moves, legal_moves_many, pack, perft, unpack
    from lolli._puzzles import Puzzle, puzzles
    from lolli._search import Analysis
    from protocol.about import VERSION as __version__  # noqa: N811

__all__ = [
    "Accuracy",
    "Analysis",
    "AsyncAnalysis",
    "AsyncEngine",
    "BenchResult",
    "Engine",
    "EngineError",
    "EngineTerminatedError",
    "Explanation",
    "LimitError",
    "OptionError",
    "PositionError",
    "Puzzle",
    "__version__",
    "accuracy",
    "annotate",
    "evaluate_many",
    "explain",
    "games",
    "legal_moves",
    "legal_moves_many",
    "pack",
    "perft",
    "puzzles",
    "unpack",
]
_HOMES = ("_errors", "_positions", "_engine", "_async", "_coach", "_puzzles")

if not TYPE_CHECKING:  # else a type checker would take every name

    def __getattr__(name: str) -> object:
        """Load a public name when it is first used, so that `lolli` as a command starts without it."""
        if name == "__version__":
            from protocol.about import VERSION  # noqa: PLC0415 - see above

            return VERSION
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from engine.system.processor import problem  # noqa: PLC0415

        if (why := problem()) is not None:
            raise ImportError(why)  # the compiled modules would crash
        if name == "games":
            return import_module("lolli.games")
        homes = map(import_module, (f"lolli.{home}" for home in _HOMES))
        found = globals()[name] = next(getattr(home, name) for home in homes if hasattr(home, name))
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
