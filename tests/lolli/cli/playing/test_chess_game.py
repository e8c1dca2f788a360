"""A game being played: its clock, its endings, its record as PGN."""

import io
import re
from datetime import UTC, datetime
from pathlib import Path

import chess
import chess.pgn
import pytest

from lolli.cli.given_file import GameFile
from lolli.cli.playing.chess import ChessGame, TimeControl, pgn_text
from tests.traps import full_disk

STARTED = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Time:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.mark.parametrize(
    ("text", "control", "pgn", "told"),
    [
        ("5+3", (300, 3), "300+3", "5+3"),
        ("1:30", (90, 0), "90", "1.5+0"),
        ("0.5+0.25", (30, 0.25), "30+0.25", "30s+0.25"),
        ("10m+5s", (600, 5), "600+5", "10+5"),
    ],
)
def test_time_controls(text: str, control: tuple[float, float], pgn: str, told: str) -> None:
    found = TimeControl.parse(text)
    assert (found.base, found.increment) == control
    assert found.pgn == pgn
    assert str(found) == told
    assert TimeControl.parse(told) == found


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "''; write 5+3 for"),
        ("five", "'five'; write 5+3 for"),
        ("-5", "not a time control"),
        ("\uff15", "not a time control"),
        ("0+3", "no time for the first move"),
        ("1+100000", "longer than a day"),
    ],
)
def test_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        TimeControl.parse(text)


def play(game: ChessGame, *moves: str) -> ChessGame:
    for move in moves:
        game.begin_turn()
        game.move(game.board.parse_san(move))
    return game


@pytest.mark.parametrize(
    ("fen", "move", "result", "reason"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8", "1-0", "checkmate"),
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
    game = ChessGame(chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 99 70"))
    assert game.claim() is None
    assert play(game, "Ra2").claim() == "50 moves without a capture or a pawn move"
    board = chess.Board()
    for san in ("Nf3", "Nf6", "Ng1", "Ng8") * 2:
        board.push_san(san)
    game = ChessGame(board)
    assert game.played == 0
    assert game.claim() is not None
    assert ChessGame(chess.Board(board.fen())).claim() is None


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
    game = ChessGame(chess.Board(fen), TimeControl(10), now)
    game.begin_turn()
    now.seconds += 9.9
    assert not game.check_time()
    now.seconds += 0.1
    game.move(next(iter(game.board.legal_moves)))  # which is too late
    assert game.played == 0
    assert game.ending is not None
    assert (game.ending.result, game.ending.reason) == (result, reason)
    assert game.ending.on_time
    game.move(next(iter(game.board.legal_moves)))
    assert (game.played, game.board.fen()) == (0, fen)


def test_taking_back_gives_back_the_time_too() -> None:
    now = Time()
    game = ChessGame(chess.Board(), TimeControl(60, 1), now)
    for spent, move in ((3, "e4"), (5, "e5"), (7, "Nf3"), (11, "Nc6")):
        game.begin_turn()
        now.seconds += spent
        game.move(game.board.parse_san(move))
    assert (game.left(chess.WHITE), game.left(chess.BLACK)) == (52, 46)
    assert game.clock_times == [58, 56, 52, 46]
    game.take_back(3)
    assert (game.left(chess.WHITE), game.left(chess.BLACK)) == (58, 55)  # as it was when Black had thought
    assert game.clock_times == [58]
    assert game.board.move_stack == [chess.Move.from_uci("e2e4")]


def record_of(game: ChessGame) -> chess.pgn.Game:
    record = chess.pgn.read_game(io.StringIO(pgn_text(game, "Player", "Lolli, level 3", STARTED)))
    assert record is not None
    assert not record.errors
    return record


def test_checkmate_needs_no_comment_and_resignation_gets_one() -> None:
    game = play(ChessGame(chess.Board()), "f3", "e5", "g4", "Qh4#")
    record = record_of(game)
    assert record.headers["Result"] == "0-1"
    assert record.headers["Termination"] == "normal"
    assert record.end().comment == ""
    game.take_back(1)
    assert game.ending is None
    game.resign(chess.BLACK)
    record = record_of(game)
    assert record.headers["Result"] == "1-0"
    assert record.end().comment == "Black resigns."


def test_clocks_and_a_loss_on_time() -> None:
    seconds = [0.0]
    game = ChessGame(chess.Board(), TimeControl(60, 2), lambda: seconds[0])
    for spent, move in ((3.0, "e4"), (5.5, "e5")):
        game.begin_turn()
        seconds[0] += spent
        play(game, move)
    game.begin_turn()
    seconds[0] += 100
    assert game.check_time()
    record = record_of(game)
    assert record.headers["TimeControl"] == "60+2"
    assert record.headers["Termination"] == "time forfeit"
    assert record.headers["Result"] == "0-1"
    assert [node.clock() for node in record.mainline()] == [59, 56.5]
    assert record.end().comment.endswith("White's time is up.")


@pytest.mark.parametrize(
    "board", [chess.Board.from_chess960_pos(7), chess.Board("4k3/8/8/8/8/8/4P3/4K3 b - - 3 9")]
)
def test_another_start(board: chess.Board) -> None:
    game = ChessGame(board)
    for _ in range(4):
        game.move(next(iter(game.board.legal_moves)))
    record = record_of(game)
    assert record.headers.get("Variant") == ("Chess960" if board.chess960 else None)
    assert record.board().fen() == board.fen()
    assert record.end().board().fen() == game.board.fen()


def games_of(path: Path) -> list[str]:
    with path.open() as file:
        names = []
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            names.append(game.headers["White"])
    return names


def text_of(name: str) -> str:
    return pgn_text(play(ChessGame(chess.Board()), "e4"), name, "Lolli", STARTED)


@pytest.mark.parametrize("before", ["", '[White "Old"]\n\n1. d4 *', '[White "Old"]\n\n1. d4 *\n\n'])
def test_games_are_added(tmp_path: Path, before: str) -> None:
    path = tmp_path / "games.pgn"
    if before:
        path.write_text(before)
    file = GameFile(path)
    file.add(text_of("One"))
    file.add(text_of("Two"))
    assert games_of(path) == [*(["Old"] if before else []), "One", "Two"]
    assert path.read_text().startswith(before)
    assert "\n\n\n" not in path.read_text()


def test_the_game_added_last_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[White "Old"]\n\n1. d4 *\n')
    file = GameFile(path)
    file.add(text_of("A name"))
    for name in ("A rather long name", "New"):
        file.replace(text_of(name))
        assert games_of(path) == ["Old", name]
        assert path.read_text().endswith(f"1. d4 *\n\n{text_of(name)}")
    path.write_text(path.read_text() + '[White "Other"]\n\n1. d4 *\n\n')
    file.replace(text_of("Newer"))
    assert games_of(path) == ["Old", "New", "Other", "Newer"]
    before = path.read_bytes()
    with full_disk(len(before) - 1), pytest.raises(OSError, match="File too large"):
        file.replace(text_of("Too much"))
    assert path.read_bytes() == before
    inode = path.stat().st_ino
    file.replace(text_of("New"))
    assert path.stat().st_ino == inode  # what is before is not read and written again
    path.unlink()
    file.replace(text_of("Last"))
    assert games_of(path) == ["Last"]
