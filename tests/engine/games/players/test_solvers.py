"""Everyone who can solve a position says the same, and says what is beyond reach; files of endgame tables."""

from __future__ import annotations

import json
import zlib
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.games.catalogue import game
from engine.games.players import solvers
from engine.games.players.solvers import (
    MAGIC,
    BeyondReachError,
    EndgameTableSolver,
    ExactSolver,
    FullTableSolver,
    Solution,
    TableFileError,
    TheorySolver,
    exact_solver,
    load_table,
    packed,
    unpacked,
)
from engine.games.rules.game import OVER, Game, State
from engine.games.search.basics import Meter, SearchLimits, SearchStoppedError
from engine.games.search.endgame_table import make_table
from engine.games.search.minimax import minimax

SMALL_FOUR = game("connectfour", columns=4, rows=4)


def solved(solver: ExactSolver, state: State) -> Solution:
    solver.begin(SearchLimits())
    *_, last = solver.solutions(state)
    return last


def random_state(rules: Game[Any], random: Random, plies: int, size: int | None = None) -> State:
    while True:
        state: State = rules.start(size)
        for _ in range(plies):
            if state.player == OVER:
                break
            state = state.play(random.choice(state.moves()))
        if state.player != OVER:
            return state


def end_of(state: State, solution: Solution) -> State:
    for move in solution.line:
        assert move in state.moves()
        state = state.play(move)
    return state


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("rules", "size", "plies"), [(game("tictactoe"), None, 3), (SMALL_FOUR, None, 6), (game("othello"), 4, 6)]
)
def test_a_position_is_solved_as_by_a_full_table(
    rules: Game[Any], size: int | None, plies: int, seed: int
) -> None:
    """And the line leads to the end of the game with that result."""
    state = random_state(rules, Random(seed), plies, size)
    solution = solved(exact_solver(rules, state), state)
    if rules.name == "tictactoe":
        expected = minimax(state, 9, rules.estimate, Meter()).value
    else:
        expected = solved(FullTableSolver(), state).values[state.player]
    assert solution.values[state.player] == expected
    assert tuple(end_of(state, solution).payoff()) == solution.values
    assert solution.whole


@pytest.mark.parametrize("piles", ["7,5,3", "10", "12,4", "9,9", "20"])
def test_nim_by_theory_is_a_full_table(piles: str) -> None:
    rules = game("nim", piles=piles)
    state = rules.start()
    theory, table = exact_solver(rules, state), FullTableSolver()
    assert isinstance(theory, TheorySolver)
    solution = solved(theory, state)
    assert solution.values == solved(table, state).values
    assert tuple(end_of(state, solution).payoff()) == solution.values


def test_only_who_wins() -> None:
    solver = exact_solver(SMALL_FOUR, SMALL_FOUR.start())
    solver.begin(SearchLimits())
    *first, last = solver.solutions(SMALL_FOUR.start(), strong=False)
    assert [each.whole for each in first] == [False]
    assert last.whole
    assert last.score is None
    assert last.values == (0, 0)


def test_checkers_by_an_endgame_table_that_is_made_at_once() -> None:
    rules = game("checkers", fen="W:WK5:BK4")
    state = rules.start()
    solver = exact_solver(rules, state)
    assert isinstance(solver, EndgameTableSolver)
    solution = solved(solver, state)
    assert solution == solved(exact_solver(rules, state, make_table(rules.endings("2"))), state)
    assert solver.nodes > 6_000


def test_a_win_that_comes_too_late() -> None:
    rules = game("checkers", fen="W:WK5:BK4")
    table = make_table(rules.endings("2"))
    state = rules.start()
    assert solved(exact_solver(rules, state, table), state).plies == 11
    for text in ("5-1", "4-8", "1-5", "8-4") * 18:
        state = state.play(rules.parse(state, text))
    with pytest.raises(BeyondReachError, match="the win in 11 plies may come too late"):
        solved(exact_solver(rules, state, table), state)


def test_three_players_and_chance_by_a_full_table() -> None:
    rules = game("tree", tree="p1(p2(5/8/2, 3/9/6), p3(6/1/7, 2/7/3))")
    assert solved(exact_solver(rules, rules.start()), rules.start()).values == (6, 1, 7)
    dice = game("tree", tree="([1/2:1,1/2:4], 2)")
    solution = solved(exact_solver(dice, dice.start()), dice.start())
    assert solution.values[0] == 2.5
    assert len(solution.line) == 1


@pytest.mark.parametrize(
    ("name", "size", "reason"),
    [
        ("othello", None, "60 squares are empty; in reach: 26 or fewer"),
        ("othello", 6, "32 squares are empty; in reach: 26 or fewer"),
        ("chess", None, "no endgame table has these men; in reach: KQK, KRK, KPK"),
        ("checkers", None, "no endgame table has these men; in reach: 2 men, 3 men"),
    ],
)
def test_what_is_beyond_reach(name: str, size: int | None, reason: str) -> None:
    rules = game(name)
    with pytest.raises(BeyondReachError, match=reason):
        exact_solver(rules, rules.start(size))


