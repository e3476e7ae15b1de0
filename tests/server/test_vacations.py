"""Vacations: correspondence clocks stand still on the announced days, and on no day that has passed."""

from datetime import UTC, date, datetime, timedelta

import pytest
from correspondence import both, play_turn, serving
from hypothesis import given
from hypothesis import strategies as st
from server_browser import Browser, visiting
from server_clock import NOON
from server_config import config_at

from hegemon import Game
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables.clock import Clock, merged_pauses, read_time_control
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.vacations import VacationRejected, announce, days_used, end

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)

# ------------------------------------------------------------------ clocks


def clock_with(*pauses, control="3d a move"):
    clock = Clock(read_time_control(control), 2)
    clock.set_pauses(0, pauses)
    clock.start_turns((0,), NOON)
    return clock


@pytest.mark.parametrize(
    ("pauses", "expected"),
    [
        ([], 3 * DAY),
        ([(NOON - 2 * DAY, NOON - DAY)], 3 * DAY),
        ([(NOON - DAY, NOON + DAY)], 4 * DAY),
        ([(NOON + DAY, NOON + 5 * DAY)], 7 * DAY),
        ([(NOON + DAY, NOON + 2 * DAY), (NOON + 3 * DAY, NOON + 4 * DAY)], 5 * DAY),
        ([(NOON + 3 * DAY, NOON + 4 * DAY)], 3 * DAY),  # the time was up before
    ],
)
def test_a_vacation_moves_the_deadline_by_the_time_that_stands_still(pauses, expected):
    assert clock_with(*pauses).deadline(0) == NOON + expected


def test_the_time_left_stands_still_during_a_vacation():
    clock = clock_with((NOON + DAY, NOON + 5 * DAY))
    left = [clock.time_left(0, NOON + days * DAY) / DAY for days in (0, 1, 3, 5, 6, 9)]
    assert left == [3, 2, 2, 2, 1, 0]
    assert clock.pause_at(0, NOON) is None
    assert clock.pause_at(0, NOON + DAY) == (NOON + DAY, NOON + 5 * DAY)
    assert [clock.next_pause_change(0, NOON + days * DAY) for days in (0, 1, 5)] == [
        NOON + DAY,
        NOON + 5 * DAY,
        None,
    ]


def test_a_turn_that_an_undo_reopens_after_a_vacation_has_the_time_that_was_left():
    clock = clock_with((NOON + DAY, NOON + 5 * DAY))
    clock.start_turns((1,), NOON + 6 * DAY)  # two days were used
    clock.resume_turn(0, NOON + 6 * DAY + HOUR)
    assert clock.deadline(0) == NOON + 7 * DAY + HOUR
    clock.start_turns((1,), NOON + 6 * DAY + 3 * HOUR)
    clock.resume_turn(0, NOON + 7 * DAY)
    assert clock.deadline(0) == NOON + 8 * DAY - 2 * HOUR


def test_vacations_that_overlap_or_touch_are_one_pause():
    one, two, three, four = (NOON + timedelta(days=day) for day in range(4))
    assert merged_pauses([(two, three), (one, two)]) == ((one, three),)
    assert merged_pauses([(one, three), (two, four)]) == ((one, four),)
    assert merged_pauses([(three, four), (one, two)]) == ((one, two), (three, four))


def test_vacations_affect_only_correspondence_games():
    clock = clock_with((NOON, NOON + DAY), control="60s a move")
    assert clock.deadline(0) == NOON + timedelta(seconds=60)


hours = st.integers(0, 400)


@given(st.lists(st.tuples(hours, hours), max_size=5), hours, st.integers(0, 500))
def test_a_deadline_leaves_exactly_the_time_for_a_move_outside_of_vacations(edges, began, later):
    pauses = [(NOON + min(edge) * HOUR, NOON + max(edge) * HOUR) for edge in edges]
    clock = Clock(read_time_control("2d a move"), 2)
    clock.set_pauses(0, pauses)
    clock.start_turns((0,), NOON + began * HOUR)
    until = clock.deadline(0)
    running = [
        hour
        for hour in range(began, 1000)
        if not any(since <= NOON + hour * HOUR < end for since, end in pauses)
    ]
    assert until == NOON + (running[47] + 1) * HOUR
    now = NOON + (began + later) * HOUR
    assert clock.time_left(0, now) == max(48 - sum(hour < began + later for hour in running), 0) * HOUR


# ------------------------------------------------------------------ announcing


@pytest.fixture
async def tables(database, hands):
    tables = TableRegistry(Store(database), config_at(database, now=hands, vacation_days=10))
    yield tables
    await tables.close()


def day(number, month=1):
    return date(2030, month, number)


async def rejection(tables, first, last):
    with pytest.raises(VacationRejected) as rejected:
        await announce(tables, "ada", first, last)
    return rejected.value.key


