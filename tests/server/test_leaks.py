"""The leak law on the bytes of HTTP: shuffle what somebody cannot see, and the page and the stream stay the same."""

import asyncio
from random import Random

from server_browser import visiting

from hegemon.notation.writing import write_view
from hegemon.play.game import Game
from hegemon.server import identity
from hegemon.server.app import Settings
from hegemon.server.store import SeatRow
from random_games import new_game
from test_leak import Story, played_again, shuffled_names

GAMES = 24
WORLDS = 5


async def sent(client, table, game, seat):
    """Every byte that a browser is sent of a table: its page, and what the stream begins with."""
    table.game, table.number = game, len(game.words)
    table._memories.clear()
    query = f"?seat={seat + 1}" if seat >= 0 else ""
    page = await client.get(f"/games/{table.id}{query}")
    assert page.status_code == 200
    stream = asyncio.create_task(client.get(f"/games/{table.id}/stream{query}"))
    while not table.listeners:
        await asyncio.sleep(0)
    client.app.state.tables.dismiss()
    streamed = await stream
    assert streamed.status_code == 200
    return page.content, streamed.content


async def test_no_byte_tells_what_a_seat_may_not_know(database):
    settings = Settings(database, new_command=lambda: "command")
    mine, other = identity.new_token(), identity.new_token()
    different = 0
    async with visiting(database, settings) as client:
        for number in range(GAMES):
            chance = Random(number)
            game = new_game(number * 5)
            viewer = chance.randrange(-1, game.players)
            story = Story(game, viewer, chance.randrange(200), chance)
            rows = [
                SeatRow(None, identity.holder_of(mine if seat == viewer else other))
                for seat in range(game.players)
            ]
            game_id = await client.app.state.tables.open(Game(game.players, seed=number), rows)
            table = await client.app.state.tables.table(game_id)
            client.cookies.set(identity.COOKIE, mine)
            expected = None
            for _ in range(WORLDS):
                again = played_again(story, shuffled_names(story.cards, chance))
                if again is None or again[0].position == story.game.position:
                    continue
                expected = expected or await sent(client, table, story.game, viewer)
                assert await sent(client, table, again[0], viewer) == expected, write_view(game.view(viewer))
                different += 1
                break
    assert different > GAMES // 4
