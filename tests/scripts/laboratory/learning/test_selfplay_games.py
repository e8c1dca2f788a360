"""Self-play: how its games go and end, what is kept of them, and that it can be stopped at any time."""

import contextlib
import random
import re
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import pytest
from click.testing import CliRunner, Result

from engine.board.fen import format_fen
from eval.features import TEMPO, WEIGHTS
from eval.network_file import save_network
from eval.training.game_file import GameRecord, read_blocks, verify
from eval.training.game_file import games as games_of
from eval.weight_file import Weights
from scripts.laboratory.jobs import JobRunner
from scripts.laboratory.learning import selfplay_games
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.selfplay import selfplay
from scripts.laboratory.learning.selfplay_games import (
    Openings,
    OpeningSource,
    SelfPlay,
    SelfPlayRules,
    SelfPlayWorker,
)
from scripts.laboratory.long_run import JournalError
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError
from tests.eval.some_networks import random_network
from tests.scripts.laboratory.processes import end

ROOT = Path(__file__).parents[4]
MATERIAL = GivenEvaluator("material")
BOOK = OpeningSuite(
    (
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        "rnbqkb1r/pppppp1p/5np1/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3",
        "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3",
    ),
    is_pgn=False,
    chess960=False,
)
ENDGAMES = OpeningSuite(
    (
        "8/5k2/8/8/8/8/2K5/7R w - - 0 1",
        "8/5kp1/8/8/8/8/2KP4/8 w - - 0 1",
        "8/5k2/7b/8/8/3PN3/2K5/8 w - - 0 1",
    ),
    is_pgn=False,
    chess960=False,
)


def rules(evaluator: GivenEvaluator = MATERIAL) -> SelfPlayRules:
    """Rules for short searches."""
    return SelfPlayRules((OpeningSource(BOOK, 0, 2),), evaluator, nodes=60, seed=1)


def fens(openings: Openings, number: int, count: int) -> list[str]:
    """The first positions that are offered to a game."""
    return [format_fen(position) for position in islice(openings.of_game(number), count)]


def play_all(folder: Path, games: int, concurrency: int = 1, which: SelfPlayRules | None = None) -> SelfPlay:
    """A run from wherever it stands to its end."""
    run = SelfPlay(folder, which or rules(), games)
    with contextlib.closing(run):
        for _ in run.play(JobRunner(concurrency)):
            pass
    return run


def contents(folder: Path) -> dict[str, list[tuple[int, bytes]]]:
    """The games in a folder by file."""
    return {path.name: sorted(game_bytes(path)) for path in folder.glob("*.games")}


def game_bytes(path: Path) -> list[tuple[int, bytes]]:
    """The games of a file with their numbers."""
    return [(game.number, game.start + game.plies.tobytes()) for game in games_of(path)]


def record_of(block: bytes) -> GameRecord:
    """The game in a block of one."""
    ((head, packed),) = read_blocks(block, 0)
    (game,) = head.unpack(packed)
    return GameRecord.from_bytes(game)


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch, is_pure: bool) -> None:
    """Shards of four games."""
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    monkeypatch.setattr(selfplay_games, "GAMES_A_SHARD", 4)


def test_openings_are_dealt_in_turn_and_repeatably() -> None:
    plain = Openings([OpeningSource(BOOK, 0, 0)], seed=1)
    bare = [fen for number in range(6) for fen in fens(plain, number, 1)]
    assert sorted(bare[:3]) == sorted(BOOK.entries)
    assert bare[3:] == bare[:3]
    sources = [OpeningSource(BOOK, 0, 4)]
    dealt = [fens(Openings(sources, seed=1), number, 5) for number in range(20)]
    assert dealt == [fens(Openings(sources, seed=1), number, 5) for number in range(20)]
    assert dealt != [fens(Openings(sources, seed=2), number, 5) for number in range(20)]


