"""The API: create a game, read its state, submit moves, follow the stream, read the record; each with its errors."""

import asyncio
import json
from random import Random

import pytest
from litestar.exceptions import NotAuthorizedException
from server_program import Program

from hegemon import read_record
from hegemon.notation.reading import read_view
from hegemon.play.memory import Memory
from hegemon.play.serialization import event_from_dict
from hegemon.server.api.auth import AuthenticatedPlayer
from hegemon.server.api.games import submit_move
from hegemon.server.api.schemas import MoveRequest
from hegemon.views import table_to_dict, view_table

TWO = {"seats": [{"name": "Ada"}, {"name": "Ben"}]}


@pytest.fixture
async def two(client):
    """Ada and Ben at a new table."""
    return await Program.create(client, **TWO)


async def test_creating_a_game_returns_a_token_for_every_seat_without_a_bot(client):
    answer = await client.post(
        "/api/games", json={"seats": [{"name": "Ada"}, {"bot": "greedy"}, {}], "rulings": "pl"}
    )
    assert answer.status_code == 201
    table = answer.json()
    assert [(seat["seat"], seat["name"], seat["bot"]) for seat in table["seats"]] == [
        (1, "Ada", None),
        (2, "Zenobia", "greedy"),
        (3, "Aspasia", None),
    ]
    tokens = [seat["token"] for seat in table["seats"]]
    assert tokens[1] is None
    assert len({*tokens}) == 3
    assert table["address"] == f"http://testserver.local/games/{table['game']}"
    assert (await client.get(table["address"])).status_code == 200


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"seats": [{}, {"bot": "genius"}]}, "There is no such bot. The bots are chance, greedy,"),
        ({"seats": [{"bot": "chance"}, {"bot": "chance"}]}, "At least one person"),
        ({"seats": [{}, {}], "teams": True}, "Teams are two against two"),
        ({"seats": [{}, {}], "rulings": "fr"}, "expected one of the presets"),
    ],
)
async def test_invalid_options_are_rejected_with_the_reason(client, options, why):
    answer = await client.post("/api/games", json=options)
    assert answer.status_code == 422
    assert why in "{why} {detail}".format(**{"detail": "", **answer.json()})


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"seats": 3}', b'{"seats": [{}]}', b'{"seats": [{}, {}], "luck": 1}']
)
async def test_a_malformed_request_is_rejected(client, body):
    answer = await client.post("/api/games", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["why"] == "This request could not be understood."
    assert answer.json()["detail"]


async def test_a_seat_sees_its_own_cards_its_question_and_its_choices(two):
    ada, ben = two
    state, other = await ada.state(), await ben.state()
    assert (state["seat"], state["version"], state["to_move"], state["result"]) == (1, 0, [1], None)
    assert read_view(state["view"]).viewer == 0
    assert [choice["choice"] for choice in state["choices"]]
    assert state["choices"][0]["meaning"].startswith("Play ")
    assert state["question"].startswith("Step 1")
    assert other["choices"] == []
    assert other["view"] != state["view"]
    spectator = await Program(ada.client, ada.game).state()
    assert (spectator["seat"], spectator["choices"]) == (None, [])


async def test_the_table_as_data_matches_the_notation(two):
    chance, players = Random(3), [*two, Program(two[0].client, two[0].game)]
    for _ in range(12):
        states = [await player.state() for player in players]
        for state in states:
            drawn = view_table(read_view(state["view"]), [seat["name"] for seat in state["seats"]])
            assert state["table"] == table_to_dict(drawn)
            assert state["table"]["choices"] == [choice["choice"] for choice in state["choices"]]
        mover = states[0]["to_move"][0] - 1
        choice = chance.choice(states[mover]["choices"])["choice"]
        await players[mover].submit_move(
            choice, states[mover]["version"], f"{mover}.{states[mover]['version']}"
        )


async def test_sentences_are_in_the_requested_language(two):
    state = (await two[0].get("", **{"accept-language": "de"})).json()
    assert not state["question"].startswith("Step 1")


async def test_a_repeated_move_gets_the_same_response(two):
    ada, ben = two
    choice = (await ada.state())["choices"][0]["choice"]
    first = await ada.submit_move(choice, 0, "a")
    assert (first.status_code, first.json()) == (200, {"version": 1})
    again = await ada.submit_move(choice, 0, "a")
    assert (again.status_code, again.json()) == (200, {"version": 1})
    assert (await ada.state())["version"] == 1
    assert (await ben.submit_move(choice, 1, "a")).status_code == 409


async def test_a_stale_move_is_rejected_with_the_current_version(two):
    ada, _ = two
    choice = (await ada.state())["choices"][0]["choice"]
    await ada.submit_move(choice, 0, "a")
    stale = await ada.submit_move(choice, 0, "b")
    assert (stale.status_code, stale.json()["version"]) == (409, 1)
    assert "The table has changed" in stale.json()["why"]


async def test_an_illegal_move_is_rejected_with_the_reason_and_the_legal_choices(two):
    ada, _ = two
    choices = [choice["choice"] for choice in (await ada.state())["choices"]]
    rejected = await ada.submit_move("mE", 0, "a")
    assert (rejected.status_code, rejected.json()["choices"]) == (422, choices)
    assert "a card must be played" in rejected.json()["why"]
    nonsense = await ada.submit_move("xyz", 0, "a")
    assert (nonsense.status_code, nonsense.json()["choices"]) == (422, choices)
    await ada.submit_move(choices[0], 0, "a")
    rejected = await ada.submit_move("M1", 1, "b")
    assert rejected.json()["choices"][-1] == "undo"


async def test_a_move_needs_the_token_of_a_seat(two):
    ada, ben = two
    choice = (await ada.state())["choices"][0]["choice"]
    for token in (None, "nonsense", "x" * 43):
        answer = await Program(ada.client, ada.game, token).submit_move(choice, 0, "a")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "Bearer" in answer.json()["why"]
    assert (await ben.submit_move(choice, 0, "a")).status_code == 422
    other_player, _ = await Program.create(ada.client, **TWO)
    elsewhere = Program(ada.client, ada.game, other_player.token)
    assert (await elsewhere.get("")).status_code == 401


async def test_a_seat_given_away_during_a_request_cannot_move(two):
    tables = two[0].client.app.state.tables
    table = await tables.load(two[0].game)
    move = MoveRequest(choice=table.snapshot.choices_of(0)[0], version=0, idempotency_key="late")
    with pytest.raises(NotAuthorizedException):
        await submit_move.fn(None, move, tables, table, AuthenticatedPlayer(0, "the former owner"))
    assert table.version == 0


async def test_an_unknown_game_is_not_found(two):
    lost = Program(two[0].client, "nonsense", two[0].token)
    for path in ("", "/stream", "/record"):
        answer = await lost.get(path)
        assert (answer.status_code, "no such game" in answer.json()["why"]) == (404, True)
    assert (await lost.submit_move("M", 0, "a")).status_code == 404


async def test_unknown_paths_of_the_api_get_json(client):
    answer = await client.get("/api/nonsense")
    assert (answer.status_code, list(answer.json())) == (404, ["why"])
    answer = await client.delete("/api/games")
    assert (answer.status_code, list(answer.json())) == (405, ["why"])
    assert "POST" in answer.headers["allow"]


async def test_an_internal_error_does_not_show_details(two, monkeypatch):
    def broken(*_):
        raise RuntimeError("oops")

    monkeypatch.setattr("hegemon.server.api.games.write_view", broken)
    answer = await two[0].get("")
    assert answer.status_code == 500
    assert "oops" not in answer.text


@pytest.mark.slow
async def test_the_streams_of_a_game_contain_everything_its_players_may_remember(client):
    programs = await Program.create(client, seats=[{}, {}, {"bot": "chance"}], variant="draft")
    chance, table = Random(1), await client.app.state.tables.load(programs[0].game)
    streams = [asyncio.create_task(program.get("/stream")) for program in programs]
    assert (await programs[0].get("/record")).status_code == 403
    while not table.game.over:
        for number, program in enumerate(programs):
            if number not in table.to_move:
                continue  # constant polling would exceed the rate limit
            state = await program.state()
            if state["choices"]:
                choice = chance.choice(state["choices"])["choice"]
                assert (
                    await program.submit_move(choice, state["version"], f"{number}.{state['version']}")
                ).status_code in (200, 409)
        await asyncio.sleep(0)
    assert (await programs[0].state())["result"]["winners"]
    record = read_record((await programs[0].get("/record")).json()["record"])
    assert record.moves == table.game.record().moves
    for seat, stream in enumerate(streams):
        messages = (await stream).text.strip().split("\n\n")
        moves = [json.loads(message.split("data: ")[1]) for message in messages]
        assert [move["version"] for move in moves] == list(range(table.version + 1))
        events = [event_from_dict(facts) for move in moves for facts in move["events"]]
        assert events == list(table.game.events_seen_by(seat))
        memory = Memory(seat, 3)
        memory.see(events)
        assert memory.known(1 - seat) == table.game.memory(seat).known(1 - seat)


async def test_a_stream_resumes_after_the_last_event(two):
    ada, _ = two
    choice = (await ada.state())["choices"][0]["choice"]
    await ada.submit_move(choice, 0, "a")
    await ada.submit_move("undo", 1, "b")
    table = await ada.client.app.state.tables.load(ada.game)

    async def streamed(**headers):
        stream = asyncio.create_task(ada.get("/stream", **headers))
        while not table.subscribers:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        ada.client.app.state.tables.disconnect_all()
        return [
            json.loads(line[6:]) for line in (await stream).text.splitlines() if line.startswith("data: ")
        ]

    moves = await streamed()
    assert [move["version"] for move in moves] == [0, 1, 2]
    assert moves[0]["events"][0]["event"] == "dealt"
    assert moves[2]["events"] == [{"event": "undone", "seat": 1, "version": 1}]
    assert await streamed(**{"last-event-id": "1"}) == moves[2:]
    assert await streamed(**{"last-event-id": "2"}) == []
    assert (await ada.get("/stream", **{"last-event-id": "latest"})).status_code == 400


async def test_every_error_response_is_described(client):
    described = (await client.get("/schema/openapi.json")).json()
    assert {path for path in described["paths"] if path.startswith("/api")} == {
        "/api/bots",
        "/api/daily",
        "/api/daily/week/{week}",
        "/api/daily/{day}",
        "/api/games",
        "/api/games/{game_id}",
        "/api/games/{game_id}/moves",
        "/api/games/{game_id}/stream",
        "/api/games/{game_id}/record",
        "/api/games/{game_id}/seats",
        "/api/games/{game_id}/seats/{seat}",
        "/api/games/{game_id}/rematch",
        "/api/invitations/{invite}",
        "/api/games/{game_id}/chat",
        "/api/games/{game_id}/return",
        "/api/games/{game_id}/vote",
        "/api/token",
        "/api/tournaments",
        "/api/tournaments/{tournament_id}",
        "/api/tournaments/{tournament_id}/entries",
        "/api/tournaments/{tournament_id}/entries/{number}",
        "/api/tournaments/{tournament_id}/results.csv",
        "/api/tournaments/{tournament_id}/start",
        "/api/league",
        "/api/league/{week}",
    }
    for path, operations in described["paths"].items():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400 and path.startswith("/api"):
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/ErrorResponse"}, (path, status)
