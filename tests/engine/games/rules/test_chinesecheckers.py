"""Chinese Checkers against OpenSpiel, which takes a hop at a time, and in positions made by hand."""

from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from engine.games.rules.chinesecheckers import WIDTHS, ChineseCheckers, ChineseCheckersGame
from engine.games.rules.game import OVER

PASS, NO_MOVE = 726, 0  # of OpenSpiel, of ours


class Turns:
    """Whole turns over a state of OpenSpiel: which cells each man may reach, and by which hops."""

    def __init__(self, state: Any) -> None:
        self.state = state
        self.paths: dict[int, list[int]] = {}
        mover = state.current_player()
        for action in state.legal_actions():
            if action == PASS:
                self.paths[NO_MOVE] = [PASS]
            else:
                self.follow(mover, action // 6, action, [])

    def follow(self, mover: int, start: int, action: int, path: list[int]) -> None:
        text = self.state.action_to_string(action)
        cell = int(text.replace("=", "-").split("->")[1])
        move = 128 * start + cell
        if move in self.paths:
            return
        path = [*path, action]
        self.state.apply_action(action)
        hopping = self.state.current_player() == mover
        self.paths[move] = [*path, PASS] if hopping else path
        for further in self.state.legal_actions() if hopping else ():
            if further != PASS:
                self.follow(mover, start, further, path)
        self.state.undo_action(mover, action)

    def play(self, move: int) -> None:
        for action in self.paths[move]:
            self.state.apply_action(action)


def star(text: str, first: int) -> list[str]:
    return ["".join(line[first : first + 25].split()) for line in text.splitlines()]


def check_against_open_spiel(players: int, cap: int, seed: int) -> float:
    """Play at random, towards the goal if the seed is even; return what the first player got."""
    pyspiel = pytest.importorskip("pyspiel")
    peer = pyspiel.load_game("chinese_checkers", {"players": players, "max_moves": cap}).new_initial_state()
    game, random = ChineseCheckersGame(players=players, cap=cap), Random(seed)
    state = game.start()
    while not peer.is_terminal():
        assert state.player == peer.current_player()
        assert star(game.show(state), 3)[1:18] == star(str(peer), 0)[:17]
        turns, moves = Turns(peer), list(state.moves())
        assert sorted(moves) == sorted(turns.paths)
        if seed % 2 == 0:
            random.shuffle(moves)
            moves = sorted(moves, key=lambda move: state.play(move).steps(state.player))[:2]
        move = random.choice(moves)
        turns.play(move)
        state = state.play(move)
    assert state.player == OVER
    assert list(state.payoff()) == [each / (players - 1) for each in peer.returns()]
    return state.payoff()[0]


@pytest.mark.parametrize("games", [8, pytest.param(250, marks=pytest.mark.slow)])
@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_random_games_agree_with_open_spiel(players: int, games: int) -> None:
    assert {check_against_open_spiel(players, 100 * players, seed) for seed in range(games)} - {0.0}


def position(game: ChineseCheckersGame, men: dict[int, str], player: int = 0) -> ChineseCheckers:
    marks = "".join(men.get(cell, ".") for cell in range(121))
    ends = [sum(WIDTHS[:row]) for row in range(18)]
    return game.position([marks[first:last] for first, last in pairwise(ends)], player)


def test_names_of_cells() -> None:
    game = ChineseCheckersGame(players=6)
    lines = game.show(game.start()).splitlines()
    assert lines[0].strip() == "ABCDEFGHJKLMNOPQRSTUVWXYZ"
    assert lines[1].split() == ["17", "1", "17"]
    assert lines[5] == "13 6 6 6 6 . . . . . 2 2 2 2 13"
    assert lines[17].split() == ["1", "4", "1"]
    tips = {0: "N17", 22: "Z13", 110: "Z5", 120: "N1", 98: "A5", 10: "A13"}
    for cell, name in tips.items():
        alone = position(game, {cell: "1"})
        assert {text.split("-")[0] for text in map(partial(game.text, alone), alone.moves())} == {name}


def test_hops_by_two_ways_to_one_cell_are_one_move() -> None:
    """From N9 round by L11 or by P11 to N13; on round the ring would be back at N9, which is no move."""
    game = ChineseCheckersGame()
    state = position(game, {60: "1", 50: "2", 51: "2", 28: "2", 29: "1"})
    moves = sorted(game.text(state, move) for move in state.moves() if move >> 7 == 60)
    assert moves == ["N9-L11", "N9-L9", "N9-M8", "N9-N13", "N9-O8", "N9-P11", "N9-P9"]
    after = state.play(game.parse(state, "n9-n13"))
    assert (after.owner(60), after.owner(16), after.owner(50), after.player) == (-1, 0, 1, 1)


def test_who_is_blocked_passes() -> None:
    game = ChineseCheckersGame()
    state = position(game, {0: "1", 1: "2", 2: "2", 3: "2", 5: "2"})
    assert [game.text(state, move) for move in state.moves()] == ["pass"]
    after = state.play(game.parse(state, "Pass"))
    assert after.player == 1
    assert after.owner(0) == 0


@pytest.mark.parametrize(("blocking", "expected"), [(True, None), (False, (1.0, -1.0))])
def test_a_man_left_behind(blocking: bool, expected: tuple[float, float] | None) -> None:
    game = ChineseCheckersGame(blocking=blocking)
    men = dict.fromkeys(range(112, 120), "1") | {120: "2", 102: "1", 60: "2"}
    state = position(game, men)
    after = state.play(game.parse(state, "J5-K4"))
    assert (after.payoff() if after.player == OVER else None) == expected
    full = position(game, dict.fromkeys(range(111, 121), "2") | {60: "1"})
    assert full.play(full.moves()[0]).player == 1