def test_too_many_states_for_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "MOST_STATES", 5_477)
    rules = game("tictactoe")
    solver = exact_solver(rules, rules.start())
    with pytest.raises(BeyondReachError, match="more than 5,477 states can follow, too many for a table"):
        solved(solver, rules.start())


def test_limits_and_stop() -> None:
    rules = game("tictactoe")
    solver = exact_solver(rules, rules.start())
    solver.begin(SearchLimits(nodes=100))
    with pytest.raises(SearchStoppedError):
        list(solver.solutions(rules.start()))
    solver.begin(SearchLimits())
    solver.stop()
    with pytest.raises(SearchStoppedError):
        list(solver.solutions(rules.start()))
    assert solved(solver, rules.start()).values == (0, 0)


CHECKERS, CHESS = game("checkers"), game("chess")


@pytest.fixture(scope="module")
def content() -> bytes:
    return packed(CHECKERS, "2", make_table(CHECKERS.endings("2")))


def signed(description: object, entries: bytes, version: int = 1) -> bytes:
    text = description if isinstance(description, bytes) else json.dumps(description).encode()
    head = MAGIC + version.to_bytes(2, "little") + bytes(2) + len(text).to_bytes(4, "little")
    body = head + text + entries
    return body + blake2b(body, digest_size=32).digest()


def test_what_was_written_is_read(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "two.table"
    path.write_bytes(content)
    table = load_table(path, CHECKERS)
    assert [part.entries for part in table.parts] == [make_table(CHECKERS.endings("2")).parts[0].entries]
    with pytest.raises(BeyondReachError, match="not in the endgame table: 2 men"):
        exact_solver(CHECKERS, CHECKERS.start(), table)
    with pytest.raises(TableFileError, match=r"two\.table: an endgame table of 'checkers', not of chess"):
        load_table(path, CHESS)


def test_no_byte_can_be_changed(content: bytes) -> None:
    random = Random(1)
    for place in [*range(120), *(random.randrange(len(content)) for _ in range(200)), len(content) - 1]:
        damaged = bytearray(content)
        damaged[place] ^= 1 << random.randrange(8)
        with pytest.raises(TableFileError) as error:
            unpacked(bytes(damaged), CHECKERS)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("length", [0, 1, 7, 8, 12, 16, 40, 100])
def test_no_part_can_be_missing(content: bytes, length: int) -> None:
    for shorter in (content[:length], content[: len(content) - length - 1], content + b"x"):
        with pytest.raises(TableFileError, match=r"not an endgame table|damaged"):
            unpacked(shorter, CHECKERS)


GOOD = {"game": "checkers", "men": "2", "parts": [["2", 7_200]]}
ENTRIES = zlib.compress(bytes(7_200))


@pytest.mark.parametrize(
    ("description", "entries", "reason"),
    [
        (b"{", ENTRIES, "its description cannot be read"),
        (b"\xff", ENTRIES, "its description cannot be read"),
        (b"[" * 100_000, ENTRIES, "its description cannot be read"),
        ([], ENTRIES, "its description cannot be read"),
        ({"game": "checkers"}, ENTRIES, "its description cannot be read"),
        ({**GOOD, "game": "go"}, ENTRIES, "an endgame table of 'go', not of checkers"),
        ({"version": 2}, ENTRIES, "version 2; this is version 1"),
        ({**GOOD, "men": "12"}, ENTRIES, "no endgame table for '12'"),
        ({**GOOD, "men": None}, ENTRIES, "no endgame table for 'None'"),
        ({**GOOD, "parts": [["2", 7_201]]}, ENTRIES, "its parts are not those of '2'"),
        ({**GOOD, "parts": 5}, ENTRIES, "its parts are not those of '2'"),
        (GOOD, ENTRIES[:-1], "its entries cannot be read"),
        (GOOD, zlib.compress(bytes(7_199)), "its entries cannot be read"),
        (GOOD, zlib.compress(bytes(1 << 26)), "its entries cannot be read"),
        (GOOD, b"", "its entries cannot be read"),
        (GOOD, b"not compressed", "its entries cannot be read"),
    ],
)
def test_a_good_checksum_is_not_enough(description: object, entries: bytes, reason: str) -> None:
    version = description.get("version", 1) if isinstance(description, dict) else 1
    with pytest.raises(TableFileError, match=reason):
        unpacked(signed(description, entries, version), CHECKERS)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="No such file"):
        load_table(tmp_path / "none", CHECKERS)
    with pytest.raises(TableFileError, match="Is a directory"):
        load_table(tmp_path, CHECKERS)
