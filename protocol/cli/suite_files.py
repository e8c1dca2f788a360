"""Reading files of positions in EPD."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from protocol import given_file
from protocol.cli.evaluators import BadInputError
from protocol.given_file import STDIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.cli.suites.epd import SuitePosition


_LARGEST = 1 << 24  # bytes; the suites that people publish have some thousandths


def read_positions(names: Sequence[str], *, must_ask: bool = True) -> tuple[list[SuitePosition], int]:
    """The positions of all files, and the number of lines that cannot be used, each told on stderr.

    `must_ask`: a line whose position asks for nothing cannot be used. Raises BadInputError for a file
    that cannot be read.
    """
    from protocol.cli.analysis.recognition_setup import one_line  # noqa: PLC0415 - `--help` needs none of it
    from protocol.cli.suites.epd import EpdError, parse_position, suite_lines  # noqa: PLC0415

    positions: list[SuitePosition] = []
    unusable = 0
    for name in names:
        file = "stdin" if name == STDIO else name
        try:
            data = given_file.read(name, _LARGEST)
        except OSError as error:
            raise BadInputError(f"{file}: {error.strerror}") from None
        for line, text in suite_lines(data):
            try:
                positions.append(parse_position(text, file, line, must_ask=must_ask))
            except EpdError as error:
                unusable += 1
                click.echo(f"{file}:{line}: {one_line(str(error))}", err=True)
    return positions, unusable
