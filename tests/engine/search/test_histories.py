"""The histories by which moves are ordered: what is learned, within which bounds, and of which moves.

They are C arrays, seen from within in plain Python alone; that both modes learn the same is tested elsewhere.
"""

import chess
import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.move import NO_MOVE, is_quiet
from engine.board.movegen import MoveStack, generate, threats
from engine.board.notation import move_text, parse_move
from engine.board.position import COMPILED, Position
from engine.search.exchange import exchange_at_least
from engine.search.ordering import Ordering, Picker
from engine.search.parameters import Parameters
from tests.engine.search.oracles import random_board
from tests.engine.search.searching import changed, deepening, last, without

pytestmark = pytest.mark.skipif(COMPILED, reason="looks at C arrays")

LARGEST = 1 << 14
TIE = 256  # by what the ranks of moves are multiplied to leave room for their order
MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9"
CAPTURES = "r1bqkbnr/ppp2ppp/2n5/3pp3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"


class Learner:
    def __init__(self, fen: str = START_FEN, moves: str = "", use: Parameters | None = None) -> None:
        self.ordering = Ordering(use or Parameters())
        self.position: Position = parse_fen(fen)
        for text in moves.split():
            self.position.make(parse_move(self.position, text))
        self.stack = MoveStack()
        self.end = generate(self.position, self.stack, 0, False)
        self.score_moves()

    def score_moves(self) -> None:
        self.ordering.find_threats(self.position, 3)
        self.ordering.score_moves(self.position, self.stack, 0, self.end, 0, 3)

    def move(self, text: str) -> int:
        return parse_move(self.position, text)

    def reward(self, text: str, tried: str = "", left_out: str = "", depth: int = 12) -> None:
        """Let a move refute after those that were tried before it, some of them only looked at."""
        before = [*tried.split(), *left_out.split()]
        for place, each in enumerate((*before, text)):
            self.stack.move[place] = self.move(each)
            self.stack.score[place] = -(1 << 30) if each in left_out.split() else 0
        self.ordering.reward(self.position, self.move(text), depth, 3)
        self.ordering.punish(self.position, self.stack, 0, len(before) + 1, len(before), depth, 3)

    def past(self, text: str) -> int:
        return self.ordering.quiet_history(self.position, self.move(text), 3)

    def capture_past(self, text: str) -> int:
        return self.ordering.capture_history(self.position, self.move(text))


def test_what_refutes_rises_and_what_was_tried_before_falls() -> None:
    learner = Learner()
    learner.reward("e2e4", tried="a2a3 h2h3")
    assert learner.past("e2e4") > 0 > learner.past("a2a3") == learner.past("h2h3")
    assert learner.past("d2d4") == 0
    assert learner.ordering.is_killer(learner.move("e2e4"), 3)
    assert not learner.ordering.is_killer(learner.move("e2e4"), 4)


def test_moves_left_out_are_not_punished() -> None:
    learner = Learner()
    learner.reward("e2e4", tried="a2a3", left_out="h2h3 b1a3")
    assert learner.past("h2h3") == learner.past("b1a3") == 0 > learner.past("a2a3")


def test_histories_stay_within_their_bounds() -> None:
    learner = Learner(moves="e2e4 e7e5 g1f3 b8c6", use=changed(history_most=4000))
    for _ in range(300):
        learner.reward("f1b5", tried="a2a3", depth=200)
    ordering = learner.ordering
    for table in (ordering.history, ordering.captures, ordering.continuations):
        assert min(table) >= -LARGEST
        assert max(table) <= LARGEST
    assert max(ordering.history) > LARGEST * 0.95
    assert min(ordering.history) < -LARGEST * 0.95
    assert 3.4 * LARGEST < learner.past("f1b5") <= 1 << 16
    assert -(1 << 16) <= learner.past("a2a3") < -3.4 * LARGEST
    for _ in range(300):
        learner.reward("a2a3", tried="f1b5", depth=200)
    assert learner.past("a2a3") > 0 > learner.past("f1b5")


def test_captures_have_a_history_of_their_own() -> None:
    learner = Learner(CAPTURES)
    learner.reward("e4d5", tried="f3e5 a2a3")
    assert learner.capture_past("e4d5") > 0 > learner.capture_past("f3e5")
    assert learner.past("a2a3") == 0, "a capture that refutes says nothing against quiet moves"
    assert not learner.ordering.is_killer(learner.move("e4d5"), 3)
    for _ in range(300):
        learner.reward("e4d5", tried="f3e5", depth=200)
    assert LARGEST * 0.95 < learner.capture_past("e4d5") <= LARGEST
    assert -LARGEST <= learner.capture_past("f3e5") < -LARGEST * 0.95


def test_quiet_refutation_counts_against_captures_tried() -> None:
    learner = Learner(CAPTURES)
    learner.reward("a2a3", tried="f3e5")
    assert learner.capture_past("f3e5") < 0 < learner.past("a2a3")


