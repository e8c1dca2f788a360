"""The position: bitboards and mailbox, incremental Zobrist keys, make and unmake."""

from collections.abc import Sequence

import cython

if not cython.compiled:
    from engine.board.attacks import (
        BETWEEN,
        KING_ATTACKS,
        KNIGHT_ATTACKS,
        PAWN_ATTACKS,
        bishop_attacks,
        rook_attacks,
    )
    from engine.board.bitboard import (
        BISHOP,
        EMPTY,
        KING,
        KNIGHT,
        PAWN,
        QUEEN,
        ROOK,
        SQUARES,
        bit,
        lsb,
        popcount,
        u64,
    )
    from engine.board.move import (
        KING_CASTLE,
        castled_king,
        castled_rook,
        en_passant_victim,
        is_castling,
        is_double_push,
        is_en_passant,
        is_promotion,
        new_move,
        origin,
        passed_square,
        promoted_to,
        target,
    )
    from engine.board.zobrist import CASTLING_KEYS, EN_PASSANT_KEYS, PIECE_KEYS, SIDE_KEY, with_clock

    FIFTY_MOVES, GAME_STACK = 100, 512

COMPILED: bool = cython.compiled


class Placement:
    """What a position is without the moves that led to it; see `Position`."""

    def __init__(self) -> None:
        self.by_type = [0] * 6
        self.by_colour = [0] * 2
        self.board = [EMPTY] * 64
        self.side = 0
        self.castling = 0
        self.en_passant = -1
        self.halfmoves = 0
        self.key = 0
        self.pawn_key = 0
        self.checkers = 0
        self.rook_home = [-1] * 4
        self.castling_empty = [0] * 4
        self.castling_safe = [0] * 4
        self.rights_kept = [15] * 64

    def _take(self, other: "Placement") -> None:
        for i in range(6):
            self.by_type[i] = other.by_type[i]
        for i in range(2):
            self.by_colour[i] = other.by_colour[i]
        for i in range(64):
            self.board[i] = other.board[i]
            self.rights_kept[i] = other.rights_kept[i]
        for i in range(4):
            self.rook_home[i] = other.rook_home[i]
            self.castling_empty[i] = other.castling_empty[i]
            self.castling_safe[i] = other.castling_safe[i]
        self.side = other.side
        self.castling = other.castling
        self.en_passant = other.en_passant
        self.halfmoves = other.halfmoves
        self.key = other.key
        self.pawn_key = other.pawn_key
        self.checkers = other.checkers


