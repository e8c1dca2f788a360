"""Backgammon: learning to judge positions, and a match against GNU Backgammon."""