def test_continuations_are_of_the_moves_before() -> None:
    """The same move after another one is another matter; what it did on its own counts everywhere."""
    learner = Learner(moves="e2e4 e7e5")
    learner.reward("g1f3")
    same = Learner(moves="e2e4 e7e5")
    other = Learner(moves="d2d4 d7d5")
    same.ordering = other.ordering = learner.ordering
    assert same.past("g1f3") == learner.past("g1f3") > other.past("g1f3") > 0


@pytest.mark.parametrize("played", ["", "e2e4", "e2e4 e7e5", "e2e4 e7e5 g1f3", "e2e4 e7e5 g1f3 b8c6"])
def test_beginning_of_a_game_has_rows_of_its_own(played: str) -> None:
    """Where no move was made so long ago the row is that of no piece, which no move can write otherwise."""
    learner = Learner(moves=played)
    text = move_text(learner.stack.at(0))
    learner.reward(text)
    assert learner.past(text) > 0
    rows = {place >> 10 for place, value in enumerate(learner.ordering.continuations) if value}
    of_nothing = {row for row in rows if row >> 6 == 7}
    made = len(played.split())
    assert bool(of_nothing) == (made < 4)
    assert len(rows - of_nothing) == sum(made >= back for back in (1, 2, 4))


@pytest.mark.parametrize("name", ["history", "continuation_history", "capture_history", "killers"])
def test_switched_off_it_is_not_asked(name: str) -> None:
    learner = Learner(CAPTURES, use=without(name))
    learner.reward("a2a3")
    learner.reward("e4d5")
    assert learner.ordering.is_killer(learner.move("a2a3"), 3) == (name != "killers")
    assert bool(learner.capture_past("e4d5")) == (name != "capture_history")
    whole = Learner(CAPTURES)
    whole.reward("a2a3")
    assert (learner.past("a2a3") < whole.past("a2a3")) == (name in {"history", "continuation_history"})


@pytest.mark.parametrize(
    ("fen", "same"),
    [
        ("4k3/8/8/2p5/7p/4N3/8/4K3 w - - 0 1", True),  # nothing that concerns the knight's two squares
        ("4k3/8/8/2p5/5p2/4N3/8/4K3 w - - 0 1", False),  # it flees from a pawn
        ("4k3/8/4p3/2p5/8/4N3/8/4K3 w - - 0 1", False),  # it goes where a pawn takes it
        ("4k3/8/4p3/2p5/5p2/4N3/8/4K3 w - - 0 1", False),
    ],
)
@pytest.mark.parametrize("name", ["threat_history", "probcut"])
def test_leaving_and_entering_attacked_squares_are_other_moves(fen: str, same: bool, name: str) -> None:
    use = without("continuation_history", name)
    learner, other = Learner("4k3/8/8/2p5/8/4N3/8/4K3 w - - 0 1", use=use), Learner(fen, use=use)
    learner.reward("e3d5")
    other.ordering = learner.ordering
    other.score_moves()
    assert bool(other.past("e3d5")) == (same or name == "threat_history")


@pytest.mark.parametrize(("gain", "credit"), [(10, 80), (-10, -80), (9000, 500), (-9000, -500), (0, 0)])
def test_credit_is_by_what_the_static_value_gained(gain: int, credit: int) -> None:
    """It goes to the move made last, for the side that made it, as it was when that was chosen."""
    use = changed(static_credit=8, static_most=500, continuation_history=0)
    learner = Learner(use=use)
    for move, expected in ((learner.move("e2e4"), credit), (learner.move("d2d4"), 0)):
        learner.position.make(learner.move("e2e4"))
        learner.ordering.clear()
        learner.ordering.credit(learner.position, gain, 3)
        learner.position.unmake()
        assert learner.ordering.quiet_history(learner.position, move, 3) == expected


QUIET_CHECKS = (
    "4k3/8/8/3P4/8/8/8/4K3 w - - 0 1",  # by none yet
    "8/8/3k4/8/4P3/8/8/4K3 w - - 0 1",  # by the pawn
    "8/4p3/8/3K4/8/8/8/4k3 b - - 0 1",  # by the black one
    "4k3/8/8/8/8/8/8/B3K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
    "4k3/8/8/8/8/8/4N3/4R1K1 w - - 0 1",  # also discovered, which does not count
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",  # nor does castling
)


