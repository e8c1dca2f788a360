"""The engine in this process finds what it finds over UCI, where python-chess reads the pipe."""

from collections.abc import Iterator
from typing import Any

import chess
import chess.engine
import pytest
from chess.engine import InfoDict

import lolli
from engine.board.position import COMPILED
from tests.patience import PATIENCE

NODES = 2000 if COMPILED else 50
FENS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "8/8/8/3k4/8/8/8/4K3 w - - 0 1",
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
)
LIMIT = chess.engine.Limit(nodes=NODES)


@pytest.fixture(scope="module")
def over_uci(lolli_command: list[str]) -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(lolli_command, timeout=PATIENCE) as engine:
        yield engine


@pytest.fixture
def here() -> Iterator[lolli.Engine]:
    with lolli.Engine() as engine:
        yield engine


def without_time(info: Any) -> dict[str, Any]:
    return {name: value for name, value in info.items() if name not in ("time", "nps")}


def listed(found: InfoDict | list[InfoDict]) -> list[InfoDict]:
    return found if isinstance(found, list) else [found]


def boards() -> Iterator[chess.Board]:
    """Boards of all kinds: with a history, with repetitions in it, after a pass, of Chess960."""
    yield chess.Board()
    yield from (chess.Board(fen) for fen in FENS)
    shuffled = chess.Board("6k1/5ppp/8/8/8/8/q4PPP/1R4K1 w - - 0 1")
    for move in ("b1c1", "a2a3", "c1b1", "a3a2", "b1c1", "a2a3", "c1b1"):
        shuffled.push_uci(move)
    yield shuffled
    passed = chess.Board()
    for move in ("e2e4", "0000", "d2d4"):
        passed.push_uci(move)
    yield passed
    yield chess.Board.from_chess960_pos(17)
    castling = chess.Board("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", chess960=True)
    yield castling


def game() -> Iterator[chess.Board]:
    board = chess.Board()
    for move in ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5"):
        yield board.copy()
        board.push_san(move)


@pytest.mark.parametrize("multipv", [None, 1, 3])
def test_analyse(here: lolli.Engine, over_uci: chess.engine.SimpleEngine, multipv: int | None) -> None:
    for number, board in enumerate(boards()):
        found = here.analyse(board, LIMIT, multipv=multipv, game=number)
        other = over_uci.analyse(board, LIMIT, multipv=multipv, game=number)
        assert isinstance(found, list) is isinstance(other, list) is (multipv is not None)
        assert [*map(without_time, listed(found))] == [*map(without_time, listed(other))], board


def test_the_same_game_keeps_what_was_learned(
    here: lolli.Engine, over_uci: chess.engine.SimpleEngine
) -> None:
    one = object()
    for board in game():
        found = here.analyse(board, LIMIT, game=one)
        assert without_time(found) == without_time(over_uci.analyse(board, LIMIT, game=one))


@pytest.mark.parametrize("info", [chess.engine.INFO_NONE, chess.engine.INFO_BASIC, chess.engine.INFO_SCORE])
def test_play(here: lolli.Engine, over_uci: chess.engine.SimpleEngine, info: chess.engine.Info) -> None:
    for number, board in enumerate(boards()):
        found = here.play(board, LIMIT, game=number, info=info)
        other = over_uci.play(board, LIMIT, game=number, info=info)
        assert (found.move, found.ponder) == (other.move, other.ponder), board
        assert without_time(found.info) == without_time(other.info)


def test_the_stream_is_what_the_process_writes(
    here: lolli.Engine, over_uci: chess.engine.SimpleEngine
) -> None:
    board = chess.Board(FENS[0])
    over_uci.configure({"UCI_ShowWDL": True})
    here.configure(UCI_ShowWDL=True)
    with over_uci.analysis(board, LIMIT, game="stream") as other:
        expected = [without_time(info) for info in other]
    assert [without_time(info) for info in here.analyse(board, nodes=NODES)] == expected
    assert "wdl" in expected[-1]
    over_uci.configure({"UCI_ShowWDL": False})


@pytest.mark.parametrize(
    "limit",
    [
        chess.engine.Limit(depth=4 if COMPILED else 2),
        chess.engine.Limit(mate=2),
        chess.engine.Limit(nodes=NODES, white_clock=1000, black_clock=1000, white_inc=10, remaining_moves=10),
    ],
)
def test_limits(here: lolli.Engine, over_uci: chess.engine.SimpleEngine, limit: chess.engine.Limit) -> None:
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
    found = here.analyse(board, limit)
    assert without_time(found) == without_time(over_uci.analyse(board, limit, game=limit))


def test_options(here: lolli.Engine, over_uci: chess.engine.SimpleEngine) -> None:
    theirs = over_uci.options
    assert {*here.options} == {*theirs} - {"Debug Log File"}
    for name, option in here.options.items():
        assert (option.type, option.min, option.max, option.var) == (
            *(theirs[name].type, theirs[name].min, theirs[name].max),
            theirs[name].var,
        )
        assert option.default == theirs[name].default or (option.default, theirs[name].default) == (
            "",
            "<empty>",
        )
    options: dict[str, str | int | bool | None] = {"Eval": "material", "Hash": 2}
    board = chess.Board(FENS[2])
    found = here.analyse(board, LIMIT, options=options)
    assert without_time(found) == without_time(
        over_uci.analyse(board, LIMIT, options=options, game="options")
    )
    assert here.id == over_uci.id
