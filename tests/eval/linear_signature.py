"""What fixed searches by the linear evaluation find, and their nodes: the same compiled and plain."""

from engine.board.fen import parse_fen
from engine.board.notation import move_text
from engine.board.position import COMPILED
from eval.linear import Linear
from eval.training.tuner import hand_set
from tests.engine.search.searching import deepening, last

SEARCHES = (
    ("r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5", 3),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
    ("8/8/4k3/8/8/8/8/1N2KB2 w - - 0 1", 3),
    ("8/5k2/8/P7/3b4/3B4/1p4K1/8 b - - 0 1", 5),
    ("bnrbnkrq/pppppppp/8/8/8/8/PPPPPPPP/BNRBNKRQ w KQkq - 0 1", 3),
)


def mode() -> str:
    return "compiled" if COMPILED else "plain"


def lines() -> list[str]:
    """One line a search, all by the same evaluator, and one for what it makes of the root."""
    linear = Linear(hand_set())
    found = []
    for fen, depth in SEARCHES:
        run = deepening(fen, evaluator=linear)
        best = last(run, depth).best
        trace = linear.trace(parse_fen(fen))
        found.append(f"{run.searcher.nodes} {best.score} {move_text(best.move, chess960=True)}")
        found.append(f"{trace.value} {trace.phase} {trace.scale} {sorted(trace.counts.items())}")
    return found
