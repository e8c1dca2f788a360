"""Endings played out by the real process with endgame tables and few nodes, against the best replies.

The other side is python-chess with the same tables: it holds out as long as it can.
"""

from collections.abc import Iterator

import chess
import chess.syzygy
import pytest

from tests.engine.lookup.endings import FOLDER, WHOLE, boards, needs_tables
from tests.protocol.uci.dialogue import Dialogue, field, infos

pytestmark = needs_tables

WON = ("KQvK", "KRvK", "KBNvK", "KQvKQ", "KRvKR", "KRvKB", "KPvK", "KPPvK", "KQPvK", "KRPvK")
DRAWN = ("KQvKQ", "KRvKR", "KRvKB", "KPvK")
FEW, ENOUGH = 40, 4000
"""Nodes of a search: that of a pawn that may become what there is no table for is on its own."""
HELD = 20  # moves in which whoever does not know how would have lost


@pytest.fixture(scope="module")
def base() -> Iterator[chess.syzygy.Tablebase]:
    with chess.syzygy.open_tablebase(str(FOLDER)) as opened:
        yield opened


@pytest.fixture(scope="module")
def engine(lolli_command: list[str]) -> Iterator[Dialogue]:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("uci", f"setoption name SyzygyPath value {FOLDER}", "isready")
        dialogue.expect("readyok")
        yield dialogue


def stubborn(board: chess.Board, base: chess.syzygy.Tablebase) -> chess.Move:
    """The best move as the tables have it; one of which they know nothing counts as a draw."""

    def value(move: chess.Move) -> tuple[int, int, str]:
        board.push(move)
        try:
            distance = 1000 if board.is_checkmate() else -(base.get_dtz(board) or 0)
            result = (distance > 0) - (distance < 0)
            return result, -distance, move.uci()
        finally:
            board.pop()

    return max(board.legal_moves, key=value)


def play_on(board: chess.Board, name: str, base: chess.syzygy.Tablebase, engine: Dialogue, most: int) -> None:
    engine.ask("ucinewgame")
    complete = name in WHOLE
    nodes = FEW if complete else ENOUGH
    start = board.fen()
    for _ in range(most):
        moves = " ".join(move.uci() for move in board.move_stack)
        engine.send(f"position fen {start} moves {moves}" if moves else f"position fen {start}")
        lines, best = engine.go(f"nodes {nodes}")
        assert all(line.startswith("info depth") for line in lines), lines
        assert not complete or field(infos(lines)[-1], "tbhits") > 0
        board.push_uci(best)
        if board.is_game_over(claim_draw=True):
            return
        board.push(stubborn(board, base))
        if board.is_game_over(claim_draw=True):
            return


def win(name: str, count: int, base: chess.syzygy.Tablebase, engine: Dialogue) -> None:
    for board in boards(name, count, base, 2):
        fen, winner = board.fen(), board.turn
        play_on(board, name, base, engine, 100)
        assert board.is_checkmate(), f"{fen}: {' '.join(map(str, board.move_stack))}"
        assert board.turn != winner, fen


def hold(name: str, count: int, base: chess.syzygy.Tablebase, engine: Dialogue) -> None:
    for board in boards(name, count, base, 0):
        fen, mine = board.fen(), board.turn
        play_on(board, name, base, engine, HELD)
        assert not board.is_checkmate(), fen
        assert board.is_game_over(claim_draw=True) or (
            (base.get_wdl(board) or 0) * (1 if board.turn == mine else -1) >= 0
        ), f"{fen}: {' '.join(map(str, board.move_stack))}"


COUNTS = [1, pytest.param(20, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", WON)
def test_won_endings_are_won(name: str, count: int, base: chess.syzygy.Tablebase, engine: Dialogue) -> None:
    win(name, count, base, engine)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", DRAWN)
def test_drawn_endings_are_held(
    name: str, count: int, base: chess.syzygy.Tablebase, engine: Dialogue
) -> None:
    hold(name, count, base, engine)
