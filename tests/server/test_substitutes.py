"""Substitutes: a bot plays for a player who is out of time or was voted away, until the player returns."""

import asyncio
import contextlib
from datetime import timedelta

import pytest
from server_clock import NOON
from server_config import config_at

from hegemon import Game
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables import presence as table_presence
from hegemon.server.tables import substitutes as absence
from hegemon.server.tables.errors import (
    VOTE_REJECTIONS,
    SeatLost,
    SeatRejected,
    SeatSubstituted,
    VoteRejected,
)
from hegemon.server.tables.presence import READING_PERIOD, RECONNECT_PERIOD, Presence, stream_with_presence
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.substitutes import return_to_seat, vote

TIMES = 200


@pytest.fixture
async def tables(database, hands):
    tables = TableRegistry(Store(database), config_at(database, now=hands, substitute_bot="chance"))
    yield tables
    await tables.close()


def people(*names):
    return [SeatRow(None, name) for name in names]


async def create_table(tables, clock="60s a move", names=("ada", "ben", "cleo"), seed=1, **facts):
    game = Game(len(names), facts.pop("variant", "basic"), seed=seed, names=names)
    return await tables.load(await tables.create(game, people(*names), options=TableOptions(clock=clock)))


async def post_message(tables, table, seat, idempotency_key):
    choice = next(choice for choice in table.game.choices_of(seat))
    return await table_moves.submit_move(
        tables, table, seat, choice, table.version, idempotency_key, table.seats[seat]
    )


def substitutions(table):
    return [(note.seat, note.reason) for _, note in table.substitutions]


# ------------------------------------------------------------------ presence


def test_a_seat_is_present_while_a_stream_is_open_and_for_a_grace_period():
    presence = Presence()
    assert not presence.is_present(0, NOON)
    presence.connect([0])
    presence.connect([0])
    presence.disconnect([0], NOON)
    assert presence.is_present(0, NOON + timedelta(days=1))
    presence.disconnect([0], NOON)
    assert presence.next_change(NOON) == NOON + RECONNECT_PERIOD
    assert presence.is_present(0, NOON + RECONNECT_PERIOD - timedelta(microseconds=1))
    assert not presence.is_present(0, NOON + RECONNECT_PERIOD)
    assert presence.next_change(NOON + RECONNECT_PERIOD) is None


def test_a_player_without_a_script_is_present_for_some_time_after_a_request():
    presence = Presence()
    presence.touch([1], NOON)
    assert presence.is_present(1, NOON + READING_PERIOD - timedelta(seconds=1))
    assert not presence.is_present(1, NOON + READING_PERIOD)


def test_spectators_are_counted():
    presence = Presence()
    presence.connect([])
    presence.connect([])
    presence.disconnect([], NOON)
    assert presence.spectators == 1


def test_a_seat_with_the_streams_of_programs_alone_has_no_person():
    presence = Presence()
    for number in (1, 2):
        presence.connect([0])
        presence.count_programs([0], 1)
        assert (presence.is_present(0, NOON), presence.has_person(0, NOON)) == (True, False), number
    presence.connect([0])
    assert presence.has_person(0, NOON)
    presence.count_programs([0], -1)
    presence.disconnect([0], NOON)
    assert presence.has_person(0, NOON + timedelta(days=1))
    presence.disconnect([0], NOON)
    assert presence.has_person(0, NOON + RECONNECT_PERIOD - timedelta(microseconds=1))
    assert not presence.has_person(0, NOON + RECONNECT_PERIOD)


def test_a_table_is_attended_while_anyone_follows_it_and_a_while_after_a_request():
    presence = Presence()
    assert not presence.is_attended(NOON)
    presence.connect([])
    assert presence.is_attended(NOON)
    presence.disconnect([], NOON)
    assert not presence.is_attended(NOON)
    presence.note_request(NOON)
    assert presence.is_attended(NOON + READING_PERIOD - timedelta(microseconds=1))
    assert not presence.is_attended(NOON + READING_PERIOD)


