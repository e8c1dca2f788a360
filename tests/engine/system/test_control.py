"""How a search is stopped by the time for which its own thread has been busy."""

import time
from time import thread_time_ns

from engine.system.control import Control, now


def test_a_thread_s_time_stands_still_while_it_sleeps() -> None:
    control = Control()
    control.limit_thread_time(50_000_000)
    time.sleep(0.1)
    assert not control.expired()
    end = thread_time_ns() + 60_000_000
    while thread_time_ns() < end:
        pass
    assert control.expired()
    assert control.stopped()


def test_the_next_search_has_a_deadline_on_the_clock_again() -> None:
    control = Control()
    control.limit_thread_time(1 << 60)
    control.begin()
    assert not control.expired()
    control.set_deadline(now() - 1)
    assert control.expired()
