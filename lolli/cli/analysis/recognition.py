"""Positions from text that people paste, type or have in a file."""

import re
from collections.abc import Iterator, Sequence
from errno import EFBIG
from io import BytesIO
from itertools import islice
from urllib.parse import unquote

import chess
import chess.pgn

from engine.board.fen import FenError, parse_fen
from lolli.cli import given_file
from lolli.cli.analysis.notation import (
    RecognisedPosition,
    RecognitionError,
    letters_for_figurines,
    looks_like_board,
    looks_like_moves,
    one_line,
    placements_from_fens,
    play_moves,
    positions_from_fens,
)
from lolli.cli.given_file import STDIO
from lolli.cli.pgn import raw_games

_LARGEST = 1 << 24  # bytes
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_LOOKED_AT = 4096  # bytes at the beginning that distinguish text from other data
_SUFFIXES = (".epd", ".fen", ".json", ".pgn", ".txt", ".uci")
_INVISIBLE = (
    0xAD,
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2065),
    0xFE0E,
    0xFE0F,
    0xFEFF,
)
_BLANKS = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
_DASHES = (*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63, 0xFF0D)
_APOSTROPHES = (*range(0x2018, 0x201C), 0x2039, 0x203A)
_QUOTES = (*range(0x201C, 0x2020), 0xAB, 0xBB)
_PLAIN = {
    **dict.fromkeys(_INVISIBLE, ""),
    **dict.fromkeys(_BLANKS, " "),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys(_QUOTES, '"'),
    0x2026: "...",
    0x2044: "/",
    0x2215: "/",
    0xFF0F: "/",
    **dict.fromkeys((0x0B, 0x0C, 0x85, 0x2028, 0x2029), "\n"),
}
_SLASHES_OF_A_BOARD = 7
_TAG = re.compile(r'^[ \t]*\[[A-Za-z0-9][A-Za-z0-9_+#=:-]*[ \t]+".*"[ \t]*\][ \t]*$', re.MULTILINE)
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_MOST = 500  # games
_MOVE_ONE = re.compile(r"\s*1\s*\.")
_ANOTHER_GAME = re.compile(r"(?:1-0|0-1|1/2-1/2|\*)[ \t]*\n\s*1\s*\.")
_NAME = r"\[([A-Za-z0-9][A-Za-z0-9_+#=:-]*)[ \t]+"
# A value may have quotes in it: it ends before the end of the line, or before another tag.
_NEXT_TAG = re.compile(
    rf'(?:\s|^[%;][^\n]*)*+{_NAME}"(.*?)"[ \t]*\][ \t]*(?:\n|\Z|(?={_NAME}"))',
    re.MULTILINE,
)
_UNKNOWN = ("", "?")


def _is_file(word: str) -> bool:
    return word == STDIO or (word != "" and given_file.exists(word))  # Path("") is the current folder


def _looks_like_path(word: str) -> bool:
    return (
        bool(word)
        and not re.search(r"\s", word)
        and (word.lower().endswith(_SUFFIXES) or word.startswith(("./", "../", "~", "/")))
    )


def file_text(name: str) -> str:
    """The text of a file or a stream. Raises RecognitionError."""
    try:
        data = given_file.read(name, _LARGEST)
    except OSError as error:
        reason = error.strerror or "cannot be read"
        advice = ": select a part of it" if error.errno == EFBIG else ""
        raise RecognitionError(f"{reason[0].lower()}{reason[1:]}{advice}") from None
    if not data.strip():
        raise RecognitionError("empty")
    return _decoded(data)


def _plain(text: str) -> str:
    """A text with one kind of blank, line break, dash and quotation mark, without invisible characters."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_PLAIN)


def _decoded(data: bytes) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None and b"\0" in data[:_LOOKED_AT]:
        raise RecognitionError("not a text file")
    try:
        return data.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unwrapped(match: re.Match[str]) -> str:
    words = unquote(re.sub(r"[?&#=+]", " ", match[0])).replace("_", " ")
    _, analysis, moves = words.partition("/pgn/")
    if analysis:
        return moves
    return f" {words} " if words.count("/") >= _SLASHES_OF_A_BOARD else " "


def _positions_from_pgn(text: str, game: int | None = None) -> list[RecognisedPosition]:
    """The last position of each game's main line, or only of game number `game`, from 1."""
    first = _TAG.search(text)
    if first and not _MOVE_ONE.match(text):
        text = text[first.start() :]
    content = letters_for_figurines(text).encode(errors="replace")
    pieces = (raw.data.decode(errors="replace") for raw in raw_games(BytesIO(content)))
    if game is None:
        positions = list(islice(_positions(pieces), _MOST + 1))
        if len(positions) > _MOST:
            raise RecognitionError(f"more than {_MOST} games: choose one with --game")
        return positions
    skipped = sum(1 for _ in islice(pieces, game - 1))
    positions = list(islice(_positions(pieces, game), 1))
    if not positions:
        raise RecognitionError(f"no game {game}: there are {skipped}")
    return positions


def _positions(pieces: Iterator[str], number: int = 1) -> Iterator[RecognisedPosition]:
    for piece in pieces:
        try:
            position = _last_position(piece)
        except ValueError as error:
            raise RecognitionError(f"game {number}: {one_line(str(error))}") from None
        if position is not None:
            yield position
            number += 1


