"""A table in memory: turns, accepted moves, and notifications of subscribers."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from server_clock import NOON
from waiting import wait_until

from hegemon import Game, IllegalMoveError, write_record
from hegemon.play.legality import Reason
from hegemon.rules.view import SPECTATOR
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import GameRow, MessageRow, MoveRow, SeatRow, Substitution
from hegemon.server.tables import table as table_module
from hegemon.server.tables.presence import RECONNECT_PERIOD
from hegemon.server.tables.table import MAX_UNDOS, Table
from hegemon.views.table import TableInfo, game_table

ADA, BEN, BOT = SeatRow(None, "ada", "Ada"), SeatRow(None, "ben", "Ben"), SeatRow("chance", None, "Cleo")
MINUTE = timedelta(minutes=1)


def make_table(*seats, variant="basic", moves=(), **facts):
    game = Game(len(seats), variant, seed=1)
    facts = {"started_at": NOON} | facts
    return Table(GameRow("id", write_record(game.record()), seats, tuple(moves), NOON, False, **facts))


def next_move(table, seat=None, at=NOON, choice=None, key=None):
    seat = table.to_move[0] if seat is None else seat
    move = MoveRow(table.version + 1, seat, choice or table.game.choices_of(seat)[0], key, at)
    table.apply_move(move)
    return move


class Subscriber:
    def __init__(self):
        self.woken = 0

    def notify(self):
        self.woken += 1

    def close(self):
        pass


# ------------------------------------------------------------------ state


async def test_a_table_is_restored_from_its_row():
    options, messages = TableOptions(spectator_delay=2), (MessageRow(1, NOON, 0, "ada", text="hello"),)
    facts = {"host": "ada", "options": options, "public": True, "rated": True, "next_game": "next"}
    table = make_table(ADA, BEN, **facts, messages=messages)
    assert {name: getattr(table, name) for name in facts} == facts
    assert (table.id, table.seats, table.game.names) == ("id", (ADA, BEN), ("Ada", "Ben"))
    assert (table.chat.messages, table.caller, table.webhook, table.version) == ([*messages], None, None, 0)


async def test_a_table_knows_the_seats_of_people_and_of_owners():
    table = make_table(ADA, BOT, SeatRow(None, None, invite="key"), replace(ADA, name="Ada again"))
    assert table.person_seats == (0, 2, 3)
    assert (table.seats_of("ada"), table.seats_of("eve")) == ((0, 3), ())
    assert (table.is_waiting, table.to_move, table.has_person) == (True, (), True)
    away = make_table(replace(ADA, substitute="easy"), BOT)
    assert (away.has_person, away.is_waiting, away.to_move) == (False, False, (0,))
    away.set_seat(1, SeatRow(None, None, invite="key"))
    assert away.is_waiting
    away.set_seat(1, BOT)
    next_move(away)
    away.set_seat(1, SeatRow(None, None, invite="key"))
    assert not away.is_waiting


async def test_a_new_owner_has_the_seats_the_messages_and_the_table():
    messages = tuple(MessageRow(number, NOON, None, author) for number, author in ((1, "ada"), (2, "ben")))
    table = make_table(ADA, BEN, replace(ADA, color=4), host="ada", messages=messages)
    computed = table.cached("key", lambda: "old")
    table.change_owner("ada", "new")
    assert (table.host, [row.owner for row in table.seats]) == ("new", ["new", "ben", "new"])
    assert (table.seats[2].color, [line.author for line in table.chat.messages]) == (4, ["new", "ben"])
    assert (computed, table.cached("key", lambda: "new")) == ("old", "new")
    table.change_owner("eve", "other")
    assert table.host == "new"


async def test_a_view_has_what_its_reader_may_know():
    table = make_table(ADA, BEN)
    next_move(table)
    snapshot, info = table.snapshot, TableInfo("id", 1)
    assert [snapshot.choices_of(seat) for seat in (0, 1, SPECTATOR)] == [
        table.game.choices_of(seat) for seat in (0, 1, SPECTATOR)
    ]
    assert snapshot.events(1) == table.game.events_seen_by(1)
    for viewer, named in ((0, ()), (1, ("A", "B")), (SPECTATOR, ())):
        view = snapshot.table_view(viewer, info, with_memory=False, names=named)
        assert view == game_table(table.game, viewer, info=info, names=named)
        assert snapshot.table_view(viewer, info, with_memory=False, names=named) is view
    assert snapshot.table_view(0, info, with_memory=False).can_undo == (table.to_move == (0,))


async def test_a_view_has_what_its_reader_remembers_if_the_reader_wants_it():
    """The game is played until the seat knows a card of another hand."""
    table, info = make_table(ADA, BEN, BOT), TableInfo("id")
    plain = remembered = None
    while plain == remembered:
        next_move(table)
        plain, remembered = (
            table.snapshot.table_view(0, info, with_memory=wanted) for wanted in (False, True)
        )
        assert plain == game_table(table.game, 0, info=info)
        assert remembered == game_table(table.game, 0, info=info, memory=table.game.memory(0))


async def test_a_player_has_a_limited_number_of_undos():
    table = make_table(ADA, BEN, BOT, variant="draft")
    for _ in range(MAX_UNDOS):
        next_move(table, 0)
        assert table.may_undo(0)
        table.check_move(0, "undo")
        next_move(table, 0, choice="undo")
    next_move(table, 0)
    next_move(table, 1)
    assert (table.may_undo(0), table.may_undo(1)) == (False, True)
    with pytest.raises(IllegalMoveError) as illegal:
        table.check_move(0, "undo")
    assert illegal.value.reason == Reason("nothing-to-undo")
    views = [table.snapshot.table_view(seat, TableInfo(), with_memory=False) for seat in (0, 1)]
    assert [view.can_undo for view in views] == [False, True]


async def test_an_illegal_move_is_rejected_with_the_legal_choices():
    table = make_table(ADA, BEN)
    (seat,) = table.to_move
    table.check_move(seat, table.game.choices_of(seat)[0])
    for who, choice in ((seat, "undo"), (seat, "mE"), (1 - seat, "M")):
        with pytest.raises(IllegalMoveError) as illegal:
            table.check_move(who, choice)
        assert illegal.value.choices == table.game.choices_of(who)


async def test_the_current_version_is_accepted_and_in_the_draft_an_earlier_one_too():
    table = make_table(ADA, BEN)
    next_move(table)
    assert [table.accepts_version(0, version) for version in (0, 1, 2)] == [False, True, False]
    draft = make_table(ADA, BEN, BOT, variant="draft")
    next_move(draft, 1)
    next_move(draft, 2)
    assert [draft.accepts_version(0, version) for version in (-1, 0, 1, 2, 3)] == [
        False,
        True,
        True,
        True,
        False,
    ]
    assert [draft.accepts_version(1, version) for version in (0, 1, 2)] == [False, True, True]


async def test_spectators_see_an_earlier_game_that_is_cached_until_it_changes():
    table = make_table(ADA, BEN, options=TableOptions(spectator_delay=1))
    assert table.delayed_game() is None
    while len(table.game.turn_starts) <= 2:
        next_move(table)
    delayed = table.delayed_game()
    assert len(delayed.moves) == table.game.turn_starts[-3]
    assert table.delayed_game() is delayed
    table.set_seat(0, replace(ADA, name="Ada L."))
    assert table.delayed_game().names[0] == "Ada L."
    while len(table.game.turn_starts) <= 3:
        next_move(table)
    assert len(table.delayed_game().moves) == table.game.turn_starts[-3] > 0
    table.options = TableOptions()
    assert table.delayed_game() is None


# ------------------------------------------------------------------ time


async def test_the_next_deadline_is_that_of_the_clock_or_of_a_presence():
    table = make_table(ADA, BEN, options=TableOptions(clock="60s a move"))
    assert table.next_deadline(NOON) == NOON + MINUTE
    table.presence.connect([1])
    table.presence.disconnect([1], NOON)
    assert table.next_deadline(NOON) == NOON + RECONNECT_PERIOD
    assert [table.overdue_seats(NOON + MINUTE - RECONNECT_PERIOD), table.overdue_seats(NOON + MINUTE)] == [
        [],
        [0],
    ]
    assert [table.is_time_up(seat, NOON + MINUTE) for seat in (0, 1)] == [True, False]
    table.set_seat(0, replace(ADA, substitute="easy"))
    assert (table.overdue_seats(NOON + MINUTE), table.is_time_up(0, NOON + MINUTE)) == ([], True)
    assert table.next_deadline(NOON + MINUTE) is None
    without = make_table(ADA, BEN)
    assert (without.overdue_seats(NOON + MINUTE), without.next_deadline(NOON)) == ([], None)


async def test_clocks_start_with_the_table_and_with_each_turn():
    table = make_table(ADA, BEN, options=TableOptions(clock="60s a move"), started_at=None)
    assert (table.started_at, table.clock.deadline(0)) == (None, None)
    table.start(NOON)
    assert (table.started_at, table.clock.deadline(0)) == (NOON, NOON + MINUTE)
    while table.to_move == (0,):
        next_move(table, at=NOON + MINUTE / 2)
    assert (table.clock.deadline(0), table.clock.deadline(1)) == (None, NOON + 1.5 * MINUTE)
    assert table.clock.turn_started == {1: table.version}


async def test_a_turn_that_an_undo_reopens_has_the_time_that_was_left():
    table = make_table(ADA, BEN, BOT, variant="draft", options=TableOptions(clock="60s a move"))
    next_move(table, 0, NOON + MINUTE / 2)
    assert table.clock.deadline(0) is None
    next_move(table, 0, NOON + 2 * MINUTE, "undo")
    assert table.clock.deadline(0) == NOON + 2.5 * MINUTE
    assert table.clock.deadline(1) == NOON + MINUTE


# ------------------------------------------------------------------ changes


async def test_saved_moves_and_substitutions_are_applied_in_their_order():
    template = make_table(ADA, BEN)
    moves = [next_move(template, key=f"key {number}") for number in range(3)]
    notes = [
        Substitution(number, NOON, version, 0, "clock")
        for number, version in ((1, 0), (2, 2), (3, 2), (4, 3))
    ]
    table = make_table(ADA, BEN, moves=moves, substitutions=tuple(notes))
    assert (table.moves, table.idempotency_keys) == (moves, {move.idempotency_key: move for move in moves})
    events = [sum(len(table.game.events_at(ply)) for ply in range(version + 1)) for version in (0, 2, 2, 3)]
    assert table.substitutions == list(zip(events, notes, strict=True))


async def test_only_a_player_who_returns_gets_time():
    table = make_table(ADA, BEN, options=TableOptions(clock="1m a game + 0s"))
    while table.to_move == (0,):
        next_move(table, at=NOON + 2 * MINUTE)
    assert table.clock.time_left(0, NOON) == timedelta(0)
    table.add_substitution(Substitution(1, NOON, table.version, 0, "clock"))
    assert table.clock.time_left(0, NOON) == timedelta(0)
    table.add_substitution(Substitution(2, NOON, table.version, 0, "back"))
    assert table.clock.time_left(0, NOON) == timedelta(seconds=30)


async def test_subscribers_are_notified_of_each_change_once():
    table, subscriber = make_table(ADA, BEN), Subscriber()
    await asyncio.sleep(0)
    table.subscribers.add(subscriber)
    table.set_seat(0, ADA)
    assert subscriber.woken == 1
    next_move(table)
    assert subscriber.woken == 1
    next_move(table)
    assert subscriber.woken == 2  # of the previous move
    await asyncio.sleep(0)
    assert subscriber.woken == 3
    next_move(table)
    table.notify()
    for _ in range(3):
        await asyncio.sleep(0)
    assert subscriber.woken == 4


async def test_changes_that_can_wait_are_notified_together():
    table, subscriber = make_table(ADA, BEN), Subscriber()
    table.subscribers.add(subscriber)
    for _ in range(2):
        table.notify_within(0.001)
    await wait_until(lambda: subscriber.woken)
    assert (subscriber.woken, table._delayed_notification) == (1, None)
    table.notify_within(3600)
    timer = table._delayed_notification
    table.notify()
    assert (timer.cancelled(), subscriber.woken) == (True, 2)


async def test_drawings_are_cached_until_the_next_change(monkeypatch):
    monkeypatch.setattr(table_module, "MAX_CACHED", 2)
    table, computed = make_table(ADA, BEN), []

    def draw(key):
        return table.cached(key, lambda: computed.append(key) or f"value of {key}")

    assert [draw(key) for key in "aabb"] == [f"value of {key}" for key in "aabb"]
    assert computed == ["a", "b"]
    draw("c")  # too many: all are evicted
    draw("c")
    draw("a")
    assert computed == ["a", "b", "c", "a"]
    next_move(table)
    draw("a")
    table.notify()
    draw("a")
    assert computed[4:] == ["a", "a"]


async def test_streams_are_woken_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(table_module, "MAX_WAKEUPS", 2)
    table, woken = make_table(ADA, BEN), []
    for number in range(5):
        table.queue_wakeup(lambda number=number: woken.append(number))
    counts = []
    for _ in range(4):
        await asyncio.sleep(0)
        counts.append(len(woken))
    assert (counts, woken) == ([2, 4, 5, 5], [0, 1, 2, 3, 4])
    table.queue_wakeup(lambda: woken.append("again"))
    await asyncio.sleep(0)
    assert woken[-1] == "again"
