"""Thousands of disturbed games in which the engine is watched: what is behind scripts/soak."""