def _last_position(text: str) -> RecognisedPosition | None:
    """That of the main line of one game; None for just a comment between two games. Raises ValueError.

    python-chess would copy the rest of the line after each comment: quadratic in the comments on one line.
    """
    first = _TAG.search(text)
    place = first.start() if first else 0
    headers = chess.pgn.Headers({})
    while tag := _NEXT_TAG.match(text, place):
        headers[tag[1]] = tag[2]
        place = tag.end()
    chess960, variant = headers.is_chess960(), headers.get("Variant", "standard")
    if not chess960 and variant.lower() not in map(str.lower, chess.Board.aliases):
        raise RecognitionError(f"unsupported variant {variant!r}")
    board = chess.Board()
    if fen := headers.get("FEN"):
        positions = positions_from_fens(fen)
        if not positions:
            raise RecognitionError(f"not a FEN: {fen!r}")
        board = positions[0].board
    board.chess960 = board.chess960 or chess960
    play_moves(board, text[place:], pgn=True)
    return RecognisedPosition(board, _name(headers)) if headers or board.move_stack else None


def _name(headers: chess.pgn.Headers) -> str:
    white, black, event = (headers.get(tag, "?") for tag in ("White", "Black", "Event"))
    year = headers.get("Date", "")[:4]
    players = "" if white in _UNKNOWN and black in _UNKNOWN else f"{white} - {black}"
    occasion = " ".join(word for word in (event, year) if word not in _UNKNOWN and "??" not in word)
    return one_line(", ".join(part for part in (players, occasion) if part))


def recognise_words(
    words: Sequence[str], *, game: int | None = None, ply: int | None = None
) -> list[RecognisedPosition]:
    """The positions that the words of a command line mean: several files, or one text. See `recognise`."""
    several = len(words) > 1 and all(_is_file(word) or _looks_like_path(word) for word in words)
    texts = words if several else [" ".join(words)]
    return [position for text in texts for position in recognise(text, game=game, ply=ply)]


def recognise(text: str, *, game: int | None = None, ply: int | None = None) -> list[RecognisedPosition]:
    """The positions in a text, or in the file of that name if there is one; `-` is stdin."""
    word = text.strip(" \t")  # no name has a line break
    if not _is_file(word):
        if _looks_like_path(word):
            raise RecognitionError(f"{one_line(word)}: no such file")
        return recognise_text(text, game=game, ply=ply)
    try:
        content = file_text(word)
        if word.lower().endswith(".epd"):
            return _chosen(_of_lines(_plain(content)), game, ply)
        return recognise_text(content, game=game, ply=ply)
    except RecognitionError as error:
        name = "standard input" if word == STDIO else one_line(word)
        raise RecognitionError(f"{name}: {error}") from None


def recognise_text(text: str, *, game: int | None = None, ply: int | None = None) -> list[RecognisedPosition]:
    """The positions in a text: at least one, all legal for the engine.

    The text is empty or `startpos`, for the start position; FEN, EPD or UCI's `position`, even with other
    text around it; moves from the start position; or PGN, for the final position of each game. `game` selects
    the Nth game or position, from 1; `ply` the position after N half-moves instead of the final one. Raises
    RecognitionError if the text has a mistake or no position.
    """
    text = _plain(text)
    is_pgn = _TAG.search(text) or (_MOVE_ONE.match(text) and _ANOTHER_GAME.search(text))
    if is_pgn and (games := _positions_from_pgn(text, game)):
        return _chosen(games, None, ply)
    if not text.strip():
        return _chosen([RecognisedPosition(chess.Board())], game, ply)
    addressless = _URL.sub(_unwrapped, text)
    positions = positions_from_fens(addressless)
    if not positions and looks_like_moves(addressless):
        board = chess.Board()
        play_moves(board, addressless)
        positions = [RecognisedPosition(board)]
    if not positions:
        raise _refusal(text.strip())
    return _chosen(positions, game, ply)


def recognise_placements(words: Sequence[str], *, game: int | None = None) -> list[chess.Board]:
    """The boards that can be drawn, legal or not; none for a game. Raises RecognitionError."""
    text = " ".join(words)
    word = text.strip(" \t")  # no name has a line break
    if _is_file(word):
        text = file_text(word)
    text = _plain(text)
    boards = [] if _TAG.search(text) else placements_from_fens(_URL.sub(_unwrapped, text))
    return boards if game is None else boards[game - 1 : game]


def _of_lines(text: str) -> list[RecognisedPosition]:
    """An EPD file: one position a line, except for blank lines and those that begin with #."""
    positions = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            found = positions_from_fens(line)
        except RecognitionError as error:
            raise RecognitionError(f"line {number}: {error}") from None
        if not found:
            raise RecognitionError(f"line {number}: no position")
        positions += found
    if not positions:
        raise RecognitionError("no position")
    return positions


def _chosen(
    positions: list[RecognisedPosition], game: int | None, ply: int | None
) -> list[RecognisedPosition]:
    if game is not None:
        if game > len(positions):
            raise RecognitionError(f"no position {game}: there are {len(positions)}")
        positions = positions[game - 1 : game]
    if ply is not None:
        positions = [position.at(ply) for position in positions]
    for position in positions:
        try:
            parse_fen(position.board.fen())
        except FenError as error:
            raise RecognitionError(one_line(str(error))) from None
    return positions


def _refusal(text: str) -> RecognitionError:
    if looks_like_board(text):
        return RecognitionError(_reason(text))
    if _URL.match(text.strip()):
        return RecognitionError("web pages are not fetched: paste the FEN or PGN itself")
    if "\n" in text:
        return RecognitionError("no FEN, PGN or moves found")
    return RecognitionError(f"not a FEN, a file or a move: {one_line(text)!r}")


def _reason(text: str) -> str:
    fields = text.split()
    default = ("", "w", "-", "-")
    try:
        parse_fen(" ".join([*fields[:6], *default[len(fields) :]]))
    except FenError as error:
        return one_line(str(error))
    return f"not a FEN: {one_line(text)!r}"
