"""`lolli suite`: what a line asks, how positions are searched, what is reported, and the real process."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import chess
import pytest
from chess.engine import Cp, Mate, PovScore
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.search.limits import Limits
from engine.search.report import Bound
from lolli._analyst import Analyst
from lolli._findings import Finding
from lolli.cli.suite import (
    EpdError,
    SuitePosition,
    SuiteResult,
    SuiteRunner,
    SuiteTable,
    content,
    examine,
    parse_position,
    suite_lines,
    suite_summary,
    summary_lines,
)
from tests.engine.board.games import boards, play
from tests.lolli.cli.running import objects, run_command
from tests.lolli.cli.terminal.screen import CTRL_C, Screen
from tests.patience import PATIENCE
from tests.pure import ROOT

MATE = "6k1/5ppp/8/8/8/8/8/4R1K1 w - -"
OPEN = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -"
STS = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - -"


def parsed(text: str) -> SuitePosition:
    return parse_position(text, "some.epd", 7)


def found(board: chess.Board, moves: str, score: Cp | Mate, depth: int = 9) -> Finding:
    """As if the engine had found a line, with a score of its own side."""
    pov, after = PovScore(score, board.turn), board.copy()
    line = tuple(after.push_san(word) for word in moves.split())
    return Finding(1, depth, depth, pov, None, Bound.EXACT, depth * 1000, depth * 10, 0, line)


@given(boards(), st.integers(0, 2**32), st.integers(0, 60))
def test_what_python_chess_writes_is_read(board: chess.Board, seed: int, plies: int) -> None:
    for _ in play(board, random.Random(seed), plies):
        pass
    moves = list(board.legal_moves)
    assume(moves)
    name = f'number \\{seed} of "A; B\\"'
    text = board.epd(bm=moves[:2], am=moves[-1:], id=name, dm=3, hmvc=4, fmvn=50)
    position = parsed(text)
    assert position.board.fen() == f"{board.epd()} 4 50"
    assert {position.board.san(move) for move in position.best} == {board.san(move) for move in moves[:2]}
    assert position.san(position.avoid) == board.san(moves[-1])
    assert (position.name, position.mate) == (name, 3)
    assert (position.file, position.line) == ("some.epd", 7)


@pytest.mark.parametrize(
    "operation",
    [
        "bm Qxf7#;",
        "bm Qxf7;",
        "bm Qf7",
        "bm Qh5xf7;",
        "bm h5f7;",
        "bm Qxf7!;",
        'bm "Qxf7";',
        "0 1 bm Qxf7;",
        "; bm Qxf7 ;",
        'id "a; b"; bm Qxf7; ce +M1;',
        "ce 100;bm Qxf7;;",
        "bm Qxf7; id not.quoted;",
        "acd 12 acs 3 7; bm Qxf7;",
    ],
)
def test_the_ways_to_write_it(operation: str) -> None:
    assert parsed(f"{OPEN} {operation}").best == (chess.Move.from_uci("h5f7"),)


def test_several_moves() -> None:
    position = parsed(f"{OPEN} bm Nf3, d3  Qd1; am Ke2 a2a3;")
    assert [move.uci() for move in position.best] == ["g1f3", "d2d3", "h5d1"]
    assert [move.uci() for move in position.avoid] == ["e1e2", "a2a3"]
    assert position.wanted == "Nf3 d3 Qd1, not Ke2 a3"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("rubbish", "expected four to six fields, found"),
        ("8/8/8/8/8/8/8/8 w - - bm e4;", "White has no king"),
        (f"{OPEN} bm Nf6;", "bm Nf6 is not a legal move"),
        (f"{OPEN} am 0000;", "am 0000 is not a legal move"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm;", "bm has no moves"),
        ("4k3/8/8/8/8/4N3/8/N3K1N1 w - - bm Nc2;", "bm Nc2 is ambiguous"),
        (f"{OPEN} dm 0;", "dm must be a number of moves, at least 1, not '0'"),
        (f'{OPEN} id "x"; ce 12;', "no task"),
        (OPEN, "no task"),
        (f"{OPEN} bm d3; ???", "not an EPD operation: '???'"),
        (f'{OPEN} bm d3; id "never closed', "not an EPD operation: 'id \"never closed'"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - bm Kg8;", "the game is over"),
        (f'{STS} c7 "f5 Bf2"; c8 "10 3 2";', "c7 has 2 moves, but c8 has points for 3"),
        (f'{STS} c0 "f5=10, Qh8=3";', "c0 Qh8 is not a legal move"),
    ],
)
def test_what_cannot_be_used_has_a_reason(text: str, reason: str) -> None:
    with pytest.raises(EpdError) as caught:
        parsed(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "points",
    [
        'c0 "f5=10, Be5+=2, Bf2=3, Bg4=2";',
        'c0 "f5 = 10,Be5=2,Bf2=3,Bg4=2";',
        'c7 "f5 Bf2 Be5+ Bg4"; c8 "10 3 2 2"; c9 "f4f5 d4f2 d4e5 f3g4";',
        'c8 "10 3 2 2"; c9 "f4f5 d4f2 d4e5 f3g4";',
        'c7 "f5 Bf2 Be5+ Bg4"; c8 "10 3 2 2";',
    ],
)
def test_points_as_the_strategic_test_suite_has_them(points: str) -> None:
    position = parsed(f"{STS} bm f5; {points}")
    assert {move.uci(): worth for move, worth in position.points.items()} == {
        "f4f5": 10,
        "d4f2": 3,
        "d4e5": 2,
        "f3g4": 2,
    }
    assert position.most_points == 10


@pytest.mark.parametrize("comment", ['c0 "a fine move";', 'c0 "depth=20";', "c8 12;", 'c7 "f5"; c8 "good";'])
def test_comments_are_no_points(comment: str) -> None:
    assert parsed(f"{STS} bm f5; {comment}").points == {}


@pytest.mark.parametrize(
    ("asked", "san", "score", "solved"),
    [
        ("bm Nf3 d3;", "Nf3", Cp(-50), True),
        ("bm Nf3 d3;", "Qxf7#", Mate(1), False),
        ("am d3;", "Nf3", Cp(0), True),
        ("am d3;", "d3", Cp(900), False),
        ("bm Nf3; am d3;", "a3", Cp(0), False),
        ("dm 2;", "Qxf7#", Mate(2), True),
        ("dm 2;", "Qxf7#", Mate(3), False),
        ("dm 2;", "Qxf7#", Mate(-1), False),
        ("dm 2;", "Qxf7#", Cp(2000), False),
        ("dm 1; bm Qxf7;", "Qxf7#", Mate(1), True),
        ("dm 1; bm Qxf7;", "d3", Mate(1), False),
        ("dm 1; bm Qxf7;", "Qxf7#", Cp(300), False),
        ('c0 "Nf3=10, d3=5, Qd1=10";', "Qd1", Cp(0), True),
        ('c0 "Nf3=10, d3=5, Qd1=10";', "d3", Cp(0), False),
        ('c0 "Nf3=10, d3=5, Qd1=10";', "a3", Cp(0), False),
        ('bm d3; c0 "Nf3=10, d3=5";', "d3", Cp(0), True),
    ],
)
def test_what_fits(asked: str, san: str, score: Cp | Mate, solved: bool) -> None:
    position = parsed(f"{OPEN} {asked}")
    assert position.is_solved_by(found(position.board, san, score)) is solved


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_lines_of_a_file(mark: bytes, end: bytes) -> None:
    data = mark + end.join([b"# by hand", b"", b"first ", b"   ", b"  # second", b"third"])
    assert list(suite_lines(data)) == [(3, "first"), (6, "third")]


MATE_IN_3 = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -"
HANGING = "4k3/8/8/3q4/8/8/8/3RK3 w - -"  # the queen
LINES = (
    f"{MATE_IN_3} bm Qd1+;",
    f"{MATE_IN_3} am Qd1+;",
    f"{HANGING} bm Rxd5;",
    f"{HANGING} am Rxd5;",
    f"{MATE_IN_3} dm 3;",
    f"{HANGING} dm 1;",
    f'{HANGING} c0 "Rxd5=10, Ke2=3";',
    f'{HANGING} bm Ke2; c0 "Rxd5=7, Ke2=10";',
)


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with Analyst() as analyst:
        yield analyst


@pytest.mark.parametrize(("number", "line"), [*enumerate(LINES)])
def test_the_solution_is_where_the_right_answer_came_to_stay(
    analyst: Analyst, number: int, line: str
) -> None:
    seen: list[Finding] = []
    result = examine(parsed(line), analyst, Limits(depth=10), on_finding=seen.append)
    fits = [result.position.is_solved_by(finding) for finding in seen]
    assert result.final is seen[-1]
    assert result.solved == fits[-1] == (number % 2 == 0)
    assert result.points == {6: 10, 7: 7}.get(number)
    if result.solution is not None:
        first = seen.index(result.solution)
        assert all(fits[first:])
        assert first == 0 or not fits[first - 1]


def test_a_mate_that_is_announced_ends_the_search(analyst: Analyst) -> None:
    """Where it is the whole task, at once, else when no shorter one is left; not where it is no answer."""
    mate, move, other = (
        examine(parsed(f"{MATE_IN_3} {op}"), analyst, Limits(depth=14))
        for op in ("dm 3;", "bm Qd1;", "am Qd1;")
    )
    assert mate.solution is not None
    assert mate.solution.depth == mate.final.depth  # on a slow machine a lower bound is told first
    assert mate.final.depth <= move.final.depth < other.final.depth == 14


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_stopping_early(analyst: Analyst, patience: int) -> None:
    whole = examine(parsed(f"{HANGING} bm Rxd5;"), analyst, Limits(depth=6))
    result = examine(parsed(f"{HANGING} bm Rxd5;"), analyst, Limits(depth=6), patience)
    assert result.solution is not None
    assert whole.solution is not None
    assert result.solution.depth == whole.solution.depth
    assert result.final.depth == result.solution.depth + patience - 1
    assert whole.final.depth == 6


def test_a_bound_is_no_reason_to_stop(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    task = parsed(f"{HANGING} bm Rxd5;")
    *_, last = analyst.search(task.board, Limits(depth=2))
    told = [replace(last, depth=1, bound=Bound.LOWER), replace(last, depth=1), last]
    monkeypatch.setattr(analyst, "search", lambda *_: iter(told))
    assert examine(task, analyst, Limits(), 1).final is told[1]


def counts(analysts: int, nodes: int) -> dict[int, tuple[int, bool]]:
    """What a pool finds of all positions: the nodes, and whether it is solved."""
    pool = SuiteRunner([Analyst() for _ in range(analysts)], Limits(nodes=nodes))
    events = pool.run([parsed(line) for line in LINES])
    results = {number: event for number, event in events if isinstance(event, SuiteResult)}
    return {number: (result.final.nodes, result.solved) for number, result in results.items()}


def test_some_at_a_time_find_what_one_after_the_other_finds() -> None:
    one = counts(1, 200)
    assert list(one) == list(range(len(LINES)))
    assert counts(3, 200) == one


def test_stopping_a_pool() -> None:
    positions = [parsed(f"{HANGING} am Rxd5;")] * 4
    pool = SuiteRunner([Analyst(), Analyst()], Limits(infinite=True))
    seen = set()
    for number, event in pool.run(positions):
        assert not isinstance(event, SuiteResult)
        seen.add(number)
        if len(seen) == 2:
            pool.stop()
    assert seen == {0, 1}


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
BLACK = "4r1k1/8/8/8/8/8/5PPP/6K1 b - -"


def result(text: str, moves: str, score: Cp | Mate, found_at: int | None = None) -> SuiteResult:
    """Searched to depth 9; solved at a depth, or not at all."""
    asked = parsed(text)
    solution = None if found_at is None else found(asked.board, moves, score, found_at)
    return SuiteResult(asked, found(asked.board, moves, score, 9), solution)


RESULTS = (
    result(f'{START} bm e4; id "one";', "e2e4 e7e5", Cp(31), 2),
    result(
        f'{START} am d4 e4; id "a name that is much too long for a column in a narrow terminal";',
        "d2d4",
        Cp(0),
    ),
    result(f'{BLACK} dm 1; id "three";', "Re1#", Mate(1), 4),
    result(f'{START} bm c4; c0 "c4=10, e4=6";', "e2e4", Cp(-5)),
)


@pytest.mark.parametrize("width", [30, 40, 50, 60, 70, 79])
def test_columns_give_way_on_a_narrow_terminal(width: int) -> None:
    rows = SuiteTable([each.position for each in RESULTS], width)
    head, *lines = [rows.head.plain, *(rows.row(each).plain for each in RESULTS)]
    assert all(len(line) <= width for line in (head, *lines))
    begin = head.index("Played")
    assert [line[begin:].split()[0] for line in lines] == ["e4", "d4", "Re1#", "e4"]
    assert ("Solved in" in head) == (width >= 50)


def test_the_sum() -> None:
    assert summary_lines(suite_summary(4, 1, RESULTS, 12.3, interrupted=False)) == [
        "2 of 4 solved (50.0%) in 12 s, 36.0k nodes",
        "mean time to solution 0.03 s",
        "6 of 10 points (60.0%)",
    ]
    assert summary_lines(suite_summary(9, 0, RESULTS[1:2], 0.5, interrupted=True)) == [
        "1 of 9 positions searched",
        "0 of 1 solved (0.0%) in 0.5 s, 9.00k nodes",
    ]
    assert summary_lines(suite_summary(9, 0, [], 0.1, interrupted=True)) == [
        "0 of 9 positions searched",
        "0 of 0 solved in 0.1 s, 0 nodes",
    ]


def test_a_position_for_machines() -> None:
    assert json.loads(json.dumps(content(RESULTS[2]))) == {
        "file": "some.epd",
        "line": 7,
        "id": "three",
        "fen": f"{BLACK} 0 1",
        "chess960": False,
        "bm": [],
        "am": [],
        "dm": 1,
        "solved": True,
        "solution": {"depth": 4, "nodes": 4000, "time": 0.04},
        "move": "e8e1",
        "score": {"mate": -1},
        "depth": 9,
        "nodes": 9000,
        "time": 0.09,
        "points": None,
        "most_points": None,
        "pv": ["e8e1"],
        "san": ["Re1#"],
    }
    other = content(RESULTS[3])
    assert (other["bm"], other["solution"], other["points"], other["most_points"]) == (["c4"], None, 6, 10)
    assert content(RESULTS[0])["san"] == ["e4", "e5"]
    assert content(RESULTS[1])["am"] == ["d4", "e4"]


def read(name: str) -> list[SuitePosition]:
    data = (ROOT / "scripts" / "laboratory" / "data" / name).read_bytes()
    return [parse_position(text, name, line) for line, text in suite_lines(data)]


MATES = read("mates.epd")
BRATKO_KOPEC = read("bratko-kopec.epd")


@pytest.mark.parametrize("suite", [MATES, BRATKO_KOPEC])
def test_positions_are_legal_and_distinct(suite: list[SuitePosition]) -> None:
    assert all(position.board.is_valid() for position in suite)
    assert len({position.board.epd() for position in suite}) == len(suite)
    assert len({position.name for position in suite}) == len(suite)


@pytest.mark.parametrize("position", MATES, ids=lambda each: each.name)
def test_mates_are_found(position: SuitePosition, is_pure: bool) -> None:
    mate = position.mate or 0
    if is_pure and mate > 2:
        pytest.skip("takes too long as plain Python")
    nodes = 4_000_000 if position.name == "m4.5" else 1_000_000  # that one is found after some two million
    with Analyst() as analyst:
        result = examine(position, analyst, Limits(nodes=nodes))
    assert result.solved
    assert result.final.score.relative.mate() == mate


# The real process

run = partial(run_command, "suite")

SUITE = f"""\
# two of these are solved
{HANGING} bm Rxd5; id "take";

