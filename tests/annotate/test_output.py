"""A file and its journal, stopped at every point there is."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from protocol.annotate.errors import JournalError, OutputError
from protocol.annotate.journal import Journal
from protocol.annotate.output import FileOutput, Tally, journal_path, part_path

RUN = {"input": "3 bytes", "nodes": 100}
PIECES = [b"one\n", b"two\n", b"three\n", b"four\n"]
WHOLE = b"".join(PIECES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.pgn"


def opened(path: Path, **options: Any) -> FileOutput:
    return FileOutput(path, options.pop("run", RUN), **{"resumable": True, **options})


def write(output: FileOutput, count: int) -> None:
    """Write so many of the pieces that are left, each of which is on record."""
    for number in range(output.begin.number, output.begin.number + count):
        done = sum(map(len, PIECES[:number]))
        output.write(PIECES[number - 1], done, number + 1, number + 1, Tally(games=number))
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
    assert finish(path).now.tally == Tally(games=4)


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
@pytest.mark.parametrize("torn", [0, 1, 40, 100, 1000])
def test_whatever_was_lost_at_the_end_of_either_file(path: Path, lost: int, torn: int) -> None:
    output = opened(path)
    write(output, 3)
    output.close()
    for file, less in ((part_path(path), lost), (journal_path(path), torn)):
        content = file.read_bytes()
        file.write_bytes(content[: max(0, len(content) - less)])
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
    second.write(b"TWO!\n", 8, 3, 3, Tally(games=2))
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
    assert finish(path).now.tally == Tally(games=4)


def opened_is_complete(path: Path) -> bool:
    output = opened(path)
    output.close()
    return output.complete


def test_an_existing_file_is_replaced_only_when_told(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(OutputError, match=r"out\.pgn is there already; --force writes over it"):
        opened(path)
    assert path.read_text() == "precious"
    assert list(path.parent.iterdir()) == [path]
    output = opened(path, force=True)
    write(output, 2)
    output.close()
    assert path.read_text() == "precious"
    with pytest.raises(OutputError, match="--force"):
        opened(path)
    finish(path, force=True)


def test_a_part_without_a_journal_is_not_ours(path: Path) -> None:
    part_path(path).write_text("precious")
    with pytest.raises(OutputError, match=r"out\.pgn\.part is there already; --restart writes over it"):
        opened(path)
    finish(path, restart=True)


def test_another_run(path: Path) -> None:
    output = opened(path)
    write(output, 2)
    output.close()
    with pytest.raises(JournalError, match="another run: nodes was 100 and is 200; --restart begins anew"):
        opened(path, run={**RUN, "nodes": 200})
    with pytest.raises(JournalError, match="nodes was 100 and is not given"):
        opened(path, run={**RUN, "nodes": None})
    assert opened_is_complete(path) is False
    assert finish(path, run={**RUN, "nodes": 200}, restart=True).begin.number == 1


def test_a_run_that_had_not_begun_is_nobodys(path: Path) -> None:
    journal_path(path).write_text(f"{json.dumps(RUN)}\n")
    assert finish(path, run={**RUN, "nodes": 200}).begin.number == 1


def test_what_has_not_begun_leaves_nothing(path: Path) -> None:
    opened(path).close()
    assert not list(path.parent.iterdir())


def test_what_comes_from_a_pipe_cannot_go_on(path: Path) -> None:
    output = opened(path, resumable=False)
    write(output, 2)
    output.close()
    with pytest.raises(OutputError, match="cannot be gone on with; --restart begins anew"):
        opened(path, resumable=False)
    finish(path, resumable=False, restart=True)


@pytest.mark.parametrize("content", ["precious\n", "[1]\n[2]\n", "precious", "\n\n"])
def test_a_journal_that_is_none(path: Path, content: str) -> None:
    journal_path(path).write_text(content)
    with pytest.raises(JournalError, match="is no journal of a run; --restart writes over it"):
        opened(path)
    assert journal_path(path).read_text() == content
    finish(path, restart=True)


@pytest.mark.parametrize("record", [{}, {"tally": {}, "what": 1}, {"tally": 3}])
def test_a_journal_with_strange_records(path: Path, record: dict[str, Any]) -> None:
    journal_path(path).write_text(f"{json.dumps(RUN)}\n{json.dumps(record)}\n")
    with pytest.raises(OutputError, match="cannot be gone on with"):
        opened(path)
    finish(path, restart=True)


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
