"""The leak law on the bytes of HTTP: shuffle what somebody cannot see, and pages, API and streams stay the same."""

import asyncio
from random import Random

from server_browser import visiting

from hegemon.notation.writing import write_view
from hegemon.play.game import Game
from hegemon.rules.words import WORDS
from hegemon.server import identity
from hegemon.server.app import Settings
from hegemon.server.store import Entry, SeatRow
from random_games import new_game
from test_leak import Story, played_again, shuffled_names

GAMES = 24
WORLDS = 5


async def sent(client, table, game, seat):
    """Every byte that somebody is sent of a table: the page and the answers of the API, and what streams begin with."""
    table.game, table.entries = game, entries_of(game)
    table._memories.clear()
    table._chronicle = None
    query = f"?seat={seat + 1}" if seat >= 0 else ""
    bearer = {"authorization": f"Bearer {client.cookies[identity.COOKIE]}"} if seat >= 0 else {}
    api = f"/api/games/{table.id}"
    answers = [
        await client.get(f"/games/{table.id}{query}"),
        await client.get(api, headers=bearer),
        *[
            await client.post(f"{api}/words", json=word | {"command": "x"}, headers=bearer)
            for word in refused_words(game, seat)
        ],
        await until_dismissed(client, table, f"/games/{table.id}/stream{query}", {}),
        await until_dismissed(client, table, f"{api}/stream", bearer),
    ]
    assert [answer.status_code for answer in answers if answer.status_code not in (200, 409, 422)] == []
    return [answer.content for answer in answers]


def refused_words(game, seat):
    """Words that a seat may not say now, and one that comes too late: a refusal must not tell either."""
    if seat < 0:
        return []
    refused = [word for word in WORDS if word not in game.choices_of(seat)]
    return [{"word": word, "number": len(game.words)} for word in refused[::8]] + [
        {"word": "M", "number": 10**6}
    ]


async def until_dismissed(client, table, path, headers):
    stream = asyncio.create_task(client.get(path, headers=headers))
    while not (table.listeners or stream.done()):
        await asyncio.sleep(0)
    client.app.state.tables.dismiss()
    return await stream


def entries_of(game):
    return [Entry(number, seat, WORDS[word]) for number, (seat, word) in enumerate(game.record().said, 1)]


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
