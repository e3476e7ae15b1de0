"""Seats on pages: invitations, reassigned seats, rematches, and the personal link."""

import asyncio
import re

import pytest
from server_browser import HOST, Browser, visiting
from waiting import wait_until

from hegemon.server.tables import moves as table_moves


@pytest.fixture
async def friends(database):
    """Ada, Ben and Eve, each with a browser of their own."""
    async with visiting(database) as client:
        yield [Browser(client.another()) for _ in range(3)]


def links(page):
    return re.findall(rf'value="{re.escape(HOST)}(/join/[^"]+)"', page)


async def created(ada, **form):
    await ada.take_seat(**{"seat1": "me", "seat2": "friend", "name1": "Ada"} | form)
    return ada.path, links(ada.page)


async def both(friends):
    """Ada and Ben at a table of two that has begun."""
    ada, ben, _ = friends
    path, (link,) = await created(ada)
    await ben.get(link)
    await ben.post(link, {"name": "Ben", "color": "5"})
    await ada.get(path)
    return path, link


# ------------------------------------------------------------------ invitations


async def test_the_game_starts_when_a_friend_joins_by_a_link(friends):
    ada, ben, _ = friends
    path, (link,) = await created(ada)
    assert "Waiting for one more player" in ada.page
    assert not ada.words
    await ben.get(link)
    assert "Ada" in ben.page
    await ben.post(link, {"name": "Ben", "color": "5"})
    assert ben.path == path
    assert '<span class="player">Ben</span><span class="tag">you</span>' in ben.page
    assert "swatch p5" in ben.page
    await ada.get(path)
    assert ada.words
    assert "Ben" in ada.page


async def test_no_move_is_accepted_before_every_seat_is_taken(friends):
    ada, _, _ = friends
    path, _ = await created(ada)
    fields = {"choice": "M", "version": "0", "idempotency_key": "x", "seat": "1"}
    answer = await ada.client.post(f"{path}/moves", data=fields, headers={"accept": "application/json"})
    assert (answer.status_code, answer.json()["why"]) == (409, "The game begins when every seat is taken.")


async def test_bots_wait_until_every_seat_is_taken(friends):
    ada, ben, _ = friends
    path, (link,) = await created(ada, seat1="greedy", seat2="me", seat3="friend")
    table = await ada.client.app.state.tables.load(path.split("/")[2])
    tables = ada.client.app.state.tables
    assert (table.to_move, tables.bots.is_running(table)) == ((), False)
    await ben.post(link, {})
    await tables.bots.wait(table)
    assert table.version > 0


async def test_the_name_of_an_open_seat_is_in_the_readers_language(friends):
    ada, ben, _ = friends
    _, (first, _) = await created(ada, seat3="friend", name3="Cleo")
    await ben.get(first, **{"accept-language": "de"})
    assert "Hypatia" in ben.page
    assert "Cleo" in ben.page
    await ben.get(first, **{"accept-language": "el"})
    assert "Υπατία" in ben.page
    assert "Hypatia" not in ben.page


async def test_the_page_asks_only_players_without_a_name_for_one(friends):
    ada, ben, _ = friends
    path, (link,) = await created(ada, name1="Livia")
    await ben.post(link, {})
    for person, asked in ((ada, False), (ben, True)):
        await person.get(f"{path}/seats")
        assert ("<details open><summary>My name" in person.page) == asked


async def test_only_the_host_is_shown_the_links(friends):
    ada, ben, eve = friends
    path, (first, second) = await created(ada, seat3="friend")
    await ben.post(first, {"name": "Ben"})
    for other in (ben, eve):
        await other.get(path)
        assert second.split("/")[2] not in other.page


async def test_a_used_link_leads_its_player_back_to_the_table(friends):
    path, link = await both(friends)
    for friend in friends[:2]:
        await friend.get(link)
        assert (friend.status, friend.path) == (200, path)
    await friends[1].post(link, {"name": "Ben again"})
    assert friends[1].path == path
    assert "Ben again" not in friends[1].page


