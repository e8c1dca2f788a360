"""Policies and values learned by PUCT's games against itself, see docs/learning/policy.md."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded; the threads here are our own
