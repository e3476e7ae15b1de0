"""Clocks: the time that each seat has left, as measured by the server."""

from datetime import UTC, datetime, timedelta

import pytest

from hegemon.notation.errors import NotationError
from hegemon.server.tables.clock import NO_CLOCK, Clock, read_time_control

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def after(seconds):
    return NOON + timedelta(seconds=seconds)


def seconds_left(clock, seat, at):
    return clock.time_left(seat, after(at)).total_seconds()


@pytest.mark.parametrize(
    ("text", "bank", "each"),
    [
        ("90s a move", 0, 90),
        ("3d a move", 0, 259_200),
        ("10m a game + 15s", 600, 15),
        ("5m a game + 0s", 300, 0),
        ("5s a move", 0, 5),
        ("2h a move", 0, 7200),
        ("31d a move", 0, 2_678_400),
        ("44639m a game + 60s", 2_678_340, 60),
    ],
)
def test_a_time_control_is_parsed(text, bank, each):
    pace = read_time_control(text)
    assert (pace.base, pace.increment) == (bank, each)
    assert pace


@pytest.mark.parametrize(
    "text", ["soon", "90 s a move", "1s a move", "32d a move", "99999999m a game + 1s", "-5m a move"]
)
def test_an_invalid_time_control_is_rejected_with_valid_examples(text):
    with pytest.raises(NotationError, match="expected"):
        read_time_control(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("soon", "expected `90s a move`, `3d a move` or `10m a game + 15s`"),
        ("4s a move", "expected a time between five seconds and a month"),
        ("2678401s a move", "expected a time between five seconds and a month"),
        ("44639m a game + 61s", "expected a time between five seconds and a month"),
    ],
)
def test_a_rejected_time_control_is_quoted(text, expected):
    with pytest.raises(NotationError) as refused:
        read_time_control(text)
    assert refused.value.args == ("clock", text, 0, expected)


def test_without_a_clock_no_one_runs_out_of_time():
    clock = Clock(read_time_control(""), 3)
    clock.start_turns((0,), NOON)
    assert not NO_CLOCK
    assert clock.time_left(0, after(10**6)) is None
    assert clock.deadline(0) is None
    assert clock.deadline(0) is None


def test_all_choices_of_a_turn_share_its_time():
    clock = Clock(read_time_control("90s a move"), 2)
    clock.start_turns((0,), NOON)
    assert clock.deadline(0) == after(90)
    clock.start_turns((0,), after(30))
    assert clock.deadline(0) == after(90)
    clock.start_turns((1,), after(40))
    assert clock.deadline(0) is None
    assert (clock.deadline(0), clock.deadline(1)) == (None, after(130))
    clock.start_turns((0,), after(41))
    assert clock.deadline(0) == after(131)


def test_time_beyond_the_increment_is_deducted_from_the_base():
    clock = Clock(read_time_control("1m a game + 10s"), 2)
    clock.start_turns((0,), NOON)
    assert seconds_left(clock, 0, 0) == 70
    clock.start_turns((1,), after(25))
    assert seconds_left(clock, 0, 25) == 55
    clock.start_turns((0,), after(27))
    assert seconds_left(clock, 1, 27) == 78
    clock.start_turns((1,), after(27 + 500))
    assert seconds_left(clock, 0, 600) == 10


def test_the_remaining_time_is_never_negative():
    clock = Clock(read_time_control("5s a move"), 2)
    clock.start_turns((0,), NOON)
    assert seconds_left(clock, 0, 60) == 0


def test_a_turn_begins_at_the_version_at_which_its_seat_is_to_move():
    clock = Clock(read_time_control("60s a move"), 3)
    clock.start_turns((0, 1), NOON)
    assert clock.turn_started == {0: 0, 1: 0}
    clock.start_turns((1, 2), after(1), 4)
    assert clock.turn_started == {1: 0, 2: 4}


def test_a_resumed_turn_has_the_time_that_was_left():
    clock = Clock(read_time_control("1m a game + 10s"), 2)
    clock.start_turns((0,), NOON)
    clock.resume_turn(0, after(5))  # the turn has not ended
    assert clock.deadline(0) == after(70)
    clock.start_turns((1,), after(25))
    clock.resume_turn(0, after(30))
    assert (seconds_left(clock, 0, 30), clock.deadline(0)) == (45, after(75))
    untouched = Clock(read_time_control("1m a game + 10s"), 2)
    untouched.resume_turn(0, NOON)
    assert untouched.deadline(0) is None


def test_in_the_draft_every_seat_that_has_to_pick_has_a_running_clock():
    clock = Clock(read_time_control("60s a move"), 3)
    clock.start_turns((0, 1, 2), NOON)
    clock.start_turns((0, 2), after(20))
    assert [clock.deadline(seat) for seat in range(3)] == [after(60), None, after(60)]
    assert clock.deadline(1) is None


def test_only_clocks_of_seats_to_move_run():
    clock = Clock(read_time_control("60s a move"), 3)
    clock.start_turns((0, 1), NOON)
    assert clock.deadline(1) == after(60)
    assert clock.deadline(2) is None


def test_a_returning_player_gets_extra_time():
    clock = Clock(read_time_control("1m a game + 0s"), 2)
    clock.start_turns((0,), NOON)
    clock.start_turns((1,), after(65))
    assert seconds_left(clock, 0, 65) == 0
    clock.grant_return_time(0)
    assert seconds_left(clock, 0, 66) == 30


def test_a_returning_player_gets_extra_time_only_once():
    clock = Clock(read_time_control("1m a game + 0s"), 2)
    clock.start_turns((0,), NOON)
    clock.grant_return_time(0)
    assert clock.deadline(0) == after(60)
    clock.start_turns((1,), after(60))
    clock.grant_return_time(0)
    assert seconds_left(clock, 0, 61) == 0
    spell = Clock(read_time_control("60s a move"), 2)
    spell.start_turns((0,), NOON)
    spell.grant_return_time(0)
    assert spell.deadline(0) == after(60)
