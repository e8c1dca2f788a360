"""Move ordering: what each move is rated by, and staged move picking.

Captures go by victim and attacker, quiet moves by killers and histories, and equals by a preference: develop,
castle, hold the centre, push pawns. That is a piece-square table that only orders quiet moves and breaks ties
at the root; it is part of no score, and its unit has no meaning outside this module.

Moves are generated and scored only when those before them have not cut off: first the hash move, before
anything is generated; then captures and promotions that lose no material; then quiet moves; at last what
loses material.
"""

from array import array

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.parameters import Parameters

if not cython.compiled:
    from engine.board.attacks import (
        KNIGHT_ATTACKS,
        PAWN_ATTACKS,
        attacks_of,
        bishop_attacks,
        pawn_attacks_of,
        rook_attacks,
    )
    from engine.board.bitboard import BISHOP, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, i32, lsb, popcount
    from engine.board.move import (
        NO_MOVE,
        from_to,
        is_capture,
        is_castling,
        is_en_passant,
        is_promotion,
        is_quiet,
        origin,
        promoted_to,
        target,
    )
    from engine.board.movegen import count_moves, generate, generate_quiet, is_legal, threats
    from engine.search.constants import PLIES, Picking
    from engine.search.exchange import exchange_at_least

    CASTLING_GAIN, MOBILITY_WEIGHT = 60, 4
    HASH_RANK = 1 << 30
    CAPTURE_RANK = 1 << 28
    KILLER_RANK = 1 << 26
    LOSING_RANK = -(1 << 28)
    PRUNED = -(1 << 30)
    HISTORY_BITS = 14
    CONTINUATIONS = 1 << 20
    LOW_PLIES = 4
    TIE = 256
    HASH_MOVE, CAPTURES, WINNING, QUIET_MOVES, LOSING = 0, 1, 2, 3, 4

    def list_of(picker: "Picker", n: int) -> Picking:
        """List `n`; in C a pointer."""
        return picker.lists[n]

    def is_endgame(pos: Position) -> bool:
        """Whether six pieces or fewer are left besides kings and pawns."""
        pieces = pos.by_type[KNIGHT] | pos.by_type[BISHOP] | pos.by_type[ROOK] | pos.by_type[QUEEN]
        return popcount(pieces) <= 6

    def gain(pos: Position, move: int, stage: int) -> int:
        """The gain of a quiet move by its squares; `stage` is 0, or 1024 in the endgame."""
        if is_castling(move):
            return CASTLING_GAIN
        base = stage + pos.board[origin(move)] * 64
        return PREFERENCE[base + target(move)] - PREFERENCE[base + origin(move)]


PREFERENCE = [0] * 2048


def preference(pos: Position, move: int, ms: MoveStack) -> int:
    """The preference for a move among equals, from the mover's side.

    It is the gain by the piece's squares, plus the gain in mobility over the opponent. After a check only the
    squares count, which puts checks before most other moves.
    """
    liking = gain(pos, move, 1024 if is_endgame(pos) else 0)
    before = count_moves(pos, ms, 0)
    pos.make(move)
    if not pos.checkers:
        theirs = count_moves(pos, ms, 0)
        pos.make_null()
        liking += MOBILITY_WEIGHT * (count_moves(pos, ms, 0) - before - theirs)
        pos.unmake_null()
    pos.unmake()
    return liking


def _centre(sq: int) -> int:
    """0 at the rim to 6 on d4, e4, d5, e5."""
    file = sq & 7
    rank = sq >> 3
    return (file if file < 4 else 7 - file) + (rank if rank < 4 else 7 - rank)


def _middle_game(kind: int, file: int, rank: int, sq: int) -> int:
    if kind == PAWN:
        centre = file if file < 4 else 7 - file
        if centre >= 2:
            return 4 * centre * (rank if rank < 4 else 3) + 6 * (rank - 3 if rank > 3 else 0)
        return 8 - 3 * rank if file > 4 else 2 * rank
    if kind == KNIGHT:
        return 9 * _centre(sq) - (14 if rank == 0 else 0)
    if kind == BISHOP:
        return 5 * _centre(sq) - (20 if rank == 0 else 0)
    if kind == ROOK:
        return 4 * (file if file < 4 else 7 - file) + (20 if rank == 6 else 0)
    if kind == QUEEN:
        return 2 * _centre(sq) - (3 * rank if rank < 5 else 0)
    return (12 if file == 6 or file < 3 else 0) - 25 * rank


def _endgame(kind: int, rank: int, sq: int) -> int:
    if kind == PAWN:
        return rank * rank * 3
    if kind == KING:
        return 9 * _centre(sq)
    return 4 * _centre(sq)


