"""The folder of a network that learns: its games, its state, what was reported, and networks on the way.

learning.jsonl      journal: how it learns, then a record for each report
played.games        all games, see game_records
learner.npz         the state from which learning goes on
network.lolli       the network as it plays, see engine/games/compiled/policy_file.py
networks/N.lolli    the same after N seconds
judged.jsonl        what `scripts/lab judge-policy` has found
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from engine.files import append_to, descriptor_of
from engine.games.compiled.policy_file import PolicyFileError, PolicyWeights, load_policy, save_policy
from engine.games.rules.game import SizeError
from scripts.laboratory.long_run import RunJournal
from scripts.laboratory.policy.game_records import POLICY_GAMES, PolicyGameError, read_games
from scripts.laboratory.policy.learnable_games import first_state
from scripts.laboratory.policy.learner_state import LearnerState, load_state, save_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.games.compiled.network_shape import PolicyShape
    from scripts.laboratory.policy.game_records import PolicyGame

JOURNAL = "learning.jsonl"
JUDGED = "judged.jsonl"
SUFFIX = ".lolli"
"""Of files of networks."""
_GAMES, _STATE, _NETWORK, _NETWORKS = "played.games", "learner.npz", f"network{SUFFIX}", "networks"


@dataclass(frozen=True, slots=True)
class NetworkOnTheWay:
    """A network on the way, and how many seconds it had learned."""

    seconds: int
    path: Path


class PolicyFolderError(ValueError):
    """A part of a folder is missing. The message says which, and what can be done."""


class PolicyFolder:
    """See the module. While it is open, no other process can open it."""

    def __init__(self, path: Path, run: dict[str, Any]) -> None:
        """Open or create a folder; `run` describes how to learn.

        Raises JournalError where the folder is of another run or in use, PolicyFolderError where a part of it
        is missing, and OSError.
        """
        self.path = path
        if any((path / part).exists() for part in (_GAMES, _STATE)):
            self._require(JOURNAL)
        (path / _NETWORKS).mkdir(parents=True, exist_ok=True)
        self._journal = RunJournal(path / JOURNAL, run)
        self._run = run
        try:
            self.records = self._journal.read(dict)
            if self.records:  # both are written before the first
                self._require(_GAMES)
                self._require(_STATE)
            self._games = os.fdopen(descriptor_of(path / _GAMES, os.O_RDWR | os.O_CREAT | os.O_APPEND), "r+b")
        except BaseException:
            self._journal.close()
            raise

    def _require(self, part: str) -> None:
        """Raise PolicyFolderError where a part without which nothing can go on is missing or empty."""
        path = self.path / part
        if not path.exists() or not path.stat().st_size:
            raise PolicyFolderError(
                f"{path} is missing: put it back, or go on in another folder with"
                f" --start {self.path / _NETWORK}"
            )

    def games(self) -> Iterator[PolicyGame]:
        """All games so far, to the last one; afterwards `add` goes on behind it. Raises PolicyGameError."""
        name = str(self.path / _GAMES)
        self._games.seek(0)
        if not self._games.read(1):
            self._append(POLICY_GAMES.pack_header(self._run))
            return
        self._games.seek(0)
        if (described := POLICY_GAMES.read_header(self._games, name)) != self._run:
            raise PolicyGameError(f"{name}: games of another run: {described}"[:150])
        yield from read_games(self._games, name)
        self._games.truncate()

    def add(self, game: PolicyGame) -> None:
        """Append a game. Raises OSError."""
        self._append(game.to_bytes())

    def _append(self, content: bytes) -> None:
        append_to(self._games.fileno(), content, str(self.path / _GAMES))

    def state(self, shape: PolicyShape) -> LearnerState | None:
        """The state to go on from, if there is one. Raises LearnerStateError and OSError."""
        path = self.path / _STATE
        return load_state(path, shape) if path.exists() else None

    def keep(self, state: LearnerState, network: PolicyWeights, record: dict[str, Any]) -> None:
        """Write the state, the network and a record of the journal. Raises OSError."""
        save_state(self.path / _STATE, state)
        save_policy(self.path / _NETWORK, network)
        self._journal.append(record)

    def keep_snapshot(self, seconds: float, network: PolicyWeights) -> None:
        """Write a network on the way. Raises OSError."""
        save_policy(self.path / _NETWORKS / f"{round(seconds):06}{SUFFIX}", network)

    def close(self) -> None:
        """Let others open it."""
        self._games.close()
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def snapshots(folder: Path) -> list[NetworkOnTheWay]:
    """The networks of a folder on the way, the earliest first."""
    found = sorted((folder / _NETWORKS).glob(f"*{SUFFIX}"))
    return [NetworkOnTheWay(int(path.stem), path) for path in found if path.stem.isdigit()]


def network_at(path: Path) -> PolicyWeights:
    """The network in a file, or the latest of a folder. Raises PolicyFileError."""
    file = path / _NETWORK if path.is_dir() else path
    network = load_policy(file)
    try:
        planes = first_state(network.game, network.columns).plane_count
    except (KeyError, SizeError):
        planes = 0
    if network.shape.planes != planes:
        raise PolicyFileError(f"{file}: not a network of a game and a board that are learned here")
    return network
