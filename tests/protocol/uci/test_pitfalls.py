"""Scripted dialogues with the real process: where other engines fall down."""

import time

import chess
import pytest

from tests.protocol.uci.dialogue import Dialogue, infos, moves_of

MIDDLEGAME = "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1"
MATE_IN_TWO = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"


def test_a_fen_with_moves(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask(f"position fen {MIDDLEGAME} moves c5a4 c2a4 g7c3", "d")
        board = chess.Board(MIDDLEGAME)
        for move in ("c5a4", "c2a4", "g7c3"):
            board.push_uci(move)
        assert f"Fen: {board.fen()}" in lines
        _, move = dialogue.go("depth 2")
        assert chess.Move.from_uci(move) in board.legal_moves


def test_a_game_of_two_thousand_moves(lolli_command: list[str]) -> None:
    moves = " ".join(("g1f3", "g8f6", "f3g1", "f6g8") * 500)
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask(f"position startpos moves {moves}", "d")
        assert "Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 2000 1001" in lines
        _, move = dialogue.go("depth 2")
        assert move != "(none)"


@pytest.mark.parametrize("move", ["a2a3", "h2h4", "b1a3"])
def test_searchmoves_are_used(lolli_command: list[str], move: str) -> None:
    with Dialogue(lolli_command) as dialogue:
        lines, best = dialogue.go(f"searchmoves {move} depth 3")
    assert best == move
    assert all(moves_of(line)[0] == move for line in infos(lines) if moves_of(line))


@pytest.mark.parametrize(
    "fen",
    [
        MATE_IN_TWO,
        "7k/8/8/8/8/8/8/K6q w - - 0 1",  # one legal move or few
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
        "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",  # mate
        "8/8/4k3/8/8/3QK3/8/8 w - - 99 120",
    ],
)
@pytest.mark.parametrize("words", ["infinite", "ponder wtime 10 btime 10", "infinite depth 1"])
def test_infinite_and_ponder_never_answer_early(lolli_command: list[str], fen: str, words: str) -> None:
    board = chess.Board(fen)
    with Dialogue(lolli_command) as dialogue:
        dialogue.send(f"position fen {fen}", f"go {words}")
        time.sleep(0.3)
        assert not any(line.startswith("bestmove") for line in dialogue.ask())
        dialogue.send("stop")
        move = dialogue.expect("bestmove .*")[-1].split()[1]
    assert move == "(none)" if not any(board.legal_moves) else chess.Move.from_uci(move) in board.legal_moves


def test_a_hash_that_cannot_be_had_is_as_large_as_can_be(lolli_command: list[str]) -> None:
    """Where the machine does have the memory, nothing need be said."""
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask("setoption name Hash value 65536")
        assert lines == [] or (len(lines) == 1 and " of 65536 MB, for lack of memory" in lines[0])
        dialogue.ask("setoption name Hash value 1")
        dialogue.go("depth 2")
