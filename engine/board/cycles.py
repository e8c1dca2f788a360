"""Cuckoo tables of reversible moves: which move, if any, leads from one Zobrist key to another.

So a repetition that is one move away is seen without making moves. Each change of key has two slots, of which
it takes one (cuckoo hashing: R. Pagh and F. Rodler, 2001); the use in chess is M. van Kervinck's, 2013.
"""

import cython

if not cython.compiled:
    from engine.board.attacks import KING_ATTACKS, KNIGHT_ATTACKS, bishop_attacks, rook_attacks
    from engine.board.bitboard import BISHOP, KING, KNIGHT, QUEEN, ROOK, bit, u64
    from engine.board.move import QUIET, new_move
    from engine.board.zobrist import PIECE_KEYS, SIDE_KEY

    CYCLE_SLOTS = 8192

    def first_slot(change: int) -> int:
        """One of the two slots of a change of key."""
        return change & (CYCLE_SLOTS - 1)

    def second_slot(change: int) -> int:
        """The other one."""
        return (change >> 13) & (CYCLE_SLOTS - 1)

    def reversible_move(change: int) -> int:
        """The move that changes a key so, in one of its two directions; NO_MOVE if none does.

        No man need stand there, nor the way be free. Neither pawn moves nor castling are reversible.
        """
        slot = first_slot(change)
        if CYCLE_KEYS[slot] != change:
            slot = second_slot(change)
        return CYCLE_MOVES[slot] if CYCLE_KEYS[slot] == change else 0


CYCLE_KEYS = [0] * 8192
CYCLE_MOVES = [0] * 8192


def _reach(kind: int, square: int) -> int:
    """The squares that a piece reaches from a square of the empty board."""
    reach = u64(0)
    if kind == KNIGHT:
        reach = KNIGHT_ATTACKS[square]
    elif kind == KING:
        reach = KING_ATTACKS[square]
    if kind in (BISHOP, QUEEN):
        reach |= bishop_attacks(square, u64(0))
    if kind in (ROOK, QUEEN):
        reach |= rook_attacks(square, u64(0))
    return reach


def _insert(change: int, move: int) -> None:
    """Put a move into its first slot; whatever was there moves on to its other one, and so on."""
    slot = first_slot(change)
    while move:
        CYCLE_KEYS[slot], change = change, CYCLE_KEYS[slot]
        CYCLE_MOVES[slot], move = move, CYCLE_MOVES[slot]
        slot = second_slot(change) if slot == first_slot(change) else first_slot(change)


def _fill() -> None:
    for colour in range(2):
        for kind in range(KNIGHT, KING + 1):
            piece = colour * 8 + kind
            for src in range(64):
                for dst in range(src + 1, 64):
                    if _reach(kind, src) & bit(dst):
                        change = PIECE_KEYS[piece * 64 + src] ^ PIECE_KEYS[piece * 64 + dst] ^ SIDE_KEY
                        _insert(change, new_move(src, dst, QUIET))


_fill()
