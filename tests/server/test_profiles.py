"""Profiles: a name is entered once, and used everywhere and on all devices."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from server_browser import Browser, finish, visiting
from server_config import config_at

from hegemon import Game, write_record
from hegemon.prose.english import FORMER_PLAYER
from hegemon.prose.translator import get_translator
from hegemon.server.db.profiles import Profiles
from hegemon.server.db.rating_changes import RatingChange
from hegemon.server.db.results import Opponent
from hegemon.server.db.rows import ResultRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.security.tokens import owner_of
from hegemon.server.tables import ratings
from hegemon.server.tables.seats import shown_name
from hegemon.server.web.views.statistics import opponent_row, rating_curve

RECORD = write_record(Game(2, seed=1, names=("Ada", "Ben")).record())
FIELD = 'name="name" maxlength="24" value="Ada"'


@pytest.fixture
async def people(database):
    """Two people at a server with a lobby."""
    async with visiting(database, config_at(database, lobby=True)) as client:
        yield [Browser(client.another()) for _ in range(2)]


async def table_of(browser):
    return await browser.client.app.state.tables.load(browser.path.split("/")[2])


async def profile_of(browser):
    owner = owner_of(browser.client.cookies["hegemon"])
    return await browser.client.app.state.tables.store.profiles.load(owner)


async def test_a_name_that_was_typed_once_is_filled_in_everywhere(people):
    ada, ben = people
    await ada.take_seat(seat1="me", seat2="chance", name1=" Ada  ")
    assert (await table_of(ada)).game.names[0] == "Ada"
    await ben.take_seat(seat1="me", seat2="friend", public="on")
    table = await table_of(ben)
    for path in ("/daily", "/lobby", "/me", f"/join/{table.seats[1].invite}"):
        assert FIELD in (await ada.get(path)).page, path
    assert 'placeholder="Name" value="Ada"' in (await ada.get("/")).page
    await ada.post(f"/lobby/{table.id}", {})
    assert table.game.names == ("Solon", "Ada")
    await ben.take_seat()
    assert 'placeholder="Your name" value="Ada"' in (await ada.get(ben.path)).page  # the chat of spectators
    assert "Ada" in (await ada.get("/puzzles/1")).page
    assert "Ada" in (await ada.get("/learn/2")).page


async def test_the_name_is_on_the_seat_of_the_person_wherever_that_is(browser):
    await browser.take_seat(name1="Ada", seat1="me", seat2="chance")
    await browser.take_seat()
    assert (await table_of(browser)).game.names[0] == "Ada"
    await browser.take_seat(seat1="chance", name1="Ada", seat2="me")
    assert (await table_of(browser)).game.names == ("Pericles", "Ada")


async def test_the_last_name_stays_and_an_empty_one_changes_nothing(browser):
    await browser.take_seat(name1="Ada", seat1="me", seat2="chance")
    await browser.post(f"{browser.path}/seats/1/name", {"name": "Ada L.", "color": "5"})
    await browser.post("/daily", {"name": ""})
    profile = await profile_of(browser)
    assert (profile.name, profile.color) == ("Ada L.", 5)
    assert '"name" maxlength="24" value=""' in (await browser.get("/daily")).page  # not listed, as before


async def test_a_color_is_used_where_it_is_free_and_remembered_only_if_it_was_chosen(people):
    ada, ben = people
    await ada.post("/me/profile", {"name": "Ada", "color": "1"})
    await ada.take_seat(seat1="me", seat2="chance", seat3="friend")
    table = await table_of(ada)
    assert [row.color for row in table.seats] == [1, 0, None]
    await ben.post(f"/join/{table.seats[2].invite}", {"name": "Ben", "color": "2"})
    assert (await profile_of(ben)).color is None
    await ada.post("/me/profile", {"name": "Ada", "color": ""})
    assert "Saved." in ada.page
    assert "Saved." not in (await ada.get("/me")).page
    assert (await profile_of(ada)).color is None
    await ada.post("/me/profile", {"name": " ", "color": "3"})
    assert (ada.status, 'role="alert">Please type a name.</p>' in ada.page) == (422, True)
    assert "Saved." not in ada.page
    assert ((await profile_of(ada)).name, (await profile_of(ada)).color) == ("Ada", None)


async def test_language_and_settings_are_the_same_on_all_devices(people):
    laptop, phone = people
    await laptop.post("/settings", {"theme": "dark", "back": "/"})
    await laptop.take_seat(name1="Ada", seat1="me", seat2="chance")
    await laptop.post("/settings", {"language": "de", "sound": "on", "back": "/me"})
    phone.client.cookies.set("hegemon", laptop.client.cookies["hegemon"])
    phone.client.cookies.set("sound", "off")
    await phone.get("/me")
    assert '<html lang="de" data-theme="dark"' in phone.page
    await phone.get("/")
    assert '<select name="sound"><option value="off">aus</option><option value="on" selected>' in phone.page
    await phone.post("/join/nothing", {})
    assert (phone.status, '<html lang="de"' in phone.page) == (404, True)
    await phone.post("/settings", {"theme": "nonsense", "back": "/me"})
    assert 'data-theme="dark"' in phone.page


async def test_settings_are_the_same_on_all_devices_also_without_a_name(people):
    laptop, phone = people
    await laptop.post("/settings", {"sound": "on", "back": "/"})
    assert laptop.client.cookies.get("hegemon") is None
    await laptop.take_seat(seat1="me", seat2="chance")
    await laptop.post("/settings", {"theme": "dark", "back": "/"})
    profile = await profile_of(laptop)
    assert (profile.name, profile.settings) == ("", {"sound": "on", "theme": "dark"})
    phone.client.cookies.set("hegemon", laptop.client.cookies["hegemon"])
    await phone.get("/me")
    assert 'data-theme="dark"' in phone.page
    assert '"name" maxlength="24" value=""' in phone.page
    await laptop.post("/me/profile", {"name": "Ada"})
    profile = await profile_of(phone)
    assert (profile.name, profile.settings["theme"]) == ("Ada", "dark")


async def test_unset_fields_of_a_profile_are_empty(database):
    store = Store(database)
    await store.profiles.save("ada", name="Ada")
    await store.profiles.save("ben", settings={"theme": "dark"})
    ada, ben = await store.profiles.load("ada"), await store.profiles.load("ben")
    assert (ada.name, ada.settings) == ("Ada", {})
    assert (ben.name, ben.settings) == ("", {"theme": "dark"})
    for profile in (ada, ben):
        assert (profile.color, profile.language, profile.public) == (None, "", False)
    await store.close()


async def test_a_merge_keeps_the_name_if_only_one_of_both_has_one(database):
    store = Store(database)
    await store.profiles.save("ada", name="Ada", settings={"theme": "light"})
    for owner in ("new", "newer"):
        await store.profiles.save(owner, settings={"theme": "dark"})
    await store.people.merge("ada", "new")
    assert (await store.profiles.load("new")).name == "Ada"
    await store.people.merge("newer", "new")
    profile = await store.profiles.load("new")
    assert (profile.name, profile.settings) == ("Ada", {"theme": "light"})
    await store.close()


async def test_of_two_concurrent_names_the_first_creates_the_profile(database):
    store = Store(database)
    await store.profiles.save("ada", color=3)
    assert await store.profiles.load("ada") is None
    other = Profiles(store.database)
    first = other._update

    async def late(owner, changes):
        found = await first(owner, changes)
        if not found:
            await store.profiles.save(owner, name="Ada")
        return found

    other._update = late
    await other.save("ada", name="Ada Lovelace")
    store.profiles.invalidate("ada")
    assert (await store.profiles.load("ada")).name == "Ada Lovelace"
    await store.close()


async def test_changes_of_another_process_take_effect_after_the_cache_expires(database, monkeypatch):
    store, other = Store(database), Store(database)
    await store.profiles.save("ada", name="Ada")
    monkeypatch.setattr("hegemon.server.db.profiles._MAX_CACHED", 1)
    monkeypatch.setattr("hegemon.server.db.profiles.CACHE_SECONDS", 10**9)
    assert (await store.profiles.load("ada")).name == "Ada"
    await other.profiles.save("ada", name="Countess")
    assert (await store.profiles.load("ada")).name == "Ada"
    assert await store.profiles.load("ben") is None
    assert (await store.profiles.load("ada")).name == "Countess"
    monkeypatch.setattr("hegemon.server.db.profiles.CACHE_SECONDS", -1)
    store.profiles.invalidate("ada")
    for name in ("Ada", "Countess"):
        await other.profiles.save("ada", name=name)
        assert (await store.profiles.load("ada")).name == name
    await store.close()
    await other.close()


async def test_a_profile_goes_to_a_new_key_and_is_erased(database):
    store = Store(database)
    await store.profiles.save("ada", name="Ada")
    await store.profiles.load("ada")
    await store.people.change_owner("ada", "new")
    assert (await store.profiles.load("ada"), (await store.profiles.load("new")).name) == (None, "Ada")
    await store.people.erase("new")
    assert await store.profiles.load("new") is None
    await store.close()


async def test_former_and_unnamed_players_have_translated_names():
    german = get_translator("de")
    gone = SeatRow(None, None, FORMER_PLAYER)
    assert shown_name(gone, FORMER_PLAYER, german) == "Ein früherer Mitspieler"
    assert shown_name(SeatRow(None, None), "Player 2", german) == "Hypatia"
    assert shown_name(SeatRow(None, "ada"), FORMER_PLAYER, german) == FORMER_PLAYER


# ------------------------------------------------------------------ the page of a profile


async def play(people, **options):
    """A finished game of both; return its table."""
    ada, ben = people
    await ada.take_seat(seat1="me", seat2="friend", name1="Ada", **options)
    table = await table_of(ada)
    await ben.post(f"/join/{table.seats[1].invite}", {"name": "Ben"})
    return await finish(ada.client, f"/games/{table.id}")


async def public_path(browser, name):
    await browser.post("/me/profile", {"name": name, "color": "", "public": "on"})
    return re.search(r'href="(/players/[^"]+)"', browser.page)[1]


async def test_a_profile_is_visible_to_others_only_if_its_owner_wants_that(people):
    ada, ben = people
    table = await play(people)
    assert "/players/" not in (await ada.get("/me")).page
    path = await public_path(ada, "Ada")
    assert (await ben.get(path)).status == 200
    assert "<h1>Ada</h1>" in ben.page
    assert "1 game, " in ben.page
    assert table.id not in ben.page  # it was not public
    assert "Ben" not in ben.page  # nor is Ben's profile
    for secret in (owner_of(ada.client.cookies["hegemon"]), ada.client.cookies["hegemon"]):
        assert secret not in ben.page
    await ada.post("/me/profile", {"name": "Ada", "color": ""})
    assert (await ben.get(path)).status == 404
    assert (await ben.get("/players/nonsense")).status == 404


async def test_public_games_and_opponents_are_on_the_page_and_can_be_searched(people):
    ada, ben = people
    table = await play(people, public="on")
    hidden = await play(people, public="on")
    await ada.post(f"/me/games/{hidden.id}/hide", {})
    path, other = await public_path(ada, "Ada"), await public_path(ben, "Ben")
    await ben.get(path)
    assert f'<a href="{other}">Ben</a>' in ben.page
    assert [f"/games/{game.id}" in ben.page for game in (table, hidden)] == [True, False]
    assert "Favorite Domains: " in ben.page
    assert table.id in (await ben.get(f"{path}?name=be")).page
    assert table.id not in (await ben.get(f"{path}?name=eve")).page
    await ada.client.app.state.tables.store.moderation.close_table(table.id, datetime.now(UTC))
    assert table.id not in (await ben.get(path)).page
    await ada.get("/me/statistics")
    assert f'<a href="{other}">Ben</a></th><td>2</td>' in ada.page
    assert "Your profile is public" in ada.page


async def test_a_running_game_is_not_on_the_page(people):
    ada, ben = people
    await ada.take_seat(seat1="me", seat2="friend", public="on", name1="Ada")
    table = await table_of(ada)
    await ben.post(f"/join/{table.seats[1].invite}", {})
    assert table.id not in (await ben.get(await public_path(ada, "Ada"))).page


async def test_the_history_of_a_rating_is_a_curve_and_a_table(people):
    ada, ben = people
    for browser, name in ((ada, "Ada"), (ben, "Ben")):
        await browser.post("/me/rating", {"wanted": "yes", "name": name})
    for _ in range(2):
        await play(people, public="on", rated="on")
    store = ada.client.app.state.tables.store
    owner = owner_of(ada.client.cookies["hegemon"])
    points = [ratings.shown_points(change) for change in await store.players.history(owner)]
    assert len(points) == 2
    assert points[-1] == ratings.shown_points((await store.players.load([owner]))[owner])
    await ada.get("/me/statistics")
    section = ada.page.split('<section id="rating">')[1].split("</section>")[0]
    assert section.count("<polyline") == 1
    assert [int(cell) for cell in re.findall(r"<td>(-?\d+)</td>", section)] == points[::-1]
    await ada.post("/me/profile", {"name": "Ada L."})
    assert (await store.players.load([owner]))[owner].name == "Ada L."
    await ada.post("/me/rating", {"wanted": "no"})
    assert await store.players.history(owner) == []
    assert '<section id="rating">' not in (await ada.get("/me/statistics")).page


def test_the_curve_of_a_rating_is_within_its_lines():
    when = datetime(2030, 1, 1, tzinfo=UTC)
    curve = rating_curve([RatingChange(when, mu, 8.0) for mu in (25.0, 26.0, 24.0)])
    (low, bottom), _, (high, top) = curve["lines"]
    assert (low % 100, high % 100, top, bottom) == (0, 0, 0, 120)
    assert [x for x, _ in curve["points"]] == [0, 160, 320]
    assert all(top <= y <= bottom for _, y in curve["points"])
    assert rating_curve([RatingChange(when, 25.0, 8.0)])["points"] == [(0, 72.0)]
    assert rating_curve([]) == {}


async def test_the_most_frequent_opponents_are_listed(database, monkeypatch):
    monkeypatch.setattr("hegemon.server.db.results.MAX_OPPONENTS", 2)
    store, when = Store(database), datetime(2030, 1, 1, tzinfo=UTC)
    for number, other in enumerate(["ben", "cleo", "dan", "ben", "cleo", "ben"]):
        at, facts = when + timedelta(days=number), ("basic", False, "", "majority")
        rows = [
            ResultRow(f"{number}", seat, owner, at, 2, *facts, not seat, None, None, 3, 9, name=owner.title())
            for seat, owner in enumerate(["ada", other])
        ]
        await store.games.create(f"{number}", RECORD, [SeatRow(None, "ada"), SeatRow(None, other)])
        await store.results.save(f"{number}", rows)
    assert await store.results.opponents("ada") == [Opponent("Ben", "", 3, 3), Opponent("Cleo", "", 2, 2)]
    assert await store.results.counts("ada") == (6, 6)
    assert await store.results.counts("ben") == (3, 0)
    assert await store.results.counts("eve") == (0, 0)
    await store.close()


async def test_opponents_are_listed_once_by_their_last_name_without_partners(database):
    store = Store(database)
    when = datetime(2030, 1, 1, tzinfo=UTC)
    games = [("1", False, "Ben", True), ("2", False, "Benedict", False), ("3", True, "Ben", True)]
    for number, (game_id, teams, name, won) in enumerate(games):
        await store.games.create(game_id, RECORD, [SeatRow(None, "ada"), SeatRow(None, "ben")])
        at = when + timedelta(days=number)
        rest = ("basic", teams, "", "majority")
        await store.results.save(
            game_id,
            [
                ResultRow(game_id, 0, "ada", at, 2, *rest, won, None, None, 3, 9, name="Ada"),
                ResultRow(game_id, 1, "ben", at, 2, *rest, not won, None, None, 3, 9, name=name),
            ],
        )
    assert await store.results.opponents("ada") == [Opponent("Benedict", "", 2, 1)]
    assert await store.results.opponents("ada", public_only=True) == []
    assert opponent_row(Opponent("", "", 2, 1), get_translator("en")).label == "Someone"
    await store.close()
