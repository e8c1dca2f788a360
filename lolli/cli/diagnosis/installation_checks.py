"""Program, Python, machine: what is installed and compiled, and for which processor."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import defaultdict
from importlib import metadata
from typing import TYPE_CHECKING

from engine.board.position import COMPILED
from engine.system import linux, memory, services
from engine.system.files import size_text
from engine.system.installation import installer, to_add, to_compile
from engine.system.processor import built_for
from lolli.cli.clients.installation import ROOT, CommandError, engine_command
from protocol import about

if TYPE_CHECKING:
    from pathlib import Path

    from lolli.cli.diagnosis.record import Record

_SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX")
_PACKAGES = ("engine", "eval")
_TELLING = re.compile(
    r"sse4_[12]|popcnt|avx|avx2|bmi[12]|avx512(f|bw|vl|_vnni)|avx_vnni|neon|asimd|asimddp|sve2?"
)
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?[^;]*(?:;.*extra == [\"'](\w+)[\"'])?")
_EXTRAS = ("report", "cluster", "learn", "train")
_SECONDS = 10  # for git


def examine_installation(record: Record) -> None:
    """The program itself and how it is started."""
    record.add("lolli", version=about.VERSION, installed=installer(), folder=str(ROOT), commit=_commit())
    try:
        record.add("lolli", command=str(engine_command()))
    except CommandError as error:
        record.add("lolli", command=None)
        record.complain(str(error), to_add())
    record.add(
        "python",
        version=platform.python_version(),
        implementation=platform.python_implementation(),
        program=sys.executable,
    )


def examine_machine(record: Record) -> None:
    """System, processor and memory."""
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
    """Whether the engine is compiled, for which processor, and from these sources."""
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
    """The versions of what Lolli needs, and of what its extras bring, which nobody has to have."""
    for extra, names in _requirements().items():
        versions = {name: _version(name) for name in names}
        present = [f"{name} {version}" for name, version in versions.items() if version]
        missing = [name for name, version in versions.items() if not version]
        shown = [*present, *(f"{name} missing" for name in missing)] if present else None
        record.add("packages", **{extra or "needed": shown})
        if missing and not extra:
            record.complain(f"not installed: {', '.join(missing)}", to_add())


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
    """The commit of a checkout, and whether files that it keeps have changed."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return None
    words = [
        git,
        "-C",
        str(ROOT),
        "describe",
        "--always",
        "--dirty= with changes",
        "--abbrev=12",
        "--exclude=*",
    ]
    try:
        done = subprocess.run(words, capture_output=True, check=True, text=True, timeout=_SECONDS)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
