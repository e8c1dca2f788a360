"""Weaker play over UCI, with the real process: whole games, and every way to ask for a move."""

import random
import re
import time

import chess
import pytest

from engine.board.fen import parse_fen
from engine.board.position import COMPILED
from engine.search.limits import STRONGEST_ELO, WEAKEST_ELO, Limits, Settings
from engine.session import Session
from eval.material import Material
from tests.engine.lookup.endings import FOLDER, needs_tables
from tests.engine.search.searching import lone_king, search
from tests.protocol.uci.dialogue import Dialogue, field, infos, moves_of

WEAKEST = (f"setoption name UCI_Elo value {WEAKEST_ELO}", "setoption name UCI_LimitStrength value true")
LEAST_SKILL = ("setoption name Skill Level value 0",)
NEARLY_FULL = (f"setoption name UCI_Elo value {STRONGEST_ELO}", "setoption name UCI_LimitStrength value true")
MIDDLEGAME = "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1"
NO_LIMIT = "setoption name UCI_LimitStrength value false"
KEPT = WEAKEST[0]  # without UCI_LimitStrength it changes nothing
MOST = 1000  # nodes, far more than the weakest level has in a middle game
MATING_MOVES = 50
ROOK = 500  # centipawns
SEEDS = range(2 if COMPILED else 1)
MANY = range(100, 130)


def after(board: chess.Board) -> str:
    """The `position` line of a game."""
    played = " ".join(move.uci() for move in board.move_stack)
    return f"position fen {board.root().fen()}" + (f" moves {played}" if played else "")


def answer(dialogue: Dialogue, board: chess.Board, words: str) -> list[str]:
    """Have the engine move on the board, check all that a client relies on; the lines before the move."""
    dialogue.send("isready", after(board), f"go {words}")
    *told, best = dialogue.expect("bestmove .*")
    move, ponder = (*best.split()[1::2], None)[:2]
    assert move is not None
    firsts = [line for line in infos(told) if field(line, "multipv") == 1]
    assert moves_of(firsts[-1])[0] == move
    board.push_uci(move)
    if ponder:
        assert chess.Move.from_uci(ponder) in board.legal_moves
        assert moves_of(firsts[-1])[1:2] in ([ponder], [])
    return told


