"""The state of Go: the board, the policy of its playouts and priors, and what a network sees.

A network sees PLANES numbers for each point, as the player to move sees it: ones, which tell points from what
lies beyond the edge; own stones with 1, 2, and 3 or more liberties; the opponent's; the point that a ko
forbids; the last two moves; ones after a pass; the points that the mover is given when areas are counted, as
a part of the board's lines.
"""

from __future__ import annotations

from collections.abc import Callable

import cython

from engine.games.rules.compiled_state import Moves, Priors, Random
from engine.games.rules.go.policy import Observer, load
from engine.games.rules.go.tactics import GoTactics

if not cython.compiled:
    from math import log

    from engine.games.rules.game import OVER
    from engine.games.rules.go.board import BLACK, EDGE, EMPTY, PASS, WHITE
    from engine.games.rules.go.policy import _learned
    from engine.games.rules.go.tactics import SHAPES

    PLANES = 12
    ONES, OWN, THEIRS, KO, LAST, PREVIOUS, PASSED, KOMI = 0, 1, 4, 7, 8, 9, 10, 11

# Priors, in simulations: of every move, and of a second pass, whose result is certain.
FEW, SURE = 10, 1000
# Lost: a stone in an own eye, one that has a single liberty and takes nothing, and, where no stones are near,
# one on the first two lines.
OWN_EYE, SELF_ATARI, LOW = 50, 10, 10
# Won: strings in atari saved or taken, of one stone and of more; a shape; distances to the last move; above
# the second line where no stones are near.
ATARI, ATARI_OF_SEVERAL, SHAPE, CLOSE, NEAR, OPEN = 10, 20, 10, 16, 8, 10
# Of the learned policy: the part of the greatest probability that promises nothing; the most that is lost.
INDIFFERENT = 0.05
UNLIKELY = 10.0


# From which ownership on, of at most 1, a point is somebody's and not worth another move.
OWNED = 0.6
_NO_MERCY = 1e9  # a playout goes on to the end, whatever komi and handicap are


