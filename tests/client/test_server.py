"""The client with a running server: create, join, move, follow, chat, rematch."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice

import pytest

from hegemon import Game, write_view
from hegemon.bots import make_bot
from hegemon.client import (
    ChatMessage,
    Forbidden,
    IllegalMove,
    MoveUpdate,
    NotFound,
    SeatLost,
    SeatRequest,
    SeatTaken,
    StaleVersion,
    join,
)

pytestmark = pytest.mark.slow


def play_out(*seats):
    """Let greedy bots play those seats in threads, and return their results."""
    with ThreadPoolExecutor(len(seats)) as programs:
        playing = [
            programs.submit(seat.play, make_bot("greedy", number)) for number, seat in enumerate(seats)
        ]
        return {done.result() for done in playing}


def test_a_few_lines_play_a_game(server):
    table = server.create_table("Ada", SeatRequest("Ben", bot="greedy"))
    [seat] = table.own
    for moment in seat.moments():
        moment.play(moment.choices[0])
    result = seat.state().result
    record = seat.record()
    assert record.result == result
    assert record.names == ("Ada", "Ben")
    assert Game.from_record(record).over


def several_cards(server):
    """A position in which several cards have to be chosen: games are played until an Inquisition takes some."""
    while True:
        table = server.create_table("Ada", SeatRequest("Ben", bot="greedy"))
        for moment in table.own[0].moments():
            if moment.state.selection is not None and moment.state.selection.number > 1:
                return moment
            moment.play(next((choice for choice in moment.choices if choice[0] == "r"), moment.choices[0]))


def test_a_server_names_its_bots(server):
    assert {"chance", "hard"} <= {*server.bots()}


def test_several_cards_are_one_move(server):
    moment = several_cards(server)
    selection, version = moment.state.selection, moment.state.version
    chosen = [*selection.cards][: selection.number]
    with pytest.raises(IllegalMove, match="Cards chosen: 1"):
        moment.play(chosen[:1])
    assert moment.play(chosen[::-1]) == version + 1
    (update,) = islice(moment.seat.follow(since=version), 1)
    assert update.version == version + 1
    assert len(update.events) >= selection.number


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("options", [{}, {"variant": "draft", "teams": True}])
def test_programs_play_each_other_and_remember_what_their_seats_saw(server, options):
    players = 4 if options else 2
    table = server.create_table(*"abcd"[:players], **options)
    seen = {seat: [] for seat in range(players)}

    def play(number, seat):
        bot = make_bot("greedy", number)
        for moment in seat.moments():
            seen[number].append((moment.state.version, moment.state.line, moment.memory))
            seat.play_turn(moment, bot)

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


def test_an_invitation_is_a_link_and_its_token_returns_to_the_seat(server):
    table = server.create_table("Ada", SeatRequest(open=True))
    [link] = table.links
    ada = table.own[0]
    before = ada.state()
    assert (before.is_waiting, before.choices, before.view.viewer) == (True, (), -1)
    assert table.host.invitations() == {1: link}
    assert table.host.state().seat is None
    ben = join(link, name="Ben")
    assert (ben.state().seat, ben.state().names) == (1, ("Ada", "Ben"))
    assert ben.state().is_waiting is False
    again = join(link, token=ben.token)
    assert again.game == ben.game
    assert join(ben.link).state().seat == 1
    with pytest.raises(SeatTaken, match="already"):
        join(link)
    with pytest.raises(NotFound, match="no such invitation"):
        server.join("forged")
    with pytest.raises(StaleVersion, match="You are already seated at this table"):
        server.join(link.rpartition("/")[2], token=ada.token)


def test_rejections_are_errors_with_a_sentence(server):
    ada, ben = server.create_table("Ada", "Ben").own
    state = ada.state()
    with pytest.raises(IllegalMove) as rejected:
        ada.submit_move("U++", state.version)
    assert rejected.value.choices == state.choice_texts
    with pytest.raises(IllegalMove, match="not seat 2"):
        ben.submit_move(state.choice_texts[0], state.version)
    version = ada.submit_move(state.choice_texts[0], state.version, "mine")
    assert ada.submit_move(state.choice_texts[0], state.version, "mine") == version
    with pytest.raises(StaleVersion) as late:
        ada.submit_move(state.choice_texts[0], state.version)
    assert late.value.version == version
    with pytest.raises(Forbidden, match="once the game is over"):
        ada.record()
    with pytest.raises(NotFound, match="no such game"):
        server.seat("nowhere").state()
    with pytest.raises(SeatLost):
        server.seat(ada.game, ada.token[::-1]).state()


def test_a_late_choice_is_dropped(server):
    ada, _ = server.create_table("Ada", "Ben").own
    moment = next(ada.moments())
    ada.submit_move(moment.choices[0], 0)
    assert ada.play_turn(moment, make_bot("chance")) is None


def test_a_move_can_be_undone(server):
    ada, _ = server.create_table("Ada", "Ben").own
    state = ada.state()
    version = ada.submit_move(state.choice_texts[0], state.version)
    assert ada.state().undo
    ada.undo(version)
    assert ada.state().line == state.line
    deal, move, undo = islice(ada.follow(), 3)
    assert (deal.version, move.version, undo.version) == (0, 1, 2)
    assert (move.undone, undo.undone, undo.events) == (None, 1, ())


def test_a_spectator_sees_every_move_and_the_chat(server):
    table = server.create_table("Ada", "Ben", SeatRequest("Cleo", bot="chance"))
    ada, ben = table.own
    spectator = server.seat(ada.game)
    spectated = spectator.watch()
    first = next(spectated)
    assert first.state.seat is None
    assert first.choices == ()
    assert [move.version for move in first.updates] == [0]
    message = ada.post_message(phrase="stop", about=1)
    assert message.sentence == "Let’s stop Ben together."
    ada.post_message("Well?")
    updates = [update for moment in (next(spectated), next(spectated)) for update in moment.updates]
    assert [(type(update), update.sentence, update.seat) for update in updates] == [
        (ChatMessage, "Let’s stop Ben together.", 0),
        (ChatMessage, "Well?", 0),
    ]
    assert [line.sentence for line in ben.messages()] == [update.sentence for update in updates]
    [result] = play_out(ada, ben)
    *_, last = moments = list(spectated)
    assert last.state.result == result
    moves = [move for moment in moments for move in moment.updates if isinstance(move, MoveUpdate)]
    assert [move.version for move in moves] == list(range(1, last.state.version + 1))


def test_the_stream_of_a_player_ends_when_the_host_reassigns_the_seat(server):
    table = server.create_table("Ada", "Ben")
    ada, ben = table.own
    following = ben.follow()
    assert next(following).version == 0
    link = table.host.reassign_seat(1)
    with pytest.raises(SeatLost):
        list(following)
    cleo = join(link, name="Cleo")
    assert cleo.state().names == ("Ada", "Cleo")
    assert ada.reassign_seat(0, bot="chance") is None
    assert cleo.state().seats[0].bot == "chance"
    cleo.play(make_bot("chance"))


def test_a_rematch_has_the_same_players(server):
    ada, ben = server.create_table("Ada", "Ben").own
    with pytest.raises(StaleVersion, match="still going"):
        ada.rematch()
    play_out(ada, ben)
    assert list(ada.follow(since=ada.state().version)) == []
    assert ben.state().next_game is None
    following = ada.rematch()
    assert ben.state().next_game == following.game
    assert following.game == ben.rematch().game
    assert following.state().names == ("Ben", "Ada")
    assert following.state().seat == 1


def test_a_substitute_hands_the_seat_back(server, running):
    [ada] = server.create_table("Ada", SeatRequest("Ben", bot="chance")).own
    with closing(sqlite3.connect(running.database)) as store, store:
        store.execute("UPDATE seats SET substitute = 'chance' WHERE game = ? AND seat = 0", [ada.game])
    assert ada.state().has_substitute
    moments = ada.moments()
    moment = next(moments, None)
    assert ada.state().result or not moment.state.has_substitute
    moments.close()
