"""EPD: positions with tasks, or one line with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.board.fen import parse_fen
from protocol.cli.analysis.notation import one_line
from protocol.cli.suites.epd import EpdError, SuitePosition, parse_position, suite_lines
from scripts.laboratory.fuzzing.ingredients import as_bytes, damaged, played, random_bytes
from scripts.laboratory.fuzzing.target import require, require_plain

if TYPE_CHECKING:
    from random import Random

    import chess

_WORDS = (
    *("bm", "am", "dm", "id", "c0", "c7", "c8", "c9", "hmvc", "fmvn", "acd", "ce", "pv", ";", '"', ";;", ","),
    *('"a;b"', "=", "10", "0", "Nf3", "e4", "O-O", "e8=Q+", "Nf3!?", "0000", "--", "Z0", "#", "-3", "٣", "²"),
    *(' id "x";', ' c0 "Nf3=10, e4=5";', ' c8 "10 5"; c9 "e2e4 d2d4";', " dm 3;", " bm;", " 0 1", " 5"),
)
_SNIPPETS = as_bytes(_WORDS)
_LONGEST_WRITTEN = 8  # moves


def make(rng: Random) -> bytes:
    """One or rarely two lines, mostly damaged, or words, or random bytes."""
    kind = rng.random()
    if kind < 0.05:
        return random_bytes(rng, 120)
    if kind < 0.15:
        return f"{played(rng, 5).epd()} {' '.join(rng.choices(_WORDS, k=8))}".encode()
    text = _line(rng).encode()
    if kind < 0.25:
        text += rng.choice((b"\n", b"\r\n", b"\r", b"\n#", b"\n\n")) + _line(rng).encode()
    return damaged(text, rng, rng.randrange(4), _SNIPPETS)


def check(data: bytes) -> int:
    """Check each line: refused with one line, or a solvable task that survives writing and reading."""
    answers = 0
    for number, text in suite_lines(data):
        found = [_parsed(text, number, must_ask=must_ask) for must_ask in (True, False)]
        require(found[0] is None or found[1] is not None, "read only where something must be asked")
        answers += 2
    return answers


def _parsed(text: str, number: int, *, must_ask: bool) -> SuitePosition | None:
    try:
        position = parse_position(text, "file", number, must_ask=must_ask)
    except EpdError as error:
        require_plain(one_line(str(error)), "the reason")
        return None
    _check_position(position)
    return position


def _check_position(position: SuitePosition) -> None:
    board = position.board
    parse_fen(board.fen())
    require_plain(position.name, "the name")
    asked = (*position.best, *position.avoid, *position.points)
    require(all(move in board.legal_moves for move in asked), f"moves that are not legal: {asked}")
    require(position.mate is None or position.mate > 0, f"mate in {position.mate}")
    if position.asks:
        require_plain(position.wanted, "what is wanted")
    solved = [move for move in board.legal_moves if position.is_answered_by(move, position.mate)]
    require(solved or not position.asks or _asks_the_impossible(position), "no move solves it")
    again = parse_position(_written(position), "file", 1, must_ask=False)
    require(
        (again.board, again.best, again.avoid, again.mate)
        == (board, position.best, position.avoid, position.mate),
        f"{_written(position)} is read as a different task",
    )


def _asks_the_impossible(position: SuitePosition) -> bool:
    """Whether all moves that would solve the task are to be avoided."""
    wanted = set(position.best) or set(position.board.legal_moves)
    return wanted <= set(position.avoid)


def _written(position: SuitePosition) -> str:
    """The position as EPD, written here."""
    board = position.board
    parts = [board.shredder_fen() if board.chess960 else board.fen()]
    parts += [f"{code} {_uci(board, moves)};" for code, moves in _moves(position) if moves]
    if position.mate is not None:
        parts.append(f"dm {position.mate};")
    return " ".join(parts)


def _moves(position: SuitePosition) -> tuple[tuple[str, tuple[chess.Move, ...]], ...]:
    return ("bm", position.best), ("am", position.avoid)


def _uci(board: chess.Board, moves: tuple[chess.Move, ...]) -> str:
    return " ".join(board.uci(move) for move in moves)


def _line(rng: Random) -> str:
    """A valid line."""
    board = played(rng, 8)
    moves = list(board.legal_moves)
    words = [rng.choice((board.epd(), board.fen(), board.epd(shredder=True)))]
    if moves:
        for code in ("bm", "am"):
            if rng.random() < 0.6:
                chosen = rng.sample(moves, min(len(moves), rng.randrange(1, 4)))
                write = rng.choice((board.san, board.uci, board.lan))
                words.append(f"{code} {' '.join(map(write, chosen))};")
        if rng.random() < 0.3:
            chosen = rng.sample(moves, min(len(moves), rng.randrange(1, _LONGEST_WRITTEN)))
            points = ", ".join(f"{board.san(move)}={rng.randrange(11)}" for move in chosen)
            words.append(f'c0 "{points}";')
    if rng.random() < 0.3:
        words.append(f"dm {rng.randrange(1, 9)};")
    if rng.random() < 0.5:
        words.append('id "a name";')
    return " ".join(words)
