"""Runs over files of games: what a worker makes of every kind of game, and files that grow."""

import io
import re
import tempfile
from collections import Counter
from concurrent.futures import CancelledError, Executor, Future
from functools import partial
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from engine.board.fen import FenError
from engine.search.limits import Limits
from eval.weight_file import STANDARD
from lolli._analyst import Analyst
from lolli._annotator import AnnotationOptions
from lolli._findings import AnalystSettings, Finding
from lolli.cli.annotator import annotated
from lolli.cli.given_file import BadInputError
from lolli.cli.pgn import RawGame, raw_games
from lolli.cli.pgn.game_reader import read_game
from lolli.cli.runs import (
    EngineIdentity,
    GrowingFile,
    Job,
    Result,
    Source,
    do_game,
    engine_identity,
    over_games,
    part_path,
)
from lolli.cli.workers import WorkerDiedError, WorkersError
from tests.fuzzing import cut, flipped
from tests.lolli.cli.pgn.corpus import CORPUS
from tests.lolli.cli.pgn.random_games import Made, made_games
from tests.traps import laid

SETTINGS = AnalystSettings(megabytes=1)
EVAL = re.compile(r"\[%eval [^\]]*\]")
OURS = {
    *("WhiteACPL", "WhiteAccuracy", "BlackACPL", "BlackAccuracy", "Annotator", "Analysis"),
    *("ECO", "Opening", "Variation"),
}


def job(settings: AnalystSettings = SETTINGS, **changes: Any) -> Job:
    usual = {"limits": Limits(depth=1), "options": AnnotationOptions(), "engine": engine_identity(settings)}
    return Job(settings=settings, **{**usual, **changes})


def annotate(job: Job, raw: RawGame) -> Result:
    return do_game(annotated, job, raw)


def test_a_fresh_game_is_written_even_if_no_move_is_judged() -> None:
    (raw,) = raw_games(io.BytesIO(b"1. e4 $2 { oh } e5 (1... c5) *\n"))
    for fresh, expected in ((False, None), (True, b"1. e4 e5 *\n")):
        done = annotate(job(options=AnnotationOptions(skip=9, fresh=fresh)), raw)
        assert (done.data, done.error) == (expected, None)


def text_of(comment: str) -> list[str]:
    """The words of a comment but for the evaluation and the reason, which says how long it is."""
    before, _, rest = comment.partition("[%why ")
    length, _, told = rest.partition("] ")
    return EVAL.sub("", before + told[int(length or 0) :]).split()


def assert_kept(before: chess.pgn.GameNode, after: chess.pgn.GameNode) -> None:
    """Everything that was there is there, in the same order, and only what annotating adds is new."""
    assert text_of(after.comment) == text_of(before.comment)
    assert len(after.variations) - len(before.variations) in (0, 1)
    for one, other in zip(before.variations, after.variations, strict=False):
        assert one.move == other.move
        assert one.starting_comment == other.starting_comment
        assert one.nags <= other.nags <= one.nags | {2, 4, 6}
        assert_kept(one, other)


@pytest.mark.parametrize("name", CORPUS)
def test_files_of_people(name: str) -> None:
    content, readable = CORPUS[name]
    raws = list(raw_games(io.BytesIO(content)))
    outcomes = [annotate(job(), raw) for raw in raws]
    assert [outcome.facts is not None for outcome in outcomes] == readable
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


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(st.lists(made_games(blank_lines=True), min_size=5, max_size=5))
def test_blanks_comments_and_line_ends_anywhere(made: list[Made]) -> None:
    """As many games, with the same moves and headers."""
    outcomes = [
        annotate(job(), raw)
        for raw in raw_games(io.BytesIO(b"\n\n".join(game.data.rstrip() for game in made)))
    ]
    assert [outcome.error for outcome in outcomes] == [None] * 5
    for each, outcome in zip(made, outcomes, strict=True):
        game = each.game if outcome.data is None else read_game(outcome.data).game
        assert list(game.mainline_moves()) == list(each.game.mainline_moves())
        unknown = {"ECO"} if each.game.headers.get("ECO") in {"", "?"} else set()  # and filled in
        assert {**each.game.headers}.items() <= {
            **game.headers,
            **{name: each.game.headers[name] for name in unknown},
        }.items()


def only(text: str) -> Result:
    return annotate(job(), RawGame(1, 1, 0, text.encode()))


def test_why_a_game_cannot_be_read() -> None:
    outcome = only('[Event "x"]\n\n1. e4 e5\n2. Ke3 *\n')
    assert outcome.error is not None
    assert "Ke3" in outcome.error
    assert outcome.line == 3
    assert outcome.data is None


