"""Reading files of positions in EPD."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from protocol.suite.epd import SuitePosition


def read_positions(files: Sequence[BinaryIO], *, must_ask: bool = True) -> tuple[list[SuitePosition], int]:
    """The positions of all files, and the number of lines that cannot be used, each told on stderr.

    `must_ask`: a line whose position asks for nothing cannot be used.
    """
    from protocol.analysis.recognition_setup import one_line  # noqa: PLC0415 - `--help` needs none of it
    from protocol.suite.epd import EpdError, parse_position, suite_lines  # noqa: PLC0415

    positions: list[SuitePosition] = []
    unusable = 0
    for file in files:
        name = "stdin" if file.name == "<stdin>" else str(file.name)
        for line, text in suite_lines(file.read()):
            try:
                positions.append(parse_position(text, name, line, must_ask=must_ask))
            except EpdError as error:
                unusable += 1
                click.echo(f"{name}:{line}: {one_line(str(error))}", err=True)
    return positions, unusable
