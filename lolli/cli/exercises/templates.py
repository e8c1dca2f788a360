"""A file to begin an exercise from: what its functions are given and what they return."""

from engine.games.players.student import ESTIMATE, MAXN, TRANSPOSITIONS, UCT

_STATE = """A state, as a search sees it:

    state.player        who is to move: 0, 1, ...; CHANCE is -1; OVER, at the end of the game, is -2
    state.moves()       the legal moves, always in the same order
    state.play(move)    the state after a move or an outcome; the state itself does not change
    state.chances()     where chance is to move: pairs of outcome and probability
    state.payoff()      at the end: what each player gets, as a list
    estimate(state)     before the end: a guess of what each player will get, as a list
"""
_RULES = """MAX is the player to move at the root, and the value is what MAX gets.
`depth` counts moves: 0 is a leaf, with its estimate.
"""
_OF = {
    "minimax": "All others are MIN.",
    "alphabeta": "All others are MIN. Cut where alpha >= beta.",
    "expectiminimax": "The other is MIN. What chance does is no move: it costs no depth.",
    MAXN: "Each player wants the most for itself. Return a value for each player, and the move.",
    "paranoid": "All others are MIN together. Cut where alpha >= beta; begin with a new window below chance.",
    "bestreply": """After a move of MAX one of the `opponents`, a list of players, replies: the one whose move is worst for MAX.
All others pass, and then it is MAX's turn again. A reply is a move, too: it costs depth.

    state.turn(player)  the same board with another player to move

Ask the opponents in their order. Cut where alpha >= beta.""",
    TRANSPOSITIONS: """All others are MIN. States can be keys of a dict: search none twice, with or without alpha-beta.""",
}
_SEARCH = '''"""{title}

{state}
{rules}{more}
"""

from math import inf

CHANCE, OVER = -1, -2


def {name}({arguments}):
    """The {value} of the state, and the move to play."""
    best, best_move = None, None
    for move in state.moves():
        child = state.play(move)
        ...  # your search
    return best, best_move
'''
_UCT = '''"""UCT: selection and backpropagation. Expansion and random games are done for you.

A node of the tree:

    node.visits         how many simulations went through it
    node.total          the sum of their results, each from 0 to 1, for the player who moved to this node
    node.mover          that player: 0, 1, ...; -1 at the root and after chance
    node.children       a dict from the moves to the nodes below, all with a visit
    node.state          the state, with its player to move
"""

from math import log, sqrt


def select(node, exploration):
    """The child with the highest upper confidence bound: mean + exploration * sqrt(ln N / n)."""
    ...


def backpropagate(path, results):
    """Count a simulation in each node of the path, from the root on; `results` has a number for each player."""
    ...
'''
_ESTIMATE = '''"""An evaluation function for tic-tac-toe: the lines that are still open.

A line is open to a player if the other has no man on it. The value is for X: the lines open to X less those
open to O, divided by 9.

    state.crosses       the squares of X, who is player 0, as bits: 1 for A1, 2 for B1, 4 for C1, 8 for A2, ...
    state.noughts       the squares of O in the same way
"""

LINES = (0b000000111, 0b000111000, 0b111000000, 0b001001001, 0b010010010, 0b100100100, 0b100010001, 0b001010100)


def estimate(state):
    """What the position is worth for X."""
    ...
'''


def template(algorithm: str) -> str:
    if algorithm == UCT:
        return _UCT
    if algorithm == ESTIMATE:
        return _ESTIMATE
    more = ", opponents" if algorithm == "bestreply" else ""
    return _SEARCH.format(
        title=f"{algorithm}: a search to write.",
        state=_STATE,
        rules="" if algorithm == MAXN else _RULES,
        more=_OF[algorithm],
        name=algorithm,
        arguments=f"state, depth, estimate{more}",
        value="values" if algorithm == MAXN else "value",
    )
