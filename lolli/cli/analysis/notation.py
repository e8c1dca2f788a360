"""Positions and moves as people write them: FEN, EPD, UCI's `position`, SAN; whole or with parts missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

import chess

from engine.board.fen import FenError, format_fen, parse_fen

_LONGEST_LINE = 200  # characters of a message or a name
_FIGURINES = str.maketrans(dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟\ufe0e\ufe0f", [*"KQRBN", ""] * 2 + [""] * 2, strict=True)))
_COMMENTS = re.compile(r"\{[^}]*\}?|;[^\n]*|^%[^\n]*", re.MULTILINE)
_MOVE_NUMBER = re.compile(r"\d+(?:\.+|(?=[^\d\-/]))|\.+")
_NUMBER = re.compile(r"^\d+\s*\.+\s*")
_MOVE_NUMBER_ALONE = re.compile(r"\d+\Z")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "½-½", "*")
_LONGEST_RESULT = max(map(len, _RESULTS))
_AFTERTHOUGHTS = ",.!?+#=-/±∓⩲⩱∞□ "
_EN_PASSANT = re.compile(r"e\.?p\Z", re.IGNORECASE)
_BEGINNING = 2000  # characters in which a first move stands
_CASTLING = re.compile(r"[o0]-?[o0](-?[o0])?", re.IGNORECASE)
_DECORATION = str.maketrans("", "", "-x:/=() ")
_SHORT, _LONG = "OO", "OOO"
_SHAPE = re.compile(
    r"(?P<piece>[KQRBNP]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)(?P<target>[a-h][1-8])(?P<promotion>[KQRBNPkqrbnp]?)"
)
_FOREIGN_MOVE = re.compile(r"\w{0,2}[a-h]?[1-8]?[x:-]?[a-h][1-8](?:[=(]?\w\)?)?[+#!?]*\Z")
_LOOSE_SHAPE = re.compile(_SHAPE.pattern, re.IGNORECASE)
_NULL_MOVES = ("--", "0000", "@@@@", "Z0")
_LONGEST_SHOWN = 20  # characters of a typed text
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
    """The moves that led to it are on the board's stack; `assumed` says what the source left out."""

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
    """Four to six fields; Chess960 only if its castling rights need it. Raises RecognitionError."""
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


def positions_from_fens(text: str) -> list[RecognisedPosition]:
    """Every FEN, EPD or UCI `position` in a text, perhaps none. Raises RecognitionError."""
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
    """Every FEN or EPD in a text, legal or not. Raises RecognitionError for one that is not 8 by 8."""
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
    """How many words after a board are its fields; an invalid word is one if valid ones follow."""
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


def letters_for_figurines(text: str) -> str:
    """Replace figurines: `♘f3` becomes Nf3, `♙e4` becomes e4."""
    return text.translate(_FIGURINES)


def displayed(text: str) -> str:
    line = one_line(text) or "?"
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"


def looks_like_moves(text: str) -> bool:
    first = next(_words(text[:_BEGINNING]), None)
    return first is not None and looks_like_move(first)


def looks_like_move(text: str) -> bool:
    """Whether a text has the form of a move, legal or not."""
    wanted = _canonical(text)
    return wanted in {_SHORT, _LONG} or text.strip() in _NULL_MOVES or bool(_LOOSE_SHAPE.fullmatch(wanted))


def play_moves(board: chess.Board, text: str, *, pgn: bool = False) -> None:
    """Skips numbers, comments, variations, marks and result. Raises RecognitionError at an illegal move.

    `pgn`: a side may pass, and words that are not like a move, in any language, are skipped, too.
    """
    for word in _words(text):
        move = None
        if word in _NULL_MOVES:
            move = chess.Move.null() if pgn and not board.is_check() else None
        elif pgn and not looks_like_move(word) and not _FOREIGN_MOVE.match(word):
            continue
        else:
            with suppress(ValueError):
                move = board.parse_san(word)  # much quicker than `move_of`
            move = move or move_of(board, word)
        if move is None:
            raise _illegal(board, word)
        board.push(move)


def _illegal(board: chess.Board, text: str) -> RecognitionError:
    number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
    return RecognitionError(f"{number} {one_line(text)} {why_not(board, text)}")


