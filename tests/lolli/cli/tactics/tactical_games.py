"""Short games with one right move in them."""

LEGAL = """\
[Event "Legal's mate"]
[Date "1750.??.??"]
[White "Legal"]
[Black "Saint Brie"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

"""
SCHOLAR = """\
[Event "Scholar's mate"]
[White "A"]
[Black "B"]
[Result "*"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Nf3 Nxh5 *

"""
"""White misses the mate, and Black takes the queen."""
QUIET = """\
[Event "Nothing happens"]
[White "C"]
[Black "D"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1/2-1/2

"""
FEW_NODES = ("--nodes", "4000", "--scan-nodes", "1000", "--hash", "1", "--skip", "0")
