"""`lolli doctor`: what is installed, compiled, found and wrong, for a bug report."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

import chess.engine
import click

from engine.board.position import COMPILED
from engine.lookup.book import BookError
from engine.lookup.fathom import FathomError, installed
from engine.session import Session
from engine.system import control, files, linux, memory, services
from engine.system.files import size_text
from engine.system.installation import installer, to_compile, to_repair
from engine.system.processor import built_for
from eval.choice import STANDARDS
from lolli.cli import CONFIG_VARIABLE, config_file, has_config
from lolli.cli.clients import CLIENTS, ROOT, ClientFileError, CommandError, Status, engine_command, home
from lolli.cli.config import defaults, load, uci_defaults, unknown_sections
from lolli.cli.shared_options import json_option
from protocol import about
from protocol.uci import bench
from protocol.uci.replies import per_second

_WRONG = 1  # exit status


@click.command(
    epilog="""\b
Examples:
  lolli doctor
  lolli doctor --json > doctor.json"""
)
@json_option("Print JSON, one object.")
def command(as_json: bool) -> None:
    """Show what is installed, compiled and found, how fast it is, and the remedy for what is wrong.

    This takes a few seconds. Put the output into a bug report: it names folders, with ~ for your home. The
    exit status is 1 if something is wrong.

    With --json the sections are objects of one object; `problems` is a list of objects with `problem` and
    `remedy`.
    """
    record = Record()
    examine_installation(record)
    examine_machine(record)
    examine_kernel(record)
    examine_packages(record)
    examine_evaluators(record)
    examine_config(record)
    _examine_sections(record)
    _examine_clients(record)
    examine_speed(record)
    if as_json:
        click.echo(json.dumps(record.content()))
    else:
        click.echo("\n".join(record.lines()))
    if record.problems:
        raise SystemExit(_WRONG)


def _examine_sections(record: Record) -> None:
    context = click.get_current_context().find_root()
    group = context.command
    if not isinstance(group, click.Group):
        return
    own = load()
    names = group.list_commands(context)
    faults = list(unknown_sections(own, names))
    for name in own.sections:
        found = group.get_command(context, name) if name in names else None
        if found is not None:
            faults += defaults(own, name, found)[1]
    for fault in faults:
        record.complain(fault, f"correct {own.path}")


def _examine_clients(record: Record) -> None:
    try:
        program = engine_command()
    except CommandError:
        return
    for client in CLIENTS.values():
        file = client.file()
        if not client.is_installed():
            record.add("clients", **{client.key: None})
            continue
        states = {
            Status.PRESENT: f": starts {program}",
            Status.INCOMPLETE: f": starts {program}, without its options",
            Status.OUTDATED: ": starts another Lolli",
        }
        state = ""
        try:
            status = client.plan(file, "Lolli", program).status
            state = states.get(status, ": Lolli is not there")
            state += "" if status is Status.PRESENT else f" (lolli setup {client.key})"
        except ClientFileError as error:
            remedy = f"repair {file}, or move it away"
            record.complain(f"{client.title}: {error}", remedy)
        record.add("clients", **{client.key: f"{file}{state}"})


@dataclass(slots=True)
class Record:
    """By section and name, in the order found. A home folder is written as `~`, since others read it."""

    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)
    """What is wrong and what to do about it, each in one line."""

    def add(self, section: str, **facts: Any) -> None:
        self.facts.setdefault(section, {}).update({name: _shortened(fact) for name, fact in facts.items()})

    def complain(self, what: str, remedy: str) -> None:
        self.problems.append((_shortened(what), _shortened(remedy)))

    def content(self) -> dict[str, Any]:
        problems = [{"problem": what, "remedy": remedy} for what, remedy in self.problems]
        return {**self.facts, "problems": problems}

    def lines(self) -> list[str]:
        lines = []
        for section, facts in self.facts.items():
            lines += [section.capitalize(), *(_line(name, fact) for name, fact in facts.items()), ""]
        if not self.problems:
            return [*lines, "All is well."]
        lines.append(f"{len(self.problems)} problem{'s' * (len(self.problems) > 1)}")
        return lines + [line for what, remedy in self.problems for line in (f"  {what}", f"    → {remedy}")]


def _line(name: str, fact: Any) -> str:
    text = ", ".join(map(str, fact)) if isinstance(fact, list) else str(fact)
    return f"  {name.replace('_', ' '):<14} {'none' if fact in (None, [], '') else text}"


def _shortened(fact: Any) -> Any:
    if isinstance(fact, list):
        return [_shortened(each) for each in fact]
    folder = str(home())
    if not isinstance(fact, str) or len(folder) <= 1:
        return fact
    return re.sub(rf"{re.escape(folder)}(?![\w.-])", "~", fact)  # not in the name of a longer folder


_SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX")
_PACKAGES = ("engine", "eval")
_TELLING = re.compile(
    r"sse4_[12]|popcnt|avx|avx2|bmi[12]|avx512(f|bw|vl|_vnni)|avx_vnni|neon|asimd|asimddp|sve2?"
)
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?[^;]*(?:;.*extra == [\"'](\w+)[\"'])?")
_EXTRAS = ("report", "cluster", "learn", "train")
_SECONDS = 10  # for git


def examine_installation(record: Record) -> None:
    record.add("lolli", version=about.VERSION, installed=installer(), folder=str(ROOT), commit=_commit())
    try:
        record.add("lolli", command=str(engine_command()))
    except CommandError as error:
        record.add("lolli", command=None)
        record.complain(str(error), to_repair())
    record.add(
        "python",
        version=platform.python_version(),
        implementation=platform.python_implementation(),
        program=sys.executable,
    )


def examine_machine(record: Record) -> None:
    features = sorted(filter(_TELLING.fullmatch, linux.processor_features()))
    total = linux.total_memory()
    record.add(
        "machine",
        system=f"{platform.system()} {platform.release()}",
        libc=" ".join(platform.libc_ver()).strip() or None,
        architecture=platform.machine(),
        processor=linux.processor_name() or platform.processor() or None,
        features=features,
        usable_cores=services.processors(),
        memory=None if total is None else size_text(total),
        available=size_text(memory.available()),
    )


def examine_kernel(record: Record) -> None:
    found = sorted(path for top in _PACKAGES for path in (ROOT / top).rglob(f"*{_SUFFIX}"))
    compiled = [path for path in found if path.with_name(f"{path.name.removesuffix(_SUFFIX)}.py").exists()]
    stale = [path for path in compiled if _is_stale(path)]
    record.add(
        "kernel",
        compiled=COMPILED,
        built_for=(built_for() or "the baseline") if COMPILED else None,
        modules=len(compiled),
        stale=[_module(path) for path in stale],
    )
    if not COMPILED:
        record.complain(
            "the engine is not compiled, and about 100 times slower",
            f"install a C compiler, then: {to_compile()}",
        )
    if stale:
        record.complain(f"{_module(stale[0])} was compiled from an older source", "scripts/build")


def examine_packages(record: Record) -> None:
    for extra, names in _requirements().items():
        versions = {name: _version(name) for name in names}
        present = [f"{name} {version}" for name, version in versions.items() if version]
        missing = [name for name, version in versions.items() if not version]
        shown = [*present, *(f"{name} missing" for name in missing)] if present else None
        record.add("packages", **{extra or "needed": shown})
        if missing and not extra:
            record.complain(f"not installed: {', '.join(missing)}", to_repair())


def _requirements() -> dict[str, list[str]]:
    """The names of packages by extra, the empty one for all that is always needed; only extras for users."""
    found = defaultdict(list)
    try:
        requirements = metadata.requires(about.NAME.lower()) or []
    except metadata.PackageNotFoundError:  # a bundle
        return {}
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match and match[1] != about.NAME.lower() and (match[2] is None or match[2] in _EXTRAS):
            found[match[2] or ""].append(match[1])
    return dict(found)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _is_stale(compiled: Path) -> bool:
    stem = compiled.name.removesuffix(_SUFFIX)
    sources = [compiled.with_name(stem + suffix) for suffix in (".py", ".pxd")]
    made = compiled.stat().st_mtime_ns
    return installer() == "checkout" and any(
        path.exists() and path.stat().st_mtime_ns > made for path in sources
    )


def _module(compiled: Path) -> str:
    return ".".join(compiled.relative_to(ROOT).parts).removesuffix(_SUFFIX)


def _commit() -> str | None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return None
    words = [git, "-C", str(ROOT), "describe", "--always", "--abbrev=12", "--exclude=*"]
    words.append("--dirty= with changes")
    try:
        done = subprocess.run(words, capture_output=True, check=True, text=True, timeout=_SECONDS)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


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
    session = Session()
    try:
        facts: dict[str, Any] = {"default": session.evaluator}
        for name, path in STANDARDS.items():
            facts[name] = _weights(os.fspath(path))
        record.add("evaluation", **facts)
        for problem in session.problems:
            record.complain(problem, to_repair())
    finally:
        session.close()


def examine_config(record: Record) -> None:
    path, _ = config_file()
    if not has_config():
        record.add("config", file=None, usual_place=path or None)
        _examine_lookup(record, {})
        return
    session = Session()
    preferred, problems = uci_defaults(session)
    session.close()
    values = {option.name: value for option, value in preferred.items()}
    own = load()
    shown = {key: own.general[key] for key in ("colours", "pieces") if key in own.general}
    record.add("config", file=path, **values, **shown, sections=[*own.sections])
    for problem in problems:
        record.complain(problem, f"correct {path}, or start Lolli with {CONFIG_VARIABLE}= in the environment")
    _examine_demands(record, values)
    _examine_lookup(record, values)


def examine_speed(record: Record) -> None:
    started = _start_seconds()
    record.add("speed", seconds_to_uciok=started)
    if started is None:
        record.complain("the engine does not start as a process of its own", to_repair())
    elif started > _SLOW:
        record.complain(
            f"the engine needs {started} s to start: clients may give up",
            "start it once more; else report it",
        )
    began = control.now()
    nodes = sum(count for _, count in bench.counts(bench.fresh_session(), _DEPTH, lambda: False))
    milliseconds = (control.now() - began) // 1_000_000
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
            record.complain(str(error), "name another book in config.toml" if book else to_repair())
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
    command = [sys.executable, "-c", f"from {_MODULE} import main; main()"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    times = []
    try:
        for _ in range(_STARTS):
            began = perf_counter()
            with chess.engine.SimpleEngine.popen_uci(command, timeout=_PATIENCE, env=environment):
                times.append(perf_counter() - began)
    except (OSError, TimeoutError, chess.engine.EngineError):
        return None
    return round(min(times), 3)
