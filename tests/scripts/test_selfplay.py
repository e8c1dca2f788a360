"""Self-play: how its games go and end, what is kept of them, and that it can be stopped at any time."""

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import numpy as np
import psutil
import pytest
from click.testing import CliRunner, Result

from engine.board.fen import format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text, parse_move
from engine.board.position import Position
from eval.features import TEMPO, WEIGHTS
from eval.learning.samples import read, unpack
from eval.material import Material
from eval.outcome import OutcomeModel
from eval.weight_file import Weights
from scripts.learning import game as game_module
from scripts.learning import selfplay
from scripts.learning.game import play_game
from scripts.learning.openings import Openings
from scripts.learning.player import Player, Thought
from scripts.learning.referee import Ending, adjudicate, end_by_rule
from scripts.learning.selfplay import Rules, SelfPlay
from scripts.learning.selfplay_command import selfplay as command
from scripts.matches.book import Book, BookError
from scripts.matches.journal import JournalError

ROOT = Path(__file__).parents[2]
BOOK = Book(
    (
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        "rnbqkb1r/pppppp1p/5np1/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3",
        "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3",
    ),
    is_pgn=False,
    chess960=False,
)
ENDGAMES = Book(
    (
        "8/5k2/8/8/8/8/2K5/7R w - - 0 1",
        "8/5kp1/8/8/8/8/2KP4/8 w - - 0 1",
        "8/5k2/7b/8/8/3PN3/2K5/8 w - - 0 1",
    ),
    is_pgn=False,
    chess960=False,
)
PATIENCE_SECONDS = 60


class RecordingPlayer(Player):
    """Writes down what it was asked and what it answered."""

    def __init__(self, nodes: int) -> None:
        super().__init__(Material(), nodes)
        self.told: list[tuple[str, Thought]] = []

    def new_game(self) -> None:
        super().new_game()
        self.told.clear()

    def think(self, position: Position, moves: Sequence[int]) -> Thought:
        thought = super().think(position, moves)
        self.told.append((format_fen(position), thought))
        return thought


def rules(weights: Weights | None = None) -> Rules:
    """Rules for short searches."""
    return Rules(BOOK, weights, nodes=60, seed=1, random_plies=2)


def fens(openings: Openings, number: int, count: int) -> list[str]:
    """The first positions that are offered to a game."""
    return [format_fen(position) for position in islice(openings.of_game(number), count)]


def play_all(folder: Path, games: int, concurrency: int = 1, which: Rules | None = None) -> SelfPlay:
    """A run from wherever it stands to its end."""
    run = SelfPlay(folder, which or rules(), games)
    for _ in run.play(concurrency):
        pass
    run.close()
    return run


def contents(folder: Path) -> dict[str, bytes]:
    """The blocks in a folder."""
    return {path.name: path.read_bytes() for path in folder.glob("*.samples*")}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch, is_pure: bool) -> None:
    """Blocks of four games, played two at a time."""
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    monkeypatch.setattr(selfplay, "BLOCK", 4)
    monkeypatch.setattr(selfplay, "_STRETCH", 2)


@pytest.mark.parametrize(
    ("fen", "ending", "result"),
    [
        ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", Ending.CHECKMATE, 1),
        ("k7/8/8/8/8/8/5PPP/r5K1 w - - 99 80", Ending.CHECKMATE, -1),
        ("R5k1/5ppp/8/8/8/8/8/K7 b - - 100 80", Ending.CHECKMATE, 1),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Ending.STALEMATE, 0),
        ("7k/8/5BK1/8/8/8/8/8 b - - 0 1", Ending.INSUFFICIENT, 0),
        ("7k/5R2/5K2/8/8/8/8/8 b - - 100 80", Ending.FIFTY_MOVES, 0),
    ],
)
def test_ends_by_the_rules(fen: str, ending: Ending, result: int) -> None:
    position = parse_fen(fen)
    assert end_by_rule(position, legal_moves(position)) == (ending, result)


def test_the_third_occurrence_ends_the_game() -> None:
    position = parse_fen(chess.STARTING_FEN)
    for text in ("g1f3", "g8f6", "f3g1", "f6g8") * 2:
        assert end_by_rule(position, legal_moves(position)) is None
        position.advance(parse_move(position, text))
    assert end_by_rule(position, legal_moves(position)) == (Ending.REPETITION, 0)


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ([2001] * 6, (Ending.CLEAR_WIN, 1)),
        ([0] * 50 + [-30990, -2001] * 3, (Ending.CLEAR_WIN, -1)),
        ([2001] * 5, None),
        ([2001] * 5 + [2000], None),
        ([2001, -2001] * 3, None),
        ([0] * 135, None),
        ([0] * 136, (Ending.CLEAR_DRAW, 0)),
        ([300] * 120 + [5, -5] * 8, (Ending.CLEAR_DRAW, 0)),
        ([300] * 120 + [5, -6] * 8, None),
        ([300] * 130 + [0] * 15, None),
        ([300] * 399, None),
        ([300] * 400, (Ending.TOO_LONG, 0)),
    ],
)
def test_adjudication(scores: list[int], verdict: tuple[Ending, int] | None) -> None:
    assert adjudicate(scores) == verdict


