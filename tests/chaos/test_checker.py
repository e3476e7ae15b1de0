"""The history checker finds every kind of anomaly, and accepts histories that only look like one."""

import io
import json
from dataclasses import replace

import pytest
from chaos.checker import (
    BROKEN,
    DENIED,
    DOUBLED,
    FORK,
    GAP,
    INTRUSION,
    LEAK,
    LOST,
    MISPLACED,
    PHANTOM,
    REJECTED,
    REORDERED,
    STALE,
    STUCK,
    check,
)
from chaos.history import CREATE, JOIN, MOVE, READ, Final, FinalMessage, FinalMove, History, Log
from table_story import FAIL, INFO, OK, Story

from hegemon.rules.view import SPECTATOR


@pytest.fixture
def story():
    """A whole game, with readers of both seats and a spectator."""
    story = Story()
    story.move()
    story.play_to_the_end()
    for viewer in (0, 1, SPECTATOR):
        story.stream(viewer)
        story.read(viewer)
    return story


def undo_story():
    """A game in which the first move that can be undone is undone, and made again."""
    story = Story()
    while (seat := story.replay.game.seat) is not None:
        move = story.move()
        if story.replay.game.undoable(seat) is not None:
            break
    story.move(seat, "undo")
    story.move(seat, move.choice)
    story.play_to_the_end()
    return story


# ------------------------------------------------------------------ histories of correct servers


def test_a_whole_game_is_correct(story):
    assert story.anomalies() == []


def test_an_undone_move_stays_in_the_history():
    story = undo_story()
    story.stream(0)
    story.stream(1)
    assert "undo" in [move.choice for move in story.moves]
    assert story.anomalies() == []


def test_a_repeated_request_gets_the_same_answer():
    story = Story()
    number, sent = story.send()
    story.add(number, INFO)
    move = story.apply(**sent)
    again, _ = story.send(sent["seat"], sent["choice"], version=0, key=sent["key"])
    story.add(again, OK, version=move.version)
    story.play_to_the_end()
    assert story.anomalies() == []


@pytest.mark.parametrize("applied", [True, False])
def test_a_move_with_an_unknown_outcome_may_be_applied_or_not(applied):
    story = Story()
    _, sent = story.send()  # the client gets no response
    if applied:
        story.apply(**sent)
    story.play_to_the_end()
    assert story.anomalies() == []


def test_an_unknown_move_may_appear_much_later_than_it_was_sent():
    story = Story()
    number, sent = story.send()
    story.add(number, INFO)
    story.read(0)
    story.read(1)
    story.apply(**sent)
    story.play_to_the_end()
    assert story.anomalies() == []


def test_a_rejected_repetition_is_correct_while_the_first_request_is_pending():
    story = Story()
    number, sent = story.send()
    again, _ = story.send(sent["seat"], sent["choice"], version=0, key=sent["key"], worker=1)
    story.add(again, FAIL, status=409)
    story.apply(**sent)
    story.add(number, OK, version=1)
    story.play_to_the_end()
    assert story.anomalies() == []


def test_a_rate_limited_repetition_says_nothing_about_the_move():
    story = Story()
    number, sent = story.send()
    move = story.apply(**sent)
    story.add(number, OK, version=move.version)
    again, _ = story.send(sent["seat"], sent["choice"], version=0, key=sent["key"], worker=1)
    story.add(again, FAIL, status=429)
    story.play_to_the_end()
    assert story.anomalies() == []


def test_a_read_may_miss_what_is_acknowledged_while_it_runs():
    story = Story()
    number = story.invoke(READ, 0, worker=1)
    story.move()
    story.add(number, OK, **story.state(0, 0))
    story.play_to_the_end()
    assert story.anomalies() == []


def test_a_stream_at_another_worker_may_be_behind():
    story = Story()
    story.move()
    story.stream(0, worker=1, until=0)
    story.play_to_the_end()
    assert story.anomalies() == []


def test_picks_of_the_draft_may_be_made_at_the_same_time():
    story = Story(variant="draft")
    picks = [story.send(seat, version=0) for seat in (0, 1)]
    for number, sent in reversed(picks):
        story.add(number, OK, version=story.apply(**sent).version)
    story.play_to_the_end()
    for viewer in (0, 1, SPECTATOR):
        story.stream(viewer)
    assert story.anomalies() == []


def test_bots_play_their_own_seats_and_for_absent_players():
    story = Story(3, bots=[2])
    while story.replay.game.seat != 0 or story.version == 0:
        story.move() if story.replay.game.seat != 2 else story.apply()
    story.substitute(0)
    story.apply()
    story.substitute(0, "back")
    story.play_to_the_end()
    assert story.anomalies() == []


