"""What is measured for each page of docs/searchers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearcherSetting:
    """A game, and what is asked of the searchers in it.

    `depths` are searcher and plies, whose nodes and time are measured on positions after `plies` random
    moves; `players` meet in a tournament with the same time a move.
    """

    game: str
    title: str
    seats: int | None = None
    size: int | None = None
    plies: int = 6
    depths: tuple[tuple[str, int], ...] = ()
    players: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """One page: `name` is that of the file in docs/searchers, without its ending."""

    name: str
    settings: tuple[SearcherSetting, ...]


_SWITCHES = ("transpositions", "principal", "killers", "history", "quiescence")


def _two_players(game: str, title: str, depth: int, size: int | None = None) -> SearcherSetting:
    without = tuple((f"enhanced:{name}=off", depth) for name in _SWITCHES)
    return SearcherSetting(
        game,
        title,
        size=size,
        depths=(("minimax", depth), ("alphabeta", depth), ("enhanced", depth), *without),
        players=("enhanced", "alphabeta", "minimax", "uct", "random"),
    )


_MANY = ("maxn", "paranoid", "bestreply", "threat-ads")

FAMILIES = (
    Family(
        "minimax",
        (_two_players("connectfour", "Connect Four", 7), _two_players("othello", "Othello, 6x6", 6, size=6)),
    ),
    Family(
        "expectiminimax",
        (
            SearcherSetting(
                "backgammon",
                "Backgammon",
                plies=7,
                depths=(
                    ("expectiminimax:pruning=none", 1),
                    ("expectiminimax:pruning=none", 2),
                    ("expectiminimax:pruning=reset", 2),
                    ("expectiminimax:pruning=star1", 2),
                ),
                players=("expectiminimax:depth=1", "uct", "montecarlo", "random"),
            ),
        ),
    ),
    Family(
        "many-players",
        (
            SearcherSetting(
                "virus",
                "Virus, four players, 7x7",
                seats=4,
                size=7,
                plies=12,
                depths=tuple((name, 4) for name in _MANY),
                players=(*_MANY, "uct", "random"),
            ),
            SearcherSetting(
                "focus",
                "Focus, three players",
                seats=3,
                plies=12,
                depths=tuple((name, 3) for name in _MANY),
                players=(*_MANY, "random"),
            ),
        ),
    ),
    Family(
        "monte-carlo",
        (
            SearcherSetting(
                "connectfour",
                "Connect Four",
                players=("treesearch", "uct", "uct:exploration=0.5", "montecarlo", "enhanced", "random"),
            ),
            SearcherSetting(
                "othello",
                "Othello",
                players=("treesearch", "uct", "uct:exploration=0.5", "montecarlo", "enhanced", "random"),
            ),
        ),
    ),
)
