"""A list in a JSON file, to which an item is added so that every other byte stays as it was."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_BLANKS = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """How a client writes its JSON: one step of indentation, what follows a key, and what ends the file."""

    indent: str
    colon: str = ": "
    ending: str = ""
    ascii_only: bool = True
    sort_keys: bool = False

    def dumps(self, item: dict[str, Any], indent: str | None = None) -> str:
        """The item by itself; `indent` is a step of indentation other than the client's."""
        return json.dumps(
            item,
            indent=self.indent if indent is None else indent,
            separators=(",", self.colon),
            ensure_ascii=self.ascii_only,
            sort_keys=self.sort_keys,
        )


class JsonList:
    """The items of a list, and where each stands in the text."""

    def __init__(self, text: str, style: JsonStyle) -> None:
        """An empty text is an empty list. Raises ValueError, with the line, where it is not a list."""
        self._style = style
        self._text = text if text.strip() else f"[]{style.ending}"
        try:
            json.loads(self._text)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        if not self._text.lstrip().startswith("["):
            raise ValueError("not a list of engines")
        self.items: list[Any] = []
        self._spans: list[tuple[int, int]] = []
        self._read()

    def _read(self) -> None:
        decoder, at = json.JSONDecoder(), self._text.index("[") + 1
        self._open = at
        while self._text[at := self._after_blanks(at)] != "]":
            item, end = decoder.raw_decode(self._text, at)
            self.items.append(item)
            self._spans.append((at, end))
            at = self._after_blanks(end)
            at += self._text[at] == ","
        self._close = at

    def with_item(self, item: dict[str, Any]) -> str:
        """The text with one more item at the end."""
        line = self._newline + self._indent
        written = line + self._dumps(item)
        if self._spans:
            end = self._spans[-1][1]
            return f"{self._text[:end]},{written}{self._text[end:]}"
        return f"{self._text[: self._open]}{written}{self._newline}{self._text[self._close :]}"

    def with_replaced(self, index: int, item: dict[str, Any]) -> str:
        """The text with another item in place of one."""
        start, end = self._spans[index]
        return self._text[:start] + self._dumps(item) + self._text[end:]

    def _dumps(self, item: dict[str, Any]) -> str:
        text = self._style.dumps(item, self._indent)
        return text.replace("\n", self._newline + self._indent)

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self._text else "\n"

    @property
    def _indent(self) -> str:
        """The blanks before the first item, if it begins a line; else those of the client."""
        if not self._spans:
            return self._style.indent
        before = self._text[: self._spans[0][0]]
        blanks = before[len(before.rstrip(" \t")) :]
        return blanks if blanks and before.removesuffix(blanks).endswith("\n") else self._style.indent

    def _after_blanks(self, at: int) -> int:
        match = _BLANKS.match(self._text, at)
        return match.end() if match else at
