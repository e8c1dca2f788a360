"""Positions and moves as people write them: FEN, EPD, UCI's `position`, SAN; whole or with parts missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

import chess

from engine.board.fen import FenError, format_fen, parse_fen

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_LINE = 200  # characters of a message or a name
_FIGURINES = str.maketrans(dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBN\0" * 2, strict=True)))
_COMMENTS = re.compile(r"\{[^}]*\}?|;[^\n]*|^%[^\n]*", re.MULTILINE)
_MOVE_NUMBER = re.compile(r"\d+(?:\.+|(?=[^\d\-/]))|\.+")
_MOVE_NUMBER_ALONE = re.compile(r"\d+\Z")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "½-½", "*")
_LONGEST_RESULT = max(map(len, _RESULTS))
_AFTERTHOUGHTS = ",.!?+#=-/±∓⩲⩱∞□"
_SKIPPED = ("", "ep")
_BEGINNING = 2000  # characters in which a first move stands
_LONGEST_MOVE = 20  # characters, with check, assessment and e.p.
_MOVE = re.compile(
    r"(?:[NBKRQ]?[a-h]?[1-8]?[x:\-]?[a-h][1-8](?:[=/]?[nbrqNBRQ]|=?\([nbrqNBRQ]\))?|[O0o]-[O0o](?:-[O0o])?)\Z"
)
_MOST = 10_000  # positions in one text
# Ranks with slashes between them, perhaps with line breaks at the slashes; or `startpos`.
_BOARD = re.compile(
    r"(?<![0-9A-Za-z~])(?:(?P<start>startpos)(?![0-9A-Za-z])"
    r"|[0-9A-Za-z~]++(?:(?:[ \t]*+\n\s*+)?/(?:[ \t]*+\n\s*+)?[0-9A-Za-z~]++){4,}+)",
    re.IGNORECASE,
)
_RANK = re.compile(r"[0-9pnbrqkPNBRQK~]+\Z")
_FEWEST_RANKS = 4  # of digits and pieces only: otherwise it is other text with slashes
_WORD = re.compile(r"[^\s\"'`,;(){}<>\[\]|]+")
_COUNTER = re.compile(r"\d+")
_FIELDS = (
    re.compile("[wb]"),
    re.compile("-|[A-HKQa-hkq]{1,4}"),
    re.compile("-|[a-h][1-8]"),
    _COUNTER,
    _COUNTER,
)
_NUMBER_LIKE = re.compile(r"[+-]?\d")
_NAME = re.compile(r'\bid\s+"([^"\n]*)"')
_HALFMOVE_CLOCK = re.compile(r"\bhmvc\s+(\d+)\s*;")
_FULLMOVE_NUMBER = re.compile(r"\bfmvn\s+(\d+)\s*;")
_MOVES = re.compile(r"[\s\"']*moves\b([^\n]*)", re.IGNORECASE)
# A terminal or a mail may break lines anywhere in a rank.
_BROKEN_RANK = re.compile(r"(?<=[0-9A-Za-z/])[ \t]*\n[ \t]*(?=[0-9A-Za-z]*/|[1-8pnbrqkPNBRQK]+[ \t]+[wb]\b)")


class RecognitionError(ValueError):
    """Why a text cannot be used as a position, in one printable line."""


@dataclass(frozen=True)
class RecognisedPosition:
    """A position that the engine accepts; the moves that led to it are on the board's stack.

    `name` is its name in the source, or empty; `assumed` says what the source left out.
    """

    board: chess.Board
    name: str = ""
    assumed: str = ""

    def at(self, ply: int) -> RecognisedPosition:
        """The position after `ply` plies. Raises RecognitionError if there are fewer."""
        plies = len(self.board.move_stack)
        if ply > plies:
            raise RecognitionError(f"no ply {ply}: the game has {plies}")
        board = self.board.copy()
        for _ in range(plies - ply):
            board.pop()
        return replace(self, board=board)


def board_from_fen(fen: str) -> chess.Board:
    """The board of a FEN with four to six fields, as the engine reads it. Raises RecognitionError.

    It is a Chess960 board only if standard chess does not have its castling rights.
    """
    try:
        canonical = format_fen(parse_fen(fen), chess960=True)
        board = chess.Board(canonical, chess960=True)
    except (FenError, ValueError) as error:
        raise RecognitionError(one_line(str(error))) from None
    board.chess960 = board.has_chess960_castling_rights()
    return board


def one_line(text: str) -> str:
    """A text as one printable line: blanks replace other characters, and a long text is cut."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text[: _LONGEST_LINE + 1])
    line = " ".join(printable.split())
    return line if len(text) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"