def test_a_stream_resumes_on_another_worker():
    story = Story()
    story.play_to_the_end()
    story.stream(0, until=4)
    story.stream(0, since=4, worker=1)
    assert story.anomalies() == []


def test_before_the_start_players_see_what_spectators_see():
    story = Story()
    line = story.read(0)
    line["answer"] |= {**story.state(SPECTATOR, 0), "waiting": True}
    story.play_to_the_end()
    assert story.anomalies() == []
    line["answer"]["waiting"] = False
    assert story.kinds() == {FORK}  # a player who does not see their own hand


def test_acknowledged_messages_are_in_the_final_state():
    story = Story()
    story.say(0, "Hello.", "a")
    story.say(1, "Goodbye.", "b", INFO)
    story.say(1, "Too often.", "c", FAIL)
    story.play_to_the_end()
    assert story.anomalies() == []


def test_a_table_that_was_never_acknowledged_need_not_exist():
    assert check(History(), None) == []


# ------------------------------------------------------------------ anomalies, one test each


def test_a_lost_move_is_found(story):
    story.moves.pop()
    assert LOST in story.kinds()


def test_a_lost_move_is_found_if_another_one_took_its_place(story):
    story.moves[-1] = replace(story.moves[-1], key="another")
    assert {LOST, PHANTOM} <= story.kinds()


def test_a_lost_table_is_found(story):
    assert [anomaly.kind for anomaly in check(story.history, None)] == [LOST]


def test_a_worker_that_never_catches_up_is_found(story):
    story.write("audit", worker=0, seat=0, version=story.version)
    assert story.anomalies() == []
    story.write("audit", worker=1, seat=0, version=story.version - 1)
    assert story.kinds() == {LOST}


def test_a_doubled_move_is_found():
    story = Story(variant="draft")
    first = story.move(0)
    story.move(1)
    # The packets have moved on, so the same choice may be legal a second time.
    choice = next(iter(story.replay.game.choices_of(0)))
    again = story.apply(0, choice, first.key)
    story.play_to_the_end()
    assert DOUBLED in story.kinds()
    assert again.key == first.key


def test_a_key_that_was_acknowledged_twice_is_found():
    story = Story()
    move = story.move()
    number, _ = story.send(move.seat, move.choice, version=0, key=move.key)
    story.add(number, OK, version=2)
    story.play_to_the_end()
    assert DOUBLED in story.kinds()


def test_a_phantom_is_found():
    story = Story()
    story.apply(key="a key of no client")
    story.play_to_the_end()
    assert story.kinds() == {PHANTOM}


def test_a_choice_that_differs_from_the_one_sent_is_found():
    story = Story()
    first, second = story.replay.game.choices[:2]
    number, sent = story.send(choice=first)
    story.apply(sent["seat"], second, sent["key"])
    story.add(number, INFO)
    story.play_to_the_end()
    assert story.kinds() == {PHANTOM}


def test_a_rejected_move_that_was_applied_is_found():
    story = Story()
    number, sent = story.send()
    story.add(number, FAIL, status=409)
    story.apply(**sent)
    story.play_to_the_end()
    assert story.kinds() == {REJECTED}


def test_a_rejected_repetition_of_a_known_move_is_found():
    story = Story()
    move = story.move()
    number, _ = story.send(move.seat, move.choice, version=0, key=move.key, worker=1)
    story.add(number, FAIL, status=409)
    story.play_to_the_end()
    assert story.kinds() == {REJECTED}


def test_a_reordered_move_is_found():
    story = Story(variant="draft")
    number, later = story.send(1, version=0)
    story.add(number, OK, version=2)
    number, earlier = story.send(0, version=0)
    # Seat 1 was acknowledged as version 2 before version 1 was sent.
    story.apply(**earlier)
    story.apply(**later)
    story.add(number, OK, version=1)
    story.play_to_the_end()
    assert story.kinds() == {REORDERED}


def test_a_move_that_was_known_before_it_was_sent_is_found():
    story = Story()
    story.replay.apply(FinalMove(1, story.replay.game.seat, story.replay.game.choices[0]))
    story.read(1, version=1)
    game = story.replay.at(0)
    number, sent = story.send(game.seat, game.choices[0], version=0)
    story.moves.append(FinalMove(1, sent["seat"], sent["choice"], sent["key"]))
    story.add(number, OK, version=1)
    story.play_to_the_end()
    assert story.kinds() == {REORDERED}


def test_a_move_that_was_applied_to_another_version_is_found():
    story = Story()
    story.move()
    number, sent = story.send(version=0)
    story.add(number, OK, version=story.apply(**sent).version)
    story.play_to_the_end()
    assert story.kinds() == {MISPLACED}


