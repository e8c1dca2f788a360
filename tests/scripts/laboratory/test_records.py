"""Files of games of PUCT: what was written is read, and what is damaged is refused in a line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.games.catalogue import game
from scripts.laboratory.policy import (
    POLICY_GAMES,
    PolicyGame,
    PolicyGameError,
    examples_of,
    owners_of,
)
from tests.scripts.laboratory.tiny_runs import games

DESCRIPTION = {"game": "connectfour", "size": 7}


def some_game() -> PolicyGame:
    """D1 A1 D2 A2 D3 A3 D4: player 0 wins. The third and the last ply are to be learned from."""
    return PolicyGame(
        1,
        np.array([3, 0, 3, 0, 3, 0, 3], np.uint16),
        np.array([0, -1000, 2000, -3000, 5000, -10000, 10000], np.int16),
        {2: np.array([[2, 5], [10, 15]], np.uint16), 6: np.array([[24, 1]], np.uint16)},
        np.zeros(0, np.int8),
    )


def same(one: PolicyGame, other: PolicyGame) -> bool:
    return one.to_bytes() == other.to_bytes()


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.games"
    owned = PolicyGame(-1, some_game().moves, some_game().values, {}, np.array([1, 0, -1], np.int8))
    path.write_bytes(POLICY_GAMES.pack_header(DESCRIPTION) + some_game().to_bytes() + owned.to_bytes())
    one, other = games(path)
    assert (one.result, one.moves.tolist(), one.values.tolist()[-1]) == (1, [3, 0, 3, 0, 3, 0, 3], 10000)
    assert {ply: tried.tolist() for ply, tried in one.tried.items()} == {2: [[2, 5], [10, 15]], 6: [[24, 1]]}
    assert same(one, some_game())
    assert other.owners.tolist() == [1, 0, -1]


def test_an_incomplete_game_at_the_end_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "x.games"
    data = some_game().to_bytes()
    for length in (1, 4, 20, len(data) - 1):
        path.write_bytes(POLICY_GAMES.pack_header(DESCRIPTION) + data + data[:length])
        assert len([*games(path)]) == 1


@pytest.mark.parametrize("behind", [0, 1, 3])
@pytest.mark.parametrize("bit", range(32))
def test_a_length_with_a_flipped_bit_is_told(tmp_path: Path, bit: int, behind: int) -> None:
    """Not taken for an incomplete game at the end, which would be cut off with those behind it."""
    path = tmp_path / "x.games"
    header, data = POLICY_GAMES.pack_header(DESCRIPTION), some_game().to_bytes()
    changed = bytearray(header + data * (1 + behind))
    changed[len(header) + bit // 8] ^= 1 << bit % 8
    path.write_bytes(changed)
    with pytest.raises(PolicyGameError, match=f"the game at byte {len(header)} is damaged"):
        [*games(path)]


def test_examples_of_a_game() -> None:
    """The move's share of the visits, and the value: a quarter of the search's, else the game's."""
    found = examples_of(some_game(), game("connectfour").start(), 0.25)
    assert len(found) == 2
    np.testing.assert_allclose(found.policy[0, [2, 10]], [0.25, 0.75])
    np.testing.assert_allclose(found.policy[1, 24], 1)
    np.testing.assert_allclose(found.values, [0.75 + 0.25 * 0.2, 0.75 + 0.25], rtol=1e-6)
    assert found.planes[1, :, 3, 1].tolist() == [1, 1, 1, 0, 0, 0]  # D1, D2 and D3 are the mover's own


def test_an_illegal_move_is_refused() -> None:
    record = some_game()
    record.moves[3] = 7
    with pytest.raises(PolicyGameError, match="ply 4 is illegal"):
        examples_of(record, game("connectfour").start(), 0.25)


def test_owners_of_go() -> None:
    """Black has the two columns on the left, White the two on the right; nobody has the middle."""
    rules = game("go")
    state = rules.start(5)
    for row in range(1, 6):
        state = state.play(rules.parse(state, f"B{row}"))
        state = state.play(rules.parse(state, f"D{row}"))
    assert owners_of(state).reshape(5, 5).tolist() == [[1, 1, 0, -1, -1]] * 5
    assert len(owners_of(game("othello").start())) == 0