def _fill() -> None:
    for kind in range(6):
        for sq in range(64):
            middle = _middle_game(kind, sq & 7, sq >> 3, sq)
            end = _endgame(kind, sq >> 3, sq)
            PREFERENCE[kind * 64 + sq] = middle
            PREFERENCE[(8 + kind) * 64 + (sq ^ 56)] = middle
            PREFERENCE[1024 + kind * 64 + sq] = end
            PREFERENCE[1024 + (8 + kind) * 64 + (sq ^ 56)] = end


_fill()


def _gravity(past: int, bonus: int) -> int:
    """History gravity: `past` moved by `bonus`, less so the nearer it is to ±2**HISTORY_BITS.

    By a shift, because C and Python round negative quotients differently.
    """
    return past + bonus - (past * abs(bonus) >> HISTORY_BITS)


class Ordering:
    """Killer moves and histories of one thread, and the order of moves by them.

    A history, from -2**14 to 2**14, grows when a move cuts off and falls when it was tried in vain; `history`
    also grows with the static value that a move gained. `continuations` has a row for each earlier move, by
    piece and target square; `low_plies` is of one search and of the plies next to the root.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.killers = [0] * 512
        self.history = [0] * 32768
        self._threats = [0] * 256
        self._checks = [0] * 8
        self._lesser = [0] * 8
        self.low_plies = [0] * 16384
        self.captures = [0] * 8192
        self.continuations = array("h", bytes(2 * CONTINUATIONS))

    def clear(self) -> None:
        """Forget everything, in place."""
        self.forget_plies()
        for i in range(8192):
            self.captures[i] = 0
        for i in range(32768):
            self.history[i] = 0
        for i in range(CONTINUATIONS):
            self.continuations[i] = 0

    def forget_plies(self) -> None:
        """Forget killers and low-ply history: at the next root the same plies are other positions."""
        for i in range(512):
            self.killers[i] = 0
        for i in range(16384):
            self.low_plies[i] = 0

    def find_threats(self, pos: Position, ply: int) -> None:
        """Find the squares that the opponent attacks: before anything is asked about quiet moves at `ply`."""
        self._threats[ply] = threats(pos) if self.parameters.threat_history else 0

    def score_moves(
        self, pos: Position, ms: MoveStack, start: int, end: int, hash_move: int, ply: int
    ) -> None:
        """Score the moves start … end - 1; those that are worth the same keep their order.

        `find_threats` was called for that ply, if there are quiet moves.
        """
        stage = 1024 if is_endgame(pos) else 0
        looked = False
        last = self._continuation_row(pos, 1)
        before = self._continuation_row(pos, 2)
        earlier = self._continuation_row(pos, 4)
        for i in range(start, end):
            move = ms.move[i]
            if not looked and is_quiet(move):
                looked = True
                self._find_checks(pos)
                self._find_lesser(pos)
            if not self.parameters.ordering:
                rank = 0
            elif move == hash_move:
                rank = HASH_RANK
            elif not is_quiet(move):
                rank = self._score_noisy(pos, move)
            elif self.parameters.killers and self.is_killer(move, ply):
                rank = KILLER_RANK + (TIE if move == self.killers[ply * 2] else 0)
            else:
                history = 8 * gain(pos, move, stage) + self._score_quiet(pos, move, ply)
                if self.parameters.history:
                    history += self.history[self._quiet_index(pos.side, move, ply)]
                if self.parameters.continuation_history:
                    place = self._piece_to(pos, move)
                    history += self.continuations[last + place] + self.continuations[before + place]
                    history += self.continuations[earlier + place] >> 1
                rank = TIE * history
            ms.score[i] = rank + TIE - 1 - (i - start)

    def reward(self, pos: Position, move: int, depth: int, ply: int) -> None:
        """Raise the histories of a move that cut off."""
        if is_quiet(move) and self.parameters.killers and self.killers[ply * 2] != move:
            self.killers[ply * 2 + 1] = self.killers[ply * 2]
            self.killers[ply * 2] = move
        self._learn(pos, move, self._bonus(depth), ply)

    def punish(
        self, pos: Position, ms: MoveStack, start: int, end: int, refutation: int, depth: int, ply: int
    ) -> None:
        """Lower the histories of the moves from `start` to `end` that were tried before one that cut off.

        That is at place `refutation`. If it is a capture or promotion, quiet moves are not punished.
        """
        quiet = is_quiet(ms.move[refutation])
        bonus = self._bonus(depth)
        for j in range(start, end):
            if j != refutation and ms.score[j] != PRUNED and (quiet or not is_quiet(ms.move[j])):
                self._learn(pos, ms.move[j], -bonus, ply)

    def refute(self, pos: Position, depth: int) -> None:
        """The last move, tried first, is refuted: lower its continuation histories if it was quiet."""
        n = pos.height - 1
        move = pos.undo_move[n]
        if self.parameters.continuation_history and move != NO_MOVE and is_quiet(move):
            place = (pos.undo_piece[n] << 6) + target(move)
            malus = self._bonus(depth) * self.parameters.refuted_malus // 100
            self._learn_continuations(pos, 2, place, -malus)

    def credit(self, pos: Position, gained: int, ply: int) -> None:
        """Static history: the last move, made at `ply`, gained the side that made it `gained` centipawns.

        Counts if the move was quiet; `find_threats` was called for that ply.
        """
        move = pos.undo_move[pos.height - 1]
        if self.parameters.static_history and move != NO_MOVE and is_quiet(move):
            bonus = max(
                min(self.parameters.static_credit * gained, self.parameters.static_most),
                -self.parameters.static_most,
            )
            i = self._quiet_index(pos.side ^ 1, move, ply)
            self.history[i] = _gravity(self.history[i], bonus)

    def quiet_history(self, pos: Position, move: int, ply: int) -> int:
        """The sum of a quiet move's histories, from -2**16 to 2**16; see `find_threats`."""
        total = 0
        if self.parameters.history:
            total = self.history[self._quiet_index(pos.side, move, ply)]
        if self.parameters.continuation_history:
            place = self._piece_to(pos, move)
            total += self.continuations[self._continuation_row(pos, 1) + place]
            total += self.continuations[self._continuation_row(pos, 2) + place]
            total += self.continuations[self._continuation_row(pos, 4) + place] >> 1
        return total

    def capture_history(self, pos: Position, move: int) -> int:
        """The history of a capture or promotion: from -2**14 to 2**14."""
        return self.captures[self._capture_index(pos, move)] if self.parameters.capture_history else 0

    def is_killer(self, move: int, ply: int) -> bool:
        """Whether a quiet move is a killer: it cut off in another position at the same ply."""
        return move == self.killers[ply * 2] or move == self.killers[ply * 2 + 1]

    def _score_noisy(self, pos: Position, move: int) -> int:
        """MVV-LVA: most valuable victim, then least valuable attacker; a large history outweighs both."""
        attacker = pos.board[origin(move)] & 7
        victim = pos.board[target(move)] & 7
        won = 0
        if is_en_passant(move):
            won = self.parameters.exchange_values[PAWN]
        elif is_capture(move):
            won = self.parameters.exchange_values[victim]
        if is_promotion(move):
            if promoted_to(move) != QUEEN:
                return LOSING_RANK + TIE * won
            won += self.parameters.exchange_values[QUEEN]
        history = (self.capture_history(pos, move) >> 2) * 2
        return CAPTURE_RANK + TIE * (won * 16 - attacker * 2 + history)

    def _score_quiet(self, pos: Position, move: int, ply: int) -> int:
        """By checks that lose little, escapes from lesser pieces, and low-ply history."""
        score = 0
        kind = pos.board[origin(move)] & 7
        checks = self._checks[kind] >> target(move) & 1
        if checks and exchange_at_least(pos, move, -self.parameters.check_loss, self.parameters):
            score = self.parameters.check_rank
        leaves = i32(self._lesser[kind] >> origin(move) & 1)
        enters = i32(self._lesser[kind] >> target(move) & 1)
        score += (leaves - enters) * max(kind - BISHOP + 1, 1) * self.parameters.escape_rank
        if self.parameters.low_ply_history and ply < LOW_PLIES:
            score += self.low_plies[ply * 4096 + from_to(move)] * self.parameters.low_ply_weight >> 5
        return score

    def _bonus(self, depth: int) -> int:
        bonus = self.parameters.history_bonus * depth - self.parameters.history_offset
        return max(min(bonus, self.parameters.history_most), 0)

    def _learn(self, pos: Position, move: int, bonus: int, ply: int) -> None:
        if not is_quiet(move):
            i = self._capture_index(pos, move)
            self.captures[i] = _gravity(self.captures[i], bonus)
            return
        i = self._quiet_index(pos.side, move, ply)
        self.history[i] = _gravity(self.history[i], bonus)
        if self.parameters.low_ply_history and ply < LOW_PLIES:
            i = ply * 4096 + from_to(move)
            self.low_plies[i] = _gravity(self.low_plies[i], bonus)
        if self.parameters.continuation_history:
            self._learn_continuations(pos, 1, self._piece_to(pos, move), bonus)

    def _learn_continuations(self, pos: Position, back: int, place: int, bonus: int) -> None:
        """Change the entries of the move after the one `back` plies ago; `place`: its piece and target."""
        self._learn_continuation(self._continuation_row(pos, back) + place, bonus)
        self._learn_continuation(self._continuation_row(pos, back + 1) + place, bonus)
        self._learn_continuation(self._continuation_row(pos, back + 3) + place, bonus)

    def _learn_continuation(self, i: int, bonus: int) -> None:
        self.continuations[i] = _gravity(self.continuations[i], bonus)

    def _continuation_row(self, pos: Position, back: int) -> int:
        """The row of the move made `back` plies ago; if there was none, the row of EMPTY."""
        n = pos.height - back
        if n < 0:
            return EMPTY << 16
        return (pos.undo_piece[n] << 16) + (target(pos.undo_move[n]) << 10)

    def _quiet_index(self, side: int, move: int, ply: int) -> int:
        """The index in `history`: by squares, and whether the opponent attacks them."""
        leaves = self._threats[ply] >> origin(move) & 1
        enters = self._threats[ply] >> target(move) & 1
        return i32(leaves * 16384 + enters * 8192) + side * 4096 + from_to(move)

    def _find_checks(self, pos: Position) -> None:
        """Find the squares from which each kind of piece would check."""
        if not self.parameters.check_ordering:
            for kind in range(8):
                self._checks[kind] = 0
            return
        king = lsb(pos.by_type[KING] & pos.by_colour[pos.side ^ 1])
        occ = pos.by_colour[0] | pos.by_colour[1]
        self._checks[PAWN] = PAWN_ATTACKS[(pos.side ^ 1) * 64 + king]
        self._checks[KNIGHT] = KNIGHT_ATTACKS[king]
        self._checks[BISHOP] = bishop_attacks(king, occ)
        self._checks[ROOK] = rook_attacks(king, occ)
        self._checks[QUEEN] = self._checks[BISHOP] | self._checks[ROOK]

    def _find_lesser(self, pos: Position) -> None:
        """Find the squares on which each kind of piece is attacked by a lesser one."""
        if not self.parameters.escape_ordering:
            for kind in range(8):
                self._lesser[kind] = 0
            return
        theirs = pos.by_colour[pos.side ^ 1]
        occ = theirs | pos.by_colour[pos.side]
        found = pawn_attacks_of(theirs & pos.by_type[PAWN], pos.side ^ 1)
        self._lesser[KNIGHT] = self._lesser[BISHOP] = found
        found |= attacks_of(KNIGHT, theirs & pos.by_type[KNIGHT], occ)
        found |= attacks_of(BISHOP, theirs & pos.by_type[BISHOP], occ)
        self._lesser[ROOK] = found
        self._lesser[QUEEN] = found | attacks_of(ROOK, theirs & pos.by_type[ROOK], occ)

    def _piece_to(self, pos: Position, move: int) -> int:
        return (pos.board[origin(move)] << 6) + target(move)

    def _capture_index(self, pos: Position, move: int) -> int:
        """The index in `captures`: by piece, target square and victim."""
        dst = target(move)
        return (pos.board[origin(move)] << 9) + (dst << 3) + (pos.board[dst] & 7)


