"""One engine with real threads: every `go` has its one outcome, and what disturbs a search is refused."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import chess
import pytest

from engine.board.fen import START_FEN, FenError, format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, move_text, parse_move
from engine.board.position import COMPILED
from engine.search.clock import now
from engine.search.deepening import MAX_DEPTH
from engine.search.limits import Limits
from engine.search.report import Outcome, Report
from engine.search.run import Run
from engine.search.settings import Settings
from engine.search.table import TableError
from engine.session import SearchingError, Session
from eval.choice import DEFAULT, Choices, EvaluatorError
from eval.linear import Linear
from eval.material import Material
from eval.weight_file import WeightsError, save, save_outcome
from tests.eval.some_weights import MODEL, random_weights
from tests.search.searching import Recorder, opened, search, sized

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_SOON = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
BARE_KINGS = "8/8/8/3k4/8/8/8/4K3 w - - 0 1"
ONE_MOVE = "7k/6pp/8/8/8/8/6r1/7K w - - 0 1"
MATED = "3R2k1/5ppp/8/8/8/8/8/K7 b - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
POSITIONS = [START_FEN, KIWIPETE, MATE_SOON, BARE_KINGS, ONE_MOVE]

SOON = 1.0  # seconds: far more than it takes, unless something hangs
WHILE = 0.05  # seconds in which what must not happen would have happened
FOREVER = Limits(infinite=True)


class Awaited(Recorder):
    """A listener that can be waited for."""

    def __init__(self, on_report: Callable[[Report], None] | None = None) -> None:
        super().__init__()
        self.begun = Event()
        self.ended = Event()
        self.on_report = on_report

    def report(self, report: Report) -> None:
        super().report(report)
        self.begun.set()
        if self.on_report:
            self.on_report(report)

    def outcome(self, outcome: Outcome) -> None:
        super().outcome(outcome)
        self.ended.set()


@pytest.fixture
def session() -> Iterator[Session]:
    with opened() as session:
        yield session


def started(session: Session, limits: Limits, fen: str = START_FEN, begun: bool = True) -> Awaited:
    """A search that has reported, or has only been asked for."""
    session.set_position(fen)
    listener = Awaited()
    session.go(limits, listener)
    if begun:
        assert listener.begun.wait(20)
    return listener


def assert_answered(session: Session, listener: Recorder) -> None:
    """The outcome has come, once, with a legal move."""
    assert session.wait(20)
    assert not session.searching
    assert not listener.errors
    (outcome,) = listener.outcomes
    assert_legal(session, outcome)


def assert_legal(session: Session, outcome: Outcome) -> None:
    position = session.position.copy()
    assert outcome.best in legal_moves(position)
    position.make(outcome.best)
    assert not outcome.ponder or outcome.ponder in legal_moves(position)


def workers() -> list[str]:
    """The names of the search's threads alive."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(("search", "helper"))]


# One outcome


