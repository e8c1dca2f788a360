"""How long a test waits for what comes at once, unless something hangs."""

PATIENCE = 240.0
"""Seconds: less than pytest allows a test, more than a machine with twenty busy programs takes."""
