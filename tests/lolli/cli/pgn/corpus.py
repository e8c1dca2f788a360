"""PGN files of the kinds that people have, and which of their games can be read."""

_GOOD = '[Event "good"]\n[Result "1/2-1/2"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2\n\n'


def _game(moves: str, *headers: str) -> str:
    lines = ['Event "?"', *headers]
    return "".join(f"[{line}]\n" for line in lines) + f"\n{moves}\n\n"


def _games(*moves: str) -> bytes:
    return "".join(map(_game, moves)).encode()


def _fen(fen: str, moves: str, *headers: str) -> str:
    return _game(moves, f'FEN "{fen}"', *headers)


_COMMENTS = (
    _game(
        """{Before the first move [with brackets] (and parentheses; a semicolon $1 1-0)}
1. e4 {a { brace} e5 {one} {two} 2. Nf3 ({at the start} 2. f4 {in it}) Nc6
{
[Event "in a comment"]
[%clk 0:01:00] at the beginning of a line

after a blank line
% not an escape
}
3. Bb5 ; to the end of the line { with an open brace
; a line of its own ( with a parenthesis
a6 {} 4. Ba4 { } *
{after the result}"""
    )
    + _GOOD
)
_ESCAPES = (
    '% made by hand\n; and more\n\n[Event "escapes"]\n% among headers\n; one more\n[Round "1"]\n\n'
    "; before the moves\n1. e4 e5\n% among moves { ( \n2. Nf3 *\n\n% of the next\n" + _GOOD
)
_BAD_HEADERS = ('White "A', "White A", "White", 'Whi te "A"', 'White "A"] A [', 'Event "again"', "[")
_LOST = (
    *("1. e4 e5 1-0 2. Nf3 Nc6 1/2-1/2", "1. e4 e5 (2. Nf3) 1-0 (1. d4)", "1. e4 e5 1-0 1-0"),
    *("1. e4 e5 1-0 $1", "1. e4 (1. d4 1-0) 1-0", "1. e4 e5 novelty 2. Nf3 *", "1. e4 +/= e5 *"),
    *("1. e4 e5 (=) *", "1. e4 () e5 *", "1. e4 ({nothing else}) e5 *", "1. (1. d4) e4 *", "1. e4 e5) *"),
    *("$1 1. e4 *", "1. e4 ($1 1. d4) *", "1. e4!!! *", "1. e4 $ *", "1. e4 $1000 *", "1. e4 1 2 3 e5 *"),
    *("1. nf3 *", "1. e4 e5 } *", "1. e4 ; a } brace\n*", "1. e4 {a {brace} in} e5 *", "1. e4 1/2"),
    *("1. e4 <reserved> *", "1. e4 Dxe4 *", "[e4] *", "1. e4\0 *", "1. Nf3 d5 2. d4 a6 3. Nd2 *"),
)
_VARIANTS = ("Standard", "From Position", "Fischerandom", "Atomic", "4 Player")
_STARTS = ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "rubbish", "", "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1")