@pytest.mark.parametrize("fen", [*QUIET_CHECKS, *(random_board(seed).fen() for seed in range(100))])
def test_quiet_checks_rank_higher(fen: str) -> None:
    """By as much as the number says, where the piece that moves gives the check itself and is not lost."""
    use = changed(check_rank=20000)
    plain, checking = Learner(fen, use=without("check_ordering")), Learner(fen, use=use)
    board = chess.Board(fen)
    for i in range(plain.end):
        move = chess.Move.from_uci(move_text(plain.stack.at(i)))
        quiet = not board.is_capture(move) and move.promotion is None
        board.push(move)
        checks = move.to_square in board.checkers()
        board.pop()
        gained = checking.stack.score[i] - plain.stack.score[i]
        safe = exchange_at_least(plain.position, plain.stack.at(i), -use.check_loss, use)
        assert gained == (TIE * 20000 if quiet and checks and safe else 0)


LESSER = {
    chess.KNIGHT: (1, (chess.PAWN,)),
    chess.BISHOP: (1, (chess.PAWN,)),
    chess.ROOK: (2, (chess.PAWN, chess.KNIGHT, chess.BISHOP)),
    chess.QUEEN: (3, (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK)),
}


@pytest.mark.parametrize("fen", [CAPTURES, MIDDLE_GAME, *(random_board(seed).fen() for seed in range(100))])
def test_moves_out_of_the_reach_of_lesser_pieces_rank_higher(fen: str) -> None:
    plain, escaping = (
        Learner(fen, use=use) for use in (without("escape_ordering"), changed(escape_rank=5000))
    )
    board = chess.Board(fen)
    for i in range(plain.end):
        move = chess.Move.from_uci(move_text(plain.stack.at(i)))
        worth, lesser = LESSER.get(board.piece_type_at(move.from_square) or 0, (0, ()))
        attackers = [square for kind in lesser for square in board.pieces(kind, not board.turn)]
        reach = {square for attacker in attackers for square in board.attacks(attacker)}
        due = worth * ((move.from_square in reach) - (move.to_square in reach))
        quiet = not board.is_capture(move) and move.promotion is None
        assert escaping.stack.score[i] - plain.stack.score[i] == (TIE * 5000 * due if quiet else 0)


def test_low_plies_have_histories_of_their_own_for_one_search() -> None:
    learner, without_it = Learner(), Learner(use=without("low_ply_history"))
    for each in (learner, without_it):
        each.reward("e2e4", tried="a2a3")
        each.score_moves()
    place = {move_text(learner.stack.at(i)): i for i in range(learner.end)}
    for text in place:
        more = learner.stack.score[place[text]] - without_it.stack.score[place[text]]
        assert more < 0 if text == "a2a3" else more == 0, "e2e4 is a killer"
    learner.ordering.forget_plies()
    assert not any(learner.ordering.low_plies)
    assert learner.past("e2e4") > 0


def test_first_move_that_is_refuted_loses_as_a_continuation() -> None:
    learner = Learner(moves="e2e4 e7e5 g1f3")
    learner.ordering.refute(learner.position, 12)
    learner.position.unmake()
    assert learner.past("g1f3") < 0 == learner.past("f1c4")
    capture = Learner(CAPTURES, "e4d5")
    capture.ordering.refute(capture.position, 12)
    capture.position.unmake()
    assert capture.capture_past("e4d5") == 0
    assert not any(capture.ordering.continuations)


def test_credit_in_a_search_is_for_the_right_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it gained is the change of the static value, and its history that of the position before it."""
    run = deepening(MIDDLE_GAME, without("correction_history", "value_scale"))
    value, credit = run.searcher.evaluator.evaluate, Ordering.credit
    credited = 0

    def checked(ordering: Ordering, pos: Position, gained: int, ply: int) -> None:
        nonlocal credited
        move = pos.undo_move[pos.height - 1]
        if move != NO_MOVE and is_quiet(move):
            after = -value(pos)
            pos.unmake()
            assert gained == after - value(pos)
            assert ordering._threats[ply] == threats(pos)
            pos.make(move)
            credited += 1
        credit(ordering, pos, gained, ply)

    monkeypatch.setattr(Ordering, "credit", checked)
    last(run, 4)
    assert credited > 50


def test_clear_forgets_all() -> None:
    learner = Learner(CAPTURES)
    learner.reward("a2a3", tried="e4d5")
    learner.ordering.clear()
    assert learner.past("a2a3") == learner.capture_past("e4d5") == 0
    assert not learner.ordering.is_killer(learner.move("a2a3"), 3)


def test_order_is_hash_move_captures_killers_history_and_what_loses() -> None:
    learner = Learner(CAPTURES)
    learner.reward("h2h3")
    picker = Picker(learner.ordering, Parameters())
    picker.begin(learner.position, learner.stack, 6, 0, learner.move("a2a3"))
    moves = iter(lambda: picker.next(learner.position, learner.stack, 6), NO_MOVE)
    picked = [move_text(move) for move in moves]
    assert len(picked) == learner.end
    assert picked[0] == "a2a3"
    assert {*picked[1:3]} == {"e4d5", "c4d5"}
    assert picked[3] == "h2h3"
    assert picked[-1] == "f3e5", "the knight would be lost for a pawn"
