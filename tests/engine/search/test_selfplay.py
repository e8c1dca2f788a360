"""Games of the engine against itself: each search beside Deepening's, the games beside python-chess."""

import random
from dataclasses import replace

import chess
import pytest

from engine.board.fen import START_FEN, format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.position import Position
from engine.search.constants import MATE, MATE_BOUND
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer
from eval.evaluator import Evaluator
from eval.linear import Linear
from eval.material import Material
from eval.outcome import STANDARD, Adjudication, Ending
from eval.weight_file import STANDARD as WEIGHTS
from eval.weight_file import load
from tests.engine.search.searching import random_position

ENDGAMES = (
    "8/5k2/8/8/8/8/2K5/7R w - - 0 1",
    "8/5kp1/8/8/8/8/2KP4/8 w - - 0 1",
    "8/5k2/7b/8/8/3PN3/2K5/8 w - - 0 1",
)
ALWAYS_PLAYED = replace(STANDARD, level_score=32000)


def player(nodes: int, evaluator: Evaluator | None = None, rules: Adjudication = STANDARD) -> SelfPlayer:
    return SelfPlayer(Engine.single(evaluator or Material(), 2).searchers[0], nodes, 8 * nodes, rules)


def deepened(position: Position, soft: int, hard: int) -> tuple[int, int, int]:
    evaluator = Linear(load(WEIGHTS))
    engine = Engine.single(evaluator, 2)
    engine.begin()
    move, score = 0, evaluator.static_value(position)
    for iteration in engine.iterations(position, legal_moves(position), node_limit=hard):
        move = iteration.best.move
        if not iteration.finished:
            break
        score = iteration.best.score
        if engine.nodes >= soft or (abs(score) > MATE_BOUND and iteration.depth > MATE - abs(score) + 1):
            break
    return move, score, engine.nodes


@pytest.mark.parametrize("seed", range(8))
def test_a_search_is_that_of_deepening(seed: int, is_pure: bool) -> None:
    rng = random.Random(seed)
    soft, hard = (60, 300) if is_pure else (600, 2500)
    compared = 0
    for _ in range(2 if is_pure else 25):
        position = random_position(rng, rng.randint(0, 80))
        if legal_moves(position):
            thinker = SelfPlayer(Engine.single(Linear(load(WEIGHTS)), 2).searchers[0], soft, hard, STANDARD)
            move, score = thinker.think(position)
            assert (move, score, thinker.searcher.nodes) == deepened(position, soft, hard)
            compared += 1
    assert compared


def replay(start: Position, plies: int, played: SelfPlayer) -> chess.Board:
    board = chess.Board(format_fen(start))
    for move in played.moves[:plies].tolist():
        found = chess.Move.from_uci(move_text(move))
        assert found in board.legal_moves
        board.push(found)
    return board


@pytest.mark.parametrize("number", range(6))
def test_games_end_as_python_chess_says(number: int, is_pure: bool) -> None:
    fen = ENDGAMES[number] if number < len(ENDGAMES) else START_FEN
    if is_pure and fen == START_FEN:
        pytest.skip("takes minutes in plain Python")
    start = parse_fen(fen)
    if fen == START_FEN:
        start = random_position(random.Random(number), 6)
    played = player(20 if is_pure else 300, rules=ALWAYS_PLAYED)
    plies = played.play(start)
    board = replay(start, plies, played)
    over = {
        Ending.CHECKMATE: board.is_checkmate(),
        Ending.STALEMATE: board.is_stalemate(),
        Ending.INSUFFICIENT: board.is_insufficient_material(),
        Ending.FIFTY_MOVES: board.is_fifty_moves(),
        Ending.REPETITION: board.is_repetition(3),
    }
    if played.ending in over:
        assert over[played.ending]
        assert played.result == ((-1 if board.turn else 1) if board.is_checkmate() else 0)
    else:
        assert not any(over.values())


@pytest.mark.parametrize(
    "fen",
    [
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "8/5k2/8/8/8/8/2K5/8 w - - 0 1",
    ],
)
def test_a_start_that_is_not_level_or_over_is_not_played(fen: str) -> None:
    assert player(50).play(parse_fen(fen)) == 0


def test_a_game_depends_on_nothing_before_it() -> None:
    played = player(40, rules=ALWAYS_PLAYED)
    games = []
    for fen in (ENDGAMES[0], ENDGAMES[2], ENDGAMES[0]):
        plies = played.play(parse_fen(fen))
        games.append((played.moves[:plies].tolist(), played.scores[:plies].tolist(), played.result))
    assert games[0] == games[2] != games[1]


@pytest.mark.parametrize(
    ("rules", "whites", "ending", "result", "plies"),
    [
        ({"won_score": 300, "won_plies": 4}, True, Ending.CLEAR_WIN, 1, 4),
        ({"won_score": 300, "won_plies": 4}, False, Ending.CLEAR_WIN, -1, 4),
        ({"longest": 7}, True, Ending.TOO_LONG, 0, 7),
        ({"drawn_score": 2000, "drawn_plies": 5, "drawn_from": 3}, True, Ending.CLEAR_DRAW, 0, 8),
    ],
)
def test_decided_games(rules: dict[str, int], whites: bool, ending: Ending, result: int, plies: int) -> None:
    rook = "8/5k2/8/8/8/8/2K5/7R"
    played = player(30, rules=replace(ALWAYS_PLAYED, **rules))
    assert played.play(parse_fen(f"{rook if whites else rook.swapcase()} w - - 0 1")) == plies
    assert (played.ending, played.result) == (ending, result)
