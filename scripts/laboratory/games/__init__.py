"""The other games: matches against their own programs, and the measurements of docs/searchers."""
