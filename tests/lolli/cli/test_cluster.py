"""What is said of a lost connection to a cluster; the rest is in the tests of the commands that use one."""

import asyncio

import pytest
from distributed.comm.core import CommClosedError
from tornado.ioloop import IOLoop

from lolli.cli.cluster import Cluster
from lolli.cli.workers import WorkersError


@pytest.fixture(scope="module", autouse=True)
def _silenced() -> None:
    with pytest.raises(WorkersError):
        Cluster("nowhere:1:2", lambda: None)


@pytest.mark.parametrize(
    ("error", "is_said"), [(CommClosedError("closed"), False), (ValueError("new"), True)]
)
def test_what_the_event_loop_logs(
    error: Exception, is_said: bool, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Sending when the connection was closed is no news; any other error of a callback is."""

    async def fails() -> None:
        raise error

    async def runs() -> None:
        IOLoop.current().add_callback(fails)
        await asyncio.sleep(0.01)

    asyncio.run(runs())
    said = caplog.text + capfd.readouterr().err
    assert ("Exception in callback" in said) == is_said
