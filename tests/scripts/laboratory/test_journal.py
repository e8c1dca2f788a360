"""Journals that are damaged where they have hardly begun; the commands that keep them test the rest."""

from pathlib import Path

import pytest

from scripts.laboratory.journal import Journal, JournalError
from tests.journals import journal, line

RUN = {"input": "3 bytes"}
RECORD = {"offset": 390}


@pytest.mark.parametrize("rest", [b"", b'{"off', b"\0\0"])
def test_an_only_record_that_is_whole_but_damaged_is_refused(tmp_path: Path, rest: bytes) -> None:
    path = tmp_path / "journal"
    content = journal(RUN) + line(RECORD).replace(b"390", b"391") + rest
    path.write_bytes(content)
    with pytest.raises(JournalError, match="journal is damaged in line 2"):
        Journal(path, RUN)
    assert path.read_bytes() == content


@pytest.mark.parametrize("length", [1, 10, len(line(RECORD)) - 1])
def test_an_only_record_that_was_cut_short_counts_as_not_written(tmp_path: Path, length: int) -> None:
    path = tmp_path / "journal"
    path.write_bytes(journal(RUN) + line(RECORD)[:length])
    opened = Journal(path, RUN)
    assert opened.records == []
    opened.begin()
    opened.close()
    assert path.read_bytes() == journal(RUN)


def test_a_last_record_that_is_damaged_counts_as_not_written(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(journal(RUN, RECORD) + line(RECORD).replace(b"390", b"391"))
    opened = Journal(path, RUN)
    assert opened.records == [RECORD]
    opened.close()
