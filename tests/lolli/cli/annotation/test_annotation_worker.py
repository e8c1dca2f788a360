"""What a worker makes of every kind of game."""

import io
import re
from pathlib import Path

import chess.pgn
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.board.fen import FenError
from engine.search.limits import Limits
from eval.weight_file import STANDARD
from lolli.cli.analysis.analyst import Analyst
from lolli.cli.analysis.finding import AnalystSettings, Finding
from lolli.cli.annotation.annotation_worker import (
    AnnotationOrder,
    AnnotationResult,
    EngineIdentity,
    annotate,
    engine_identity,
    problem,
)
from lolli.cli.annotation.annotator import AnnotationOptions
from lolli.cli.pgn.game_reader import read_game
from lolli.cli.pgn.raw_games import RawGame, raw_games
from lolli.cli.workers import WorkersError
from tests.lolli.cli.pgn.pgn_corpus import corpus
from tests.lolli.cli.pgn.random_games import Made, made_games
from tests.lolli.cli.pgn.readable import READABLE

SETTINGS = AnalystSettings(megabytes=1)
EVAL = re.compile(r"\[%eval [^\]]*\]")
OURS = {
    *("WhiteACPL", "WhiteAccuracy", "BlackACPL", "BlackAccuracy", "Annotator", "Analysis"),
    *("ECO", "Opening", "Variation"),
}


def order(settings: AnalystSettings = SETTINGS, **changes: object) -> AnnotationOrder:
    usual: dict[str, object] = {"limits": Limits(depth=1), "options": AnnotationOptions()}
    return AnnotationOrder(settings=settings, **{"engine": engine_identity(settings), **usual, **changes})  # type: ignore[arg-type]


def test_a_fresh_game_is_written_even_if_no_move_is_judged() -> None:
    (raw,) = raw_games(io.BytesIO(b"1. e4 $2 { oh } e5 (1... c5) *\n"))
    for fresh, expected in ((False, None), (True, b"1. e4 e5 *\n")):
        done = annotate(order(options=AnnotationOptions(skip=9, fresh=fresh)), raw)
        assert (done.data, done.error) == (expected, None)


def text_of(comment: str) -> list[str]:
    return EVAL.sub("", comment).split()


def assert_kept(before: chess.pgn.GameNode, after: chess.pgn.GameNode) -> None:
    """Everything that was there is there, in the same order, and only what annotating adds is new."""
    assert text_of(after.comment) == text_of(before.comment)
    assert len(after.variations) - len(before.variations) in (0, 1)
    for one, other in zip(before.variations, after.variations, strict=False):
        assert one.move == other.move
        assert one.starting_comment == other.starting_comment
        assert one.nags <= other.nags <= one.nags | {2, 4, 6}
        assert_kept(one, other)


@pytest.mark.parametrize("name", corpus())
def test_every_file_of_the_corpus(name: str) -> None:
    content = corpus()[name]
    raws = list(raw_games(io.BytesIO(content)))
    outcomes = [annotate(order(), raw) for raw in raws]
    assert [outcome.facts is not None for outcome in outcomes] == READABLE[name]
    for raw, outcome in zip(raws, outcomes, strict=True):
        if outcome.data is None:
            continue
        before, after = read_game(raw.data), read_game(outcome.data)
        assert_kept(before.game, after.game)
        assert {key: after.game.headers[key] for key in before.game.headers if key != "Annotator"} == {
            key: value for key, value in before.game.headers.items() if key != "Annotator"
        }
        assert set(after.game.headers) - set(before.game.headers) <= OURS
        for what in ("encoding", "newline", "bom", "prefix", "suffix", "result"):
            assert getattr(before, what) == getattr(after, what) or (
                what == "result" and before.result is None
            )
        mated = after.game.end().board().is_checkmate()
        without = [node for node in after.game.mainline() if "[%eval" not in node.comment]
        assert all(not node.move or (mated and node.is_end()) for node in without)


@pytest.mark.parametrize("files", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_blanks_comments_and_line_ends_anywhere(files: int) -> None:
    """As many games, with the same moves and headers: five in each file."""

    @settings(max_examples=files, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.lists(made_games(blank_lines=True), min_size=5, max_size=5))
    def check(made: list[Made]) -> None:
        data = b"\n\n".join(game.data.rstrip() for game in made)
        outcomes = [(raw, annotate(order(), raw)) for raw in raw_games(io.BytesIO(data))]
        assert [outcome.error for _, outcome in outcomes] == [None] * 5
        written = b"".join(raw.data if outcome.data is None else outcome.data for raw, outcome in outcomes)
        after = [read_game(raw.data).game for raw in raw_games(io.BytesIO(written))]
        assert [list(game.mainline_moves()) for game in after] == [
            list(each.game.mainline_moves()) for each in made
        ]
        for each, game in zip(made, after, strict=True):
            headers = dict(each.game.headers)
            if headers.get("ECO") in {"", "?"}:
                del headers["ECO"]  # unknown, and filled in
            assert headers.items() <= game.headers.items()

    check()


def only(text: str) -> AnnotationResult:
    return annotate(order(), RawGame(1, 1, 0, text.encode()))


def test_why_a_game_cannot_be_read() -> None:
    outcome = only('[Event "x"]\n\n1. e4 e5\n2. Ke3 *\n')
    assert outcome.error is not None
    assert "Ke3" in outcome.error
    assert outcome.line == 3
    assert outcome.data is None


def test_a_game_with_more_moves_than_a_fen_can_tell() -> None:
    """After a pass it is set up anew, with a number of moves that would have five digits."""
    outcome = only('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 9999"]\n\n9999. e3 -- 10000. Kd2 Kd7 *\n')
    assert outcome.error is None
    assert outcome.facts is not None
    assert [score is None for score in outcome.facts["evals"]] == [False, True, False, False]


def test_a_position_that_the_engine_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Finding:
        raise FenError("no")

    monkeypatch.setattr(Analyst, "findings", refuse)
    outcome = only("1. e4 *\n")
    assert outcome.data is None
    assert outcome.error == "the engine cannot use one of its positions: no"


def test_no_game() -> None:
    assert only("\n\n; nothing\n") == AnnotationResult()


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (EngineIdentity("0.0.9", "linear", "abc", compiled=False), "a worker has Lolli 0.1.0, not 0.0.9"),
        (EngineIdentity("0.1.0", "linear", "abc", compiled=False), "a worker has other weights of"),
        (EngineIdentity("0.1.0", "material", "none", compiled=False), "a worker has other weights of"),
    ],
)
def test_an_engine_that_is_not_the_right_one(engine: EngineIdentity, reason: str) -> None:
    settings = AnalystSettings(megabytes=2)
    with pytest.raises(WorkersError, match=reason):
        annotate(order(settings, engine=engine), RawGame(1, 1, 0, b"1. e4 *"))


def test_a_slow_worker_is_not_the_right_one() -> None:
    fast, slow = (EngineIdentity("0.1.0", "linear", "abc", compiled=each) for each in (True, False))
    assert slow.difference(fast) == "runs uncompiled, about 100 times slower"
    assert fast.difference(slow) is None
    assert fast.difference(fast) is None


def test_weights_that_are_gone(tmp_path: Path) -> None:
    weights = tmp_path / "weights.json"
    weights.write_bytes(Path(STANDARD).read_bytes())
    settings = AnalystSettings(weights=str(weights), megabytes=1)
    expected = order(settings)
    assert problem(expected) is None
    engine_identity.cache_clear()
    weights.unlink()
    assert str(problem(expected)).startswith("has no weights: ")