def test_the_next_change_is_the_next_absence_of_a_seat_without_a_stream():
    presence = Presence()
    assert (presence.present_seats, presence.votes, presence.next_change(NOON)) == (frozenset(), {}, None)
    presence.connect([])
    presence.disconnect([], NOON)
    assert presence.next_change(NOON) is None
    presence.touch([0, 1], NOON)
    presence.touch([1], NOON + RECONNECT_PERIOD)
    presence.connect([2])
    presence.disconnect([2], NOON)
    presence.connect([2])
    assert presence.next_change(NOON) == NOON + READING_PERIOD
    assert presence.next_change(NOON + READING_PERIOD) == NOON + READING_PERIOD + RECONNECT_PERIOD


def test_a_request_does_not_shorten_a_presence():
    presence = Presence()
    presence.touch([0], NOON + RECONNECT_PERIOD)
    presence.touch([0], NOON)
    assert presence.is_present(0, NOON + READING_PERIOD)


async def test_subscribers_are_notified_when_players_come_and_go(tables, hands):
    table = await create_table(tables, clock="")
    woken = []

    class Ear:
        def notify(self):
            woken.append(sorted(table.presence.present_seats))

        def close(self):
            pass

    table.subscribers.add(Ear())
    table_presence.connect(tables, table, [1])
    table_presence.connect(tables, table, [1])
    table_presence.disconnect(tables, table, [1])
    table_presence.disconnect(tables, table, [1])
    assert woken == [[1]]
    hands.go(5)
    await tables.driver.run_due()
    assert woken == [[1]]
    hands.go(5)
    await tables.driver.run_due()
    assert woken == [[1], []]


async def test_a_stream_makes_its_seats_present(tables):
    table = await create_table(tables, clock="")

    async def stream():
        yield b"first"
        yield b"second"

    following = stream_with_presence(tables, table, [0, 1], stream())
    assert await anext(following) == b"first"
    assert table.presence.present_seats == {0, 1}
    await following.aclose()
    assert table.presence.next_change(tables.now()) is not None


async def test_the_stream_of_a_person_does_not_count_as_one_of_a_program(tables, hands):
    table = await create_table(tables, clock="")

    async def stream():
        yield b"first"

    person = stream_with_presence(tables, table, [0], stream())
    await anext(person)
    await person.aclose()
    hands.now += RECONNECT_PERIOD
    program = stream_with_presence(tables, table, [0], stream(), program=True)
    await anext(program)
    assert (table.presence.is_present(0, hands()), table.presence.has_person(0, hands())) == (True, False)
    await program.aclose()


async def test_a_program_is_counted_while_its_stream_is_open(tables, hands):
    table = await create_table(tables, clock="")

    async def stream():
        yield b"first"

    following = stream_with_presence(tables, table, [0], stream(), program=True)
    await anext(following)
    assert (table.presence.is_present(0, hands()), table.presence.has_person(0, hands())) == (True, False)
    await following.aclose()
    hands.now += RECONNECT_PERIOD
    table_presence.connect(tables, table, [0])
    assert table.presence.has_person(0, hands())


async def test_seats_are_updated_immediately_and_the_number_of_spectators_soon(tables, monkeypatch):
    table, noted = await create_table(tables, clock=""), []
    monkeypatch.setattr(table, "notify", lambda: noted.append("now"))
    monkeypatch.setattr(table, "notify_within", noted.append)
    table_presence.connect(tables, table, [])
    table_presence.disconnect(tables, table, [])
    assert noted == [table_presence.COUNT_INTERVAL] * 2
    table_presence.connect(tables, table, [0])
    table_presence.touch(tables, table, [0])
    assert noted[2:] == ["now"]
    table_presence.touch(tables, table, [1])
    assert (noted[3:], table.presence.present_seats) == (["now"], {0, 1})


async def test_a_bot_is_not_present_whatever_follows_its_seat(tables):
    seats = [*people("ada"), SeatRow("chance", None)]
    table = await tables.load(await tables.create(Game(2, seed=1), seats))
    table_presence.connect(tables, table, [0, 1])
    assert table.presence.present_seats == {0}


async def test_a_stream_that_ends_with_the_server_notifies_no_one(tables, monkeypatch):
    table = await create_table(tables, clock="")
    table_presence.connect(tables, table, [])
    monkeypatch.setattr(tables, "closed", True)
    monkeypatch.setattr(table, "notify_within", lambda seconds: pytest.fail("the server stops"))
    table_presence.disconnect(tables, table, [])
    assert table.presence.spectators == 0


