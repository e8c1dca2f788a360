"""What was found out about an installation, and what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that should work and does not, and what to do about it; each in one line."""

    what: str
    remedy: str


@dataclass(slots=True)
class Record:
    """Facts by section and name, in the order in which they were found, and problems.

    A home folder is written as `~`: the record is for others to read.
    """

    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, section: str, **facts: Any) -> None:
        """Add facts: texts, numbers, lists of texts, or None for what is not there."""
        self.facts.setdefault(section, {}).update({name: _shortened(fact) for name, fact in facts.items()})

    def complain(self, what: str, remedy: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(_shortened(what), _shortened(remedy)))

    def content(self) -> dict[str, Any]:
        """All of it, for JSON."""
        problems = [{"problem": each.what, "remedy": each.remedy} for each in self.problems]
        return {**self.facts, "problems": problems}

    def lines(self) -> list[str]:
        """All of it, for people."""
        lines = []
        for section, facts in self.facts.items():
            lines += [section.capitalize(), *(_line(name, fact) for name, fact in facts.items()), ""]
        if not self.problems:
            return [*lines, "All is well."]
        lines.append(f"{len(self.problems)} problem{'s' * (len(self.problems) > 1)}")
        return lines + [line for each in self.problems for line in (f"  {each.what}", f"    → {each.remedy}")]


def _line(name: str, fact: Any) -> str:
    text = ", ".join(map(str, fact)) if isinstance(fact, list) else str(fact)
    return f"  {name.replace('_', ' '):<14} {'none' if fact in (None, [], '') else text}"


def _shortened(fact: Any) -> Any:
    if isinstance(fact, list):
        return [_shortened(each) for each in fact]
    home = str(Path.home())
    if not isinstance(fact, str) or len(home) <= 1:
        return fact
    return re.sub(rf"{re.escape(home)}(?![\w.-])", "~", fact)  # not in the name of a longer folder
