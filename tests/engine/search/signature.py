"""What fixed searches find and how many nodes they take: the same compiled and plain."""

from engine.board.notation import move_text
from engine.board.position import COMPILED
from engine.search.limits import Limits, Settings
from engine.search.parameters import NUMBERS
from tests.engine.search.searching import changed, deepening, opened, search

SEARCHES = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7),
    ("r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9", 6),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 93 70", 4),
    ("8/5pk1/6p1/3P4/8/6P1/5PK1/8 w - - 0 1", 9),
    ("bnrbnkrq/pppppppp/8/8/8/8/PPPPPPPP/BNRBNKRQ w KQkq - 0 1", 5),
)
PARAMETERS: tuple[tuple[dict[str, int], int], ...] = (
    ({}, 0),
    ({"singular_extensions": 0}, 0),
    ({name: number.low for name, number in NUMBERS.items()}, 1),
    (
        {
            "null_verification": 6,
            "singular_depth": 4,
            "history_margin": 800,
            "correction_pawns": 512,
            "correction_pieces": 512,
        },
        1,
    ),
)
"""With the last two, which are searched a ply less deeply, all techniques are at work in small searches."""


NARROW = {"aspiration_window": 6}


def mode() -> str:
    return "compiled" if COMPILED else "plain"


def lines() -> list[str]:
    found = []
    for parameters, less in PARAMETERS:
        with opened(Settings(parameters=parameters, lines=2)) as session:
            for fen, depth in SEARCHES:
                heard = search(session, Limits(depth=depth - less), fen)  # on the table of those before it
                moves = " ".join(move_text(move, chess960=True) for move in heard.last.moves)
                found.append(f"{heard.last.nodes} {heard.value} {moves}")
    return found


def findings() -> list[str]:
    """All that a deepening with narrow windows tells, some of it cut short: moves, bounds, depths."""
    return [
        repr(each)
        for fen, depth in SEARCHES[1:6:2]
        for lines, limit in ((1, None), (1, 3000), (3, 2000))
        for each in deepening(fen, changed(**NARROW), lines, limit).deepen(depth, verbose_from=1)
    ]
