"""The session with real threads: one outcome for each `go`, whatever happens meanwhile."""

import random
import threading
import time
from collections.abc import Iterator

import chess
import pytest

from engine.board.fen import START_FEN, FenError
from engine.board.notation import MoveError, move_text, parse_move
from engine.search.limits import Limits
from engine.search.report import Report
from engine.search.settings import Settings
from engine.search.table import TableError
from engine.session import SearchingError, Session
from tests.search.searching import PATIENCE, Recorder, opened, search, sized

FORCED = "8/8/8/8/8/1r6/8/K1k5 w - - 0 1"  # one legal move
DRAWN = "8/8/8/4k3/8/8/4K3/8 w - - 0 1"


@pytest.fixture
def session() -> Iterator[Session]:
    with opened() as opened_session:
        yield opened_session


def begin(session: Session, limits: Limits, fen: str = START_FEN) -> Recorder:
    session.set_position(fen)
    listener = Recorder()
    session.go(limits, listener)
    return listener


def test_nothing_to_search_ends_at_once(session: Session) -> None:
    for fen, mate in (("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None), ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", 0)):
        heard = search(session, Limits(depth=3), fen)
        assert (heard.best, heard.mate) == ("0000", mate)


@pytest.mark.parametrize("fen", [DRAWN, FORCED])
@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(ponder=True, depth=1)])
def test_outcome_is_held_back(session: Session, limits: Limits, fen: str) -> None:
    listener = begin(session, limits, fen)
    assert not session.wait(sized(1, 3) / 2)
    assert session.searching
    session.stop()
    assert session.wait(PATIENCE)
    assert len(listener.outcomes) == 1


def test_stop_before_the_first_depth(session: Session) -> None:
    for _ in range(sized(200, 20)):
        listener = begin(session, Limits(infinite=True))
        session.stop()
        assert session.wait(PATIENCE)
        assert len(listener.outcomes) == 1
        assert chess.Move.from_uci(listener.best) in chess.Board().legal_moves


def test_stop_is_obeyed_soon(session: Session) -> None:
    listener = begin(session, Limits(infinite=True))
    time.sleep(0.2)
    stopped = time.monotonic()
    session.stop()
    assert session.wait(PATIENCE)
    assert time.monotonic() - stopped < sized(1, 5)
    assert len(listener.outcomes) == 1


def test_ponderhit_starts_the_clock(session: Session) -> None:
    listener = begin(session, Limits(ponder=True, time=(200, 200)))
    assert not session.wait(0.5)
    session.ponderhit()
    assert session.wait(sized(2, 20))
    assert len(listener.outcomes) == 1


def test_ponderhit_without_pondering_changes_nothing(session: Session) -> None:
    session.ponderhit()
    listener = begin(session, Limits(infinite=True))
    session.ponderhit()
    assert not session.wait(0.2)
    session.stop()
    assert session.wait(PATIENCE)
    assert len(listener.outcomes) == 1


def test_search_moves_restrict_the_root(session: Session) -> None:
    move = parse_move(session.position, "a2a3")
    assert search(session, Limits(depth=4, search_moves=(move,))).best == "a2a3"


def test_search_moves_that_are_not_legal_are_refused(session: Session) -> None:
    with pytest.raises(MoveError):
        session.go(Limits(search_moves=(1,)), Recorder())
    assert not session.searching


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads(threads: int) -> None:
    with opened(Settings(threads=threads)) as session:
        heard = search(session, Limits(depth=sized(8, 3)))
        assert chess.Move.from_uci(heard.best) in chess.Board().legal_moves
        assert heard.reports[0].depth == 1
        limit = sized(50_000, 2_000)
        assert search(session, Limits(nodes=limit)).last.nodes <= limit * 9 // 8


def test_one_thread_keeps_the_node_limit_to_the_node(session: Session) -> None:
    for limit in (1, 2, 100, 1_023, 1_024, 1_025, sized(54_321, 4_321)):
        session.new_game()
        heard = search(session, Limits(nodes=limit))
        assert all(report.nodes <= limit for report in heard.reports)
        assert limit < 100 or heard.last.nodes == limit


def test_nodes_as_time() -> None:
    with opened(Settings(nodes_time=10)) as session:
        first, second = (search(session, Limits(time=(1_000, 1_000))) for _ in range(2))
        assert 0 < first.last.nodes <= 10_000
        assert second.best


