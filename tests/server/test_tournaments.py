"""Tournaments on a server: entries, rounds, tables, results, and sealed rounds."""

import asyncio
import csv
import io
import re
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from server_browser import Browser, addresses, visiting
from server_config import config_at
from waiting import WAIT_TIMEOUT

from hegemon.server.db import tournaments as tournament_rows
from hegemon.server.db.options import TableOptions
from hegemon.server.db.tournament_rows import OPEN, OVER, RUNNING, Entry, Outcome
from hegemon.server.maintenance import erase
from hegemon.server.push.notices import BEGINS, notices_of
from hegemon.server.security import tokens
from hegemon.server.sse import HEARTBEAT
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.bots import UNATTENDED
from hegemon.server.tables.table import WITHDRAWN
from hegemon.server.tables.vacations import announce
from hegemon.server.tournaments import organizing
from hegemon.server.tournaments.director import TOURNAMENTS
from hegemon.server.tournaments.league import in_groups
from hegemon.server.web.encoding import PlainStream
from hegemon.server.web.routes.tournaments import changes
from hegemon.server.web.session import ANONYMOUS

pytestmark = pytest.mark.scenario

HOST, ADA, BEN, EVE = (tokens.new_token() for _ in range(4))


@asynccontextmanager
async def serving(database, hands, **settings):
    """A server on which tournaments advance when a test wants them to."""
    async with visiting(database, config_at(database, now=hands, **settings)) as client:
        await client.app.state.tables.background.stop(TOURNAMENTS)
        yield client


@pytest.fixture
async def client(database, hands):
    async with serving(database, hands, league=True, lobby=True) as client:
        yield client


def bearer(token):
    return {"authorization": f"Bearer {token}"}


async def opened(client, **plan):
    """A new tournament; returns its id."""
    plan = {"title": "Cup", "clock": "1d a move", "pause": 0, "bot": "greedy"} | plan
    answer = await client.post("/api/tournaments", json=plan, headers=bearer(HOST))
    assert answer.status_code == 201, answer.text
    return answer.json()["tournament"]


async def entered(client, cup, **names):
    for name, token in names.items():
        answer = await client.post(
            f"/api/tournaments/{cup}/entries", json={"name": name}, headers=bearer(token)
        )
        assert answer.status_code == 201, answer.text


async def started(client, cup):
    answer = await client.post(f"/api/tournaments/{cup}/start", headers=bearer(HOST))
    assert answer.status_code == 200, answer.text
    await client.app.state.director.advance(cup)


async def state(client, cup, token=None):
    answer = await client.get(f"/api/tournaments/{cup}", headers=bearer(token) if token else {})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def play(client, game):
    """Play a game to its end: people by the shortest way, bots as they like."""
    tables = client.app.state.tables
    table = await tables.load(game, requested=False)
    while not table.game.over:
        await tables.bots.wait(table)
        people = [seat for seat in table.to_move if table.seats[seat].acting_bot is None]
        if people and not table.game.over:
            choices = table.snapshot.choices_of(people[0])
            choice = "." if "." in choices else choices[-1]
            await table_moves.submit_move(tables, table, people[0], choice, table.version, None)
    return table


async def play_until(client, game, owner):
    """Play a game until it is the turn of a person; returns the table."""
    tables = client.app.state.tables
    table = await tables.load(game)
    while not set(table.seats_of(owner)) & set(table.to_move):
        (seat,) = table.to_move
        choice = table.snapshot.choices_of(seat)[-1]
        await table_moves.submit_move(tables, table, seat, choice, table.version, None)
    return table


async def play_round(client, cup):
    for pairing in (await state(client, cup))["pairings"]:
        if not pairing["is_over"]:
            await play(client, pairing["game"])
    await client.app.state.director.advance(cup)


# ------------------------------------------------------------------ from the first round to the last


async def test_a_change_of_one_tournament_changes_no_other(client):
    cup, other = await opened(client), await opened(client, title="Other")
    tournaments = client.app.state.tables.store.tournaments
    before = (await tournaments.load(other)).tournament
    await entered(client, cup, Ada=ADA, Ben=BEN)
    await started(client, cup)
    assert (await tournaments.load(other)).tournament == before


async def test_a_swiss_tournament_runs_from_round_to_round(client):
    cup = await opened(client, bots=["greedy", "greedy"], rounds=2)
    await entered(client, cup, Ada=ADA, Ben=BEN, Eve=EVE)
    assert (await state(client, cup))["state"] == OPEN
    await started(client, cup)
    first = await state(client, cup, ADA)
    assert (first["state"], first["round"], first["you"]) == (RUNNING, 1, 3)
    assert [len(pairing["entries"]) for pairing in first["pairings"]] == [2, 2, 1]
    assert len(first["your_games"]) == 1
    await play_round(client, cup)
    assert (await state(client, cup))["round"] == 2
    await play_round(client, cup)
    final = await state(client, cup)
    assert final["state"] == OVER
    assert sum(line["values"]["points"] for line in final["standings"]) == 6
    games = [pairing["game"] for pairing in final["pairings"] if pairing["game"]]
    assert len(set(games)) == len(games) == 4
    names = {line["name"] for line in final["standings"]}
    assert names == {"Ada", "Ben", "Eve", "Bot 1", "Bot 2"}


