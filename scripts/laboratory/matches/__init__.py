"""Engine against engine: what is behind scripts/lab match and scripts/openings."""
