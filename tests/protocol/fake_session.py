"""A session that searches only when it is told to: what the dialogue does can be seen step by step."""

from collections.abc import Sequence

from engine.board.fen import START_FEN, mirrored, parse_fen
from engine.board.notation import parse_move
from engine.board.position import Position
from engine.lookup.library import Library
from engine.search.limits import Limits
from engine.search.report import Listener, Outcome
from engine.search.settings import Settings
from eval.explanation import Explanation, Term
from eval.outcome import OutcomeModel
from eval.weight_file import FilePath, WeightsError

MODEL = OutcomeModel((200.0, 0.0, 0.0, 0.0), (100.0, 0.0, 0.0, 0.0))


class FakeSession:
    """Keeps a record of what it was asked to do in `calls`; `answer` ends the search."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.library = Library()
        self.position: Position = parse_fen(START_FEN)
        self.calls: list[str] = []
        self.limits = Limits()
        self.listener: Listener | None = None
        self.lacking: list[str] = []
        self.memory = 1000  # megabytes
        self.evaluators: tuple[str, ...] = ("material", "linear")
        self.evaluator = "material"
        self.problems: list[str] = []
        self.models: dict[str, OutcomeModel] = {"linear": MODEL}

    def answer(self, move: str = "e2e4") -> None:
        """Deliver the outcome of the search."""
        assert self.listener is not None
        listener, self.listener = self.listener, None
        listener.outcome(Outcome(parse_move(self.position, move), 0))

    def set_position(self, fen: str, moves: Sequence[str] = ()) -> None:
        position = parse_fen(fen)
        for move in moves:
            position.advance(parse_move(position, move))
        self.position = position

    def get_ready(self) -> None:
        assert self.listener is None

    def go(self, limits: Limits, listener: Listener, started_ns: int | None = None) -> None:
        assert self.listener is None
        assert started_ns is not None
        self.limits, self.listener = limits, listener
        self.calls.append("go")

    def stop(self) -> None:
        self.calls.append("stop")
        if self.listener is not None:
            self.answer()

    def shortages(self) -> list[str]:
        told, self.lacking = self.lacking, []
        return told

    def ponderhit(self) -> None:
        self.calls.append("ponderhit")

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is None
        assert self.listener is None, "the dialogue would hang here"
        return True

    def new_game(self) -> None:
        self.calls.append("new_game")

    def clear_table(self) -> None:
        self.calls.append("clear_table")

    def resize_table(self, megabytes: int) -> None:
        if megabytes > self.memory:
            raise RuntimeError(f"{megabytes} MB cannot be had")
        self.calls.append(f"resize_table {megabytes}")

    @property
    def outcome_model(self) -> OutcomeModel | None:
        return self.models.get(self.evaluator)

    @property
    def normalises(self) -> bool:
        return self.evaluator == "linear"

    def use_evaluator(self, name: str) -> None:
        self.evaluator = name
        self.calls.append(f"use_evaluator {name}")

    def load_weights(self, path: FilePath | None) -> None:
        if path == "bad.json":
            raise WeightsError("bad.json: there is no such file")
        self.calls.append(f"load_weights {path}")

    def explain(self) -> Explanation:
        terms = (Term("Material", (4000, 4000), (3900, 3900)), Term("Hope", (25, 10), (0, 20)))
        return Explanation(terms, phase=12, scale=64, value=107)

    def flip(self) -> None:
        self.position = mirrored(self.position)

    def close(self) -> None:
        self.calls.append("close")
