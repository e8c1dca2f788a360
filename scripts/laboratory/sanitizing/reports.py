"""What the sanitizers have written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_RULER = re.compile(r"^=+$", re.MULTILINE)
_COUNT = re.compile(r"^ThreadSanitizer: reported \d+ warnings\n", re.MULTILINE)
_TITLE = re.compile(r"^.*(?:SUMMARY: |runtime error: |ERROR: |FATAL: ).*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SanitizerReport:
    """One report; those of the same place in the source have the same title."""

    title: str
    text: str


def read(folder: Path) -> list[SanitizerReport]:
    """All reports in the files of a folder."""
    return [report for path in sorted(folder.iterdir()) for report in split(path.read_text(errors="replace"))]


def split(text: str) -> list[SanitizerReport]:
    """The reports in a text; whatever a sanitizer writes is taken for one."""
    return [
        SanitizerReport(_title(part), part.strip())
        for part in _RULER.split(_COUNT.sub("", text))
        if part.strip()
    ]


def _title(text: str) -> str:
    """The summary or, where there is none, the first line that says what happened, without its values."""
    lines = _TITLE.findall(text)
    summaries = [line for line in lines if line.startswith("SUMMARY: ")]
    title: str = (summaries or lines or text.strip().splitlines())[0]
    return re.sub(r"(?<=runtime error: ).*", lambda words: re.sub(r"-?\d[\w.+-]*", "N", words[0]), title)
