"""Lines of test suites: what is asked, and whether a finding fits it."""

import random
from contextlib import suppress

import chess
import pytest
from chess.engine import Cp, Mate, PovScore
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.search.report import Bound
from protocol.cli.analysis.finding import Finding
from protocol.cli.suites.epd import EpdError, SuitePosition, parse_position, suite_lines
from tests.engine.board.games import boards, play

MATE = "6k1/5ppp/8/8/8/8/8/4R1K1 w - -"
OPEN = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -"
STS = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - -"


def parsed(text: str) -> SuitePosition:
    return parse_position(text, "some.epd", 7)


def finding(position: SuitePosition, san: str, score: Cp | Mate) -> Finding:
    """As if the engine had found a move, with a score of its own side."""
    return Finding(
        line=1,
        depth=9,
        seldepth=12,
        score=PovScore(score, position.board.turn),
        chances=None,
        bound=Bound.EXACT,
        nodes=1000,
        milliseconds=10,
        hashfull=0,
        moves=(position.board.parse_san(san),),
    )


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
        "bm Qxf7+;",
        "bm Qxf7;",
        "bm Qf7",
        "bm Qh5xf7;",
        "bm h5f7;",
        "bm Qxf7!;",
        'bm "Qxf7";',
        "0 1 bm Qxf7;",
        "5 bm Qxf7;",
        "; bm Qxf7 ;",
        "0 1;bm Qxf7;",
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


def test_castling_and_promotion() -> None:
    assert parsed("4k3/8/8/8/8/8/8/4K2R w K - bm 0-0;").wanted == "O-O"
    assert parsed("8/P3k3/8/8/8/8/8/4K3 w - - bm a8Q;").wanted == "a8=Q"


def test_chess960() -> None:
    position = parsed("4k3/8/8/8/8/8/8/1K4R1 w G - bm O-O;")
    assert position.board.chess960
    assert position.best == (chess.Move.from_uci("b1g1"),)
    assert not parsed(f"{OPEN} bm d3;").board.chess960


@pytest.mark.parametrize(
    ("fields", "counters"),
    [
        ("12 34", (12, 34)),
        ("12", (12, 1)),
        ("", (0, 1)),
        ("hmvc 12; fmvn 34;", (12, 34)),
        ("hmvc 3;", (3, 1)),
    ],
)
def test_the_clocks(fields: str, counters: tuple[int, int]) -> None:
    board = parsed(f"{MATE} {fields} bm Re8;").board
    assert (board.halfmove_clock, board.fullmove_number) == counters


def test_a_position_without_a_name_is_called_by_its_line() -> None:
    assert parsed(f"{OPEN} bm d3;").name == "line 7"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("rubbish", "expected four to six fields, found"),
        ("8/8/8/8/8/8/8/8 w - - bm e4;", "White has no king"),
        (f"{OPEN} bm Nf6;", "bm Nf6: not a legal move"),
        (f"{OPEN} am e2e5;", "am e2e5: not a legal move"),
        (f"{OPEN} bm --;", "bm --: not a legal move"),
        (f"{OPEN} am 0000;", "am 0000: not a legal move"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm;", "bm has no moves"),
        ("4k3/8/8/8/8/4N3/8/N3K1N1 w - - bm Nc2;", "bm Nc2: ambiguous move"),
        (f"{OPEN} dm 0;", "dm must be a number of moves, at least 1, not '0'"),
        (f"{OPEN} dm soon;", "not 'soon'"),
        (f'{OPEN} id "x"; ce 12;', "no task"),
        (OPEN, "no task"),
        (f"{OPEN} bm d3; ???", "not an EPD operation: '???'"),
        (f'{OPEN} bm d3; id "never closed', "not an EPD operation: 'id \"never closed'"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - bm Kg8;", "the game is over"),
        (f'{STS} c7 "f5 Bf2"; c8 "10 3 2";', "c7 has 2 moves, but c8 has points for 3"),
        (f'{STS} c0 "f5=10, Qh8=3";', "c0 Qh8: not a legal move"),
    ],
)
def test_what_cannot_be_used_has_a_reason(text: str, reason: str) -> None:
    with pytest.raises(EpdError) as caught:
        parsed(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text() | st.text(alphabet='rnbqkRNBQK12345678/ w-;"bmad=0 ').map(lambda tail: f"{OPEN} {tail}"))
def test_no_line_does_worse_than_being_refused(text: str) -> None:
    with suppress(EpdError):
        assert parsed(text).wanted


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


def test_points_for_promotions() -> None:
    position = parsed('8/P3k3/8/8/8/8/8/4K3 w - - c0 "a8=Q=10, a8=R=4";')
    assert {move.uci(): worth for move, worth in position.points.items()} == {"a7a8q": 10, "a7a8r": 4}
    assert position.wanted == "a8=Q"


@pytest.mark.parametrize("comment", ['c0 "a fine move";', 'c0 "depth=20";', "c8 12;", 'c7 "f5"; c8 "good";'])
def test_comments_are_no_points(comment: str) -> None:
    assert parsed(f"{STS} bm f5; {comment}").points == {}


@pytest.mark.parametrize(
    ("asked", "san", "score", "solved"),
    [
        ("bm Nf3 d3;", "Nf3", Cp(-50), True),
        ("bm Nf3 d3;", "d3", Cp(0), True),
        ("bm Nf3 d3;", "Qxf7#", Mate(1), False),
        ("am d3;", "Nf3", Cp(0), True),
        ("am d3;", "d3", Cp(900), False),
        ("bm Nf3; am d3;", "a3", Cp(0), False),
        ("dm 2;", "Qxf7#", Mate(1), True),
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
    assert position.is_solved_by(finding(position, san, score)) is solved


def test_a_mate_is_that_of_the_side_to_move() -> None:
    position = parsed("4r1k1/8/8/8/8/8/5PPP/6K1 b - - dm 1;")
    assert position.is_solved_by(finding(position, "Re1#", Mate(1)))
    assert not position.is_solved_by(finding(position, "Re1#", Mate(-1)))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_lines_of_a_file(mark: bytes, end: bytes) -> None:
    data = mark + end.join([b"# by hand", b"", b"first ", b"   ", b"  # second", b"third"])
    assert list(suite_lines(data)) == [(3, "first"), (6, "third")]


def test_encodings() -> None:
    assert list(suite_lines("é".encode())) == [(1, "é")]
    assert list(suite_lines("é".encode("latin-1"))) == [(1, "é")]