def test_the_options_are_advertised(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("uci")
        lines = dialogue.expect("uciok")
    assert "option name UCI_LimitStrength type check default false" in lines
    assert "option name Skill Level type spin default 20 min 0 max 20" in lines
    (elo,) = (line for line in lines if line.startswith("option name UCI_Elo "))
    assert field(elo, "min") == WEAKEST_ELO < field(elo, "default") < field(elo, "max") == STRONGEST_ELO


def test_full_strength_is_what_it_was(lolli_command: list[str]) -> None:
    """To the node, with options that leave it as it is and after a weaker game."""
    ways: tuple[tuple[str, ...], ...] = (
        (),
        (KEPT,),
        WEAKEST,
        (NO_LIMIT, "setoption name Skill Level value 20"),
    )
    words = f"nodes {50_000 if COMPILED else 500}"
    shown = []
    with Dialogue(lolli_command) as dialogue:
        for options in ways:
            dialogue.ask(*options, "ucinewgame")
            told = answer(dialogue, chess.Board(MIDDLEGAME), words)
            shown.append([re.sub(r" (nps|time) \d+", "", line) for line in infos(told)])
    assert shown[0] == shown[1] == shown[3] != shown[2]


@pytest.mark.parametrize("options", [WEAKEST, LEAST_SKILL, (*WEAKEST, "setoption name Skill Level value 19")])
def test_the_weakest_level_looks_at_few_nodes(lolli_command: list[str], options: tuple[str, ...]) -> None:
    """And while the strength is limited the Elo counts, not the skill."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*options)
        for words in ("wtime 60000 btime 60000", "depth 30", "nodes 10000000", "movetime 60000"):
            assert field(infos(answer(dialogue, chess.Board(MIDDLEGAME), words))[-1], "nodes") < MOST


@pytest.mark.parametrize("options", [WEAKEST, LEAST_SKILL])
def test_analysis_is_not_weakened(lolli_command: list[str], options: tuple[str, ...]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*options)
        for words in ("infinite", "mate 30"):
            dialogue.send(f"go {words}")
            dialogue.expect(r"info depth .* nodes \d{4,} .*")
            dialogue.send("stop")
            dialogue.expect("bestmove .*")


def test_the_mode_of_analysis_is_not_weakened(lolli_command: list[str]) -> None:
    nodes = 3 * MOST
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*WEAKEST, "setoption name UCI_AnalyseMode value true")
        assert field(infos(answer(dialogue, chess.Board(), f"nodes {nodes}"))[-1], "nodes") > MOST


def test_the_opening_book_is_used(lolli_command: list[str]) -> None:
    """Weak players know openings, too; what the book knows is not searched."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*WEAKEST, "setoption name OwnBook value true", "position startpos")
        told, move = dialogue.go("wtime 60000 btime 60000")
        assert infos(told) == []
        assert chess.Move.from_uci(move) in chess.Board().legal_moves
        dialogue.ask("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
        assert infos(dialogue.go("wtime 60000 btime 60000")[0])


@needs_tables
def test_endgame_tables_are_not_for_weak_players(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(
            f"setoption name SyzygyPath value {FOLDER}", "position fen 8/8/8/4k3/8/8/8/K6R w - - 0 1"
        )
        hits = [field(infos(dialogue.go("nodes 100")[0])[-1], "tbhits")]
        dialogue.ask(*WEAKEST)
        hits.append(field(infos(dialogue.go("nodes 100")[0])[-1], "tbhits"))
    assert hits[0] > 0 == hits[1]


def test_search_moves_are_obeyed(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*WEAKEST)
        played = {dialogue.go("nodes 500 searchmoves a2a3 h2h4 b1a3")[1] for _ in range(20)}
    assert played <= {"a2a3", "h2h4", "b1a3"}


@pytest.mark.parametrize("shown", [2, 5])
def test_lines_are_shown_as_asked_for(lolli_command: list[str], shown: int) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*NEARLY_FULL, f"setoption name MultiPV value {shown}")
        for _ in range(5):
            last = infos(answer(dialogue, chess.Board(MIDDLEGAME), f"nodes {5000 if COMPILED else 800}"))[
                -shown:
            ]
            assert [field(line, "multipv") for line in last] == list(range(1, shown + 1))
            assert len({moves_of(line)[0] for line in last}) == shown


def test_pondering(lolli_command: list[str]) -> None:
    """The move is held back, and chosen once the clock runs."""
    board = chess.Board()
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*WEAKEST, "setoption name Ponder value true")
        for ending in ("ponderhit", "stop"):
            dialogue.send("position startpos moves e2e4 e7e5", "go ponder wtime 60000 btime 60000")
            assert not any(line.startswith("bestmove") for line in dialogue.ask())
            time.sleep(0.2)
            assert not any(line.startswith("bestmove") for line in dialogue.ask())
            dialogue.send(ending)
            move = dialogue.expect("bestmove .*")[-1].split()[1]
            board.reset()
            for played in ("e2e4", "e7e5", move):
                board.push_uci(played)


def test_stop(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*NEARLY_FULL)
        for _ in range(10):
            dialogue.send(f"position fen {MIDDLEGAME}", "go wtime 600000 btime 600000", "stop")
            move = dialogue.expect("bestmove .*")[-1].split()[1]
            assert chess.Move.from_uci(move) in chess.Board(MIDDLEGAME).legal_moves


@pytest.mark.alone
@pytest.mark.parametrize("options", [WEAKEST, NEARLY_FULL])
def test_low_on_the_clock(lolli_command: list[str], options: tuple[str, ...]) -> None:
    """In plain Python the strongest level cannot finish all its nodes."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*options)
        for clock in (1, 50, 300):
            begun = time.monotonic()
            answer(dialogue, chess.Board(MIDDLEGAME), f"wtime {clock} btime {clock}")
            assert time.monotonic() - begun < clock / 1000 + 1


def test_a_game_as_cutechess_plays_it(lolli_command: list[str]) -> None:
    """Two levels against each other, on the clock; an option set between two games."""
    with Dialogue(lolli_command) as white, Dialogue(lolli_command) as black:
        for engine in (white, black):
            engine.send("uci")
            engine.expect("uciok")
        white.ask(*WEAKEST)
        black.ask("setoption name Skill Level value 3")
        for _ in range(2):
            board = chess.Board()
            for engine in (white, black):
                engine.ask("ucinewgame")
            while not board.is_game_over() and board.ply() < (120 if COMPILED else 24):
                mover = white if board.turn else black
                answer(mover, board, "wtime 10000 btime 10000 winc 100 binc 100")
            white.ask("setoption name UCI_Elo value 1100")


@pytest.mark.slow
@pytest.mark.parametrize("options", [WEAKEST, LEAST_SKILL])
def test_games_against_somebody_who_moves_at_random(
    lolli_command: list[str], options: tuple[str, ...]
) -> None:
    """Legal moves all along, and after 160 plies or later mate or a rook more: that is how weak it is not."""
    chooser = random.Random(3)
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*options, "setoption name MultiPV value 3")
        board = chess.Board()
        for ply in range(300 if COMPILED else 40):
            more = Material().explain(parse_fen(board.fen())).value
            if board.is_game_over() or (ply >= 160 and more >= ROOK):
                break
            if board.turn:
                answer(dialogue, board, "wtime 1000 btime 1000 winc 100 binc 100")
            else:
                board.push(chooser.choice(list(board.legal_moves)))
    assert board.is_checkmate() or more >= ROOK or not COMPILED


def mate(command: list[str], piece: chess.PieceType, seed: int) -> None:
    """The weakest level mates a bare king that the engine at its best defends."""
    board = lone_king(piece, seed)
    with Dialogue(command) as dialogue:
        dialogue.ask(*WEAKEST)
        defender = Session(Settings(), megabytes=1)
        for _ in range(MATING_MOVES):
            answer(dialogue, board, "wtime 60000 btime 60000 winc 1000 binc 1000")
            if board.is_game_over():
                break
            moves = [move.uci() for move in board.move_stack]
            defence = Limits(nodes=2000 if COMPILED else 200)
            board.push_uci(search(defender, defence, board.root().fen(), moves).best)
        defender.close()
    assert board.is_checkmate(), board.fen()


@pytest.mark.slow
@pytest.mark.parametrize("piece", [chess.ROOK, chess.QUEEN])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_weakest_level_mates(lolli_command: list[str], piece: chess.PieceType, seed: int) -> None:
    mate(lolli_command, piece, seed)


@pytest.mark.slow
@pytest.mark.parametrize("piece", [chess.ROOK, chess.QUEEN])
@pytest.mark.parametrize("seed", MANY)
def test_the_weakest_level_always_mates(lolli_command: list[str], piece: chess.PieceType, seed: int) -> None:
    mate(lolli_command, piece, seed)


def test_what_is_no_strength(lolli_command: list[str]) -> None:
    reasons = {
        "UCI_Elo value 10": f"UCI_Elo must be from {WEAKEST_ELO} to {STRONGEST_ELO}",
        "UCI_Elo value strong": "UCI_Elo: not a whole number: 'strong'",
        "Skill Level value 21": "Skill Level must be from 0 to 20",
        "UCI_LimitStrength value yes": "UCI_LimitStrength must be true or false, not 'yes'",
    }
    with Dialogue(lolli_command) as dialogue:
        for line, reason in reasons.items():
            assert dialogue.ask(f"setoption name {line}") == [f"info string {reason}"]