@pytest.mark.parametrize("worker", [0, 1])
def test_a_stale_read_is_found(worker):
    story = Story()
    story.move()
    story.read(0, version=0, worker=worker)
    story.play_to_the_end()
    assert story.kinds() == {STALE}


def test_a_player_whose_read_is_rejected_is_found():
    story = Story()
    story.add(story.invoke(READ, 0), FAIL, status=429)
    story.play_to_the_end()
    assert story.anomalies() == []
    story.add(story.invoke(READ, 0, worker=1), FAIL, status=404)
    assert story.kinds() == {DENIED}


def test_a_rejected_table_or_seat_is_found():
    story = Story()
    story.add(story.invoke(JOIN, 0), FAIL, status=410)
    story.play_to_the_end()
    assert story.kinds() == {DENIED}
    story = Story()
    story.lines = []
    story.add(story.invoke(CREATE, 0), FAIL, status=422)
    assert [anomaly.kind for anomaly in check(story.history, None)] == [DENIED]


def test_a_gap_in_a_stream_is_found(story):
    events = story.stream(0)
    story.lines.remove(events[3])
    assert story.kinds() == {GAP}


def test_a_version_that_a_stream_repeats_is_found(story):
    events = story.stream(0)
    story.lines.insert(story.lines.index(events[3]), dict(events[3]))
    assert story.kinds() == {GAP}


def test_a_leaked_card_in_a_stream_is_found(story):
    line = story.stream(0)[0]
    line["events"] = story.replay.events(0, 1)  # the deal, as the other seat saw it
    assert story.kinds() == {LEAK}
    line["events"] = json.loads(json.dumps(story.replay.events(0, 0)))
    dealt = next(event for event in line["events"] if event["event"] == "dealt")
    own = next(event for event in story.replay.events(0, 1) if event["event"] == "dealt")
    dealt["hands"][1] = own["hands"][1]
    assert story.kinds() == {LEAK}


def test_a_leaked_card_in_a_view_is_found():
    story = Story()
    line = story.read(SPECTATOR)
    line["answer"] = story.state(0, 0)
    story.play_to_the_end()
    assert story.kinds() == {LEAK}


def test_a_view_of_another_seat_is_found():
    story = Story()
    line = story.read(0)
    line["answer"] = story.state(1, 0)
    story.play_to_the_end()
    assert story.kinds() == {LEAK}


def test_data_that_differs_from_the_view_is_found():
    story = Story()
    story.read(0)["answer"]["table"] = story.state(1, 0)["table"]
    story.play_to_the_end()
    assert story.kinds() == {FORK}


def test_a_fork_between_readers_is_found():
    story = Story()
    first, second = story.replay.game.choices[:2]
    other = Story()
    other.move(choice=second)
    story.move(choice=first)
    story.play_to_the_end()
    story.stream(0)
    forked = story.stream(1)
    forked[1]["events"] = other.replay.events(1, 1)
    assert story.kinds() == {FORK}


def test_a_version_missing_from_the_final_state_is_found(story):
    lines = story.stream(0)
    story.write("event", stream=story._numbers, version=story.version + 1, events=lines[-1]["events"])
    assert story.kinds() == {FORK}


def test_a_read_of_a_version_missing_from_the_final_state_is_found(story):
    story.read(0)["answer"]["version"] += 1
    assert story.kinds() == {FORK}


def test_a_bot_that_moves_for_a_present_player_is_found():
    story = Story()
    story.apply()
    story.play_to_the_end()
    assert story.kinds() == {INTRUSION}


def test_a_bot_that_moves_after_the_player_has_returned_is_found():
    story = Story()
    seat = story.replay.game.seat
    story.substitute(seat)
    story.substitute(seat, "back")
    story.apply()
    story.play_to_the_end()
    assert story.kinds() == {INTRUSION}


def test_a_player_who_moves_despite_a_substitute_is_found():
    story = Story()
    seat = story.replay.game.seat
    story.substitute(seat)
    story.move()
    story.substitute(seat, "back")
    story.play_to_the_end()
    assert story.kinds() == {INTRUSION}


def test_an_illegal_history_is_found(story):
    story.moves[1] = replace(story.moves[1], choice="S++")
    assert BROKEN in story.kinds()


def test_missing_versions_are_found(story):
    del story.moves[2]
    assert BROKEN in story.kinds()


def test_a_stuck_table_is_found():
    story = Story()
    story.move()
    assert story.kinds() == {STUCK}


