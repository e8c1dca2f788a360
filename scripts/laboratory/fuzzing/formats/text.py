"""Pasted text: a position that the engine accepts, or one line with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from engine.board.fen import parse_fen
from protocol.cli.analysis.notation import RecognitionError
from protocol.cli.analysis.recognition import recognise_text
from scripts.laboratory.fuzzing.ingredients import as_bytes, damaged, played, random_bytes
from scripts.laboratory.fuzzing.target import require, require_plain

if TYPE_CHECKING:
    from random import Random

    import chess

_WORDS = (
    *("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "8/8/8/8/8/8/8/4K2k", "rnbqkbnr/pppppppp/8"),
    *("startpos", "position", "moves", "fen", "e2e4", "e4", "1.", "2...", "Nf3", "O-O", "--", "0-0-0"),
    *("1-0", "(", ")", "{", "}", ";", "$1", "w", "b", "-", "KQkq", "HAha", "e3", "0", "9999"),
    *('[White "A"]', '[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]', '[Variant "Chess960"]'),
    *('[Variant "Atomic"]', 'id "x";', "hmvc 9999;", "fmvn 9999;", "https://lichess.org/analysis/", "?fen="),
    *("%2F", "/", "~", "_", "\n", "\n\n", "\x1b[2J", "\u200b", "♘f3", "½", "bm Nf3;", "e8=Q", "\r\n"),
)
_SNIPPETS = [*(letter.encode() for letter in "/ \n0123456789KQkq-_xw\"'(){};."), *as_bytes(_WORDS)]


def make(rng: Random) -> bytes:
    """A position or a game, mostly damaged, or fragments, or random bytes."""
    kind = rng.random()
    if kind < 0.1:
        return random_bytes(rng, 120)
    if kind < 0.4:
        return rng.choice(("", " ", "\n")).join(rng.choices(_WORDS, k=rng.randrange(12))).encode()
    board = played(rng, 12)
    root = board.root()
    moves = " ".join(move.uci() for move in board.move_stack)
    text = rng.choice(
        (
            board.fen(),
            board.shredder_fen(),
            f"position fen {root.fen()} moves {moves}",
            f"https://lichess.org/analysis/{board.fen().replace(' ', '_')}",
            f"position startpos moves {moves}",
            f'[FEN "{root.fen()}"]\n\n{root.variation_san(board.move_stack)} *',
            f"{root.fen()} | {moves}",
        )
    )
    return damaged(text.encode(), rng, rng.randrange(4), _SNIPPETS)


def check(data: bytes) -> int:
    """Recognise the text as a whole, and one of its games after some plies, both derived from the data."""
    text = data.decode("utf-8", "replace")
    chance = crc32(data)
    recognised(text)
    recognised(text, 1 + chance % 3, chance // 3 % 41)
    return 2


def recognised(text: str, game: int | None = None, ply: int | None = None) -> None:
    """Check that the text is recognised, or refused with one printable line."""
    try:
        setups = recognise_text(text, game=game, ply=ply)
    except RecognitionError as error:
        require_plain(str(error), "the reason")
        require(str(error).isprintable(), f"a reason that is not printable: {error}")
        return
    require(setups, "neither a position nor a reason")
    for setup in setups:
        require(setup.name.isprintable(), f"a name that is not printable: {setup.name!r}")
        _played_again(setup.board)


def _played_again(board: chess.Board) -> None:
    parse_fen(board.fen())
    again = board.root()
    parse_fen(again.fen())
    for move in board.move_stack:
        require(not move or move in again.legal_moves, f"{move} is not legal in {again.fen()}")
        again.push(move)
    require(again == board, f"the moves lead to {again.fen()}, not to {board.fen()}")
