"""Journals of `annotate`: resumed as far as the output confirms them, or refused; nothing is lost."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

from protocol.cli.annotation.output import AnnotateError, AnnotationTally, Checkpoint, FileOutput
from protocol.journal import Journal, JournalError
from scripts.laboratory.fuzzing.ingredients import (
    as_bytes,
    cut,
    damaged,
    flipped,
    folder,
    packed,
    random_bytes,
    saved_files,
    unpacked,
)
from scripts.laboratory.fuzzing.target import require, require_plain

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_RUN = {"version": "1", "input": "999 bytes, 0123", "evaluator": "linear", "nodes": 1000, "time": None}
_MARK = b'{"journal":"lolli",'
_PIECES = (b'[Event "1"]\n\n1. e4 *\n\n', b'[Event "2"]\n\n1. d4 d5 *\n\n', b'[Event "3"]\n\n*\n\n', b"x\n")
_INPUT = 100  # bytes
_TARGET, _JOURNAL, _PART, _HOW = "out.pgn", "out.pgn.journal", "out.pgn.part", "how"
_LARGEST = 1 << 63
_WRONG = (
    *("null", "true", "-1", "0", "1.5", "1e999", "NaN", "1" + "0" * 30, "9" * 5000, '""', '"7"', "[]", "{}"),
    *("[" * 3000, '{"a":' * 3000, '"\\ud800"', '"\\u001b[2J"', "9223372036854775807", "-9223372036854775808"),
)
_VALUES: tuple[object, ...] = (
    *(None, True, -1, 0, 1, 1.5, 1e999, 10**30, 10**400, _LARGEST - 1, _LARGEST, -_LARGEST, "", "7", [], {}),
    *([[]], {"a": 1}, "\x1b[2J", "\ud800", "x" * 5000),
)
_SNIPPETS = as_bytes((*_WRONG, *("\n", "\r", ",", ":", "{", "}", '"', "complete", '"complete":true,', "\0")))


def make(rng: Random) -> bytes:
    """A journal and its output, one of them often damaged, or rarely random bytes."""
    count = rng.randrange(len(_PIECES) + 1)
    contents = [_RUN, *_records()[:count]]
    if rng.random() < 0.2:
        contents.append({"complete": True, **_records()[max(0, count - 1)]})
    marked = rng.random() < 0.6
    if rng.random() < 0.4:
        number = rng.randrange(len(contents))
        contents[number] = _exchanged(contents[number], rng)
    lines = _marked_lines(contents) if marked else [_unmarked_line(content, rng) for content in contents]
    if rng.random() < 0.1:
        rng.shuffle(lines)
    files = {_JOURNAL: b"".join(lines), _PART: b"".join(_PIECES[: rng.choice((count, count, 4, 0))])}
    if rng.random() < 0.4:
        name = rng.choice((_JOURNAL, _JOURNAL, _PART))
        files[name] = _spoiled(files[name], rng)
    if rng.random() < 0.15:
        files[_TARGET] = b"".join(_PIECES[:count])
    if rng.random() < 0.1:
        del files[rng.choice(list(files))]
    files[_HOW] = rng.choice((b"", b"", b"", b"force", b"restart", b"force restart"))
    return packed(files)


def check(data: bytes) -> int:
    """Check what happens to the run."""
    files = unpacked(data)
    how = files.pop(_HOW, b"")
    place = saved_files(files)
    force, restart = b"force" in how, b"restart" in how
    try:
        output = FileOutput(place / _TARGET, _RUN, size=_INPUT, force=force, restart=restart)
    except (JournalError, AnnotateError, OSError) as error:
        require_plain(str(error), "the reason")
        if not files.get(_JOURNAL):  # an empty journal may be removed
            files.pop(_JOURNAL, None)
        require(_files(place) == files, f"refused, but the files are other ones: {error}")
        return 1
    _check_begun(files, output, force=force, restart=restart)
    if output.begin == Checkpoint():
        output.close()
        return 1
    output.finish()
    output.close()
    length = output.begin.length
    whole = files[_PART][:length] if _PART in files else files[_TARGET]
    require(_files(place).pop(_TARGET, None) == whole, "finished, but the file is another one")
    require({_JOURNAL, _PART}.isdisjoint(_files(place)), "finished, but something is left")
    return 1


def _check_begun(files: dict[str, bytes], output: FileOutput, *, force: bool, restart: bool) -> None:
    """Check that a resumed run is ours, and that the output confirms its journal."""
    journal, begin = files.get(_JOURNAL, b""), output.begin
    described = _described(journal)
    has_records = journal.count(b"\n") > 2  # a single damaged one counts as not written
    require(described in (_RUN, {}) or restart or not has_records, "another run is overwritten")
    require(begin == Checkpoint() or described == _RUN, "another run is resumed")
    require(journal.startswith(_MARK) or _MARK.startswith(journal) or described == _RUN, "not ours, but used")
    require(_JOURNAL in files or not files.get(_PART), "a file without its journal is overwritten")
    require(force or _TARGET not in files or output.complete, "an existing file is overwritten")
    numbers = [getattr(begin, name) for name in ("offset", "number", "line", "length", "crc")]
    numbers += list(asdict(begin.tally).values())
    require(
        all(type(number) is int and 0 <= number < _LARGEST for number in numbers), f"begins with {numbers}"
    )
    part = files.get(_PART, files.get(_TARGET, b""))[: begin.length]
    require(
        (len(part), crc32(part)) == (begin.length, begin.crc),
        "resumes from a place that the output does not confirm",
    )


def _described(journal: bytes) -> dict[str, Any] | None:
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


def _files(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


@cache
def _records() -> list[dict[str, Any]]:
    """A record after each piece."""
    now, found = Checkpoint(), []
    for number, piece in enumerate(_PIECES, 2):
        offset = _INPUT if number > len(_PIECES) else number * 20
        now = Checkpoint(offset, number, number * 4, now.length, now.crc, AnnotationTally(number - 1))
        now = now.advanced(piece)
        found.append(asdict(now))
    return found


def _marked_lines(contents: list[dict[str, Any]]) -> list[bytes]:
    """The lines of a journal with checksums."""
    path = folder() / _JOURNAL
    journal = Journal(path, contents[0])
    for content in contents[1:]:
        journal.append(content)
    journal.begin()
    journal.close()
    return path.read_bytes().splitlines(keepends=True)


def _unmarked_line(content: dict[str, Any], rng: Random) -> bytes:
    """A line of a journal without checksums, which may have JSON that Python cannot represent."""
    line = json.dumps(content, separators=(",", ":")).encode() + b"\n"
    return line.replace(b'"HERE"', rng.choice(_WRONG).encode())


def _exchanged(content: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The record with one value replaced, added or removed."""
    changed = json.loads(json.dumps(content))
    inner = changed["tally"] if "tally" in changed and rng.random() < 0.3 else changed
    name = rng.choice([*inner, "another"])
    inner[name] = rng.choice(("HERE", *_VALUES))
    if rng.random() < 0.2:
        del inner[name]
    return dict(changed)


def _spoiled(data: bytes, rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.4:
        return damaged(data, rng, rng.randrange(1, 4), _SNIPPETS)
    if kind < 0.6:
        return flipped(data, rng, rng.randrange(1, 5))
    return cut(data, rng) if kind < 0.9 else random_bytes(rng, 200)
