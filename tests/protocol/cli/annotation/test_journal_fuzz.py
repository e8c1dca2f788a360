"""Journals of `annotate`: resumed as far as the output confirms them, or refused; nothing is lost."""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cli.annotation.output import AnnotateError, AnnotationTally, Checkpoint, FileOutput
from protocol.journal import Journal, JournalError
from tests.fuzzing import JSON_SNIPPETS, assert_plain, examples, exchanged, spoiled

RUN = {"version": "1", "input": "999 bytes, 0123", "evaluator": "linear", "nodes": 1000, "time": None}
MARK = b'{"journal":"lolli",'
PIECES = (b'[Event "1"]\n\n1. e4 *\n\n', b'[Event "2"]\n\n1. d4 d5 *\n\n', b'[Event "3"]\n\n*\n\n', b"x\n")
INPUT = 100  # bytes
TARGET, JOURNAL, PART = "out.pgn", "out.pgn.journal", "out.pgn.part"
LARGEST = 1 << 63


@cache
def records() -> list[dict[str, Any]]:
    """A record after each piece."""
    now, found = Checkpoint(), []
    for number, piece in enumerate(PIECES, 2):
        offset = INPUT if number > len(PIECES) else number * 20
        now = Checkpoint(offset, number, number * 4, now.length, now.crc, AnnotationTally(number - 1))
        now = now.advanced(piece)
        found.append(asdict(now))
    return found


def line(content: object) -> bytes:
    """A line of a journal without checksums."""
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def marked(contents: list[dict[str, Any]], folder: Path) -> bytes:
    """The lines of a journal with checksums."""
    path = folder / "made"
    journal = Journal(path, contents[0])
    for content in contents[1:]:
        journal.append(content)
    journal.begin()
    journal.close()
    data = path.read_bytes()
    path.unlink()
    return data


def first(length: object = 22, **others: object) -> bytes:
    """A journal with one record, of this length and with other values."""
    record = records()[0]
    return line(RUN) + line({**record, "length": length, "tally": {**record["tally"], **others}})


def there(journal: bytes, **more: bytes) -> dict[str, bytes]:
    """A journal with the first piece."""
    return {JOURNAL: journal, PART: PIECES[0], **more}


@st.composite
def runs(draw: st.DrawFn, folder: Path) -> dict[str, bytes]:
    """A journal and its output, one of them often damaged."""
    count = draw(st.integers(0, len(PIECES)))
    contents = [RUN, *records()[:count]]
    if draw(st.integers(0, 4)) == 0:
        contents.append({"complete": True, **records()[max(0, count - 1)]})
    if draw(st.booleans()):
        lines = marked(contents, folder).splitlines(keepends=True)
    else:
        lines = [line(content) for content in contents]
    kind = draw(st.integers(0, 9))
    if kind < 4:
        number = draw(st.integers(0, len(contents) - 1))
        lines[number] = draw(exchanged(contents[number])) + b"\n"
    elif kind == 4:
        lines.reverse()
    pieces = draw(st.sampled_from((count, count, 4, 0)))
    files = {JOURNAL: b"".join(lines), PART: b"".join(PIECES[:pieces])}
    name = draw(st.sampled_from((None, None, JOURNAL, JOURNAL, PART)))
    if name:
        files[name] = draw(spoiled(st.just(files[name]), JSON_SNIPPETS))
    if draw(st.integers(0, 6)) == 0:
        files[TARGET] = b"".join(PIECES[:count])
    if draw(st.integers(0, 9)) == 0:
        del files[draw(st.sampled_from(sorted(files)))]
    return files


ONCE_WRONG = {
    "a length that is an object": there(first({})),
    "a length that is not a whole number": there(first(1.5)),
    "a tally of text": there(first(mistakes="\ud800")),
    "an escape sequence": there(line({**RUN, "version": "\x1b[2J"}) + line(records()[0])),
    "deep nesting": there(b'{"version":' + b"[" * 3000),
    "not a journal of ours": there(b'{"another":"file"}\n'),
    "refused and cut short": there(first() + b'{"off', **{TARGET: b"there\n"}),
}


@pytest.mark.parametrize("name", ONCE_WRONG)
def test_what_once_went_wrong(tmp_path: Path, name: str) -> None:
    check(tmp_path, ONCE_WRONG[name], force=False, restart=False)


@given(st.data(), st.sampled_from((False, False, False, True)), st.sampled_from((False, False, False, True)))
@examples(200)
def test_any_journal(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, force: bool, restart: bool
) -> None:
    folder = tmp_path_factory.mktemp("run")
    check(folder, data.draw(runs(folder)), force=force, restart=restart)


def check(place: Path, files: dict[str, bytes], *, force: bool, restart: bool) -> None:
    """Check what becomes of a run with these files."""
    for name, content in files.items():
        (place / name).write_bytes(content)
    try:
        output = FileOutput(place / TARGET, RUN, size=INPUT, force=force, restart=restart)
    except (JournalError, AnnotateError, OSError) as error:
        assert_plain(str(error))
        if not files.get(JOURNAL):  # an empty journal may be removed
            files.pop(JOURNAL, None)
        assert found(place) == files
        return
    check_begun(files, output, force=force, restart=restart)
    if output.begin == Checkpoint():
        output.close()
        return
    output.finish()
    output.close()
    length = output.begin.length
    whole = files[PART][:length] if PART in files else files[TARGET]
    assert found(place).pop(TARGET, None) == whole
    assert {JOURNAL, PART}.isdisjoint(found(place))


def check_begun(files: dict[str, bytes], output: FileOutput, *, force: bool, restart: bool) -> None:
    """Check that a resumed run is ours, and that the output confirms its journal."""
    journal, begin = files.get(JOURNAL, b""), output.begin
    run = described(journal)
    has_records = journal.count(b"\n") > 2  # a single damaged one counts as not written
    assert run in (RUN, {}) or restart or not has_records
    assert begin == Checkpoint() or run == RUN
    assert journal.startswith(MARK) or MARK.startswith(journal) or run == RUN
    assert JOURNAL in files or not files.get(PART)
    assert force or TARGET not in files or output.complete
    numbers = [getattr(begin, name) for name in ("offset", "number", "line", "length", "crc")]
    numbers += list(asdict(begin.tally).values())
    assert all(type(number) is int and 0 <= number < LARGEST for number in numbers), f"begins with {numbers}"
    part = files.get(PART, files.get(TARGET, b""))[: begin.length]
    assert (len(part), crc32(part)) == (begin.length, begin.crc)


def described(journal: bytes) -> dict[str, Any] | None:
    """The run in a journal; empty if its first line is incomplete, None if it names none."""
    first, end, _ = journal.partition(b"\n")
    if not end:
        return {}
    try:
        content = json.loads(first)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    return {name: value for name, value in content.items() if name not in {"journal", "sum"}}


def found(place: Path) -> dict[str, bytes]:
    """The files in a folder."""
    return {path.name: path.read_bytes() for path in place.iterdir()}
