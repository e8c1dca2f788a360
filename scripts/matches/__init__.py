"""Engine against engine: what is behind scripts/match and scripts/openings."""
