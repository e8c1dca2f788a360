"""Games as PGN, read back by python-chess, and the file they are kept in."""

import io
from datetime import UTC, datetime
from pathlib import Path

import chess
import chess.pgn
import pytest

from protocol.cli.playing.game import (
    ChessGame,
    FischerClock,
    FischerTimeControl,
    GameFile,
    PlayerNames,
    pgn_text,
)

PLAYERS = PlayerNames("Player", "Lolli, level 3")
STARTED = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return game


def play(game: ChessGame, *moves: str) -> ChessGame:
    for move in moves:
        game.move(game.board.parse_san(move))
    return game


def test_headers_of_a_game_under_way() -> None:
    game = read(pgn_text(play(ChessGame(chess.Board()), "e4", "e5"), PLAYERS, STARTED))
    assert dict(game.headers) == {
        "Event": "Casual game",
        "Site": "?",
        "Date": "2026.11.21",
        "Round": "-",
        "White": "Player",
        "Black": "Lolli, level 3",
        "Result": "*",
        "TimeControl": "-",
        "Termination": "unterminated",
    }
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5"]


def test_checkmate_needs_no_comment_and_resignation_gets_one() -> None:
    game = play(ChessGame(chess.Board()), "f3", "e5", "g4", "Qh4#")
    record = read(pgn_text(game, PLAYERS, STARTED))
    assert record.headers["Result"] == "0-1"
    assert record.headers["Termination"] == "normal"
    assert record.end().comment == ""
    game.take_back(1)
    game.resign(chess.BLACK)
    record = read(pgn_text(game, PLAYERS, STARTED))
    assert record.headers["Result"] == "1-0"
    assert record.end().comment == "Black resigns."


def test_clocks_and_a_loss_on_time() -> None:
    seconds = [0.0]
    game = ChessGame(chess.Board(), FischerClock(FischerTimeControl(60, 2), lambda: seconds[0]))
    for spent, move in ((3.0, "e4"), (5.5, "e5")):
        game.begin_turn()
        seconds[0] += spent
        play(game, move)
    game.begin_turn()
    seconds[0] += 100
    assert game.check_time()
    record = read(pgn_text(game, PLAYERS, STARTED))
    assert record.headers["TimeControl"] == "60+2"
    assert record.headers["Termination"] == "time forfeit"
    assert record.headers["Result"] == "0-1"
    assert [node.clock() for node in record.mainline()] == [59, 56.5]
    assert record.end().comment.endswith("White's time is up.")


@pytest.mark.parametrize("chess960", [False, True])
def test_another_start(chess960: bool) -> None:
    board = chess.Board.from_chess960_pos(7) if chess960 else chess.Board("4k3/8/8/8/8/8/4P3/4K3 b - - 3 9")
    game = ChessGame(board)
    for _ in range(4):
        game.move(next(iter(game.board.legal_moves)))
    record = read(pgn_text(game, PLAYERS, STARTED))
    assert record.headers.get("Variant") == ("Chess960" if chess960 else None)
    assert record.board().fen() == board.fen()
    assert record.end().board().fen() == game.board.fen()


def test_the_way_to_the_first_position_is_part_of_the_record() -> None:
    board = chess.Board()
    board.push_san("e4")
    game = ChessGame(board, FischerClock(FischerTimeControl(60), lambda: 0.0))
    play(game, "e5", "Nf3")
    record = read(pgn_text(game, PLAYERS, STARTED))
    assert [node.clock() for node in record.mainline()] == [None, 60, 60]


def games_of(path: Path) -> list[str]:
    """The names of White in a file of games."""
    with path.open() as file:
        names = []
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            names.append(game.headers["White"])
    return names


def text_of(name: str) -> str:
    return pgn_text(play(ChessGame(chess.Board()), "e4"), PlayerNames(name, "Lolli"), STARTED)


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
    file.add(text_of("A rather long name"))
    file.replace(text_of("New"))
    assert games_of(path) == ["Old", "New"]
    path.write_text(path.read_text() + '[White "Other"]\n\n1. d4 *\n\n')
    file.replace(text_of("Newer"))
    assert games_of(path) == ["Old", "New", "Other", "Newer"]
    path.unlink()
    file.replace(text_of("Last"))
    assert games_of(path) == ["Last"]
