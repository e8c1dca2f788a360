"""A file to begin an exercise from: what its functions are given, and what they return."""

from engine.games.players.student import BEST_REPLY, ESTIMATE, MAXN, TRANSPOSITIONS, UCT

_MAX = """\
The value is what MAX gets, who is the player to move at the root. Others are MIN.
Below the root the player to move changes: pass MAX on to a function of your own."""
_CUT = "Cut where alpha >= beta."
_OF = {
    "minimax": _MAX,
    "alphabeta": f"{_MAX} {_CUT}",
    "expectiminimax": f"{_MAX} An outcome of chance costs no depth.",
    MAXN: "Each player wants the most for itself. Return what each player gets, and the move.",
    "paranoid": f"{_MAX} {_CUT}\nBelow chance begin with a new window; an outcome costs no depth.",
    BEST_REPLY: f"""\
{_MAX} {_CUT}
After a move of MAX one of `opponents`, the list of the other players, replies with the move that is worst
for MAX; the others pass. Then it is MAX's turn again. Ask the opponents in their order:

    state.turn(player)  the same board with another player to move""",
    TRANSPOSITIONS: f"""\
{_MAX}
States can be keys of a dict: search none of them twice, with alpha-beta or without.""",
}
_SEARCH = '''\
"""{name}: a search to write.

    state.player        who is to move: 0, 1, ..., CHANCE, or at the end of the game OVER
    state.moves()       the legal moves
    state.play(move)    the state after a move, or after an outcome of chance
    state.chances()     where chance is to move: pairs of an outcome and its probability
    state.payoff()      at the end of the game: what each player gets
    estimate(state)     before the end: a guess of what each player gets

`depth` is the number of moves to look ahead: where it is 0, take the estimate.
{more}
"""

CHANCE, OVER = -1, -2


def {name}({arguments}):
    """The {value} of the state, and the move to play."""
    best, best_move = None, None
    for move in state.moves():
        child = state.play(move)
        ...  # your search
    return best, best_move
'''
_UCT = '''\
"""UCT: selection and backpropagation. Expansion and random games are done for you.

    node.visits     how many simulations went through the node
    node.total      the sum of their results, from 0 to 1, for the player who moved to this node
    node.mover      that player: 0, 1, ...; -1 at the root and after chance
    node.children   a dict from moves to the nodes below, all of them visited
    node.state      the state there
"""

from math import log, sqrt


def select(node, exploration):
    """The child with the highest bound, mean + exploration * sqrt(ln N / n), with N visits here, n there."""
    ...


def backpropagate(path, results):
    """Count a simulation in each node of `path`, from the root on; `results` has one of each player."""
    ...
'''
_ESTIMATE = '''\
"""An evaluation function for tic-tac-toe: the lines that are still open.

A line is open to a player if the other has no man on it. The value is for X, player 0: the lines open to X
less those open to O, divided by 9.

    state.crosses   the squares of X as bits: 1 for A1, 2 for B1, 4 for C1, 8 for A2, ...
    state.noughts   the squares of O
"""

ROWS, COLUMNS, DIAGONALS = (0o7, 0o70, 0o700), (0o111, 0o222, 0o444), (0o421, 0o124)


def estimate(state):
    """What the position is worth for X."""
    ...
'''


def template(algorithm: str) -> str:
    if algorithm in _OF:
        more = ", opponents" if algorithm == BEST_REPLY else ""
        return _SEARCH.format(
            name=algorithm,
            more=_OF[algorithm],
            arguments=f"state, depth, estimate{more}",
            value="values" if algorithm == MAXN else "value",
        )
    return {UCT: _UCT, ESTIMATE: _ESTIMATE}[algorithm]