def test_random_plies_come_after_the_opening() -> None:
    """What comes a second time is never the opening itself."""
    openings = Openings([OpeningSource(OpeningSuite.of_start_position(), 0, 3)], seed=5)
    counts = []
    for number in range(60):
        for place, fen in enumerate(fens(openings, number, 3)):
            board = chess.Board(fen)
            assert board.is_valid()
            counts.append((number + place > 0, board.ply()))
    assert {ply for again, ply in counts if again} == {1, 2, 3}
    assert counts[0][1] in range(4)


def test_sources_have_their_shares() -> None:
    """Chess960 keeps its rights to castle; a source without a share is never asked."""
    start, other = (
        OpeningSource(OpeningSuite.of_start_position(), 6, 9, 0.5),
        OpeningSource(OpeningSuite.of_chess960(), 0, 0, 0.25),
    )
    never = OpeningSource(OpeningSuite(("nonsense",), is_pgn=False, chess960=False), 0, 0, 0)
    openings = Openings([start, never, other], seed=1)
    found = [chess.Board(fens(openings, number, 1)[0], chess960=True) for number in range(600)]
    assert all(board.is_valid() for board in found)
    plies = [board.ply() for board in found]
    assert {*plies} == {0, 6, 7, 8, 9}
    assert 150 < plies.count(0) < 250
    assert len({board.chess960_pos() for board in found if not board.ply()}) > 100


def test_openings_of_which_none_is_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay_games, "_MOST_OPENINGS", 5)
    book = OpeningSuite(("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1",), is_pgn=False, chess960=False)
    with pytest.raises(OpeningSuiteError, match="game 7: none of 5 openings is level"):
        SelfPlayWorker(SelfPlayRules((OpeningSource(book, 0, 0),), MATERIAL, nodes=20, seed=1)).work(7)


def test_a_game_is_what_its_bytes_say() -> None:
    worker = SelfPlayWorker(SelfPlayRules((OpeningSource(ENDGAMES, 0, 2),), MATERIAL, nodes=30, seed=3))
    for number in range(3):
        game = record_of(worker.work(number))
        assert game.number == number
        verify(game)
        assert worker.work(number) == worker.work(number)


@pytest.mark.usefixtures("small_files")
def test_games_are_the_same_with_any_number_of_processes(tmp_path: Path) -> None:
    alone = play_all(tmp_path / "alone", 10, concurrency=1)
    together = play_all(tmp_path / "together", 10, concurrency=3)
    found = contents(tmp_path / "alone")
    assert sorted(found) == [f"games-00000000{number}.games" for number in (0, 4, 8)]
    assert contents(tmp_path / "together") == found
    assert (alone.games, alone.plies) == (together.games, together.plies)
    numbers = [number for name in sorted(found) for number, _ in found[name]]
    assert numbers == list(range(10))
    assert alone.games == 10
    assert alone.plies == sum(len(data) - 32 for name in found for _, data in found[name]) // 4


@pytest.mark.usefixtures("small_files")
def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    play_all(tmp_path / "whole", 10)
    run = SelfPlay(tmp_path / "broken", rules(), 10)
    playing = run.play(JobRunner(1))
    for _ in range(7):
        next(playing)
    playing.close()
    run.close()
    again = SelfPlay(tmp_path / "broken", rules(), 10)
    assert again.games == 7
    assert list(again.play(JobRunner(1))) == [7, 8, 9]
    again.close()
    assert again.games == 10
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


@pytest.mark.usefixtures("small_files")
def test_a_run_can_be_made_longer_but_never_loses_games(tmp_path: Path) -> None:
    def together(folder: Path) -> list[tuple[int, bytes]]:
        return sorted(game for games in contents(folder).values() for game in games)

    play_all(tmp_path / "long", 9)
    play_all(tmp_path / "grown", 6)
    shard = tmp_path / "grown" / "games-000000004.games"
    before = shard.read_bytes()
    assert play_all(tmp_path / "grown", 9).games == 9
    assert together(tmp_path / "grown") == together(tmp_path / "long")
    assert shard.read_bytes() == before
    assert sorted(contents(tmp_path / "grown")) == [
        f"games-00000000{number}.games" for number in (0, 4, 6, 8)
    ]
    assert play_all(tmp_path / "grown", 2).games == 9
    assert together(tmp_path / "grown") == together(tmp_path / "long")


