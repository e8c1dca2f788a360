"""Scripted dialogues with the real process: what clients do and expect, and what people type."""

import re
import time

import chess
import pytest

from engine.board.position import COMPILED
from tests.protocol.uci.dialogue import INFO, Dialogue, infos, moves_of

MIDDLEGAME = "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1"
MATE_IN_TWO = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MATED = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"
DEPTH = 6 if COMPILED else 2


def test_nothing_is_said_unasked(lolli_command: list[str]) -> None:
    """python-chess logs every line that comes while the engine should be idle."""
    with Dialogue(lolli_command) as dialogue:
        assert dialogue.silent(0.3)
        dialogue.ask("uci", "ucinewgame", "position startpos", "setoption name Hash value 2")
        dialogue.go("depth 1")
        assert dialogue.silent(0.3)


@pytest.mark.parametrize(
    "words",
    ["wtime 100", "btime 100 binc 100 wtime 100 winc 100", "wtime -300 btime -300", "movetime 1"],
)
def test_infos_and_move_on_any_clock(lolli_command: list[str], words: str) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask("uci", "ucinewgame", f"position fen {MIDDLEGAME}")
        lines, move = dialogue.go(words)
    assert chess.Move.from_uci(move) in chess.Board(MIDDLEGAME).legal_moves
    assert infos(lines)
    assert all(re.fullmatch(INFO, line) for line in infos(lines)), lines


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, MIDDLEGAME, MATE_IN_TWO])
def test_principal_variations(lolli_command: list[str], fen: str) -> None:
    """Legal to the end, nothing after the end of the game, and the bestmove comes first (fastchess)."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(f"position fen {fen}")
        lines, best = dialogue.go(f"depth {DEPTH}")
    for line in infos(lines):
        board = chess.Board(fen)
        for move in moves_of(line):
            assert not board.is_game_over(claim_draw=False), line
            board.push_uci(move)
    final = infos(lines)[-1]
    assert "bound" in final or moves_of(final)[0] == best


def test_sign_of_mate_scores(lolli_command: list[str]) -> None:
    """In moves, from the mover's side: two to mate for White, one to be mated for Black after the first."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(f"position fen {MATE_IN_TWO}")
        lines, move = dialogue.go("mate 2")
        assert "score mate 2 " in infos(lines)[-1]
        dialogue.ask(f"position fen {MATE_IN_TWO} moves {move}")
        lines, _ = dialogue.go("depth 5")
        assert "score mate -1 " in infos(lines)[-1]


def test_a_game_of_two_thousand_moves(lolli_command: list[str]) -> None:
    moves = " ".join(("g1f3", "g8f6", "f3g1", "f6g8") * 500)
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask(f"position startpos moves {moves}", "d")
        assert "Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 2000 1001" in lines
        lines, best = dialogue.go("searchmoves b1a3 depth 3")
    assert best == "b1a3"
    assert all(moves_of(line)[0] == best for line in infos(lines) if moves_of(line))


@pytest.mark.parametrize("fen", [MATE_IN_TWO, STALEMATE, MATED])
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


# What people type


def test_perft_in_the_format_of_stockfish(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("position startpos moves e2e4", "go perft 2")
        lines = dialogue.expect(r"Nodes searched: \d+")
        assert dialogue.ask() == [""]
    assert lines[-2:] == ["", "Nodes searched: 600"]
    assert len(lines) == 22
    assert all(re.fullmatch(r"[a-h][1-8][a-h][1-8]: \d+", line) for line in lines[:-2])
    assert sum(int(line.split()[1]) for line in lines[:-2]) == 600


def test_perft_and_bench_do_not_block_the_dialogue_and_can_be_stopped(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        for job in ("go perft 12", "bench 60"):
            dialogue.send(job, "isready")
            dialogue.expect("readyok")
            dialogue.send("position startpos moves e2e4", "isready")  # the position waits
            dialogue.expect("readyok")
            dialogue.send("stop")
            dialogue.expect("info string (perft|bench) stopped")
            dialogue.go("depth 1")
        dialogue.send("go perft 12", "quit")
        assert dialogue.wait() == 0


def test_the_board_in_the_format_of_stockfish(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask("position startpos moves e2e4 f7f5 d1h5", "d")
    assert lines[1] == " +---+---+---+---+---+---+---+---+"
    assert lines[2] == " | r | n | b | q | k | b | n | r | 8"
    assert lines[8] == " |   |   |   |   |   | p |   | Q | 5"
    assert lines[18] == "   a   b   c   d   e   f   g   h"
    assert lines[20] == "Fen: rnbqkbnr/ppppp1pp/8/5p1Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2"
    assert re.fullmatch("Key: [0-9A-F]{16}", lines[21])
    assert lines[22:] == ["Checkers: h5", "Legal moves: g7g6"]


def test_eval_help_and_compiler(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        assert "Evaluation: " in "\n".join(dialogue.ask("eval"))
        assert any("go perft" in line for line in dialogue.ask("help"))
        assert ("uncompiled" in dialogue.ask("compiler")[0]) != COMPILED
