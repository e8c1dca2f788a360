"""A session whose searches end when the test says so: the dialogue can be watched step by step."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from threading import Event
from typing import cast

from engine.board.fen import START_FEN, format_fen, mirrored, parse_fen
from engine.board.notation import parse_move
from engine.board.position import Position
from engine.lookup.library import Library
from engine.search.limits import Limits, Settings
from engine.search.report import Listener, Outcome
from engine.session import Session
from engine.system.control import now
from engine.system.files import FilePath
from eval.choice import Choice
from eval.evaluator import Explanation, Term
from eval.material import Material
from eval.outcome import OutcomeModel
from eval.weight_file import WeightsError
from protocol.uci.dialogue import Uci
from protocol.writer import Writer
from tests.patience import PATIENCE, wait_until

MODEL = OutcomeModel((200.0, 0.0, 0.0, 0.0), (100.0, 0.0, 0.0, 0.0))


class FakeSession:
    """Records in `calls` how it was called; `answer` ends the search.

    So does `stop`, unless it is `slow`: then the search is `ending` until `answer`.
    """

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
        self.ending = False
        self.slow = False
        self.delivered = Event()
        self.delivered.set()
        self.started_ns: int | None = None
        self.hit_ns: int | None = None
        self.models: dict[str, OutcomeModel] = {"linear": MODEL}

    def answer(self, move: str = "e2e4") -> None:
        assert self.listener is not None
        listener, self.listener = self.listener, None
        listener.outcome(Outcome(parse_move(self.position, move), 0))
        self.delivered.set()

    def set_position(self, fen: str, moves: Sequence[str] = ()) -> None:
        self.position = parse_fen(fen)
        for move in moves:
            self.position.advance(parse_move(self.position, move))

    def get_ready(self) -> None:
        assert self.listener is None

    def go(self, limits: Limits, listener: Listener, started_ns: int | None = None) -> None:
        assert self.listener is None
        assert started_ns is not None
        self.limits, self.listener, self.started_ns = limits, listener, started_ns
        self.ending = False
        self.delivered.clear()
        self.calls.append("go")

    def stop(self) -> None:
        self.calls.append("stop")
        if self.listener is not None and self.slow:
            self.ending = True
        elif self.listener is not None:
            self.answer()

    def shortages(self) -> list[str]:
        told, self.lacking = self.lacking, []
        return told

    @property
    def pondering(self) -> bool:
        return self.listener is not None and self.limits.ponder

    def ponderhit(self, received_ns: int | None = None) -> None:
        self.hit_ns = received_ns
        self.calls.append("ponderhit")

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is None
        return self.delivered.wait(PATIENCE)

    def new_game(self) -> None:
        self.calls.append("new_game")

    def clear_table(self) -> None:
        self.calls.append("clear_table")

    def resize_table(self, megabytes: int) -> None:
        if megabytes > self.memory:
            raise RuntimeError(f"{megabytes} MB are not available")
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

    def explanations(self) -> list[tuple[Choice, Explanation]]:
        terms = (Term("Material", (4000, 4000), (3900, 3900)), Term("Hope", (25, 10), (0, 20)))
        choice = Choice(self.evaluator, Material, None, learned=False)
        return [(choice, Explanation(terms, phase=12, scale=64, value=107))]

    def flip(self) -> None:
        self.position = mirrored(self.position)

    def close(self) -> None:
        self.calls.append("close")


class Conversation:
    def __init__(self) -> None:
        self.outlet, self.inlet = os.pipe()
        os.set_blocking(self.outlet, False)
        self.session = FakeSession()
        self.uci = Uci(cast("Session", self.session), Writer(self.inlet, _nobody_reads))
        self._unread: list[str] = []

    def say(self, *said: str) -> list[str]:
        for line in said:
            self.uci.receive(line, now())
        return self.heard()

    def heard(self) -> list[str]:
        lines, self._unread = self._unread, []
        with suppress(BlockingIOError):
            lines += os.read(self.outlet, 1 << 20).decode().splitlines()
        return lines

    def until(self, pattern: str) -> list[str]:
        """The lines up to the first of this pattern, once there is one. Those after it are heard next."""
        seen: list[str] = []

        def complete() -> bool:
            seen.extend(self.heard())
            return any(re.fullmatch(pattern, line) for line in seen)

        wait_until(complete)
        end = next(number for number, line in enumerate(seen, 1) if re.fullmatch(pattern, line))
        self._unread = seen[end:]
        return seen[:end]

    def close(self) -> None:
        self.session.slow = False
        if self.session.listener is not None:
            self.session.answer()
        self.uci.run(BytesIO())
        os.close(self.inlet)
        os.close(self.outlet)

    @property
    def fen(self) -> str:
        return format_fen(self.session.position)


def _nobody_reads(_status: int) -> None:
    raise AssertionError("the dialogue wrote after its end")