def _words(text: str) -> Iterator[str]:
    for word in _without_variations(_COMMENTS.sub(" ", letters_for_figurines(text))).split():
        move = _without_numbers(word)
        is_skipped = not _bare(move) or move in _RESULTS or move[0] == "$" or _MOVE_NUMBER_ALONE.match(move)
        if move in _NULL_MOVES or not is_skipped:
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


def _bare(text: str) -> str:
    """A move without check, mark and `e.p.`; empty if the text is only a mark."""
    return _EN_PASSANT.sub("", text.rstrip(_AFTERTHOUGHTS)).rstrip(_AFTERTHOUGHTS)


def _canonical(text: str) -> str:
    """A move reduced to its necessary letters and digits: `e2e4`, `Nbd2`, `e8q`, `OO`."""
    text = _bare(_NUMBER.sub("", letters_for_figurines(text).strip()))
    if castling := _CASTLING.fullmatch(text):
        return _LONG if castling[1] else _SHORT
    return text.translate(_DECORATION)


def move_of(board: chess.Board, text: str) -> chess.Move | None:
    """None if it means no move, or several: see `why_not`. Case counts only in an ambiguous text."""
    moves = _meant(board, text)
    return moves[0] if len(moves) == 1 else None


def _meant(board: chess.Board, text: str) -> list[chess.Move]:
    wanted = _canonical(text)
    to = {square for square, name in enumerate(chess.SQUARE_NAMES) if name in wanted.lower()}
    likely = [move for move in board.legal_moves if move.to_square in to or board.is_castling(move)]
    for fold in (str, str.lower):
        if moves := [move for move in likely if fold(wanted) in {fold(form) for form in _forms(board, move)}]:
            return moves
    return []


def _forms(board: chess.Board, move: chess.Move) -> Iterator[str]:
    source, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    if board.is_castling(move):
        yield from _castling_forms(board, move)
        return
    promotion = chess.piece_symbol(move.promotion).upper() if move.promotion else ""
    symbol = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN).upper()
    begins = [source, symbol, symbol + source]
    if symbol != "P":
        begins += [symbol + source[0], symbol + source[1]]
    else:
        begins.append(source[0] if board.is_capture(move) else "")
    for begin in begins:
        yield begin + target + promotion