@pytest.mark.parametrize(("wanted", "rounds"), [(2, 2), (4, 4), (9, 5)])
async def test_in_a_small_swiss_tournament_no_two_meet_twice(client, wanted, rounds):
    """With few rounds, with more than half as many as players, and with as many as possible."""
    director = client.app.state.director
    cup = await opened(client, rounds=wanted)
    await entered(client, cup, **{f"Player {number}": tokens.new_token() for number in range(6)})
    await started(client, cup)
    for number in range(1, rounds + 1):
        snapshot = await director.store.load(cup)
        assert (snapshot.current.number, snapshot.tournament.rounds) == (number, rounds)
        for pairing in snapshot.pairings_of(number):
            await director.store.save_outcome(cup, pairing, Outcome((0,), (10, 0)))
        await director.advance(cup)
    snapshot = await director.store.load(cup)
    assert snapshot.tournament.state == OVER
    assert len({frozenset(pairing.entries) for pairing in snapshot.pairings}) == 3 * rounds


async def test_a_table_of_bots_is_played_without_spectators(client):
    cup = await opened(client, bots=["greedy"] * 2, format="round-robin")
    client.app.state.director.start()
    await started(client, cup)

    async def over():
        while (await state(client, cup))["state"] != OVER:
            await asyncio.sleep(0.01)

    async with asyncio.timeout(WAIT_TIMEOUT):
        await over()
    assert (await state(client, cup))["rounds"] == 1


async def test_steps_interrupted_by_a_crash_are_completed_once(client):
    director, tables = client.app.state.director, client.app.state.tables
    cup = await opened(client, rounds=1)
    await entered(client, cup, Ada=ADA, Ben=BEN)
    await asyncio.gather(director.begin(cup), director.begin(cup))
    snapshot = await director.store.load(cup)
    # Several workers at once, and one that stops before the tables are created.
    await asyncio.gather(*(director._start_round(snapshot) for _ in range(3)))
    await asyncio.gather(*(director.advance(cup) for _ in range(3)))
    snapshot = await director.store.load(cup)
    (pairing,) = snapshot.pairings
    assert pairing.game in await tables.store.games.ids()
    await play(client, pairing.game)
    await asyncio.gather(*(director.advance(cup) for _ in range(3)))
    assert (await state(client, cup))["state"] == OVER


async def test_a_game_that_ends_while_its_tournament_advances_is_not_missed(client, monkeypatch):
    director, table = client.app.state.director, SimpleNamespace(options=TableOptions(tournament="cup"))
    looks, seen_again = 0, asyncio.Event()

    async def advance(tournament_id):
        nonlocal looks
        looks += tournament_id == "cup"
        if looks == 1:
            await director.game_over(table)
        elif looks == 2:
            seen_again.set()

    monkeypatch.setattr(director, "advance", advance)
    director.start()
    director.changed("cup")
    async with asyncio.timeout(WAIT_TIMEOUT):
        await seen_again.wait()


async def test_a_tournament_that_changes_while_it_is_read_is_read_again(client, monkeypatch):
    store, rows_of = client.app.state.director.store, tournament_rows._rows
    cup = await opened(client, rounds=1)
    await entered(client, cup, Ada=ADA, Ben=BEN)
    await started(client, cup)

    async def rows(connection, table, tournament_id):
        if table is tournament_rows.tournament_rounds:
            await store.end_round(cup, 1, datetime(2030, 1, 2, tzinfo=UTC), last=True)
        return await rows_of(connection, table, tournament_id)

    monkeypatch.setattr(tournament_rows, "_rows", rows)
    snapshot = await store.load(cup)
    assert (snapshot.tournament.state, snapshot.current.ended_at is None) == (OVER, False)


async def test_the_next_round_begins_after_the_break(client, hands):
    cup = await opened(client, format="round-robin", pause=90)
    await entered(client, cup, Ada=ADA, Ben=BEN, Eve=EVE)
    await started(client, cup)
    await play_round(client, cup)
    waiting = await state(client, cup)
    assert (waiting["round"], waiting["next_at"]) == (1, "2030-01-01T12:01:30Z")
    hands.go(90)
    await client.app.state.director.advance(cup)
    assert (await state(client, cup))["round"] == 2


def before_it_starts(director, monkeypatch, happens):
    """Make something happen, once, between reading a tournament that starts and saving the start."""
    save, events = director.store.start, [happens]

    async def start(*facts):
        for event in events[:]:
            events.remove(event)
            await event()
        return await save(*facts)

    monkeypatch.setattr(director.store, "start", start)


@pytest.mark.parametrize("number", [2, 3])
async def test_a_person_who_enters_during_the_start_takes_part(client, monkeypatch, number):
    director = client.app.state.director
    cup = await opened(client, format="duplicate", players=3, rounds=1)
    await entered(client, cup, **dict(list({"Ada": ADA, "Ben": BEN, "Eve": EVE}.items())[:number]))

    async def enter():
        await organizing.join(director, cup, tokens.owner_of(HOST), "Host")

    before_it_starts(director, monkeypatch, enter)
    await started(client, cup)
    running = await state(client, cup, HOST)
    assert (running["state"], running["round"], len(running["your_games"])) == (RUNNING, 1, 1)
    assert [entry["name"] for entry in running["entries"]] == [
        *(["Ada", "Ben", "Host"] if number == 2 else ["Ada", "Ben", "Eve", "Host", "Bot 1", "Bot 2"])
    ]


