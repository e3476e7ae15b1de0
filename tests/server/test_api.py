"""The API for programs: laying a table, looking, acting, following and the record, each with its refusals."""

import asyncio
import json
from random import Random

import pytest
from server_program import Program

from hegemon import read_record
from hegemon.notation.reading import read_view
from hegemon.play.memory import Memory
from hegemon.play.serialization import event_from_dict

TWO = {"seats": [{"name": "Ada"}, {"name": "Ben"}]}


@pytest.fixture
async def two(client):
    """Ada and Ben at a new table."""
    return await Program.lay(client, **TWO)


async def test_a_table_is_laid_and_every_open_seat_has_a_token_of_its_own(client):
    answer = await client.post(
        "/api/games", json={"seats": [{"name": "Ada"}, {"bot": "greedy"}, {}], "rulings": "pl"}
    )
    assert answer.status_code == 201
    laid = answer.json()
    assert [(seat["seat"], seat["name"], seat["bot"]) for seat in laid["seats"]] == [
        (1, "Ada", None),
        (2, "Player 2", "greedy"),
        (3, "Player 3", None),
    ]
    tokens = [seat["token"] for seat in laid["seats"]]
    assert tokens[1] is None
    assert len({*tokens}) == 3
    assert laid["address"] == f"http://testserver.local/games/{laid['game']}"
    assert (await client.get(laid["address"])).status_code == 200


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ({"seats": [{}, {"bot": "genius"}]}, 'Nobody called "genius"'),
        ({"seats": [{"bot": "chance"}, {"bot": "chance"}]}, "At least one person"),
        ({"seats": [{}, {}], "teams": True}, "Teams are two against two"),
        ({"seats": [{}, {}], "rulings": "fr"}, "expected one of the presets"),
    ],
)
async def test_a_table_that_cannot_be_laid_is_refused_with_the_reason(client, wish, why):
    answer = await client.post("/api/games", json=wish)
    assert answer.status_code == 422
    assert why in answer.json()["why"]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"seats": 3}', b'{"seats": [{}]}', b'{"seats": [{}, {}], "luck": 1}']
)
async def test_a_request_that_makes_no_sense_is_refused(client, body):
    answer = await client.post("/api/games", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["why"].startswith("This request cannot be understood.")


async def test_a_seat_sees_its_own_cards_its_question_and_its_choices(two):
    ada, ben = two
    seen, other = await ada.look(), await ben.look()
    assert (seen["seat"], seen["version"], seen["to_move"], seen["result"]) == (1, 0, [1], None)
    assert read_view(seen["view"]).viewer == 0
    assert [choice["choice"] for choice in seen["choices"]]
    assert seen["choices"][0]["meaning"].startswith("Play ")
    assert seen["question"].startswith("Step 1")
    assert other["choices"] == []
    assert other["view"] != seen["view"]
    watching = await Program(ada.client, ada.game).look()
    assert (watching["seat"], watching["choices"]) == (None, [])


async def test_sentences_come_in_the_language_that_is_asked_for(two):
    seen = (await two[0].get("", **{"accept-language": "de"})).json()
    assert not seen["question"].startswith("Step 1")


async def test_the_same_command_twice_gets_the_same_answer(two):
    ada, ben = two
    choice = (await ada.look())["choices"][0]["choice"]
    first = await ada.act(choice, 0, "a")
    assert (first.status_code, first.json()) == (200, {"version": 1})
    again = await ada.act(choice, 0, "a")
    assert (again.status_code, again.json()) == (200, {"version": 1})
    assert (await ada.look())["version"] == 1
    assert (await ben.act(choice, 1, "a")).status_code == 409


async def test_a_stale_word_is_refused_with_the_number_that_is_open(two):
    ada, _ = two
    choice = (await ada.look())["choices"][0]["choice"]
    await ada.act(choice, 0, "a")
    stale = await ada.act(choice, 0, "b")
    assert (stale.status_code, stale.json()["version"]) == (409, 1)
    assert "Meanwhile" in stale.json()["why"]


async def test_a_word_that_the_rules_refuse_is_answered_with_the_reason_and_the_ways_out(two):
    ada, _ = two
    words = [choice["choice"] for choice in (await ada.look())["choices"]]
    rejected = await ada.act("mE", 0, "a")
    assert (rejected.status_code, rejected.json()["choices"]) == (422, words)
    assert "a card must be played" in rejected.json()["why"]
    nonsense = await ada.act("xyz", 0, "a")
    assert (nonsense.status_code, nonsense.json()["choices"]) == (422, words)
    await ada.act(words[0], 0, "a")
    rejected = await ada.act("M1", 1, "b")
    assert rejected.json()["choices"][-1] == "undo"


async def test_nobody_acts_without_the_token_of_a_seat(two):
    ada, ben = two
    choice = (await ada.look())["choices"][0]["choice"]
    for token in (None, "nonsense", "x" * 43):
        answer = await Program(ada.client, ada.game, token).act(choice, 0, "a")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "Bearer" in answer.json()["why"]
    assert (await ben.act(choice, 0, "a")).status_code == 422
    new_player, _ = await Program.lay(ada.client, **TWO)
    elsewhere = Program(ada.client, ada.game, new_player.token)
    assert (await elsewhere.get("")).status_code == 401


async def test_an_unknown_game_is_not_found(two):
    lost = Program(two[0].client, "nonsense", two[0].token)
    for path in ("", "/stream", "/record"):
        answer = await lost.get(path)
        assert (answer.status_code, "no such game" in answer.json()["why"]) == (404, True)
    assert (await lost.act("M", 0, "a")).status_code == 404


async def test_unknown_addresses_of_the_api_are_answered_in_json(client):
    answer = await client.get("/api/nonsense")
    assert (answer.status_code, list(answer.json())) == (404, ["why"])
    answer = await client.delete("/api/games")
    assert (answer.status_code, list(answer.json())) == (405, ["why"])
    assert "POST" in answer.headers["allow"]


async def test_a_mistake_of_ours_says_nothing_of_itself(two, monkeypatch):
    def broken(*_):
        raise RuntimeError("oops")

    monkeypatch.setattr("hegemon.server.api.games.write_view", broken)
    answer = await two[0].get("")
    assert answer.status_code == 500
    assert "oops" not in answer.text


@pytest.mark.slow
async def test_programs_play_a_whole_game_and_what_they_are_told_is_enough_to_remember_it(client):
    programs = await Program.lay(client, seats=[{}, {}, {"bot": "chance"}], variant="draft")
    chance, table = Random(1), await client.app.state.tables.load(programs[0].game)
    streams = [asyncio.create_task(program.get("/stream")) for program in programs]
    assert (await programs[0].get("/record")).status_code == 403
    while not table.game.over:
        for number, program in enumerate(programs):
            if number not in table.to_move:
                continue  # whoever asked all the time would be told to come later
            seen = await program.look()
            if seen["choices"]:
                choice = chance.choice(seen["choices"])["choice"]
                assert (
                    await program.act(choice, seen["version"], f"{number}.{seen['version']}")
                ).status_code in (200, 409)
        await asyncio.sleep(0)
    assert (await programs[0].look())["result"]["winners"]
    record = read_record((await programs[0].get("/record")).json()["record"])
    assert record.moves == table.game.record().moves
    for seat, stream in enumerate(streams):
        messages = (await stream).text.strip().split("\n\n")
        told = [json.loads(message.split("data: ")[1]) for message in messages]
        assert [move["version"] for move in told] == list(range(table.version + 1))
        events = [event_from_dict(facts) for move in told for facts in move["events"]]
        assert events == list(table.game.events_seen_by(seat))
        memory = Memory(seat, 3)
        memory.see(events)
        assert memory.known(1 - seat) == table.game.memory(seat).known(1 - seat)


async def test_a_stream_goes_on_after_the_last_message_that_arrived(two):
    ada, _ = two
    choice = (await ada.look())["choices"][0]["choice"]
    await ada.act(choice, 0, "a")
    await ada.act("undo", 1, "b")
    table = await ada.client.app.state.tables.load(ada.game)

    async def told(**headers):
        stream = asyncio.create_task(ada.get("/stream", **headers))
        while not table.subscribers:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        ada.client.app.state.tables.disconnect_all()
        return [
            json.loads(line[6:]) for line in (await stream).text.splitlines() if line.startswith("data: ")
        ]

    everything = await told()
    assert [move["version"] for move in everything] == [0, 1, 2]
    assert everything[0]["events"][0]["event"] == "dealt"
    assert everything[2]["events"] == [{"event": "undone", "seat": 1, "version": 1}]
    assert await told(**{"last-event-id": "1"}) == everything[2:]
    assert await told(**{"last-event-id": "2"}) == []
    assert (await ada.get("/stream", **{"last-event-id": "latest"})).status_code == 400


async def test_every_answer_of_the_api_is_described(client):
    described = (await client.get("/schema/openapi.json")).json()
    assert {path for path in described["paths"] if path.startswith("/api")} == {
        "/api/games",
        "/api/games/{game}",
        "/api/games/{game}/moves",
        "/api/games/{game}/stream",
        "/api/games/{game}/record",
        "/api/games/{game}/seats",
        "/api/games/{game}/seats/{seat}",
        "/api/games/{game}/rematch",
        "/api/invitations/{invite}",
        "/api/games/{game}/chat",
        "/api/games/{game}/return",
        "/api/games/{game}/vote",
    }
    for path, operations in described["paths"].items():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400 and path.startswith("/api"):
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Failure"}, (path, status)
