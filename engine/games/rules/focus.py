"""Focus, by Sid Sackson (A Gamut of Games, 1969): the player on top of a stack moves it.

The board is 8 by 8 less three squares in each corner. Where accounts of the rules differ:

- A player moves a stack that has their piece on top, or any number of pieces from its top, in a straight
  line as many squares as pieces move, over whatever is between, onto a square with or without pieces.
- Of a stack of more than five the lowest pieces leave the board: the mover's own go to their reserve, the
  others are captured and out of play. Instead of moving, a piece of the reserve may be dropped on any square.
- A player who cannot move at their turn drops out for good; the stacks with their piece on top then belong
  to nobody. The last player left has won. The rules do not end a game in which nobody captures: after
  `ROUNDS` plies a player it is over, and the player still in it with the most pieces not captured has won; if
  two have the same number, it is drawn, 0 for everybody.
- Start: two players have 18 pieces each in the middle six by six, in pairs, the colours changing from row
  to row. Three have 12 each there, in aslant lines of one colour. Four have 13 each and fill the board, such
  that a quarter turn clockwise makes each player's pieces the next one's.

A move is written `C3-C5`, where the distance says how many pieces move; a drop is written `*D4`.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from engine.games.rules.compiled_state import CompiledState, Moves, Random
from engine.games.rules.game import LETTERS, Game, vertex

if not cython.compiled:
    from engine.games.rules.game import OVER
    from engine.system.bits import bit, lsb, popcount, u64

    HIGHEST, ROUNDS = 5, 150
    STACK_WORTH, RESERVE_WORTH = 2, 3

_REACH = [0] * 384
_KEYS = [0] * 64


class Focus(CompiledState):
    """Stacks by cell, `8 * row + column`. A move is `64 * from + to`; where both are the same, a drop."""

    def __init__(self, players: int) -> None:
        super().__init__(players)
        self.turns_given = True
        self.stack = [0] * 64
        self.tops = [0] * 4
        self.reserve = [0] * 4
        self.men = [0] * 4
        self.out = [False] * 4
        self.board_key = 0
        self.plies = 0
        self.all_men = 0

    def blank(self) -> Focus:
        return Focus(self.players)

    def height(self, cell: int) -> int:
        return self.stack[cell] >> 10

    def piece(self, cell: int, level: int) -> int:
        """The owner of the piece at a level; level 0 is the lowest."""
        return (self.stack[cell] >> (2 * level)) & 3

    def in_reserve(self, player: int) -> int:
        return self.reserve[player]

    def left(self, player: int) -> int:
        return self.men[player]

    def generate(self, moves: Moves) -> int:
        n = 0
        if self.player < 0:
            return n
        mine = self.tops[self.player]
        while mine:
            cell = lsb(mine)
            mine &= mine - 1
            targets = _REACH[64 * self.height(cell) + cell]
            while targets:
                moves.at[n] = 64 * cell + lsb(targets)
                n += 1
                targets &= targets - 1
        if self.reserve[self.player] > 0:
            targets = _REACH[0]
            while targets:
                moves.at[n] = 65 * lsb(targets)
                n += 1
                targets &= targets - 1
        return n

    def advance(self, move: int) -> None:
        cell, target = move >> 6, move & 63
        if cell == target:
            self.reserve[self.player] -= 1
            self.land(target, self.player, 1)
        else:
            moving = distance(move)
            staying = self.height(cell) - moving
            pieces = self.stack[cell] & 1023
            self.put(cell, staying, pieces & ((1 << (2 * staying)) - 1))
            self.land(target, pieces >> (2 * staying), moving)
        self.plies += 1
        self.pass_on()

    def land(self, cell: int, pieces: int, count: int) -> None:
        """Put `count` pieces on top of a stack for the player to move; those above HIGHEST leave it below."""
        height = self.height(cell)
        pieces = (self.stack[cell] & 1023) | (pieces << (2 * height))
        height += count
        while height > HIGHEST:
            owner = pieces & 3
            if owner == self.player:
                self.reserve[owner] += 1
            else:
                self.men[owner] -= 1
            pieces >>= 2
            height -= 1
        self.put(cell, height, pieces)

    def put(self, cell: int, height: int, pieces: int) -> None:
        """Replace the stack on a cell; `height` is 0 for none."""
        before = self.height(cell)
        if before > 0:
            self.tops[self.piece(cell, before - 1)] &= ~bit(cell)
            self.board_key ^= _stack_key(cell, self.stack[cell])
        self.stack[cell] = height << 10 | pieces
        if height > 0:
            self.tops[self.piece(cell, height - 1)] |= bit(cell)
            self.board_key ^= _stack_key(cell, self.stack[cell])

    def pass_on(self) -> None:
        """Give the turn to the next player who can move; those passed by drop out. Or end the game."""
        player = self.player + 1 if self.player + 1 < self.players else 0
        while player != self.player and not self.in_game(player):
            self.out[player] = True
            player = player + 1 if player + 1 < self.players else 0
        if player == self.player:
            self.winner = player
            self.player = OVER
        elif self.plies >= ROUNDS * self.players:
            self.winner = self.leader()
            self.player = OVER
        else:
            self.player = player

    def leader(self) -> int:
        """The player in the game with the most pieces not captured; -1 if there are two."""
        leader, most = -1, 0
        for player in range(self.players):
            if self.in_game(player) and self.men[player] >= most:
                leader = player if self.men[player] > most else -1
                most = self.men[player]
        return leader

    def in_game(self, player: int) -> bool:
        if self.out[player]:
            return False
        return self.tops[player] != 0 or self.reserve[player] > 0

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.plies = cython.cast(Focus, other).plies
        self.winner = other.winner
        self.all_men = cython.cast(Focus, other).all_men
        self.board_key = cython.cast(Focus, other).board_key
        for cell in range(64):
            self.stack[cell] = cython.cast(Focus, other).stack[cell]
        for player in range(self.players):
            self.tops[player] = cython.cast(Focus, other).tops[player]
            self.reserve[player] = cython.cast(Focus, other).reserve[player]
            self.men[player] = cython.cast(Focus, other).men[player]
            self.out[player] = cython.cast(Focus, other).out[player]

    def same(self, other: CompiledState) -> bool:
        differing = u64(self.plies ^ cython.cast(Focus, other).plies)
        differing |= u64(self.players ^ other.players)
        for cell in range(64):
            differing |= u64(self.stack[cell] ^ cython.cast(Focus, other).stack[cell])
        for player in range(self.players):
            differing |= u64(self.reserve[player] ^ cython.cast(Focus, other).reserve[player])
            differing |= u64(self.out[player] ^ cython.cast(Focus, other).out[player])
        return differing == 0

    def key(self) -> int:
        rest = u64(self.plies * 8 + self.player + 3)
        for player in range(self.players):
            rest = u64(rest << 8) | u64(2 * self.reserve[player] + self.out[player])
        rest = u64(rest * u64(0x9E3779B97F4A7C15))
        return self.board_key ^ u64((rest ^ (rest >> 32)) * u64(0xBF58476D1CE4E5B9))

    def estimate_of(self, player: int) -> float:
        """What a player's stacks, reserve and other pieces are worth more than the others' on average."""
        mine, total = self.worth(player), 0
        for other in range(self.players):
            total += self.worth(other)
        mean = (total - mine) / (self.players - 1.0)
        return (mine - mean) / ((1.0 + RESERVE_WORTH) * self.all_men + 1.0)

    def worth(self, player: int) -> int:
        """1 for each piece not captured, with more for those in reserve and on top."""
        if self.out[player]:
            return 0
        stacks = popcount(self.tops[player])
        return self.men[player] + STACK_WORTH * stacks + RESERVE_WORTH * self.reserve[player]


def _stack_key(cell: int, code: int) -> int:
    mixed = u64((_KEYS[cell] ^ u64(code)) * u64(0xBF58476D1CE4E5B9))
    mixed = u64((mixed ^ (mixed >> 29)) * u64(0x94D049BB133111EB))
    return mixed ^ (mixed >> 32)


def distance(move: int) -> int:
    """How many squares, and so how many pieces, a move goes; 0 for a drop."""
    step = (move & 63) - (move >> 6)
    if step < 0:
        step = -step
    return step if step < 8 else step >> 3


class FocusGame(Game[Focus]):
    """Focus for two to four players."""

    name = "focus"
    title = "Focus"
    sizes = (8,)
    possible_players = (2, 3, 4)

    def start(self, size: int | None = None) -> Focus:
        self.checked_size(size)
        piece = _STARTS[self.players]
        return self.position([" ".join(map(piece, _row(row))) for row in range(7, -1, -1)])

    def position(self, rows: Sequence[str], player: int = 0, reserve: Sequence[int] = (0, 0, 0, 0)) -> Focus:
        """A state from its eight rows as `show` draws them, the top one first, blanks between the squares."""
        state = Focus(self.players)
        for row, stacks in enumerate(reversed(rows)):
            for cell, pieces in zip(_row(row), stacks.split(), strict=True):
                if pieces != ".":
                    code = 0
                    for level, piece in enumerate(pieces):
                        code |= (int(piece) - 1) << (2 * level)
                        state.men[int(piece) - 1] += 1
                    state.put(cell, len(pieces), code)
        for each in range(self.players):
            state.reserve[each] = reserve[each]
            state.men[each] += reserve[each]
            state.all_men += state.men[each]
        state.player = player
        return state

    def noisy(self, state: Focus) -> Sequence[int]:
        """The moves that make a stack too high."""
        return [move for move in state.moves() if state.height(move & 63) + max(1, distance(move)) > HIGHEST]

    def text(self, _state: Focus, move: int) -> str:
        target = vertex(move % 8, move % 64 // 8)
        return f"{vertex(move // 64 % 8, move // 512)}-{target}" if distance(move) else f"*{target}"

    def show(self, state: Focus) -> str:
        letters = "   " + " ".join(f"{letter:>5}" for letter in LETTERS[:8])
        lines = [letters]
        for row in range(7, -1, -1):
            stacks = {cell: _pieces(state, cell) for cell in _row(row)}
            squares = " ".join(f"{stacks.get(8 * row + column, ''):>5}" for column in range(8))
            lines.append(f"{row + 1:2} {squares} {row + 1}")
        lines.append(letters)
        reserves = " ".join(f"{p + 1}:{state.in_reserve(p)}" for p in range(self.players))
        left = " ".join(f"{p + 1}:{state.left(p)}" for p in range(self.players))
        return "\n".join([*lines, f"in reserve {reserves}", f"not captured {left}"])


def _row(row: int) -> range:
    missing = max(0, 2 - min(row, 7 - row))
    return range(8 * row + missing, 8 * row + 8 - missing)


def _pieces(state: Focus, cell: int) -> str:
    stack = [str(state.piece(cell, level) + 1) for level in range(state.height(cell))]
    return "".join(stack) or "."


def _inside(cell: int) -> bool:
    return min(cell % 8, cell // 8) > 0 and max(cell % 8, cell // 8) < 7


def _pairs(cell: int) -> str:
    return str(((cell % 8 - 1) // 2 + cell // 8 - 1) % 2 + 1) if _inside(cell) else "."


def _stripes(cell: int) -> str:
    return str((cell % 8 + cell // 8) % 3 + 1) if _inside(cell) else "."


def _quarters(cell: int) -> str:
    column, row, turns = cell % 8, cell // 8, 0
    while column > 3 or row > 3:
        column, row, turns = 7 - row, column, turns + 1
    return str((column + row + turns) % 4 + 1)


_STARTS = {2: _pairs, 3: _stripes, 4: _quarters}
"""By players: what stands on a cell at first."""


def _fill() -> None:
    random = Random(0)
    for row in range(8):
        for cell in _row(row):
            _REACH[0] |= bit(cell)
    for cell in range(64):
        _KEYS[cell] = random.bits()
        for height in range(1, HIGHEST + 1):
            for steps in range(1, height + 1):
                for column, row in (
                    (cell % 8 + steps, cell // 8),
                    (cell % 8 - steps, cell // 8),
                    (cell % 8, cell // 8 + steps),
                    (cell % 8, cell // 8 - steps),
                ):
                    if 0 <= row < 8 and 8 * row + column in _row(row):
                        _REACH[64 * height + cell] |= bit(8 * row + column)


_fill()