# ------------------------------------------------------------------ by the clock


async def test_a_substitute_plays_after_the_deadline_until_the_player_returns(tables, hands):
    table = await create_table(tables)
    hands.go(59)
    await tables.driver.run_due()
    assert substitutions(table) == []
    hands.go(1)
    await tables.driver.run_due()
    await tables.bots.wait(table)
    assert substitutions(table) == [(0, "clock")]
    assert table.to_move == (1,)
    with pytest.raises(SeatSubstituted):
        await table_moves.submit_move(tables, table, 0, "M", table.version, "late", table.seats[0])
    await return_to_seat(tables, table, 0, "ada")
    assert table.seats[0].substitute is None
    assert substitutions(table) == [(0, "clock"), (0, "back")]
    await return_to_seat(tables, table, 0, "ada")
    assert len(table.substitutions) == 2


async def test_only_the_player_of_a_seat_can_return_to_it(tables, hands):
    table = await create_table(tables)
    hands.go(60)
    await tables.driver.run_due()
    with pytest.raises(SeatLost):
        await return_to_seat(tables, table, 0, "ben")


@pytest.mark.scenario
async def test_a_move_at_the_deadline_is_always_too_late(tables, hands):
    """The server's clock decides, whether the timer or the move gets the table first."""
    table = await create_table(tables)
    for turn in range(TIMES):
        if table.game.over:
            table = await create_table(tables, seed=turn)
        (seat,) = table.to_move
        owner, number = table.seats[seat].owner, table.version
        late = turn % 2
        hands.now = table.clock.deadline(seat) - timedelta(microseconds=0 if late else 1)
        attempts = [
            post_message(tables, table, seat, f"word {turn}"),
            tables.driver.check_deadlines(table.id),
        ]
        answers = await asyncio.gather(*attempts[:: 1 if turn % 4 < 2 else -1], return_exceptions=True)
        rejected = [answer for answer in answers if isinstance(answer, Exception)]
        assert [type(answer) for answer in rejected] == ([SeatSubstituted] if late else []), rejected
        assert (f"word {turn}" in table.idempotency_keys) == (not late)
        assert (table.seats[seat].substitute is not None) == bool(late)
        if late:
            await tables.bots.wait(table)
            await return_to_seat(tables, table, seat, owner)
        assert table.seats[seat].substitute is None
        assert table.version >= number
        await tables.bots.wait(table)
    row = await tables.store.games.load(table.id)
    assert [move.choice for move in row.moves] == [move.choice for move in table.moves]
    assert tuple(note for _, note in table.substitutions) == row.substitutions


@pytest.mark.usefixtures("untraced")
async def test_a_return_while_the_bot_thinks_has_one_outcome(tables, hands, monkeypatch):
    """The bot plays the turn to its end, and then the player gets the seat back."""
    table = await create_table(tables, clock="5s a move")
    for turn in range(TIMES):
        if table.game.over:
            table = await create_table(tables, clock="5s a move", seed=turn)
        (seat,) = table.to_move
        owner = table.seats[seat].owner
        hands.now = table.clock.deadline(seat)
        await tables.driver.check_deadlines(table.id)
        for _ in range(turn % 7):
            await asyncio.sleep(0)
        with contextlib.suppress(SeatRejected):
            await return_to_seat(tables, table, seat, owner)
        assert (table.seats[seat].substitute is not None) == table.is_time_up(seat, hands())
        await tables.bots.wait(table)
        await return_to_seat(tables, table, seat, owner)
        assert not table.is_time_up(seat, hands())
        kept = table.version
        await tables.bots.wait(table)
        assert table.version == kept
        assert table.seats[seat].substitute is None
        with contextlib.suppress(SeatSubstituted):
            if seat in table.to_move:
                await post_message(tables, table, seat, f"word {turn}")
        await tables.bots.wait(table)


async def test_a_repeated_move_after_a_substitution_gets_the_same_response(tables, hands):
    table = await create_table(tables)
    choice = table.game.choices_of(0)[0]
    number = await table_moves.submit_move(tables, table, 0, choice, 0, "once", table.seats[0])
    if 0 in table.to_move:
        hands.now = table.clock.deadline(0)
        await tables.driver.check_deadlines(table.id)
        await tables.bots.wait(table)
        assert await table_moves.submit_move(tables, table, 0, choice, 0, "once", table.seats[0]) == number


