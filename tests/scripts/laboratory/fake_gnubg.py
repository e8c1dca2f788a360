"""Stands in for GNU Backgammon: talks like gnubg_side.py inside it, and plays the first legal move."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from engine.games.rules.backgammon import BackgammonGame


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Answer until there are no more questions; with `mute` end at once."""
    say("GNU Backgammon says a lot")
    if "mute" in sys.argv:
        return
    say("@ ready")
    start = BackgammonGame(scoring="points").start()
    for line in sys.stdin:
        high, low, *men = map(int, line.split())
        mine, theirs = men[:25], men[25:]
        boards = [[15 - sum(side), *side] for side in (mine, theirs)]
        state = start.placed(boards[0], boards[1], 0, high, low)
        say("The dice have been set.")
        say("@ " + " ".join(f"{a} {b}" for a, b in state.steps(state.moves()[0])))


main()
