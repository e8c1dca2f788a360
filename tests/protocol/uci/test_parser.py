"""One line of text to one command, or the reason why not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import START_FEN
from engine.board.perft import DEEPEST as DEEPEST_PERFT
from engine.search.limits import Limits
from protocol.text import ProtocolError
from protocol.uci.parser import (
    BARE_WORDS,
    DEEPEST,
    GO_FLAGS,
    GO_NUMBERS,
    LONGEST_TIME,
    MOST_NODES,
    Bare,
    Bench,
    Command,
    Debug,
    Go,
    Perft,
    SetOption,
    SetPosition,
    parse,
)

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize("word", BARE_WORDS)
def test_bare_words(word: str) -> None:
    assert parse(word) == Bare(word)
    assert parse(f"  {word}\t\r\n") == Bare(word)
    assert parse(f"{word} and more") == Bare(word)


@pytest.mark.parametrize("line", ["", "   ", "\t\r\n", "# quit", "   # go infinite", "#", "\x1f", "\u2003"])
def test_nothing_to_do(line: str) -> None:
    assert parse(line) is None


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("joho debug on", Debug(True)),
        ("debug off", Debug(False)),
        ("a b c isready", Bare("isready")),
        ("\x00\x01 stop", Bare("stop")),
        ("setoption name Hash value 32", SetOption("Hash", "32")),
        ("setoption name Clear Hash", SetOption("Clear Hash", "")),
        ("setoption   name  clear   hash  ", SetOption("clear hash", "")),
        (
            "setoption NAME Debug Log File VALUE /var/log/a  b.txt ",
            SetOption("Debug Log File", "/var/log/a  b.txt"),
        ),
        ("setoption name Debug Log File value", SetOption("Debug Log File", "")),
        ("setoption name Debug Log File value value of x", SetOption("Debug Log File", "value of x")),
        ("setoption name X value stop", SetOption("X", "stop")),
        ("position startpos", SetPosition(START_FEN)),
        ("position startpos moves", SetPosition(START_FEN)),
        ("position startpos moves e2e4 e7e5", SetPosition(START_FEN, ("e2e4", "e7e5"))),
        (f"position fen {KIWIPETE}", SetPosition(KIWIPETE)),
        (f"position  fen   {KIWIPETE}  moves  e1g1 ", SetPosition(KIWIPETE, ("e1g1",))),
        ("position fen 8/8/8/8/8/8/8/8 w - -", SetPosition("8/8/8/8/8/8/8/8 w - -")),
        ("position fen anything goes here", SetPosition("anything goes here")),
        ("bench", Bench()),
        ("bench 7", Bench(7)),
        ("go perft 5", Perft(5)),
        ("go depth 3 perft 5", Perft(5)),
        ("go perft 99999999999", Perft(DEEPEST_PERFT)),
        ("go perft -2", Perft(1)),
        ("go depth 3 searchmoves e2e4 d2d4", Go(Limits(depth=3), ("e2e4", "d2d4"))),
        ("go searchmoves e2e4 infinite", Go(Limits(infinite=True), ("e2e4",))),
        ("go searchmoves a2a3 depth 3 searchmoves a2a4", Go(Limits(depth=3), ("a2a3", "a2a4"))),
        ("go perft 1 foo", Perft(1, ("go: unknown word 'foo'",))),
    ],
)
def test_commands(line: str, command: Command) -> None:
    assert parse(line) == command


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        ("", Limits()),
        ("infinite infinite", Limits(infinite=True)),
        ("depth 5", Limits(depth=5)),
        ("nodes 1000", Limits(nodes=1000)),
        ("movetime 250", Limits(move_time=250)),
        ("mate 3", Limits(mate=3)),
        ("btime 100", Limits(time=(None, 100))),
        ("btime 1 binc 2 wtime 3 winc 4", Limits(time=(3, 1), increment=(4, 2))),
        ("wtime 100 btime 200 movestogo 7", Limits(time=(100, 200), moves_to_go=7)),
        ("ponder wtime 1 btime 2", Limits(time=(1, 2), ponder=True)),
        ("wtime 0 btime -5000", Limits(time=(0, -5000))),
        ("wtime 100 movestogo -1", Limits(time=(100, None))),
        ("wtime +100", Limits(time=(100, None))),
        ("wtime 100 winc -3", Limits(time=(100, None))),
        ("depth 0", Limits(depth=1)),
        ("nodes -1", Limits(nodes=1)),
        ("movetime 0", Limits(move_time=1)),
        ("mate 0", Limits(mate=1)),
        ("depth 3 depth 5", Limits(depth=5)),
        ("depth 99999999999999999999999", Limits(depth=DEEPEST)),
        ("nodes " + "9" * 5000, Limits(nodes=MOST_NODES)),
        ("wtime -" + "9" * 5000, Limits(time=(-LONGEST_TIME, None))),
        ("wtime " + "0" * 5000, Limits(time=(0, None))),
    ],
)
def test_go_limits(words: str, limits: Limits) -> None:
    assert parse(f"go {words}") == Go(limits)


@pytest.mark.parametrize(
    ("words", "limits", "skipped"),
    [
        ("depth", Limits(), ["missing number after depth"]),
        ("wtime btime 100", Limits(time=(None, 100)), ["missing number after wtime"]),
        ("depth five nodes 3", Limits(nodes=3), ["depth: not a whole number: 'five'"]),
        ("depth 0x10", Limits(), ["depth: not a whole number: '0x10'"]),
        ("depth 1_000", Limits(), ["depth: not a whole number: '1_000'"]),
        ("depth -", Limits(), ["depth: not a whole number: '-'"]),
        ("depth ²", Limits(), ["depth: not a whole number: '\\xb2'"]),
        ("btime 1.2.3", Limits(), ["btime: not a whole number: '1.2.3'"]),
        ("wtime 1000.0 btime -0.5 winc 7.", Limits(time=(1000, 0), increment=(7, 0)), []),
        ("movetime infinite depth 3", Limits(depth=3), ["movetime: not a whole number: 'infinite'"]),
        ("movetime ponder", Limits(ponder=True), ["missing number after movetime"]),
        ("searchmoves", Limits(), ["missing move after searchmoves"]),
        ("searchmoves depth 3", Limits(depth=3), ["missing move after searchmoves"]),
        ("depth 1 foo", Limits(depth=1), ["unknown word 'foo'"]),
        ("wtime 9 lag 30 btime 8", Limits(time=(9, 8)), ["unknown word 'lag'", "unknown word '30'"]),
        ("infinite 3", Limits(infinite=True), ["unknown word '3'"]),
        ("x " * 12 + "depth 2", Limits(depth=2), [*["unknown word 'x'"] * 10, "skipped 2 more"]),
    ],
)
def test_what_go_cannot_use_is_skipped(words: str, limits: Limits, skipped: list[str]) -> None:
    assert parse(f"go {words}") == Go(limits, (), tuple(f"go: {reason}" for reason in skipped))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("xyzzy", "unknown command: 'xyzzy'"),
        ("Quit", "unknown command: 'Quit'"),
        ("debug", "debug: expected 'on' or 'off', not ''"),
        ("debug joho on", "debug: expected 'on' or 'off', not 'joho on'"),
        ("setoption", "setoption: expected 'name'"),
        ("setoption Hash 32", "setoption: expected 'name'"),
        ("setoption name", "setoption: missing option name"),
        ("setoption name value 3", "setoption: missing option name"),
        ("position", "position: expected 'startpos' or 'fen'"),
        ("position moves e2e4", "position: expected 'startpos' or 'fen'"),
        ("position startpos e2e4", "position: expected 'moves' after startpos, not 'e2e4'"),
        ("position fen", "position: missing FEN"),
        ("position fen moves e2e4", "position: missing FEN"),
        ("bench fast", "not a whole number: 'fast'"),
        ("bench 0", "bench: depth must be from 1 to"),
        ("bench 5 6", "not a whole number: '5 6'"),
        ("go perft", "go: missing number after perft"),
        ("go depth 3 perft x", "go: perft: not a whole number: 'x'"),
    ],
)
def test_refused_with_the_reason(line: str, reason: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse(line)
    assert str(caught.value).startswith(reason)


def test_long_junk_takes_no_long_time() -> None:
    with pytest.raises(ProtocolError):
        parse("x " * 500_000)


GO_VALUES = {"searchmoves": "e2e4", **dict.fromkeys(GO_NUMBERS, "7"), **dict.fromkeys(GO_FLAGS, "")}


@given(st.permutations(sorted(set(GO_VALUES) - {"perft"})), st.integers(0, len(GO_VALUES)))
def test_go_words_mean_the_same_in_any_order_and_subset(words: list[str], count: int) -> None:
    chosen = words[:count]
    forward = parse("go " + " ".join(f"{word} {GO_VALUES[word]}" for word in chosen))
    backward = parse("go " + " ".join(f"{word} {GO_VALUES[word]}" for word in reversed(chosen)))
    assert isinstance(forward, Go)
    assert forward == backward
    assert (forward.limits.depth == 7) == ("depth" in chosen)
    assert forward.limits.infinite == ("infinite" in chosen)
    assert forward.search_moves == (("e2e4",) if "searchmoves" in chosen else ())


TOKENS = (
    *BARE_WORDS,
    *("debug", "setoption", "position", "go", "bench", "on", "off", "name", "value", "startpos", "fen"),
    *("moves", "e2e4", "0", "-1", "7", "999999999999999999999", "#", "\x00", "é", "Hash", "w", "-"),
    *GO_VALUES,
)


def _parses_or_is_refused(line: str) -> None:
    try:
        reason = ""
        parse(line)
    except ProtocolError as error:
        reason = str(error)
    assert reason.isascii()
    assert reason.isprintable()
    assert len(reason) < 120


@given(st.text() | st.lists(st.sampled_from(TOKENS)).map(" ".join))
def test_random_text_and_tokens(line: str) -> None:
    _parses_or_is_refused(line)
    _parses_or_is_refused(f"go {line}")
    _parses_or_is_refused(f"position {line}")
    _parses_or_is_refused(f"setoption name {line}")