async def test_a_server_that_restarts_restores_the_clock_to_the_second(tables, hands, database):
    table = await create_table(tables, clock="1m a game + 10s")
    for step in range(12):
        hands.go(7)
        seat = table.to_move[0]
        await post_message(tables, table, seat, str(step))
    hands.now = table.clock.deadline(table.to_move[0])
    await tables.driver.check_deadlines(table.id)
    await tables.bots.wait(table)
    hands.go(3)
    await return_to_seat(
        tables, table, table.substitutions[0][1].seat, table.seats[table.substitutions[0][1].seat].owner
    )
    left = [table.clock.time_left(seat, hands()) for seat in range(3)]
    again = TableRegistry(Store(database), config_at(database, now=hands, substitute_bot="chance"))
    try:
        other = await again.load(table.id)
        assert [other.clock.time_left(seat, hands()) for seat in range(3)] == left
        assert substitutions(other) == substitutions(table)
        assert other.seats == table.seats
    finally:
        await again.close()


async def test_deadlines_of_tables_that_are_not_in_memory_are_checked(tables, hands, database):
    idle = await create_table(tables, clock="")
    hands.go(3600)
    table = await create_table(tables, clock="1d a move")
    again = TableRegistry(Store(database), config_at(database, now=hands, substitute_bot="chance"))
    hands.go(24 * 3600)
    try:
        await again.start()
        while not again._tables.get(table.id) or not again._tables[table.id].substitutions:
            await asyncio.sleep(0.001)
        assert idle.id not in again._tables
    finally:
        await again.close()


async def test_clocks_start_when_every_seat_is_taken(tables, hands):
    seats = [*people("ada"), SeatRow(None, None, invite="come")]
    game_id = await tables.create(Game(2, seed=1), seats, options=TableOptions(clock="60s a move"))
    table = await tables.load(game_id)
    hands.go(1000)
    await tables.driver.check_deadlines(game_id)
    assert substitutions(table) == []
    table.set_seat(1, SeatRow(None, "ben", invite="come"))
    await tables.load(game_id)
    assert table.clock.time_left(0, hands()) == timedelta(seconds=60)


async def test_in_the_draft_every_seat_has_its_own_time(tables, hands):
    table = await create_table(tables, variant="draft")
    assert table.to_move == (0, 1, 2)
    hands.go(30)
    await post_message(tables, table, 1, "pick")
    hands.go(30)
    await tables.driver.run_due()
    await tables.bots.wait(table)
    assert sorted(substitutions(table)) == [(0, "clock"), (2, "clock")]


async def test_in_the_draft_every_pick_has_its_own_time_for_a_player_who_made_the_last_one_too(tables, hands):
    table = await create_table(tables, variant="draft")
    for seat in (0, 1, 2):
        hands.go(10)
        await post_message(tables, table, seat, f"pick {seat}")
    assert table.to_move == (0, 1, 2)
    assert {table.clock.time_left(seat, hands()) for seat in table.to_move} == {timedelta(seconds=60)}
    assert table.clock.turn_started == {0: 3, 1: 3, 2: 3}


async def test_a_substitute_knows_only_what_its_seat_knows(database, hands):
    seen = []

    class Spy:
        def choose(self, view, memory, choices):
            seen.append((view.viewer, memory.viewer, bool(view.hand)))
            return choices[-1]

    tables = TableRegistry(Store(database), config_at(database, now=hands, make_bot=lambda level: Spy()))
    table = await create_table(tables)
    hands.go(60)
    await tables.driver.check_deadlines(table.id)
    await tables.bots.wait(table)
    assert set(seen) == {(0, 0, True)}
    await tables.close()


# ------------------------------------------------------------------ by vote


async def test_more_than_half_of_the_present_players_decide(tables, hands):
    table = await create_table(tables, clock="", names=("ada", "ben", "cleo", "dora"))
    table_presence.connect(tables, table, [1])
    table_presence.connect(tables, table, [2])
    await vote(tables, table, [1], 0)
    assert (substitutions(table), table.presence.votes) == ([], {0: {1}})
    await vote(tables, table, [1], 0)
    assert substitutions(table) == []
    await vote(tables, table, [2], 0)
    assert substitutions(table) == [(0, "vote")]
    assert table.presence.votes == {}


