"""`lolli ablate`: the command, and the real process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lolli.cli.ablate import command as ablate
from tests.lolli.cli.running import objects, run_command
from tests.protocol.uci.dialogue import PATIENCE

run = partial(run_command, "ablate")

HANGING = "4k3/8/8/3q4/8/8/8/3RK3 w - -"  # the queen
MATE = "6k1/5ppp/8/8/8/8/8/4R1K1 w - -"
FIRST = "alpha_beta,ordering,table"
QUICK = ("--techniques", FIRST, "--ladder-depth", "2", "--depth", "2", "--hash", "1")


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "suite.epd"
    path.write_text(f'{HANGING} bm Rxd5; id "take";\n{MATE} 0 1 am Re8#; id "leave";\n')
    return str(path)


def searches(*words: str) -> list[dict[str, Any]]:
    """What the command tells of its searches."""
    result = CliRunner().invoke(ablate, [*words, "--json"])
    assert result.exit_code == 0, result.output
    return [each for each in objects(result.stdout) if each["type"] == "search"]


def test_two_tables(lolli_command: list[str], suite: str) -> None:
    done = run(lolli_command, suite, *QUICK)
    assert done.stderr == ""
    rows = [line.split() for line in done.stdout.splitlines()]
    heads = [row for row in rows if row[:1] == ["Search"]]
    assert [row[1:4] for row in heads] == [["Depth", "Nodes", "Theory"], ["Depth", "Nodes", "Ratio"]]
    names = re.findall(r"^ ([+a-z][a-z_ ]*[a-z]) +2 .* [012]/2 *$", done.stdout, re.MULTILINE)
    assert names == [
        *("minimax", "+ alpha_beta", "+ ordering", "+ table"),
        *("whole search", "without alpha_beta", "without ordering", "without table"),
    ]
    assert re.search(r"with b = 13\.8 legal moves and m = 2 plies", done.stdout)
    assert re.search(
        r"b\^m +192\n.*b\^\(3m/4\) +52\n.*b\^\(m/2\) +14, exactly 27: 13\.8 becomes 3\.7\n", done.stdout
    )
    assert done.stdout.splitlines()[-1].startswith("2 positions in ")


def test_json(suite: str) -> None:
    minimax, alpha_beta, *_ = searches(suite, *QUICK, "--only", "ladder")
    assert (minimax["part"], minimax["search"], minimax["on"]) == ("ladder", "minimax", [])
    assert (alpha_beta["search"], alpha_beta["on"]) == ("+ alpha_beta", ["alpha_beta"])
    for told in (minimax, alpha_beta):
        assert (told["depth"], told["wanted_depth"], told["asked"]) == (2, 2, 2)
        take, leave = told["positions"]
        assert (take["id"], leave["id"]) == ("take", "leave")
        assert told["nodes"] == pytest.approx((take["nodes"][1] * leave["nodes"][1]) ** 0.5, abs=0.1)
        assert (take["moves"][1], leave["moves"][1], told["found"]) == ("d1d5", "e1e8", 1)
    assert alpha_beta["nodes"] < minimax["nodes"]
    assert minimax["theory"] > alpha_beta["theory"]


def test_what_is_cut_short_says_how_far_it_came(lolli_command: list[str], suite: str) -> None:
    words = (suite, *QUICK, "--ladder-depth", "3", "--only", "ladder", "--nodes", "200")
    minimax, *_ = searches(*words)
    assert 0 < minimax["depth"] < minimax["wanted_depth"] == 3
    assert all(position["nodes"][minimax["depth"] - 1] <= 200 for position in minimax["positions"])
    assert "the limit on nodes or time ended the search" in run(lolli_command, *words).stdout
    nothing, *_ = searches(suite, *QUICK, "--only", "ladder", "--nodes", "1")
    assert (nothing["depth"], nothing["nodes"], nothing["branching"], nothing["found"]) == (0, None, None, 0)
    run(lolli_command, suite, *QUICK, "--nodes", "1")
    endless, *_ = searches(suite, *QUICK, "--only", "ladder", "--nodes", str(1 << 70))
    assert endless["depth"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--techniques", "magic"), "unknown technique 'magic'"),
        (("--techniques", ""), "unknown technique ''"),
        (("--depth", "0"), "--depth"),
        (("--nodes", "0"), "--nodes"),
        (("--time", "0"), "above 0"),
        (("--only", "both"), "--only"),
        (("--weights", "/no/such.json"), "/no/such.json"),
        (("/no/such.epd",), "/no/such.epd"),
        (("/dev/null",), "/dev/null: a device, not a regular file"),
        (("-",), "no position can be searched"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(ablate, list(words))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert said in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_is_interrupted_is_summed_up(
    lolli_command: list[str], number: signal.Signals, status: int
) -> None:
    words = ["--ladder-depth", "60", "--time", "0.5", "--nodes", "1000000000", "--json"]
    process = subprocess.Popen(
        [*lolli_command, "ablate", "-", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{MATE}\n")
    process.stdin.close()
    assert json.loads(process.stdout.readline())["search"] == "minimax"
    process.send_signal(number)
    *_, summary = objects(process.stdout.read())
    assert process.wait(PATIENCE) == status
    process.stdout.close()
    assert summary["interrupted"]
