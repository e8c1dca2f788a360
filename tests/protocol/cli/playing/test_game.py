"""Games: how they end, and taking back."""

import chess
import pytest

from protocol.cli.playing.game import ChessGame, FischerClock, FischerTimeControl


class Time:
    """A time that passes when told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def play(game: ChessGame, *moves: str) -> None:
    for move in moves:
        game.begin_turn()
        game.move(game.board.parse_san(move))


@pytest.mark.parametrize(
    ("fen", "move", "result", "reason"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8", "1-0", "checkmate"),
        ("r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "Ra1", "0-1", "checkmate"),
        ("7k/8/6Q1/8/8/8/8/K7 w - - 0 1", "Ka2", "1/2-1/2", "stalemate"),
        ("8/8/8/4k3/8/8/3p4/3K4 w - - 0 1", "Kxd2", "1/2-1/2", "neither side can mate"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 149 90", "Ra2", "1/2-1/2", "75 moves without"),
    ],
)
def test_endings_by_the_rules(fen: str, move: str, result: str, reason: str) -> None:
    game = ChessGame(chess.Board(fen))
    assert game.ending is None
    play(game, move)
    assert game.ending is not None
    assert game.ending.result == result
    assert game.ending.reason.startswith(reason)


def test_threefold_repetition_can_be_claimed_and_fivefold_ends_the_game() -> None:
    game = ChessGame(chess.Board())
    shuffle = ("Nf3", "Nf6", "Ng1", "Ng8")
    play(game, *shuffle)
    assert game.claim() is None
    play(game, *shuffle)
    assert game.claim() == "the position has occurred three times"
    play(game, *shuffle, *shuffle[:3])
    assert game.ending is None
    play(game, shuffle[3])
    assert game.ending is not None
    assert "five times" in game.ending.reason


def test_what_came_before_the_game_counts() -> None:
    board = chess.Board()
    for san in ("Nf3", "Nf6", "Ng1", "Ng8") * 2:
        board.push_san(san)
    game = ChessGame(board)
    assert game.played == 0
    assert game.claim() is not None
    assert ChessGame(chess.Board(board.fen())).claim() is None


def test_fifty_moves_can_be_claimed() -> None:
    game = ChessGame(chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 99 70"))
    assert game.claim() is None
    play(game, "Ra2")
    assert game.claim() == "50 moves without a capture or a pawn move"


@pytest.mark.parametrize(
    ("fen", "result", "reason"),
    [
        (chess.STARTING_FEN, "0-1", "White's time is up"),
        ("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "1-0", "Black's time is up"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "1/2-1/2", "White's time is up, but Black cannot mate"),
    ],
)
def test_a_fallen_flag(fen: str, result: str, reason: str) -> None:
    now = Time()
    game = ChessGame(chess.Board(fen), FischerClock(FischerTimeControl(10), now))
    game.begin_turn()
    now.seconds += 9.9
    assert not game.check_time()
    now.seconds += 0.1
    assert game.check_time()
    assert game.ending is not None
    assert (game.ending.result, game.ending.reason) == (result, reason)
    assert game.ending.on_time


def test_a_move_after_the_flag_has_fallen_is_not_played() -> None:
    now = Time()
    game = ChessGame(chess.Board(), FischerClock(FischerTimeControl(10), now))
    game.begin_turn()
    now.seconds += 11
    game.move(chess.Move.from_uci("e2e4"))
    assert game.played == 0
    assert game.ending is not None
    assert game.ending.result == "0-1"


def test_taking_back_gives_back_the_time_too() -> None:
    now = Time()
    game = ChessGame(chess.Board(), FischerClock(FischerTimeControl(60, 1), now))
    for spent, move in ((3, "e4"), (5, "e5"), (7, "Nf3"), (11, "Nc6")):
        game.begin_turn()
        now.seconds += spent
        game.move(game.board.parse_san(move))
    assert game.clock is not None
    assert game.clock.state() == (52, 46)
    assert game.clock_times == [58, 56, 52, 46]
    game.take_back(3)
    assert game.clock.state() == (58, 55)  # as it was when Black had thought
    assert game.clock_times == [58]
    assert game.board.move_stack == [chess.Move.from_uci("e2e4")]


def test_taking_back_what_ended_the_game() -> None:
    game = ChessGame(chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"))
    play(game, "Ra8")
    game.take_back(1)
    assert game.ending is None
    play(game, "Ra7")
    game.resign(chess.BLACK)
    assert game.ending is not None
    assert (game.ending.result, game.ending.reason) == ("1-0", "Black resigns")
