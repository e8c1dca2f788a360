"""Positions and moves from what people type, paste or have in a file."""
