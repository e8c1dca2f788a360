"""`lolli solve`, and its tables under `lolli gtp`."""

import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.rules.game import OVER
from engine.games.rules.tictactoe import TicTacToe, TicTacToeGame
from engine.games.search.lookup import solve
from lolli.cli.group import group
from lolli.cli.solve import categories
from lolli.cli.trees import position_after
from tests.lolli.cli.running import objects, run_command
from tests.patience import PATIENCE
from tests.protocol.gtp.client import Controller


def test_tic_tac_toe(lolli_command: list[str]) -> None:
    lines = run_command("solve", lolli_command).stdout.splitlines()
    assert lines[5] == "X, to move, draws"
    assert len(lines[6].split()) == 9
    assert lines[7].startswith("table of all states that can follow: 5,478 positions, ")


@pytest.mark.parametrize(
    ("words", "verdict", "line"),
    [
        (("--moves", "B2 A2"), "X, to move, wins", 5),
        (("--game", "tree lecture"), "values MAX 3, MIN -3", 2),
        (("--game", "tree chance"), "values MAX 0.76, MIN -0.76", 1),
        (
            ("--game", "connectfour", "--set", "columns=4", "--set", "rows=4"),
            "X, to move, draws, score 0",
            16,
        ),
        (("--game", "othello", "--size", "4"), "Black, to move, loses, score -8", None),
        (("--game", "checkers", "--set", "fen=W:WK5:BK4"), "White, to move, wins in 11 plies", 11),
    ],
)
def test_games(
    lolli_command: list[str], words: tuple[str, ...], verdict: str | None, line: int | None
) -> None:
    *_, said, moves, _ = run_command("solve", lolli_command, *words).stdout.splitlines()
    assert verdict is None or said == verdict
    assert line is None or len(moves.split()) == line


def test_a_win_that_comes_too_late_is_a_draw(lolli_command: list[str]) -> None:
    words = ("--game", "chess 8/8/8/8/8/3k4/8/R3K3 w - - 90 80")
    *_, said, line, _ = run_command("solve", lolli_command, *words).stdout.splitlines()
    assert said == "White, to move, draws: the win in 21 plies comes too late for the fifty-move rule"
    assert len(line.split()) == 10


def test_json(lolli_command: list[str]) -> None:
    (told,) = objects(run_command("solve", lolli_command, "--moves", "B2 A2", "--json").stdout)
    seconds = told.pop("seconds")
    assert seconds >= 0
    assert told == {
        "game": "tictactoe",
        "to_move": "X",
        "values": [1, -1],
        "verdict": "wins",
        "plies": None,
        "score": None,
        "line": ["A1", "B1", "C1", "C2", "A3"],
        "whole": True,
        "method": "table of all states that can follow",
        "nodes": 627,
    }
    (told,) = objects(run_command("solve", lolli_command, "--game", "tree chance", "--json").stdout)
    assert (told["line"], told["whole"]) == (["0"], True)  # chance is next
    drawn = ("--game", "connectfour", "--set", "columns=4", "--set", "rows=4", "--json")
    assert '"values": [0.0, 0.0]' in run_command("solve", lolli_command, *drawn).stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--game", "othello"), "60 squares are empty; in reach: 26 or fewer"),
        (("--game", "chess"), "no endgame table has these men; in reach: KQK, KRK, KPK"),
        (("--men", "KRK"), "--men needs --make FILE"),
        (("--make", "x.table"), "Tic-tac-toe has no endgame tables"),
        (("--game", "chess", "--make", "x", "--men", "KBNK"), "choose from KQK, KRK, KPK"),
        (("--game", "checkers", "--make", "x", "--men", "4"), "tables have 2 to 3 men in all"),
        (("--game", "chess", "--table", "nowhere"), "--table: nowhere: No such file or directory"),
        (("--game", "chess", "--make", "", "--men", "KRK"), "the name of the file is empty"),
    ],
)
def test_one_line_says_why_not(lolli_command: list[str], words: tuple[str, ...], reason: str) -> None:
    done = run_command("solve", lolli_command, *words, status=2)
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    assert reason in line


def test_a_limit_leaves_what_was_proved(lolli_command: list[str]) -> None:
    done = run_command("solve", lolli_command, "--nodes", "100", status=1)
    assert "nothing is proved yet" in done.stdout
    four = ("--game", "connectfour", "--nodes", "2000")
    assert run_command("solve", lolli_command, *four, status=1).stderr == ""


