"""The bar, as it is drawn on a console."""

from io import StringIO

from rich.console import Console

from protocol.cli.terminal.progress import bar


def drawn(*, total: int, completed: int, seconds: float) -> str:
    """The bar's line after so many of so many steps in so much time, at an even pace."""
    now = 0.0
    progress = bar()
    progress.get_time = lambda: now
    task = progress.add_task("depth 7", total=total)
    for step in range(completed + 1):
        now = step * seconds / max(completed, 1)
        progress.update(task, completed=step)
    console = Console(file=StringIO(), width=100)
    with console.capture() as capture:
        console.print(progress)
    return capture.get()


def test_steps_and_times() -> None:
    words = drawn(total=24, completed=6, seconds=12.0).split()
    assert words[0] == "6/24"
    assert " ".join(words[-6:]) == "7 12 s, 36 s left"


def test_nothing_is_foretold_at_the_beginning() -> None:
    words = drawn(total=24, completed=0, seconds=0.0)
    assert "0.0 s" in words
    assert "left" not in words