async def test_a_person_who_withdraws_during_the_start_does_not_take_part(client, monkeypatch):
    director = client.app.state.director
    cup = await opened(client, rounds=3)
    await entered(client, cup, Ada=ADA, Ben=BEN, Eve=EVE)

    async def withdraw():
        await organizing.withdraw(director, cup, 3, tokens.owner_of(EVE))

    before_it_starts(director, monkeypatch, withdraw)
    await started(client, cup)
    running = await state(client, cup)
    assert (len(running["entries"]), running["rounds"]) == (2, 1)


async def test_an_entry_at_the_last_moment_takes_part_in_the_week_of_the_league(client, hands, monkeypatch):
    director = client.app.state.director
    await director.do_upkeep()
    (cup,) = await director.store.active()
    hands.go(days=1)
    end = director.store.end

    async def enter_first(*facts):
        await organizing.join(director, cup, tokens.owner_of(ADA), "Ada")
        await end(*facts)

    monkeypatch.setattr(director.store, "end", enter_first)
    await director.advance(cup)
    assert (await state(client, cup))["state"] == RUNNING


async def test_a_late_entry_is_rejected_because_the_tournament_has_started(client, monkeypatch):
    director = client.app.state.director
    cup, enter = await opened(client), director.store.enter

    async def start_first(*facts):
        await started(client, cup)
        return await enter(*facts)

    monkeypatch.setattr(director.store, "enter", start_first)
    late = await client.post(f"/api/tournaments/{cup}/entries", json={"name": "Ada"}, headers=bearer(ADA))
    assert (late.status_code, late.json()["why"]) == (409, "This tournament has already started.")


async def test_a_tournament_that_has_started_is_not_deleted(client):
    director = client.app.state.director
    cup = await opened(client)
    await started(client, cup)
    await director.store.delete(cup)
    assert (await state(client, cup))["state"] == RUNNING


async def test_bots_have_names_that_no_person_has(client):
    cup = await opened(client, format="duplicate", players=4, rounds=1)
    await entered(client, cup, **{"bot 1": ADA, "BOT 3": BEN})
    path = f"/api/tournaments/{cup}/entries"
    added = await client.post(path, json={"bot": "greedy"}, headers=bearer(HOST))
    assert (added.status_code, added.json()["name"]) == (201, "Bot 2")
    await started(client, cup)
    assert [entry["name"] for entry in (await state(client, cup))["entries"]] == [
        "bot 1",
        "BOT 3",
        "Bot 2",
        "Bot 4",
    ]


async def test_it_starts_on_schedule_and_bots_fill_the_remaining_places(client, hands):
    cup = await opened(client, format="duplicate", players=4, rounds=1, starts_in=5)
    await entered(client, cup, Ada=ADA, Ben=BEN)
    await client.app.state.director.advance(cup)
    assert (await state(client, cup))["state"] == OPEN
    hands.go(minutes=5)
    await client.app.state.director.advance(cup)
    running = await state(client, cup)
    assert running["round"] == 1
    assert [entry["bot"] for entry in running["entries"]] == [None, None, "greedy", "greedy"]


async def test_a_host_may_start_it_ahead_of_schedule(client):
    cup = await opened(client, bots=["greedy"] * 2, starts_in=60)
    await started(client, cup)
    assert (await state(client, cup))["round"] == 1


async def test_all_tables_without_people_wait_for_searches_as_one_caller(client, monkeypatch):
    tables, callers = client.app.state.tables, []

    async def run_for(caller, work):
        callers.append(caller)
        return work()

    monkeypatch.setattr(tables.bots, "run_for", run_for)
    for names in ({}, {"Ada": ADA}):
        cup = await opened(client, bots=["greedy"] * 2, format="round-robin", rounds=1)
        await entered(client, cup, **names)
        await started(client, cup)
        pairings = (await state(client, cup))["pairings"]
        table = await tables.load(next(found["game"] for found in pairings if found["game"]), requested=False)
        await tables.bots.run_in_thread(table, lambda: None)
        assert callers[-1] == (cup if table.has_person else UNATTENDED)
    assert UNATTENDED in callers


# ------------------------------------------------------------------ players


async def test_an_absent_player_is_substituted_by_the_clock(client, hands):
    cup = await opened(client, rounds=1)
    await entered(client, cup, Ada=ADA, Ben=BEN)
    await started(client, cup)
    (game,) = (await state(client, cup, ADA))["your_games"]
    hands.go(days=2)
    tables = client.app.state.tables
    await tables.driver.check_deadlines(game)
    table = await tables.load(game)
    assert [row.substitute for row in table.seats].count("normal") == 1