def test_a_game_with_more_moves_than_a_fen_can_tell() -> None:
    """After a pass the position is set up again, with a number of moves that would have five digits."""
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
    assert only("\n\n; nothing\n") == Result()


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
        annotate(job(settings, engine=engine), RawGame(1, 1, 0, b"1. e4 *"))


def test_a_slow_worker_is_not_the_right_one() -> None:
    fast, slow = (EngineIdentity("0.1.0", "linear", "abc", compiled=each) for each in (True, False))
    assert slow.difference(fast) == "runs uncompiled, about 100 times slower"
    assert fast.difference(slow) is None
    assert fast.difference(fast) is None


def test_weights_that_are_gone(tmp_path: Path) -> None:
    weights = tmp_path / "weights.json"
    weights.write_bytes(Path(STANDARD).read_bytes())
    settings = AnalystSettings(weights=str(weights), megabytes=1)
    expected = job(settings)
    assert expected.problem() is None
    engine_identity.cache_clear()
    weights.unlink()
    assert str(expected.problem()).startswith("has no weights: ")


class Failing(Executor):
    def __init__(self, error: BaseException) -> None:
        self._error = error

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if args[0].number == 3:
            future.set_exception(self._error)
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def errors_with(error: BaseException) -> list[str | None]:
    pgn = b"".join(b'[Event "%d"]\n\n1. e4 e5 *\n\n' % number for number in range(1, 5))
    results: list[Result] = []
    work = partial(do_game, annotated, job())
    games = raw_games(io.BytesIO(pgn))
    assert not over_games(games, work, Failing(error), lambda: 9, lambda _, result: results.append(result))
    return [result.error for result in results]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (WorkerDiedError("3 workers died of it"), "3 workers died of it"),
        (ZeroDivisionError("division\nby zero"), "ZeroDivisionError: division by zero"),
        (RecursionError("x" * 999), "RecursionError: " + "x" * 184),
    ],
)
def test_a_game_that_cannot_be_done(error: Exception, reason: str) -> None:
    assert errors_with(error) == [None, None, reason, None]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (WorkersError("a worker has Lolli 0.0.9"), "a worker has Lolli 0.0.9"),
        (ModuleNotFoundError("No module named 'x'"), "ModuleNotFoundError: No module named 'x'"),
        (CancelledError(), "the connection to the workers is lost"),
        (
            RuntimeError("Error during deserialization of the task graph. This frequently\noccurs if …"),
            "the Dask scheduler cannot read the work: it needs the same Lolli",
        ),
    ],
)
def test_what_concerns_all_games_ends_the_run(error: Exception, reason: str) -> None:
    with pytest.raises(WorkersError) as caught:
        errors_with(error)
    assert str(caught.value) == reason


