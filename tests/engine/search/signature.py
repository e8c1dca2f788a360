"""What fixed searches find and how many nodes they take: the same compiled and plain."""

from engine.board.fen import parse_fen
from engine.board.notation import move_text
from engine.board.position import COMPILED
from engine.search.limits import Limits, Settings
from engine.search.parameters import NUMBERS
from eval.linear import Linear
from eval.network import Network
from tests.engine.search.searching import changed, deepening, last, opened, search
from tests.eval.some_networks import BY_RANK, random_network
from tests.eval.some_weights import standard_weights

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


WITH_EVALUATORS = (
    ("r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5", 3),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
    ("8/8/4k3/8/8/8/8/1N2KB2 w - - 0 1", 3),
    ("8/5k2/8/P7/3b4/3B4/1p4K1/8 b - - 0 1", 5),
    ("bnrbnkrq/pppppppp/8/8/8/8/PPPPPPPP/BNRBNKRQ w KQkq - 0 1", 3),
)


def evaluated() -> list[str]:
    """By each learned evaluator, all by the same one: what it makes of a root, and a search of it."""
    networks = (random_network(7, 32, BY_RANK, won=True, drawish=True), random_network(8, 128))
    linear, found = Linear(standard_weights()), []
    for less, evaluator in ((0, linear), *((1, Network(weights)) for weights in networks)):
        for fen, depth in WITH_EVALUATORS:
            run = deepening(fen, evaluator=evaluator)
            best = last(run, depth - less).best
            root = parse_fen(fen)
            found.append(f"{run.searcher.nodes} {best.score} {move_text(best.move, chess960=True)}")
            found.append(f"{evaluator.static_value(root)}")
    return found + [repr(linear.trace(parse_fen(fen))) for fen, _ in WITH_EVALUATORS]


def findings() -> list[str]:
    """All that a deepening with narrow windows tells, some of it cut short: moves, bounds, depths."""
    return [
        repr(each)
        for fen, depth in SEARCHES[1:6:2]
        for lines, limit in ((1, None), (1, 3000), (3, 2000))
        for each in deepening(fen, changed(**NARROW), lines, limit).deepen(depth, verbose_from=1)
    ]
