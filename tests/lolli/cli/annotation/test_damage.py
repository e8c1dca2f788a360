"""A journal and what was written, damaged at random: refused in a line and left alone, or gone on with."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from lolli.cli.annotation.output import AnnotateError, AnnotationTally, FileOutput, journal_path, part_path
from lolli.cli.journal import JournalError
from tests.journals import journal, line

RUN = {"version": "1", "input": "3 bytes", "weights": "none", "nodes": 100, "time": None}
PIECES = [b"one\n", b"two\n", b"three\n", b"four\n", b"five\n"]
WHOLE = b"".join(PIECES)
DONE = 3


def opened(path: Path) -> FileOutput:
    return FileOutput(path, RUN, size=len(WHOLE))


def write(output: FileOutput, count: int) -> None:
    """Write so many of the pieces that are left, each of which is on record."""
    for number in range(output.begin.number, output.begin.number + count):
        offset = sum(map(len, PIECES[:number]))
        output.write(PIECES[number - 1], offset, number + 1, number + 1, AnnotationTally(games=number))
        output._commit(sync=False)


def begun(folder: Path) -> Path:
    """The target of a run that was stopped."""
    path = folder / "out.pgn"
    output = opened(path)
    write(output, DONE)
    output.close()
    return path


with tempfile.TemporaryDirectory() as _folder:
    _path = begun(Path(_folder))
    JOURNAL, PART = journal_path(_path).read_bytes(), part_path(_path).read_bytes()

RECORDS = [json.loads(text) for text in JOURNAL.splitlines()]
for _record in RECORDS:
    del _record["sum"]


def goes_on(content: bytes, part: bytes) -> str:
    """What comes of it. Fails where anything is lost that was not ours, or the output is not right."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.pgn"
        journal_path(path).write_bytes(content)
        part_path(path).write_bytes(part)
        try:
            output = opened(path)
        except (JournalError, AnnotateError) as error:
            reason = str(error)
        else:
            reason = ""
        if reason:
            assert reason.isprintable()
            assert len(reason) < 1000
            assert not content or journal_path(path).read_bytes() == content
            assert part_path(path).read_bytes() == part
            return "refused"
        if not output.complete:
            write(output, len(PIECES) + 1 - output.begin.number)
        begin = output.begin.number
        output.finish()
        output.close()
        assert path.read_bytes() == WHOLE
        assert [each.name for each in path.parent.iterdir()] == [path.name]
        return f"from {begin}"


def test_without_damage() -> None:
    assert goes_on(JOURNAL, PART) == f"from {DONE + 1}"


@pytest.mark.parametrize(
    "content",
    [
        b'{"another":"file"}\n',
        b'{"version":' + b"[" * 3000,
        line({**RUN, "version": "\x1b[2J"}),
        line(RUN) + line({**RECORDS[1], "length": {}}),
        line(RUN) + line({**RECORDS[1], "length": 1.5}),
        line(RUN) + line({**RECORDS[1], "tally": {**RECORDS[1]["tally"], "mistakes": "\ud800"}}),
    ],
)
def test_journals_without_sums_that_once_went_wrong(content: bytes) -> None:
    assert goes_on(content, PART) == "refused"


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Some bytes exchanged, removed or put in, a piece moved, or the end cut off."""
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.sampled_from([0, 1, 1, 1, 2, 10, 100, 1000])))
        other = draw(st.binary(max_size=4) | st.sampled_from([b"", b"\n", b"\0" * 50, data[:40], b"9" * 20]))
        data = data[:begin] + other + data[end:]
    return data


@given(damaged(JOURNAL))
@settings(max_examples=300)
def test_a_journal_with_wrong_bytes(content: bytes) -> None:
    event(goes_on(content, PART))


@given(damaged(JOURNAL), damaged(PART))
@settings(max_examples=150)
def test_both_with_wrong_bytes(content: bytes, part: bytes) -> None:
    event(goes_on(content, part))


@given(damaged(PART))
@settings(max_examples=150)
def test_a_part_with_wrong_bytes(part: bytes) -> None:
    event(goes_on(JOURNAL, part))


@given(st.permutations(JOURNAL.splitlines(keepends=True)), st.integers(0, 5))
def test_lines_in_another_order(lines: list[bytes], count: int) -> None:
    event(goes_on(b"".join(lines[:count]), PART))


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**4000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.integers(0, DONE), st.sampled_from([*RECORDS[0], *RECORDS[1], *RECORDS[1]["tally"]]), VALUES)
@settings(max_examples=300)
def test_other_values_with_the_right_sum(number: int, key: str, value: Any) -> None:
    """As somebody might write them who knows the format; what cannot be known to be wrong is believed."""
    records = json.loads(json.dumps(RECORDS))
    place = records[number]
    (place["tally"] if key in place.get("tally", ()) else place)[key] = value
    run, *others = records
    content = journal({key: run[key] for key in run if key != "journal"}, *others)
    if run["journal"] != "lolli":
        content = line(run) + b"".join(map(line, others))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.pgn"
        journal_path(path).write_bytes(content)
        part_path(path).write_bytes(PART)
        try:
            opened(path).close()
        except (JournalError, AnnotateError) as error:
            reason = str(error)
        else:
            reason = ""
        assert reason.isprintable()
        assert journal_path(path).read_bytes() == content or not reason
        assert part_path(path).read_bytes() == PART or not reason
        event("refused" if reason else "believed")
