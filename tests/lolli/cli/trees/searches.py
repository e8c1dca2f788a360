"""Searches that were watched, as the commands get them."""

from engine.games.catalogue import Rules
from engine.games.search.basics import SearchLimits
from lolli.cli.contest import entrants
from lolli.cli.trees import WatchedSearch, position_after, watched_search


def searched(searcher: str, game: str = "tree", text: str = "", moves: str = "") -> WatchedSearch:
    """What a searcher does in a game after some moves; `text`: which tree."""
    made = Rules(game, text=text).game()
    (entrant,) = entrants([searcher], made, SearchLimits())
    return watched_search(made, position_after(made, None, moves.split()), entrant, seed=0)
