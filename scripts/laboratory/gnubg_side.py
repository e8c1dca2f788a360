"""Runs in GNU Backgammon's own Python: answers questions for best moves on standard input.

A question is a line of 52 numbers: the two dice, then 25 numbers of checkers of the side to move, on its
points 1 to 24 and the bar, then 25 of the other side. The answer is a line that begins with @ and lists the
points from and to which each checker moves, with 25 for the bar and 0 for off. All other lines are gnubg's.
"""

from __future__ import annotations

import os
import sys

import gnubg

SETTINGS = (
    "set automatic bearoff off",
    "set automatic game off",
    "set automatic move off",
    "set automatic roll off",
    "set confirm new off",
    "set cube use off",
    "set jacoby off",
    "set player 0 human",
    "set player 1 human",
    "new session",
    "set turn 1",
)


def main() -> None:
    for setting in SETTINGS:
        gnubg.command(setting)
    plies = int(os.environ["LOLLI_GNUBG_PLIES"])
    cubeless_money = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0)
    context = gnubg.evalcontext(0, plies, 1, 0, 0.0)
    print("@ ready", flush=True)
    for line in sys.stdin:
        numbers = [int(word) for word in line.split()]
        gnubg.command(f"set dice {numbers[0]} {numbers[1]}")
        board = (tuple(numbers[27:]), tuple(numbers[2:27]))
        move = gnubg.findbestmove(board, cubeless_money, context)
        print("@", *move, flush=True)


main()
