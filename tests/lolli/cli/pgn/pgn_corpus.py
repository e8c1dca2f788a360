"""PGN files of every kind that people have. Bytes matter here, so they are made, not kept in files."""

from textwrap import dedent

OPERA = """\
1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8.
Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14.
Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
"""


def _headers(
    event: str, result: str = "*", *more: tuple[str, str], white: str = "A", black: str = "B"
) -> str:
    roster = (
        ("Event", event),
        ("Site", "?"),
        ("Date", "2026.11.21"),
        ("Round", "1"),
        ("White", white),
        ("Black", black),
        ("Result", result),
    )
    return "".join(f'[{name} "{value}"]\n' for name, value in (*roster, *more)) + "\n"


def _game(event: str, moves: str, *more: tuple[str, str], result: str = "*") -> str:
    return f"{_headers(event, result, *more)}{dedent(moves).strip()}\n\n"


_GOOD = _game("good", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2", result="1/2-1/2")


def _headers_only() -> bytes:
    return (_headers("first", "1-0") + _headers("second") + "\n" + _GOOD + _headers("last")).encode()


def _nested_variations() -> bytes:
    return _game(
        "nested",
        """
        1. e4 e5 (1... c5 2. Nf3 (2. c3 d5 (2... Nf6 3. e5 Nd5) 3. exd5 Qxd5) 2... d6
        (2... Nc6 3. Bb5)) (1... e6) 2. Nf3 Nc6 (2... Nf6 3. Nxe5 (3. d4)) 3. Bb5 1-0
        """,
        result="1-0",
    ).encode()


def _comments() -> bytes:
    return (
        _game(
            "comments",
            """
            {Before the first move [with brackets] (and parentheses; a semicolon $1 1-0)}
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
            {after the result}
            """,
        )
        + _GOOD
    ).encode()


def _chess960() -> bytes:
    return (
        _game(
            "X-FEN",
            "1. O-O O-O-O 2. g3 *",
            ("Variant", "Chess960"),
            ("SetUp", "1"),
            ("FEN", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"),
        )
        + _game(
            "Shredder-FEN",
            "1. 0-0 0-0-0 2. e4 *",
            ("Variant", "fischerandom"),
            ("FEN", "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1"),
        )
        + _game(
            "the inner rook",
            "1. O-O-O Ke7 *",
            ("Variant", "Chess960"),
            ("FEN", "4k3/8/8/8/8/8/8/R1R1K3 w C - 0 1"),
        )
        + _game("without the word", "1. O-O *", ("FEN", "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1"))
    ).encode()


def _from_position() -> bytes:
    return (
        _game(
            "Black moves first",
            "17... Kd7 18. Kd2 (18. Kf2 Kd6 (18... Ke6)) 18... Kd6 1/2-1/2",
            ("SetUp", "1"),
            ("FEN", "4k3/8/8/8/8/8/8/4K3 b - - 3 17"),
            ("Variant", "From Position"),
            result="1/2-1/2",
        )
        + _game("four fields", "1. Kd2 *", ("FEN", "4k3/8/8/8/8/8/4P3/4K3 w - -"))
    ).encode()


def _latin1() -> bytes:
    first = _game("München", "1. e4 {für Weiß} e5 *", ("Annotator", "Réti"))
    return first.encode("latin-1") + _game("São", "1. d4 {утро} *").encode() + _GOOD.encode()


def _windows() -> bytes:
    """What Windows takes for Latin-1: quotation marks, and an ellipsis that is white space in Latin-1."""
    return _game("“Open”", "1. e4 {and wins…} e5 {€5…} *").encode("cp1252")


def _truncated(moves: str) -> bytes:
    return (_GOOD + _headers("cut off", "0-1") + moves).encode()


def _bad_starts() -> bytes:
    fens = (
        "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
        "rubbish",
        "",
        "8/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
    )
    return "".join(_game(fen, "1. Kd2 *", ("FEN", fen)) for fen in fens).encode() + _GOOD.encode()


def _variants() -> bytes:
    known = ("Standard", "Chess", "From Position", "Chess960", "Fischerandom")
    unknown = ("Atomic", "Crazyhouse", "Three-check", "Horde", "4 Player")
    return "".join(_game(name, "1. e4 e5 *", ("Variant", name)) for name in known + unknown).encode()


def _nags() -> bytes:
    return _game(
        "NAGs",
        """
        1. e4! e5? 2. Nf3!! Nc6?? 3. Bb5!? a6?! 4. Ba4 $10 $146 Nf6 !
        5. O-O $3 {comment} $14 Be7 $255 (5... b5!) *
        """,
    ).encode()


def _null_moves() -> bytes:
    return _game("null moves", "1. e4 -- 2. d4 Z0 (2... e5 3. -- exd4) 3. -- e5 0-1", result="0-1").encode()


def _notations() -> bytes:
    return (
        _game("zeros", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 5. d3 0-0 *")
        + _game("long", "1. e2e4 e7-e5 2. Ng1-f3 Nb8c6 3. Bf1xa6?? bxa6 4. e1g1 Pd7-d6 1-0")
        + _game(
            "promotions",
            "1. e8=q h1Q 2. c8N b1=r 3. d8b Ka2 *",
            ("FEN", "8/2PPP3/8/8/5K2/8/1p5p/k7 w - - 0 1"),
        )
        + _game("en passant", "1.e4 a6 2.e5 d5 3.exd6e.p. cxd6 4.Nf3 b5 5.d4 b4 6.c4 bxc3 e.p. *")
        + _game("numbers", "1 e4 e5 2.Nf3 2... Nc6 3 . Bb5 3…a6 4.\nBa4 Nf6 5. *")
    ).encode()


def _clocks_and_evals() -> bytes:
    return _game(
        "clocks",
        """
        1. e4 { [%eval 0.2] [%clk 0:03:00] } 1... c5 { [%eval 0.34,20] [%clk 0:03:00.5] }
        2. Nf3 { [%clk 0:02:58] [%csl Gf3][%cal Rf3e5] good } 2... d6 { +0.31/12 1.2s, book }
        3. Bb5+ { [%eval #-3] [%emt 0:00:01] } *
        """,
    ).encode()


def _email() -> bytes:
    return (
        "From: a@example.org\nSubject: our game [1]\n\nDear B,\n\nhere is the game, 1. e4 and so on:\n\n"
        + _GOOD
        + "> 1. e4 e5\n\nBest wishes,\nA.\n"
    ).encode()


def _escapes() -> bytes:
    return (
        "% made by hand\n; and more\n\n"
        + _headers("escapes").replace("[Round", "% among headers\n; a comment among headers\n[Round")
        + "; before the moves\n1. e4 e5\n% among moves { ( \n2. Nf3 *\n\n% of the next\n"
        + _GOOD
    ).encode()


def _odd_headers() -> bytes:
    lines = (
        r'[White "a \"quoted\" name"]',
        r'[Black "back\\slash"]',
        '[Event "an "Open" tournament"] [Site "{here; (there)}"]',
        r'[Annotator "C:\"]',
        '  [ Opening  "1. e4 [e5]" ] ',
        '[Empty ""]',
        '[Result "*"]',
    )
    return ("\n".join(lines) + "\n\n1. e4 *\n\n" + _GOOD).encode()


def _bad_headers() -> bytes:
    lines = ('[White "A', "[White A]", "[White]", '[Whi te "A"]', '[White "A"] A', '[Event "again"]', "[")
    return "".join(f'[Event "bad"]\n{line}\n\n1. e4 *\n\n' for line in lines).encode() + _GOOD.encode()


def _results() -> bytes:
    return (
        _game("the moves know more", "1. e4 1-0")
        + _game("the header knows more", "1. e4 *", result="0-1")
        + _game("they differ", "1. e4 1-0", result="0-1")
        + _game("not a result", "1. e4 1-0", result="White")
        + _game("none", "1. *")
    ).encode()


def _what_would_be_lost() -> bytes:
    moves = (
        "1. e4 e5 1-0 2. Nf3 Nc6 1/2-1/2",
        "1. e4 e5 (2. Nf3) 1-0 (1. d4)",
        "1. e4 e5 1-0 1-0",
        "1. e4 e5 1-0 $1",
        "1. e4 (1. d4 1-0) 1-0",
        "1. e4 e5 novelty 2. Nf3 *",
        "1. e4 +/= e5 *",
        "1. e4 e5 (=) *",
        "1. e4 () e5 *",
        "1. e4 ({nothing else}) e5 *",
        "1. (1. d4) e4 *",
        "1. e4 e5) *",
        "$1 1. e4 *",
        "1. e4 ($1 1. d4) *",
        "1. e4!!! *",
        "1. e4 $ *",
        "1. e4 $1000 *",
        "1. e4 1 2 3 e5 *",
        "1. nf3 *",
        "1. e4 e5 } *",
        "1. e4 ; a } brace\n*",
        "1. e4 {a {brace} in} e5 *",
        "1. e4 1/2",
        "1. e4 <reserved> *",
        "1. e4 Dxe4 *",
        "[e4] *",
        "1. e4\0 *",
    )
    return "".join(_game("lost", text) for text in moves).encode()


def corpus() -> dict[str, bytes]:
    crlf = (_comments() + _escapes()).replace(b"\n", b"\r\n")
    shuffle = " ".join(f"{n}. Nf3 Nf6 {n + 1}. Ng1 Ng8" for n in range(1, 301, 2))
    return {
        "opera": (_headers("Paris", "1-0", white="Morphy", black="The allies") + OPERA).encode(),
        "headers only": _headers_only(),
        "nested variations": _nested_variations(),
        "comments": _comments(),
        "chess960": _chess960(),
        "from a position": _from_position(),
        "utf-8 bom": b"\xef\xbb\xbf" + _game("Tromsø", "1. e4 {хорошо} e5 *").encode() + _GOOD.encode(),
        "bom amidst": _GOOD.encode() + b"\xef\xbb\xbf" + _GOOD.encode() + b"\xef\xbb\xbf1. e4 {\xe9} *\n",
        "latin-1": _latin1(),
        "windows-1252": _windows(),
        "crlf": crlf,
        "old mac": (_comments() + _escapes()).replace(b"\n", b"\r"),
        "crcrlf": _GOOD.encode().replace(b"\n", b"\r\r\n") * 2,
        "truncated after a move": _truncated("1. e4 e5 2. Nf3"),
        "truncated after a number": _truncated("1. e4 e5 2."),
        "truncated in a comment": _truncated("1. e4 e5 {and now White"),
        "truncated in a variation": _truncated("1. e4 e5 (1... c5 2. Nf3 (2. c3 {why}"),
        "truncated in a move": _truncated("1. e4 e5 2. Nf"),
        "truncated in a header": (_GOOD + '[Event "Te').encode(),
        "illegal moves": (
            _GOOD
            + _game("illegal", "1. e4 e5\n2. Ke3 *")
            + _game("in check", "1. f4 e5 2. g4 Qh4+ 3. -- *")
            + _GOOD
        ).encode(),
        "ambiguous moves": (
            _game("ambiguous", "1. Nf3 d5 2. d4 a6 3. Nbd2 *")
            + _game("ambiguous", "1. Nf3 d5 2. d4 a6 3. Nd2 *")
            + _GOOD
        ).encode(),
        "bad starts": _bad_starts(),
        "variants": _variants(),
        "nags": _nags(),
        "null moves": _null_moves(),
        "notations": _notations(),
        "clocks and evals": _clocks_and_evals(),
        "empty": b"",
        "blank lines": b"\n \r\n\t\n\n",
        "numbers only": b"1 2 3\n4\n\n12\n\n5 1-0\n",
        "e-mail": _email(),
        "without headers": b"\n1. e4 e5 1-0\n\n1. d4 {no result}\n\n\n\n; a note\nc4 *",
        "huge comment": _game("huge", f"1. e4 {{{'all about this move ' * 15000}}} e5 *").encode(),
        "300 moves": _game("long", f"{shuffle} 1/2-1/2", result="1/2-1/2").encode(),
        "results": _results(),
        "what would be lost": _what_would_be_lost(),
        "no blank lines": _GOOD.replace("\n\n", "\n").encode() * 3,
        "many blank lines": ("\n\n\n" + _GOOD.replace("\n\n", "\n\n\n\n") * 2).encode(),
        "unclosed comment": (_game("unclosed", "1. e4 {oh 1-0") + _GOOD * 2).encode(),
        "escapes": _escapes(),
        "odd headers": _odd_headers(),
        "bad headers": _bad_headers(),
        "utf-16": _GOOD.encode("utf-16"),
        "ctrl-z": _GOOD.encode().replace(b"\n", b"\r\n") + b"\x1a",
        "notes after the last game": (_GOOD + "; that was all\n% really\n").encode(),
        "no newline": _GOOD.encode() + _GOOD.encode().rstrip(),
    }