@pytest.mark.parametrize("announced", ["before the round", "during the round"])
async def test_a_vacation_does_not_stop_the_clock_of_a_tournament(database, hands, announced):
    ada = tokens.owner_of(ADA)

    async def go_on_vacation(client):
        await announce(client.app.state.tables, ada, hands().date(), hands().date() + timedelta(days=20))

    async with serving(database, hands) as client:
        cup = await opened(client, rounds=1)
        await entered(client, cup, Ada=ADA, Ben=BEN)
        if announced == "before the round":
            await go_on_vacation(client)
        await started(client, cup)
        (game,) = (await state(client, cup, ADA))["your_games"]
        if announced == "during the round":
            await go_on_vacation(client)
        table = await play_until(client, game, ada)
        (seat,) = table.seats_of(ada)
        assert table.clock.deadline(seat) == hands() + timedelta(days=1)
    async with serving(database, hands) as client:
        table = await client.app.state.tables.load(game)
        assert table.clock.deadline(seat) == hands() + timedelta(days=1)
        hands.go(days=1)
        await client.app.state.tables.driver.check_deadlines(game)
        assert table.seats[seat].substitute is not None


async def test_a_withdrawn_player_is_not_paired_again_and_a_bot_plays_on(client):
    cup = await opened(client, format="round-robin")
    await entered(client, cup, Ada=ADA, Ben=BEN, Eve=EVE)
    await started(client, cup)
    people = await state(client, cup)
    (pairing,) = [pairing for pairing in people["pairings"] if pairing["game"]]
    leaver = pairing["entries"][0]
    token = (ADA, BEN, EVE)[leaver - 1]
    path = f"/api/tournaments/{cup}/entries"
    other = (ADA, BEN, EVE)[leaver % 3]
    assert (await client.delete(f"{path}/{leaver}", headers=bearer(other))).status_code == 403
    assert (await client.delete(f"{path}/99", headers=bearer(token))).status_code == 404
    assert (await client.delete(f"{path}/{leaver}", headers=bearer(token))).status_code == 204
    await client.app.state.director.advance(cup)
    table = await client.app.state.tables.load(pairing["game"])
    assert [note.reason for _, note in table.substitutions] == [WITHDRAWN]
    await play_round(client, cup)
    await play_round(client, cup)
    await play_round(client, cup)
    final = await state(client, cup)
    assert final["state"] == OVER
    later = [pairing["entries"] for pairing in final["pairings"] if pairing["round"] > 1]
    assert leaver not in [number for entries in later for number in entries]


@pytest.mark.parametrize("late", [False, True])
async def test_a_withdrawn_player_cannot_return_to_the_table(client, hands, late):
    cup = await opened(client, rounds=1)
    await entered(client, cup, Ada=ADA, Ben=BEN)
    await started(client, cup)
    (game,) = (await state(client, cup, ADA))["your_games"]
    ada = Browser(client.another())
    ada.client.cookies.set(tokens.COOKIE, ADA)
    assert "Go to your table" in (await ada.get(f"/tournaments/{cup}")).page
    tables = client.app.state.tables
    tables.bots.run = lambda table: None
    table = await play_until(client, game, tokens.owner_of(ADA))
    (seat,) = table.seats_of(tokens.owner_of(ADA))
    if late:  # a bot plays already
        hands.go(days=1)
        await tables.driver.check_deadlines(game)
        assert table.seats[seat].substitute is not None
    await client.delete(f"/api/tournaments/{cup}/entries/1", headers=bearer(ADA))
    assert (await state(client, cup, ADA))["your_games"] == []
    assert "Go to your table" not in (await ada.get(f"/tournaments/{cup}")).page
    await client.app.state.director.advance(cup)
    await client.app.state.director.advance(cup)
    assert [note.reason for _, note in table.substitutions if note.seat == seat][late:] == [WITHDRAWN]
    await ada.get(f"/games/{game}")
    assert "You have withdrawn from the tournament: a bot is playing." in ada.page
    assert "I am back" not in ada.page
    back = await client.post(f"/api/games/{game}/return", headers=bearer(ADA))
    assert back.status_code == 409
    assert back.json()["why"].startswith("You have withdrawn from this tournament.")
    assert table.seats[seat].substitute is not None


async def test_a_player_with_a_new_key_is_the_same_player(client):
    cup = await opened(client)
    await entered(client, cup, Ada=ADA)
    assert (await state(client, cup, ADA))["you"] == 1
    await client.app.state.tables.store.people.change_owner(tokens.owner_of(ADA), tokens.owner_of(EVE))
    assert (await state(client, cup, EVE))["you"] == 1
    assert (await state(client, cup, ADA))["you"] is None


async def test_a_player_is_notified_of_a_game_against_a_bot(client, hands):
    cup = await opened(client, bots=["greedy"], rounds=1)
    await entered(client, cup, Ada=ADA)
    await started(client, cup)
    (game,) = (await state(client, cup, ADA))["your_games"]
    table = await client.app.state.tables.load(game)
    assert BEGINS in {notice.kind for notice in notices_of(table, tokens.owner_of(ADA), hands())}


async def test_before_the_start_an_entry_disappears(client):
    cup = await opened(client)
    await entered(client, cup, Ada=ADA)
    await client.delete(f"/api/tournaments/{cup}/entries/1", headers=bearer(ADA))
    assert (await state(client, cup))["entries"] == []


