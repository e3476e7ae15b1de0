"""A program at tables of a server that runs: laying, joining, looking, acting, following, talking, another game."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice

import pytest

from hegemon import Game, write_view
from hegemon.bots import make_bot
from hegemon.client import (
    Entry,
    NotAllowed,
    NotForYou,
    NotThere,
    SeatLost,
    SeatTaken,
    Spoken,
    TooLate,
    Wish,
    join,
)


def play_out(*seats):
    """Let greedy bots play on those seats, each as a program of its own; how it ended, as each was told."""
    with ThreadPoolExecutor(len(seats)) as programs:
        playing = [
            programs.submit(seat.play, make_bot("greedy", number)) for number, seat in enumerate(seats)
        ]
        return {done.result() for done in playing}


def test_a_dozen_lines_play_a_game(server):
    table = server.lay("Ada", Wish("Ben", bot="greedy"))
    [seat] = table.own
    for moment in seat.moments():
        moment.say(moment.choices[0])
    result = seat.look().result
    record = seat.record()
    assert record.result == result
    assert record.names == ("Ada", "Ben")
    assert Game.from_record(record).over


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("wish", [{}, {"variant": "draft", "teams": True}])
def test_programs_play_each_other_and_remember_what_their_seats_saw(server, wish):
    players = 4 if wish else 2
    table = server.lay(*"abcd"[:players], **wish)
    seen = {seat: [] for seat in range(players)}

    def play(number, seat):
        bot = make_bot("greedy", number)
        for moment in seat.moments():
            seen[number].append((moment.look.number, moment.look.line, moment.memory))
            seat.answer(moment, bot)

    with ThreadPoolExecutor(players) as programs:
        for done in [programs.submit(play, number, seat) for number, seat in enumerate(table.own)]:
            done.result()
    record = table.own[0].record()
    compared = 0
    for seat, moments in seen.items():
        assert moments
        for number, line, memory in moments:
            then = Game.from_record(record)
            then.rewind(number)
            assert write_view(then.view(seat)) == line
            assert then.memory(seat) == memory
            compared += 1
    assert compared > 20


def test_an_invitation_is_a_link_and_the_same_token_comes_back(server):
    table = server.lay("Ada", Wish(open=True))
    [link] = table.links
    ada = table.own[0]
    before = ada.look()
    assert (before.waits, before.choices, before.view.viewer) == (True, (), -1)
    assert table.host.invitations() == {1: link}
    assert table.host.look().seat is None
    ben = join(link, name="Ben")
    assert (ben.look().seat, ben.look().names) == (1, ("Ada", "Ben"))
    assert ben.look().waits is False
    again = join(link, token=ben.token)
    assert again.game == ben.game
    assert join(ben.link).look().seat == 1
    with pytest.raises(SeatTaken, match="already"):
        join(link)
    with pytest.raises(NotThere, match="no such invitation"):
        server.join("forged")
    with pytest.raises(TooLate, match="You sit at this table"):
        server.join(link.rpartition("/")[2], token=ada.token)


def test_refusals_are_errors_with_a_sentence(server):
    ada, ben = server.lay("Ada", "Ben").own
    look = ada.look()
    with pytest.raises(NotAllowed) as refused:
        ada.say("U++", look.number)
    assert refused.value.choices == look.words
    with pytest.raises(NotAllowed, match="not seat 2"):
        ben.say(look.words[0], look.number)
    number = ada.say(look.words[0], look.number, "mine")
    assert ada.say(look.words[0], look.number, "mine") == number
    with pytest.raises(TooLate) as late:
        ada.say(look.words[0], look.number)
    assert late.value.number == number
    with pytest.raises(NotForYou, match="when the game is over"):
        ada.record()
    with pytest.raises(NotThere, match="no such game"):
        server.seat("nowhere").look()
    with pytest.raises(SeatLost):
        server.seat(ada.game, ada.token[::-1]).look()


def test_an_answer_that_comes_too_late_is_none(server):
    ada, _ = server.lay("Ada", "Ben").own
    moment = next(ada.moments())
    ada.say(moment.choices[0], 0)
    assert ada.answer(moment, make_bot("chance")) is None


def test_a_word_can_be_taken_back(server):
    ada, _ = server.lay("Ada", "Ben").own
    look = ada.look()
    number = ada.say(look.words[0], look.number)
    assert ada.look().undo
    ada.undo(number)
    assert ada.look().line == look.line
    deal, said, back = islice(ada.follow(), 3)
    assert (deal.number, said.number, back.number) == (0, 1, 2)
    assert (said.taken_back, back.taken_back, back.events) == (None, 1, ())


def test_whoever_watches_sees_every_moment_and_hears_what_is_said(server):
    table = server.lay("Ada", "Ben", Wish("Cleo", bot="chance"))
    ada, ben = table.own
    spectator = server.seat(ada.game)
    watching = spectator.watch()
    first = next(watching)
    assert first.look.seat is None
    assert first.choices == ()
    assert [entry.number for entry in first.news] == [0]
    said = ada.speak(phrase="stop", about=1)
    assert said.sentence == "Let us stop Ben together."
    ada.speak("Well?")
    heard = [news for moment in (next(watching), next(watching)) for news in moment.news]
    assert [(type(news), news.sentence, news.seat) for news in heard] == [
        (Spoken, "Let us stop Ben together.", 0),
        (Spoken, "Well?", 0),
    ]
    assert [line.sentence for line in ben.heard()] == [news.sentence for news in heard]
    [result] = play_out(ada, ben)
    *_, last = moments = list(watching)
    assert last.look.result == result
    entries = [entry for moment in moments for entry in moment.news if isinstance(entry, Entry)]
    assert [entry.number for entry in entries] == list(range(1, last.look.number + 1))


def test_the_host_gives_seats_away_and_whoever_sat_there_is_told(server):
    table = server.lay("Ada", "Ben")
    ada, ben = table.own
    following = ben.follow()
    assert next(following).number == 0
    link = table.host.give(1)
    with pytest.raises(SeatLost):
        list(following)
    cleo = join(link, name="Cleo")
    assert cleo.look().names == ("Ada", "Cleo")
    assert ada.give(0, bot="chance") is None
    assert cleo.look().seats[0].bot == "chance"
    cleo.play(make_bot("chance"))


def test_the_next_game_has_the_same_people(server):
    ada, ben = server.lay("Ada", "Ben").own
    with pytest.raises(TooLate, match="goes on"):
        ada.again()
    play_out(ada, ben)
    assert list(ada.follow(since=ada.look().number)) == []
    assert ben.look().following is None
    following = ada.again()
    assert ben.look().following == following.game
    assert following.game == ben.again().game
    assert following.look().names == ("Ben", "Ada")
    assert following.look().seat == 1


def test_a_bot_that_stood_in_gives_the_seat_back(server, running):
    [ada] = server.lay("Ada", Wish("Ben", bot="chance")).own
    with closing(sqlite3.connect(running.database)) as store, store:
        store.execute("UPDATE seats SET substitute = 'chance' WHERE game = ? AND seat = 0", [ada.game])
    assert ada.look().stood_in
    moments = ada.moments()
    moment = next(moments, None)
    assert ada.look().result or not moment.look.stood_in
    moments.close()
