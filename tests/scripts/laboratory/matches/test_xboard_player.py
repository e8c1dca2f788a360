"""Engines that speak the XBoard protocol."""

import sys
from pathlib import Path

import chess
import pytest
from chess.engine import Cp, Mate

from scripts.laboratory.jobs import JobError
from scripts.laboratory.matches.engine_player import Analysis
from scripts.laboratory.matches.plan import EngineSpec, PlanError, parse_engine
from scripts.laboratory.matches.record import Termination
from scripts.laboratory.matches.time_control import MatchTimeControl
from scripts.laboratory.matches.xboard_player import edit_lines, level_line, parse_post
from scripts.laboratory.openings import OpeningSuite
from tests.scripts.laboratory.matches.fakes import STALL_SECONDS, fake_engine, play_match, short_rules

FAKE = Path(__file__).with_name("fake_xboard_engine.py")
OPENINGS = (
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1",
    "rnbqkb1r/pppppp1p/5np1/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 1",
)


def xboard_engine(manner: str, **words: str) -> EngineSpec:
    """An engine played by `fake_xboard_engine.py`."""
    command = f"{sys.executable} {FAKE} {manner}"
    return parse_engine(
        [("name", "X"), ("cmd", command), ("proto", "xboard"), *words.items()], [("tc", "600+0.1")]
    )


@pytest.mark.parametrize("manner", ["setboard", "edit"])
def test_an_engine_plays_from_a_position(manner: str) -> None:
    book = OpeningSuite(OPENINGS, is_pgn=False, chess960=False)
    engine = xboard_engine(manner, **{"option.Style": "3"})
    match, records = play_match(short_rules(engine, fake_engine("U")), 4, book)
    assert match.tally.forfeits == []
    usage = match.tally.usage[0]
    assert usage.moves == usage.depth_moves > 20
    assert usage.nodes == 100 * usage.depth
    assert all(record.plies > 5 for record in records)


def test_an_engine_resigns() -> None:
    _, records = play_match(short_rules(fake_engine("U"), xboard_engine("resign")), 2)
    assert [record.ending for record in records] == [Termination.RESIGNATION] * 2
    assert [record.result for record in records] == ["1-0", "0-1"]
    assert [record.forfeiter for record in records] == [None, None]


def test_an_engine_stalls() -> None:
    _, records = play_match(
        short_rules(
            fake_engine("U"),
            xboard_engine("silent", tc="0.1", timemargin="0"),
            stall_seconds=STALL_SECONDS,
        ),
        2,
    )
    assert [record.ending for record in records] == [Termination.STALL] * 2
    assert [record.forfeiter for record in records] == [1, 1]


def test_an_option_that_an_engine_lacks_ends_the_match() -> None:
    engine = xboard_engine("setboard", **{"option.Stile": "3"})
    with pytest.raises(JobError, match="X has no option 'Stile'"):
        play_match(short_rules(engine, fake_engine("U")), 2)


def test_what_cannot_be_asked_of_an_xboard_engine() -> None:
    with pytest.raises(PlanError, match="nodestime= are not supported"):
        xboard_engine("setboard", nodes="100")
    with pytest.raises(PlanError, match="Chess960"):
        short_rules(xboard_engine("setboard"), fake_engine("U"), chess960=True)


@pytest.mark.parametrize(
    ("control", "line"),
    [
        ("3+0.03", "level 0 0:03 0.03"),
        ("40/300", "level 40 5 0"),
        ("61:30+2", "level 0 61:30 2"),
    ],
)
def test_time_controls(control: str, line: str) -> None:
    assert level_line(MatchTimeControl.parse(control)) == line


@pytest.mark.parametrize(
    ("line", "analysis"),
    [
        (b" 6      2       22     224418 c2c4 d7d6", Analysis(6, 224418, Cp(2))),
        (b"12& 100003 5 77", Analysis(12, 77, Mate(3))),
        (b"12 -100002 5 77 e2e4", Analysis(12, 77, Mate(-2))),
        (b"# 16+16 pieces", Analysis()),
        (b"", Analysis()),
    ],
)
def test_lines_of_thinking(line: bytes, analysis: Analysis) -> None:
    assert parse_post(line) == analysis


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "en passant"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1", "castling"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "castling"),
    ],
)
def test_positions_that_pieces_alone_do_not_tell(fen: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        edit_lines(chess.Board(fen))


def test_a_position_told_piece_by_piece() -> None:
    lines = edit_lines(chess.Board("4k3/8/8/8/8/8/P7/4K3 b - - 0 1"))
    assert lines[:3] == ["a2a3", "edit", "#"]
    assert set(lines[3:5]) == {"Ke1", "Pa2"}
    assert lines[5:] == ["c", "Ke8", "."]
