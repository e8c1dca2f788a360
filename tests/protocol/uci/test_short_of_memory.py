"""Less than was asked for is better than nothing: the real process where there is little memory."""

import re
import resource
import sys
from pathlib import Path

import pytest

from tests.poorer import in_group, within
from tests.protocol.uci.dialogue import Dialogue

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")

THREADS = r"info string Threads: (\d+) of (\d+), for lack of room"
HASH = r"info string Hash: (\d+) of (\d+) MB, for lack of memory"


def had(pattern: str, lines: list[str]) -> list[int]:
    return [int(found[1]) for line in lines if (found := re.fullmatch(pattern, line))]


@pytest.mark.parametrize("megabytes", [100, 200, 700])
def test_fewer_threads_and_said_once(lolli_command: list[str], megabytes: int) -> None:
    with Dialogue(within(megabytes, lolli_command)) as dialogue:
        dialogue.ask("uci")
        said = dialogue.ask("setoption name Threads value 512")
        assert len(had(THREADS, said)) == 1
        said += dialogue.ask("position startpos moves e2e4")
        for _ in range(3):
            lines, _ = dialogue.go("nodes 500")
            said += lines + dialogue.ask("ucinewgame")
        threads = had(THREADS, said)
        assert len(threads) <= 2  # where a search could not have as many as could be had before
        assert threads == sorted(threads, reverse=True)
        assert 1 <= min(threads) <= max(threads) < 200
        assert len(threads) == sum(line.startswith("info string") for line in said)


def test_more_threads_once_the_table_is_smaller(lolli_command: list[str], tmp_path: Path) -> None:
    with Dialogue(in_group(tmp_path, 200, lolli_command)) as dialogue:
        said = dialogue.ask("setoption name Hash value 120", "setoption name Threads value 60")
        assert not had(HASH, said)
        (threads,) = had(THREADS, said)
        assert 20 < threads < 60
        assert dialogue.ask("setoption name Hash value 16") == []
        dialogue.go("nodes 500")


def test_where_no_more_files_can_be_opened(lolli_command: list[str]) -> None:
    """The system is asked for its memory by files in /proc."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask("uci")
        resource.prlimit(dialogue.process.pid, resource.RLIMIT_NOFILE, (3, 3))
        assert dialogue.ask("setoption name Threads value 2", "setoption name Hash value 64") == []
        for words in ("nodes 500", "nodes 500"):
            lines, _ = dialogue.go(words)
            assert not any(line.startswith("info string") for line in lines)


@pytest.mark.parametrize("megabytes", [50, 150, 600])
def test_the_memory_of_a_container_counts(lolli_command: list[str], tmp_path: Path, megabytes: int) -> None:
    with Dialogue(in_group(tmp_path, megabytes, lolli_command)) as dialogue:
        said = dialogue.ask("setoption name Hash value 4000")
        (table,) = had(HASH, said)
        assert 16 <= table < megabytes
        if megabytes > 100:
            assert table > megabytes // 2
        dialogue.go("nodes 500")


def test_threads_in_a_container_that_is_full(lolli_command: list[str], tmp_path: Path) -> None:
    with Dialogue(in_group(tmp_path, 20, lolli_command)) as dialogue:
        assert had(THREADS, dialogue.ask("setoption name Threads value 64")) == [1]
        dialogue.go("nodes 500")
