"""The options of searchers, each declared once; texts become values here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Value: TypeAlias = bool | int | float | str

_SHOWN = 40  # characters of a wrong text that are quoted
_DIGITS = 18
_YES, _NO = ("true", "on", "yes", "1"), ("false", "off", "no", "0")


class OptionError(ValueError):
    """An unknown option, or a text that is not a value of it; the message is one line."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option; its type is that of the default.

    `least` and `most` bound a number, both included; a text must be one of `choices`, or if there are none,
    may be any, such as the name of a file. `limits`: whether a value other than 0 says how long to search.
    """

    name: str
    default: Value
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    limits: bool = False

    def read(self, text: str) -> Value:
        """The value of `text`. Raises OptionError."""
        try:
            value = self._converted(text.strip())
        except ValueError:
            value = None
        if value is None:
            raise OptionError(f"{self.name} must be {self.expected}, not {text.strip()[:_SHOWN]!r}")
        return value

    @property
    def expected(self) -> str:
        """What a text must be, in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return f"one of {', '.join(self.choices)}" if self.choices else "a name"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        least = "" if self.least is None else f" from {self.least:g}"
        return kind + least + ("" if self.most is None else f" to {self.most:g}")

    def _converted(self, text: str) -> Value | None:
        """The value, or None where it is not allowed. Raises ValueError."""
        if isinstance(self.default, bool):
            return True if text.lower() in _YES else False if text.lower() in _NO else None
        if isinstance(self.default, str) and not self.choices:
            return text or None
        if isinstance(self.default, str):
            return text.lower() if text.lower() in self.choices else None
        if isinstance(self.default, int):
            return self._bounded(int(text)) if len(text) <= _DIGITS else None
        return self._bounded(float(text))

    def _bounded(self, number: float) -> float | None:
        above = self.least is None or number >= self.least
        below = self.most is None or number <= self.most
        return number if above and below else None  # never NaN


def read_options(options: Sequence[Option], texts: Mapping[str, str] | None = None) -> dict[str, Value]:
    """The values of all options; the default where there is no text. Raises OptionError."""
    by_name = {option.name: option for option in options}
    values = {option.name: option.default for option in options}
    for name, text in (texts or {}).items():
        if name.lower() not in by_name:
            known = ", ".join(by_name) or "none"
            raise OptionError(f"unknown option {name[:_SHOWN]!r}; known options: {known}")
        values[name.lower()] = by_name[name.lower()].read(text)
    return values
