"""The clock of the search, how a running one is stopped, and what its threads count together."""

import cython

if not cython.compiled:
    from time import monotonic_ns as read_clock
    from time import thread_time_ns as read_thread_clock

    def add_nodes(control: "Control", nodes: int) -> int:
        """Add the nodes that a thread has searched since its last call; return the sum over all threads.

        Atomic in C. Here two threads may, rarely, lose each other's count.
        """
        control._nodes += nodes
        return control._nodes


def now() -> int:
    """Nanoseconds since some fixed moment; to set the time of day never loses a game."""
    return read_clock()


def deadline_after(seconds: float | None) -> int:
    """The deadline that is `seconds` away; for None 0, which means never."""
    return 0 if seconds is None else now() + max(round(seconds * 1e9), 0)


class Control:
    """A stop flag and a deadline, which any thread may set at any time, and the nodes of all threads.

    All are volatile in C; otherwise a compiler may read a flag once and never again.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget the last search: not stopped, no deadline."""
        self._stop = False
        self._deadline = 0
        self._nodes = 0
        self._looked = 0
        self._pause = 0
        self._counts_thread_time = False

    def stop(self) -> None:
        """Ask every thread of the search to stop."""
        self._stop = True

    def set_deadline(self, deadline: int) -> None:
        """Let the search stop itself at this moment, in nanoseconds of `now`; 0: never."""
        self._looked = read_clock()
        self._deadline = deadline

    def limit_thread_time(self, nanoseconds: int) -> None:
        """Let the search stop itself when this thread, which searches alone, has been busy so long.

        Then it does not matter what else the machine does meanwhile.
        """
        self._counts_thread_time = True
        self._looked = read_thread_clock()
        self._deadline = self._looked + nanoseconds

    def stopped(self) -> bool:
        """Whether the search has been asked to stop or has stopped itself."""
        return self._stop

    def expired(self) -> bool:
        """Like `stopped`, but looks at the clock, too."""
        if not self._stop and self._deadline:
            moment = read_thread_clock() if self._counts_thread_time else read_clock()
            if self._looked and moment - self._looked > self._pause:
                self._pause = moment - self._looked
            self._looked = moment
            if moment >= self._deadline:
                self._stop = True
        return self._stop

    def longest_pause(self) -> int:
        """The longest time, in nanoseconds, without a look at the clock since the deadline was set."""
        return self._pause
