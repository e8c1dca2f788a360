"""The tables of docs/searchers: what is behind scripts/measure_searchers."""
