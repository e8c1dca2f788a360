"""How memory is divided among threads.

Processors pass memory on in cache lines: where one writes to a line, the others have to fetch all of it anew,
though they may read another part (false sharing). So what a thread writes all the time must not share a line
with what another one reads or writes. Each C class of which every thread of a search has one therefore ends
in bytes that are never written to, at least a line of them: `_after` where its arrays leave none unused.
"""

CACHE_LINE = 64
"""Bytes."""
