"""Games made by chance and written in all the ways that PGN allows: what is in them is known beforehand."""

import random
from dataclasses import dataclass

import chess
import chess.pgn
from hypothesis import strategies as st

STARTS = (
    chess.STARTING_FEN,
    "r3k2r/1P4p1/8/pP1pP3/8/8/p6P/R3K2R w KQkq a6 0 1",
    "4k3/2ppp3/8/8/8/8/3PPP2/4K3 b - - 12 40",
)
CHESS960 = (
    "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1",
    "1rk1r3/8/8/8/8/8/8/1RK1R3 w EBeb - 0 1",
)
NAMES = (
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "ECO",
    "WhiteElo",
    "Time_Control",
    "X-y",
)

_BLANK_LINES = ("\n\n", "\n \t\n", "\n\n\n")
_GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
_WORDS = (
    *("good", "Tromsø", "und", "e4", "12.", "--", "1-0", "*", "$5", ";", "{", "(", ")", "[", "]", '"', "\\"),
    *("[%clk 1:02:03]", "[%eval 0.31,20]", "[%eval #-3]", "[%cal Ge2e4,Rd1d8]"),
    *("\t", "\n", "\n\n", '\n[White "x"]', "\n% no"),
)
_VALUES = (
    "?",
    "",
    "A, B",
    r"a \"b\" c",
    r"back\\slash",
    "[1]",
    "{x",
    "y}",
    "; z",
    "% q",
    "1. e4",
    "Réti",
    "  x ",
)


@dataclass
class Made:
    data: bytes
    game: chess.pgn.Game
    result: str | None


@st.composite
def made_games(draw: st.DrawFn, *, with_odd_words: bool = True, blank_lines: bool = False) -> Made:
    """A random game with comments, NAGs and variations, in random writing.

    With `blank_lines` they are in all places, and the first header is Event.
    """
    chance = random.Random(draw(st.integers(0, 1 << 32)))
    plies = draw(st.integers(0, 30))
    words = [*_WORDS]
    if with_odd_words:
        odd = st.text(st.characters(exclude_characters="{}\r\0", exclude_categories=["Cs"]), max_size=20)
        words += draw(st.lists(odd, max_size=5))
    game = _tree(chance, plies, words)
    result = chance.choice(("1-0", "0-1", "1/2-1/2", "*", None))
    if blank_lines or (not game.headers and not game.variations):
        game.headers = chess.pgn.Headers({"Event": "nothing", **game.headers})
    text = _Pen(chance, blank_lines=blank_lines).written(game, result)
    newline = chance.choice(("\n", "\n", "\r\n"))
    text = text.replace("\n", newline)
    data = text.encode()
    if chance.random() < 0.3:
        try:
            latin = text.encode("cp1252")
            latin.decode()
        except UnicodeEncodeError:
            pass
        except UnicodeDecodeError:
            data = latin
    return Made((b"\xef\xbb\xbf" if chance.random() < 0.2 else b"") + data, game, result)


def _tree(chance: random.Random, plies: int, words: list[str]) -> chess.pgn.Game:
    headers = {name: chance.choice(_VALUES) for name in chance.sample(NAMES, chance.randrange(len(NAMES)))}
    if chance.random() < 0.4:
        headers["FEN"] = chance.choice(STARTS)
    elif chance.random() < 0.3:
        headers |= {"Variant": "Chess960", "FEN": chance.choice(CHESS960)}
    game = chess.pgn.Game(headers)
    game.comment = _comment(chance, words)
    _grow(chance, game, game.board(), plies, words, 0)
    return game


def _grow(
    chance: random.Random,
    node: chess.pgn.GameNode,
    board: chess.Board,
    plies: int,
    words: list[str],
    depth: int,
) -> None:
    for _ in range(plies):
        first = _add(chance, node, board, words)
        if first is None:
            return
        while depth < 3 and chance.random() < 0.15:
            side = _add(chance, node, board, words)
            if side:
                if chance.random() < 0.3:
                    side.starting_comment = _comment(chance, words)
                after = board.copy()
                after.push(side.move)
                _grow(chance, side, after, chance.randrange(5), words, depth + 1)
        board.push(first.move)
        node = first


def _add(
    chance: random.Random, node: chess.pgn.GameNode, board: chess.Board, words: list[str]
) -> chess.pgn.ChildNode | None:
    moves = list(board.legal_moves)
    if not moves:
        return None
    move = chance.choice(moves)
    if chance.random() < 0.03 and not board.is_check():
        move = chess.Move.null()
    nags = chance.sample((1, 2, 3, 4, 5, 6, 10, 139, 255), chance.choice((0, 0, 0, 1, 2)))
    return node.add_variation(move, comment=_comment(chance, words), nags=nags)


