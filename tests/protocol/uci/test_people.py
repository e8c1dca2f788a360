"""Scripted dialogues with the real process: what people type at a terminal."""

import re

from engine.board.position import COMPILED
from tests.protocol.uci.dialogue import Dialogue


def test_perft_in_the_format_of_stockfish(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("position startpos moves e2e4", "go perft 2")
        lines = dialogue.expect(r"Nodes searched: \d+")
        assert dialogue.ask() == [""]
    assert lines[-2:] == ["", "Nodes searched: 600"]
    assert len(lines) == 22
    assert all(re.fullmatch(r"[a-h][1-8][a-h][1-8]: \d+", line) for line in lines[:-2])
    assert sum(int(line.split()[1]) for line in lines[:-2]) == 600


def test_perft_with_castling_in_the_clients_notation(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask("setoption name UCI_Chess960 value true", "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        dialogue.send("go perft 1")
        assert "e1h1: 1" in dialogue.expect(r"Nodes searched: \d+")


def test_perft_does_not_block_the_dialogue(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("go perft 12", "isready")
        dialogue.expect("readyok")
        dialogue.send("position startpos moves e2e4", "isready")  # the position waits
        dialogue.expect("readyok")
        dialogue.send("stop")
        dialogue.expect("info string perft stopped")
        dialogue.go("depth 1")


def test_quit_ends_a_long_perft(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("go perft 12", "quit")
        assert dialogue.wait() == 0


def test_quit_lets_a_short_perft_finish(lolli_command: list[str]) -> None:
    """Scripts that compare move generators send both lines at once."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("go perft 2", "quit")
        dialogue.expect("Nodes searched: 400")


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


def test_flip_eval_help_and_compiler(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask("position startpos moves e2e4", "flip", "d")
        assert "Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in lines
        assert "Evaluation: " in "\n".join(dialogue.ask("eval"))
        assert any("go perft" in line for line in dialogue.ask("help"))
        assert ("uncompiled" in dialogue.ask("compiler")[0]) != COMPILED


def test_bench_inside_the_dialogue_can_be_stopped(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("bench 60", "isready", "stop")
        dialogue.expect("info string bench stopped")
        dialogue.go("depth 1")