def stopped_run(folder: Path, games: int) -> Path:
    """A run that was stopped after so many games: the file with those that are not in a shard."""
    run = SelfPlay(folder, rules(), 10)
    playing = run.play(JobRunner(1))
    for _ in range(games):
        next(playing)
    playing.close()
    run.close()
    (part,) = folder.glob("*.part")
    return part


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("harm", ["cut", "flipped", "gone"])
def test_what_is_lost_of_a_part_is_played_again(tmp_path: Path, harm: str) -> None:
    play_all(tmp_path / "whole", 10)
    part = stopped_run(tmp_path / "harmed", 7)
    data = bytearray(part.read_bytes())
    if harm == "cut":
        part.write_bytes(data[:-5])
    elif harm == "flipped":  # a bit of the first game's length
        data[data.index(b"LBlk") + 5] ^= 4
        part.write_bytes(data)
    else:
        part.unlink()
    run = play_all(tmp_path / "harmed", 10)
    assert run.games == 10
    assert contents(tmp_path / "harmed") == contents(tmp_path / "whole")


@pytest.mark.usefixtures("small_files")
def test_a_kill_between_a_shard_and_the_end_of_its_part(tmp_path: Path) -> None:
    part = stopped_run(tmp_path, 7)
    before = part.read_bytes()
    play_all(tmp_path, 8)
    part.write_bytes(before)
    assert play_all(tmp_path, 8).games == 8
    assert not part.exists()


