"""Chess endings of three men: their tables against Syzygy's and python-chess, and their numbers."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import chess
import chess.syzygy
import pytest

from engine.board.fen import format_fen
from engine.games.catalogue import game
from engine.games.rules.chess import ChessEnding, ChessRules
from engine.games.rules.game import OVER, NotApplicableError
from engine.games.search.basics import Meter
from engine.games.search.endgame_table import EndgameTable, make_table
from engine.games.search.minimax import minimax
from tests.pure import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.games.search.endgame_table import Part

RULES = ChessRules()
SYZYGY = ROOT / "tests" / "data" / "syzygy"


@pytest.fixture(scope="module")
def king_and_rook(is_pure: bool) -> EndgameTable:
    if is_pure:
        pytest.skip("sixty thousand positions")
    return make_table(RULES.endings("KRK"))


def position_of(part: Part, number: int) -> chess.Board | None:
    assert isinstance(part.positions, ChessEnding)
    position = part.positions._position(number)
    return None if position is None else chess.Board(format_fen(position))


def boards(part: Part, numbers: Iterator[int]) -> Iterator[tuple[int, chess.Board]]:
    for number in numbers:
        board = position_of(part, number)
        if board is not None:
            assert board.is_valid()
            yield number, board


def result(entry: int) -> int:
    """1, 0 or -1 for the player to move."""
    return 0 if entry == 0 else 1 if entry % 2 == 0 else -1


def check_against_syzygy(part: Part, numbers: Iterator[int]) -> int:
    with chess.syzygy.open_tablebase(str(SYZYGY)) as tables:
        count = 0
        for number, board in boards(part, numbers):
            known = tables.probe_wdl(board)
            assert result(part.entries[number]) == (known > 0) - (known < 0), board.fen()
            count += 1
    return count


def test_random_positions_have_the_verdict_of_syzygy(king_and_rook: EndgameTable) -> None:
    (part,) = king_and_rook.parts
    random = Random(1)
    assert check_against_syzygy(part, (random.randrange(part.positions.size) for _ in range(3_000))) > 1_000


@pytest.mark.slow
def test_all_positions_have_the_verdict_of_syzygy(is_pure: bool) -> None:
    if is_pure:
        pytest.skip("hundreds of thousands of positions")
    table = make_table(RULES.endings("KPK"))
    found = {
        part.positions.name: (check_against_syzygy(part, iter(range(part.positions.size))), longest(part))
        for part in table.parts
    }
    assert found == {"KQK": (57_557, 10), "KRK": (62_320, 16), "KPK": (165_676, 28)}


def longest(part: Part) -> int:
    return max(entry for entry in part.entries if result(entry) == 1) // 2


def test_best_play_mates_after_just_as_many_plies(king_and_rook: EndgameTable) -> None:
    state = ChessRules(fen="8/8/8/8/8/3k4/8/R3K3 w - -").start()
    verdict = king_and_rook.verdict(state)
    assert verdict is not None
    assert verdict.plies == 21
    board = chess.Board("8/8/8/8/8/3k4/8/R3K3 w - -")
    for move in king_and_rook.line(state):
        board.push(chess.Move.from_uci(RULES.text(state, move)))
        state = state.play(move)
    assert board.is_checkmate()
    assert len(board.move_stack) == 21


def test_turned_and_mirrored_positions_share_a_number() -> None:
    (ending,) = RULES.endings("KRK")
    board = chess.Board("8/8/8/2k5/8/6R1/8/4K3 w - -")
    turns = (chess.flip_vertical, chess.flip_horizontal, chess.flip_diagonal)
    numbers = {
        ending.number(ChessRules(fen=other.fen()).start())
        for other in (board, board.mirror(), *(board.transform(turn) for turn in turns))
    }
    assert len(numbers) == 1


def test_the_fifty_move_rule_makes_a_late_win_a_draw(king_and_rook: EndgameTable) -> None:
    for clock, known in ((0, (-1.0, 1.0)), (79, (-1.0, 1.0)), (80, (0.0, 0.0))):
        state = ChessRules(fen=f"8/8/8/8/8/3k4/8/R3K3 w - - {clock} 80").start()
        assert king_and_rook.look_up(state) == known


def test_a_repetition_that_may_come_makes_a_win_unknown(king_and_rook: EndgameTable) -> None:
    state = ChessRules(fen="8/8/8/8/8/3k4/8/R3K3 w - - 0 1").start()
    for text in ("a1a2", "d3e3", "a2a1", "e3d3", "a1a2"):
        assert king_and_rook.look_up(state) is not None
        state = state.play(RULES.parse(state, text))
    assert king_and_rook.look_up(state) is None


def test_a_clock_that_runs_out_by_search(king_and_rook: EndgameTable) -> None:
    """With three plies left a search sees the end of every game."""
    (ending,), random, seen = RULES.endings("KRK"), Random(5), Counter[float]()
    while len(seen) < 2 or min(seen.values()) < 3:
        assert isinstance(ending, ChessEnding)
        position = ending._position(random.randrange(ending.size))
        if position is None:
            continue
        fen = " ".join([*format_fen(position).split()[:4], "97", "80"])
        state = ChessRules(fen=fen).start()
        if state.player == OVER:
            continue
        value = minimax(state, 3, lambda _state: (9.0, 9.0), Meter()).value
        known = king_and_rook.look_up(state)
        assert known is not None
        assert known[state.player] == value
        seen[abs(value)] += 1


@pytest.mark.parametrize(
    "fen", ["8/8/8/8/8/3k4/8/R3K2R w - -", "8/8/8/8/8/3k4/8/R3K3 w Q -", "8/8/8/8/8/3k4/8/N3K3 w - -"]
)
def test_what_is_not_in_the_table(fen: str) -> None:
    (ending,) = RULES.endings("KRK")
    assert ending.number(ChessRules(fen=fen).start()) is None


def test_promotion_leads_to_other_endings() -> None:
    ending = RULES.endings("KPK")[-1]
    number = ending.number(ChessRules(fen="8/1P6/8/8/8/8/k7/6K1 w - -").start())
    assert number is not None
    found = ending.at(number)
    assert found is not None
    outside = [child for child in found.children if not isinstance(child, int)]
    assert len(outside) == 4
    assert sum(child.player < 0 for child in outside) == 2  # a lone bishop or knight cannot win


@pytest.mark.parametrize("men", ["KBK", "KQKR", "K", "", "4"])
def test_other_men_have_no_table(men: str) -> None:
    with pytest.raises(NotApplicableError, match="choose from KQK, KRK, KPK"):
        game("chess").endings(men)
