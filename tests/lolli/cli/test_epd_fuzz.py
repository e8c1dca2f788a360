"""Any line of EPD: a task that can be solved and survives writing and reading, or one line with a reason."""

import chess
from hypothesis import example, given
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from lolli.cli.analysis.notation import one_line
from lolli.cli.suite import EpdError, SuitePosition, parse_position, suite_lines
from tests.fuzzing import assert_plain, damaged, examples, played

WORDS = (
    *("bm", "am", "dm", "id", "c0", "c7", "c8", "c9", "hmvc", "fmvn", "acd", "ce", "pv", ";", '"', ";;", ","),
    *('"a;b"', "=", "10", "0", "Nf3", "e4", "O-O", "e8=Q+", "Nf3!?", "0000", "--", "Z0", "#", "-3", "٣", "²"),
    *(' id "x";', ' c0 "Nf3=10, e4=5";', ' c8 "10 5"; c9 "e2e4 d2d4";', " dm 3;", " bm;", " 0 1", " 5"),
)


@st.composite
def good(draw: st.DrawFn) -> bytes:
    board = draw(played(8))
    moves = list(board.legal_moves)
    words = [draw(st.sampled_from((board.epd(), board.fen(), board.epd(shredder=True))))]
    if moves:
        some = st.lists(st.sampled_from(moves), max_size=3, unique=True)
        for code in ("bm", "am"):
            if chosen := draw(some):
                write = draw(st.sampled_from((board.san, board.uci, board.lan)))
                words.append(f"{code} {' '.join(map(write, chosen))};")
        if chosen := draw(some):
            points = ", ".join(f"{board.san(move)}={draw(st.integers(0, 10))}" for move in chosen)
            words.append(f'c0 "{points}";')
    words += draw(st.sampled_from(([], [], ["dm 3;"], ["dm 1;", 'id "a name";'], ['id "a name";'])))
    return " ".join(words).encode()


two = st.tuples(good(), st.sampled_from((b"\n", b"\r\n", b"\r", b"\n#", b"\n\n")), good()).map(b"".join)
words = st.tuples(played(5).map(chess.Board.epd), st.lists(st.sampled_from(WORDS), max_size=8))
texts = st.one_of(
    damaged(good(), WORDS),
    damaged(good(), WORDS),
    damaged(two, WORDS),
    words.map(lambda pair: " ".join((pair[0], *pair[1])).encode()),
    st.binary(max_size=120),
)


@given(texts)
@example(b"4k3/8/8/8/8/8/8/4K2R w K - dm " + b"9" * 10_000 + b";")
@examples(200)
def test_any_line(data: bytes) -> None:
    for number, text in suite_lines(data):
        found = [parsed(text, number, must_ask=must_ask) for must_ask in (True, False)]
        assert found[0] is None or found[1] is not None


def parsed(text: str, number: int, *, must_ask: bool) -> SuitePosition | None:
    try:
        position = parse_position(text, "file", number, must_ask=must_ask)
    except EpdError as error:
        assert_plain(one_line(str(error)))
        return None
    check_position(position)
    return position


def check_position(position: SuitePosition) -> None:
    board = position.board
    parse_fen(board.fen())
    assert_plain(position.name)
    asked = (*position.best, *position.avoid, *position.points)
    assert all(move in board.legal_moves for move in asked), f"moves that are not legal: {asked}"
    assert position.mate is None or position.mate > 0, f"mate in {position.mate}"
    if position.asks:
        assert_plain(position.wanted)
    solved = [move for move in board.legal_moves if position.is_answered_by(move, position.mate)]
    assert solved or not position.asks or asks_the_impossible(position)
    again = parse_position(written(position), "file", 1, must_ask=False)
    assert (again.board, again.best, again.avoid, again.mate) == (
        board,
        position.best,
        position.avoid,
        position.mate,
    )


def asks_the_impossible(position: SuitePosition) -> bool:
    wanted = set(position.best) or set(position.board.legal_moves)
    return wanted <= set(position.avoid)


def written(position: SuitePosition) -> str:
    board = position.board
    parts = [board.shredder_fen() if board.chess960 else board.fen()]
    parts += [f"{code} {uci(board, moves)};" for code, moves in asked_moves(position) if moves]
    if position.mate is not None:
        parts.append(f"dm {position.mate};")
    return " ".join(parts)


def asked_moves(position: SuitePosition) -> tuple[tuple[str, tuple[chess.Move, ...]], ...]:
    return ("bm", position.best), ("am", position.avoid)


def uci(board: chess.Board, moves: tuple[chess.Move, ...]) -> str:
    return " ".join(board.uci(move) for move in moves)