async def test_an_invalid_vacation_is_rejected_and_not_saved(tables, hands):
    assert await rejection(tables, date(2029, 12, 31), day(3)) == "past"
    assert await rejection(tables, day(3), day(2)) == "order"
    assert await rejection(tables, day(3), date(2031, 1, 3)) == "far"
    assert await rejection(tables, day(3), day(13)) == "limit"
    await announce(tables, "ada", day(5), day(9))
    assert await rejection(tables, day(9), day(9)) == "overlap"
    assert await rejection(tables, day(10), day(15)) == "limit"
    await announce(tables, "ada", day(10), day(14))
    await announce(tables, "ben", day(9), day(9))
    rows = await tables.store.vacations.of("ada", "ben")
    assert {owner: [len(row.days) for row in of_owner] for owner, of_owner in rows.items()} == {
        "ada": [5, 5],
        "ben": [1],
    }


async def test_days_count_in_their_year(tables):
    await announce(tables, "ada", day(22, 12), date(2031, 1, 1))
    (row,) = (await tables.store.vacations.of("ada"))["ada"]
    assert days_used([row]) == {2030: 10, 2031: 1}


async def test_a_vacation_begins_now_at_the_earliest_and_what_was_used_stays_used(tables, hands):
    await announce(tables, "ada", day(1), day(4))
    (row,) = (await tables.store.vacations.of("ada"))["ada"]
    assert row.pause == (NOON, datetime(2030, 1, 5, tzinfo=UTC))
    hands.go(days=1)
    await end(tables, "ben", row.id)
    await end(tables, "ada", row.id)
    (row,) = (await tables.store.vacations.of("ada"))["ada"]
    assert row.pause == (NOON, NOON + DAY)
    assert len(row.days) == 2
    hands.go(days=1)
    await end(tables, "ada", row.id)
    await announce(tables, "ada", day(9), day(9))
    (over, ahead) = (await tables.store.vacations.of("ada"))["ada"]
    assert over == row
    await end(tables, "ada", ahead.id)
    assert (await tables.store.vacations.of("ada"))["ada"] == (row,)


async def test_a_server_without_vacation_days_rejects_them(database, hands):
    tables = TableRegistry(Store(database), config_at(database, now=hands, vacation_days=0))
    assert await rejection(tables, day(3), day(3)) == "off"
    await tables.close()


# ------------------------------------------------------------------ tables


async def create(tables, names=("ada", "ben"), **options):
    game = Game(len(names), seed=1, names=names)
    rows = [SeatRow(None, name) for name in names]
    options = TableOptions(**{"clock": "1d a move", "rated": True} | options)
    return await tables.load(await tables.create(game, rows, options=options))


async def test_no_substitute_plays_for_a_person_on_vacation_until_the_time_is_up_after_it(tables, hands):
    table = await create(tables)
    assert table.clock.deadline(0) == NOON + DAY
    hands.go(hours=12)
    await announce(tables, "ada", day(2), day(4))
    assert table.clock.deadline(0) == NOON + 4 * DAY
    for until in (NOON + DAY, NOON + 4 * DAY - timedelta(seconds=1)):
        hands.now = until
        await tables.driver.check_deadlines(table.id)
        assert table.seats[0].substitute is None
    hands.now = NOON + 4 * DAY
    await tables.driver.check_deadlines(table.id)
    assert table.seats[0].substitute == "normal"


async def test_a_restart_and_another_process_know_the_vacation(tables, database, hands):
    table = await create(tables)
    other = TableRegistry(Store(database), config_at(database, now=hands))
    await announce(other, "ada", day(1), day(4))
    assert table.clock.deadline(0) == NOON + DAY  # this process knows nothing of it yet
    hands.go(days=1)
    await tables.driver.check_deadlines(table.id)
    assert table.seats[0].substitute is None
    again = await other.load(table.id)
    assert again.clock.deadline(0) == table.clock.deadline(0) == datetime(2030, 1, 6, tzinfo=UTC)
    await other.close()


async def test_lists_of_games_know_the_deadline_after_a_vacation(tables, database, hands):
    """Also of games that are not in memory."""
    await create(tables)
    await tables.turns.save()
    other = TableRegistry(Store(database), config_at(database, now=hands))
    await announce(other, "ada", day(1), day(4))
    await other.turns.save()
    (own,) = await other.store.own_games.running("ada")
    assert own.to_move == {0: datetime(2030, 1, 6, tzinfo=UTC)}
    await other.close()


async def test_the_others_are_notified_when_a_vacation_begins_and_ends(tables, hands):
    table, notified = await create(tables, clock="7d a move"), []
    await announce(tables, "ben", day(2), day(2))
    table.notify = lambda: notified.append(hands())
    for at in (datetime(2030, 1, 2, tzinfo=UTC), datetime(2030, 1, 3, tzinfo=UTC)):
        assert table.next_deadline(hands()) == at
        hands.now = at
        await tables.driver.check_deadlines(table.id)
        await tables.driver.check_deadlines(table.id)
    assert notified == [datetime(2030, 1, 2, tzinfo=UTC), datetime(2030, 1, 3, tzinfo=UTC)]


async def test_a_finished_game_is_not_scheduled_for_a_vacation(tables, hands):
    table = await create(tables, clock="7d a move")
    await announce(tables, "ben", day(2), day(2))
    while not table.game.over:
        table.game.play(table.game.choices[-1])
    assert table.next_deadline(hands()) is None


