"""The data of a person in the store: transfer to a new key, merging, and erasure."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from hegemon import Game, read_record, write_record
from hegemon.prose.english import FORMER_PLAYER
from hegemon.server.db.calendars import Calendar
from hegemon.server.db.devices import Arrival, NewPasskey
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.people import OWNERS
from hegemon.server.db.rows import MessageRow, RatedPlayer, ResultRow, SeatRow, StudyRow, Webhook
from hegemon.server.db.schema import metadata, outbox
from hegemon.server.db.store import Store
from hegemon.server.db.subscriptions import Subscription
from hegemon.server.db.tournament_rows import OPEN, OVER
from hegemon.server.db.tournament_schema import tournament_entries, tournaments

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
NAMES = ("Ben", "Ada", "Cleo")
RECORD = write_record(Game(3, seed=1, names=NAMES).record())
BEN, CLEO = SeatRow(None, "ben", "Ben"), SeatRow("greedy", None, "Cleo")
ADA = SeatRow(None, "ada", "Ada", 4, invite="key", substitute="easy")


@pytest.fixture
async def store(database):
    store = Store(database)
    yield store
    await store.close()


async def give_seat(store, owner):
    await store.games.create(f"seat of {owner}", RECORD, [SeatRow(None, owner)] * 3)


async def give_table(store, owner):
    await store.games.create(f"table of {owner}", RECORD, [CLEO] * 3, host=owner)


async def give_rating(store, owner):
    await store.players.save(RatedPlayer(owner, "Player", 25.0, 8.0, 0))


async def give_message(store, owner):
    await store.games.create(f"chat of {owner}", RECORD, [CLEO] * 3)
    await store.messages.add(f"chat of {owner}", MessageRow(1, NOON, None, owner, text="hello"))


async def give_study(store, owner):
    await store.studies.create(StudyRow(f"study of {owner}"[:22], owner, "", RECORD, 1, NOON), 9)


async def give_vacation(store, owner):
    await store.vacations.announce(owner, NOON, NOON + timedelta(days=1), lambda new, others: None)


async def give_calendar(store, owner):
    await store.calendars.replace(owner, Calendar(owner, f"secret of {owner}", "en"))


async def give_devices(store, owner):
    await store.devices.add_passkey(NewPasskey(f"passkey of {owner}", owner, b"key", 0, "Phone", NOON.date()))
    await store.devices.set_recovery_code(owner, f"code of {owner}", NOON.date())
    await store.devices.add_arrival(
        Arrival(f"arrival of {owner}", owner, None, NOON + timedelta(hours=1)), NOON
    )


async def give_subscription(store, owner):
    endpoint = f"https://push.example.org/{owner}"
    await store.subscriptions.save(Subscription(owner, owner, endpoint, "", "", (), "en", "", "", NOON, NOON))


GIFTS = [
    give_seat, give_table, give_rating, give_message, give_study, give_vacation, give_calendar, give_devices,
    give_subscription,
]  # fmt: skip


#: The names of columns with the digest of a key.
OWNED_BY = ("owner", "host", "author", "reporter", "subject")


def test_no_column_with_an_owner_is_forgotten():
    """Data that a new key, a merge or an erasure forgot would stay with a key that opens nothing."""
    columns = [column for table in metadata.tables.values() for column in table.columns]
    assert {column for column in columns if column.name in OWNED_BY} == set(OWNERS)


@pytest.mark.parametrize("give", GIFTS)
async def test_a_new_key_gets_everything_unless_it_already_has_data(store, give):
    await give(store, "ada")
    await give(store, "eve")
    with pytest.raises(ConflictError):
        await store.people.change_owner("ada", "eve")
    with pytest.raises(ConflictError):
        await store.people.change_owner("nora", "nils")
    for _ in range(2):
        await store.people.change_owner("ada", "new")
    with pytest.raises(ConflictError):
        await store.people.change_owner("ada", "newer")
    await store.people.change_owner("new", "newest")


async def load_all(store):
    return [await store.games.load(game_id) for game_id in await store.games.ids()]


async def test_a_new_key_owns_seats_tables_messages_and_the_rating(store):
    await store.games.create("one", RECORD, [BEN, ADA, CLEO], host="ada")
    await store.games.create("two", RECORD, [SeatRow(None, "ada"), BEN, CLEO], host="ben")
    await store.messages.add("two", MessageRow(1, NOON, 0, "ada", text="mine"))
    await store.messages.add("two", MessageRow(2, NOON, 1, "ben", text="yours"))
    for owner in ("ada", "ben"):
        await give_rating(store, owner)
    await store.people.change_owner("ada", "new")
    one, two = await load_all(store)
    assert (one.host, two.host) == ("new", "ben")
    assert [row.owner for row in (*one.seats, *two.seats)] == ["ben", "new", None, "new", "ben", None]
    assert [message.author for message in two.messages] == ["new", "ben"]
    assert set(await store.players.load(["ada", "ben", "new"])) == {"ben", "new"}


async def notifications(store):
    async with store.database.reading() as connection:
        rows = await connection.execute(select(outbox.c.game, outbox.c.key, outbox.c.body))
        return sorted(tuple(row) for row in rows)


@pytest.mark.parametrize(("finished", "bot"), [(False, "normal"), (True, None)])
async def test_an_erased_player_is_a_former_player_and_a_bot_plays_on(store, finished, bot):
    await store.games.create("one", RECORD, [BEN, ADA, CLEO], finished=finished, host="ben")
    await store.games.create("other", RECORD, [BEN, SeatRow(None, "eve", "Eve"), CLEO], host="ben")
    other = await store.games.load("other")
    assert await store.people.erase("ada") == 1
    row = await store.games.load("one")
    assert row.seats == (BEN, SeatRow(bot, None, FORMER_PLAYER, 4), CLEO)
    assert read_record(row.record).names == ("Ben", FORMER_PLAYER, "Cleo")
    assert row.host == "ben"
    assert await store.games.load("other") == other


async def test_the_name_of_an_erased_player_is_erased_in_studies_of_their_games_only(store):
    """Other games of the same deal have the same salt: those of a day, or of a round."""
    await store.games.create("one", RECORD, [BEN, ADA, CLEO], finished=True)
    record = read_record(RECORD)
    others = {
        "same": record,
        "of another": dataclasses.replace(record, names=("Dan", "Eve", "Fay")),
        "elsewhere": dataclasses.replace(record, salt="another"),
    }
    for study_id, made in others.items():
        await store.studies.create(StudyRow(study_id, "ben", "", write_record(made), 1, NOON), 9)
    await store.people.erase("ada")
    names = {study.id: read_record(study.record).names for study in await store.studies.owned_by("ben")}
    assert names == {
        "same": ("Ben", FORMER_PLAYER, "Cleo"),
        "of another": ("Dan", "Eve", "Fay"),
        "elsewhere": NAMES,
    }


async def test_a_person_on_two_seats_is_erased_from_both(store):
    await store.games.create("one", RECORD, [SeatRow(None, "ada"), BEN, SeatRow(None, "ada")])
    assert await store.people.erase("ada") == 2
    row = await store.games.load("one")
    assert read_record(row.record).names == (FORMER_PLAYER, "Ada", FORMER_PLAYER)
    assert [seat.owner for seat in row.seats] == [None, "ben", None]


async def test_notifications_of_an_erased_player_are_not_sent_and_quote_no_name(store):
    """What was sent stays as a key, so that it is not sent again; tables that the person hosted have no webhook."""
    tables = {
        "played": ([BEN, ADA, CLEO], "ben"),
        "other": ([BEN, CLEO, CLEO], "ben"),
        "hosted": ([BEN] * 3, "ada"),
    }
    for game_id, (seats, host) in tables.items():
        await store.games.create(game_id, RECORD, seats, host=host)
        await store.outbox.set_webhook(
            game_id, Webhook(f"https://{game_id}.example", "secret", "https://play")
        )
        await store.outbox.put(game_id, {"sent": "Ada"}, NOON)
    for item in await store.outbox.take(NOON, 9):
        await store.outbox.finish_attempt(item, item.webhook)
    for game_id in tables:
        await store.outbox.put(game_id, {"due": "Ada"}, NOON)
    await store.people.erase("ada")
    assert await notifications(store) == [
        ("other", "due", "Ada"),
        ("other", "sent", "Ada"),
        ("played", "sent", ""),
    ]
    assert [await store.outbox.webhook(game_id) is None for game_id in tables] == [False, False, True]
    assert [(await store.games.load(game_id)).host for game_id in tables] == ["ben", "ben", None]


async def test_messages_studies_and_the_rating_of_an_erased_player_are_deleted_and_no_others(store):
    await store.games.create("one", RECORD, [BEN, ADA, CLEO])
    for number, author in enumerate(("ada", "ben"), 1):
        await store.messages.add("one", MessageRow(number, NOON, 0, author, text="hello"))
        await give_rating(store, author)
        await give_study(store, author)
    await store.people.erase("ada")
    assert await store.studies.ids() == ["study of ben"]
    assert [message.author for message in (await store.games.load("one")).messages] == ["ben"]
    assert set(await store.players.load(["ada", "ben"])) == {"ben"}
    assert await store.people.erase("ada") == 0


async def test_each_game_is_rated_once(store):
    for game_id in ("one", "two"):
        await store.games.create(game_id, RECORD, [BEN] * 3)
    await give_rating(store, "ada")
    after = RatedPlayer("ada", "Player", 30.0, 7.0, 1)
    await store.players.rate_game("one", ["ada"], lambda players: [after])
    assert [row.rated for row in await load_all(store)] == [True, False]
    await store.players.rate_game("one", ["ada"], lambda players: pytest.fail("it was rated"))
    assert await store.players.load(["ada"]) == {"ada": after}


# ------------------------------------------------------------------ merging


async def test_a_merge_keeps_the_games_of_both_and_one_rating(store):
    await store.games.create("over", RECORD, [BEN, ADA, CLEO], finished=True, host="ada")
    for give in GIFTS:
        await give(store, "ada")
    for owner, name in (("ada", "Ada"), ("ben", "Ben")):
        await store.players.save(RatedPlayer(owner, name, 25.0, 8.0, 0))
        await store.devices.set_recovery_code(owner, f"code of {owner}", NOON.date())
    await store.people.merge("ada", "ben")
    assert not await store.people.has_data("ada")
    over = next(row for row in await load_all(store) if row.id == "over")
    assert (over.host, [row.owner for row in over.seats]) == ("ben", ["ben", "ben", None])
    assert (await store.players.load(["ben"]))["ben"].name == "Ben"
    assert [passkey.name for passkey in await store.devices.passkeys_of("ben")] == ["Phone"]
    assert await store.devices.owner_of_code("code of ada") is None
    assert await store.devices.owner_of_code("code of ben") == "ben"


@pytest.mark.parametrize("both", [True, False])
async def test_after_a_merge_the_history_is_that_of_the_remaining_rating(store, both):
    ratings = {"ada": (10.0, 11.0), "ben": (30.0,)} if both else {"ada": (10.0, 11.0)}
    for owner, values in ratings.items():
        await store.players.save(RatedPlayer(owner, owner, 25.0, 8.0, 0))
        for number, mu in enumerate(values):
            game = f"{owner} {number}"
            await store.games.create(game, RECORD, [CLEO] * 3)
            after = RatedPlayer(owner, owner, mu, 8.0, number + 1)
            at = NOON + timedelta(number)
            result = ResultRow(game, 0, owner, at, 3, "basic", False, "", "majority", True, None, None, 3, 9)
            await store.results.save(game, [result])
            await store.players.rate_game(game, [owner], lambda _, after=after: [after])
    await give_seat(store, "ben")
    await store.people.merge("ada", "ben")
    history = [change.mu for change in await store.players.history("ben")]
    rating = (await store.players.load(["ben"]))["ben"]
    assert history == ([30.0] if both else [10.0, 11.0])
    assert (rating.mu, rating.games) == (history[-1], len(history))


async def test_a_merge_changes_nothing_of_others(store):
    """Keys of messages are unique per author, so only those of the merged person are dropped."""
    await store.games.create("one", RECORD, [CLEO] * 3)
    for number, author in enumerate(("ada", "ben", "cleo"), 1):
        await store.messages.add(
            "one", MessageRow(number, NOON, None, author, text="hi", idempotency_key="key")
        )
    await store.people.merge("ada", "ben")
    messages = (await store.games.load("one")).messages
    assert [(line.author, line.idempotency_key) for line in messages] == [
        ("ben", None),
        ("ben", "key"),
        ("cleo", "key"),
    ]


async def test_the_profile_of_a_merged_person_is_forgotten_at_once(store):
    await store.profiles.save("ada", name="Ada")
    assert (await store.profiles.load("ada")).name == "Ada"
    await store.people.merge("ada", "ben")
    assert await store.profiles.load("ada") is None
    assert (await store.profiles.load("ben")).name == "Ada"


async def test_only_arrivals_that_have_expired_are_deleted_by_a_new_one(store):
    await give_devices(store, "ada")
    await give_devices(store, "ben")
    assert (await store.devices.find_arrival("arrival of ada", NOON)).owner == "ada"
    late = NOON + timedelta(hours=1)
    await store.devices.add_arrival(Arrival("late", "cleo", None, late + timedelta(hours=1)), late)
    assert await store.devices.find_arrival("arrival of ada", NOON) is None
    assert (await store.devices.find_arrival("late", late)).owner == "cleo"


async def test_a_merge_with_oneself_changes_nothing(store):
    for give in GIFTS:
        await give(store, "ada")
    before = await store.people.export("ada")
    await store.people.merge("ada", "ada")
    assert await store.people.export("ada") == before


async def test_opponents_cannot_be_merged(store):
    await store.games.create("one", RECORD, [BEN, ADA, CLEO])
    with pytest.raises(ConflictError):
        await store.people.merge("ada", "ben")
    assert [row.owner for row in (await store.games.load("one")).seats] == ["ben", "ada", None]


@pytest.mark.parametrize("state", [OPEN, OVER])
async def test_participants_of_one_tournament_are_merged_when_it_is_over(store, state):
    """The entry of the other stays in the table of results, and belongs to no one."""
    async with store.database.writing() as connection:
        facts = {
            "host": None,
            "title": "Cup",
            "format": "swiss",
            "players": 2,
            "variant": "basic",
            "rounds": 1,
        }
        facts |= {"clock": "", "pause": 0, "bot": "easy", "seed": 1, "public": True, "language": "en"}
        facts |= {"id": "cup", "created_at": NOON, "state": state, "revision": 1}
        await connection.execute(tournaments.insert().values(**facts))
        for number, owner in enumerate(("ada", "ben"), 1):
            entry = {"number": number, "owner": owner, "name": owner, "withdrawn": False}
            await connection.execute(tournament_entries.insert().values(tournament="cup", **entry))
    if state == OPEN:
        with pytest.raises(ConflictError):
            await store.people.merge("ada", "ben")
    else:
        await store.people.merge("ada", "ben")
    async with store.database.reading() as connection:
        found = select(tournament_entries.c.owner).order_by(tournament_entries.c.number)
        owners = list(await connection.scalars(found))
    assert owners == (["ada", "ben"] if state == OPEN else [None, "ben"])


@pytest.mark.parametrize("what", ["new key", "merge", "no key", "erasure"])
async def test_an_arrival_moves_or_ends_with_its_person(store, what):
    await give_devices(store, "ada")
    changes = {
        "new key": lambda: store.people.change_owner("ada", "new"),
        "merge": lambda: store.people.merge("ada", "new"),
        "no key": lambda: store.people.drop_key("ada", "new"),
        "erasure": lambda: store.people.erase("ada"),
    }
    await changes[what]()
    arrival = await store.devices.find_arrival("arrival of ada", NOON)
    assert (arrival and arrival.owner) == ("new" if what in ("merge", "no key") else None)


async def test_dropping_the_key_keeps_sessions_passkeys_and_the_code(store):
    for give in GIFTS:
        await give(store, "ada")
    await store.devices.start_session("token", "ada", "Firefox", "Linux", NOON.date())
    await store.people.drop_key("ada", "new")
    assert not await store.people.has_data("ada")
    assert (await store.devices.find_session("token", NOON.date())).owner == "new"
    assert await store.devices.owner_of_code("code of ada") == "new"
    assert len(await store.devices.passkeys_of("new")) == 1
    assert await store.subscriptions.of(["new"]) == []  # that of the browser with the key


async def test_all_devices_of_an_erased_person_are_forgotten(store):
    for owner in ("ada", "ben"):
        await give_devices(store, owner)
        await store.devices.start_session(f"token of {owner}", owner, "Firefox", "Linux", NOON.date())
    await store.people.erase("ada")
    devices = store.devices
    assert await devices.passkeys_of("ada") == await devices.sessions_of("ada") == []
    assert await devices.recovery_code_date("ada") is None
    assert len(await devices.passkeys_of("ben")) == len(await devices.sessions_of("ben")) == 1
