"""Journals of runs, damaged where they have hardly begun; the commands that keep them test the rest."""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.laboratory.long_run import JournalError, RunJournal, description_in


def line(record: Mapping[str, Any]) -> bytes:
    return summed(json.dumps(record, separators=(",", ":")).encode())


def summed(text: bytes) -> bytes:
    """An object in JSON with the sum that it would have; it need not be one that could be read."""
    return b'%b,"sum":%d}\n' % (text[:-1], zlib.crc32(text))


def journal(run: Mapping[str, Any], *records: Mapping[str, Any]) -> bytes:
    return line({"journal": "lolli", **run}) + b"".join(map(line, records))


RUN = {"input": "3 bytes"}
RECORD = {"offset": 390}
DAMAGED = line(RECORD).replace(b"390", b"391")


def opened(path: Path, content: bytes) -> RunJournal:
    path.write_bytes(content)
    found = RunJournal(path, RUN)
    found.close()
    return found


@pytest.mark.parametrize(
    "damaged", [DAMAGED, DAMAGED + b'{"off', DAMAGED + b"\0\0", line({"a": "b" * (1 << 20)})]
)
def test_an_only_record_that_is_whole_but_damaged_or_too_long_is_refused(
    tmp_path: Path, damaged: bytes
) -> None:
    path, content = tmp_path / "journal", journal(RUN) + damaged
    with pytest.raises(JournalError, match="journal is damaged in line 2"):
        opened(path, content)
    assert path.read_bytes() == content


@pytest.mark.parametrize("length", [1, 10, len(line(RECORD)) - 1])
def test_a_last_record_that_was_cut_short_or_damaged_counts_as_not_written(
    tmp_path: Path, length: int
) -> None:
    path = tmp_path / "journal"
    assert opened(path, journal(RUN) + line(RECORD)[:length]).records == []
    assert path.read_bytes() == journal(RUN)
    for last in (line(RECORD)[:length], DAMAGED):
        assert opened(path, journal(RUN, RECORD) + last).records == [RECORD]
        assert path.read_bytes() == journal(RUN, RECORD)


@pytest.mark.parametrize("content", [b"", journal(RUN)[:-5], journal({"input": "9 bytes"}), b'{"jour'])
def test_a_journal_without_records_is_taken_over(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal"
    assert opened(path, content).records == []
    assert path.read_bytes() == journal(RUN)
    assert description_in(path) == RUN


def test_a_journal_of_another_run_with_a_record_is_left_alone(tmp_path: Path) -> None:
    path, content = tmp_path / "journal", journal({"input": "9 bytes"}, RECORD)
    with pytest.raises(JournalError, match="belongs to another run: input was '9 bytes' and is '3 bytes'"):
        opened(path, content)
    assert path.read_bytes() == content


def test_journals_of_old_versions_have_no_sums(tmp_path: Path) -> None:
    path, old = tmp_path / "journal", b'{"input": "3 bytes"}\n{"offset": 390}\n'
    assert opened(path, old).records == [RECORD]
    assert path.read_bytes() == old
    with pytest.raises(JournalError, match="belongs to another run: input was '9 bytes' and is '3 bytes'"):
        opened(path, old.replace(b"3 bytes", b"9 bytes"))