def _comment(chance: random.Random, words: list[str]) -> str:
    if chance.random() < 0.7:
        return ""
    return " ".join(chance.choice(words) for _ in range(chance.randrange(6))).strip()


class _Pen:
    def __init__(self, chance: random.Random, *, blank_lines: bool) -> None:
        self._chance = chance
        self._space = (" ", " ", "  ", "\n", "\t", *(_BLANK_LINES if blank_lines else ()))
        self._among_headers = ("", "", "", "% among headers\n", *(_BLANK_LINES if blank_lines else ()))
        self._parts: list[str] = []

    def written(self, game: chess.pgn.Game, result: str | None) -> str:
        chance = self._chance
        text = chance.choice(("", "", "\n", "% escaped\n", "; { a note\n\n"))
        for name, value in game.headers.items():
            text += f'[{name} "{value}"]\n' + chance.choice(self._among_headers)
        if game.headers:
            text += "\n"
        self._comment(game.comment, in_braces=not game.headers)  # a first line with ; would be no part of it
        self._line(game, game.board())
        if result:
            self._parts.append(result)
        return text + self._joined() + "\n" * chance.randrange(4)

    def _joined(self) -> str:
        text = ""
        for part in self._parts:
            begins_line = text.endswith("\n") or not text
            if begins_line and text and self._chance.random() < 0.02:
                text += "% among moves { (\n"
            text += part + ("" if part.endswith("\n") else self._chance.choice(self._space))
        return text.rstrip()

    def _line(self, node: chess.pgn.GameNode, board: chess.Board) -> None:
        needs_number = True
        while node.variations:
            main, *sides = node.variations
            self._move(main, board, needs_number)
            for side in sides:
                self._parts.append("(")
                self._comment(side.starting_comment)
                self._move(side, board, True)
                after = board.copy()
                after.push(side.move)
                self._line(side, after)
                self._parts.append(")")
            board.push(main.move)
            node = main
            needs_number = bool(sides)

    def _move(self, node: chess.pgn.ChildNode, board: chess.Board, needs_number: bool) -> None:
        chance = self._chance
        if board.turn or needs_number or chance.random() < 0.2:
            dots = "." if board.turn else chance.choice(("...", ". ...", "…"))
            self._parts.append(f"{board.fullmove_number}{dots}")
            if chance.random() < 0.5:
                self._parts[-1] += self._san(node.move, board)
            else:
                self._parts.append(self._san(node.move, board))
        else:
            self._parts.append(self._san(node.move, board))
        nags = list(node.nags)
        chance.shuffle(nags)
        for nag in nags:
            glyph = chance.random() < 0.5 and nag in _GLYPHS
            if glyph and self._parts[-1][-1] not in "!?" and chance.random() < 0.5:
                self._parts[-1] += _GLYPHS[nag]
            else:
                self._parts.append(_GLYPHS[nag] if glyph else f"${nag}")
        self._comment(node.comment)

    def _san(self, move: chess.Move, board: chess.Board) -> str:
        chance = self._chance
        if not move:
            return chance.choice(("--", "Z0", "@@@@", "0000"))
        san = board.san(move)
        ways = [san, san, san.rstrip("+#")]
        if board.is_castling(move):
            ways.append(san.replace("O", "0"))
        else:
            ways.append(_long(move, board))
        if move.promotion:
            ways.append(san.replace("=", ""))
            ways.append(f"{san[:-1]}{san[-1].lower()}")
        if board.is_en_passant(move):
            ways += [f"{san} e.p.", f"{san}e.p."]
        return chance.choice(ways)

    def _comment(self, comment: str, in_braces: bool = False) -> None:
        if not comment:
            return
        chance = self._chance
        if chance.random() < 0.3 and not in_braces and "\n" not in comment:
            self._parts.append(f";{chance.choice(('', ' '))}{comment}\n")
            return
        words = comment.split(" ")
        if chance.random() < 0.2 and len(words) > 1:
            cut = chance.randrange(1, len(words))
            self._parts.append(f"{{{' '.join(words[:cut])}}}")
            self._parts.append(f"{{ {' '.join(words[cut:])} }}")
        else:
            self._parts.append(f"{{{chance.choice(('', ' '))}{comment}{chance.choice(('', ' '))}}}")


def _long(move: chess.Move, board: chess.Board) -> str:
    """Long algebraic notation, as in Ng1-f3 and e7xd8=Q."""
    piece = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN).upper().replace("P", "")
    dash = "x" if board.is_capture(move) else "-"
    squares = dash.join(chess.square_name(square) for square in (move.from_square, move.to_square))
    promotion = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
    return f"{piece}{squares}{promotion}"