@pytest.mark.usefixtures("small_files")
def test_a_full_part_becomes_a_shard_when_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the run was killed, or the disk was full, while it was being packed."""
    play_all(tmp_path / "whole", 10)

    def fail(*_: object) -> None:
        raise OSError("full")

    with monkeypatch.context() as patched:
        patched.setattr(selfplay_games, "write_shard", fail)
        with pytest.raises(OSError, match="full"):
            play_all(tmp_path / "killed", 10)
    assert not list((tmp_path / "killed").glob("*.games"))
    assert play_all(tmp_path / "killed", 10).games == 10
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("change", ["nodes", "seed"])
def test_a_run_does_not_go_on_with_other_settings(tmp_path: Path, change: str) -> None:
    changed: dict[str, Any] = {change: 3}
    play_all(tmp_path, 2)
    with pytest.raises(JournalError, match=rf"{change} was \d+ and is 3"):
        play_all(tmp_path, 2, which=replace(rules(), **changed))


@pytest.mark.usefixtures("small_files")
def test_a_run_with_weights(tmp_path: Path) -> None:
    """Most scores of material alone are whole pawns; a weight for the move alone shows in nearly all."""
    tempo = tuple(7 * (index == TEMPO) for index in range(WEIGHTS))
    play_all(tmp_path / "material", 4)
    play_all(tmp_path / "linear", 4, which=rules(GivenEvaluator("linear", Weights(tempo, tempo))))
    whole = []
    for name in ("material", "linear"):
        scores = [
            score
            for path in (tmp_path / name).glob("*.games")
            for game in games_of(path)
            for score in game.plies["score"].tolist()
        ]
        whole.append(sum(score % 100 == 0 for score in scores) / len(scores))
    assert whole[0] > 0.5 > whole[1]


def test_a_network_plays(tmp_path: Path) -> None:
    """The same games from the same file, and others from another one."""
    played = []
    for seed in (1, 1, 2):
        path = tmp_path / "net.lolli"
        save_network(path, replace(random_network(seed), scale=10))  # to which much is level
        which = rules(GivenEvaluator.read("network", str(path)))
        played.append((which.identity()["weights"], SelfPlayWorker(replace(which, nodes=20)).work(0)))
    assert played[0] == played[1]
    assert played[0][0] != played[2][0]
    assert played[0][1] != played[2][1]


def run_command(*words: str) -> Result:
    """The command line, with few nodes and one process."""
    return CliRunner().invoke(selfplay, ["--nodes", "20", "--concurrency", "1", *words])


def test_the_command(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    out = str(tmp_path / "new" / "folder")
    result = run_command("--out", out, "--games", "3", "--eval", "material", "--every", "1")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines] == ["1/3", "2/3", "3/3", "3"]
    assert "3 games, " in lines[-1]
    looked = run_command("--out", out, "--verify")
    assert looked.exit_code == 0, looked.output
    assert "3 games replayed: all moves are legal and all results correct" in looked.output
    counted = run_command("--out", out, "--stats")
    assert "replayed" not in counted.output
    assert re.search(r"games +3 *\n", counted.output)
    other = run_command("--out", out, "--games", "3", "--eval", "material", "--seed", "2")
    assert other.exit_code == 2
    assert "seed was 1 and is 2" in other.output


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--book-share", "0.9", "--chess960-share", "0.2"), "more than 1 together"),
        (("--random-plies", "9", "6"), "the least is more than the most"),
    ],
)
def test_openings_that_cannot_be(tmp_path: Path, words: tuple[str, ...], reason: str) -> None:
    result = run_command("--out", str(tmp_path / "new"), "--games", "1", *words)
    assert result.exit_code == 2
    assert reason in result.output.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "none.json"
    result = run_command("--out", str(tmp_path), "--games", "1", "--weights", str(missing))
    assert result.exit_code == 2
    assert "none.json: there is no such file" in result.output.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "how",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGKILL, marks=pytest.mark.slow),
    ],
)
def test_no_process_is_left_of_a_run_that_was_ended(
    tmp_path: Path, how: signal.Signals, is_pure: bool
) -> None:
    if is_pure:
        pytest.skip("the same in both modes")
    script = "from scripts.laboratory.learning.selfplay import selfplay; selfplay()"
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
    end(process, how)
    for path in tmp_path.glob("*.games"):
        for game in games_of(path):
            verify(game)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_hundred_kills_lose_no_game_that_was_over(tmp_path: Path, is_pure: bool) -> None:
    """At most those that are being played: each one that was reported is there afterwards, and none twice."""
    if is_pure:
        pytest.skip("the same in both modes")
    script = (
        "from scripts.laboratory.learning import selfplay_games; selfplay_games.GAMES_A_SHARD = 50;"
        "from scripts.laboratory.learning.selfplay import selfplay; selfplay()"
    )
    folder, games = tmp_path / "killed", 6000
    words = [
        sys.executable,
        "-u",
        "-c",
        script,
        "--games",
        str(games),
        "--eval",
        "material",
        "--nodes",
        "100",
    ]
    words += ["--every", "1", "--concurrency", "2", "--out"]
    rng = random.Random(1)
    reported = 0
    for _ in range(100):
        with subprocess.Popen([*words, str(folder)], cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(rng.randint(1, 60)):
                reported = int(process.stdout.readline().split(b"/")[0])
            process.kill()
        in_shards = [game.number for path in folder.glob("*.games") for game in games_of(path)]
        assert len(in_shards) == len(set(in_shards))
        in_parts = [
            game.number
            for path in folder.glob("*.part")
            for block, data in read_blocks(path.read_bytes(), 0)
            for game in map(GameRecord.from_bytes, block.unpack(data))
        ]
        assert len(in_parts) == len(set(in_parts))
        assert len({*in_shards, *in_parts}) >= reported
    assert reported < games
    for each in (folder, tmp_path / "whole"):
        subprocess.run([*words, str(each)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    assert contents(folder) == contents(tmp_path / "whole")