class Picker:
    """The move lists of one thread's search.

    Their numbers: twice the ply, and one more for that of a singular search at the same ply.
    """

    def __init__(self, ordering: Ordering, parameters: Parameters) -> None:
        self.ordering = ordering
        self.parameters = parameters
        self.lists = [Picking(HASH_MOVE, NO_MOVE, 0, 0, 0, 0, 0, 0) for _ in range(2 * PLIES)]

    def begin(self, pos: Position, ms: MoveStack, n: int, start: int, hash_move: int) -> None:
        """Begin list `n`, of all legal moves, on the stack from index `start` on; `hash_move` may be any."""
        at = list_of(self, n)
        at.stage = HASH_MOVE
        at.hash_move = NO_MOVE
        at.start = at.noisy = at.noisy_end = at.quiet = at.end = start
        if not self.parameters.ordering:  # all at once, in the generator's order
            at.stage = QUIET_MOVES
            at.end = generate(pos, ms, start, False)
            self.ordering.find_threats(pos, n >> 1)
            self.ordering.score_moves(pos, ms, start, at.end, NO_MOVE, n >> 1)
        elif hash_move != NO_MOVE and is_legal(pos, hash_move):
            at.hash_move = hash_move
            if is_quiet(hash_move):
                self.ordering.find_threats(pos, n >> 1)

    def next(self, pos: Position, ms: MoveStack, n: int) -> int:
        """The next move of list `n`, or NO_MOVE after the last."""
        at = list_of(self, n)
        if at.stage == HASH_MOVE:
            at.stage = CAPTURES
            if at.hash_move != NO_MOVE:
                ms.move[at.start] = at.hash_move
                ms.score[at.start] = HASH_RANK
                at.end = at.noisy_end = at.start + 1
                return self._next_noisy(ms, n)
        if at.stage == CAPTURES:
            at.stage = WINNING
            at.end = generate(pos, ms, at.noisy_end, True)
            self._score(pos, ms, n, at.noisy_end)
            at.noisy_end = at.end
        if at.stage == WINNING:
            if at.noisy < at.noisy_end:
                self.pick(pos, ms, at.noisy, at.noisy_end)
                if ms.score[at.noisy] >= 0:
                    return self._next_noisy(ms, n)
            self._generate_quiet(pos, ms, n)
        if at.stage == QUIET_MOVES:
            if at.quiet < at.end:
                at.last = at.quiet
                at.quiet += 1
                return self.pick(pos, ms, at.last, at.end)
            at.stage = LOSING
        if at.noisy < at.noisy_end:
            self.pick(pos, ms, at.noisy, at.noisy_end)
            return self._next_noisy(ms, n)
        return NO_MOVE

    def end(self, n: int) -> int:
        """The end of list `n` as it is now: from here on the stack is free."""
        return list_of(self, n).end

    def skip_quiet(self, n: int) -> int:
        """Leave out the quiet moves to come, once one was picked; their number.

        Without ordering, where captures are among them, none is left out.
        """
        if not self.parameters.ordering:
            return 0
        at = list_of(self, n)
        left = at.end - at.quiet
        at.end = at.quiet
        return left

    def leave_out(self, ms: MoveStack, n: int) -> None:
        """The move picked last is not searched, and so learns nothing."""
        ms.score[list_of(self, n).last] = PRUNED

    def reward(self, pos: Position, ms: MoveStack, n: int, depth: int) -> None:
        """The move picked last cut off: raise its histories, and lower those of the moves tried before it."""
        at = list_of(self, n)
        self.ordering.reward(pos, ms.move[at.last], depth, n >> 1)
        self.ordering.punish(pos, ms, at.start, at.noisy, at.last, depth, n >> 1)
        self.ordering.punish(pos, ms, at.noisy_end, at.quiet, at.last, depth, n >> 1)

    def pick(self, pos: Position, ms: MoveStack, i: int, end: int) -> int:
        """Bring the best of moves i … end - 1 to place i and return it.

        Whether a capture loses material is computed only when its turn has come.
        """
        while True:
            best = i
            rank = ms.score[i]
            for j in range(i + 1, end):
                if ms.score[j] > rank:
                    best = j
                    rank = ms.score[j]
            move = ms.move[best]
            if CAPTURE_RANK // 2 <= rank < HASH_RANK:
                victim = self.parameters.exchange_values[pos.board[target(move)] & 7]
                attacker = self.parameters.exchange_values[pos.board[origin(move)] & 7]
                if attacker > victim and not exchange_at_least(pos, move, 0, self.parameters):
                    ms.score[best] = LOSING_RANK + rank - CAPTURE_RANK
                    continue
            ms.move[best] = ms.move[i]
            ms.score[best] = ms.score[i]
            ms.move[i] = move
            ms.score[i] = rank
            return move

    def _generate_quiet(self, pos: Position, ms: MoveStack, n: int) -> None:
        at = list_of(self, n)
        at.stage = QUIET_MOVES
        at.quiet = at.noisy_end
        at.end = generate_quiet(pos, ms, at.quiet)
        if at.hash_move == NO_MOVE or not is_quiet(at.hash_move):  # else they are known already
            self.ordering.find_threats(pos, n >> 1)
        self._score(pos, ms, n, at.quiet)

    def _next_noisy(self, ms: MoveStack, n: int) -> int:
        at = list_of(self, n)
        at.last = at.noisy
        at.noisy += 1
        return ms.move[at.last]

    def _score(self, pos: Position, ms: MoveStack, n: int, start: int) -> None:
        """Score the moves that were just generated, from `start` on, and drop the hash move, tried before."""
        at = list_of(self, n)
        kept = start
        for i in range(start, at.end):
            if ms.move[i] != at.hash_move:
                ms.move[kept] = ms.move[i]
                kept += 1
        at.end = kept
        self.ordering.score_moves(pos, ms, start, kept, NO_MOVE, n >> 1)