CORPUS: dict[str, tuple[bytes, list[bool]]] = {
    "headers only": (f'[Event "1"]\n\n[Event "2"]\n[Result "1-0"]\n\n\n{_GOOD}'.encode(), [True] * 3),
    "nested variations": (
        _games(
            "1. e4 e5 (1... c5 2. Nf3 (2. c3 d5 (2... Nf6 3. e5 Nd5) 3. exd5 Qxd5) 2... d6\n"
            "(2... Nc6 3. Bb5)) (1... e6) 2. Nf3 Nc6 (2... Nf6 3. Nxe5 (3. d4)) 3. Bb5 1-0"
        ),
        [True],
    ),
    "comments": (_COMMENTS.encode(), [True] * 2),
    "escapes": (_ESCAPES.encode(), [True] * 2),
    "crlf": ((_COMMENTS + _ESCAPES).replace("\n", "\r\n").encode(), [True] * 4),
    "old mac": ((_COMMENTS + _ESCAPES).replace("\n", "\r").encode(), [True] * 4),
    "crcrlf": (_GOOD.replace("\n", "\r\r\n").encode() * 2, [True] * 2),
    "chess960": (
        (
            _fen("r3k2r/pppppppp/8/8/8/8/8/R3K2R w KQkq - 0 1", "1. O-O O-O-O *", 'Variant "Chess960"')
            + _fen(
                "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1",
                "1. 0-0 0-0-0 *",
                'Variant "fischerandom"',
            )
            + _fen("4k3/8/8/8/8/8/8/R1R1K3 w C - 0 1", "1. O-O-O Ke7 *", 'Variant "Chess960"')
            + _fen("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "1. O-O *")
        ).encode(),
        [True] * 4,
    ),
    "from a position": (
        (
            _fen("4k3/8/8/8/8/8/8/4K3 b - - 3 17", "17... Kd7 18. Kd2 (18. Kf2 Kd6 (18... Ke6)) Kd6 1/2-1/2")
            + _fen("4k3/8/8/8/8/8/4P3/4K3 w - -", "1. Kd2 *")
        ).encode(),
        [True] * 2,
    ),
    "encodings": (
        _game("1. e4 {für Weiß} e5 *", 'Site "München"').encode("latin-1")
        + _game("1. d4 {утро} *", 'Site "São"').encode()
        + _game("1. e4 {and wins…} e5 {€5…} *", 'Site "“Open”"').encode("cp1252"),
        [True] * 3,
    ),
    "bom amidst": (
        _GOOD.encode() + b"\xef\xbb\xbf" + _GOOD.encode() + b"\xef\xbb\xbf1. e4 {\xe9} *\n",
        [True] * 3,
    ),
    "cut off": ((_GOOD + _game("1. e4 e5 (1... c5 2. Nf3 (2. c3 {why}")).encode(), [True] * 2),
    "cut off in a header": ((_GOOD + '[Event "Te').encode(), [True, False]),
    "illegal": (
        (_GOOD + _game("1. e4 e5\n2. Ke3 *") + _game("1. f4 e5 2. g4 Qh4+ 3. -- *") + _GOOD).encode(),
        [True, False, False, True],
    ),
    "bad starts": ("".join(_fen(fen, "1. Kd2 *") for fen in _STARTS).encode(), [False] * 4),
    "variants": (
        "".join(_game("1. e4 e5 *", f'Variant "{name}"') for name in _VARIANTS).encode(),
        [True] * 3 + [False] * 2,
    ),
    "nags": (
        _games(
            "1. e4! e5? 2. Nf3!! Nc6?? 3. Bb5!? a6?! 4. Ba4 $10 $146 Nf6 !\n"
            "5. O-O $3 {comment} $14 Be7 $255 (5... b5!) *"
        ),
        [True],
    ),
    "null moves": (_games("1. e4 -- 2. d4 Z0 (2... e5 3. -- exd4) 3. -- e5 0-1"), [True]),
    "notations": (
        _games(
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 5. d3 0-0 *",
            "1. e2e4 e7-e5 2. Ng1-f3 Nb8c6 3. Bf1xa6?? bxa6 4. e1g1 Pd7-d6 1-0",
            "1.e4 a6 2.e5 d5 3.exd6e.p. cxd6 4.Nf3 b5 5.d4 b4 6.c4 bxc3 e.p. *",
            "1 e4 e5 2.Nf3 2... Nc6 3 . Bb5 3…a6 4.\nBa4 Nf6 5. *",
        )
        + _fen("8/2PPP3/8/8/5K2/8/1p5p/k7 w - - 0 1", "1. e8=q h1Q 2. c8N b1=r 3. d8b Ka2 *").encode(),
        [True] * 5,
    ),
    "clocks": (
        _games(
            "1. e4 { [%eval 0.2] [%clk 0:03:00] } 1... c5 { [%eval 0.34,20] [%clk 0:03:00.5] }\n"
            "2. Nf3 { [%clk 0:02:58] [%csl Gf3][%cal Rf3e5] good } 2... d6 { +0.31/12 1.2s, book }\n"
            "3. Bb5+ { [%eval #-3] [%emt 0:00:01] } *"
        ),
        [True],
    ),
    "e-mail": (
        f"From: a@b.org\n\nDear B,\n\n1. e4 and so on:\n\n{_GOOD}> 1. e4\n\nBest wishes,\n".encode(),
        [False, True, False],
    ),
    "without headers": (
        b"\n1. e4 e5 1-0\n\n1. d4 {no result}\n\n\n\n; a note\nc4 *\n\n1 2 3\n4\n\n12\n\n5 1-0\n",
        [True, False, False],
    ),
    "300 moves": (
        _games(" ".join(f"{n}. Nf3 Nf6 {n + 1}. Ng1 Ng8" for n in range(1, 301, 2)) + " 1/2-1/2"),
        [True],
    ),
    "results": (
        (
            _game("1. e4 1-0")
            + _game("1. e4 *", 'Result "0-1"')
            + _game("1. e4 1-0", 'Result "0-1"')
            + _game("1. e4 1-0", 'Result "White"')
            + _game("1. *")
        ).encode(),
        [True] * 5,
    ),
    "what would be lost": (_games(*_LOST), [False] * len(_LOST)),
    "unclosed comment": ((_game("1. e4 {oh 1-0") + _GOOD * 2).encode(), [False, True, True]),
    "odd headers": (
        (
            b'[White "a \\"quoted\\" name"]\n[Black "back\\\\slash"]\n[Event "an "Open" tournament"] '
            b'[Site "{here; (there)}"]\n[Annotator "C:\\"]\n  [ Opening  "1. e4 [e5]" ] \n[Empty ""]\n\n'
            b"1. e4 *\n\n"
        ),
        [True],
    ),
    "bad headers": (
        "".join(_game("1. e4 *", line) for line in _BAD_HEADERS).encode() + _GOOD.encode(),
        [False] * 7 + [True],
    ),
    "utf-16": (_GOOD.encode("utf-16"), [False]),
    "ctrl-z": (_GOOD.replace("\n", "\r\n").encode() + b"\x1a", [True]),
    "notes at the end": (f"{_GOOD}; that was all\n% really\n".encode(), [True, False]),
}
