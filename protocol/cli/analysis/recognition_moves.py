"""Moves as people write them: SAN, with figurines or letters, with numbers or without, or UCI's notation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

from protocol.cli.analysis.recognition_setup import RecognitionError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIGURINES = str.maketrans(dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBN\0" * 2, strict=True)))
_COMMENTS = re.compile(r"\{[^}]*\}?|;[^\n]*|^%[^\n]*", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:\.+|(?=[^\d\-/]))|\.+")
_NUMBER_ALONE = re.compile(r"\d+\Z")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "½-½", "*")
_LONGEST_RESULT = max(map(len, _RESULTS))
_AFTERTHOUGHTS = ",.!?+#=-/±∓⩲⩱∞□"
_SKIPPED = ("", "ep")
_BEGINNING = 2000  # characters in which a first move stands
_LONGEST = 20  # characters of a move with all that may hang on it
_MOVE = re.compile(
    r"(?:[NBKRQ]?[a-h]?[1-8]?[x:\-]?[a-h][1-8](?:[=/]?[nbrqNBRQ]|=?\([nbrqNBRQ]\))?|[O0o]-[O0o](?:-[O0o])?)\Z"
)


def letters_for_figurines(text: str) -> str:
    """`♘f3` is Nf3, `♙e4` is e4."""
    return text.translate(_FIGURINES).replace("\0", "")


def looks_like_moves(text: str) -> bool:
    """Whether a text begins with a move."""
    first = next(_words(text[:_BEGINNING]), None)
    return first is not None and bool(_MOVE.match(_bare(first)))


def play_moves(board: chess.Board, text: str) -> None:
    """Play the moves of a text on the board. RecognitionError at the first that is not legal, saying where.

    Numbers, comments, variations, assessments and the result are skipped.
    """
    for word in _words(text):
        board.push(_move(board, word))


def numbered(board: chess.Board, san: str) -> str:
    """A move with its number, as in `12. Nf3` and `12... Nf6`."""
    return f"{board.fullmove_number}{'.' if board.turn else '...'} {san}"


def illegal(board: chess.Board, san: str, error: Exception) -> RecognitionError:
    """Why a move cannot be played on a board, from what python-chess says of it."""
    move = one_line(numbered(board, san))
    if isinstance(error, chess.InvalidMoveError):
        return RecognitionError(f"{move} is not a move")
    if isinstance(error, chess.AmbiguousMoveError):
        return RecognitionError(f"{move} is ambiguous: {' or '.join(_meanings(board, san))}")
    if _lacks_piece(board, san):
        return RecognitionError(f"{move} does not say what the pawn becomes, as in {san}=Q")
    check = " (the king is in check)" if board.is_check() else ""
    return RecognitionError(f"{move} is not legal here{check}")


def _words(text: str) -> Iterator[str]:
    """The moves of a text, each as it is written but for its number."""
    for word in _without_variations(_COMMENTS.sub(" ", letters_for_figurines(text))).split():
        move = _without_numbers(word)
        bare = _bare(move)
        if move == "--" or not (
            bare in _SKIPPED or move in _RESULTS or move[0] == "$" or _NUMBER_ALONE.match(move)
        ):
            yield move


def _without_numbers(word: str) -> str:
    """What stands behind all numbers of moves, but for a result."""
    begin = 0
    while number := _NUMBER.match(word, begin):
        if len(word) - begin <= _LONGEST_RESULT and word[begin:] in _RESULTS:
            break
        begin = number.end()
    return word[begin:]


def _without_variations(text: str) -> str:
    """The text outside parentheses; those around the piece of a promotion, as in e8(Q), are kept."""
    kept, depth = [], 0
    for part in re.split(r"(\([nbrqNBRQ=]\)|[()])", text):
        if part == "(":
            depth += 1
        elif part == ")":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(part)
    return "".join(kept)


def _bare(word: str) -> str:
    """A move without what is thought of it, which may be all there is."""
    if len(word) > _LONGEST:
        return word
    return word.rstrip(_AFTERTHOUGHTS).removesuffix("e.p").rstrip(_AFTERTHOUGHTS)


def _move(board: chess.Board, word: str) -> chess.Move:
    san = re.sub(r"[:/()]", "", _bare(word)).replace("o", "O")
    if not _MOVE.match(_bare(word)):
        raise illegal(board, word, chess.InvalidMoveError())
    try:
        return board.parse_san(san)
    except (chess.IllegalMoveError, chess.AmbiguousMoveError) as error:
        raise illegal(board, san, error) from None


def _lacks_piece(board: chess.Board, san: str) -> bool:
    """Whether it is a pawn's move to the last rank that does not say what the pawn becomes."""
    try:
        return bool(board.parse_san(f"{san}=Q").promotion)
    except ValueError:
        return False


def _meanings(board: chess.Board, san: str) -> list[str]:
    """The legal moves that an ambiguous one could be."""
    match = chess.SAN_REGEX.match(san.rstrip("+#"))
    if not match:
        return []
    kind = chess.PIECE_SYMBOLS.index((match[1] or "p").lower())
    target = chess.parse_square(match[4])
    moves = [move for move in board.legal_moves if move.to_square == target]
    return [board.san(move) for move in moves if board.piece_type_at(move.from_square) == kind]
