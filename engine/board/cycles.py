"""Upcoming repetitions: whether one reversible move repeats a position, without making moves.

Cuckoo tables tell which move, if any, leads from one Zobrist key to another. Each change of key has two
slots, of which it takes one (cuckoo hashing: R. Pagh and F. Rodler, 2001). The use in chess is M. van
Kervinck's, 2013:
https://marcelk.net/2013-04-06/paper/upcoming-rep-v2.pdf
"""

import cython

from engine.board.position import Position

if not cython.compiled:
    from engine.board.attacks import BETWEEN
    from engine.board.bitboard import KING, KNIGHT, bit
    from engine.board.move import NO_MOVE, QUIET, from_to, new_move
    from engine.board.movegen import reach
    from engine.board.zobrist import PIECE_KEYS, SIDE_KEY

    CYCLE_BITS, CYCLE_SLOTS = 13, 8192

    def first_slot(change: int) -> int:
        """One of the two slots of a change of key."""
        return change & (CYCLE_SLOTS - 1)

    def second_slot(change: int) -> int:
        """The other slot of a change of key."""
        return (change >> CYCLE_BITS) & (CYCLE_SLOTS - 1)

    def reversible_move(change: int) -> int:
        """The move that changes a key so, in one of its two directions; NO_MOVE if none does.

        The board is not looked at: the caller checks that the way is free. Pawn moves and castling are not in
        the tables.
        """
        slot = first_slot(change)
        if CYCLE_KEYS[slot] != change:
            slot = second_slot(change)
        return CYCLE_MOVES[slot] if CYCLE_KEYS[slot] == change else NO_MOVE


CYCLE_KEYS = [0] * 8192
CYCLE_MOVES = [0] * 8192


def has_upcoming_repetition(pos: Position, ply: int) -> bool:
    """Whether one reversible move joins the position, `ply` plies below the root, to an earlier one.

    To one below the root, an odd number of plies back, three or more. If the mover has that move, he can
    repeat. If the opponent had it, he could have come here at once, and has gained nothing by the way round.
    So the mover may count on a draw.
    """
    first = max(pos.height - min(pos.reversible, ply - 1), 0)
    i = pos.height - 3
    while i >= first:
        move = reversible_move(pos.key ^ pos.undo_key[i])
        if move != NO_MOVE and not BETWEEN[from_to(move)] & (pos.by_colour[0] | pos.by_colour[1]):
            return True
        i -= 2
    return False


def _insert(change: int, move: int) -> None:
    """Put a move into its first slot; whatever was there goes to its other one, and so on.

    This ends, as the keys are always the same and the moves fill less than half of the slots.
    """
    slot = first_slot(change)
    while move != NO_MOVE:
        CYCLE_KEYS[slot], change = change, CYCLE_KEYS[slot]
        CYCLE_MOVES[slot], move = move, CYCLE_MOVES[slot]
        slot = second_slot(change) if slot == first_slot(change) else first_slot(change)


def _fill() -> None:
    """All moves of knights, bishops, rooks, queens and kings; each stands for both of its directions."""
    for colour in range(2):
        for kind in range(KNIGHT, KING + 1):
            piece = colour * 8 + kind
            for src in range(64):
                targets = reach(kind, src, 0)
                for dst in range(src + 1, 64):
                    if targets & bit(dst):
                        change = PIECE_KEYS[piece * 64 + src] ^ PIECE_KEYS[piece * 64 + dst] ^ SIDE_KEY
                        _insert(change, new_move(src, dst, QUIET))


_fill()
