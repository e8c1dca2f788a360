"""What C compilers and processors have in different words, in portable.pxd; plain Python needs one number."""

CACHE_LINE = 64
"""Bytes of a cache line.

Against false sharing, each C class of which every thread of a search has one ends in at least a line that is
never written to: `_after`, where its arrays leave none unused.
"""
