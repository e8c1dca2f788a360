"""Focus against its rules, written down once more with lists of pieces and without haste."""

from dataclasses import dataclass, field

import pytest

from engine.games.rules.focus import Focus, FocusGame
from engine.games.rules.game import LETTERS, OVER, NotApplicableError
from tests.engine.games.rules.plain_play import random_game

SQUARES = [
    f"{letter}{row}"
    for row in range(1, 9)
    for letter in LETTERS[:8]
    if f"{letter}{row}" not in {"A1", "B1", "A2", "H1", "G1", "H2", "A8", "A7", "B8", "H8", "H7", "G8"}
]


@dataclass
class Rules:
    players: int
    board: dict[str, list[int]]
    player: int = 0
    reserve: dict[int, int] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)

    def moves(self) -> set[str]:
        moves = set()
        for start, stack in self.board.items():
            for count in range(1, len(stack) + 1):
                if stack[-1] == self.player:
                    moves |= {f"{start}-{end}" for end in self.away(start, count)}
        if self.reserve.get(self.player, 0):
            moves |= {f"*{square}" for square in SQUARES}
        return moves

    def away(self, start: str, count: int) -> set[str]:
        column, row = LETTERS.index(start[0]), int(start[1])
        ends = [(column + count, row), (column - count, row), (column, row + count), (column, row - count)]
        return {f"{LETTERS[c]}{r}" for c, r in ends if c >= 0} & set(SQUARES)

    def play(self, move: str) -> None:
        if move.startswith("*"):
            self.reserve[self.player] -= 1
            end, moved = move[1:], [self.player]
        else:
            start, end = move.split("-")
            count = abs(LETTERS.index(start[0]) - LETTERS.index(end[0])) + abs(int(start[1]) - int(end[1]))
            stack = self.board[start]
            self.board[start], moved = stack[:-count], stack[-count:]
        stack = self.board[end] + moved
        self.board[end] = stack[-5:]
        own = stack[:-5].count(self.player)
        self.reserve[self.player] = self.reserve.get(self.player, 0) + own
        self.pass_on()

    def pass_on(self) -> None:
        mover = self.player
        for step in range(1, self.players):
            self.player = (mover + step) % self.players
            if self.player not in self.out and self.moves():
                return
            self.out.add(self.player)
        self.player = OVER


def stacks_of(state: Focus) -> dict[str, list[int]]:
    cells = {square: 8 * (int(square[1]) - 1) + LETTERS.index(square[0]) for square in SQUARES}
    return {
        square: [state.piece(cell, level) for level in range(state.height(cell))]
        for square, cell in cells.items()
    }


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 40))]
)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_follow_the_rules(players: int, seed: int) -> None:
    game = FocusGame(players=players)
    rules = Rules(players, stacks_of(game.start()))
    for plies, (state, move) in enumerate(random_game(game, None, seed)):
        assert stacks_of(state) == rules.board
        reserves = [rules.reserve.get(player, 0) for player in range(players)]
        assert [state.in_reserve(player) for player in range(players)] == reserves
        standing = [sum(stack.count(p) for stack in rules.board.values()) for p in range(players)]
        assert [state.left(p) for p in range(players)] == [standing[p] + reserves[p] for p in range(players)]
        if move is None:
            assert rules.player == OVER or plies == 150 * players
            return
        assert state.player == rules.player
        assert {game.text(state, each) for each in state.moves()} == rules.moves()
        rules.play(game.text(state, move))


def position(
    players: int, stacks: dict[str, str], player: int = 0, reserve: tuple[int, ...] = (0, 0, 0, 0)
) -> Focus:
    rows = [
        " ".join(stacks.get(square, ".") for square in SQUARES if square[1] == str(row))
        for row in range(8, 0, -1)
    ]
    return FocusGame(players=players).position(rows, player, reserve)


def after(game: FocusGame, state: Focus, *moves: str) -> Focus:
    for move in moves:
        state = state.play(game.parse(state, move))
    return state


def test_who_cannot_move_is_out_even_if_a_piece_comes_to_light() -> None:
    game = FocusGame(players=3)
    state = position(3, {"D4": "21", "H3": "1", "A3": "3"})
    state = after(game, state, "H3-H4")
    assert state.player == 2
    assert state.remaining() == (0, 2)
    state = after(game, state, "A3-A4", "D4-D5")
    assert stacks_of(state)["D4"] == [1]
    assert state.remaining() == (0, 2)
    assert state.player == 2
    with pytest.raises(NotApplicableError):
        state.turn(1)


def test_who_has_the_most_left_wins_in_the_end() -> None:
    game = FocusGame()
    state = position(2, {"D4": "11", "E4": "2"})
    there = ("D4-D5", "E4-E5", "D5-D4", "E5-E4")
    state = after(game, state, *there * 75)
    assert (state.plies, state.player, state.payoff()) == (300, OVER, (1.0, -1.0))
    even = after(game, position(2, {"D4": "1", "E4": "2"}), *there * 75)
    assert even.payoff() == (0.0, 0.0)


def test_the_same_stacks_at_another_time_or_with_another_reserve_are_another_state() -> None:
    game = FocusGame()
    state = position(2, {"D4": "1", "E4": "2"})
    later = after(game, state, "D4-D5", "E4-E5", "D5-D4", "E5-E4")
    assert stacks_of(later) == stacks_of(state)
    assert later != state
    assert state == position(2, {"D4": "1", "E4": "2"})
    assert hash(state) == hash(position(2, {"D4": "1", "E4": "2"}))
    assert position(2, {"D4": "1", "E4": "2"}, reserve=(0, 1)) != state


def test_starts_are_symmetrical() -> None:
    turned = dict(zip(SQUARES, reversed(SQUARES), strict=True))
    two = stacks_of(FocusGame().start())
    assert [len(two[square]) for square in SQUARES] == [len(two[turned[square]]) for square in SQUARES]
    assert all(two[square] != two[turned[square]] for square in SQUARES if two[square])
    three = stacks_of(FocusGame(players=3).start())
    assert sorted(owner for stack in three.values() for owner in stack) == [0] * 12 + [1] * 12 + [2] * 12
    four = stacks_of(FocusGame(players=4).start())
    for square, (owner,) in four.items():
        quarter = f"{LETTERS[int(square[1]) - 1]}{8 - LETTERS.index(square[0])}"
        assert four[quarter] == [(owner + 1) % 4]
