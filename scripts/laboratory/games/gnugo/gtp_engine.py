"""A Go program at the other end of two pipes, spoken to in GTP."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

_QUIT_SECONDS = 5


class GtpEngineError(Exception):
    """The engine is gone, or has refused a command; the message says which."""


class GtpEngine:
    """A running engine. Raises OSError if it cannot be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate(timeout=_QUIT_SECONDS)

    def ask(self, command: str) -> str:
        """The answer to a command, without what marks it as one. Raises GtpError."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018
        try:
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()
        except OSError as error:
            raise GtpEngineError(f"the engine is gone before {command!r}") from error
        lines: list[str] = []
        while line := self._process.stdout.readline():
            if line.strip():
                lines.append(line.rstrip())
            elif lines:
                answer = "\n".join(lines)
                if not answer.startswith("="):
                    raise GtpEngineError(f"{command!r} is answered by {answer!r}")
                return answer[1:].strip()
        raise GtpEngineError(f"the engine is gone after {command!r}")