def test_a_table_that_cannot_be_created_is_found():
    story = Story()
    story.lines.clear()
    story.add(story.invoke(CREATE, -1), INFO)
    assert [anomaly.kind for anomaly in check(story.history, None)] == [STUCK]


def test_lost_duplicated_and_forged_messages_are_found():
    story = Story()
    story.say(0, "Hello.", "a")
    story.play_to_the_end()
    (hello,) = story.messages
    story.messages = []
    assert story.kinds() == {LOST}
    story.messages = [hello, replace(hello, number=2)]
    assert story.kinds() == {DOUBLED}
    story.messages = [hello, FinalMessage(1, 1, "Hi.", "b")]
    assert BROKEN in story.kinds()
    story.messages = [hello]
    story.stream(1)
    story.write("message", stream=story._numbers, message=1, seat=0, text="Hello!")
    assert story.kinds() == {FORK}


def test_a_message_with_two_numbers_and_a_rejected_one_that_was_saved_are_found():
    story = Story()
    story.say(0, "Hello.", "a")
    story.add(story.invoke("chat", 0, key="a", text="Hello."), OK, number=2)
    story.messages.append(FinalMessage(2, 0, "Hello.", "z"))
    story.play_to_the_end()
    assert story.kinds() == {DOUBLED}
    story = Story()
    story.say(0, "Hello.", "a", FAIL)
    story.messages.append(FinalMessage(1, 0, "Hello.", "a"))
    story.play_to_the_end()
    assert story.kinds() == {REJECTED}


# ------------------------------------------------------------------ archived games, which have no keys


def archived(story):
    return replace(
        story.final, moves=tuple(replace(move, key=None) for move in story.moves), is_archived=True
    )


def test_an_archived_game_is_correct_without_its_keys():
    story = Story(3, bots=[2])
    number, sent = story.send()
    story.add(number, INFO)
    story.apply(**sent)
    while story.replay.game.seat != 0:
        story.move() if story.replay.game.seat != 2 else story.apply()
    story.substitute(0)
    number, _ = story.send()  # the bot chooses the same
    story.add(number, INFO)
    story.apply()
    story.substitute(0, "back")
    story.play_to_the_end()
    assert check(story.history, archived(story)) == []


def test_a_lost_move_of_an_archived_game_is_found(story):
    final = archived(story)
    final = replace(final, moves=final.moves[:-1])
    assert LOST in {anomaly.kind for anomaly in check(story.history, final)}


def test_a_phantom_in_an_archived_game_is_found():
    story = Story()
    story.apply(key="a key of no client")
    story.play_to_the_end()
    assert {anomaly.kind for anomaly in check(story.history, archived(story))} == {INTRUSION}


def test_an_archived_game_gets_the_keys_that_it_had_before(story):
    assert archived(story).with_keys_of(story.final) == story.final
    forged = replace(archived(story), moves=archived(story).moves[1:])
    assert forged.with_keys_of(story.final).moves == story.final.moves[1:]


# ------------------------------------------------------------------ logs


def test_a_log_is_read_as_it_was_written():
    file = io.StringIO()
    log = Log(file)
    move = log.invoke("ada", MOVE, 1, 0, version=3, key="k", choice="M")
    read = log.invoke("ada", READ, 2, 0)
    log.complete(move, OK, version=4)
    stream = log.stream("ada", worker=1, seat=0, since=-1)
    log.event(stream, 0, [{"event": "dealt"}])
    log.message(stream, 1, 0, "Hello.")
    log.audit(2, 0, 4)
    log.invoke("ben", JOIN, 0)
    lines = file.getvalue().splitlines(keepends=True)
    history = History.read([*lines, '{"type": "cut'])
    sent, unanswered, _ = history.requests
    assert (sent.kind, sent.worker, sent.outcome, sent.answer) == (MOVE, 1, OK, {"version": 4})
    assert sent.began < sent.ended
    assert (unanswered.outcome, unanswered.ended) == (INFO, float("inf"))
    assert read
    assert [event.version for event in history.streams[0].events] == [0]
    assert history.streams[0].messages[0].text == "Hello."
    assert history.audits[0].version == 4
    assert list(history.by_key(MOVE)) == ["k"]


def test_an_unknown_line_of_a_log_is_an_error():
    with pytest.raises(ValueError, match="unknown line"):
        History.read(['{"type": "nonsense"}\n'])


def test_a_final_state_is_read_as_it_was_written(tmp_path):
    story = Story(3, bots=[2])
    story.say(0, "Hello.", "a")
    story.substitute(0)
    story.play_to_the_end()
    story.final.write(tmp_path / "final.json")
    assert Final.read(tmp_path / "final.json") == story.final