def test_same_search_after_a_new_game(session: Session) -> None:
    def signature() -> list[tuple[int, int, int, tuple[int, ...]]]:
        session.new_game()
        heard = search(session, Limits(depth=sized(8, 4)))
        return [(each.depth, each.nodes, each.score.value, each.moves) for each in heard.reports]

    assert signature() == signature()


def test_what_has_to_wait_is_refused_while_searching(session: Session) -> None:
    begin(session, Limits(infinite=True))
    with pytest.raises(SearchingError):
        session.set_position(START_FEN)
    with pytest.raises(SearchingError):
        session.go(Limits(depth=1), Recorder())
    with pytest.raises(SearchingError):
        session.resize_table(2)
    with pytest.raises(SearchingError):
        session.new_game()
    with pytest.raises(SearchingError):
        session.flip()
    session.stop()
    assert session.wait(PATIENCE)


def test_bad_positions_change_nothing(session: Session) -> None:
    session.set_position(START_FEN, ["e2e4"])
    key = session.position.key
    with pytest.raises(FenError):
        session.set_position("8/8/8/8/8/8/8/8 w - - 0 1")
    with pytest.raises(MoveError):
        session.set_position(START_FEN, ["e2e4", "e2e4"])
    assert session.position.key == key


def test_a_game_that_grows_is_the_game_sent_whole(session: Session) -> None:
    chance = random.Random(5)
    board, texts = chess.Board(), list[str]()
    while len(texts) < 60 and not board.is_game_over():
        move = chance.choice(list(board.legal_moves))
        board.push(move)
        texts.append(move.uci())
        session.set_position(START_FEN, texts)
        with opened() as other:
            other.set_position(START_FEN, texts)
            assert session.position.key == other.position.key
    session.set_position(START_FEN, texts[:7])
    session.flip()
    session.set_position(START_FEN, texts[:8])
    assert session.position.side == 0


def test_a_table_that_cannot_be_had_leaves_the_old_one(session: Session) -> None:
    with pytest.raises(TableError):
        session.resize_table(1 << 30)
    assert session.hash_megabytes == 1
    assert search(session, Limits(depth=2)).best != "0000"


def test_rapid_cycles(session: Session) -> None:
    chance = random.Random(1)
    for _ in range(sized(150, 10)):
        listener = begin(session, Limits(infinite=True))
        time.sleep(chance.random() * 0.004)
        session.stop()
        assert session.wait(PATIENCE)
        assert len(listener.outcomes) == 1


def test_no_thread_is_left(session: Session) -> None:
    before = set(threading.enumerate())
    session.settings.threads = 3
    begin(session, Limits(infinite=True))
    time.sleep(0.1)
    session.close()
    assert not [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]


class Breaking(Recorder):
    """A listener in which the first report breaks the search."""

    def report(self, report: Report) -> None:
        super().report(report)
        raise RuntimeError("broken")


@pytest.mark.parametrize("threads", [1, 2])
def test_a_crash_still_gives_a_legal_move(threads: int) -> None:
    with opened(Settings(threads=threads)) as session:
        listener = Breaking()
        session.go(Limits(depth=sized(9, 3)), listener)
        assert session.wait(PATIENCE)
        assert [str(error) for error in listener.errors] == ["broken"]
        assert chess.Move.from_uci(listener.best) in chess.Board().legal_moves
        assert search(session, Limits(depth=2)).best != "0000"


def test_a_crash_of_an_infinite_search_is_answered_at_stop(session: Session) -> None:
    listener = Breaking()
    session.go(Limits(infinite=True), listener)
    assert not session.wait(0.3)
    session.stop()
    assert session.wait(PATIENCE)
    assert len(listener.outcomes) == 1


def test_lines_are_distinct_and_ordered() -> None:
    with opened(Settings(lines=5)) as session:
        heard = search(session, Limits(depth=sized(6, 3)))
        lines = heard.lines(sized(6, 3))
        assert len({moves[0] for _, moves in lines}) == 5
        assert [score for score, _ in lines] == sorted((score for score, _ in lines), reverse=True)


def test_every_line_is_legal_to_its_end(session: Session) -> None:
    for fen in (START_FEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", FORCED):
        heard = search(session, Limits(depth=sized(8, 3)), fen)
        for report in heard.reports:
            board = chess.Board(fen)
            for move in report.moves:
                assert not board.is_insufficient_material()
                board.push_uci(move_text(move))
        assert heard.best == move_text(heard.last.moves[0])
