"""`lolli ablate`: the searches, what theory expects, what is measured, and the table."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Sequence
from functools import cache, partial
from io import StringIO
from math import inf
from pathlib import Path
from typing import Any

import chess
import pytest
from click.testing import CliRunner
from rich.console import Console

from engine.board.fen import START_FEN
from engine.search.limits import Limits
from engine.search.parameters import TECHNIQUES, Parameters
from engine.search.report import Score
from eval.material import Material
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings
from lolli.cli.ablate import (
    FinishedDepth,
    Laboratory,
    Part,
    Variant,
    VariantResult,
    ablation,
    branching,
    expected_leaves,
    ladder,
    part_table,
    usual_techniques,
)
from lolli.cli.ablate import command as ablate
from lolli.cli.suite import parse_position
from tests.engine.search.searching import EXACT
from tests.lolli.cli.running import objects, run_command
from tests.patience import PATIENCE

run = partial(run_command, "ablate")

HANGING = "4k3/8/8/3q4/8/8/8/3RK3 w - -"  # the queen
MATING = "6k1/5ppp/8/8/8/8/8/4R1K1 w - -"
FIRST = "alpha_beta,ordering,table"
QUICK = ("--techniques", FIRST, "--ladder-depth", "2", "--depth", "2", "--hash", "1")


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "suite.epd"
    path.write_text(f'{HANGING} bm Rxd5; id "take";\n{MATING} 0 1 am Re8#; id "leave";\n')
    return str(path)


def searches(*words: str) -> list[dict[str, Any]]:
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--techniques", "magic"), "unknown technique 'magic'"),
        (("--depth", "0"), "--depth"),
        (("--time", "0"), "above 0"),
        (("--only", "both"), "--only"),
        (("--weights", "/no/such.json"), "/no/such.json"),
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
    process.stdin.write(f"{MATING}\n")
    process.stdin.close()
    assert json.loads(process.stdout.readline())["search"] == "minimax"
    process.send_signal(number)
    *_, summary = objects(process.stdout.read())
    assert process.wait(PATIENCE) == status
    process.stdout.close()
    assert summary["interrupted"]


KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MINIMAX = Variant("minimax", frozenset())
WHOLE = Variant("whole search", frozenset(usual_techniques(exact=False)))
ROOKS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9"
POSITIONS = [(START_FEN, 3), (KIWIPETE, 2), (ROOKS, 3), (MIDDLE_GAME, 2)]


def measure(
    fen: str,
    variant: Variant,
    depth: int,
    laboratory: Laboratory | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> list[FinishedDepth]:
    laboratory = laboratory or Laboratory(Material(), 1)
    return laboratory.measure(fen, variant, Part(False, [], depth, nodes, seconds))


@cache
def lines(board: str, depth: int) -> int:
    return _lines(chess.Board(board), depth)


def _lines(board: chess.Board, depth: int) -> int:
    if depth == 0:
        return 1
    count = 0
    for move in list(board.legal_moves):
        board.push(move)
        count += _lines(board, depth - 1)
        board.pop()
    return count


def counts(finished: Sequence[FinishedDepth]) -> list[int]:
    return [each.nodes for each in finished]


@pytest.mark.parametrize(("fen", "depth"), POSITIONS)
def test_minimax_visits_every_line(fen: str, depth: int) -> None:
    """Each depth has as many nodes as lines of up to as many plies; earlier depths count, too."""
    expected, sum_ = [], 0
    for reached in range(1, depth + 1):
        sum_ += sum(lines(fen, plies) for plies in range(1, reached + 1))
        expected.append(sum_)
    assert counts(measure(fen, MINIMAX, depth)) == expected


@pytest.mark.parametrize(("fen", "depth"), POSITIONS)
def test_what_is_exact_finds_the_same_value_in_fewer_nodes(fen: str, depth: int) -> None:
    minimax, *others = [measure(fen, variant, depth) for variant in ladder(EXACT)]
    for finished in others:
        assert [each.score for each in finished] == [each.score for each in minimax]
        assert counts(finished)[-1] < counts(minimax)[-1] / 3
    alpha_beta, *_ = others
    assert all(few <= all_ for few, all_ in zip(counts(alpha_beta), counts(minimax), strict=True))


@pytest.mark.parametrize(("fen", "_depth"), POSITIONS)
def test_the_whole_search_is_the_one_that_plays(fen: str, _depth: int) -> None:
    with Analyst(AnalystSettings(evaluator="material", megabytes=1)) as analyst:
        told = {each.depth: each.nodes for each in analyst.search(chess.Board(fen), Limits(depth=5))}
    assert counts(measure(fen, WHOLE, 5)) == list(told.values())


def test_nothing_is_left_from_the_search_before() -> None:
    laboratory = Laboratory(Material(), 1)
    alone = [counts(measure(fen, WHOLE, 5)) for fen, _ in POSITIONS]
    together = [counts(measure(fen, WHOLE, 5, laboratory)) for fen, _ in POSITIONS * 2]
    assert together == alone * 2


def test_the_limit_on_nodes_leaves_what_was_finished() -> None:
    whole = counts(measure(START_FEN, WHOLE, 6))
    assert counts(measure(START_FEN, WHOLE, 6, nodes=whole[3] + 1)) == whole[:4]
    assert measure(START_FEN, WHOLE, 6, nodes=1) == []


def test_each_depth_is_heard_of_and_takes_longer() -> None:
    heard: list[int] = []
    finished = Laboratory(Material(), 1).measure(START_FEN, WHOLE, Part(False, [], 4), heard.append)
    assert heard == [1, 2, 3, 4]
    times = [each.nanoseconds for each in finished]
    assert 0 < times[0] < times[3]
    assert times == sorted(times)


def test_a_stop_ends_the_search_and_all_that_follow() -> None:
    laboratory = Laboratory(Material(), 1)

    def stop_at(depth: int) -> None:
        if depth == 2:
            laboratory.stop()

    assert not laboratory.stopped
    assert len(laboratory.measure(START_FEN, MINIMAX, Part(False, [], 60), stop_at)) == 2
    assert laboratory.stopped
    assert measure(START_FEN, MINIMAX, 1, laboratory) == []


def depths(nodes: Sequence[int], move: str, score: int = 0) -> list[FinishedDepth]:
    """Depths with these nodes, each node a microsecond, and the same answer everywhere."""
    return [FinishedDepth(each, 1000 * each, move, Score(score)) for each in nodes]


def cell(
    texts: Sequence[str], measured: Sequence[Sequence[FinishedDepth]], name: str = "some"
) -> VariantResult:
    positions = [parse_position(text, "file", 1, must_ask=False) for text in texts]
    return VariantResult(Variant(name, frozenset({"table"})), positions, measured)


def test_the_depth_is_the_deepest_that_all_positions_have() -> None:
    two = cell([HANGING, MATING], [depths([10, 100, 900], "d1d5"), depths([40, 400], "e1e8")])
    assert two.depth == 2
    assert two.nodes(1) == pytest.approx(20)
    assert two.nodes(2) == pytest.approx(200)
    assert two.seconds(2) == pytest.approx(200e-6)
    assert two.branching == pytest.approx(10)


@pytest.mark.parametrize("exact", [False, True])
def test_the_ladder_leads_from_nothing_to_the_whole_search(exact: bool) -> None:
    names = usual_techniques(exact)
    rungs = list(ladder(names))
    assert rungs[0].on == frozenset()
    for before, rung, name in zip(rungs, rungs[1:], names, strict=False):
        assert rung.on == before.on | {name}
    assert rungs[-1].on == next(iter(ablation(names, exact))).on
    assert [rung.name for rung in rungs[:4]] == ["minimax", "+ alpha_beta", "+ ordering", "+ table"]


def test_the_whole_search_is_the_usual_one() -> None:
    whole, *others = ablation(usual_techniques(exact=False), exact=False)
    usual, ours = Parameters(), Parameters()
    ours.reset(whole.changed)
    for name, technique in TECHNIQUES.items():
        assert getattr(ours, name) == getattr(usual, name) == technique.default
    assert {next(iter(whole.on - each.on)) for each in others} == whole.on
    assert all(len(each.on) == len(whole.on) - 1 for each in others)
    assert {each.name for each in others} == {f"without {name}" for name in whole.on}


def test_what_guesses_is_no_part_of_an_exact_search_unless_it_is_named() -> None:
    assert not any(TECHNIQUES[name].guess for name in usual_techniques(exact=True))
    whole, with_, without = ablation(("null_move", "table"), exact=True)
    assert (with_.name, with_.on) == ("with null_move", whole.on | {"null_move"})
    assert (without.name, without.on) == ("without table", whole.on - {"table"})


def leaves_of_alpha_beta(width: int, depth: int, alpha: float = -inf, beta: float = inf) -> tuple[int, int]:
    """Value and leaves visited of a tree where all leaves are worth 0, so that every first move is best."""
    if depth == 0:
        return 0, 1
    leaves = 0
    for _ in range(width):
        value, visited = leaves_of_alpha_beta(width, depth - 1, -beta, -alpha)
        leaves += visited
        alpha = max(alpha, -value)
        if alpha >= beta:
            break
    return int(alpha), leaves


@pytest.mark.parametrize(("width", "depth"), [(2, 1), (2, 5), (3, 4), (5, 3), (6, 2), (1, 3)])
def test_theory(width: int, depth: int) -> None:
    """The best case is what alpha-beta visits there."""
    names = ("alpha_beta", "ordering", "table")
    all_leaves, unordered, best, unknown = (
        expected_leaves(frozenset(names[:count]), width, depth) for count in range(4)
    )
    assert best == leaves_of_alpha_beta(width, depth)[1]
    assert all_leaves == width**depth
    assert unordered == pytest.approx(width ** (0.75 * depth))
    assert unknown is None


def test_branching_is_that_of_a_tree_that_grows_evenly() -> None:
    assert branching([]) is branching([7]) is None
    for depth in range(2, 9):
        assert branching([5 * 3.0**each for each in range(depth)]) == pytest.approx(3)
    alternating = [1.0, 8, 16, 128, 256, 2048, 4096]  # by 8 and by 2
    assert branching(alternating) == branching(alternating[:-1]) == pytest.approx(4)
    assert branching([1, 1, 1, 1, 16, 16, 16, 16, 16]) == pytest.approx(1)  # over the last four


def timed(name: str, nodes: int, milliseconds: int) -> VariantResult:
    return cell(
        [f"{HANGING} bm Rxd5;"], [[FinishedDepth(nodes, milliseconds * 1_000_000, "d1d5", Score(0))]], name
    )


def test_rows_are_compared_with_the_one_before_or_with_the_first() -> None:
    results = timed("one", 1000, 40), timed("two", 500, 10), timed("three", 100, 80)
    tables = []
    for is_ladder in (True, False):
        console = Console(width=200, file=StringIO())
        console.print(part_table(console, results, 30, ladder=is_ladder, last=3))
        assert isinstance(console.file, StringIO)
        lines = console.file.getvalue().splitlines()
        tables.append([" ".join(line.split()) for line in lines if line.strip(" ─")])
    assert tables[0][1:] == [
        "one 1 1.00k 40.0 ms 1/1",
        "two 1 500 0.500 10.0 ms 0.250 1/1",
        "three 1 100 0.200 80.0 ms 8.00 1/1",
    ]
    assert tables[1][0] == "Search Depth Nodes Ratio Time Ratio Branching Found"
    assert tables[1][3] == "three 1 100 0.100 80.0 ms 2.00 1/1"
