"""Syzygy endgame tables, read with python-chess, at the root of a search.

For each position they have the result under the fifty-move rule (WDL), and the number of plies until the
winning side captures, moves a pawn or mates (DTZ): always playing a move with the least DTZ makes progress
with every move. See https://syzygy-tables.info/metrics#dtz
"""

import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.syzygy

from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.lookup.book import board_of, move_of
from engine.lookup.library import MOST_MEN
from engine.search.report import REPORTED_EDGE, REPORTED_WIN, Verdict
from engine.system import files

LARGEST = 1 << 40  # the most bytes of a table; those of seven pieces have up to 2**38

_LAST_PLY = 99
"""A win in this many plies without capture or pawn move is certain: the 100th draws, DTZ may be one off."""
_RESULTS = ".rtbw"
_MAGIC = {_RESULTS: b"\x71\xe8\x23\x5d", ".rtbz": b"\xd7\x66\x0c\xa5"}
"""The first bytes of WDL and of DTZ files."""
_BLOCK, _CHECKSUM = 64, 16  # bytes; a file is whole blocks and a checksum
_HEADER, _FIRST_ORDER, _LETTERS = 48, 5, "PNBRQK"
"""The first _HEADER bytes name the pieces, a half byte each, after one or two bytes with their order."""
_MOST_NAMED = 3

_WIN, _CURSED, _DRAW, _BLESSED, _LOSS = 2, 1, 0, -1, -2
_VALUES = {
    _WIN: REPORTED_WIN,
    _CURSED: REPORTED_EDGE,
    _DRAW: 0,
    _BLESSED: -REPORTED_EDGE,
    _LOSS: -REPORTED_WIN,
}

_Rank = tuple[int, int]  # result and order within it, the larger the better


