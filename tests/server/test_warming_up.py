"""The compiled search is loaded for tables with bots, and not for a server without bots."""

import pytest
from server_browser import Browser, visiting

from hegemon.server.config import ServerConfig
from hegemon.server.tables import bots


@pytest.mark.parametrize(("opponent", "loaded"), [("person", []), ("chance", []), ("expert", [{"expert"}])])
async def test_the_search_is_loaded_with_the_first_table_that_has_bots(
    database, monkeypatch, opponent, loaded
):
    warmed = []
    monkeypatch.setattr(bots, "warm_up", lambda levels, *, wait: warmed.append(levels))
    async with visiting(database, ServerConfig(database)) as client:
        for _ in range(2):
            await Browser(client).take_seat(seat1="me", seat2=opponent)
    assert warmed == loaded