def letters_for_figurines(text: str) -> str:
    """Replace figurines: `♘f3` becomes Nf3, `♙e4` becomes e4."""
    return text.translate(_FIGURINES).replace("\0", "")


def looks_like_moves(text: str) -> bool:
    """Whether a text begins with a move."""
    first = next(_words(text[:_BEGINNING]), None)
    return first is not None and bool(_MOVE.match(_bare(first)))


def play_moves(board: chess.Board, text: str) -> None:
    """Play the moves in a text on the board; numbers, comments, variations, marks and result are skipped.

    Raises RecognitionError at the first illegal move, with its number.
    """
    for word in _words(text):
        board.push(_move(board, word))


def numbered(board: chess.Board, san: str) -> str:
    """A move with its number, as in `12. Nf3` and `12... Nf6`."""
    return f"{board.fullmove_number}{'.' if board.turn else '...'} {san}"


def illegal(board: chess.Board, san: str, error: Exception) -> RecognitionError:
    """The error for a move that cannot be played, from python-chess's own error."""
    move = one_line(numbered(board, san))
    if isinstance(error, chess.InvalidMoveError):
        return RecognitionError(f"{move} is not a move")
    if isinstance(error, chess.AmbiguousMoveError):
        return RecognitionError(f"{move} is ambiguous: {' or '.join(_meanings(board, san))}")
    if _lacks_piece(board, san):
        return RecognitionError(f"{move} needs a piece for the promotion, as in {san}=Q")
    check = " (the king is in check)" if board.is_check() else ""
    return RecognitionError(f"{move} is not a legal move{check}")


def _words(text: str) -> Iterator[str]:
    """The moves in a text as they are written, without their numbers."""
    for word in _without_variations(_COMMENTS.sub(" ", letters_for_figurines(text))).split():
        move = _without_numbers(word)
        bare = _bare(move)
        if move == "--" or not (
            bare in _SKIPPED or move in _RESULTS or move[0] == "$" or _MOVE_NUMBER_ALONE.match(move)
        ):
            yield move


def _without_numbers(word: str) -> str:
    """A word without leading move numbers; a result stays."""
    begin = 0
    while number := _MOVE_NUMBER.match(word, begin):
        if len(word) - begin <= _LONGEST_RESULT and word[begin:] in _RESULTS:
            break
        begin = number.end()
    return word[begin:]


def _without_variations(text: str) -> str:
    """The text outside parentheses; those around a promotion, as in e8(Q), are kept."""
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
    """A move without check, mark and `e.p.`; empty if the word is only a mark."""
    if len(word) > _LONGEST_MOVE:
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
    """Whether it is a promotion without its piece."""
    try:
        return bool(board.parse_san(f"{san}=Q").promotion)
    except ValueError:
        return False


def _meanings(board: chess.Board, san: str) -> list[str]:
    """The legal moves that an ambiguous move could mean."""
    match = chess.SAN_REGEX.match(san.rstrip("+#"))
    if not match:
        return []
    kind = chess.PIECE_SYMBOLS.index((match[1] or "p").lower())
    target = chess.parse_square(match[4])
    moves = [move for move in board.legal_moves if move.to_square == target]
    return [board.san(move) for move in moves if board.piece_type_at(move.from_square) == kind]


def positions_from_fens(text: str) -> list[RecognisedPosition]:
    """The positions written as FEN, EPD or UCI's `position` in a text, in order; perhaps none.

    Raises RecognitionError for one that looks like a position but is not valid.
    """
    whole = _BROKEN_RANK.sub("", text)
    try:
        return _positions(text) or _positions(whole)
    except RecognitionError as error:
        try:
            return _positions(whole)
        except RecognitionError:
            raise error from None


def _positions(text: str) -> list[RecognisedPosition]:
    text = text.replace("\\/", "/")  # as some write JSON
    places = [match for match in _BOARD.finditer(text) if match["start"] or _is_board(match[0])]
    if len(places) > _MOST:
        raise RecognitionError(f"more than {_MOST} positions: select some of them")
    positions: list[RecognisedPosition] = []
    for place, following in zip_longest(places, places[1:]):
        rest = text[place.end() : following.start() if following else len(text)]
        first_line, _, others = rest.partition("\n")
        if following and (_WORD.search(first_line) or place["start"]):
            others = ""  # not a continuation, but other text before the next position
        try:
            positions.append(_position(place, first_line, others))
        except RecognitionError as error:
            if len(places) == 1:
                raise
            line = f"line {text.count(chr(10), 0, place.start()) + 1}"
            where = line if "\n" in text else f"position {len(positions) + 1}"
            raise RecognitionError(f"{where}: {error}") from None
    return positions


