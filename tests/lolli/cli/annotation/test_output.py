"""A file and its journal, stopped at every point there is."""

import json
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from lolli.cli.annotation.output import AnnotateError, AnnotationTally, FileOutput, journal_path, part_path
from lolli.cli.journal import Journal, JournalError
from tests.journals import journal, summed
from tests.journals import line as journal_line
from tests.traps import GIANT, laid

RUN = {"input": "3 bytes", "nodes": 100}
PIECES = [b"one\n", b"two\n", b"three\n", b"four\n"]
WHOLE = b"".join(PIECES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.pgn"


def opened(path: Path, **options: Any) -> FileOutput:
    return FileOutput(path, options.pop("run", RUN), **{"size": len(WHOLE), **options})


def write(output: FileOutput, count: int) -> None:
    """Write so many of the pieces that are left, each of which is on record."""
    for number in range(output.begin.number, output.begin.number + count):
        done = sum(map(len, PIECES[:number]))
        output.write(PIECES[number - 1], done, number + 1, number + 1, AnnotationTally(games=number))
        output._commit(sync=False)  # which else waits half a second


def finish(path: Path, **options: Any) -> FileOutput:
    """What another run makes of what it finds."""
    output = opened(path, **options)
    if not output.complete:
        write(output, len(PIECES) + 1 - output.begin.number)
    output.finish()
    output.close()
    assert path.read_bytes() == WHOLE
    assert sorted(path.parent.iterdir()) == [path]
    return output


def test_whole(path: Path) -> None:
    assert finish(path).now.tally == AnnotationTally(games=4)


@pytest.mark.parametrize("written", range(5))
def test_goes_on_where_it_was_closed(path: Path, written: int) -> None:
    first = opened(path)
    write(first, written)
    first.close()
    second = opened(path)
    assert second.begin == first.now
    assert second.begin.number == written + 1
    second.close()
    finish(path)


@pytest.mark.parametrize("lost", [0, 1, 5, 10])
@pytest.mark.parametrize("torn", [0, 1, 40, 100, 400])
def test_whatever_was_lost_at_the_end_of_either_file(path: Path, lost: int, torn: int) -> None:
    output = opened(path)
    write(output, 3)
    output.close()
    for file, less in ((part_path(path), lost), (journal_path(path), torn)):
        content = file.read_bytes()
        assert less < len(content)
        file.write_bytes(content[: len(content) - less])
    finish(path)


def test_more_was_written_than_recorded(path: Path) -> None:
    output = opened(path)
    write(output, 2)
    output.close()
    with part_path(path).open("ab") as file:
        file.write(b"thr")
    with journal_path(path).open("ab") as file:
        file.write(b'{"offset":')
    finish(path)


def test_the_part_is_gone(path: Path) -> None:
    output = opened(path)
    write(output, 2)
    output.close()
    part_path(path).unlink()
    assert finish(path).begin.number == 1


def test_the_part_is_not_what_was_written(path: Path) -> None:
    output = opened(path)
    write(output, 3)
    output.close()
    content = part_path(path).read_bytes()
    part_path(path).write_bytes(content[:5] + b"?" + content[6:])
    assert finish(path).begin.number == 2


def test_what_is_written_anew_may_differ(path: Path) -> None:
    """As it does where time is the limit: records of what was lost are forgotten."""
    output = opened(path)
    write(output, 3)
    output.close()
    part_path(path).write_bytes(b"".join(PIECES[:1]))
    second = opened(path)
    assert second.begin.number == 2
    second.write(b"TWO!\n", 8, 3, 3, AnnotationTally(games=2))
    second.close()
    third = opened(path)
    assert third.begin == second.now
    third.close()


def test_zeros_at_the_end_of_the_journal(path: Path) -> None:
    """As some file systems leave them after a loss of power."""
    output = opened(path)
    write(output, 2)
    output.close()
    with journal_path(path).open("ab") as file:
        file.write(b"\0" * 100 + b"\n" + b"\0" * 100)
    assert finish(path).begin.number == 3


def stopped_in_finish(path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    output = opened(path)
    write(output, 4)
    monkeypatch.setattr(where, lambda *_: int("stop"))
    with pytest.raises(ValueError, match="stop"):
        output.finish()
    monkeypatch.undo()
    output.close()


def test_stopped_before_it_has_its_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_in_finish(path, monkeypatch, "pathlib.Path.replace")
    assert not path.exists()
    assert opened_is_complete(path)
    finish(path)


def test_stopped_when_only_the_journal_was_left(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_in_finish(path, monkeypatch, "pathlib.Path.unlink")
    assert path.read_bytes() == WHOLE
    assert opened_is_complete(path)
    assert finish(path).now.tally == AnnotationTally(games=4)


def opened_is_complete(path: Path) -> bool:
    output = opened(path)
    output.close()
    return output.complete


def test_an_existing_file_is_replaced_only_when_told(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(AnnotateError, match=r"out\.pgn already exists \(use --force to overwrite\)"):
        opened(path)
    assert path.read_text() == "precious"
    assert list(path.parent.iterdir()) == [path]
    output = opened(path, force=True)
    write(output, 2)
    output.close()
    assert path.read_text() == "precious"
    with pytest.raises(AnnotateError, match="--force"):
        opened(path)
    finish(path, force=True)


@pytest.mark.parametrize("journal", [None, b"", b'{"journal":"lol', b'{"journal":"lolli","input":"3 by'])
def test_a_part_without_a_journal_is_not_ours(path: Path, journal: bytes | None) -> None:
    """Nor is one with a journal that does not tell of a run."""
    part_path(path).write_text("precious")
    if journal is not None:
        journal_path(path).write_bytes(journal)
    for restart in (False, True):
        with pytest.raises(AnnotateError, match="part already exists, without a journal: move it away"):
            opened(path, restart=restart)
        assert part_path(path).read_text() == "precious"
        assert not journal or journal_path(path).read_bytes() == journal
        assert not path.exists()


def test_what_is_refused_has_forgotten_nothing(path: Path) -> None:
    output = opened(path)
    write(output, 3)
    output.close()
    before = journal_path(path).read_bytes()
    path.write_text("precious")
    with pytest.raises(AnnotateError, match="--force"):
        opened(path, restart=True)
    assert journal_path(path).read_bytes() == before
    assert part_path(path).read_bytes() == b"".join(PIECES[:3])
    assert path.read_text() == "precious"


def test_a_part_of_something_else_beside_the_journal(path: Path) -> None:
    output = opened(path)
    write(output, 2)
    output.close()
    part_path(path).write_text("precious")
    with pytest.raises(AnnotateError, match=r"part does not agree with its journal \(use --restart"):
        opened(path)
    assert part_path(path).read_text() == "precious"
    finish(path, restart=True)


def test_what_has_come_meanwhile_is_not_replaced(path: Path) -> None:
    output = opened(path)
    write(output, 4)
    path.write_text("precious")
    with pytest.raises(AnnotateError, match=r"out\.pgn already exists \(use --force to overwrite\)"):
        output.finish()
    output.close()
    assert path.read_text() == "precious"
    assert finish(path, force=True).complete


@pytest.mark.parametrize("which", [journal_path, part_path])
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_no_link_is_followed(path: Path, which: Callable[[Path], Path], restart: bool, there: bool) -> None:
    """Neither to what is there nor to what would be made."""
    precious = path.with_name("precious")
    if there:
        precious.write_bytes(journal(RUN))
    which(path).symlink_to(precious)
    with pytest.raises(OSError, match="a symbolic link, not a regular file"):
        opened(path, restart=restart)
    assert precious.exists() == there
    assert which(path).is_symlink()
    if there:
        assert precious.read_bytes() == journal(RUN)


@pytest.mark.parametrize("which", [journal_path, part_path])
@pytest.mark.parametrize("trap", ["FIFO", "device", "folder"])
def test_only_regular_files(path: Path, which: Callable[[Path], Path], trap: str) -> None:
    laid(trap, which(path))
    with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
        opened(path)


def test_a_giant_journal_is_not_read(path: Path) -> None:
    laid("giant", journal_path(path))
    with pytest.raises(OSError, match="journal: larger than 16 MiB"):
        opened(path, restart=True)
    assert journal_path(path).stat().st_size == GIANT


def test_a_finished_journal_that_is_not_of_this_input(path: Path) -> None:
    output = opened(path, size=len(WHOLE) - 1)
    write(output, 4)
    part = part_path(path).read_bytes()
    with suppress(OSError):
        part_path(path).unlink()
        output.finish()
    output.close()
    part_path(path).write_bytes(part)
    with pytest.raises(AnnotateError, match=r"the run ended at byte 19 of 18 \(use --restart"):
        opened(path, size=len(WHOLE) - 1)
    assert part_path(path).read_bytes() == WHOLE


def test_what_has_the_name_of_the_output_may_be_something_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it has the length of what was written, and only the journal is left."""
    stopped_in_finish(path, monkeypatch, "pathlib.Path.unlink")
    precious = b"p" * len(WHOLE)
    path.write_bytes(precious)
    with pytest.raises(AnnotateError, match="--force"):
        opened(path)
    assert path.read_bytes() == precious


def test_another_run(path: Path) -> None:
    output = opened(path)
    write(output, 2)
    output.close()
    with pytest.raises(JournalError, match=r"another run: nodes was 100 and is 200 \(use --restart"):
        opened(path, run={**RUN, "nodes": 200})
    with pytest.raises(JournalError, match="nodes was 100 and is not given"):
        opened(path, run={**RUN, "nodes": None})
    assert opened_is_complete(path) is False
    assert finish(path, run={**RUN, "nodes": 200}, restart=True).begin.number == 1


def test_a_run_that_had_not_begun_is_nobodys(path: Path) -> None:
    journal_path(path).write_bytes(journal(RUN))
    assert finish(path, run={**RUN, "nodes": 200}).begin.number == 1


def test_what_has_not_begun_leaves_nothing(path: Path) -> None:
    opened(path).close()
    assert not list(path.parent.iterdir())


def test_what_comes_from_a_pipe_cannot_go_on(path: Path) -> None:
    output = opened(path, size=None)
    write(output, 2)
    output.close()
    with pytest.raises(AnnotateError, match=r"cannot be continued \(use --restart"):
        opened(path, size=None)
    finish(path, size=None, restart=True)


@pytest.mark.parametrize(
    "content",
    [
        *(b"precious\n", b"[1]\n[2]\n", b"precious", b"\n\n", b"\0" * 100, b"\xff\n", b"{"[:1] * 20),
        *(b'{"my": 1}\n', b'{"my":\n 1}', b"{}\n", b"[" * 100_000 + b"\n", b"9" * 100_000 + b"\n"),
        b'{"journal":"lolli","nodes":100,"sum":1}\n{}\n',
        b'{"journal":"lolli"' + b'"nodes":' * 300_000 + b"\n",
    ],
)
def test_a_journal_that_is_none(path: Path, content: bytes) -> None:
    journal_path(path).write_bytes(content)
    for restart in (False, True):
        with pytest.raises(JournalError, match=r"journal is not the journal of a run: move it away$"):
            opened(path, restart=restart)
        assert journal_path(path).read_bytes() == content
        assert list(path.parent.iterdir()) == [journal_path(path)]


def test_a_journal_from_before_journals_had_a_mark(path: Path) -> None:
    journal_path(path).write_text(f"{json.dumps(RUN)}\n")
    assert finish(path).begin.number == 1
    output = opened(path, force=True)
    write(output, 2)
    output.close()
    lines = [json.loads(line) for line in journal_path(path).read_bytes().splitlines()]
    old = [{key: value for key, value in line.items() if key not in ("journal", "sum")} for line in lines]
    journal_path(path).write_text("".join(f"{json.dumps(line)}\n" for line in old))
    output = opened(path, force=True)
    assert output.begin.number == 3
    write(output, 1)
    output.close()
    assert finish(path, force=True).begin.number == 4


GOOD = {
    "offset": 4,
    "number": 2,
    "line": 2,
    "length": 4,
    "crc": zlib.crc32(b"one\n"),
    "tally": asdict(AnnotationTally()),
}
STRANGE: list[Any] = [None, "4", [4], {"a": 4}, True, 4.0, -1, 1 << 63, 10**4000]


@pytest.mark.parametrize(
    "record",
    [
        *({"tally": {}, "what": 1}, {"tally": 3}, {"complete": True}),
        *({key: value for key, value in GOOD.items() if key != missing} for missing in GOOD),
        {**GOOD, "more": 1},
        *({**GOOD, key: value} for key in GOOD for value in STRANGE),
        *({**GOOD, "tally": {**asdict(AnnotationTally()), "games": value}} for value in STRANGE),
    ],
    ids=lambda record: str(record)[:60],
)
def test_a_journal_with_strange_records(path: Path, record: dict[str, Any]) -> None:
    content = journal(RUN, record)
    journal_path(path).write_bytes(content)
    part_path(path).write_bytes(b"one\n")
    with pytest.raises(AnnotateError, match=r"journal has an invalid record \(use --restart"):
        opened(path)
    assert journal_path(path).read_bytes() == content
    assert part_path(path).read_bytes() == b"one\n"


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"{", b"\0" * 9, b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"null", b"NaN", b"[]"),
        *(b'{"offset":4}', b'{"offset":4,"sum":0}', b'{"a":1}' * 200_000, b"9" * 5000, b'{"a":1e999}'),
    ],
    ids=lambda line: str(line)[:30],
)
def test_a_damaged_line_between_others(path: Path, line: bytes) -> None:
    """It is told, and nothing is changed; at the end it counts as not written."""
    content = journal(RUN, GOOD) + line + b"\n"
    journal_path(path).write_bytes(content + journal_line(GOOD))
    part_path(path).write_bytes(b"one\n")
    with pytest.raises(JournalError, match=r"journal is damaged in line 3 \(use --restart to start over\)$"):
        opened(path)
    assert journal_path(path).read_bytes() == content + journal_line(GOOD)
    journal_path(path).write_bytes(content + b"?\n")
    with pytest.raises(JournalError, match=r"journal is damaged in line 3"):
        opened(path)
    journal_path(path).write_bytes(content)
    assert finish(path).begin.number == 2


def test_deep_nesting_with_the_right_sum(path: Path) -> None:
    deep = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    journal_path(path).write_bytes(journal(RUN, GOOD) + summed(deep) + journal_line(GOOD))
    with pytest.raises(JournalError, match="is damaged in line 3"):
        opened(path)


def test_only_one_at_a_time(path: Path) -> None:
    first = opened(path)
    with pytest.raises(JournalError, match="is in use by another run"):
        opened(path)
    with pytest.raises(JournalError, match="is in use by another run"):
        opened(path, restart=True)
    first.close()
    opened(path).close()


def test_a_journal_that_is_deleted_while_it_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock on a file that has just been deleted is worth nothing."""
    path = tmp_path / "journal"
    first = Journal(path, RUN)
    real = os.open
    opens = []

    def open_then_end_the_first(*arguments: Any) -> int:
        file = real(*arguments)
        opens.append(file)
        if len(opens) == 1:
            first.remove()
            first.close()
        return file

    monkeypatch.setattr("os.open", open_then_end_the_first)
    second = Journal(path, RUN)
    monkeypatch.undo()
    assert len(opens) == 2
    with pytest.raises(JournalError, match="in use"):
        Journal(path, RUN)
    second.close()


def test_a_full_disk_leaves_whole_lines(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(path, RUN)
    journal.append({"number": 1}, sync=False)
    real = os.write

    def write_half(file: int, content: bytes) -> int:
        if len(content) < 8:
            raise OSError(28, "No space left on device")
        return real(file, content[: len(content) // 2])

    monkeypatch.setattr("os.write", write_half)
    with pytest.raises(OSError, match=r"No space left on device: .*out\.pgn"):
        journal.append({"number": 2}, sync=False)
    monkeypatch.undo()
    journal.append({"number": 3}, sync=False)
    journal.close()
    again = Journal(path, RUN)
    assert again.records == [{"number": 1}, {"number": 3}]
    again.close()