def test_helpers_begin_once_where_the_second_depth_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first depth is then told twice; helpers begun twice would share searchers."""
    begun: list[Run] = []
    begin = Run._start_helpers

    def counting(run: Run) -> None:
        begun.append(run)
        begin(run)

    monkeypatch.setattr(Run, "_start_helpers", counting)
    with opened(Settings(threads=2)) as session:
        for nodes in range(20, 90, 3):
            begun.clear()
            session.new_game()
            listener = Awaited()
            session.go(Limits(nodes=nodes), listener)
            assert_answered(session, listener)
            assert len(begun) <= 1, nodes


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_every_search_has_one_legal_outcome(fen: str, threads: int) -> None:
    with opened(Settings(threads=threads, lines=threads)) as session:
        for limits in (Limits(depth=3), Limits(nodes=2000), Limits(time=(100, 100)), Limits(move_time=20)):
            session.set_position(fen)
            listener = Awaited()
            session.go(limits, listener)
            assert_answered(session, listener)


@pytest.mark.parametrize("fen", [MATED, STALEMATE])
@pytest.mark.parametrize("limits", [Limits(depth=3), Limits(time=(100, 100)), Limits(nodes=1)])
def test_position_without_moves_is_answered_by_none(session: Session, fen: str, limits: Limits) -> None:
    listener = started(session, limits, fen)
    assert session.wait(SOON)
    assert listener.outcomes == [Outcome(0, 0)]


@pytest.mark.parametrize("fen", [MATE_SOON, BARE_KINGS, ONE_MOVE, MATED, STALEMATE])
def test_infinite_search_keeps_its_outcome_until_stopped(session: Session, fen: str) -> None:
    """Also where there is nothing left to search."""
    listener = started(session, FOREVER, fen)
    assert not session.wait(0.3)
    assert session.searching
    assert not listener.outcomes
    session.stop()
    assert session.wait(SOON)
    assert len(listener.outcomes) == 1


def test_infinite_search_of_a_dead_draw_goes_to_the_last_depth(session: Session) -> None:
    listener = started(session, FOREVER, BARE_KINGS)
    until = time.monotonic() + 20
    while listener.last.depth < MAX_DEPTH and time.monotonic() < until:
        time.sleep(0.01)
    assert listener.last.depth == MAX_DEPTH
    assert session.searching
    session.stop()
    assert_answered(session, listener)


def test_limits_under_an_infinite_search_hold_the_outcome_back(session: Session) -> None:
    listener = started(session, Limits(infinite=True, depth=1))
    assert not session.wait(WHILE)
    session.stop()
    assert_answered(session, listener)
    assert listener.last.depth == 1


# Stop


@pytest.mark.parametrize("threads", [1, 4])
def test_stop_is_answered_at_once(threads: int) -> None:
    with opened(Settings(threads=threads)) as session:
        for _ in range(5):
            listener = started(session, FOREVER, KIWIPETE)
            asked = time.monotonic()
            session.stop()
            assert listener.ended.wait(SOON)
            assert time.monotonic() - asked < SOON
            assert_answered(session, listener)


def test_stop_before_anything_was_searched(session: Session) -> None:
    for _ in range(sized(100, 10)):
        listener = started(session, FOREVER, KIWIPETE, begun=False)
        session.stop()
        assert_answered(session, listener)


def test_stop_and_ponderhit_without_a_search_are_harmless(session: Session) -> None:
    session.stop()
    session.ponderhit()
    assert session.wait(0)
    assert_answered(session, search(session, Limits(depth=2)))
    session.stop()
    session.ponderhit()
    assert search(session, Limits(depth=2)).last.depth == 2


def test_stopping_twice_gives_one_outcome(session: Session) -> None:
    listener = started(session, FOREVER)
    for _ in range(3):
        session.stop()
    assert session.wait(SOON)
    session.stop()
    time.sleep(WHILE)
    assert_answered(session, listener)


@pytest.mark.parametrize("threads", [1, 3])
def test_hundreds_of_quick_searches(threads: int) -> None:
    rng = random.Random(threads)
    with opened(Settings(threads=threads)) as session:
        for cycle in range(sized(200, 15)):
            listener = started(session, FOREVER, rng.choice(POSITIONS), begun=False)
            if cycle % 3 == 0:
                time.sleep(rng.random() / 500)
            session.stop()
            assert_answered(session, listener)
    until = time.monotonic() + SOON
    while workers() and time.monotonic() < until:
        time.sleep(0.01)
    assert not workers()


def test_next_search_may_begin_as_soon_as_the_outcome_is_heard(session: Session) -> None:
    """A client's `go` follows a `bestmove` at once."""
    refused: list[BaseException] = []
    left = [sized(200, 20)]
    done = Event()

    class Eager(Recorder):
        def outcome(self, outcome: Outcome) -> None:
            super().outcome(outcome)
            left[0] -= 1
            if left[0] == 0:
                done.set()
                return
            try:
                session.go(Limits(depth=1), Eager())
            except SearchingError as error:
                refused.append(error)
                done.set()

    session.go(Limits(depth=1), Eager())
    assert done.wait(60)
    assert not refused
    assert left == [0]


def test_no_thread_is_left_after_closing() -> None:
    session = Session(Settings(threads=4), 1)
    listener = started(session, FOREVER)
    assert len(workers()) >= 1
    session.close()
    assert not session.searching
    assert len(listener.outcomes) == 1
    assert not workers()
    session.close()


# Pondering

ON_CLOCK = Limits(time=(600, 600), ponder=True)


def test_pondering_does_not_spend_the_clock(session: Session) -> None:
    listener = started(session, ON_CLOCK)
    assert not session.wait(0.7)
    session.ponderhit()
    assert session.wait(SOON)
    assert_answered(session, listener)


