"""Ada and Ben in a correspondence game, each with a browser."""

import re
from contextlib import asynccontextmanager

from server_browser import Browser, visiting
from server_config import config_at


@asynccontextmanager
async def serving(database, hands, **settings):
    """A server that may send webhooks to this machine, and browsers for Ada, Ben and Eve."""
    how = config_at(database, now=hands, **{"private_webhooks": True} | settings)
    async with visiting(database, how) as client:
        yield client, [Browser(client.another()) for _ in range(3)]


async def both(people, **form):
    """Start a game between Ada and Ben with three days per move; return the path of its table."""
    ada, ben, _ = people
    wishes = {"seat1": "me", "seat2": "friend", "name1": "Ada", "clock": "3d a move"}
    await ada.take_seat(**wishes | form)
    path = ada.path
    (link,) = re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
    await ben.post(link, {"name": "Ben"})
    await ada.get(path)
    return path


async def play_turn(people, path):
    """Play a whole turn for the seat to move; return the seat."""
    table = await people[0].client.app.state.tables.load(path.split("/")[2])
    (seat,) = table.to_move
    while table.to_move == (seat,):
        friend = people[seat]
        await friend.get(path)
        await friend.submit_move("." if "." in friend.words else friend.words[-1])
    return seat
