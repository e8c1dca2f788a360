"""What fixed searches by networks find, and their nodes: the same compiled and plain."""

from engine.board.fen import parse_fen
from engine.board.notation import move_text
from eval.network import Network
from tests.engine.search.searching import deepening, last
from tests.eval.linear_signature import SEARCHES
from tests.eval.some_networks import BY_RANK, random_network


def lines() -> list[str]:
    """One line a search and one for the values of its root; all searches of a network by one evaluator."""
    found = []
    for weights in (random_network(7, 32, BY_RANK, won=True, drawish=True), random_network(8, 128)):
        network = Network(weights)
        for fen, depth in SEARCHES:
            run = deepening(fen, evaluator=network)
            best = last(run, depth - 1).best
            found.append(f"{run.searcher.nodes} {best.score} {move_text(best.move, chess960=True)}")
            values = network.explain(parse_fen(fen)).network
            found.append(f"{network.static_value(parse_fen(fen))} {values}")
    return found