def test_ponderhit_starts_the_clock(session: Session) -> None:
    listener = started(session, Limits(move_time=300, ponder=True), KIWIPETE)
    hit = time.monotonic()
    session.ponderhit()
    assert session.wait(SOON + 1)
    assert 0.25 < time.monotonic() - hit < SOON
    assert_answered(session, listener)


def test_ponderhit_at_once(session: Session) -> None:
    for _ in range(sized(50, 5)):
        listener = started(session, Limits(time=(20, 20), ponder=True), begun=False)
        session.ponderhit()
        assert session.wait(SOON)
        assert_answered(session, listener)


@pytest.mark.parametrize("release", [Session.ponderhit, Session.stop])
@pytest.mark.parametrize("fen", [START_FEN, ONE_MOVE, MATE_SOON])
def test_pondering_that_has_ended_waits(
    session: Session, release: Callable[[Session], None], fen: str
) -> None:
    listener = started(session, Limits(time=(600, 600), ponder=True, depth=1), fen)
    assert not session.wait(WHILE)
    release(session)
    assert session.wait(SOON)
    assert_answered(session, listener)


@pytest.mark.parametrize("ponder", [False, True])
def test_ponderhit_does_not_release_an_infinite_search(session: Session, ponder: bool) -> None:
    listener = started(session, Limits(infinite=True, ponder=ponder))
    session.ponderhit()
    assert not session.wait(WHILE)
    session.stop()
    assert_answered(session, listener)


def test_second_ponderhit_is_harmless(session: Session) -> None:
    listener = started(session, Limits(time=(300, 300), ponder=True))
    session.ponderhit()
    session.ponderhit()
    assert session.wait(SOON)
    assert_answered(session, listener)


# Limits


@pytest.mark.parametrize("clock", [-100, 0, 1, 15])
def test_empty_clock_is_answered_at_once(session: Session, clock: int) -> None:
    begun = time.monotonic()
    listener = started(session, Limits(time=(clock, 10_000)), KIWIPETE, begun=False)
    assert session.wait(SOON)
    assert time.monotonic() - begun < SOON / 2
    assert_answered(session, listener)


def test_only_move_is_played_at_once(session: Session) -> None:
    listener = started(session, Limits(time=(3_600_000, 3_600_000)), ONE_MOVE)
    assert session.wait(SOON)
    assert_answered(session, listener)


def test_time_counts_from_when_the_command_came(session: Session) -> None:
    listener = Awaited()
    session.set_position(KIWIPETE)
    session.go(Limits(move_time=10_000), listener, now() - 11 * 10**9)
    assert session.wait(SOON)
    assert_answered(session, listener)


def test_time_for_the_move_is_used(session: Session) -> None:
    begun = time.monotonic()
    listener = started(session, Limits(move_time=250), KIWIPETE)
    assert session.wait(2)
    assert 0.2 < time.monotonic() - begun < SOON
    assert_answered(session, listener)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_node_limit_holds_for_all_threads_together(threads: int) -> None:
    limit = sized(50_000, 3_000)
    with opened(Settings(threads=threads)) as session:
        heard = search(session, Limits(nodes=limit), KIWIPETE)
        if threads == 1:
            assert heard.last.nodes == limit
        assert heard.last.nodes <= limit * sized(9, 16) // 8 + threads  # plain Python counts less surely


def test_only_the_search_moves_are_searched(session: Session) -> None:
    session.settings.lines = 10
    position = parse_fen(KIWIPETE)
    moves = tuple(parse_move(position, text) for text in ("a2a3", "h1g1", "e1c1"))
    heard = search(session, Limits(depth=3, search_moves=moves), KIWIPETE)
    assert heard.best in {"a2a3", "h1g1", "e1c1"}
    assert {report.moves[0] for report in heard.reports} == {*moves}
    session.settings.lines = 1
    for move in moves:
        assert search(session, Limits(depth=3, search_moves=(move,)), KIWIPETE).outcomes[0].best == move


def test_search_moves_must_be_legal(session: Session) -> None:
    with pytest.raises(MoveError):
        session.go(Limits(depth=1, search_moves=(12345,)), Awaited())
    assert not session.searching
    assert search(session, Limits(depth=1)).last.depth == 1


