"""`lolli puzzles` as people use it."""

import errno
import io
import signal
import subprocess
from pathlib import Path

import chess
import chess.pgn
import pytest

from lolli.cli.runs import part_path
from tests.lolli.cli.annotation.annotating import records
from tests.lolli.cli.reports.commands import inside, outside, refused
from tests.lolli.cli.tactics.tactical_games import FEW_NODES, LEGAL, QUIET, SCHOLAR
from tests.patience import PATIENCE, wait_until

ONE_JOB = ("--jobs", "1")


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(LEGAL + QUIET + SCHOLAR)
    return path


@pytest.fixture(scope="module")
def puzzle_file(lolli_command: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("puzzles") / "games.pgn"
    path.write_text(LEGAL + QUIET + SCHOLAR)
    done = outside(lolli_command, "puzzles", path, *FEW_NODES)
    assert done.exit_code == 0, done.stderr
    assert sorted(each.name for each in path.parent.iterdir()) == ["games-puzzles.pgn", "games.pgn"]
    assert done.stderr.splitlines()[0].startswith("3 games, ")
    return path.with_name("games-puzzles.pgn")


def games(text: str) -> list[chess.pgn.Game]:
    file = io.StringIO(text)
    found = []
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors
        found.append(game)
    return found


def test_the_file_of_puzzles(puzzle_file: Path) -> None:
    found = games(puzzle_file.read_text())
    sources = [game.headers["PuzzleSource"] for game in found]
    assert sources == sorted(sources)
    assert "game 1, move 6" in sources
    assert "game 3, move 4" in sources
    assert not any(source.startswith("game 2") for source in sources)


def test_epd_and_stdout(lolli_command: list[str], pgn: Path, puzzle_file: Path, tmp_path: Path) -> None:
    """Without a journal: the same puzzles, and beside them a test suite that lolli suite solves."""
    done = outside(
        lolli_command, "puzzles", pgn, "-o", "-", "--epd", tmp_path / "p.epd", *FEW_NODES, *ONE_JOB
    )
    assert done.exit_code == 0
    assert done.stdout == puzzle_file.read_text()
    assert not (tmp_path / "games-puzzles.pgn").exists()
    lines = (tmp_path / "p.epd").read_text().splitlines()
    assert len(lines) == len(games(done.stdout))
    solved = inside("suite", tmp_path / "p.epd", "--nodes", "4000")
    assert solved.exit_code == 0
    assert f"{len(lines)} of {len(lines)}" in solved.stdout


def test_a_position_is_one_puzzle(
    lolli_command: list[str], pgn: Path, puzzle_file: Path, tmp_path: Path
) -> None:
    """In several games, and in a file of puzzles."""
    pgn.write_text(LEGAL + QUIET + SCHOLAR + LEGAL + LEGAL)
    done = outside(lolli_command, "puzzles", pgn, "-o", "-", *FEW_NODES, *ONE_JOB)
    assert done.stdout == puzzle_file.read_text()
    number = len(games(done.stdout))
    assert f"{number} puzzle{'s' * (number > 1)}, " in done.stderr
    twice = tmp_path / "twice.pgn"
    twice.write_text(done.stdout * 2)
    inside("puzzles", twice, "--epd", tmp_path / "p.epd")
    assert len((tmp_path / "p.epd").read_text().splitlines()) == number


def test_quotes_in_names(pgn: Path, tmp_path: Path) -> None:
    """Escaped in PGN, and there alone."""
    pgn.write_text(LEGAL.replace('"Legal"', r'"M. \"Sire\" de \\ Légal"'))
    words = ("--epd", tmp_path / "p.epd", "--page", tmp_path / "p.html", *FEW_NODES, *ONE_JOB)
    done = inside("puzzles", pgn, "--player", r'M. "Sire" de \ Légal', *words)
    assert done.exit_code == 0, done.stderr
    found = games(pgn.with_name("games-puzzles.pgn").read_text())
    assert found
    assert {game.headers["White"] for game in found} == {r"M. \"Sire\" de \\ Légal"}
    _, operations = chess.Board.from_epd((tmp_path / "p.epd").read_text().splitlines()[0])
    assert operations["c0"] == r"White to move and win. M. 'Sire' de \ Légal found 6. Bxf7+."
    page = (tmp_path / "p.html").read_text()
    assert r'"M. \"Sire\" de \\ Légal found 6. Bxf7+."' in page
    assert r'"M. \"Sire\" de \\ Légal ' in page


def test_what_is_there_is_kept(lolli_command: list[str], pgn: Path, puzzle_file: Path) -> None:
    assert "already exists" in refused(inside("puzzles", pgn, "-o", puzzle_file, *FEW_NODES))
    assert "would be overwritten" in refused(inside("puzzles", pgn, "-o", pgn))
    assert "use --page, --epd or --solve" in refused(inside("puzzles", puzzle_file))
    assert "No such file" in refused(inside("puzzles", pgn.with_name("none.pgn")))
    assert "name the output with -o" in refused(outside(lolli_command, "puzzles", "-"))
    assert "reads moves from stdin" in refused(inside("puzzles", "-", "--solve", "-o", "x.pgn"))
    assert "different files" in refused(inside("puzzles", pgn, "-o", "-", "--epd", "-"))


def test_a_device_is_written_to_and_not_replaced(lolli_command: list[str], pgn: Path) -> None:
    done = outside(lolli_command, "puzzles", pgn, "-o", "/dev/stdout", "--force", *FEW_NODES, *ONE_JOB)
    assert done.exit_code == 0, done.stderr
    assert games(done.stdout)
    assert not Path("/dev/stdout.part").exists()


def test_no_puzzles_no_page(pgn: Path, tmp_path: Path) -> None:
    """With so few nodes that a search ends before its first move, too."""
    page = tmp_path / "p.html"
    few = ("--nodes", "1", "--scan-nodes", "1", "--skip", "0", "--hash", "1", *ONE_JOB)
    done = inside("puzzles", pgn, "--page", page, *few)
    assert done.exit_code == 0, done.stderr
    assert f"nothing found: {page} was not written" in done.stderr.replace("\n", "")
    assert not page.exists()


def test_a_game_that_cannot_be_read_is_left_out(lolli_command: list[str], pgn: Path) -> None:
    pgn.write_text(SCHOLAR.replace("4. Nf3", "4. Nf9") + LEGAL)
    done = outside(lolli_command, "puzzles", pgn, *FEW_NODES, *ONE_JOB)
    assert done.exit_code == 1
    assert "Nf9" in done.stderr
    assert "; left out" in done.stderr
    assert games(pgn.with_name("games-puzzles.pgn").read_text())


def test_an_interrupted_run_goes_on(lolli_command: list[str], tmp_path: Path) -> None:
    """Killed after a game; what was found before is kept, and the end is the same."""
    pgn = tmp_path / "many.pgn"
    pgn.write_text((LEGAL + SCHOLAR) * 6)
    words = [*lolli_command, "puzzles", str(pgn), *FEW_NODES, *ONE_JOB]
    target = tmp_path / "many-puzzles.pgn"
    expected = outside(words, "-o", tmp_path / "whole.pgn")
    assert expected.exit_code == 0
    process = subprocess.Popen(words, stderr=subprocess.PIPE)
    wait_until(lambda: records(target) > 2 or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=PATIENCE)
    if process.returncode:  # else it was quicker
        assert process.returncode == 143
        assert b"repeat the command to continue" in said
        assert not target.exists()
        assert "belongs to another run" in refused(outside([*words, "--skip", "1"]))
        assert outside(words).exit_code == 0
    assert target.read_bytes() == (tmp_path / "whole.pgn").read_bytes()
    assert not part_path(target).exists()


def test_a_run_goes_on_between_its_files(pgn: Path, puzzle_file: Path, tmp_path: Path) -> None:
    """The search is not repeated where only the last files are missing, nor refused where all are there."""
    words = ("puzzles", pgn, *FEW_NODES, *ONE_JOB, "--epd", tmp_path / "p.epd")
    target = pgn.with_name("games-puzzles.pgn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.system.files.write_whole", fail)
        assert "disk is full" in refused(inside(*words))
    assert part_path(target).exists()
    assert not target.exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lolli.cli.runs.do_game", fail)  # nothing is searched again
        patch.setattr(Path, "unlink", fail)  # killed just before its end
        assert "disk is full" in refused(inside(*words))
        patch.undo()
        patch.setattr("lolli.cli.runs.do_game", fail)
        done = inside(*words)
    assert done.exit_code == 0, done.stderr
    assert target.read_text() == puzzle_file.read_text()
    assert len((tmp_path / "p.epd").read_text().splitlines()) == len(games(puzzle_file.read_text()))
    assert not part_path(target).exists()
    assert "already exists" in refused(inside(*words))


def fail(*_: object) -> None:
    raise OSError(errno.ENOSPC, "disk is full")


@pytest.mark.parametrize("name", ["Saint Brie", "legal"])
def test_whose_puzzles(lolli_command: list[str], pgn: Path, name: str) -> None:
    """A part of the name will do, in any case, also from a pipe."""
    words = ("-o", "-", "--player", name, *FEW_NODES, *ONE_JOB)
    done = outside(lolli_command, "puzzles", pgn, *words)
    assert done.exit_code == 0, done.stderr
    solvers = {game.headers["White" if game.turn() else "Black"].casefold() for game in games(done.stdout)}
    assert solvers <= {name.casefold()}
    assert (name == "legal") == bool(solvers)
    assert outside(lolli_command, "puzzles", "-", *words, said=pgn.read_bytes()).stdout == done.stdout


@pytest.mark.parametrize(
    ("name", "told"), [("Legall", "most like it: Legal (1)"), ("e", "is several players")]
)
def test_nobodys_puzzles(pgn: Path, name: str, told: str) -> None:
    said = refused(inside("puzzles", pgn, "--player", name, *FEW_NODES, *ONE_JOB))
    assert told in said
    assert [path.name for path in pgn.parent.iterdir()] == [pgn.name]


def test_any_mate_is_right(lolli_command: list[str], tmp_path: Path) -> None:
    """Of two mates the solution has one. From two games the position is one puzzle."""
    path = tmp_path / "p.pgn"
    path.write_text(
        "".join(
            f'[PuzzleSource "game {number}"]\n[FEN "6k1/5ppp/8/8/8/8/4QPPP/3R2K1 w - - 0 1"]\n'
            '[PuzzleGoal "win"]\n\n1. Rd8# *\n\n'
            for number in (1, 2)
        )
    )
    done = outside(lolli_command, "puzzles", path, "--solve", said=b"Qe8\nQe8\n")
    assert done.stdout.endswith("1 of 1 solved at the first attempt\n")


def test_solving_in_the_terminal(lolli_command: list[str], puzzle_file: Path) -> None:
    lines = [list(game.mainline_moves()) for game in games(puzzle_file.read_text())]
    said = "\n".join(move.uci() for line in lines for move in line[::2]) + "\n"
    done = outside(lolli_command, "puzzles", puzzle_file, "--solve", said=said.encode())
    assert done.exit_code == 0
    assert done.stdout.endswith(f"{len(lines)} of {len(lines)} solved at the first attempt\n")


def test_wrong_moves_hints_and_giving_up(lolli_command: list[str], puzzle_file: Path) -> None:
    said = "Ke9\na3\nhint\nskip\nquit\n"
    done = outside(lolli_command, "puzzles", puzzle_file, "--solve", said=said.encode())
    assert done.exit_code == 0
    assert "Your move: Ke9\nKe9 is not a move.\n" in done.stdout
    assert "It is a move of the piece on " in done.stdout
    assert done.stdout.endswith("0 of 1 solved at the first attempt\n")
