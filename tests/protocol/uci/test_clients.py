"""Scripted dialogues with the real process: what the clients named here do and expect."""

import re
import time

import chess
import pytest

from engine.board.position import COMPILED
from tests.protocol.uci.dialogue import INFO, Dialogue, infos, moves_of

MIDDLEGAME = "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1"
MATE_IN_TWO = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
DEPTH = 6 if COMPILED else 2


# The greeting


@pytest.mark.alone
def test_no_minute_of_compiling_at_the_start(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("uci")
        dialogue.expect("uciok", patience=10)


def test_nothing_is_said_unasked(lolli_command: list[str]) -> None:
    """python-chess logs every line that comes while the engine should be idle."""
    with Dialogue(lolli_command) as dialogue:
        assert dialogue.silent(0.3)
        dialogue.ask("uci", "ucinewgame", "position startpos", "setoption name Hash value 2")
        dialogue.go("depth 1")
        assert dialogue.silent(0.3)


# fastchess


@pytest.mark.parametrize(
    "words",
    [
        "wtime 100",
        "btime 100",
        "wtime 100 winc 100 btime 100 binc 100",
        "btime 100 binc 100 wtime 100 winc 100",
    ],
)
def test_fastchess_compliance(lolli_command: list[str], words: str) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask("uci", "ucinewgame", "position startpos")
        lines, move = dialogue.go(words)
    assert chess.Move.from_uci(move) in chess.Board().legal_moves
    assert infos(lines)
    assert all(re.fullmatch(INFO, line) for line in infos(lines)), lines


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, MIDDLEGAME, MATE_IN_TWO])
def test_fastchess_principal_variations(lolli_command: list[str], fen: str) -> None:
    """Legal to the end, nothing after the end of the game, and the bestmove comes first."""
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


def test_fastchess_sign_of_mate_scores(lolli_command: list[str]) -> None:
    """In moves, from the mover's side: two to mate for White, two to be mated for Black after the first."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(f"position fen {MATE_IN_TWO}")
        lines, move = dialogue.go("mate 2")
        assert "score mate 2 " in infos(lines)[-1]
        dialogue.ask(f"position fen {MATE_IN_TWO} moves {move}")
        lines, _ = dialogue.go("depth 5")
        assert "score mate -1 " in infos(lines)[-1]


def test_fastchess_asks_isready_before_and_after_each_move(lolli_command: list[str]) -> None:
    board = chess.Board()
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask("uci", "ucinewgame")
        for _ in range(12):
            played = " ".join(move.uci() for move in board.move_stack)
            assert dialogue.ask(f"position startpos moves {played}") == []
            _, move = dialogue.go("wtime 300 btime 300 winc 20 binc 20")
            assert dialogue.ask() == []
            board.push_uci(move)


# Cute Chess


@pytest.mark.alone
def test_cute_chess_gives_five_seconds_to_quit(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("go infinite", "quit")
        assert dialogue.process.wait(5) == 0
        assert sum(line.startswith("bestmove") for line in dialogue.rest()) == 1


@pytest.mark.parametrize("castling", ["HAha", "KQkq"])
def test_cute_chess_sends_shredder_fen_in_chess960(lolli_command: list[str], castling: str) -> None:
    fen = f"r3k2r/8/8/8/8/8/8/R3K2R w {castling} - 0 1"
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask(
            "setoption name UCI_Chess960 value true", f"position fen {fen} moves e1h1 e8a8", "d"
        )
    assert "Fen: 2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2" in lines


# lichess-bot


@pytest.mark.parametrize(
    "clock", ["wtime 1 btime 1", "wtime 0 btime 0", "wtime -300 btime -300", "movetime 1"]
)
def test_lichess_bot_tiny_clock(lolli_command: list[str], clock: str) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask("setoption name Move Overhead value 100", f"position fen {MIDDLEGAME}")
        _, move = dialogue.go(clock)
    assert chess.Move.from_uci(move) in chess.Board(MIDDLEGAME).legal_moves


def test_lichess_bot_first_move_takes_its_movetime(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask("position startpos")
        started = time.monotonic()
        dialogue.go("movetime 500")
        assert time.monotonic() - started > 0.2


# CCRL and TCEC