def test_progress_is_told_only_after_three_seconds(session: Session) -> None:
    early, late = Awaited(), Awaited()
    session.go(Limits(depth=2), early)
    assert session.wait(20)
    assert not early.heard_progress
    session.go(Limits(depth=2), late, now() - 4 * 10**9)
    assert session.wait(20)
    assert [each.number for each in late.heard_progress if each.depth == 1] == list(range(1, 21))


def test_clock_counted_in_nodes_is_repeatable(session: Session) -> None:
    session.settings.nodes_time = 100
    spent = []
    for _ in range(2):
        session.new_game()
        spent.append([report.nodes for report in search(session, Limits(time=(200, 200)), KIWIPETE).reports])
    assert spent[0] == spent[1]
    assert spent[0][-1] <= 200 * 100


def test_settings_changed_meanwhile_take_effect_afterwards(session: Session) -> None:
    listener = started(session, FOREVER)
    session.settings.lines = 3
    session.settings.threads = 2
    before = len(listener.reports)
    time.sleep(WHILE)
    session.stop()
    assert_answered(session, listener)
    assert {report.line for report in listener.reports[before:]} <= {1}
    assert {report.line for report in search(session, Limits(depth=2)).reports} == {1, 2, 3}


# What a search must not be disturbed by


def test_search_is_not_disturbed(session: Session) -> None:
    listener = started(session, FOREVER)
    other = Awaited()
    disturbances: list[Callable[[], None]] = [
        lambda: session.set_position(KIWIPETE),
        lambda: session.go(Limits(depth=1), other),
        session.new_game,
        session.clear_table,
        lambda: session.resize_table(2),
        session.flip,
    ]
    for disturb in disturbances:
        with pytest.raises(SearchingError):
            disturb()
    assert session.searching
    assert format_fen(session.position) == START_FEN
    assert session.hash_megabytes == 1
    session.stop()
    assert_answered(session, listener)
    assert not other.outcomes
    assert not other.reports


def test_everything_works_again_after_the_search(session: Session) -> None:
    listener = started(session, FOREVER)
    session.stop()
    assert_answered(session, listener)
    session.resize_table(2)
    assert session.hash_megabytes == 2
    session.new_game()
    assert_answered(session, search(session, Limits(depth=3), KIWIPETE))


def test_table_that_cannot_be_had_leaves_the_old_one(session: Session) -> None:
    with pytest.raises(TableError):
        session.resize_table(10**7)
    assert session.hash_megabytes == 1
    assert_answered(session, search(session, Limits(depth=3)))


def test_table_of_another_size_is_empty(session: Session) -> None:
    fresh = search(session, Limits(depth=4), KIWIPETE).last.nodes
    assert search(session, Limits(depth=4), KIWIPETE).last.nodes < fresh
    session.resize_table(3)
    session.new_game()
    assert search(session, Limits(depth=1), KIWIPETE).last.hashfull == 0
    session.resize_table(1)
    session.new_game()
    assert search(session, Limits(depth=4), KIWIPETE).last.nodes == fresh


# When something breaks


class BrokenError(RuntimeError):
    """What the tests break with."""


def break_down(report: Report) -> None:
    raise BrokenError(report.depth)


@pytest.mark.parametrize("threads", [1, 3])
def test_crash_is_told_and_a_move_is_played(threads: int) -> None:
    with opened(Settings(threads=threads)) as session:
        listener = Awaited(on_report=break_down)
        session.set_position(KIWIPETE)
        session.go(Limits(depth=5), listener)
        assert session.wait(20)
        assert [type(error) for error in listener.errors] == [BrokenError]
        (outcome,) = listener.outcomes
        assert_legal(session, outcome)
        assert not session.searching
        assert_answered(session, search(session, Limits(depth=3)))


def test_crash_of_an_infinite_search_still_waits_for_stop(session: Session) -> None:
    listener = Awaited(on_report=break_down)
    session.go(FOREVER, listener)
    assert listener.begun.wait(20)
    assert not session.wait(WHILE)
    session.stop()
    assert session.wait(SOON)
    assert len(listener.outcomes) == len(listener.errors) == 1
    assert_legal(session, listener.outcomes[0])


