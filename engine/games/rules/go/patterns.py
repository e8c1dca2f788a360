"""The patterns of Go: shapes around a point that are worth a reply in a playout.

They are those of Gelly, Wang, Munos and Teytaud, Modification of UCT with Patterns in Monte-Carlo Go
(INRIA RR-6062, 2006), with a few of the same kind at the edge.
"""

from itertools import product

SHAPES = [0] * 65536

_PATTERNS = (
    # The point in the middle is empty. X and O are the two colours, either way round; a dot is empty,
    # a bar the edge, x anything but X, o anything but O, a question mark anything.
    ("XOX", "...", "???"),  # hane that encloses
    ("XO.", "...", "?.?"),  # hane that does not cut
    ("XO?", "X..", "x.?"),  # magari
    (".O.", "X..", "..."),  # katatsuke
    ("XO?", "O.o", "?o?"),  # a cut that nothing protects
    ("XO?", "O.X", "???"),  # a cut that has been peeped at
    ("?X?", "O.O", "ooo"),  # a push between two
    ("OX?", "o.O", "???"),  # a cut at the knight's move
    ("X.?", "O.?", "|||"),  # chase along the edge
    ("OX?", "X.O", "|||"),  # block a cut at the edge
    ("?X?", "x.O", "|||"),  # block a connection at the edge
    ("?XO", "x.x", "|||"),  # descent to the edge
    ("?OX", "X.O", "|||"),  # cut at the edge
)
_MEANS = {".": "0", "X": "1", "O": "2", "|": "3", "x": "023", "o": "013", "?": "0123"}
_SWAPPED = (0, 2, 1, 3)


def _expanded(pattern: tuple[str, str, str]) -> set[tuple[int, ...]]:
    """The eight neighbours, clockwise from the upper left, that a pattern allows."""
    top, middle, bottom = pattern
    around = (*top, middle[2], *reversed(bottom), middle[0])
    return {tuple(map(int, ring)) for ring in product(*[_MEANS[mark] for mark in around])}


def _fill_shapes() -> None:
    """Enter every pattern, turned, mirrored and with its colours changed."""
    for pattern in _PATTERNS:
        for one in _expanded(pattern):
            for ring in (one, one[::-1]):
                for turned in (ring, ring[2:] + ring[:2], ring[4:] + ring[:4], ring[6:] + ring[:6]):
                    code = other = 0
                    for place, mark in enumerate(turned):
                        code += mark << (2 * place)
                        other += _SWAPPED[mark] << (2 * place)
                    SHAPES[code] = SHAPES[other] = 1


_fill_shapes()
