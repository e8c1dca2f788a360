"""Suites of openings, from EPD, FEN or PGN files, plain or compressed."""

import bz2
import gzip
import hashlib
import io
import lzma
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

import chess

from engine.lookup.openings import named_positions
from engine.system import files
from lolli.cli.pgn import raw_games
from lolli.cli.pgn.game_reader import read_game

_OPENERS: dict[str, Callable[[BinaryIO], files.Readable]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
}
_LARGEST = 1 << 29  # bytes, unpacked; the largest suites have a third of that


class OpeningSuiteError(ValueError):
    """A file of openings cannot be used. The message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A position, None for the usual start position, and moves from there in UCI notation."""

    fen: str | None = None
    moves: tuple[str, ...] = ()

    def board(self, *, chess960: bool = False) -> chess.Board:
        board = chess.Board(self.fen or chess.STARTING_FEN, chess960=chess960)
        for move in self.moves:
            board.push_uci(move)
        return board


@dataclass(frozen=True, slots=True)
class OpeningSuite:
    entries: tuple[str, ...]
    is_pgn: bool
    chess960: bool

    @classmethod
    def read(cls, path: Path, *, chess960: bool) -> Self:
        """PGN (.pgn) or lines of EPD or FEN, also compressed (.gz, .xz, .bz2). Raises OpeningSuiteError."""
        suffixes = [suffix.lower() for suffix in path.suffixes]
        try:
            with files.open_file(path, _LARGEST) as file:
                unpacked: files.Readable = file
                if suffixes and suffixes[-1] in _OPENERS:
                    unpacked = _OPENERS[suffixes.pop()](file)
                text = files.read_all(unpacked, _LARGEST, str(path)).decode("utf-8-sig")
        except (OSError, EOFError, lzma.LZMAError, zlib.error, UnicodeDecodeError) as error:
            raise OpeningSuiteError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
        is_pgn = suffixes[-1:] == [".pgn"]
        games = raw_games(io.BytesIO(text.encode())) if is_pgn else ()
        parts = [game.data.decode() for game in games] if is_pgn else text.splitlines()
        entries = tuple(part for part in parts if part.strip() and not part.startswith("#"))
        if not entries:
            raise OpeningSuiteError(f"{path}: no openings")
        return cls(entries, is_pgn, chess960)

    @classmethod
    def of_start_position(cls) -> Self:
        return cls((chess.STARTING_FEN,), is_pgn=False, chess960=False)

    @classmethod
    def of_chess960(cls) -> Self:
        fens = (chess.Board.from_chess960_pos(number).shredder_fen() for number in range(960))
        return cls(tuple(fens), is_pgn=False, chess960=True)

    @classmethod
    def of_named(cls) -> Self:
        try:
            return cls(tuple(named_positions()), is_pgn=False, chess960=False)
        except OSError as error:
            raise OpeningSuiteError(str(error)) from error

    def digest(self) -> str:
        return hashlib.sha256("\n".join(self.entries).encode()).hexdigest()[:16]

    def order(self, seed: int | None) -> list[int]:
        order = list(range(len(self.entries)))
        if seed is not None:
            random.Random(seed).shuffle(order)
        return order

    def opening(self, index: int) -> Opening:
        entry = self.entries[index]
        try:
            return self._from_pgn(entry) if self.is_pgn else self._from_epd(entry)
        except ValueError as error:
            raise OpeningSuiteError(f"opening {index + 1}: {error}") from error

    def _from_epd(self, line: str) -> Opening:
        board = chess.Board(chess960=self.chess960)
        if all(field.isdecimal() for field in line.split()[4:6]):
            board.set_fen(line)
        else:
            board.set_epd(line)
        return Opening(self._fen(board))

    def _from_pgn(self, text: str) -> Opening:
        game = read_game(text.encode()).game
        board = game.board()
        board.chess960 = self.chess960
        fen = self._fen(board)
        moves = []
        for move in game.mainline_moves():
            moves.append(board.uci(move))
            board.push(move)
        return Opening(fen, tuple(moves))

    def _fen(self, board: chess.Board) -> str | None:
        if not board.is_valid():
            raise ValueError(f"not a legal position: {board.fen()}")
        fen = board.shredder_fen() if self.chess960 else board.fen()
        return None if fen == chess.STARTING_FEN and not self.chess960 else fen