class Position(Placement):
    """One chess position with the moves that led to it; White is 0, Black is 1.

    `side` is to move; `castling` holds the rights as bits K, Q, k, q; `en_passant` is the square
    behind a pawn that can legally be captured so, else -1; `passed` is the square behind a pawn that the
    game's last move, not one of `make`, pushed two squares, else -1; `halfmoves` counts for the fifty-move
    rule; `reversible` counts plies back to the oldest position that might recur; `checkers` are the
    pieces that give check; equal `key`s mean equal positions to the repetition rule.
    """

    def __init__(self) -> None:
        super().__init__()
        self.passed = -1
        self.reversible = 0
        self.height = 0
        self.base_ply = 0
        self.undo_move = [0] * 1024
        self.undo_piece = [0] * 1024
        self.undo_captured = [0] * 1024
        self.undo_castling = [0] * 1024
        self.undo_en_passant = [0] * 1024
        self.undo_halfmoves = [0] * 1024
        self.undo_reversible = [0] * 1024
        self.undo_key = [0] * 1024
        self.undo_pawn_key = [0] * 1024
        self.undo_checkers = [0] * 1024

    @staticmethod
    def set_up(
        pieces: Sequence[int],
        side: int,
        castling_rooks: Sequence[int] = (-1, -1, -1, -1),
        en_passant: int = -1,
        halfmoves: int = 0,
        fullmove: int = 1,
    ) -> "Position":
        """A position from its parts, which the caller has checked: above all, one king each.

        `pieces` has 64 entries, `castling_rooks` the rooks' squares for K, Q, k, q or -1. An en
        passant square on which no pawn can legally capture is dropped.
        """
        if len(pieces) != SQUARES or pieces.count(KING) != 1 or pieces.count(8 + KING) != 1:
            raise ValueError("a position has 64 squares and one king each")
        position = Position()
        for sq in range(64):
            if pieces[sq] != EMPTY:
                position._put(pieces[sq], sq)
        position.side = side
        if side:
            position.key ^= SIDE_KEY
        for right in range(4):
            if castling_rooks[right] >= 0:
                king = pieces.index((right >> 1) * 8 + KING)
                position._allow_castling(right, king, castling_rooks[right])
        position.key ^= CASTLING_KEYS[position.castling]
        position.passed = en_passant
        if en_passant >= 0:
            position._offer_en_passant(en_passant)
        king = pieces.index(side * 8 + KING)
        position.checkers = position._attackers(king, side ^ 1)
        position.halfmoves = halfmoves
        position.base_ply = 2 * (fullmove - 1) + side
        return position

    def copy(self) -> "Position":
        """The same position with the same history, independent of this one."""
        other = Position()
        other._copy_from(self)
        return other

    def piece_at(self, square: int) -> int:
        """The piece on a square as `colour * 8 + type`, or 7 where there is none."""
        if not 0 <= square < SQUARES:
            raise IndexError(square)
        return self.board[square]

    def men(self) -> int:
        """The number of pieces, kings and pawns included."""
        return popcount(self.by_colour[0] | self.by_colour[1])

    def fullmove(self) -> int:
        """The number of the move to be played, as in a FEN."""
        return (self.base_ply + self.height) // 2 + 1

    def rook_square(self, right: int) -> int:
        """Where the rook of castling right 0 … 3 (K, Q, k, q) started, or -1 if the right is lost."""
        if right not in range(4):
            raise IndexError(right)
        return self.rook_home[right] if self.castling & (1 << right) else -1

    def advance(self, move: int) -> None:
        """Play a move of the game, not to be taken back.

        Forgets the positions that cannot recur, so that games of any length fit.
        """
        self.make(move)
        self.passed = passed_square(move) if is_double_push(move) else -1
        if self.reversible == 0:
            self._shift(self.height)
        elif self.height >= GAME_STACK:
            self._shift(GAME_STACK // 2)

    def make(self, move: int) -> None:
        """Play a legal move; an illegal one would corrupt the position."""
        src = origin(move)
        dst = target(move)
        us = self.side
        them = us ^ 1
        piece = self.board[src]
        captured = EMPTY if is_castling(move) else self.board[dst]
        self._record(move, piece, captured)
        key = self.key ^ SIDE_KEY
        if self.en_passant >= 0:
            key ^= EN_PASSANT_KEYS[self.en_passant & 7]
            self.en_passant = -1
        self.halfmoves += 1
        self.reversible += 1
        rights = self.castling & self.rights_kept[src] & self.rights_kept[dst]
        if rights != self.castling:
            key ^= CASTLING_KEYS[self.castling] ^ CASTLING_KEYS[rights]
            self.castling = rights
            self.reversible = 0
        self.side = them
        self.key = key
        if is_castling(move):
            self._castle(move, us)
        else:
            key ^= PIECE_KEYS[piece * 64 + src]
            if captured != EMPTY:
                self.by_type[captured & 7] ^= bit(dst)
                self.by_colour[them] ^= bit(dst)
                key ^= PIECE_KEYS[captured * 64 + dst]
                if captured & 7 == PAWN:
                    self.pawn_key ^= PIECE_KEYS[captured * 64 + dst]
                self.halfmoves = 0
                self.reversible = 0
            both = bit(src) | bit(dst)
            self.by_type[piece & 7] ^= both
            self.by_colour[us] ^= both
            self.board[src] = EMPTY
            self.board[dst] = piece
            if piece & 7 == PAWN:
                self.halfmoves = 0
                self.reversible = 0
                self.pawn_key ^= PIECE_KEYS[piece * 64 + src]
                if is_promotion(move):
                    self.by_type[PAWN] ^= bit(dst)
                    piece = us * 8 + promoted_to(move)
                    self.by_type[piece & 7] ^= bit(dst)
                    self.board[dst] = piece
                else:
                    self.pawn_key ^= PIECE_KEYS[piece * 64 + dst]
                    if is_en_passant(move):
                        sq = en_passant_victim(move)
                        pawn = them * 8 + PAWN
                        self.by_type[PAWN] ^= bit(sq)
                        self.by_colour[them] ^= bit(sq)
                        self.board[sq] = EMPTY
                        key ^= PIECE_KEYS[pawn * 64 + sq]
                        self.pawn_key ^= PIECE_KEYS[pawn * 64 + sq]
            self.key = key ^ PIECE_KEYS[piece * 64 + dst]
            if is_double_push(move):
                self._offer_en_passant(passed_square(move))
        self.checkers = self._attackers(lsb(self.by_type[KING] & self.by_colour[them]), us)

    def unmake(self) -> None:
        """Take back the last move made."""
        n = self.height - 1
        self.height = n
        move = self.undo_move[n]
        src = origin(move)
        dst = target(move)
        them = self.side
        us = them ^ 1
        self.side = us
        self.key = self.undo_key[n]
        self.pawn_key = self.undo_pawn_key[n]
        self.checkers = self.undo_checkers[n]
        self.en_passant = self.undo_en_passant[n]
        self.castling = self.undo_castling[n]
        self.halfmoves = self.undo_halfmoves[n]
        self.reversible = self.undo_reversible[n]
        if is_castling(move):
            self._uncastle(move, us)
            return
        piece = self.undo_piece[n]
        captured = self.undo_captured[n]
        if is_promotion(move):
            self.by_type[promoted_to(move)] ^= bit(dst)
            self.by_type[PAWN] ^= bit(dst)
        both = bit(src) | bit(dst)
        self.by_type[piece & 7] ^= both
        self.by_colour[us] ^= both
        self.board[src] = piece
        self.board[dst] = captured
        if captured != EMPTY:
            self.by_type[captured & 7] ^= bit(dst)
            self.by_colour[them] ^= bit(dst)
        elif is_en_passant(move):
            sq = en_passant_victim(move)
            self.by_type[PAWN] ^= bit(sq)
            self.by_colour[them] ^= bit(sq)
            self.board[sq] = them * 8 + PAWN

    def make_null(self) -> None:
        """Pass; only where the side to move is not in check."""
        self._record(0, EMPTY, EMPTY)
        self.key ^= SIDE_KEY
        if self.en_passant >= 0:
            self.key ^= EN_PASSANT_KEYS[self.en_passant & 7]
            self.en_passant = -1
        self.halfmoves += 1
        self.reversible = 0
        self.side ^= 1

    def unmake_null(self) -> None:
        """Take back a pass."""
        n = self.height - 1
        self.height = n
        self.side ^= 1
        self.key = self.undo_key[n]
        self.en_passant = self.undo_en_passant[n]
        self.halfmoves = self.undo_halfmoves[n]
        self.reversible = self.undo_reversible[n]

    def attacked(self, sq: int, by: int, occ: int) -> bool:
        """Whether side `by` attacks a square; `occ` are the squares that block sliders."""
        own = self.by_colour[by]
        queens = self.by_type[QUEEN]
        return (
            (KNIGHT_ATTACKS[sq] & own & self.by_type[KNIGHT]) != 0
            or (PAWN_ATTACKS[(by ^ 1) * 64 + sq] & own & self.by_type[PAWN]) != 0
            or (KING_ATTACKS[sq] & own & self.by_type[KING]) != 0
            or (bishop_attacks(sq, occ) & own & (self.by_type[BISHOP] | queens)) != 0
            or (rook_attacks(sq, occ) & own & (self.by_type[ROOK] | queens)) != 0
        )

    def en_passant_legal(self, src: int) -> bool:
        """Whether the mover's pawn on `src`, beside the pawn just pushed, may legally capture en passant."""
        us = self.side
        king = lsb(self.by_type[KING] & self.by_colour[us])
        taken = bit(self.en_passant ^ 8)
        after = (self.by_colour[0] | self.by_colour[1]) ^ bit(src) ^ taken ^ bit(self.en_passant)
        enemy = self.by_colour[us ^ 1] ^ taken
        queens = self.by_type[QUEEN]
        return not (
            (KNIGHT_ATTACKS[king] & enemy & self.by_type[KNIGHT])
            | (PAWN_ATTACKS[us * 64 + king] & enemy & self.by_type[PAWN])
            | (bishop_attacks(king, after) & enemy & (self.by_type[BISHOP] | queens))
            | (rook_attacks(king, after) & enemy & (self.by_type[ROOK] | queens))
        )

    def is_repetition(self, ply: int) -> bool:
        """Whether the position, `ply` plies below the root, counts as a draw by repetition.

        It does if it occurred twice before, or once since the root: what the search can repeat once it can
        repeat again. `is_repetition(0)` is the rule itself.
        """
        first = max(self.height - self.reversible, 0)
        seen = False
        i = self.height - 4
        while i >= first:
            if self.undo_key[i] == self.key:
                if seen or i > self.height - ply:
                    return True
                seen = True
            i -= 2
        return False

    def is_fifty_moves(self) -> bool:
        """Whether the fifty-move rule makes the position a draw, if it is not mate."""
        return self.halfmoves >= FIFTY_MOVES

    def is_insufficient(self) -> bool:
        """Whether no sequence of legal moves can mate: a lone minor piece, or bishops of one colour."""
        if self.by_type[PAWN] | self.by_type[ROOK] | self.by_type[QUEEN]:
            return False
        knights = self.by_type[KNIGHT]
        bishops = self.by_type[BISHOP]
        if knights:
            return not (bishops or knights & (knights - 1))
        dark = bishops & u64(0xAA55AA55AA55AA55)
        return not (dark and bishops ^ dark)

    def table_key(self) -> int:
        """The key for the transposition table: `key`, changed in steps as the fifty-move rule comes near."""
        return with_clock(self.key, self.halfmoves)

    def key_after(self, move: int) -> int:
        """What `table_key` will be after a move, but for castling, its rights, promotion and en passant."""
        src = origin(move)
        dst = target(move)
        piece = self.board[src]
        key = self.key ^ SIDE_KEY ^ PIECE_KEYS[piece * 64 + src] ^ PIECE_KEYS[piece * 64 + dst]
        if self.board[dst] != EMPTY:
            return key ^ PIECE_KEYS[self.board[dst] * 64 + dst]
        return key if piece & 7 == PAWN else with_clock(key, self.halfmoves + 1)

    def key_after_null(self) -> int:
        """What `table_key` will be after a pass, except where one may capture en passant."""
        return with_clock(self.key ^ SIDE_KEY, self.halfmoves + 1)

    def has_pieces(self, colour: int) -> bool:
        """Whether a side has pieces besides king and pawns."""
        return (self.by_colour[colour] & ~(self.by_type[PAWN] | self.by_type[KING])) != 0

    def _record(self, move: int, piece: int, captured: int) -> None:
        n = self.height
        self.undo_move[n] = move
        self.undo_piece[n] = piece
        self.undo_captured[n] = captured
        self.undo_castling[n] = self.castling
        self.undo_en_passant[n] = self.en_passant
        self.undo_halfmoves[n] = self.halfmoves
        self.undo_reversible[n] = self.reversible
        self.undo_key[n] = self.key
        self.undo_pawn_key[n] = self.pawn_key
        self.undo_checkers[n] = self.checkers
        self.height = n + 1

    def _castle(self, move: int, us: int) -> None:
        """Move king and rook at once: in Chess960 either may land where the other stood."""
        src = origin(move)
        dst = target(move)
        king = us * 8 + KING
        rook = us * 8 + ROOK
        king_to = castled_king(move)
        rook_to = castled_rook(move)
        self.by_type[KING] ^= bit(src) ^ bit(king_to)
        self.by_type[ROOK] ^= bit(dst) ^ bit(rook_to)
        self.by_colour[us] ^= bit(src) ^ bit(dst) ^ bit(king_to) ^ bit(rook_to)
        self.board[src] = EMPTY
        self.board[dst] = EMPTY
        self.board[king_to] = king
        self.board[rook_to] = rook
        self.key ^= PIECE_KEYS[king * 64 + src] ^ PIECE_KEYS[king * 64 + king_to]
        self.key ^= PIECE_KEYS[rook * 64 + dst] ^ PIECE_KEYS[rook * 64 + rook_to]

    def _uncastle(self, move: int, us: int) -> None:
        src = origin(move)
        dst = target(move)
        king_to = castled_king(move)
        rook_to = castled_rook(move)
        self.by_type[KING] ^= bit(src) ^ bit(king_to)
        self.by_type[ROOK] ^= bit(dst) ^ bit(rook_to)
        self.by_colour[us] ^= bit(src) ^ bit(dst) ^ bit(king_to) ^ bit(rook_to)
        self.board[king_to] = EMPTY
        self.board[rook_to] = EMPTY
        self.board[src] = us * 8 + KING
        self.board[dst] = us * 8 + ROOK

    def _offer_en_passant(self, sq: int) -> None:
        """Set the en passant square if the side to move has a legal capture on it."""
        self.en_passant = sq
        pawns = PAWN_ATTACKS[(self.side ^ 1) * 64 + sq] & self.by_colour[self.side] & self.by_type[PAWN]
        while pawns:
            if self.en_passant_legal(lsb(pawns)):
                self.key ^= EN_PASSANT_KEYS[sq & 7]
                return
            pawns &= pawns - 1
        self.en_passant = -1

    def _attackers(self, sq: int, by: int) -> int:
        """The pieces of side `by`, except its king, that attack a square."""
        own = self.by_colour[by]
        occ = own | self.by_colour[by ^ 1]
        queens = self.by_type[QUEEN]
        return (
            (KNIGHT_ATTACKS[sq] & own & self.by_type[KNIGHT])
            | (PAWN_ATTACKS[(by ^ 1) * 64 + sq] & own & self.by_type[PAWN])
            | (bishop_attacks(sq, occ) & own & (self.by_type[BISHOP] | queens))
            | (rook_attacks(sq, occ) & own & (self.by_type[ROOK] | queens))
        )

    def _put(self, piece: int, sq: int) -> None:
        self.board[sq] = piece
        self.by_type[piece & 7] |= bit(sq)
        self.by_colour[piece >> 3] |= bit(sq)
        self.key ^= PIECE_KEYS[piece * 64 + sq]
        if piece & 7 == PAWN:
            self.pawn_key ^= PIECE_KEYS[piece * 64 + sq]

    def _allow_castling(self, right: int, king: int, rook: int) -> None:
        """Grant a castling right; note which squares must be empty and which must not be attacked."""
        move = new_move(king, rook, KING_CASTLE + (right & 1))
        king_to = castled_king(move)
        rook_to = castled_rook(move)
        walk = BETWEEN[king * 64 + king_to] | bit(king_to)
        path = walk | BETWEEN[rook * 64 + rook_to] | bit(rook_to)
        self.castling |= 1 << right
        self.rook_home[right] = rook
        self.castling_empty[right] = path & ~(bit(king) | bit(rook))
        self.castling_safe[right] = walk & ~bit(king)
        self.rights_kept[rook] &= ~(1 << right)
        self.rights_kept[king] &= ~(1 << right)

    def _shift(self, count: int) -> None:
        """Drop the oldest `count` moves of the undo stack."""
        self.height -= count
        self.base_ply += count
        for i in range(self.height):
            self._copy_undo(i, self, i + count)

    def _copy_from(self, other: "Position") -> None:
        self._take(other)
        self.passed = other.passed
        self.reversible = other.reversible
        self.height = other.height
        self.base_ply = other.base_ply
        for i in range(other.height):
            self._copy_undo(i, other, i)

    def _copy_undo(self, i: int, other: "Position", j: int) -> None:
        """Copy entry `j` of the other's undo stack to entry `i` of this one's."""
        self.undo_move[i] = other.undo_move[j]
        self.undo_piece[i] = other.undo_piece[j]
        self.undo_captured[i] = other.undo_captured[j]
        self.undo_castling[i] = other.undo_castling[j]
        self.undo_en_passant[i] = other.undo_en_passant[j]
        self.undo_halfmoves[i] = other.undo_halfmoves[j]
        self.undo_reversible[i] = other.undo_reversible[j]
        self.undo_key[i] = other.undo_key[j]
        self.undo_pawn_key[i] = other.undo_pawn_key[j]
        self.undo_checkers[i] = other.undo_checkers[j]


class Snapshot(Placement):
    """A position in some 300 bytes; a Position takes 40,000."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self._take(position)
        self.ply = position.base_ply + position.height

    def position(self) -> Position:
        """The position, as if the game had begun there: nothing can be taken back, nothing has recurred."""
        position = Position()
        position._take(self)
        position.base_ply = self.ply
        return position