async def test_used_and_forged_links_are_rejected(friends):
    _, link = await both(friends)
    eve = friends[2]
    for path, status, why in (
        (link, 410, "Someone has already used this invitation."),
        ("/join/forged", 404, "There is no such invitation."),
    ):
        await eve.get(path)
        assert (eve.status, why in eve.page) == (status, True)
        await eve.post(path, {"name": "Eve"})
        assert (eve.status, why in eve.page) == (status, True)


async def test_a_player_cannot_take_two_seats_by_links(friends):
    ada, _, _ = friends
    path, (first, _) = await created(ada, seat3="friend")
    await ada.get(first)
    assert ada.path == path
    await ada.post(first, {})
    assert (ada.status, "You are already seated at this table." in ada.page) == (409, True)


async def test_cross_site_requests_are_rejected(friends):
    _, link = await both(friends)
    for path in (link, "/me", "/games/x/rematch", "/games/x/seats/1/open"):
        await friends[0].post(path, {}, origin="https://elsewhere.example")
        assert friends[0].status == 403


# ------------------------------------------------------------------ what the host does


async def test_the_host_removes_a_player_who_then_sees_no_hand(friends):
    ada, ben, eve = friends
    path, link = await both(friends)
    await ada.submit_move(ada.words[0])
    await ben.get(path)
    assert "Your hand" in ben.page
    await ada.post(f"{path}/seats/2/open", {})
    assert "One seat is open; the others keep playing." in ada.page
    (new,) = links(ada.page)
    assert new != link
    await ben.get(path)
    assert "Your hand" not in ben.page
    await ben.post(f"{path}/moves", {"choice": "M", "version": "1", "idempotency_key": "x", "seat": "2"})
    assert (ben.status, "That seat is not yours." in ben.page) == (403, True)
    await eve.get(link)
    assert eve.status == 404
    await eve.post(new, {"name": "Eve"})
    assert "Your hand" in eve.page


async def test_the_host_gives_a_seat_to_a_bot_in_the_middle_of_a_turn(friends):
    ada, ben, _ = friends
    path, _ = await both(friends)
    await ada.submit_move(ada.words[0])
    await ada.post(f"{path}/seats/1/bot", {"bot": "chance"})
    table = await ada.client.app.state.tables.load(path.split("/")[2])
    await wait_until(lambda: 1 in table.to_move)
    await ben.get(path)
    assert ben.words
    assert "Your hand" not in (await ada.get(path)).page


async def test_opening_a_seat_before_the_first_move_stops_the_game(friends):
    ada, _, _ = friends
    path, _ = await both(friends)
    await ada.post(f"{path}/seats/2/open", {})
    await ada.get(path)
    assert "Waiting for one more player" in ada.page
    await ada.post(f"{path}/seats/2/bot", {"bot": "chance"})
    assert "Everyone is here." in ada.page


async def test_players_can_give_away_only_their_own_seats(friends):
    ada, ben, eve = friends
    path, _ = await both(friends)
    for friend, seat in ((ben, 1), (eve, 1), (eve, 2), (ada, 4)):
        await friend.post(f"{path}/seats/{seat}/open", {})
        assert (friend.status, "Only the host" in friend.page) == (403, True)
    await ada.post(f"{path}/seats/2/bot", {"bot": "genius"})
    assert (ada.status, "no such bot" in ada.page) == (422, True)
    await ben.post(f"{path}/seats/2/open", {})
    assert ben.status == 200
    assert not links(ben.page)


async def test_players_can_change_their_own_name_and_color(friends):
    ada, ben, _ = friends
    path, _ = await both(friends)
    await ben.post(f"{path}/seats/2/name", {"name": "Benedict", "color": "0"})  # Ada's color
    assert "Benedict" in ben.page
    table = await ada.client.app.state.tables.load(path.split("/")[2])
    assert [row.color for row in table.seats] == [None, 1]
    for seat in (2, 4):
        await ada.post(f"{path}/seats/{seat}/name", {"name": "Dunce"})
        assert ada.status == 403
    await ben.get("/")
    assert "<b>Ada</b>" in ben.page
    assert "<b>Benedict</b>" in (await ada.get("/")).page