def placements_from_fens(text: str) -> list[chess.Board]:
    """The boards written as FEN or EPD in a text, legal or not: their pieces, and the side to move if given.

    Raises RecognitionError for one that has not eight ranks of eight squares.
    """
    boards = []
    for place in _BOARD.finditer(text):
        if place["start"]:
            boards.append(chess.Board())
        elif _is_board(place[0]):
            board = chess.Board(None)
            try:
                board.set_board_fen(_ranks(place[0]))
            except ValueError as error:
                raise RecognitionError(one_line(str(error))) from None
            side = _WORD.search(text, place.end())
            board.turn = side is None or _side(side[0]) != "b"
            boards.append(board)
    return boards


def looks_like_board(text: str) -> bool:
    """Whether a text begins with something like a board, perhaps with ranks missing."""
    ranks = text.split(maxsplit=1)[0].split("/")
    return len(ranks) >= _FEWEST_RANKS - 1 and all(_RANK.match(rank) for rank in ranks)


def _is_board(run: str) -> bool:
    return sum(bool(_RANK.match(rank.strip())) for rank in run.split("/")) >= _FEWEST_RANKS


def _position(place: re.Match[str], line: str, others: str) -> RecognisedPosition:
    """The position at a place: `line` is the rest of its line, `others` are the lines after it."""
    if place["start"]:
        position, rest = RecognisedPosition(chess.Board()), line
    else:
        position, rest = _from_fields(_ranks(place[0]), line, others)
    if moves := _MOVES.match(rest):
        board = position.board.copy()
        play_moves(board, moves[1].rstrip("\"'`,;)}] "))
        return replace(position, board=board)
    return position


def _ranks(run: str) -> str:
    """The board in a run of words with slashes between them, which may begin with the path of an address."""
    ranks = [rank.strip() for rank in run.split("/")]
    first = 0
    while len(ranks) - first > 8 and not _RANK.match(ranks[first]):
        first += 1
    return "/".join(ranks[first:]).replace("~", "")


def _from_fields(board: str, line: str, others: str) -> tuple[RecognisedPosition, str]:
    """A position from its board and the text that follows, and the rest of that text."""
    text = f"{line}\n{others}"
    words = list(islice(_WORD.finditer(text), 5))
    fields = [_side(word[0]) if number == 0 else word[0].rstrip(".") for number, word in enumerate(words)]
    known = _known(fields)
    if known == 4 and words[3].start() > len(line):
        known = 3  # a single number on another line is not the half-move clock
    rest = text[words[known - 1].end() if known else 0 :]
    operations = rest.partition("\n")[0]
    fields = fields[:known]
    if known == 3 and ";" in operations:
        clock, number = _HALFMOVE_CLOCK.search(operations), _FULLMOVE_NUMBER.search(operations)
        fields += [clock[1] if clock else "0", number[1] if number else "1"]
    name = _NAME.search(operations)
    return replace(_completed(board, fields), name=one_line(name[1]) if name else ""), rest


def _side(word: str) -> str:
    return {"W": "w", "WHITE": "w", "B": "b", "BLACK": "b"}.get(word.upper(), word)


def _known(fields: list[str]) -> int:
    """How many of the words after a board are its fields, valid or not; the others are other text.

    An invalid word is a mistake in a field, not other text, if the words after it are valid again.
    """
    fits = [bool(rule.fullmatch(field)) for rule, field in zip(_FIELDS, fields, strict=False)]
    if fits[3:4] == [False] and not _NUMBER_LIKE.match(fields[3]):
        del fits[3:]  # an operation of EPD
    for count in range(len(fits), 0, -1):
        mistakes = fits[:count].count(False)
        if fits[count - 1] and (mistakes == 0 or (mistakes == 1 and count >= 3)):
            return count
    return 0


def _completed(board: str, fields: list[str]) -> RecognisedPosition:
    """A position whose side to move, castling rights and en passant square may be missing."""
    default = ("w", "-", "-")
    fen = " ".join((board, *fields, *default[len(fields) :]))
    if fields:
        return RecognisedPosition(board_from_fen(fen), assumed="no castling" if len(fields) == 1 else "")
    try:
        return RecognisedPosition(board_from_fen(fen), assumed="White to move, no castling")
    except RecognitionError as error:
        try:
            position = RecognisedPosition(
                board_from_fen(f"{board} b - -"), assumed="Black to move, no castling"
            )
        except RecognitionError:
            raise error from None
        return position
