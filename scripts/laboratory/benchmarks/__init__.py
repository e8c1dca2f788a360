"""Lolli's speed beside that of other engines: what is behind scripts/bench_*."""