def test_openings_are_dealt_in_turn_and_repeatably() -> None:
    bare = [fen for number in range(6) for fen in fens(Openings(BOOK, 0, seed=1), number, 1)]
    assert sorted(bare[:3]) == sorted(BOOK.entries)
    assert bare[3:] == bare[:3]
    openings = Openings(BOOK, 4, seed=1)
    dealt = [fens(openings, number, 5) for number in range(20)]
    assert dealt == [fens(Openings(BOOK, 4, seed=1), number, 5) for number in range(20)]
    assert dealt != [fens(Openings(BOOK, 4, seed=2), number, 5) for number in range(20)]


def test_random_plies_come_after_the_opening() -> None:
    """What comes a second time is never the opening itself."""
    start = Book((chess.STARTING_FEN,), is_pgn=False, chess960=False)
    openings = Openings(start, 3, seed=5)
    counts = []
    for number in range(60):
        for place, fen in enumerate(fens(openings, number, 3)):
            board = chess.Board(fen)
            assert board.is_valid()
            counts.append((number + place > 0, board.ply()))
    assert {ply for again, ply in counts if again} == {1, 2, 3}
    assert counts[0][1] in range(4)


def test_an_opening_that_is_not_level_is_passed_over() -> None:
    queen_up = parse_fen("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    over = parse_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    level = parse_fen("8/5kp1/8/8/8/8/2KP4/8 w - - 0 1")
    player = RecordingPlayer(50)
    play_game(player, iter([queen_up, over, level]), 0)
    assert player.told[0][0] == "8/5kp1/8/8/8/8/2KP4/8 w - - 0 1"


def test_openings_of_which_none_is_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_module, "_MOST_OPENINGS", 5)
    book = Book(("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1",), is_pgn=False, chess960=False)
    with pytest.raises(BookError, match="none of 5 openings for game 7 is level"):
        play_game(Player(Material(), 20), Openings(book, 0, seed=1).of_game(7), 7)


@pytest.mark.parametrize(("book", "number"), [(ENDGAMES, 1), (ENDGAMES, 4), (BOOK, 0), (BOOK, 1), (BOOK, 2)])
def test_a_game_as_python_chess_sees_it(book: Book, number: int, is_pure: bool) -> None:
    """The moves are legal, the result is right, and exactly the quiet positions are kept."""
    if is_pure and book is BOOK:
        pytest.skip("takes minutes in plain Python")
    player = RecordingPlayer(40 if is_pure else 300)
    game = play_game(player, Openings(book, 2, seed=3).of_game(number), number)
    board = chess.Board(player.told[0][0])
    expected = []
    for ply, (fen, thought) in enumerate(player.told):
        assert board.fen(en_passant="legal") == fen
        move = chess.Move.from_uci(move_text(thought.move))
        quiet = not (board.is_capture(move) or move.promotion or board.is_check())
        if ply >= 4 and quiet and abs(thought.score) < 1500:
            score = thought.score if board.turn else -thought.score
            expected.append((fen.split()[:3], score, game.result, ply, number))
        assert move in board.legal_moves
        board.push(move)
    assert game.plies == len(player.told)
    found = [
        (format_fen(unpack(sample)).split()[:3], *sample.tolist()[2:4], sample["ply"], sample["game"])
        for sample in game.samples
    ]
    assert found == expected
    outcome = board.outcome(claim_draw=False)
    if game.ending is Ending.CHECKMATE:
        assert board.is_checkmate()
        assert game.result == (-1 if board.turn else 1)
    elif game.ending is not Ending.CLEAR_WIN:
        assert game.result == 0
    assert outcome is None or game.ending not in (Ending.CLEAR_WIN, Ending.CLEAR_DRAW, Ending.TOO_LONG)


def test_a_game_depends_on_nothing_before_it() -> None:
    openings = Openings(ENDGAMES, 2, seed=1)
    player = Player(Material(), 40)
    games = [play_game(player, openings.of_game(number), number) for number in (1, 4, 1)]
    assert np.array_equal(games[0].samples, games[2].samples)
    assert games[0].plies == games[2].plies
    assert not np.array_equal(games[0].samples, games[1].samples)


def test_a_search_too_short_for_any_depth_gives_a_move_and_a_static_score() -> None:
    position = parse_fen("4k3/8/8/8/8/8/4P3/Q3K3 b - - 0 1")
    moves = legal_moves(position)
    thought = Player(Material(), 1).think(position, moves)
    assert thought.move in moves
    assert thought.score == -1000


@pytest.mark.usefixtures("small_blocks")
def test_blocks_are_the_same_with_any_number_of_processes(tmp_path: Path) -> None:
    alone = play_all(tmp_path / "alone", 10, concurrency=1)
    together = play_all(tmp_path / "together", 10, concurrency=3)
    blocks = contents(tmp_path / "alone")
    assert sorted(blocks) == [f"block-0000{number}.samples" for number in range(3)]
    assert contents(tmp_path / "together") == blocks
    assert alone.tally.to_json() == together.tally.to_json()
    samples = read([tmp_path / "alone"])
    assert alone.tally.games == 10
    assert alone.tally.samples == len(samples) > 100
    assert sorted(set(samples["game"].tolist())) == list(range(10))
    assert (np.diff(samples["game"].astype(int)) >= 0).all()