@pytest.mark.skipif(COMPILED, reason="what is compiled cannot be patched")
@pytest.mark.parametrize("calls", [0, 1, 100])
def test_crash_of_the_evaluator(session: Session, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    left = [calls]
    evaluate = Material.evaluate

    def fail_in_time(self: Material, position: object) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise BrokenError
        return evaluate(self, position)  # type: ignore[arg-type]

    monkeypatch.setattr(Material, "evaluate", fail_in_time)
    listener = Awaited()
    session.set_position(KIWIPETE)
    session.go(Limits(depth=5), listener)
    assert session.wait(20)
    assert [type(error) for error in listener.errors] == [BrokenError]
    assert_legal(session, listener.outcomes[0])
    monkeypatch.undo()
    assert_answered(session, search(session, Limits(depth=2), KIWIPETE))


@pytest.mark.parametrize("method", ["failed", "outcome"])
def test_broken_listener_leaves_the_session_usable(
    session: Session, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    fallen: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: fallen.append(args.exc_value))

    def fail(*_: object) -> None:
        raise BrokenError(method)

    listener = Awaited(on_report=break_down if method == "failed" else None)
    monkeypatch.setattr(listener, method, fail)
    session.go(Limits(depth=2), listener)
    assert session.wait(20)
    session.close()
    assert not session.searching
    assert [str(error) for error in fallen] == [method]
    assert_answered(session, search(session, Limits(depth=2)))


# The position


def test_errors_leave_the_position(session: Session) -> None:
    session.set_position(START_FEN, ["e2e4", "e7e5"])
    before = format_fen(session.position)
    with pytest.raises(FenError):
        session.set_position("nonsense")
    with pytest.raises(MoveError):
        session.set_position(START_FEN, ["e2e4", "e7e5", "e4e5"])
    with pytest.raises(MoveError):
        session.set_position(START_FEN, ["e2e4", "e7e5", "g1f3", "xyz"])
    assert format_fen(session.position) == before
    session.set_position(START_FEN, ["e2e4", "e7e5", "g1f3"])
    assert format_fen(session.position).startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq")


def test_flipped_position_is_the_mirror_image(session: Session) -> None:
    session.set_position(KIWIPETE, ["e1g1", "e8c8"])
    board = chess.Board(format_fen(session.position))
    session.flip()
    assert format_fen(session.position).split()[:4] == board.mirror().fen().split()[:4]
    with pytest.raises(FenError):
        session.set_position("")
    session.flip()
    assert format_fen(session.position) == board.fen()
    session.set_position(KIWIPETE, ["e1g1", "e8c8", "a2a3"])
    assert session.position.side == 1


@pytest.mark.parametrize("seed", range(sized(6, 2)))
def test_game_told_move_by_move_is_the_game_told_at_once(session: Session, seed: int) -> None:
    """Also with moves taken back, and beyond the room for a game's moves."""
    rng = random.Random(seed)
    board = chess.Board()
    texts: list[str] = []
    while len(texts) < 700 and not board.is_game_over():
        quiet = [move for move in board.legal_moves if not board.is_zeroing(move)]
        move = rng.choice(quiet or list(board.legal_moves))
        board.push(move)
        texts.append(move.uci())
        if rng.random() < 0.05:
            count = rng.randrange(1, 4)
            for _ in texts[-count:]:
                board.pop()
            del texts[-count:]
        session.set_position(START_FEN, texts)
        assert format_fen(session.position) == board.fen(en_passant="legal")
    with opened() as other:
        other.set_position(START_FEN, texts)
        assert other.position.key == session.position.key
        assert other.position.is_repetition(0) == session.position.is_repetition(0)
        assert session.position.is_repetition(0) == board.is_repetition(3)


def test_evaluation_is_from_whites_point_of_view(session: Session) -> None:
    for fen, value in ((START_FEN, 0), ("4k3/8/8/8/8/8/8/QK6 b - - 0 1", 900), (MATED, 200)):
        session.set_position(fen)
        explanation = session.explain()
        assert explanation.value == value
        assert sum(term.total[0] for term in explanation.terms) == value


def test_getting_ready_changes_nothing(session: Session) -> None:
    session.settings.threads = 3
    session.get_ready()
    session.settings.threads = 1
    with opened() as other:
        expected = search(other, Limits(depth=3), KIWIPETE)
        assert search(session, Limits(depth=3), KIWIPETE).value == expected.value
    listener = started(session, FOREVER)
    with pytest.raises(SearchingError):
        session.get_ready()
    session.stop()
    assert_answered(session, listener)


# Evaluators


@pytest.fixture
def choices(tmp_path: Path) -> Choices:
    """Evaluators with files of their own; `other.json` has other weights and no outcome."""
    save(tmp_path / "linear.json", random_weights())
    save(tmp_path / "other.json", random_weights(seed=2, outcome=None))
    save_outcome(tmp_path / "material.json", MODEL, {})
    return Choices(tmp_path / "linear.json", tmp_path / "material.json")


def scores(session: Session, threads: int = 1) -> list[int]:
    """What a search to a few depths says, and the nodes that it took."""
    session.settings.threads = threads
    heard = search(session, Limits(depth=sized(4, 2)), KIWIPETE)
    return [number for report in heard.reports for number in (report.score.value, report.nodes)]


def test_evaluators_to_choose_from(choices: Choices) -> None:
    session = Session(None, 1, choices)
    assert session.evaluators == choices.names
    assert session.evaluator == choices.names[0] == DEFAULT
    assert session.problems == []
    for name in choices.names:
        session.use_evaluator(name)
        assert session.evaluator == name
        assert session.outcome_model == MODEL
        assert session.normalises == (name == "linear")
        assert session.explain() == choices[name].make().explain(session.position)
    with pytest.raises(EvaluatorError, match="no evaluator is called 'network'"):
        session.use_evaluator("network")
    assert session.evaluator == name
    session.close()


@pytest.mark.parametrize("threads", [1, 3])
def test_after_another_evaluator_nothing_of_the_last_one_is_left(choices: Choices, threads: int) -> None:
    """One session that has judged otherwise before finds what a fresh one finds."""
    used = Session(None, 1, choices)
    found = {}
    for name in ("material", "linear", "material", "linear"):
        used.use_evaluator(name)
        fresh = Session(None, 1, choices)
        fresh.use_evaluator(name)
        assert scores(used) == scores(fresh)
        found[name] = scores(used, threads)[0]
        fresh.close()
        used.new_game()
    assert found["material"] != found["linear"]
    used.close()


def test_weights_of_ones_own(choices: Choices, tmp_path: Path) -> None:
    session = Session(None, 1, choices)
    session.use_evaluator("linear")
    before = scores(session)
    session.load_weights(tmp_path / "other.json")
    assert (session.evaluator, session.outcome_model, session.normalises) == ("linear", None, False)
    assert scores(session) != before
    with pytest.raises(WeightsError, match=r"missing\.json: there is no such file"):
        session.load_weights(tmp_path / "missing.json")
    assert session.outcome_model is None
    session.load_weights(None)
    assert session.outcome_model == MODEL
    assert scores(session) == before
    session.close()


def test_weights_for_later(choices: Choices, tmp_path: Path) -> None:
    """Material searches on undisturbed; the weights count once linear is chosen."""
    session = Session(None, 1, choices)
    session.use_evaluator("material")
    session.load_weights(tmp_path / "other.json")
    assert session.evaluator == "material"
    session.use_evaluator("linear")
    expected = Linear(random_weights(seed=2)).judge(session.position)
    assert session.explain().value == expected
    session.close()


def test_without_its_weights_the_engine_plays_by_material(choices: Choices, tmp_path: Path) -> None:
    session = Session(None, 1, Choices(tmp_path / "missing.json", tmp_path / "material.json"))
    assert session.evaluators == ("material",)
    assert session.evaluator == "material"
    (problem,) = session.problems
    assert "missing.json: there is no such file" in problem
    assert scores(session)
    with pytest.raises(EvaluatorError, match=r"missing\.json: there is no such file"):
        session.use_evaluator("linear")
    session.load_weights(tmp_path / "linear.json")
    assert session.problems == []
    session.use_evaluator("linear")
    assert session.outcome_model == choices["linear"].outcome
    session.close()


def test_evaluators_are_not_exchanged_during_a_search(choices: Choices) -> None:
    session = Session(None, 1, choices)
    listener = started(session, FOREVER)
    with pytest.raises(SearchingError):
        session.use_evaluator("linear")
    with pytest.raises(SearchingError):
        session.load_weights(None)
    session.stop()
    assert_answered(session, listener)
    session.close()


def test_outcome_names_the_reply_expected(session: Session) -> None:
    heard = search(session, Limits(depth=4))
    (outcome,) = heard.outcomes
    board = chess.Board()
    board.push_uci(move_text(outcome.best))
    board.push_uci(move_text(outcome.ponder))
