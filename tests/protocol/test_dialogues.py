"""Scripted dialogues with the real process: what the clients that are named here do and expect."""

import re
import time

import chess
import pytest

from engine.board.position import COMPILED
from tests.protocol.dialogue import Dialogue

INFO = (
    r"info depth \d+ seldepth \d+ multipv \d+ score (cp -?\d+|mate -?\d+)( lowerbound| upperbound)?"
    r" nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+( pv( [a-h][1-8][a-h][1-8][nbrq]?)+)?"
)
MIDDLEGAME = "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1"
MATE_IN_TWO = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
DEPTH = 6 if COMPILED else 2


def infos(lines: list[str]) -> list[str]:
    """The lines that report a finished depth."""
    return [line for line in lines if line.startswith("info depth") and " currmove " not in line]


def field(line: str, name: str) -> int:
    """A number of an info line."""
    words = line.split()
    return int(words[words.index(name) + 1])


def moves_of(line: str) -> list[str]:
    """The principal variation of an info line."""
    return line.partition(" pv ")[2].split()


# The greeting


def test_identification_and_options(lolli_command: list[str]) -> None:
    """fastchess --compliance wants name and author; many engines forgot the author."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("uci")
        lines = dialogue.expect("uciok")
    assert lines[0].startswith("id name Lolli")
    assert re.fullmatch("id author .+", lines[1])
    names = [
        line.split(" type ")[0].removeprefix("option name ") for line in lines if line.startswith("option")
    ]
    assert {"Hash", "Threads", "Move Overhead", "UCI_Chess960", "MultiPV"} <= set(names)
    assert len(names) == len(set(names))
    assert any("uncompiled" in line for line in lines) != COMPILED


def test_no_minute_of_compiling_at_the_start(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("uci")
        dialogue.expect("uciok", patience=10)


def test_nothing_is_said_unasked(lolli_command: list[str]) -> None:
    """python-chess logs whatever comes while the engine should be idle."""
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
        lines, move = dialogue.go("depth 5")
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


def test_cute_chess_pings_while_it_searches(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("go infinite")
        for _ in range(20):
            dialogue.send("isready")
            assert not any(line.startswith("bestmove") for line in dialogue.expect("readyok", patience=15))
        dialogue.send("stop")
        dialogue.expect("bestmove .*", patience=15)


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


def test_nothing_is_learned_between_games(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        results = []
        for _ in range(2):
            dialogue.ask("ucinewgame", f"position fen {MIDDLEGAME}")
            lines, move = dialogue.go(f"depth {DEPTH}")
            results.append((move, field(infos(lines)[-1], "nodes"), moves_of(infos(lines)[-1])))
            dialogue.ask("position startpos")
            dialogue.go(f"depth {DEPTH}")
        assert results[0] == results[1]


# Where other engines fall down


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


def test_setoption_with_more_or_fewer_than_four_words(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        assert dialogue.ask("setoption name Clear Hash") == []
        assert dialogue.ask("setoption name move  overhead value 30") == []
        assert dialogue.ask("setoption name Debug Log File value") == []
        assert len(dialogue.ask("setoption")) == 1


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


def test_ponderhit_ends_the_pondering(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("position startpos moves e2e4", "go ponder wtime 200 btime 200")
        time.sleep(0.2)
        assert not any(line.startswith("bestmove") for line in dialogue.ask())
        dialogue.send("ponderhit")
        dialogue.expect("bestmove .*")


def test_a_stop_before_the_first_iteration(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        for _ in range(50):
            dialogue.send("go infinite", "stop")
            assert dialogue.expect("bestmove .*")[-1] != "bestmove (none)"


def test_one_bestmove_when_the_stop_comes_late(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        for _ in range(20):
            dialogue.send("go depth 1", "stop", "stop")
            dialogue.expect("bestmove .*")
            assert not any(line.startswith("bestmove") for line in dialogue.ask("stop"))


@pytest.mark.parametrize(
    ("fen", "score"),
    [("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "mate 0"), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0")],
)
def test_no_legal_move(lolli_command: list[str], fen: str, score: str) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(f"position fen {fen}")
        lines, move = dialogue.go("depth 3")
    assert move == "(none)"
    assert all(f"score {score} " in line for line in infos(lines))


def test_options_set_during_a_search_wait_for_its_end(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask("position startpos")
        dialogue.send("go infinite")
        dialogue.ask("setoption name MultiPV value 3", "setoption name Hash value 1")
        dialogue.send("stop")
        dialogue.expect("bestmove .*")
        lines, _ = dialogue.go("depth 2")
        assert {field(line, "multipv") for line in infos(lines)} == {1, 2, 3}


def test_a_hash_that_cannot_be_had_keeps_the_old_one(lolli_command: list[str]) -> None:
    """Where the machine does have the memory, nothing need be said."""
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask("setoption name Hash value 65536")
        assert lines == [] or (len(lines) == 1 and lines[0].startswith("info string Hash stays as it was"))
        dialogue.ask("setoption name Hash value 1")
        dialogue.go("depth 2")


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


def test_perft_does_not_block_the_dialogue(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("go perft 12", "isready")
        dialogue.expect("readyok")
        dialogue.send("position startpos moves e2e4", "isready")
        assert any("ignored" in line for line in dialogue.expect("readyok"))
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
        assert dialogue.ask("eval")[-1].startswith("Evaluation: ")
        assert any("go perft" in line for line in dialogue.ask("help"))
        assert ("uncompiled" in dialogue.ask("compiler")[0]) != COMPILED


def test_bench_inside_the_dialogue_can_be_stopped(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("bench 60", "isready", "stop")
        dialogue.expect("info string bench stopped")
        dialogue.go("depth 1")