@pytest.mark.usefixtures("small_blocks")
def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    play_all(tmp_path / "whole", 10)
    run = SelfPlay(tmp_path / "broken", rules(), 10)
    playing = run.play(1)
    for _ in range(7):
        next(playing)
    playing.close()
    run.close()
    assert sorted(contents(tmp_path / "broken")) == ["block-00000.samples"]
    again = SelfPlay(tmp_path / "broken", rules(), 10)
    assert again.tally.games == 4
    assert [game.number for game in again.play(1)] == [4, 5, 6, 7, 8, 9]
    again.close()
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


@pytest.mark.usefixtures("small_blocks")
def test_a_run_can_be_made_longer_but_never_loses_games(tmp_path: Path) -> None:
    play_all(tmp_path / "long", 7)
    play_all(tmp_path / "grown", 6)
    assert play_all(tmp_path / "grown", 7).tally.games == 7
    assert contents(tmp_path / "grown") == contents(tmp_path / "long")
    assert play_all(tmp_path / "grown", 2).tally.games == 7
    assert contents(tmp_path / "grown") == contents(tmp_path / "long")


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_a_block_that_is_not_whole_is_played_again(tmp_path: Path, harm: str) -> None:
    play_all(tmp_path, 4)
    before = contents(tmp_path)
    path = tmp_path / "block-00000.samples"
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-5])
    else:
        path.unlink()
    play_all(tmp_path, 4)
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("change", ["nodes", "seed", "random_plies"])
def test_a_run_does_not_go_on_with_other_settings(tmp_path: Path, change: str) -> None:
    changed: dict[str, Any] = {change: 3}
    play_all(tmp_path, 2)
    with pytest.raises(JournalError, match=rf"{change} was \d+ and is 3"):
        play_all(tmp_path, 2, which=replace(rules(), **changed))


@pytest.mark.usefixtures("small_blocks")
def test_a_run_with_weights(tmp_path: Path) -> None:
    """Most scores of material alone are whole pawns; a weight for the move alone shows in nearly all."""
    tempo = tuple(7 * (index == TEMPO) for index in range(WEIGHTS))
    play_all(tmp_path / "material", 4)
    play_all(tmp_path / "linear", 4, which=rules(Weights(tempo, tempo)))
    whole = [(read([tmp_path / name])["score"] % 100 == 0).mean() for name in ("material", "linear")]
    assert whole[0] > 0.5 > whole[1]


def test_weights_are_told_apart_by_what_they_weigh() -> None:
    nothing, something = (0,) * WEIGHTS, (1,) * WEIGHTS
    bare = Weights(nothing, nothing)
    model = OutcomeModel((100.0, 0.0, 0.0, 0.0), (50.0, 0.0, 0.0, 0.0))
    assert rules(bare).identity() == rules(replace(bare, outcome=model, about={"made": "x"})).identity()
    others = [None, bare, replace(bare, middle=something), replace(bare, endgame=something)]
    assert len({rules(weights).identity()["weights"] for weights in others}) == 4


def run_command(*words: str) -> Result:
    """The command line, with few nodes and one process."""
    return CliRunner().invoke(command, ["--nodes", "20", "--concurrency", "1", *words])


def test_the_command(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    out = str(tmp_path / "new" / "folder")
    result = run_command("--out", out, "--games", "3", "--eval", "material", "--every", "1")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines] == ["1/3", "2/3", "3/3", "3"]
    count = len(read([Path(out)]))
    assert f"3 games, {count} positions; " in lines[-1]
    other = run_command("--out", out, "--games", "3", "--eval", "material", "--seed", "2")
    assert other.exit_code == 2
    assert "seed was 1 and is 2" in other.output


def test_weights_that_are_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "none.json"
    result = run_command("--out", str(tmp_path), "--games", "1", "--weights", str(missing))
    assert result.exit_code == 2
    assert "none.json: there is no such file" in result.output.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_of_a_run_that_was_ended(
    tmp_path: Path, how: signal.Signals, is_pure: bool
) -> None:
    if is_pure:
        pytest.skip("the same in both modes")
    script = "from scripts.learning.selfplay_command import selfplay; selfplay()"
    words = [
        "--out",
        str(tmp_path),
        "--games",
        "100000",
        "--eval",
        "material",
        "--every",
        "1",
        "--nodes",
        "500",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *words, "--concurrency", "2"], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    children = psutil.Process(process.pid).children(recursive=True)
    started = time.monotonic()
    process.send_signal(how)
    process.communicate(timeout=PATIENCE_SECONDS)
    assert time.monotonic() - started < 10
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_SECONDS)
    assert not alive
    assert process.returncode == (-how if how is signal.SIGKILL else 130)
    assert contents(tmp_path) == {}