async def test_a_player_who_arrives_during_a_vote_is_not_voted_away(tables, hands):
    table = await create_table(tables, clock="", names=("ada", "ben", "cleo", "dora"))
    table_presence.connect(tables, table, [1])
    table_presence.connect(tables, table, [2])
    await vote(tables, table, [1], 0)
    table_presence.connect(tables, table, [0])
    assert table.presence.votes == {}
    with pytest.raises(VoteRejected, match=r"^here$"):
        await vote(tables, table, [2], 0)


@pytest.mark.parametrize(
    ("voters", "seat", "key"), [([], 0, "player"), ([1], 1, "self"), ([1], 2, "bot"), ([0], 1, "here")]
)
async def test_votes_that_do_not_count(tables, voters, seat, key):
    game_id = await tables.create(
        Game(3, seed=1), [SeatRow(None, "ada"), SeatRow(None, "ben"), SeatRow("chance", None)]
    )
    table = await tables.load(game_id)
    table_presence.connect(tables, table, [1])
    with pytest.raises(VoteRejected, match=rf"^{key}$"):
        await vote(tables, table, voters, seat)


async def test_no_one_is_voted_away_where_a_move_may_take_days(tables):
    table = await create_table(tables, clock="1d a move")
    table_presence.connect(tables, table, [1])
    with pytest.raises(VoteRejected, match=r"^days$"):
        await vote(tables, table, [1], 0)
    assert not absence.may_be_voted_away(table, 0, tables.now())


async def test_no_one_is_voted_away_from_a_table_that_waits(tables):
    game_id = await tables.create(Game(2, seed=1), [*people("ada"), SeatRow(None, None, invite="come")])
    with pytest.raises(VoteRejected, match=r"^over$"):
        await vote(tables, await tables.load(game_id), [0], 1)


async def test_a_vote_and_a_return_at_the_same_moment_have_one_outcome(tables, hands):
    table = await create_table(tables, clock="", names=("ada", "ben"))
    for turn in range(TIMES):
        table = (
            table
            if not table.game.over
            else await create_table(tables, clock="", names=("ada", "ben"), seed=turn)
        )
        hands.go(READING_PERIOD.total_seconds())
        table_presence.update_presence(tables, table)
        both = [vote(tables, table, [1], 0), return_to_seat(tables, table, 0, "ada")]
        answers = await asyncio.gather(*both[:: 1 if turn % 2 else -1], return_exceptions=True)
        await tables.bots.wait(table)
        if table.seats[0].substitute is None:
            assert any(isinstance(answer, VoteRejected) for answer in answers) or substitutions(table)[
                -1
            ] == (
                0,
                "back",
            )
        else:
            assert substitutions(table)[-1] == (0, "vote")
            await return_to_seat(tables, table, 0, "ada")
            await tables.bots.wait(table)
        assert [what for _, what in substitutions(table)] == ["vote", "back"] * (
            len(table.substitutions) // 2
        )


async def test_a_substitution_by_another_worker_is_applied(tables, hands, database):
    table = await create_table(tables)
    other = TableRegistry(Store(database), config_at(database, now=hands, substitute_bot="chance"))
    try:
        same = await other.load(table.id)
        hands.go(60)
        await other.driver.check_deadlines(table.id)
        await other.bots.wait(same)
        await tables.driver.check_deadlines(table.id)
        await tables.bots.wait(table)
        assert substitutions(table)[0] == (0, "clock")
        assert table.seats[0].substitute == "chance"
        assert (await tables.store.games.load(table.id)).substitutions[0].reason == "clock"
    finally:
        await other.close()


async def test_a_failure_at_one_table_does_not_affect_others(tables, hands, caplog):
    table = await create_table(tables)
    tables.driver.scheduler.schedule("nowhere", hands())
    hands.go(60)
    await tables.driver.run_due()
    assert "the deadlines of a table could not be checked" in caplog.text
    assert substitutions(table) == [(0, "clock")]


def test_every_rejected_vote_has_a_sentence():
    assert set(VOTE_REJECTIONS) == {"player", "over", "bot", "here", "self", "days"}