class SyzygyTables:
    """The tables in some folders.

    `fifty_moves`: whether to take the fifty-move rule into account. `asked_men`: the most pieces of a
    position to look up. `results`: the files with results, one for each ending.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        """Never raises: files that cannot be used are left out, and `faults` says why."""
        self.fifty_moves = True
        self.asked_men = MOST_MEN
        self.results: list[Path] = []
        self.faults: list[str] = []
        self._damage = ""
        self._base = _Tablebase()
        self._most_men = 0
        for folder in folders:
            self._add(folder)

    @property
    def summary(self) -> str:
        found = "no tables"
        if count := len(self.results):
            found = f"{count} ending{'s' * (count > 1)} of up to {self._most_men} pieces"
        named = "; ".join(self.faults[:_MOST_NAMED])
        more = len(self.faults) - _MOST_NAMED
        return found + (f"; {named}" if named else "") + (f" and {more} more" if more > 0 else "")

    def verdict(
        self, position: Position, moves: Sequence[int], expired: Callable[[], bool]
    ) -> Verdict | None:
        if not moves or position.castling or position.men() > min(self._most_men, self.asked_men):
            return None
        self._base.hits = 0
        ranks = self._ranks(position, moves, self._base.probe_dtz, expired)
        if ranks is None:  # where a DTZ is missing: of winning moves, captures and pawn moves come first
            probe = self._base.probe_wdl
            ranks = self._ranks(position, moves, lambda board: _BEFORE_ZEROING[probe(board)], expired)
        damage, self._base.damage = self._base.damage, []
        if damage:
            self._damage = f"a damaged endgame table is no longer used: {'; '.join(damage)}"
        if ranks is None:
            return None
        best = max(ranks.values())
        others = sorted((move for move in moves if ranks[move] != best), key=lambda move: ranks[move])
        return Verdict(
            best=tuple(move for move in moves if ranks[move] == best),
            others=tuple(reversed(others)),
            values={move: _VALUES[ranks[move][0]] for move in moves},
            hits=self._base.hits,
        )

    def damage(self) -> str:
        damage, self._damage = self._damage, ""
        return damage

    def _add(self, folder: str) -> None:
        try:
            paths = sorted(Path(folder).iterdir())
        except FileNotFoundError:
            self.faults.append(f"{folder}: no such folder")
            return
        except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
            self.faults.append(f"{folder}: cannot be read: {getattr(error, 'strerror', None) or error}")
            return
        tables = [path for path in paths if path.suffix in _MAGIC and chess.syzygy.is_tablename(path.stem)]
        if not tables:
            self.faults.append(f"{folder}: no Syzygy tables")
        for path in tables:
            fault = _fault(path)
            if fault:
                self.faults.append(f"{path}: {fault}")
            elif self._base.adds(path) and path.suffix == _RESULTS:
                self.results.append(path)
                self._most_men = max(self._most_men, len(path.stem) - 1)

    def _ranks(
        self,
        position: Position,
        moves: Sequence[int],
        measure: Callable[[chess.Board], int],
        expired: Callable[[], bool],
    ) -> dict[int, _Rank] | None:
        """The rank of each move by the `measure` after it; None if one is missing, or when `expired`."""
        board, after = board_of(position), position.copy()
        ranks = {}
        for move in moves:
            if expired():
                return None
            after.make(move)
            board.push(move_of(move))
            try:
                ranks[move] = self._rank(after, board, measure)
            except KeyError:  # the table is missing
                return None
            finally:
                board.pop()
                after.unmake()
        return ranks

    def _rank(self, after: Position, board: chess.Board, measure: Callable[[chess.Board], int]) -> _Rank:
        """The rank of the move that led to a position, for the side that played it."""
        if after.checkers and not legal_moves(after):
            return _WIN, 0
        if after.is_repetition(0) or (after.halfmoves > _LAST_PLY and self.fifty_moves):
            return _DRAW, 0
        if not after.halfmoves:
            distance = _BEFORE_ZEROING[-self._base.probe_wdl(board)]
            played = 0
        else:
            distance = -measure(board)
            distance += (distance > 0) - (distance < 0)
            played = after.halfmoves - 1
        return self._graded(distance, played)

    def _graded(self, distance: int, played: int) -> _Rank:
        """The rank for a DTZ of `distance`, from the mover's side, after `played` plies without progress.

        In a lost position all moves are equal, so that the search can set problems; if the fifty-move rule
        may save it, the longest way is best.
        """
        late = self.fifty_moves and abs(distance) + played > _LAST_PLY
        if distance > 0:
            return (_CURSED if late else _WIN), -distance
        if distance < 0:
            return (_BLESSED, -distance) if late else (_LOSS, 0)
        return _DRAW, 0


_BEFORE_ZEROING = {_LOSS: -1, _BLESSED: -101, _DRAW: 0, _CURSED: 101, _WIN: 1}
"""The DTZ before a capture or pawn move that leads to a result."""


class _Tablebase(chess.syzygy.Tablebase):
    """Counts the tables it reads, and goes on without a file that turns out to be damaged."""

    def __init__(self) -> None:
        super().__init__()
        self.hits = 0
        self.damage: list[str] = []

    def adds(self, path: Path) -> bool:
        """Use a file; False if there is already one of that name."""
        tables, kind = (self.wdl, _Results) if path.suffix == _RESULTS else (self.dtz, _Distances)
        if path.stem in tables:
            return False
        table = kind(str(path))
        tables[table.key] = tables[table.mirrored_key] = table
        return True

    def probe_wdl_table(self, board: chess.Board) -> int:
        with self._guard(self.wdl, board):
            value = super().probe_wdl_table(board)
            if value not in _VALUES:
                raise IndexError
            return value

    def probe_dtz_table(self, board: chess.Board, wdl: int) -> tuple[int, int]:
        with self._guard(self.dtz, board):
            return super().probe_dtz_table(board, wdl)

    @contextmanager
    def _guard(self, tables: dict[str, chess.syzygy.Table], board: chess.Board) -> Iterator[None]:
        """Count what is read, and put a damaged file away: python-chess may then raise any exception.

        A file that was truncated after it was mapped counts as damaged: reading beyond its end would kill the
        process.
        """
        table = tables.get(chess.syzygy.calc_key(board))
        try:
            _check_length(table)
            yield
        except KeyError:
            raise
        except Exception as error:
            if table is None:  # bare kings need none
                raise
            for key in [key for key, value in tables.items() if value is table]:
                del tables[key]
            self.damage.append(f"{table.path} ({type(error).__name__})")
            raise chess.syzygy.MissingTableError(table.path) from None
        self.hits += 1


class _CarefulTable(chess.syzygy.Table):
    """Opened as carefully as it was checked, because the file may have been replaced since."""

    def init_mmap(self) -> None:
        if self.data is None:
            with files.open_file(self.path, LARGEST) as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if hasattr(mmap, "MADV_RANDOM"):
                data.madvise(mmap.MADV_RANDOM)
            self.data = data


class _Results(_CarefulTable, chess.syzygy.WdlTable):
    pass


class _Distances(_CarefulTable, chess.syzygy.DtzTable):
    pass


def _check_length(table: chess.syzygy.Table | None) -> None:
    if table is not None and table.data is not None and table.data.size() < len(table.data):
        raise EOFError


def _fault(path: Path) -> str:
    """What is wrong with a file, by its length and first bytes; empty if nothing is."""
    try:
        with files.open_file(path, LARGEST) as file:
            begin = file.read(_HEADER)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not begin.startswith(_MAGIC[path.suffix]):
        return "not a Syzygy table" if size else "an empty file"
    if size % _BLOCK != _CHECKSUM:
        return "incomplete"
    return "" if _names_its_pieces(begin, path) else "damaged"


def _names_its_pieces(begin: bytes, path: Path) -> bool:
    """Whether the header has the file name's pieces, in the same colours for each file of the leading pawn.

    With others, python-chess would search for ever.
    """
    white, black = path.stem.split("v")
    wanted = [
        sorted(_LETTERS.index(letter) + 1 + colour for side, colour in pair for letter in side)
        for pair in (((white, 0), (black, 8)), ((white, 8), (black, 0)))
    ]
    men = len(white + black)
    orders = 2 if "P" in white and "P" in black else 1
    sides = (0, 4) if path.suffix == _RESULTS and white != black else (0,)
    starts = range(_FIRST_ORDER + orders, _HEADER, men + orders)
    named = [
        sorted(byte >> shift & 15 for byte in begin[start : start + men])
        for start in starts[: 4 if "P" in path.stem else 1]
        for shift in sides
    ]
    return named[0] in wanted and all(each == named[0] for each in named)
