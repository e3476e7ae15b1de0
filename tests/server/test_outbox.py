"""Webhooks, the outbox and ratings in the database."""

from datetime import UTC, datetime, timedelta

import pytest

from hegemon import Game, write_record
from hegemon.server.db.outbox import END
from hegemon.server.db.rows import OutboxItem, RatedPlayer, SeatRow, Webhook
from hegemon.server.db.store import Store

RECORD = write_record(Game(2, seed=1).record())
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOOKS = {name: Webhook(f"https://{name}.example", f"secret of {name}", "https://play") for name in ("a", "b")}


@pytest.fixture
async def store(database):
    store = Store(database)
    for name, hook in HOOKS.items():
        await store.games.create(name, RECORD, [SeatRow(None, "ada"), SeatRow(None, "ben")])
        await store.outbox.set_webhook(name, hook)
    yield store
    await store.close()


async def test_every_table_has_a_separate_webhook(store):
    assert [await store.outbox.webhook(name) for name in ("a", "b", "c")] == [*HOOKS.values(), None]
    await store.outbox.put("a", {"turn-1": "body"}, NOON)
    await store.outbox.put("b", {"turn-1": "body"}, NOON)
    await store.outbox.set_webhook("a", None)
    assert [await store.outbox.webhook(name) for name in ("a", "b")] == [None, HOOKS["b"]]
    assert [item.game for item in await store.outbox.take(NOON, 9)] == ["b"]


async def test_a_webhook_is_loaded_with_the_result_of_the_last_attempt(store):
    tried = Webhook("https://c.example", "secret", "https://play", NOON, 500, "status", NOON + MINUTE)
    await store.outbox.set_webhook("a", tried)
    assert await store.outbox.webhook("a") == tried


async def test_a_rematch_gets_the_url_of_the_webhook_but_not_its_history(store):
    tried = Webhook("https://c.example", "secret", "https://play", NOON, 500, "status", NOON + MINUTE)
    await store.outbox.set_webhook("a", tried)
    await store.outbox.copy_webhook("a", "b")
    assert await store.outbox.webhook("b") == Webhook("https://c.example", "secret", "https://play")
    await store.outbox.set_webhook("a", None)
    await store.outbox.copy_webhook("a", "b")
    assert (await store.outbox.webhook("b")).url == "https://c.example"


async def test_a_notification_is_leased_to_one_worker_at_a_time(store):
    for name in HOOKS:
        await store.outbox.put(name, {"turn-1": f"body of {name}"}, NOON)
    await store.outbox.put("a", {"turn-1": "another body"}, NOON + MINUTE)
    assert await store.outbox.take(NOON - MINUTE, 9) == []
    first = OutboxItem("a", "turn-1", "body of a", 1, HOOKS["a"])
    second = OutboxItem("b", "turn-1", "body of b", 1, HOOKS["b"])
    assert await store.outbox.take(NOON, 1) == [first]
    assert await store.outbox.take(NOON, 9) == [second]
    assert await store.outbox.take(NOON + MINUTE, 9) == []
    again = await store.outbox.take(NOON + 2 * MINUTE, 9)
    assert [(item.game, item.attempts) for item in again] == [("a", 2), ("b", 2)]


async def test_an_attempt_is_saved_for_its_own_notification(store):
    for name in HOOKS:
        await store.outbox.put(name, {"turn-1": "body"}, NOON)
    first, _ = await store.outbox.take(NOON, 9)
    failed = Webhook(
        *[getattr(HOOKS["a"], name) for name in ("url", "secret", "base_url")], NOON, 500, "status"
    )
    await store.outbox.finish_attempt(first, failed)
    assert await store.outbox.webhook("a") == failed
    assert await store.outbox.webhook("b") == HOOKS["b"]
    assert [item.game for item in await store.outbox.take(NOON + 9 * MINUTE, 9)] == ["b"]
    await store.outbox.finish_attempt(first, Webhook("https://a.example", "replaced", "https://play", NOON))
    assert await store.outbox.webhook("a") == failed