def _castling_forms(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """Castling as `OO`, as king takes rook, and by the king's target unless that could be a king move."""
    short = chess.square_file(move.to_square) > chess.square_file(move.from_square)
    yield _SHORT if short else _LONG
    targets = {move.to_square}
    rank = chess.square_rank(move.from_square)
    king_target = chess.square(6 if short else 2, rank)
    if chess.square_distance(move.from_square, king_target) > 1:
        targets.add(king_target)
        yield f"K{chess.square_name(king_target)}"
    if not board.chess960:
        targets.add(chess.square(7 if short else 0, rank))
    for target in targets:
        yield chess.square_name(move.from_square) + chess.square_name(target)


def why_not(board: chess.Board, text: str) -> str:
    """Why a text means no legal move, or several, as in `is ambiguous: Nbd2 or Nfd2`."""
    if moves := _meant(board, text):
        return f"is ambiguous: {_choice(board, moves)}"
    wanted = _canonical(text)
    if text.strip() in _NULL_MOVES:
        reason = "passing is not allowed"
    elif wanted in {_SHORT, _LONG}:
        reason = _no_castling(board, short=wanted == _SHORT)
    elif shape := _SHAPE.fullmatch(wanted) or _LOOSE_SHAPE.fullmatch(wanted):
        target = chess.parse_square(shape["target"].lower())
        movers = _movers(board, shape)
        reaching = [
            move
            for move in board.pseudo_legal_moves
            if move.to_square == target and move.from_square in movers
        ]
        if legal := [move for move in reaching if board.is_legal(move)]:
            choice = _choice(board, legal)
            if legal[0].promotion:
                return f"needs a piece for the promotion: {choice}"
            return f"is not a legal move, but {choice} {'is' if len(legal) == 1 else 'are'}"
        if not movers:
            reason = _no_mover(board, shape)
        elif reaching:
            reason = _exposed(board, reaching[0])
        else:
            reason = _out_of_reach(board, movers, target)
    else:
        return "is not a move"
    return f"is not a legal move: {reason}"


def _choice(board: chess.Board, moves: list[chess.Move]) -> str:
    *others, last = sorted(board.san(move).rstrip("+#") for move in moves)
    return f"{', '.join(others)} or {last}" if others else last


def _movers(board: chess.Board, shape: re.Match[str]) -> chess.SquareSet:
    movers = chess.SquareSet(board.occupied_co[board.turn])
    if not (shape["file"] and shape["rank"]):
        movers &= board.pieces_mask(_kind(shape), board.turn)
    if shape["file"]:
        movers &= chess.BB_FILES[chess.FILE_NAMES.index(shape["file"].lower())]
    if shape["rank"]:
        movers &= chess.BB_RANKS[chess.RANK_NAMES.index(shape["rank"])]
    return movers


def _kind(shape: re.Match[str]) -> chess.PieceType:
    return chess.PIECE_SYMBOLS.index(shape["piece"].lower()) if shape["piece"] else chess.PAWN


def _no_mover(board: chess.Board, shape: re.Match[str]) -> str:
    file, rank = shape["file"].lower(), shape["rank"]
    if file and rank:
        piece = board.piece_at(chess.parse_square(file + rank))
        if piece is None:
            return f"{file}{rank} is empty"
        return f"the {_name(piece.piece_type)} on {file}{rank} is {color_name(piece.color)}'s"
    where = f" on the {file}-file" if file else f" on rank {rank}" if rank else ""
    return f"{color_name(board.turn)} has no {_name(_kind(shape))}{where}"


def _exposed(board: chess.Board, move: chess.Move) -> str:
    if board.piece_type_at(move.from_square) == chess.KING:
        return f"the king would be in check on {chess.square_name(move.to_square)}"
    return "it leaves the king in check" if board.is_check() else "it would put the king in check"


def _out_of_reach(board: chess.Board, movers: chess.SquareSet, target: chess.Square) -> str:
    name = chess.square_name(target)
    first, *others = movers
    kind = board.piece_type_at(first) or chess.PAWN
    lines = [square for square in movers if _reaches(chess.Piece(kind, board.turn), square, target)]
    if lines or board.color_at(target) == board.turn:
        begin = lines[0] if lines else target
        blockers = (chess.SquareSet.between(begin, target) | chess.BB_SQUARES[target]) & board.occupied
        blocker = min(blockers, key=lambda square: chess.square_distance(square, begin))
        return f"the {_name(board.piece_type_at(blocker))} on {chess.square_name(blocker)} is in the way"
    if kind == chess.PAWN and movers & board.attackers(board.turn, target):
        return f"there is no piece to take on {name}"
    if others:
        return f"no {_name(kind)} moves to {name}"
    return f"a {_name(kind)} does not move from {chess.square_name(first)} to {name}"


def _reaches(piece: chess.Piece, square: chess.Square, target: chess.Square) -> bool:
    board = chess.Board(None)
    board.turn = piece.color
    board.set_piece_at(square, piece)
    return any(move.to_square == target for move in board.pseudo_legal_moves)


def _no_castling(board: chess.Board, *, short: bool) -> str:
    rights = board.has_kingside_castling_rights if short else board.has_queenside_castling_rights
    if not rights(board.turn):
        return "there is no right to castle on that side"
    if board.is_check():
        return "the king is in check"
    king = board.king(board.turn)
    if king is not None:
        target = chess.square(6 if short else 2, chess.square_rank(king))
        path = chess.SquareSet.between(king, target) | chess.BB_SQUARES[target]
        attacked = [square for square in path if board.is_attacked_by(not board.turn, square)]
        rooks = chess.SquareSet(board.clean_castling_rights() & board.occupied_co[board.turn])
        rook = max(rooks) if short else min(rooks)
        if attacked and not path & board.occupied & ~chess.BB_SQUARES[king] & ~chess.BB_SQUARES[rook]:
            return f"the king would be in check on {chess.square_name(attacked[0])}"
    return "there are pieces between king and rook"


def _name(kind: chess.PieceType | None) -> str:
    return chess.piece_name(kind or chess.PAWN)


def color_name(color: chess.Color) -> str:
    return "White" if color else "Black"
