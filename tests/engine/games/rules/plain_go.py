"""The rules of Go once more, slowly: sets of points, flood fill, and every position that ever was."""

from __future__ import annotations

from dataclasses import dataclass, field

Point = tuple[int, int]
Stones = frozenset[tuple[Point, int]]


@dataclass
class PlainGo:
    """Columns and rows from 0, colours 0 and 1; a move is a point or None. Who is to move is the caller's."""

    size: int
    stones: dict[Point, int] = field(default_factory=dict)
    past: set[Stones] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.past.add(frozenset(self.stones.items()))

    def points(self) -> list[Point]:
        return [(column, row) for row in range(self.size) for column in range(self.size)]

    def around(self, point: Point) -> list[Point]:
        column, row = point
        found = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        return [(c, r) for c, r in found if 0 <= c < self.size and 0 <= r < self.size]

    def connected(self, stones: dict[Point, int], point: Point) -> set[Point]:
        found, todo = {point}, [point]
        while todo:
            for other in self.around(todo.pop()):
                if other not in found and stones.get(other) == stones.get(point):
                    found.add(other)
                    todo.append(other)
        return found

    def alive(self, stones: dict[Point, int], point: Point) -> bool:
        string = self.connected(stones, point)
        return any(other not in stones for stone in string for other in self.around(stone))

    def after(self, point: Point, colour: int) -> dict[Point, int] | None:
        """The stones after a move; None if it is against the rules."""
        if point in self.stones:
            return None
        stones = {**self.stones, point: colour}
        for other in self.around(point):
            if stones.get(other) == 1 - colour and not self.alive(stones, other):
                for dead in self.connected(stones, other):
                    del stones[dead]
        if not self.alive(stones, point) or frozenset(stones.items()) in self.past:
            return None
        return stones

    def legal(self, colour: int) -> set[Point]:
        return {point for point in self.points() if self.after(point, colour) is not None}

    def play(self, point: Point, colour: int) -> None:
        stones = self.after(point, colour)
        assert stones is not None
        self.stones = stones
        self.past.add(frozenset(stones.items()))

    def area(self) -> int:
        """Black's less White's."""
        balance = 0
        for point in self.points():
            owners = {self.stones.get(point)}
            if point not in self.stones:
                region = self.connected(self.stones, point)
                owners = {self.stones.get(other) for one in region for other in self.around(one)} - {None}
            balance += 1 if owners == {0} else -1 if owners == {1} else 0
        return balance
