"""Lolli against GNU Go: what is behind scripts/match_go."""
