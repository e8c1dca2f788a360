"""The techniques of the search, each with its switch."""

TECHNIQUES = {
    "alpha_beta": "cut off what cannot change the value",
    "quiescence": "resolve captures before judging",
    "table": "remember positions met before",
    "ordering": "try promising moves first: hash move, captures by MVV-LVA and exchange value",
    "killers": "try first what refuted a sister position",
    "history": "try first what has refuted often",
    "principal_variation": "search all but the first move with a null window",
    "aspiration": "expect a value near the last one",
    "check_extension": "search a ply deeper when in check",
    "mate_distance": "look for no mate longer than one already found",
    "null_move": "cut off where even a pass would do",
    "late_move_reductions": "search late moves less deeply at first",
    "singular_extensions": "search a ply deeper where one move is far better than all others",
}
"""Every technique that can be switched off, with what it does."""


class Techniques:
    """Which techniques a search uses; all but singular extensions by default."""

    def __init__(self) -> None:
        self.alpha_beta = True
        self.quiescence = True
        self.table = True
        self.ordering = True
        self.killers = True
        self.history = True
        self.principal_variation = True
        self.aspiration = True
        self.check_extension = True
        self.mate_distance = True
        self.null_move = True
        self.late_move_reductions = True
        self.singular_extensions = False

    def switch(self, name: str, on: bool) -> None:
        """Turn one technique on or off; KeyError if there is none of that name."""
        if name not in TECHNIQUES:
            raise KeyError(name)
        setattr(self, name, on)