async def test_a_vacation_moves_to_a_new_key(tables):
    table = await create(tables)
    await announce(tables, "ada", day(1), day(4))
    until = table.clock.deadline(0)
    await tables.people.change_owner("ada", "new")
    assert table.clock.deadline(0) == until
    await tables.store.people.erase("new")
    assert await tables.store.vacations.of("ada", "new") == {}


async def test_a_merged_person_has_the_vacation_days_of_one_person(tables):
    """The first days of a year count, whichever key they were announced with; what is left can be announced again."""
    table = await create(tables)
    await announce(tables, "ada", day(1), day(4))
    for key, first, last in (("old", 3, 8), ("older", 9, 18), ("oldest", 25, 25)):
        await announce(tables, key, day(first), day(last))
    for key, days in (("old", 8), ("older", 10), ("oldest", 10)):
        await tables.people.merge(key, "ada")
        assert days_used((await tables.store.vacations.of("ada"))["ada"])[2030] == days
    rows = (await tables.store.vacations.of("ada"))["ada"]
    assert [row.ends_at for row in rows] == [datetime(2030, 1, at, tzinfo=UTC) for at in (5, 9, 11)]
    assert table.clock.deadline(0) == datetime(2030, 1, 12, tzinfo=UTC)
    assert await rejection(tables, day(20), day(20)) == "limit"


async def test_the_vacations_of_a_merged_key_stay_as_long_as_there_are_days(tables):
    await announce(tables, "ada", day(1), day(4))
    await announce(tables, "old", day(8), day(9))
    await tables.people.merge("old", "ada")
    assert [len(row.days) for row in (await tables.store.vacations.of("ada"))["ada"]] == [4, 2]


# ------------------------------------------------------------------ pages


async def test_a_vacation_is_announced_seen_by_the_others_and_ended_with_forms(database, hands):
    async with serving(database, hands) as (client, people):
        ada, ben, eve = people
        path = await both(people)
        await ada.post("/me/days/vacation", {"first": "2030-01-01", "last": "2030-01-03"})
        assert (ada.status, ada.path) == (200, "/me/days")
        assert "Jan 1, 2030 – Jan 3, 2030" in ada.page
        assert "You have 27 of 30 vacation days left in 2030." in ada.page
        assert "on vacation until Jan 3, 2030" in (await ben.get(f"{path}/seats")).page
        for reader in (ada, ben, eve):
            assert "on vacation until Jan 3, 2030" in (await reader.get(path)).page
            assert 'class="time">3 days<' in reader.page, "the clock stands still"
        hands.go(days=1)
        assert 'class="time">3 days<' in (await ben.get(path)).page
        await client.app.state.tables.turns.save()  # lists show the deadlines that were saved last
        assert "Your turn, 3 days left" in (await ada.get("/")).page
        await ada.get("/me/days")
        await ada.post(f"/me/days/vacation/{ada.page.split('/me/days/vacation/')[1].split('/')[0]}/end", {})
        assert "Jan 3, 2030" not in ada.page
        hands.go(seconds=1)
        assert "on vacation" not in (await ben.get(path)).page
        hands.go(days=1)
        assert "1 day 23 hours" in (await ben.get(path)).page


async def test_a_wrong_date_is_explained(database, hands):
    async with serving(database, hands) as (_, people):
        ada, _, stranger = people
        await both(people)
        for first, last, sentence in (
            ("", "", "Enter the first and the last day as dates"),
            ("tomorrow", "x" * 999, "Enter the first and the last day as dates"),
            ("2029-01-01", "", "A vacation begins today at the earliest."),
            ("2030-01-01", "2030-03-01", "there are 30 vacation days a year"),
        ):
            await ada.post("/me/days/vacation", {"first": first, "last": last})
            assert (ada.status, sentence in ada.page) == (422, True), sentence
        await stranger.post("/me/days/vacation", {"first": "2030-01-01", "last": "2030-01-02"})
        await stranger.post("/me/days/vacation/1/end", {})
        assert (stranger.status, "Add vacation" in stranger.page) == (200, False)


async def test_an_id_that_no_vacation_can_have_is_rejected(database, hands):
    async with serving(database, hands) as (_, (ada, *_)):
        for number in (0, 2**31, 10**30):  # PostgreSQL could not even compare the larger ones with an id
            await ada.post(f"/me/days/vacation/{number}/end", {})
            assert ada.status == 400, number


async def test_a_turn_played_during_a_vacation_counts(database, hands):
    async with serving(database, hands) as (_, people):
        path = await both(people)
        await people[0].post("/me/days/vacation", {"first": "2030-01-01", "last": "2030-01-03"})
        assert await play_turn(people, path) == 0


async def test_without_vacation_days_the_page_has_no_form(database):
    async with visiting(database, config_at(database, vacation_days=0)) as client:
        ada = await Browser(client).take_seat()
        assert "Add vacation" not in (await ada.get("/me/days")).page
