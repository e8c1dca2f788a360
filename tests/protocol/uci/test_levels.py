"""Weaker play over UCI, with the real process: whole games, and every way to ask for a move."""

import random

import chess
import pytest

from engine.board.fen import parse_fen
from engine.board.position import COMPILED
from engine.search.limits import WEAKEST_ELO
from eval.material import Material
from tests.protocol.uci.dialogue import Dialogue, field, infos, moves_of

WEAKEST = (f"setoption name UCI_Elo value {WEAKEST_ELO}", "setoption name UCI_LimitStrength value true")
CASUAL = ("setoption name UCI_Elo value 1000", "setoption name UCI_LimitStrength value true")
LEAST_SKILL = ("setoption name Skill Level value 0",)
MIDDLEGAME = "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1"
MOST = 3000  # nodes, more than the weakest level has
ROOK = 500  # centipawns


def after(board: chess.Board) -> str:
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


@pytest.mark.parametrize("options", [WEAKEST, LEAST_SKILL, (*WEAKEST, "setoption name Skill Level value 19")])
def test_the_weakest_level_looks_at_few_nodes(lolli_command: list[str], options: tuple[str, ...]) -> None:
    """And while the strength is limited the Elo counts, not the skill."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*options)
        for words in ("wtime 60000 btime 60000", "depth 30", "nodes 10000000", "movetime 60000"):
            assert field(infos(answer(dialogue, chess.Board(MIDDLEGAME), words))[-1], "nodes") < MOST


def test_the_opening_book_is_used(lolli_command: list[str]) -> None:
    """Weak players know openings, too; what the book knows is not searched."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*WEAKEST, "setoption name OwnBook value true", "position startpos")
        told, move = dialogue.go("wtime 60000 btime 60000")
        assert infos(told) == []
        assert chess.Move.from_uci(move) in chess.Board().legal_moves
        dialogue.ask("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
        assert infos(dialogue.go("wtime 60000 btime 60000")[0])


@pytest.mark.slow
@pytest.mark.parametrize(("options", "is_stronger"), [(WEAKEST, False), (LEAST_SKILL, False), (CASUAL, True)])
def test_games_against_somebody_who_moves_at_random(
    lolli_command: list[str], options: tuple[str, ...], is_stronger: bool
) -> None:
    """Only legal moves, and of who is no beginner from ply 160 on mate or a rook more."""
    chooser = random.Random(3)
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(*options, "setoption name MultiPV value 3")
        board = chess.Board()
        for ply in range(300 if COMPILED else 40):
            more = Material().explain(parse_fen(board.fen())).value
            if board.is_game_over() or (ply >= 160 and more >= ROOK):
                break
            if board.turn:
                answer(dialogue, board, "wtime 30000 btime 30000 winc 100 binc 100")
            else:
                board.push(chooser.choice(list(board.legal_moves)))
    assert board.is_checkmate() or more >= ROOK or not (COMPILED and is_stronger)
