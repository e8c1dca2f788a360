"""Random games, written in the ways that PGN allows: what is in them is known beforehand."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import chess
import chess.pgn
from hypothesis import strategies as st

STARTS: tuple[dict[str, str], ...] = (
    {},
    {},
    {"FEN": "r3k2r/1P4p1/8/pP1pP3/8/8/p6P/R3K2R w KQkq a6 0 1"},
    {"FEN": "4k3/2ppp3/8/8/8/8/3PPP2/4K3 b - - 12 40"},
    {"Variant": "Chess960", "FEN": "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1"},
    {"Variant": "Chess960", "FEN": "1rk1r3/8/8/8/8/8/8/1RK1R3 w EBeb - 0 1"},
)
NAMES = ("Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO", "Time_Control", "X-y")
VALUES = ("?", "", "A, B", r"a \"b\" c", r"back\\slash", "[1]", "{x", "y}", "; z", "% q", "1. e4", "Réti")
WORDS = (
    *("good", "Tromsø", "e4", "12.", "--", "1-0", "*", "$5", ";", "{", "(", ")", "[", "]", '"', "\\", "\t"),
    *("[%clk 1:02:03]", "[%eval #-3]", "[%cal Ge2e4,Rd1d8]", "\n", "\n\n", '\n[White "x"]', "\n% no"),
)
GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
BLANK_LINES = ("\n\n", "\n \t\n", "\n\n\n")


@dataclass
class Made:
    data: bytes
    game: chess.pgn.Game
    result: str | None


@st.composite
def made_games(draw: st.DrawFn, *, odd_words: bool = True, blank_lines: bool = False) -> Made:
    """With `blank_lines` they are in all places, and the first header is Event."""
    chance = random.Random(draw(st.integers(0, 1 << 32)))
    odd = st.text(st.characters(exclude_characters="{}\r\0", exclude_categories=["Cs"]), max_size=20)
    words = [*WORDS, *draw(st.lists(odd, max_size=5 * odd_words))]
    plies = draw(st.integers(0, 30))
    headers = {name: chance.choice(VALUES) for name in chance.sample(NAMES, chance.randrange(len(NAMES)))}
    if blank_lines or not (headers or plies):
        headers = {"Event": "nothing", **headers}
    game = chess.pgn.Game(headers | chance.choice(STARTS))
    game.comment = _comment(chance, words)
    _grow(chance, game, game.board(), plies, words, 0)
    result = chance.choice(("1-0", "0-1", "1/2-1/2", "*", None))
    text = game.accept(_Pen(chance, result, BLANK_LINES if blank_lines else ()))
    data = (text + "\n" * chance.randrange(4)).replace("\n", chance.choice(("\n", "\r\n"))).encode()
    try:
        latin = data.decode().encode("cp1252")
        latin.decode()
    except UnicodeEncodeError:
        pass
    except UnicodeDecodeError:
        data = chance.choice((data, latin))
    return Made(chance.choice((b"", b"", b"\xef\xbb\xbf")) + data, game, result)


def _comment(chance: random.Random, words: list[str]) -> str:
    return " ".join(chance.choice(words) for _ in range(chance.choice((0, 0, 0, 1, 5)))).strip()


def _grow(
    chance: random.Random,
    node: chess.pgn.GameNode,
    board: chess.Board,
    plies: int,
    words: list[str],
    depth: int,
) -> None:
    for _ in range(plies):
        moves = [*board.legal_moves]
        if not moves:
            return
        if chance.random() < 0.03 and not board.is_check():
            moves = [chess.Move.null()]
        for number in range(1 if depth == 3 or chance.random() < 0.8 else 3):
            nags = chance.sample((1, 2, 3, 4, 5, 6, 10, 139, 255), chance.choice((0, 0, 1, 2)))
            side = node.add_variation(chance.choice(moves), comment=_comment(chance, words), nags=nags)
            if number:
                side.starting_comment = _comment(chance, words)
                after = board.copy()
                after.push(side.move)
                _grow(chance, side, after, chance.randrange(5), words, depth + 1)
        node = node.variations[0]
        board.push(node.move)


class _Pen(chess.pgn.StringExporter):
    def __init__(self, chance: random.Random, result: str | None, blank_lines: Sequence[str]) -> None:
        super().__init__(columns=None)
        self.chance = chance
        self.said = result
        self.blank_lines = blank_lines

    def write_token(self, token: str) -> None:
        token = token.rstrip(" ")
        if not token.endswith("\n"):
            token += self.chance.choice((" ", " ", "  ", "\n", "\t", *self.blank_lines))
        if token.endswith("\n") and self.chance.random() < 0.1:
            token += "% among moves { (\n"
        self.current_line += token

    def begin_headers(self) -> None:
        self.lines.append(self.chance.choice(("", "% escaped", "; { a note\n")))

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        super().visit_header(tagname, tagvalue)
        self.lines += self.chance.choice(([], [], ["% among headers"], [*self.blank_lines[:1]]))

    def visit_comment(self, comment: str) -> None:
        is_first = not self.found_headers and not self.current_line  # with ; it would be no part of the game
        if self.chance.random() < 0.3 and not is_first and "\n" not in comment:
            self.write_token(f";{self.chance.choice(('', ' '))}{comment}\n")
            return
        words = comment.split(" ")
        cut = self.chance.randrange(len(words)) if self.chance.random() < 0.3 else 0
        for part in filter(None, (" ".join(words[:cut]), " ".join(words[cut:]))):
            self.write_token(self.chance.choice((f"{{{part}}}", f"{{ {part} }}")))

    def visit_nag(self, nag: int) -> None:
        text = self.chance.choice((f"${nag}", GLYPHS.get(nag, f"${nag}")))
        if (
            text[0] != "$"
            and self.current_line.rstrip(" \t")[-1] not in "!?\n"
            and self.chance.random() < 0.5
        ):
            self.current_line = self.current_line.rstrip()
        self.write_token(text)

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        san = self.chance.choice(("--", "Z0", "@@@@", "0000"))
        if move:
            san = board.san(move)
            ways = [san, san.rstrip("+#"), san.replace("O", "0"), san.replace("=", ""), board.lan(move)]
            if board.is_en_passant(move):
                ways += [f"{san} e.p.", f"{san}e.p."]
            san = self.chance.choice(ways)
        number = f"{board.fullmove_number}{'.' if board.turn else self.chance.choice(('...', ' ...', '…'))}"
        if board.turn or self.force_movenumber or self.chance.random() < 0.2:
            san = self.chance.choice((f"{number} {san}", f"{number}{san}", f"{number}\n{san}"))
        self.write_token(san)
        self.force_movenumber = False

    def visit_result(self, result: str) -> None:  # noqa: ARG002 - the header's
        if self.said:
            self.current_line += self.said
