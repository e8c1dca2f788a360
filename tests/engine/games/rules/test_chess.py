"""Chess as a game: its rules beside python-chess, its notation, its estimate, and mates by the textbook."""

import random
from pathlib import Path
from typing import Any

import chess
import pytest

from engine.board.position import COMPILED
from engine.games.rules.chess import BLACK, JUDGES, WHITE, Chess, ChessRules
from engine.games.rules.game import OVER, Game, IllegalMoveError
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter
from engine.games.search.monte_carlo import random_playout
from tests.compiled import ROOT
from tests.engine.board.games import DRAWISH, choose

MATES = ROOT / "scripts" / "laboratory" / "data" / "mates.epd"


def after(rules: ChessRules, words: str) -> Chess:
    state = rules.start()
    for word in words.split():
        state = state.play(rules.parse(state, word))
    return state


def outcome(board: chess.Board) -> tuple[float, float] | None:
    """The payoffs of Black and White if the game is over by python-chess, draws being claimed at once."""
    if board.is_checkmate():
        return (1.0, -1.0) if board.turn else (-1.0, 1.0)
    drawn = (
        board.is_stalemate()
        or board.is_insufficient_material()
        or board.is_repetition(3)
        or board.halfmove_clock >= 100
    )
    return (0.0, 0.0) if drawn else None


def play_beside(board: chess.Board, seed: int) -> None:
    rules, draws = ChessRules(fen=board.fen()), random.Random(seed)
    state = rules.start()
    while (payoffs := outcome(board)) is None:
        assert state.player == (WHITE if board.turn else BLACK)
        texts = {rules.text(state, move): move for move in state.moves()}
        if board.chess960:
            assert {rules.parse(state, board.uci(move)) for move in board.legal_moves} == set(state.moves())
        else:
            assert set(texts) == {board.uci(move) for move in board.legal_moves}
        noisy = {move for move in board.legal_moves if board.is_capture(move) or move.promotion}
        assert {rules.parse(state, board.uci(move)) for move in noisy} == set(rules.noisy(state))
        move = choose(board, draws)
        ours = rules.parse(state, board.uci(move))
        if draws.random() < 0.05:
            assert rules.parse(state, board.san(move)) == ours
        state = state.play(ours)
        board.push(move)
    assert (state.player, state.moves()) == (OVER, ())
    assert state.payoff() == payoffs


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("games", [20 if COMPILED else 2, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_rules_are_those_of_python_chess(games: int) -> None:
    """One game in two begins near a draw or where castling is near, one in ten is of Chess960."""
    for seed in range(games):
        if seed % 10 == 9:
            board = chess.Board.from_chess960_pos(seed * 37 % 960)
        elif seed % 2:
            board = chess.Board(DRAWISH[seed // 2 % len(DRAWISH)])
        else:
            board = chess.Board()
        play_beside(board, seed)


def mates_in_two(path: Path) -> list[str]:
    return [" ".join(line.split()[:4]) for line in path.read_text().splitlines() if " dm 2;" in line]


@pytest.mark.parametrize("fen", mates_in_two(MATES))
def test_the_textbook_finds_the_mates_in_two(fen: str) -> None:
    if not COMPILED:
        pytest.skip("takes minutes")
    rules: Game[Any] = ChessRules(fen=fen, judge="material")
    result = alphabeta(rules.start(), 3, rules.estimate, Meter())
    assert result.value == 1
    state, board = rules.start(), chess.Board(fen)
    for move in result.line:
        board.push_uci(rules.text(state, move))
        state = state.play(move)
    assert board.is_checkmate()
    assert len(result.line) == 3


def test_fifty_moves_are_a_draw_unless_the_last_mates() -> None:
    quiet = ChessRules(fen="6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80")
    drawn = after(quiet, "Kd2")
    assert (drawn.player, drawn.payoff()) == (OVER, (0.0, 0.0))
    assert after(quiet, "Ra8").payoff() == (-1.0, 1.0)


def test_equal_states_are_equal() -> None:
    rules = ChessRules()
    one, other = after(rules, "e4 e5 Nf3"), after(rules, "Nf3 e5 e4")
    assert one != other  # the clock differs
    assert after(rules, "e3 e6 d3") == after(rules, "d3 e6 e3")
    assert hash(after(rules, "e3 e6 d3")) == hash(after(rules, "d3 e6 e3"))
    assert after(rules, "Nf3 Nf6 Ng1 Ng8") != rules.start()  # it has occurred once
    assert one != "e4 e5 Nf3"


def test_a_random_game_is_the_same_for_the_same_seed() -> None:
    start = ChessRules(fen="7k/8/5KQ1/8/8/8/8/8 w - - 90 80").start()
    results = [random_playout(start, seed) for seed in range(20)]
    assert results == [random_playout(start, seed) for seed in range(20)]
    assert set(results) == {(-1.0, 1.0), (0.0, 0.0)}


def test_notation() -> None:
    rules = ChessRules(fen="r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1")
    state = rules.start()
    for text, move in {
        "E1G1": "e1g1",
        "O-O": "e1g1",
        "O-O-O": "e1c1",
        "0-0": "e1g1",
        "b8=N": "b7b8n",
        "bxa8=Q+": "b7a8q",
        " Kd2 ": "e1d2",
    }.items():
        assert rules.text(state, rules.parse(state, text)) == move
    for text in ("", "e1e3", "b7b8", "0000", "--", "Nf3", "Kd9", "é4", "a" * 1000):
        with pytest.raises(IllegalMoveError):
            rules.parse(state, text)
    with pytest.raises(IllegalMoveError):
        rules.parse(after(ChessRules(), "f3 e5 g4 Qh4"), "e1f2")


@pytest.mark.parametrize("judge", JUDGES)
def test_the_estimate_is_that_of_an_evaluator(judge: str) -> None:
    rules = ChessRules(judge=judge, fen="rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
    black, white = rules.estimate(rules.start())
    assert black == -white
    assert 0.5 < white < 1


@pytest.mark.parametrize("judge", JUDGES)
def test_the_estimate_depends_on_the_position_alone(judge: str) -> None:
    """Although an evaluator may remember what it has seen before."""
    rules, draws, seen = ChessRules(judge=judge), random.Random(4), list[Chess]()
    state = rules.start()
    while state.player != OVER and len(seen) < 60:
        seen.append(state)
        state = state.play(draws.choice(state.moves()))
    known = [rules.estimate(state) for state in seen]
    again = ChessRules(judge=judge)
    assert [again.estimate(state) for state in reversed(seen)] == known[::-1]


def test_captures_of_the_greatest_come_first() -> None:
    rules = ChessRules(fen="4k3/8/1q3p2/2r1P3/3P4/8/8/R3K2R w - - 0 1")
    state = rules.start()
    assert [rules.text(state, move) for move in rules.noisy(state)] == ["d4c5", "e5f6"]


def test_the_board_is_drawn_with_its_fen() -> None:
    shown = ChessRules().show(after(ChessRules(), "e4 e5")).splitlines()
    assert shown[4].split() == list("5....p...5")
    assert shown[5].split() == list("4....P...4")
    assert shown[-1] == "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


def test_a_game_as_pgn() -> None:
    rules = ChessRules()
    text = rules.record(("f2f3", "e7e5", "g2g4", "d8h4"), ("winner", "loser"), (1.0, -1.0))
    assert '[White "loser"]\n[Black "winner"]\n[Result "0-1"]' in text
    assert text.endswith("1. f3 e5 2. g4 Qh4# 0-1")
