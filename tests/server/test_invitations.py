"""The API of seats: invitations, the host's changes, and the rematch."""

import asyncio
import json

import pytest
from server_program import Program

from hegemon.notation.reading import read_view
from hegemon.prose.translator import get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.api.sse import table_events
from hegemon.server.tables.moves import submit_move


async def create_game(client, *seats, **options):
    answer = await client.post("/api/games", json={"seats": list(seats), **options})
    assert answer.status_code == 201, answer.text
    return answer.json()


def bearer(token):
    return {"authorization": f"Bearer {token}"} if token else {}


@pytest.fixture
async def waiting(client):
    """A table with a token for Ada and an open seat."""
    return await create_game(client, {"name": "Ada"}, {"open": True})


async def join(client, invite, token=None, **guest):
    return await client.post(f"/api/invitations/{invite}", json=guest, headers=bearer(token))


async def reassign(client, game, seat, token, **request):
    return await client.post(f"/api/games/{game['game']}/seats/{seat}", json=request, headers=bearer(token))


async def test_a_table_waits_for_the_player_with_the_invitation(client, waiting):
    ada = Program(client, waiting["game"], waiting["seats"][0]["token"])
    invite = waiting["seats"][1]["invite"]
    assert [seat["token"] is None for seat in waiting["seats"]] == [False, True]
    state = await ada.state()
    assert (state["is_waiting"], state["choices"], state["to_move"]) == (True, [], [])
    assert read_view(state["view"]).viewer == SPECTATOR
    assert state["question"] == "The game begins when every seat is taken."
    early = await ada.submit_move("M", 0, "a")
    assert (early.status_code, early.json()["why"]) == (409, state["question"])
    joined = (await join(client, invite, name="Ben", color=5)).json()
    assert (joined["game"], joined["seat"]) == (waiting["game"], 2)
    state = await ada.state()
    assert (state["is_waiting"], state["to_move"], state["seats"][1]["name"]) == (False, [1], "Ben")
    assert (await Program(client, joined["game"], joined["token"]).state())["seat"] == 2


async def test_an_invitation_can_be_used_once(client, waiting):
    invite = waiting["seats"][1]["invite"]
    first = (await join(client, invite)).json()
    again = await join(client, invite, first["token"])
    assert (again.status_code, again.json()) == (201, first)
    used = await join(client, invite)
    assert (used.status_code, "already" in used.json()["why"]) == (410, True)
    forged = await join(client, "forged")
    assert (forged.status_code, "no such invitation" in forged.json()["why"]) == (404, True)
    assert (await join(client, invite, "nonsense")).status_code == 401
    mine = await join(client, invite, waiting["seats"][0]["token"])
    assert mine.status_code == 409


async def test_the_host_reassigns_seats(client, waiting):
    game, host, ada = waiting["game"], waiting["host"], waiting["seats"][0]["token"]
    listed = await client.get(f"/api/games/{game}/seats", headers=bearer(host))
    assert [seat["invite"] for seat in listed.json()] == [None, waiting["seats"][1]["invite"]]
    assert (await client.get(f"/api/games/{game}/seats", headers=bearer(ada))).status_code == 403
    assert (await client.get(f"/api/games/{game}/seats")).status_code == 401
    assert (await Program(client, game, host).state())["seat"] is None
    bot = await reassign(client, waiting, 2, host, bot="chance")
    assert (bot.status_code, bot.json()["bot"], bot.json()["open"]) == (200, "chance", False)
    opened = await reassign(client, waiting, 2, host)
    assert opened.json()["invite"] not in (None, waiting["seats"][1]["invite"])
    own = await reassign(client, waiting, 1, ada)
    assert (own.status_code, own.json()["open"], own.json()["invite"]) == (200, True, None)
    assert (await Program(client, game, ada).get("")).status_code == 401
    for seat, token, status, request in (
        (1, ada, 403, {}),
        (4, host, 404, {}),
        (2, None, 401, {}),
        (2, host, 422, {"bot": "genius"}),
        (5, host, 400, {}),
    ):
        assert (await reassign(client, waiting, seat, token, **request)).status_code == status


async def test_the_stream_of_a_removed_player_ends(client):
    game = await create_game(client, {"name": "Ada"}, {"name": "Ben"})
    ada, ben = (Program(client, game["game"], seat["token"]) for seat in game["seats"])
    stream = asyncio.create_task(ben.get("/stream"))
    table = await client.app.state.tables.load(game["game"])
    while not table.subscribers:
        await asyncio.sleep(0)
    choice = (await ada.state())["choices"][0]["choice"]
    await reassign(client, game, 2, game["host"], bot="chance")
    await ada.submit_move(choice, 0, "a")
    moves = [json.loads(line[6:]) for line in (await stream).text.splitlines() if line.startswith("data: ")]
    assert [move["version"] for move in moves] == [0]
    for path in ("", "/stream"):
        assert (await ben.get(path)).status_code == 401
    assert (await ben.submit_move("M", 1, "b")).status_code == 401


async def test_a_player_who_has_just_lost_a_seat_cannot_reassign_it(client):
    game = await create_game(client, {"name": "Ada"}, {"name": "Ben"})
    table = await client.app.state.tables.load(game["game"])
    changes = []
    async with table.lock:
        for token, request in ((game["host"], {"bot": "chance"}), (game["seats"][1]["token"], {})):
            changes.append(asyncio.create_task(reassign(client, game, 2, token, **request)))
            while len(table.lock._waiters or ()) < len(changes):
                await asyncio.sleep(0)
    assert [(await answer).status_code for answer in changes] == [200, 403]
    assert table.seats[1].bot == "chance"


async def test_a_stream_starts_when_every_seat_is_taken(client, waiting):
    table = await client.app.state.tables.load(waiting["game"])
    stream = table_events(table, 0, -1, get_translator("en"))
    first = asyncio.ensure_future(anext(stream))
    while not table.subscribers:
        await asyncio.sleep(0)
    assert not first.done()
    await join(client, waiting["seats"][1]["invite"])
    assert (await first).startswith(b"id: 0\n")
    await stream.aclose()


async def test_a_seat_with_a_bot_cannot_be_open(client):
    answer = await client.post("/api/games", json={"seats": [{}, {"bot": "chance", "open": True}]})
    assert (answer.status_code, answer.json()["why"]) == (422, "A seat is either a bot’s or open, not both.")


async def test_all_players_get_the_same_rematch(client):
    game = await create_game(client, {"name": "Ada"}, {"name": "Ben"}, variant="basic")
    ada, ben = (seat["token"] for seat in game["seats"])
    path = f"/api/games/{game['game']}/rematch"
    assert (await client.post(path, headers=bearer(ada))).status_code == 409
    tables = client.app.state.tables
    table = await tables.load(game["game"])
    while not table.game.over:
        await submit_move(tables, table, table.to_move[0], table.game.choices[-1], table.version, None)
    rematches = {(await client.post(path, headers=bearer(token))).json()["game"] for token in (ada, ben)}
    (new,) = rematches
    assert (await Program(client, new, ada).state())["seat"] == 2
    other_host = (await create_game(client, {}, {}))["host"]
    assert [(await client.post(path, headers=bearer(t))).status_code for t in (other_host, None)] == [
        401,
        401,
    ]