def test_a_table_in_a_file(lolli_command: list[str], tmp_path: Path) -> None:
    file = str(tmp_path / "Two.table")
    make = ("--make", file, "--game", "checkers", "--men", "2")
    (told,) = objects(run_command("solve", lolli_command, *make, "--json").stdout)
    assert (told["game"], told["men"]) == ("checkers", "2")
    assert told["parts"] == [{"men": "2", "decided": 2_236, "longest_win": 13}]
    assert "already exists (use --force" in run_command("solve", lolli_command, *make, status=2).stderr
    assert (
        "2 men: 2,236 positions won or lost" in run_command("solve", lolli_command, *make, "--force").stdout
    )
    ending = ("--game", "checkers", "--set", "fen=W:WK5:BK4")
    made, looked_up = (
        objects(run_command("solve", lolli_command, *ending, *words, "--json").stdout)[0]
        for words in ((), ("--table", file))
    )
    assert looked_up.pop("nodes") == 0
    assert {name: made[name] for name in ("values", "line", "plies")} == {
        name: looked_up[name] for name in ("values", "line", "plies")
    }
    with Controller([*lolli_command, "gtp", "--game", "checkers", "--set", "fen=W:WK5:BK4"]) as controller:
        controller.get(f"search-algorithm alphabeta look_up={file} depth=1 cut_off=quiet extend=forced")
        playing = controller.get("search-algorithm").splitlines()[0]
        assert playing == f"alphabeta depth=1 look_up={file} cut_off=quiet extend=forced random_games=0"
        controller.get("genmove white")
        assert controller.get("search-value") == "1"
        assert "not an endgame table" in controller.fail(f"search-algorithm alphabeta look_up={__file__}")


def test_a_damaged_table(lolli_command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "two.table"
    make = ("--make", str(file), "--game", "checkers", "--men", "2")
    run_command("solve", lolli_command, *make)
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes(content)
    done = run_command("solve", lolli_command, "--game", "checkers", "--table", str(file), status=2)
    assert done.stderr == f"Error: --table: {file}: damaged: the checksum is wrong\n"


@pytest.mark.alone
def test_ctrl_c(lolli_command: list[str]) -> None:
    words = [*lolli_command, "solve", "--game", "connectfour", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(4)
        process.send_signal(signal.SIGINT)
        said, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert error == b""
    assert objects(said.decode())[0]["whole"] is False


def test_a_strategy_answers_every_reply(lolli_command: list[str]) -> None:
    told = run_command("solve", lolli_command, "--game", "nim 7", "--strategy", "2").stdout.splitlines()
    # 6-1, 5-2 and 4-3 are all the moves of the first player, who loses; after 4-3 and 5-2 the rest is forced.
    assert told[-4:] == ["after 6-1: 4-2", "after 5-2: 4-1", "after 4-3: 3-1", "after 6-1 4-2 3-1: 2-1"]
    (content,) = objects(
        run_command("solve", lolli_command, "--game", "nim 5", "--strategy", "1", "--json").stdout
    )
    assert content["strategy"] == [{"after": "", "move": "4-1"}, {"after": "4-1 3-1", "move": "2-1"}]


def test_categories_are_those_of_a_brute_force() -> None:
    game = TicTacToeGame()
    start = game.start()
    ends: dict[float, list[int]] = {}
    met = set()

    def result(state: TicTacToe) -> int:  # of the player to move
        if state.player == OVER:
            return -abs(int(state.payoff()[0]))
        found = max(-result(state.play(move)) for move in state.moves())
        if state not in met:
            met.add(state)
            ends.setdefault(round(game.estimate(state)[state.player], 4), []).append(found)
        return found

    board = start.play(start.moves()[0]).play(start.moves()[4])
    result(board)
    told = list(categories(game, board, solve(board)))
    assert [each["estimate"] for each in told] == sorted(ends, reverse=True)
    for each in told:
        results = ends[each["estimate"]]
        assert [each["won"], each["drawn"], each["lost"]] == [results.count(sign) for sign in (1, 0, -1)]
        assert each["positions"] == len(results)
        assert each["mean"] == pytest.approx(sum(results) / len(results), abs=1e-4)
        state = position_after(game, None, ["A1", "B2", *each["example"].split()])
        assert isinstance(state, TicTacToe)
        assert round(game.estimate(state)[state.player], 4) == each["estimate"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ("--game", "tree animals", "--categories"),
            "--categories needs two players whose payoffs add up to 0",
        ),
        (("--strategy", "3"), "--strategy: the game has 2 players, not 3"),
        (("--game", "tree animals", "--strategy", "4"), "--strategy: the game has 3 players, not 4"),
        (("--make", "new.table", "--strategy", "1"), "--strategy has no meaning with --make"),
    ],
)
def test_what_has_no_strategy_or_categories(
    lolli_command: list[str], words: tuple[str, ...], error: str
) -> None:
    assert error in run_command("solve", lolli_command, *words, status=2).stderr


@pytest.mark.parametrize("tree", ["(3,x)", "min(3,x)"])
def test_a_leaf_of_unknown_value_has_no_exact_value(tree: str) -> None:
    done = CliRunner().invoke(group, ["solve", "--game", f"tree {tree}"])
    assert (done.exit_code, done.stderr) == (2, "Error: the value of x is not known\n")
