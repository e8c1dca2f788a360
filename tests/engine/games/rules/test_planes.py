"""What networks see of a position, against the same computed from outside, move by move in random games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engine.games.catalogue import game
from engine.games.rules.go import PASS, at
from scripts.laboratory.policy import symmetries
from tests.engine.games.rules.plain_go import PlainGo
from tests.engine.games.rules.plain_play import random_game

if TYPE_CHECKING:
    import numpy.typing as npt

    Planes = npt.NDArray[np.float32]


def planes_of(state: Any) -> Planes:
    return np.asarray(state.planes()).reshape(state.plane_rows, state.plane_columns, state.plane_count)


def index_of(state: Any, move: int) -> int:
    index: int = state.policy_indices()[state.moves().index(move)]
    return index


@pytest.mark.parametrize("seed", range(3))
def test_connect_four(seed: int) -> None:
    men: list[list[int]] = [[] for _ in range(7)]
    player = 0
    for state, move in random_game(game("connectfour"), None, seed):
        if move is None:
            break
        seen = np.zeros((6, 7, 6))
        for column, stack in enumerate(men):
            for row, owner in enumerate(stack):
                seen[row, column, 1 if owner == player else 2] = 1
            if len(stack) < 6:
                seen[len(stack), column, 3] = 1
        seen[:, :, 0] = 1
        seen[1::2, :, 4] = 1
        seen[:, :, 5] = player == 0
        np.testing.assert_array_equal(planes_of(state), seen)
        free = [column for column in range(7) if len(men[column]) < 6]
        assert list(state.policy_indices()) == [len(men[column]) * 7 + column for column in free]
        men[move].append(player)
        player = 1 - player


@pytest.mark.parametrize("size", [4, 8])
def test_othello(size: int) -> None:
    rules = game("othello")
    for state, move in random_game(rules, size, 1):
        if move is None:
            break
        seen = planes_of(state)
        assert (seen[:, :, 0] == 1).all()
        for player, plane in ((state.player, 1), (1 - state.player, 2)):
            bits = state.discs(player)
            wanted = [[bits >> (8 * row + column) & 1 for column in range(size)] for row in range(size)]
            np.testing.assert_array_equal(seen[:, :, plane], wanted)
        legal = {index for index in state.policy_indices() if index < size * size}
        assert set(np.flatnonzero(seen[:, :, 3].ravel()).tolist()) == legal
        left = size * size - int(seen[:, :, 1:3].sum())
        assert (seen[:, :, 4] == left % 2).all()


@pytest.mark.parametrize(("size", "seed"), [(5, 1), (5, 2), (7, 3)])
def test_go(size: int, seed: int) -> None:
    plain = PlainGo(size)
    moves: list[tuple[int, int] | None] = []
    before: dict[tuple[int, int], int] | None = None
    player = 0
    for ply, (state, move) in enumerate(random_game(game("go"), size, seed)):
        if move is None or ply > 150:
            break
        seen = np.zeros((size, size, 12), np.float32)
        seen[:, :, 0] = 1
        for (column, row), colour in plain.stones.items():
            string = plain.connected(plain.stones, (column, row))
            liberties = {free for stone in string for free in plain.around(stone)} - plain.stones.keys()
            seen[row, column, (1 if colour == player else 4) + min(len(liberties), 3) - 1] = 1
        for point in plain.points():
            after = PlainGo(size, dict(plain.stones), set()).after(point, player) if before else None
            if after is not None and after == before:
                seen[point[1], point[0], 7] = 1
        for back, plane in ((1, 8), (2, 9)):
            if len(moves) >= back and (place := moves[-back]) is not None:
                seen[place[1], place[0], plane] = 1
        seen[:, :, 10] = bool(moves) and moves[-1] is None
        seen[:, :, 11] = (-7.5 if player == 0 else 7.5) / size
        np.testing.assert_allclose(planes_of(state), seen)
        place = next((point for point in plain.points() if at(state, *point) == move), None)
        assert (place is None) == (move == PASS)
        index = size * size if place is None else place[1] * size + place[0]
        assert index_of(state, move) == index
        before = dict(plain.stones)
        if place is not None:
            plain.play(place, player)
        moves.append(place)
        player = 1 - player


@pytest.mark.parametrize(("name", "size"), [("connectfour", None), ("othello", 6), ("go", 5)])
def test_a_turned_board_looks_like_the_board_turned(name: str, size: int | None) -> None:
    """The same moves on a turned board give the same planes, turned."""
    rules = game(name)
    first = rules.start(size)
    ways = symmetries(first)
    assert len(ways) == first.symmetries
    assert len({tuple(way) for way in ways.tolist()}) == len(ways)
    squares = first.plane_rows * first.plane_columns
    for way in ways:
        turned = first
        if not np.array_equal(
            planes_of(first).reshape(squares, -1)[way], planes_of(first).reshape(squares, -1)
        ):
            continue  # Othello begins with another position where it is turned by a quarter
        for ply, (state, move) in enumerate(random_game(rules, size, 4)):
            seen = planes_of(state).reshape(squares, -1)
            np.testing.assert_array_equal(planes_of(turned).reshape(squares, -1), seen[way])
            if move is None or ply > 40:
                break
            index = index_of(state, move)
            wanted = squares if index == squares else int(np.flatnonzero(way == index)[0])
            there = dict(zip(turned.policy_indices(), turned.moves(), strict=True))
            turned = turned.play(there[wanted])
