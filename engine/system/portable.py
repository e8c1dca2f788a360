"""What C compilers and processors have in different words; portable.pxd has all of it.

Plain Python needs only the size of a cache line: its integers have methods for bits, and
`engine.system.control` asks the standard library.
"""

CACHE_LINE = 64
"""The bytes of memory that processors pass on together.

Where one thread writes to a line, the others have to fetch all of it anew, though they may read another
part (false sharing). So each C class of which every thread of a search has one ends in at least a line of
bytes that are never written to: `_after`, where its arrays leave none unused.
"""