async def test_unsent_notifications_of_past_turns_are_dropped_and_no_others(store):
    await store.outbox.put("b", {"turn-1": "kept"}, NOON)
    await store.outbox.put("a", {"turn-1": "one", "ping": "two"}, NOON)
    await store.outbox.put("a", {"turn-2": "three", END: "four"}, NOON + MINUTE)
    taken = await store.outbox.take(NOON + MINUTE, 9)
    assert sorted((item.game, item.key, item.body) for item in taken) == [
        ("a", END, "four"),
        ("a", "ping", "two"),
        ("a", "turn-2", "three"),
        ("b", "turn-1", "kept"),
    ]


async def test_a_notification_that_was_sent_is_not_sent_again(store):
    """A move that is undone brings an earlier turn back."""
    await store.outbox.put("a", {"turn-1": "one"}, NOON)
    (item,) = await store.outbox.take(NOON, 9)
    await store.outbox.finish_attempt(item, HOOKS["a"])
    await store.outbox.put("a", {"turn-2": "two"}, NOON)
    await store.outbox.put("a", {"turn-1": "one"}, NOON)
    assert await store.outbox.take(NOON + 9 * MINUTE, 9) == []


async def test_items_with_the_fewest_attempts_come_first_then_the_oldest(store):
    await store.outbox.put("a", {"tried": "body"}, NOON - 9 * MINUTE)
    await store.outbox.take(NOON - 9 * MINUTE, 9)
    await store.outbox.put("a", {"new": "body"}, NOON)
    await store.outbox.put("b", {"old": "body", "busy": "body"}, NOON - MINUTE)
    taken = await store.outbox.take(NOON, 9, lambda item, url: (item, url) != ("b.busy", "https://b.example"))
    assert [item.key for item in taken] == ["old", "new", "tried"]
    assert await store.outbox.next_due(NOON - MINUTE) == NOON + 2 * MINUTE


async def test_a_notification_without_a_webhook_is_never_due(store):
    await store.games.create("c", RECORD, [SeatRow(None, "ada"), SeatRow(None, "ben")])
    await store.outbox.put("c", {END: "body"}, NOON)
    assert await store.outbox.next_due(NOON - MINUTE) is None
    assert await store.outbox.take(NOON, 9) == []
    await store.outbox.put("a", {END: "body"}, NOON + MINUTE)
    assert await store.outbox.next_due(NOON - MINUTE) == NOON + MINUTE


async def test_the_outbox_knows_the_next_due_time_and_the_games_to_check(store):
    assert await store.outbox.next_due(NOON - MINUTE) is None
    await store.outbox.put("a", {"turn-1": "body"}, NOON + MINUTE)
    await store.outbox.put("b", {END: "body"}, NOON)
    assert await store.outbox.next_due(NOON - MINUTE) == NOON
    assert await store.outbox.next_due(NOON) == NOON + MINUTE
    assert await store.outbox.games_to_check() == ["a"]


async def test_ratings_are_saved_completely_and_once_per_game(store):
    ada, ben = (RatedPlayer(owner, owner.title(), 25.0, 8.0, 0) for owner in ("ada", "ben"))
    for player in (ada, ben):
        await store.players.save(player)
    rated = RatedPlayer("ada", "Ada", 27.5, 7.5, 1)
    seen = []

    def rate(known):
        seen.append(known)
        return [rated]

    for _ in range(2):
        await store.players.rate_game("a", ["ada", "ben", "cleo"], rate)
    assert seen == [{"ada": ada, "ben": ben}]
    assert await store.players.load(["ada", "ben"]) == {"ada": rated, "ben": ben}
    await store.players.save(RatedPlayer("ada", "Ada the Great", 1.0, 1.0, 9))
    await store.players.delete("ben")
    assert await store.players.load(["ada", "ben"]) == {
        "ada": RatedPlayer("ada", "Ada the Great", 27.5, 7.5, 1)
    }