{HANGING} am Rxd5; id "leave";
{MATE} dm 1; id "mate";
{MATE} 0 1 bm Kf1; c0 "Kf1=10, Re8#=3"; id "points";
"""


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "suite.epd"
    path.write_text(SUITE)
    return str(path)


def test_rows_and_the_sum(lolli_command: list[str], suite: str) -> None:
    done = run(lolli_command, suite, "--depth", "3")
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    rows = [line.split() for line in lines[1:5]]
    assert [row[:2] for row in rows] == [["✓", "take"], ["✗", "leave"], ["✓", "mate"], ["✗", "points"]]
    assert "Re8#" in rows[2]
    assert re.fullmatch(r"2 of 4 solved \(50\.0%\) in .* s, \d+ nodes", lines[6])
    assert lines[8] == "3 of 10 points (30.0%)"


def test_json(lolli_command: list[str], suite: str) -> None:
    *positions, summary = objects(run(lolli_command, suite, "--depth", "3", "--json").stdout)
    assert [each["type"] for each in positions] == ["position"] * 4
    assert [(each["id"], each["solved"], each["line"]) for each in positions] == [
        ("take", True, 2),
        ("leave", False, 4),
        ("mate", True, 5),
        ("points", False, 6),
    ]
    assert positions[2]["score"] == {"mate": 1}
    assert all(each["file"] == suite for each in positions)
    assert (summary["type"], summary["solved"], summary["searched"]) == ("summary", 2, 4)
    assert summary["nodes"] == sum(each["nodes"] for each in positions)


def test_only_what_failed(lolli_command: list[str], suite: str) -> None:
    output = run(lolli_command, suite, "--depth", "3", "--failed").stdout
    assert "leave" in output
    assert "take" not in output
    names = [
        each.get("id")
        for each in objects(run(lolli_command, suite, "--depth=3", "--failed", "--json").stdout)
    ]
    assert names == ["leave", "points", None]


def test_several_files_and_stdin(lolli_command: list[str], suite: str) -> None:
    done = run(lolli_command, suite, "-", "--depth", "1", "--json", said=f"\ufeff{MATE} dm 1;\r\n".encode())
    positions = objects(done.stdout)[:-1]
    assert len(positions) == 5
    assert (positions[4]["file"], positions[4]["line"], positions[4]["id"]) == ("stdin", 1, "line 1")


def test_lines_that_cannot_be_used(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bad.epd"
    path.write_text(f"{HANGING} bm Rxd5;\n{HANGING} bm Rxd9;\n\x1b[2Jrubbish\n{HANGING}\n")
    done = run(lolli_command, str(path), "--depth", "1", status=1)
    assert "1 of 1 solved" in done.stdout
    errors = done.stderr.splitlines()
    assert [line.split(": ")[0] for line in errors] == [f"{path}:{number}" for number in (2, 3, 4)]
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("/no/such.epd",), b""),
        ((), b""),
        (("--jobs", "0", "-"), f"{MATE} dm 1;".encode()),
        (("--weights", "/no", "-"), f"{MATE} dm 1;".encode()),
        (("-",), b"# nothing\n"),
        (("-",), b"\x00\xff\xfe" * 100),
    ],
)
def test_what_cannot_be_done(lolli_command: list[str], words: tuple[str, ...], said: bytes) -> None:
    done = run(lolli_command, *words, said=said, status=2)
    assert done.stdout == ""
    assert "Error: " in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_suite_that_is_interrupted_is_summed_up(
    lolli_command: list[str], tmp_path: Path, number: signal.Signals, status: int
) -> None:
    (tmp_path / "long.epd").write_text(f"{MATE} dm 1;\n{HANGING} bm Rxd5;\n{HANGING} bm Rxd5;\n")
    process = subprocess.Popen(
        [*lolli_command, "suite", str(tmp_path / "long.epd"), "--time", "1000", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["solved"]
    process.send_signal(number)
    rest, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    (summary,) = objects(rest)
    assert (summary["interrupted"], summary["searched"], summary["positions"]) == (True, 1, 3)


def test_on_a_terminal(lolli_command: list[str], tmp_path: Path) -> None:
    """What is under way stands below the rows, and is gone after Ctrl-C."""
    path = tmp_path / "long.epd"
    path.write_text(f'{MATE} dm 1; id "{"long " * 30}";\n{HANGING} bm Rxd5; id "take";\n')
    with Screen([*lolli_command, "suite", str(path), "--time", "1000"], columns=80) as screen:
        screen.expect(r"^take: depth \d+, Rxd5 .*, wanted Rxd5\n1/2 .* 1 solved ")
        assert screen.cursor_hidden
        screen.type(CTRL_C)
        assert screen.wait() == 130
        lines = screen.text.splitlines()
        assert lines[0].split() == ["Position", "Wanted", "Played", "Depth", "Score", "Solved", "in", "Nodes"]
        assert lines[1].startswith("✓  long long")
        assert "…" in lines[1]
        assert lines[2:4] == ["", "1 of 2 positions searched"]
        assert lines[4].startswith("1 of 1 solved (100.0%) in ")
        assert len(lines) == 6
        assert not screen.cursor_hidden
