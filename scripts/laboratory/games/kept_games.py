"""The games of a match in a file of JSON lines, each with the terms of the match, which can so be resumed."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from engine.files import append_whole, read_file

if TYPE_CHECKING:
    from pathlib import Path

    Record = TypeVar("Record")

_LARGEST = 1 << 28  # bytes


class RecordError(Exception):
    """The games of a match cannot be read, or are of another one; the message is one line."""


def kept(path: Path, terms: Any, kind: type[Record], game: str, **usual: Any) -> list[Record]:
    """The games of a match in a file, which is made if need be; each is a `kind`, a dataclass.

    `terms` is a dataclass, too; `usual` are terms that older files do not name. Raises RecordError.
    """
    games = []
    try:
        append_whole(path, b"")
        for line in read_file(path, _LARGEST).splitlines():
            record = json.loads(line)
            if {**usual, **record.pop("terms")} != asdict(terms):
                raise RecordError(f"{path}: games on other terms")
            games.append(kind(**{**record, "moves": tuple(record["moves"])}))
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"{path}: a line is not a game of {game}") from error
    return games


def keep(path: Path, terms: Any, played: Any) -> None:
    """Append a game to a file."""
    append_whole(path, (json.dumps({"terms": asdict(terms), **asdict(played)}) + "\n").encode())
