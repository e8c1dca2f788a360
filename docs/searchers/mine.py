"""Alpha-beta as a student might hand it in: nearly right."""

from math import inf

CHANCE, OVER = -1, -2


def alphabeta(state, depth, estimate):
    """The value of the state, and the move to play."""
    return search(state, depth, -inf, inf, state.player, estimate)


def search(state, depth, alpha, beta, me, estimate):
    if state.player == OVER:
        return state.payoff()[me], None
    if depth == 0:
        return estimate(state)[me], None
    best, best_move = -inf if state.player == me else inf, None
    for move in state.moves():
        value, _ = search(state.play(move), depth - 1, alpha, beta, me, estimate)
        if state.player == me and value > best:
            best, best_move = value, move
            alpha = max(alpha, best)
        elif state.player != me and value < best:
            best, best_move = value, move
            beta = min(beta, best)
        if alpha > beta:
            break
    return best, best_move