async def test_a_person_enters_once_and_names_differ(client):
    cup = await opened(client)
    await entered(client, cup, Ada=ADA)
    await entered(client, cup, Another=ADA)
    assert [entry["name"] for entry in (await state(client, cup))["entries"]] == ["Ada"]
    path = f"/api/tournaments/{cup}/entries"
    taken = await client.post(path, json={"name": "ADA"}, headers=bearer(BEN))
    assert taken.status_code == 409
    nameless = await client.post(path, json={"name": " "}, headers=bearer(BEN))
    assert nameless.status_code == 422


async def test_only_the_host_starts_it_and_enters_bots(client):
    cup = await opened(client)
    path = f"/api/tournaments/{cup}"
    assert (await client.post(f"{path}/start", headers=bearer(ADA))).status_code == 403
    assert (
        await client.post(f"{path}/entries", json={"bot": "hard"}, headers=bearer(ADA))
    ).status_code == 403
    assert (
        await client.post(f"{path}/entries", json={"bot": "god"}, headers=bearer(HOST))
    ).status_code == 422
    assert (
        await client.post(f"{path}/entries", json={"bot": "hard"}, headers=bearer(HOST))
    ).status_code == 201
    await started(client, cup)
    assert (await client.post(f"{path}/start", headers=bearer(HOST))).status_code == 409
    assert (
        await client.post(f"{path}/entries", json={"name": "Ada"}, headers=bearer(ADA))
    ).status_code == 409


async def test_a_repeated_request_opens_one_tournament_and_a_host_has_few(client):
    key = "k" * 32
    assert await opened(client, idempotency_key=key) == await opened(client, idempotency_key=key)
    for _ in range(4):
        await opened(client)
    many = await client.post("/api/tournaments", json={"title": "Sixth"}, headers=bearer(HOST))
    assert many.status_code == 409


@pytest.mark.parametrize(
    "plan",
    [
        {"format": "swiss", "players": 3},
        {"format": "duplicate", "players": 2},
        {"format": "knockout"},
        {"clock": ""},
        {"clock": "soon"},
        {"variant": "chess"},
        {"bots": ["god"]},
        {"title": " \u200b "},
    ],
)
async def test_a_plan_that_does_not_work_is_rejected_with_a_sentence(client, plan):
    answer = await client.post("/api/tournaments", json={"title": "Cup"} | plan, headers=bearer(HOST))
    assert answer.status_code == 422
    assert answer.json()["why"].endswith(".")


async def test_the_field_has_a_limit(client, monkeypatch):
    monkeypatch.setattr(organizing, "MAX_ENTRIES", 2)
    cup = await opened(client, bots=["greedy"])
    await entered(client, cup, Ada=ADA)
    full = await client.post(f"/api/tournaments/{cup}/entries", json={"name": "Ben"}, headers=bearer(BEN))
    assert full.status_code == 409


# ------------------------------------------------------------------ the same deal at several tables


async def test_a_duplicate_round_is_closed_to_all_but_its_players_until_it_is_over(client):
    people = {f"Player {number}": tokens.new_token() for number in range(6)}
    cup = await opened(client, format="duplicate", players=3, rounds=1)
    await entered(client, cup, **people)
    await started(client, cup)
    tables = client.app.state.tables
    (one, other) = [await tables.load(pairing["game"]) for pairing in (await state(client, cup))["pairings"]]
    assert one.game.commitment == other.game.commitment
    assert one.options.bot_seed == other.options.bot_seed != 0
    await play(client, one.id)
    own, rival = (
        next(token for token in people.values() if table.seats_of(tokens.owner_of(token)))
        for table in (one, other)
    )

    async def statuses(token):
        client.cookies.clear()
        if token:
            client.cookies.set(tokens.COOKIE, token)
        page, form = f"/games/{one.id}", {"at": "3", "seat": "1", "bot": "greedy"}
        seen = ("", "/seats", "/hands", "/replay", "/replay?decided=true", "/record", "/shuffle",
                "/analysis/stream", "/replay/picture.png", "/replay/code.svg", "/embed")  # fmt: skip
        found = {path: (await client.get(f"{page}{path}")).status_code for path in seen}
        found["/play-on"] = (await client.post(f"{page}/play-on", data=form)).status_code
        found["/study"] = (await client.post("/study", data={"game": one.id, "at": "3"})).status_code
        for path in ("/record", ""):
            headers = bearer(token) if token == own else {}
            found[f"api{path}"] = (
                await client.get(f"/api/games/{one.id}{path}", headers=headers)
            ).status_code
        return found

    rivals = Browser(client.another())
    rivals.client.cookies.set(tokens.COOKIE, rival)
    for browser in (rivals, Browser(client.another())):
        for table in (one, other) if browser is not rivals else (one,):
            paths = [*addresses(client, table.id)]
            found = {path: (await browser.client.get(path)).status_code for path in paths}
            assert set(found.values()) == {401, 403}, found
    for stranger in (rival, EVE, None):
        assert set((await statuses(stranger)).values()) == {403}
    mine = await statuses(own)
    assert {path for path, status in mine.items() if status == 200} == {"", "/seats", "api"}
    assert {
        mine[path] for path in ("/record", "/replay", "/shuffle", "/study", "/play-on", "api/record")
    } == {403}
    assert f"games/{one.id}.toml".encode() not in (await client.post("/me/export")).content
    await play_round(client, cup)
    after = await statuses(EVE)
    assert {after[path] for path in ("", "/replay", "/record", "/shuffle", "api/record")} == {200}


