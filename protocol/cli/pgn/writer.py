"""A game that was read, written as it came."""

from codecs import BOM_UTF8

import chess.pgn

from protocol.cli.pgn.reader import ReadGame

_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")


class _Exporter(chess.pgn.StringExporter):
    def __init__(self, result: str) -> None:
        super().__init__(columns=80, headers=False)
        self._result = result

    def visit_result(self, result: str) -> None:  # noqa: ARG002 - the header's
        super().visit_result(self._result)


def written(read: ReadGame) -> bytes:
    """The game in its own encoding and line ends, headers in their order and new ones after them.

    A game that was cut off ends with the result that its header tells, or else with `*`. What was added
    to a game in Latin-1 must be in Latin-1; otherwise UnicodeEncodeError.
    """
    headers = read.game.headers
    names = dict.fromkeys((*(name for name in read.order if name in headers), *headers))
    lines = "".join(f'[{name} "{headers[name]}"]\n' for name in names)
    told = headers.get("Result", "*")
    result = read.result or (told if told in _RESULTS else "*")
    moves = read.game.accept(_Exporter(result))
    if lines:
        lines += "\n"
    text = f"{read.prefix}{lines}{moves}{read.suffix}".replace("\n", read.newline)
    return BOM_UTF8 * read.bom + text.encode(read.encoding)
