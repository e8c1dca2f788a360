"""The name under which a build plays."""

import subprocess
from pathlib import Path

from protocol import about


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", "-C", folder, *who, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


def test_a_checkout_is_named_by_its_commit(tmp_path: Path) -> None:
    """Its branch may be in a file of its own or among packed ones; a worktree; no branch."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    assert about.build(str(first)) == about.VERSION
    git(first, "init", "-b", "main")
    git(first, "commit", "--allow-empty", "-m", "one")
    git(first, "worktree", "add", "-b", "other", str(second))
    git(second, "commit", "--allow-empty", "-m", "two")
    seen = set()
    for words in (["branch"], ["pack-refs", "--all"], ["checkout", "--detach"]):
        for folder in (first, second):
            git(folder, *words)
            commit = git(folder, "rev-parse", "HEAD")
            assert about.build(str(folder)) == f"{about.VERSION} {commit[:12]}"
            seen.add(commit)
    assert len(seen) == 2
