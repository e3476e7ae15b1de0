"""What belongs to a person in the store: it goes to a new key as a whole, and it can be erased."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from hegemon import Game, read_record, write_record
from hegemon.server.db.database import ConflictError
from hegemon.server.db.schema import Message, RatedPlayer, SeatRow, StudyRow, Webhook, outbox
from hegemon.server.db.store import Store

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
    await store.messages.add(f"chat of {owner}", Message(1, NOON, None, owner, text="hello"))


async def give_study(store, owner):
    await store.studies.create(StudyRow(f"study of {owner}"[:22], owner, "", RECORD, 1, NOON), 9)


@pytest.mark.parametrize("give", [give_seat, give_table, give_rating, give_message, give_study])
async def test_a_key_gets_everything_of_another_unless_it_has_something_itself(store, give):
    await give(store, "ada")
    await give(store, "eve")
    with pytest.raises(ConflictError):
        await store.players.change_owner("ada", "eve")
    with pytest.raises(ConflictError):
        await store.players.change_owner("nora", "nils")
    for _ in range(2):
        await store.players.change_owner("ada", "new")
    with pytest.raises(ConflictError):
        await store.players.change_owner("ada", "newer")
    await store.players.change_owner("new", "newest")


async def load_all(store):
    return [await store.games.load(game_id) for game_id in await store.games.ids()]


async def test_a_new_key_owns_seats_tables_messages_and_the_rating(store):
    await store.games.create("one", RECORD, [BEN, ADA, CLEO], host="ada")
    await store.games.create("two", RECORD, [SeatRow(None, "ada"), BEN, CLEO], host="ben")
    await store.messages.add("two", Message(1, NOON, 0, "ada", text="mine"))
    await store.messages.add("two", Message(2, NOON, 1, "ben", text="yours"))
    for owner in ("ada", "ben"):
        await give_rating(store, owner)
    await store.players.change_owner("ada", "new")
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
async def test_an_erased_player_is_a_number_and_a_bot_plays_on(store, finished, bot):
    await store.games.create("one", RECORD, [BEN, ADA, CLEO], finished=finished, host="ben")
    await store.games.create("other", RECORD, [BEN, SeatRow(None, "eve", "Eve"), CLEO], host="ben")
    other = await store.games.load("other")
    assert await store.players.erase("ada") == 1
    row = await store.games.load("one")
    assert row.seats == (BEN, SeatRow(bot, None, "Player 2", 4), CLEO)
    assert read_record(row.record).names == ("Ben", "Player 2", "Cleo")
    assert row.host == "ben"
    assert await store.games.load("other") == other


async def test_a_person_on_two_seats_is_erased_from_both(store):
    await store.games.create("one", RECORD, [SeatRow(None, "ada"), BEN, SeatRow(None, "ada")])
    assert await store.players.erase("ada") == 2
    row = await store.games.load("one")
    assert read_record(row.record).names == ("Player 1", "Ada", "Player 3")
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
    await store.players.erase("ada")
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
        await store.messages.add("one", Message(number, NOON, 0, author, text="hello"))
        await give_rating(store, author)
        await give_study(store, author)
    await store.players.erase("ada")
    assert await store.studies.ids() == ["study of ben"]
    assert [message.author for message in (await store.games.load("one")).messages] == ["ben"]
    assert set(await store.players.load(["ada", "ben"])) == {"ben"}
    assert await store.players.erase("ada") == 0


async def test_a_game_is_rated_alone_and_no_game_twice(store):
    for game_id in ("one", "two"):
        await store.games.create(game_id, RECORD, [BEN] * 3)
    await give_rating(store, "ada")
    after = RatedPlayer("ada", "Player", 30.0, 7.0, 1)
    await store.players.rate_game("one", ["ada"], lambda players: [after])
    assert [row.rated for row in await load_all(store)] == [True, False]
    await store.players.rate_game("one", ["ada"], lambda players: pytest.fail("it was rated"))
    assert await store.players.load(["ada"]) == {"ada": after}
