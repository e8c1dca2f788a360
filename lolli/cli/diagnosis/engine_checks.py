"""What the engine loads and looks up, with a person's own defaults; and how fast it is."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import chess.engine

from engine.board.position import COMPILED
from engine.lookup.book import BookError
from engine.lookup.fathom import FathomError, installed
from engine.session import Session
from engine.system import clock, files, memory, services
from engine.system.files import size_text
from engine.system.installation import to_add
from eval.choice import STANDARDS
from protocol import config
from protocol.config_file import load
from protocol.uci import bench
from protocol.uci.preferences import Preferences
from protocol.uci.replies import per_second

if TYPE_CHECKING:
    from lolli.cli.diagnosis.record import Record

_LARGEST = 1 << 24  # bytes of a file of weights
_DEPTH = bench.DEFAULT_DEPTH if COMPILED else 1
_STARTS = 3
_PATIENCE = 60  # seconds for a start
_SLOW = 5.0  # seconds that a client waits at least
_FATHOM = (
    "install Fathom (Debian and Ubuntu: apt install libfathom1); without it only the root asks the tables"
)
_MODULE = __name__.partition(".cli.")[0] + ".__main__"  # which no other module imports


def examine_evaluators(record: Record) -> None:
    """The weights that come with the program."""
    session = Session()
    try:
        facts: dict[str, Any] = {"default": session.evaluator}
        for name, path in STANDARDS.items():
            facts[name] = _weights(os.fspath(path))
        record.add("evaluation", **facts)
        for problem in session.problems:
            record.complain(problem, to_add())
    finally:
        session.close()


def examine_config(record: Record) -> None:
    """A person's own defaults, as far as UCI takes them, and whether the machine has what they ask for."""
    path, _ = config.place()
    if not config.is_there():
        record.add("config", file=None, usual_place=path or None)
        _examine_lookup(record, {})
        return
    session = Session()
    preferences = Preferences.from_file(session)
    session.close()
    values = {option.name: value for option, value in preferences.values}
    own = load()
    shown = {key: own.general[key] for key in ("colours", "pieces") if key in own.general}
    record.add("config", file=path, **values, **shown, sections=[*own.sections])
    for problem in preferences.problems:
        record.complain(problem, f"correct {path}, or start Lolli with {config.VARIABLE}= in the environment")
    _examine_demands(record, values)
    _examine_lookup(record, values)


def examine_speed(record: Record) -> None:
    """How long a start takes, and a short bench: its nodes are the same everywhere."""
    started = _start_seconds()
    record.add("speed", seconds_to_uciok=started)
    if started is None:
        record.complain("the engine does not start as a process of its own", to_add())
    elif started > _SLOW:
        record.complain(
            f"the engine needs {started} s to start: clients may give up",
            "start it once more; else report it",
        )
    began = clock.now()
    nodes = sum(count for _, count in bench.counts(bench.fresh_session(), _DEPTH, lambda: False))
    milliseconds = (clock.now() - began) // 1_000_000
    record.add(
        "speed", bench=f"depth {_DEPTH}", nodes=nodes, nodes_per_second=per_second(nodes, milliseconds)
    )


def _weights(path: str) -> str | None:
    try:
        data = files.read_file(path, _LARGEST)
    except OSError:
        return None  # the session says why
    return f"{Path(path).name}, {size_text(len(data))}, SHA-256 {sha256(data).hexdigest()[:16]}"


def _examine_demands(record: Record, values: dict[str, Any]) -> None:
    """Table and threads against what there is."""
    megabytes, threads = values.get("Hash", 0), values.get("Threads", 1)
    there, processors = memory.available(), services.processors()
    if megabytes << 20 > there:
        record.complain(
            f"hash is {megabytes} MB, but only {size_text(there)} are available", "lower hash in config.toml"
        )
    if threads > processors:
        record.complain(
            f"threads is {threads}, but only {processors} can run at once", "lower threads in config.toml"
        )


def _examine_lookup(record: Record, values: dict[str, Any]) -> None:
    """Book, endgame tables, and the library for them."""
    session = Session()
    library = session.library
    try:
        book = values.get("BookFile", "")
        try:
            library.load_book(book or None)
            library.use_book(True)
            record.add("lookup", book=book or "the one that comes with Lolli")
        except BookError as error:
            record.add("lookup", book=None)
            record.complain(str(error), "name another book in config.toml" if book else to_add())
        try:
            record.add("lookup", fathom=installed()[0])
        except FathomError:
            record.add("lookup", fathom=None)
            if values.get("SyzygyPath"):
                record.complain("Fathom is not installed, so the search asks no endgame tables", _FATHOM)
        found = library.load_tables(values.get("SyzygyPath", ""))
        record.add("lookup", tables=found or None)
        if found and (library.tables is None or library.tables.faults):
            record.complain(
                f"endgame tables: {found}", "put the right folders, with *.rtbw, into tables in config.toml"
            )
    finally:
        session.close()


def _start_seconds() -> float | None:
    """The shortest of a few starts, to `uciok`; None where one fails."""
    times = [_start() for _ in range(_STARTS)]
    return None if None in times else round(min(time for time in times if time is not None), 3)


def _start() -> float | None:
    command = [sys.executable, "-c", f"from {_MODULE} import main; main()"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    began = perf_counter()
    try:
        with chess.engine.SimpleEngine.popen_uci(command, timeout=_PATIENCE, env=environment):
            return perf_counter() - began
    except (OSError, TimeoutError, chess.engine.EngineError):
        return None