async def test_the_outcomes_of_a_duplicate_round_are_shown_when_it_is_over(client):
    cup = await opened(client, format="duplicate", players=3, rounds=1)
    await entered(client, cup, **{f"Player {number}": tokens.new_token() for number in range(6)})
    await started(client, cup)

    async def told():
        """What the API, the CSV and the page say about the outcomes."""
        await client.app.state.director.advance(cup)
        found = await state(client, cup)
        rows = csv.DictReader(io.StringIO((await client.get(f"/api/tournaments/{cup}/results.csv")).text))
        page = (await Browser(client.another()).get(f"/tournaments/{cup}")).page
        return (
            [(pairing["is_over"], pairing["points"], pairing["scores"]) for pairing in found["pairings"]],
            [(line["values"], line["games"], line["wins"]) for line in found["standings"]],
            [row["game 1"].split(" : ")[0] for row in rows],
            [page.count(sentence) for sentence in ("in progress", "over; the result is shown after")],
            re.findall(r"<td>([\d.]+)</td></tr>", page),
        )

    (one, other) = [pairing["game"] for pairing in (await state(client, cup))["pairings"]]
    nothing = {"score": 0, "comparison": 0, "wins": 0}
    (pairings, *untold, sentences, figures) = before = await told()
    assert pairings == [(False, None, None)] * 2
    assert untold == [[(nothing, 0, 0)] * 6, ["*"] * 6]
    assert sentences == [2, 0]
    await play(client, one)
    (pairings, *untold, sentences, figures) = await told()
    assert pairings == [(True, None, None), (False, None, None)]
    assert (untold, figures) == (list(before[1:3]), before[4])
    assert sentences == [1, 1]
    await play(client, other)
    (pairings, lines, cells, sentences, _) = await told()
    assert all(over and points and scores for over, points, scores in pairings)
    assert {games for _, games, _ in lines} == {1}
    assert "*" not in cells
    assert sentences == [0, 0]


async def test_the_players_of_a_tournament_table_stay_and_have_no_hints(client):
    cup = await opened(client, bots=["greedy"], rounds=1)
    await entered(client, cup, Ada=ADA)
    await started(client, cup)
    (game,) = (await state(client, cup, ADA))["your_games"]
    table = await client.app.state.tables.load(game)
    (own,) = table.seats_of(tokens.owner_of(ADA))
    client.cookies.set(tokens.COOKIE, ADA)
    hint = {"step": "1", "version": str(table.version), "seat": str(own + 1)}
    assert (await client.post(f"/games/{game}/hint", data=hint)).status_code == 403
    bot = await client.post(f"/api/games/{game}/seats/{own + 1}", json={"bot": "hard"}, headers=bearer(ADA))
    assert bot.status_code == 409


# ------------------------------------------------------------------ results, league, erasing


