"""Tables of the pages that learning writes."""

from collections.abc import Sequence


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---" for _ in heads], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
