"""One module for each format: what is written in it, and what must hold of what is read."""