async def test_results_as_csv(client):
    cup = await opened(client, bots=["greedy"], rounds=1)
    await entered(client, cup, **{"=1+1": ADA, "Ben": BEN})
    await started(client, cup)
    unfinished = (await client.get(f"/api/tournaments/{cup}/results.csv")).text
    assert "* : " in unfinished
    await play_round(client, cup)
    answer = await client.get(f"/api/tournaments/{cup}/results.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["name"] for row in rows} == {"'=1+1", "Ben", "Bot 1"}
    assert sum(float(row["points"]) for row in rows) == 2
    assert {row["game 1"] for row in rows} >= {"bye"}
    duplicate = await opened(client, format="duplicate", players=3, rounds=1, bots=["greedy"] * 3)
    await started(client, duplicate)
    await play_round(client, duplicate)
    scores = list(
        csv.DictReader(io.StringIO((await client.get(f"/api/tournaments/{duplicate}/results.csv")).text))
    )
    assert all(row["game 1"].split(" : ")[0] == row["score"] for row in scores)


async def test_an_unknown_tournament_is_not_found(client):
    assert (await client.get("/api/tournaments/nothing")).status_code == 404


async def test_a_person_who_is_erased_is_a_former_player(database, hands):
    async with serving(database, hands) as client:
        cup = await opened(client, format="duplicate", players=3, rounds=2, bots=["greedy"])
        await entered(client, cup, Ada=ADA, Host=HOST)
        await started(client, cup)
    await asyncio.to_thread(erase, database, ADA)
    await asyncio.to_thread(erase, database, HOST)
    async with serving(database, hands) as client:
        await play_round(client, cup)
        await play_round(client, cup)
        final = await state(client, cup)
        assert final["state"] == OVER
        assert {entry["name"] for entry in final["entries"]} == {"Bot 1", "A former player"}


# ------------------------------------------------------------------ pages


async def test_a_tournament_by_its_pages(client):
    host, ada = Browser(client.another()), Browser(client.another())
    await host.get("/tournaments")
    assert "Create a tournament" in host.page
    form = {
        "title": "Cup <1>",
        "kind": "swiss-2",
        "rounds": "1",
        "clock": "1d a move",
        "pause": "0",
        "bot": "greedy",
    }
    await host.post("/tournaments", form | {"clock": ""})
    assert (host.status, 'role="alert"' in host.page) == (422, True)
    await host.post("/tournaments", form | {"variant": "chess"})
    assert host.status == 422
    await host.post("/tournaments", form | {"public": "on"})
    assert host.status == 200
    cup = host.path
    assert "Cup &lt;1&gt;" in host.page
    await ada.get(cup)
    assert "Start the tournament" not in ada.page
    assert 'http-equiv="refresh"' not in ada.page, "a reload would lose a name that is being typed"
    assert "Refresh" in ada.page
    await ada.post(f"{cup}/join", {"name": "Ada"})
    await host.post(f"{cup}/join", {"name": "ada"})
    assert host.status == 409
    assert "Another player" in host.page
    await host.post(f"{cup}/join", {"name": "Host"})
    await host.post(f"{cup}/bots", {"bot": "chance"})
    assert "Remove Bot 1" in host.page
    await host.post(f"{cup}/withdraw", {"number": "3"})
    assert "Bot 1" not in host.page
    assert (await ada.post(f"{cup}/start", {})).status == 403
    await host.post(f"{cup}/start", {})
    await client.app.state.director.advance(cup.rpartition("/")[2])
    await ada.get(cup)
    assert "Round 1 of 1 is being played." in ada.page
    assert 'http-equiv="refresh"' in ada.page
    game = re.search(r'href="/games/([\w-]+)">Go to your table: Host', ada.page)[1]
    await ada.get(f"/games/{game}")
    assert f'href="{cup}"' in ada.page
    await play(client, game)
    await ada.get(f"/games/{game}")
    assert "To the tournament" in ada.page
    await client.app.state.director.advance(cup.rpartition("/")[2])
    await ada.get(cup)
    assert "The tournament is over. First place:" in ada.page
    assert "Crosstable" in ada.page
    assert "data-stream" not in ada.page
    await ada.get("/tournaments")
    assert "Public tournaments" not in ada.page
    assert ada.page.count("Cup &lt;1&gt;") == 1
    await (stranger := Browser(client.another())).get("/tournaments")
    assert "Public tournaments" in stranger.page
    assert stranger.page.count("Cup &lt;1&gt;") == 1


async def test_hosts_find_their_tournaments_even_if_they_do_not_play(client):
    host, stranger = Browser(client.another()), Browser(client.another())
    await host.post("/tournaments", {"title": "Cup", "kind": "swiss-2", "rounds": "1", "clock": "1d a move"})
    assert host.path.startswith("/tournaments/")
    assert f'href="{host.path}"' in (await Browser(host.client).get("/tournaments")).page
    assert "Cup" not in (await stranger.get("/tournaments")).page


async def test_a_page_follows_the_standings(client):
    cup = await opened(client, rounds=1)
    director, pages = client.app.state.director, client.app.state.tournament_pages
    stream = changes(director, cup, ANONYMOUS, pages, PlainStream())
    first = (await anext(stream)).decode()
    assert "event: regions" in first
    assert "No one has entered yet." in first
    await entered(client, cup, Ada=ADA)
    second = (await anext(stream)).decode()
    assert "Ada" in second
    await started(client, cup)
    assert (await anext(stream)).decode().startswith("event: go")
    stream = changes(director, cup, ANONYMOUS, pages, PlainStream())
    await anext(stream)
    client.app.state.tables.disconnect_all()
    assert [part async for part in stream] == []
    beating = changes(director, cup, ANONYMOUS, pages, PlainStream(), heartbeat=0)
    await anext(beating)
    assert await anext(beating) == HEARTBEAT
    await beating.aclose()
    answer = await client.get("/tournaments/nothing/stream")
    assert answer.status_code == 404


async def test_a_host_cancels_a_tournament(client):
    host = Browser(client.another())
    await host.post("/tournaments", {"title": "Cup", "starts": "15"})
    cup = host.path
    assert "Entries are open. It starts on" in host.page
    assert (await Browser(client.another()).post(f"{cup}/delete", {})).status == 403
    await host.post(f"{cup}/delete", {})
    assert (await host.get(cup)).status == 404


async def test_a_duplicate_tournament_shows_scores_and_the_break(client):
    cup = await opened(client, format="duplicate", players=3, rounds=2, pause=60, bots=["greedy"] * 2)
    await entered(client, cup, Ada=ADA)
    await started(client, cup)
    await play_round(client, cup)
    browser = await Browser(client.another()).get(f"/tournaments/{cup}")
    assert 'Round 1 of 2 is over. The next one begins on <time datetime="' in browser.page
    assert "Duplicate · Rounds: 2 · 3 per table" in browser.page
    assert "Game points" in browser.page


# ------------------------------------------------------------------ the league


async def test_the_league_opens_runs_and_counts_automatically(client, hands):
    director = client.app.state.director  # noon of Tuesday, January 1
    await director.do_upkeep()
    await director.do_upkeep()
    ada = Browser(client.another())
    await ada.get("/league")
    path = re.search(r'href="(/tournaments/[\w-]+)">Enter this week', ada.page)[1]
    cup = path.rpartition("/")[2]
    for number in range(4):
        await Browser(client.another()).post(f"{path}/join", {"name": f"Player {number}"})
    await ada.post(f"{path}/join", {"name": "Ada"})
    hands.go(hours=12)
    await director.advance(cup)
    week = await state(client, cup)
    assert (week["state"], week["league"], len(week["pairings"])) == (RUNNING, "2030-W01", 12)
    tables_of_groups = week["pairings"][:6], week["pairings"][6:]
    groups = [{one for pairing in found for one in pairing["entries"]} for found in tables_of_groups]
    assert [sum(one <= 5 for one in group) for group in groups] == [2, 3]
    await ada.get(path)
    assert ada.page.count("Go to your table") == 3
    assert await director.do_upkeep() <= hands() + timedelta(hours=1)
    tables = client.app.state.tables
    table = await tables.load(week["pairings"][0]["game"])
    assert table.clock.control.is_correspondence
    await director.store.save_outcome(
        cup, (await director.store.load(cup)).pairings[0], Outcome((0,), (12, 3))
    )
    league_now = (await client.get("/api/league")).json()
    assert league_now["tournament"] == cup
    assert league_now["standings"][0]["points"] == 1
    await ada.get("/league/2030-W02")
    assert "The next week opens" not in ada.page
    assert (await ada.get("/league/never")).status == 404
    assert (await client.get("/api/league/never")).status_code == 404


async def test_the_points_of_a_week_determine_the_groups_of_the_next_one(database, hands):
    async with serving(database, hands, league=True, substitute_bot="chance") as client:
        director = client.app.state.director
        people = {f"Player {number}": tokens.new_token() for number in range(5)}

        async def week(**people):
            """Open a week, and start it with these people."""
            await director.do_upkeep()
            cup = (await client.get("/api/league")).json()["tournament"]
            await entered(client, cup, **people)
            hands.go(days=2)
            await director.advance(cup)
            return cup

        hands.go(days=-1)  # noon of Monday
        first = await week(**people)
        for pairing in (await director.store.load(first)).pairings[1:]:  # one game is enough to be played
            await director.store.save_outcome(first, pairing, Outcome((0,), (12, 3)))
        await play_round(client, first)
        assert (await state(client, first))["state"] == OVER
        lines = (await client.get("/api/league")).json()["standings"]
        points = {line["name"]: line["points"] for line in lines}
        assert set(points) == set(people)
        hands.go(days=5)
        assert await director.do_upkeep() <= hands() + timedelta(hours=1)
        second = await week(Newcomer=EVE, **people)
        assert second != first
        found = await state(client, second)
        names = {entry["number"]: entry["name"] for entry in found["entries"]}
        groups = [
            {names[number] for pairing in found["pairings"][at : at + 6] for number in pairing["entries"]}
            for at in (0, 6)
        ]
        assert [len(group) for group in groups] == [4, 4]
        assert groups[0] | groups[1] == set(names.values())
        assert "Newcomer" in groups[1]
        assert [len(group & set(points)) for group in groups] == [3, 2]
        best, others = ([points[name] for name in group & set(points)] for group in groups)
        assert min(best) >= max(others)


async def test_a_week_without_entries_passes_and_none_opens_too_late(client, hands):
    director = client.app.state.director
    await director.do_upkeep()
    (cup,) = await director.store.active()
    hands.go(days=1)
    await director.advance(cup)
    assert (await state(client, cup))["state"] == OVER
    assert "there were no games" in (await Browser(client).get(f"/tournaments/{cup}")).page
    await director.do_upkeep()
    assert len(await director.store.listed()) == 1
    assert "The games of the week" in (await Browser(client).get("/league")).page


async def test_a_server_without_a_league_has_no_page_of_it(database, hands):
    async with serving(database, hands) as client:
        assert (await client.get("/league")).status_code == 404
        assert (await client.get("/api/league")).status_code == 404
        await client.app.state.director.do_upkeep()
        assert await client.app.state.director.store.listed() == []


def test_groups_are_made_by_strength_and_bots_are_spread():
    entries = [Entry(number, str(number), owner=str(number)) for number in range(1, 6)]
    entries += [Entry(number, str(number), bot="normal") for number in (6, 7, 8)]
    strength = {"5": 3.0, "1": 2.5, "3": 1.0}
    numbers = in_groups(entries, strength, 1)
    assert numbers[:2] == [5, 1]
    assert numbers[4] == 3
    assert set(numbers[:4]) - {5, 1} <= {6, 7, 8}


async def test_expired_tournaments_are_deleted(database, hands):
    async with serving(database, hands, expire_after=timedelta(days=10)) as client:
        waiting, over = await opened(client), await opened(client, bots=["greedy"] * 2, rounds=1)
        await started(client, over)
        await play_round(client, over)
        hands.go(days=11)
        director = client.app.state.director
        await director.do_upkeep()
        assert await director.store.load(over) is None
        assert await director.store.load(waiting) is not None
        hands.go(days=60)
        await director.do_upkeep()
        assert await director.store.load(waiting) is None


async def test_a_long_tournament_is_kept_as_long_after_its_end_as_a_short_one(database, hands):
    async with serving(database, hands, expire_after=timedelta(days=10)) as client:
        cup = await opened(client, bots=["greedy"] * 2, rounds=1)
        await started(client, cup)
        hands.go(days=11)
        await play_round(client, cup)
        director = client.app.state.director
        for days, kept in ((0, True), (9, True), (2, False)):
            hands.go(days=days)
            await director.do_upkeep()
            assert (await director.store.load(cup) is not None) == kept
