"""Self-play: its games, what is kept of them, sampled positions, the harvest; stopped at any time."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
import zlib
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import psutil
import pytest
from click.testing import CliRunner, Result

from engine.board.fen import format_fen
from eval.network_file import save_network
from eval.training.game_file import GameRecord, read_blocks
from eval.training.game_file import games as games_of
from scripts.laboratory.jobs import JobRunner
from scripts.laboratory.learning import selfplay as runs
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.selfplay import (
    JOURNAL,
    Openings,
    OpeningSource,
    Rules,
    SamplingWorker,
    SelfPlayRun,
    SelfPlayWorker,
    selfplay,
)
from scripts.laboratory.long_run import JournalError, RunJournal
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError
from tests.eval.some_networks import random_network
from tests.eval.training.record_files import verify
from tests.patience import PATIENCE
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


SMALL_FILES = (
    "from scripts.laboratory.learning import selfplay as runs; runs.GAMES_A_FILE = 4;"
    "from scripts.laboratory.learning.selfplay import {0}; {0}()"
)


# Workers of a harvest like those of self-play: behind other work they may take long on a busy machine.
LIKE_OTHERS = (
    "from scripts.laboratory.learning.selfplay import SelfPlayWorker as Worker;"
    "Worker.behind_other_work = Worker;"
)


def rules(evaluator: GivenEvaluator = MATERIAL) -> Rules:
    return Rules((OpeningSource(BOOK, 0, 2),), evaluator, nodes=60, seed=1)


def fens(openings: Openings, number: int, count: int) -> list[str]:
    return [format_fen(position) for position in islice(openings.of_game(number), count)]


def play_all(folder: Path, games: int, concurrency: int = 1, which: Rules | None = None) -> SelfPlayRun:
    run = SelfPlayRun(folder, which or rules(), games)
    with contextlib.closing(run):
        for _ in run.play(JobRunner(concurrency)):
            pass
    return run


def contents(folder: Path) -> dict[str, list[tuple[int, bytes]]]:
    return {path.name: sorted(game_bytes(path)) for path in folder.glob("*.games")}


def game_bytes(path: Path) -> list[tuple[int, bytes]]:
    return [(game.number, game.start + game.plies.tobytes()) for game in games_of(path)]


def numbers(folder: Path) -> list[int]:
    """Of the games in a folder, all of which are replayed by the rules."""
    found = []
    for path in folder.glob("*.games"):
        for game in games_of(path):
            verify(game)
            found.append(game.number)
    return found


def records_of(block: bytes) -> list[GameRecord]:
    ((head, packed),) = read_blocks(block, 0)
    unpacked = [*head.unpack(packed)]
    assert zlib.crc32(b"".join(unpacked)) == head.checksum_unpacked
    return [*map(GameRecord.from_bytes, unpacked)]


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    monkeypatch.setattr(runs, "GAMES_A_FILE", 4)


def test_openings_are_dealt_in_turn_and_repeatably() -> None:
    plain = Openings([OpeningSource(BOOK, 0, 0)], seed=1)
    bare = [fen for number in range(6) for fen in fens(plain, number, 1)]
    assert sorted(bare[:3]) == sorted(BOOK.entries)
    assert bare[3:] == bare[:3]
    sources = [OpeningSource(BOOK, 0, 4)]
    dealt = [fens(Openings(sources, seed=1), number, 5) for number in range(20)]
    assert dealt == [fens(Openings(sources, seed=1), number, 5) for number in range(20)]
    assert dealt != [fens(Openings(sources, seed=2), number, 5) for number in range(20)]


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
    monkeypatch.setattr(runs, "_MOST_OPENINGS", 5)
    book = OpeningSuite(("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1",), is_pgn=False, chess960=False)
    with pytest.raises(OpeningSuiteError, match="game 7: none of 5 openings is level"):
        SelfPlayWorker(Rules((OpeningSource(book, 0, 0),), MATERIAL, nodes=20, seed=1)).play(7)


def test_a_game_is_what_its_bytes_say() -> None:
    worker = SelfPlayWorker(Rules((OpeningSource(ENDGAMES, 0, 2),), MATERIAL, nodes=30, seed=3))
    games, counts, packed = worker.work(range(3))
    found = records_of(packed)
    assert [game.number for game in found] == list(games) == [0, 1, 2]
    assert counts["plies"] == sum(len(game.plies) for game in found)
    assert counts["kept"] == sum(1 for game in found for _ in game.kept())
    for game in found:
        verify(game)
        (again,) = records_of(worker.work(range(game.number, game.number + 1))[2])
        assert (again.start, again.plies.tobytes()) == (game.start, game.plies.tobytes())


@pytest.mark.usefixtures("small_files")
def test_games_are_the_same_with_any_number_of_processes(tmp_path: Path) -> None:
    alone = play_all(tmp_path / "alone", 10, concurrency=1)
    together = play_all(tmp_path / "together", 10, concurrency=3)
    found = contents(tmp_path / "alone")
    assert sorted(found) == [f"games-0000{number}.games" for number in range(3)]
    assert contents(tmp_path / "together") == found
    assert alone.files == together.files
    numbers = [number for name in sorted(found) for number, _ in found[name]]
    assert numbers == list(range(10))
    assert alone.done == 10
    assert alone.total("plies") == sum(len(data) - 32 for name in found for _, data in found[name]) // 4


def stop_after(files: int, folder: Path) -> None:
    with (
        contextlib.closing(SelfPlayRun(folder, rules(), 10)) as run,
        contextlib.closing(run.play(JobRunner(1))) as playing,
    ):
        for _ in range(files):
            next(playing)


@pytest.mark.usefixtures("small_files")
def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    play_all(tmp_path / "whole", 10)
    stop_after(2, tmp_path / "broken")
    with contextlib.closing(SelfPlayRun(tmp_path / "broken", rules(), 10)) as again:
        assert again.done == 8
        assert len(numbers(tmp_path / "broken")) == 8
        assert list(again.play(JobRunner(1))) == [2]
        assert again.done == 10
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


@pytest.mark.usefixtures("small_files")
def test_a_run_can_be_made_longer_but_never_loses_games(tmp_path: Path) -> None:
    """A file that is too short is made again; one that is whole stays."""
    play_all(tmp_path / "long", 9)
    grown = tmp_path / "grown"
    assert play_all(grown, 6).done == 6
    assert [len(found) for _, found in sorted(contents(grown).items())] == [4, 2]
    first = (grown / "games-00000.games").stat()
    assert play_all(grown, 9).done == 9
    assert (grown / "games-00000.games").stat() == first
    assert contents(grown) == contents(tmp_path / "long")
    assert play_all(grown, 2).done == 9
    assert contents(grown) == contents(tmp_path / "long")


@pytest.mark.usefixtures("small_files")
def test_a_gap_is_filled_though_there_are_games_enough(tmp_path: Path) -> None:
    play_all(tmp_path / "run", 12)
    (tmp_path / "run" / "games-00001.games").unlink()
    play_all(tmp_path / "run", 8)
    play_all(tmp_path / "whole", 12)
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("harm", ["cut", "gone", "not in the journal"])
def test_a_file_that_is_lost_is_made_again(tmp_path: Path, harm: str) -> None:
    play_all(tmp_path / "whole", 10)
    stop_after(2, tmp_path / "harmed")
    path, journal = tmp_path / "harmed" / "games-00001.games", tmp_path / "harmed" / JOURNAL
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-5])
    elif harm == "gone":
        path.unlink()
    else:  # as if the run was killed after the file was written
        journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    assert play_all(tmp_path / "harmed", 10).done == 10
    assert contents(tmp_path / "harmed") == contents(tmp_path / "whole")


def test_a_folder_of_an_older_version(tmp_path: Path) -> None:
    before = {**rules().identity(), "games_a_shard": 120_000}
    RunJournal(tmp_path / JOURNAL, before).close()
    with pytest.raises(JournalError, match="is of an older version: learn from its games"):
        SelfPlayRun(tmp_path, rules(), 10)


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("change", ["nodes", "seed"])
def test_a_run_does_not_go_on_with_other_settings(tmp_path: Path, change: str) -> None:
    changed: dict[str, Any] = {change: 3}
    play_all(tmp_path, 2)
    with pytest.raises(JournalError, match=rf"{change} was \d+ and is 3"):
        play_all(tmp_path, 2, which=replace(rules(), **changed))


def run_command(*words: str) -> Result:
    return CliRunner().invoke(selfplay, ["--nodes", "20", "--concurrency", "1", *words])


def test_the_command(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    out = str(tmp_path / "new" / "folder")
    result = run_command("--out", out, "--games", "3", "--eval", "material", "--every", "1")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines] == ["3/3", "3"]
    assert "3 games, " in lines[-1]
    assert sorted(numbers(Path(out))) == [0, 1, 2]
    other = run_command("--out", out, "--games", "3", "--eval", "material", "--seed", "2")
    assert other.exit_code == 2
    assert "seed was 1 and is 2" in other.output


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--games", "1", "--book-share", "0.9", "--chess960-share", "0.2"), "more than 1 together"),
        ((), "--positions"),
    ],
)
def test_what_cannot_be_asked_for(tmp_path: Path, words: tuple[str, ...], reason: str) -> None:
    result = run_command("--out", str(tmp_path / "new"), *words)
    assert result.exit_code == 2
    assert reason in result.output.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "how",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGKILL, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_was_ended_leaves_no_process_and_only_readable_games(
    tmp_path: Path, how: signal.Signals, is_pure: bool
) -> None:
    if is_pure:
        pytest.skip("the same in both modes")
    words = [
        "--games",
        "100000",
        "--eval",
        "material",
        "--every",
        "1",
        "--nodes",
        "500",
        "--concurrency",
        "2",
        "--out",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", SMALL_FILES.format("selfplay"), *words, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    end(process, how)
    assert len(numbers(tmp_path)) >= 4


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_hundred_kills_lose_no_file_that_was_written(tmp_path: Path, is_pure: bool) -> None:
    """Each game that was reported is there afterwards, and none twice."""
    if is_pure:
        pytest.skip("the same in both modes")
    folder, games = tmp_path / "killed", 6000
    words = [sys.executable, "-u", "-c", SMALL_FILES.format("selfplay"), "--games", str(games)]
    words += ["--eval", "material", "--nodes", "100", "--every", "1", "--concurrency", "2", "--out"]
    rng = random.Random(1)
    reported = 0
    for _ in range(100):
        with subprocess.Popen([*words, str(folder)], cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(rng.randint(1, 12)):
                reported = int(process.stdout.readline().split(b"/")[0])
            process.kill()
        found = [game.number for path in folder.glob("*.games") for game in games_of(path)]
        assert len(found) == len(set(found)) >= reported
    assert reported < games
    for each in (folder, tmp_path / "whole"):
        subprocess.run([*words, str(each)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    assert contents(folder) == contents(tmp_path / "whole")


# Sampled positions

QUIET_ENDGAMES = OpeningSuite(ENDGAMES.entries[1:], is_pgn=False, chess960=False)
WANTED = 5_000


def sampling(teacher_nodes: int = 5, seed: int = 1) -> Rules:
    return Rules((OpeningSource(QUIET_ENDGAMES, 0, 2),), MATERIAL, 30, seed, 50, teacher_nodes)


@pytest.fixture
def two_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "GAMES_A_SAMPLED_FILE", 2)


def records_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.records"))}


def test_a_file_depends_on_its_games_alone() -> None:
    worker = SamplingWorker(sampling())
    ahead, after = range(2), range(2, 4)
    first, second, again = worker.work(ahead), worker.work(after), worker.work(ahead)
    assert first == again
    assert first[2] != second[2]
    assert first[2]
    assert len(first[2]) == 32 * first[1]["positions"]
    assert SamplingWorker(sampling()).work(after) == second


@pytest.mark.usefixtures("two_games")
def test_sampling_resumes(tmp_path: Path, is_pure: bool) -> None:
    """Each file is the same again; one that is gone is made once more."""
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    whole = SelfPlayRun(tmp_path / "whole", sampling(), WANTED)
    assert len(list(whole.play(JobRunner(1)))) == len(whole.files)
    assert sum(map(len, records_in(tmp_path / "whole").values())) == 32 * whole.done >= 32 * WANTED
    whole.close()
    folder = tmp_path / "parts"
    broken = SelfPlayRun(folder, sampling(), WANTED)
    for _ in islice(broken.play(JobRunner(2)), 2):
        pass
    broken.close()
    (folder / "positions-00000.records").unlink(missing_ok=True)
    (folder / "positions-00007.records.new").write_bytes(b"half")
    again = SelfPlayRun(folder, sampling(), WANTED)
    assert again.done < WANTED
    for _ in again.play(JobRunner(1)):
        pass
    again.close()
    assert again.done >= WANTED
    made, known = records_in(folder), records_in(tmp_path / "whole")
    assert "positions-00000.records" in made.keys() & known.keys()
    assert all(made[name] == known[name] for name in made.keys() & known.keys())
    assert not list(SelfPlayRun(folder, sampling(), WANTED).play(JobRunner(1)))


@pytest.mark.usefixtures("two_games")
def test_another_sampling_is_refused(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    run = SelfPlayRun(tmp_path, sampling(), 1)
    assert list(run.play(JobRunner(1)))
    run.close()
    for other in (sampling(seed=2), sampling(teacher_nodes=6)):
        with pytest.raises(JournalError, match="another run"):
            SelfPlayRun(tmp_path, other, 1)


# The harvest


def begin(folder: Path, *words: str, prelude: str = LIKE_OTHERS) -> subprocess.Popen[bytes]:
    quick = ["--nodes", "20", "--concurrency", "1", "--minutes", "0.0001", "--out", str(folder)]
    return subprocess.Popen(
        [sys.executable, "-u", "-c", prelude + SMALL_FILES.format("harvest"), *quick, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )


def line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130


@pytest.fixture
def compiled_only(is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")


@pytest.mark.usefixtures("compiled_only")
def test_a_harvest_goes_on_where_it_was(tmp_path: Path) -> None:
    for begun in range(2):
        with begin(tmp_path, "--eval", "material") as process:
            assert "positions to learn from so far" in line(process)
            assert "of them in" in [line(process) for _ in range(4)][-1]
            stop(process)
        (generation,) = (path for path in tmp_path.iterdir() if path.is_dir())
        found = numbers(generation)
        assert len(found) == len(set(found)) >= 16 * (begun + 1)
    assert generation.name == "001-material"


@pytest.mark.usefixtures("compiled_only")
def test_a_newer_network_begins_a_generation(tmp_path: Path) -> None:
    network = tmp_path / "net.lolli"
    save_network(network, replace(random_network(1), scale=10))
    with begin(tmp_path / "games", "--weights", str(network), "--concurrency", "2") as process:
        line(process)
        said = [line(process)]
        save_network(network, replace(random_network(2), scale=10))
        said.append(line(process))
        while "001-" in said[-1]:
            said.append(line(process))
        assert "002-" in said[-1]
        line(process)
        stop(process)
    first, second = sorted((tmp_path / "games").iterdir())
    assert (first.name[:4], second.name[:4]) == ("001-", "002-")
    found = numbers(first)
    assert f" in {len(found)} games" in said[-2]  # the files that were finished
    assert len(found) == len(set(found))
    assert numbers(second)


@pytest.mark.alone
@pytest.mark.usefixtures("compiled_only")
@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="Linux's way to stand behind all others")
def test_a_harvest_stands_behind_other_work_and_can_be_stopped_for_a_while(tmp_path: Path) -> None:
    with begin(tmp_path, "--eval", "material", prelude="") as process:
        line(process)
        line(process)
        harvester = psutil.Process(process.pid)
        (worker,) = (each for each in harvester.children() if "spawn_main" in " ".join(each.cmdline()))
        assert (os.sched_getscheduler(worker.pid), worker.nice()) == (os.SCHED_IDLE, 19)
        assert os.getsid(worker.pid) == worker.pid
        if Path("/proc/self/autogroup").exists():
            assert Path(f"/proc/{worker.pid}/autogroup").read_text().endswith("nice 19\n")
        everyone = [harvester, worker]
        for how in (signal.SIGSTOP, signal.SIGCONT):
            for each in everyone:
                each.send_signal(how)
            time.sleep(0.2)
        line(process)
        line(process)
        stop(process)
    (generation,) = tmp_path.iterdir()
    found = numbers(generation)
    assert len(found) == len(set(found)) >= 2