async def test_the_seats_are_streamed_and_lead_to_the_table(friends):
    ada, ben, _ = friends
    path, (first, second) = await created(ada, seat3="friend")
    stream = asyncio.create_task(ada.client.get(f"{path}/seats/stream?is_waiting=true"))
    table = await ada.client.app.state.tables.load(path.split("/")[2])
    await wait_until(lambda: table.subscribers)
    await ben.post(first, {"name": "Ben"})
    await friends[2].post(second, {"name": "Eve"})
    told = (await stream).text
    assert "Ben" in told
    assert told.endswith(f'event: go\ndata: "{path}"\n\n')


async def test_a_stream_ends_for_a_player_who_loses_the_seat(friends):
    ada, ben, _ = friends
    path, _ = await both(friends)
    stream = asyncio.create_task(ben.client.get(f"{path}/stream"))
    table = await ada.client.app.state.tables.load(path.split("/")[2])
    await wait_until(lambda: table.subscribers)
    await ada.post(f"{path}/seats/2/bot", {"bot": "chance"})
    assert (await stream).text.endswith(f'event: go\ndata: "{path}?lost=true"\n\n')
    await ben.get(f"{path}?lost=true")
    assert "You are no longer seated at this table" in ben.page
    await ada.get(f"{path}?lost=true")
    assert "You are no longer seated at this table" not in ada.page


# ------------------------------------------------------------------ oneself elsewhere


async def test_a_personal_link_brings_my_seats_to_another_device(friends):
    ada, phone, _ = friends
    await phone.get("/me")
    assert "You will get one" in phone.page
    path, _ = await created(ada)
    await ada.get("/me")
    key = re.search(r"/me#([\w-]+)", ada.page)[1]
    assert "password: whoever has it can play as you" in ada.page
    assert '<svg role="img"' in ada.page
    await phone.post("/me", {"key": f" {HOST}/me#{key}"})
    assert path in phone.page
    await phone.post("/me", {"key": "nonsense"})
    assert (phone.status, "not a personal link" in phone.page) == (422, True)


# ------------------------------------------------------------------ another game


async def finished(friends):
    """A table of two whose game is over; says who won."""
    path, _ = await both(friends)
    tables = friends[0].client.app.state.tables
    table = await tables.load(path.split("/")[2])
    await friends[0].post(f"{path}/rematch", {})
    assert (friends[0].status, "still going" in friends[0].page) == (409, True)
    while not table.game.over:
        (seat,) = table.to_move
        await table_moves.submit_move(
            tables, table, seat, table.game.choices_of(seat)[-1], table.version, None
        )
    return table


async def test_one_click_leads_everyone_to_the_next_game_with_other_seats(friends):
    ada, ben, eve = friends
    table = await finished(friends)
    winner = table.game.names[table.game.result.winners[0]]
    streams = [asyncio.create_task(b.client.get(f"/games/{table.id}/stream")) for b in (ada, ben, eve)]
    await wait_until(lambda: len(table.subscribers) == 3)
    await ben.post(f"/games/{table.id}/rematch", {})
    new = ben.path
    for stream in streams:
        assert (await stream).text.endswith(f'event: go\ndata: "{new}"\n\n')
    await ada.post(f"/games/{table.id}/rematch", {})
    assert ada.path == new
    following = await ada.client.app.state.tables.load(new.split("/")[2])
    assert following.game.names == ("Ben", "Ada")
    assert f"Game 2 of the series: Ben {int(winner == 'Ben')}, Ada {int(winner == 'Ada')}" in ada.page
    await eve.post(f"/games/{table.id}/rematch", {})
    assert eve.status == 403
    await eve.get(f"/games/{table.id}")
    assert new in eve.page
