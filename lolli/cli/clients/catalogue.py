"""The clients that `lolli setup` knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lolli.cli.clients.json_clients import CUTE_CHESS, EN_CROISSANT, PYCHESS
from lolli.cli.clients.lichess_bot import LichessBot
from lolli.cli.clients.xboard import XBoard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lolli.cli.clients.plan import Client

CLIENTS: Mapping[str, Client] = {
    client.key: client for client in (CUTE_CHESS, XBoard(), PYCHESS, LichessBot(), EN_CROISSANT)
}
"""By their keys, in the order in which they are shown."""