RUN = {"version": "1", "nodes": 100, "time": None}
PIECES = [b"one\n", b"two\n", b"", b"%lolli 00000000 {}\n", b"four"]
WHOLE = b"".join(PIECES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.pgn"


def opened(
    path: Path, run: dict[str, Any] = RUN, *, size: int | None = len(WHOLE), **options: Any
) -> GrowingFile:
    return GrowingFile(path, run, Source("in.pgn", io.BytesIO(WHOLE), size), **options)


def write(output: GrowingFile, count: int) -> None:
    done = output.totals["pieces"]
    for number, data in enumerate(PIECES[done : done + count], done + 1):
        output.write(RawGame(number, 1, 0, data), data, games=1)


def begun(path: Path, count: int) -> bytes:
    output = opened(path)
    write(output, count)
    output.close()
    return part_path(path).read_bytes()


def finish(path: Path, **options: Any) -> int:
    """Go on with what is there, to the end: the number of pieces that were."""
    output = opened(path, **options)
    before = output.totals["pieces"]
    write(output, len(PIECES))
    assert output.totals == {"pieces": 5, "games": 5, "bytes": len(WHOLE), "lines": 3}
    output.finish()
    output.close()
    assert path.read_bytes() == WHOLE
    assert list(path.parent.iterdir()) == [path]
    return before


def test_a_run_goes_on_with_the_number_and_the_line_of_the_next_game() -> None:
    text = b'[Event "?"]\n\n*\n\n' * 3
    first, *others = raw_games(io.BytesIO(text))
    done = Counter(pieces=1, bytes=len(first.data), lines=first.lines)
    assert list(Source("in.pgn", io.BytesIO(text), len(text)).games_after(done)) == others


def test_what_has_not_begun_leaves_nothing(path: Path) -> None:
    opened(path).close()
    assert not list(path.parent.iterdir())


def test_cut_off_anywhere(path: Path) -> None:
    """What was whole is kept, and nothing else; also with zeros after it, as a loss of power leaves them."""
    content = begun(path, 4)
    ends = [content.index(b"\n") + 1]
    for data in PIECES[:4]:
        ends.append(content.index(b"\n", ends[-1]) + 1 + len(data))
    for length in range(len(content) + 1):
        for rest in (b"", b"\0" * 50) if length >= ends[0] else (b"",):
            part_path(path).write_bytes(content[:length] + rest)
            assert finish(path) == sum(end <= length for end in ends[1:])
            path.unlink()


with tempfile.TemporaryDirectory() as _folder:
    PART = begun(Path(_folder) / "out.pgn", 4)


@given(flipped(st.just(PART)) | cut(st.just(PART)))
@settings(max_examples=300)
def test_wrong_bytes(content: bytes) -> None:
    """It is refused in a line and left alone, or gone on with to the right end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.pgn"
        part_path(path).write_bytes(content)
        try:
            finish(path)
        except BadInputError as error:
            reason = error.message
        else:
            reason = ""
        event("refused" if reason else "gone on with")
        assert reason.isprintable()
        assert not reason or part_path(path).read_bytes() == content


@pytest.mark.parametrize(
    "content", [b"precious", b"\n", b"\0" * 100, b"%lolli 1 {}\n", b'[Event "x"]\n\n1. e4 *\n']
)
@pytest.mark.parametrize("restart", [False, True])
def test_a_part_that_is_not_ours(path: Path, content: bytes, restart: bool) -> None:
    part_path(path).write_bytes(content)
    with pytest.raises(BadInputError, match="part is not an unfinished run of this version: move it away"):
        opened(path, restart=restart)
    assert part_path(path).read_bytes() == content
    assert not path.exists()


def test_an_existing_file_is_replaced_only_when_told(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(BadInputError, match=r"out\.pgn already exists \(use --force to overwrite\)"):
        opened(path)
    assert list(path.parent.iterdir()) == [path]
    output = opened(path, force=True)
    write(output, 2)
    output.close()
    before = part_path(path).read_bytes()
    with pytest.raises(BadInputError, match="--force"):
        opened(path, restart=True)
    assert part_path(path).read_bytes() == before
    assert path.read_text() == "precious"
    assert finish(path, force=True) == 2


@pytest.mark.parametrize("content", [b"p" * len(WHOLE), WHOLE + b"more"])
def test_what_has_come_meanwhile_is_not_replaced(path: Path, content: bytes) -> None:
    output = opened(path)
    write(output, 5)
    path.write_bytes(content)
    with pytest.raises(BadInputError, match="already exists"):
        output.finish()
    output.close()
    with pytest.raises(BadInputError, match="already exists"):
        opened(path)
    assert finish(path, force=True) == 5


@pytest.mark.parametrize("where", ["os.replace", "pathlib.Path.unlink"])
def test_stopped_in_its_last_steps(path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Before the file has its name, and before the part is deleted."""
    output = opened(path)
    write(output, 5)
    monkeypatch.setattr(where, lambda *_: int("stop"))
    with pytest.raises(ValueError, match="stop"):
        output.finish()
    monkeypatch.undo()
    output.close()
    assert finish(path) == 5


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_no_link_is_followed(path: Path, restart: bool, there: bool) -> None:
    precious = path.with_name("precious")
    if there:
        precious.write_bytes(PART)
    part_path(path).symlink_to(precious)
    with pytest.raises(OSError, match="a symbolic link, not a regular file"):
        opened(path, restart=restart)
    assert precious.exists() == there
    assert not there or precious.read_bytes() == PART


@pytest.mark.parametrize("trap", ["FIFO", "device", "folder"])
def test_only_regular_files(path: Path, trap: str) -> None:
    laid(trap, part_path(path))
    with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
        opened(path)


def test_another_run(path: Path) -> None:
    begun(path, 2)
    with pytest.raises(BadInputError, match=r"another run: nodes was 100 and is 200 \(use --restart"):
        opened(path, {**RUN, "nodes": 200})
    with pytest.raises(BadInputError, match="nodes was 100 and is not given"):
        opened(path, {**RUN, "nodes": None})
    assert finish(path, run={**RUN, "nodes": 200}, restart=True) == 0


def test_what_comes_from_a_pipe_cannot_go_on(path: Path) -> None:
    output = opened(path, size=None)
    write(output, 2)
    output.close()
    with pytest.raises(BadInputError, match=r"cannot be continued \(use --restart"):
        opened(path, size=None)
    finish(path, size=None, restart=True)


def test_only_one_at_a_time(path: Path) -> None:
    first = opened(path)
    for restart in (False, True):
        with pytest.raises(BadInputError, match="is in use by another run"):
            opened(path, restart=restart)
    first.close()
    opened(path).close()