class GoState(GoTactics):
    """A position of Go, and how it is played out.

    The policy is that of MoGo (Gelly et al. 2006): answer the last move by saving the strings it put into
    atari, by capturing what it left there, or by a shape around it; else play anywhere but in one's own eyes.
    """

    def __init__(self, size: int, komi: float, handicap: int) -> None:
        super().__init__(size, komi, handicap)
        self.priors_given = self.policy_given = True
        self.observer = Observer()
        self.plane_count, self.plane_rows, self.plane_columns = PLANES, size, size
        self.symmetries = 8
        self.picked = 0
        self.tally = [0] * 441

    def blank(self) -> GoState:
        return GoState(self.size, self.komi, self.handicap)

    def fill_planes(self, planes: memoryview[float], first: int) -> None:
        """Write the planes from `planes[first]` on, row by row, all numbers of a point together."""
        one = 1.0
        komi = (self.komi + self.handicap) / self.size
        if self.player == 0:
            komi = -komi
        at = first
        for _ in range(self.size * self.size):
            for plane in range(PLANES):
                planes[at + plane] = 0.0
            planes[at + ONES] = one
            planes[at + PASSED] = self.passes != 0
            planes[at + KOMI] = komi
            at += PLANES
        self._fill_stones(planes, first)
        if self.ko:
            planes[first + self._place(self.ko) + KO] = one
        if self.last != PASS:
            planes[first + self._place(self.last) + LAST] = one
        if self.before != PASS:
            planes[first + self._place(self.before) + PREVIOUS] = one

    def _fill_stones(self, planes: memoryview[float], first: int) -> None:
        """The planes of stones by liberties; `mark` has those of a string at its head."""
        one = 1.0
        for p in range(self.cells):
            self.mark[p] = 0
        for row in range(1, self.size + 1):
            for p in range(row * self.stride + 1, row * self.stride + self.size + 1):
                if self.board[p] != EMPTY:
                    head = self.head[p]
                    if self.mark[head] == 0:
                        self.mark[head] = self._liberties(head, 3)
                    plane = OWN if self.board[p] == self.player + 1 else THEIRS
                    planes[first + self._place(p) + plane + self.mark[head] - 1] = one

    def _place(self, p: int) -> int:
        return ((p // self.stride - 1) * self.size + p % self.stride - 1) * PLANES

    def _liberties(self, head: int, most: int) -> int:
        """How many liberties a string has, up to `most`; it marks them with the string's head, negated."""
        count = 0
        p = head
        while True:
            for i in range(4):
                q = p + self.step[i]
                if self.board[q] == EMPTY and self.mark[q] != -head:
                    self.mark[q] = -head
                    count += 1
                    if count == most:
                        return count
            p = self.link[p]
            if p == head:
                return count

    def policy_index(self, move: int) -> int:
        if move == PASS:
            return self.size * self.size
        return (move // self.stride - 1) * self.size + move % self.stride - 1

    def random_move(self, random: Random, moves: Moves) -> int:
        move = self._choose(random, moves)
        if move != PASS and not self.permits(move):  # by superko, which playouts do not look at
            return moves.at[random.below(self.generate(moves))]
        return move

    def play_out(self, random: Random, moves: Moves, trace: Moves) -> None:
        """Play until nobody has a sensible move, or one side gains a third of the board, and count.

        Superko is neglected but for the ko that would be retaken at once; so games also end by their length.
        """
        lead = self._lead_in_stones()
        self._finish(random, moves, trace, self.size * self.size // 3 + max(lead, -lead))

    def _finish(self, random: Random, moves: Moves, trace: Moves, mercy: float) -> None:
        """A playout that ends when one side leads by more than `mercy` stones, komi and handicap counted."""
        trace.count = 0
        if self.player == OVER:
            return
        limit = 3 * self.size * self.size
        while self.passes < 2 and limit:
            move = self._choose(random, moves)
            trace.note(move, self.player)
            self._go_on(move)
            limit -= 1
            self.margin = self._lead_in_stones()
            if self.margin > mercy or self.margin < -mercy:
                self.player = OVER
                return
        self.player = OVER
        self.margin = self._rough_area() - self.komi - self.handicap

    def _lead_in_stones(self) -> float:
        return self.men[BLACK] - self.men[WHITE] - self.komi - self.handicap

    # Moves worth playing

    def _choose(self, random: Random, moves: Moves) -> int:
        colour = self.player + 1
        if self.last != PASS:
            move = self._reply(random, moves, colour)
            if move != PASS:
                return move
        return self._anywhere(random, colour)

    def _reply(self, random: Random, moves: Moves, colour: int) -> int:
        """A move that the last one calls for; PASS where there is none."""
        self.picked = 0
        for i in range(4):
            q = self.last + self.step[i]
            if self.board[q] == colour and self.in_atari(self.head[q]):
                self._add_saves(moves, self.head[q], colour)
        if self.board[self.last] == 3 - colour and self.in_atari(self.head[self.last]):
            self._add(moves, self.liberty(self.head[self.last]), colour)
        if self.picked == 0:
            self._add_shapes(moves, self.last, colour)
        if self.picked == 0:
            return PASS
        return moves.at[random.below(self.picked)]

    def _add(self, moves: Moves, p: int, colour: int) -> None:
        if self.fits(p, colour):
            moves.at[self.picked] = p
            self.picked += 1

    def _add_saves(self, moves: Moves, head: int, colour: int) -> None:
        """Extending a string in atari, if that gets it out of there, or capturing one of those around it."""
        p = self.liberty(head)
        if self.fits(p, colour) and self.liberties_after(p, colour) > 1:
            self._add(moves, p, colour)
        p = head
        while True:
            for i in range(4):
                q = p + self.step[i]
                if self.board[q] == 3 - colour and self.in_atari(self.head[q]):
                    self._add(moves, self.liberty(self.head[q]), colour)
            p = self.link[p]
            if p == head:
                break

    def _add_shapes(self, moves: Moves, around: int, colour: int) -> None:
        for i in range(8):
            p = around + self.step[i]
            if self.board[p] != EMPTY or not SHAPES[self.ring[p]] or not self.fits(p, colour):
                continue
            if self.liberties_after(p, colour) > 1:
                self._add(moves, p, colour)

    def _anywhere(self, random: Random, colour: int) -> int:
        """Any move but one into an own eye, or one that puts several own stones into atari."""
        if self.vacant == 0:
            return PASS
        start = random.below(self.vacant)
        for i in range(self.vacant):
            j = start + i
            if j >= self.vacant:
                j -= self.vacant
            p = self.empties[j]
            if self.fits(p, colour) and not self.is_eye(p, colour) and not self.throws_away(p, colour):
                return p
        return PASS

    def _go_on(self, move: int) -> None:
        if move == PASS:
            self.passes += 1
            self.ko = 0
        else:
            self.put(move, self.player + 1)
            self.passes = 0
        self.before = self.last
        self.last = move
        self.player = 1 - self.player

    def load_policy(self) -> None:
        load()

    def set_priors(self, moves: Moves, count: int, priors: Priors) -> None:
        """Half of FEW simulations won, and more won or lost by what a move promises.

        With a policy that grows with the logarithm of a move's probability: `strength` for the likeliest
        move, nothing for one INDIFFERENT times as likely, and no less than -UNLIKELY.
        """
        highest = 0.0
        if priors.strength > 0:
            if not priors.chances_given:
                _learned.rate(self, self.observer, moves, count, priors)
            for i in range(count):
                highest = max(highest, priors.chances[i])
        for i in range(count):
            if moves.at[i] == PASS:
                self._set_pass_prior(i, priors)
            else:
                if priors.strength > 0:
                    promise = _promise_of(priors.chances[i] / highest, priors.strength)
                else:
                    promise = self._promise(moves.at[i], self.player + 1)
                priors.visits[i] = FEW + (promise if promise > 0 else -promise)
                priors.wins[i] = FEW * 0.5 + max(promise, 0)

    def _set_pass_prior(self, i: int, priors: Priors) -> None:
        """A second pass ends the game, and what it brings is known."""
        priors.visits[i], priors.wins[i] = FEW, FEW * 0.1
        if self.passes == 1:
            priors.visits[i] = SURE
            self.margin = self.lead()
            priors.wins[i] = SURE * (1.0 + self.reward_of(self.player)) * 0.5

    def _promise(self, p: int, colour: int) -> int:
        """How many won simulations, or lost ones if negative, a move is worth before it was tried."""
        if self.is_eye(p, colour):
            return -OWN_EYE
        taken = self.stones_in_atari(p, 3 - colour)
        saved = 0
        if self.liberties_after(p, colour) == 1:
            if taken == 0:
                return -SELF_ATARI
        else:
            saved = self.stones_in_atari(p, colour)
        promise = 0
        if taken + saved > 0:
            promise += ATARI if taken + saved == 1 else ATARI_OF_SEVERAL
        if SHAPES[self.ring[p]]:
            promise += SHAPE
        if self.last != PASS:
            distance = self.distance(p, self.last)
            promise += CLOSE if distance <= 2 else NEAR if distance <= 4 else 0
        if self.is_deserted(p):
            promise += OPEN if self.height(p) > 2 else -LOW
        return promise

    # Counting

    def _rough_area(self) -> int:
        """`area` after a playout, where hardly any empty point has empty neighbours."""
        balance = self.men[BLACK] - self.men[WHITE]
        for i in range(self.vacant):
            around = self._surrounded(self.empties[i])
            balance += 1 if around == BLACK else -1 if around == WHITE else 0
        return balance

    def _surrounded(self, p: int) -> int:
        """The colours next to an empty point: 1, 2, both 3, none 0."""
        around = 0
        for i in range(4):
            if self.board[p + self.step[i]] != EDGE:
                around |= self.board[p + self.step[i]]
        return around

    def settling_move(
        self, playouts: int, look: Callable[[], None], cleaning: bool
    ) -> tuple[int, float | None] | None:
        """The move to play where playouts find that all points are settled; None: a search must decide.

        It takes a single dame, or captures dead stones, which count as alive as long as they are on the
        board, or else it passes. The liberties of a seki are left alone. With the lead in points that the
        player to move will have. `cleaning`: capture dead stones even where not all is settled; then the lead
        may be None. `look` is called before each playout.
        """
        if not cleaning:
            if self.vacant > self.size * self.size // 2:  # random games overlook what could live there
                return None
            for first in (0, 1):
                if self._dame(self.ownership(playouts // 5, 0, first, look), OWNED / 2) is None:
                    return None
        sides = 1 if self.player == 0 else -1
        owned = self._sure_owners(playouts, look)
        dame = self._dame(owned, OWNED)
        if dame is None and not cleaning:
            return None
        lead = None
        if dame is not None:
            balance = sum([(owner >= OWNED) - (owner <= -OWNED) for owner in owned])
            lead = sides * (balance - self.komi - self.handicap) + len(dame) % 2
            if not dame and not self._is_owed(owned, sides):
                return PASS, lead
        for p in ((dame or []) + self._captures(owned, sides))[:3]:
            after = cython.cast(GoState, self.play(p)).ownership(playouts, 0, 1 - self.player, look)
            if all(
                sides * new >= OWNED for old, new in zip(owned, after, strict=True) if sides * old >= OWNED
            ):
                return p, lead
        return None

    def _sure_owners(self, playouts: int, look: Callable[[], None]) -> tuple[float, ...]:
        """As `ownership`, whoever begins: the smaller number, and 0 for a point that depends on that."""
        pairs = zip(self.ownership(playouts, 0, 0, look), self.ownership(playouts, 0, 1, look), strict=True)
        return tuple([min(a, b) if min(a, b) > 0.0 else min(0.0, max(a, b)) for a, b in pairs])

    def _dame(self, owned: tuple[float, ...], least: float) -> list[int] | None:
        """The single points that belong to nobody and the player can take; None if more than that is open."""
        colour = self.player + 1
        self.area()
        found = []
        for p in range(self.cells):
            if self.board[p] == EDGE or owned[p] >= least or owned[p] <= -least:
                continue
            if self.board[p] != EMPTY or self.mark[p] % 3:
                return None
            if self.permits(p) and self.liberties_after(p, colour) > 1:
                for i in range(4):
                    q = p + self.step[i]
                    if self.board[q] == EMPTY and -least < owned[q] < least:
                        return None
                found.append(p)
        return found

    def _is_owed(self, owned: tuple[float, ...], sides: int) -> bool:
        """Whether a point that the player owns is not yet counted as the player's; after `_dame`."""
        for p in range(self.cells):
            counted = self.mark[p] if self.board[p] == EMPTY else self.board[p]
            if self.board[p] != EDGE and sides * owned[p] >= OWNED and counted != self.player + 1:
                return True
        return False

    def _captures(self, owned: tuple[float, ...], sides: int) -> list[int]:
        """Moves of the player, `sides` 1 for Black and -1 for White, against dead strings.

        First those that take the most, then those against the strings with the fewest liberties.
        """
        found = []
        colour = self.player + 1
        for p in range(self.cells):
            if self.board[p] != EMPTY or not self.permits(p):
                continue
            taken = self.stones_in_atari(p, 3 - colour)
            if not taken and self.liberties_after(p, colour) == 1:
                continue
            freedoms = []
            for i in range(4):
                q = p + self.step[i]
                if self.board[q] == 3 - colour and sides * owned[q] >= OWNED:
                    freedoms.append(self.edges[self.head[q]])
            if freedoms:
                found.append((-taken, min(freedoms), p))
        return [p for _, _, p in sorted(found)]

    def ownership(
        self, playouts: int, seed: int, first: int = -1, look: Callable[[], None] | None = None
    ) -> tuple[float, ...]:
        """For each point, edges and all, how often it was Black's after a playout, less how often White's.

        From 1 to -1. The player `first` begins, or if it is -1 both in turn; even if the game is over.
        `look` is called before each playout.
        """
        state = cython.cast(GoState, self.blank())
        random = Random(seed)
        for p in range(self.cells):
            self.tally[p] = 0
        for i in range(playouts):
            if look is not None:
                look()
            state.assign(self)
            state.made = 0  # a game that is over by its length goes on here, too
            state.give_turn(i & 1 if first < 0 else first)
            state._finish(random, _scratch, _unread, _NO_MERCY)
            state.add_owners(self)
        return tuple([self.tally[p] / playouts for p in range(self.cells)])

    def add_owners(self, other: GoState) -> None:
        """Add the owner of each point to another state's tally: 1 for Black, -1 for White."""
        for p in range(self.cells):
            owner = self.board[p]
            if owner == EMPTY:
                owner = self._surrounded(p)
            other.tally[p] += 1 if owner == BLACK else -1 if owner == WHITE else 0


def _promise_of(chance: float, strength: float) -> int:
    """What a move promises whose probability, as a part of the greatest, is `chance`."""
    promise = strength * (1.0 - log(chance) / log(INDIFFERENT))
    return int(max(promise, -UNLIKELY))


_scratch, _unread = Moves(), Moves()  # only with the interpreter's lock held
