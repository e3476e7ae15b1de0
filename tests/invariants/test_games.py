"""Whole games: they end, their records replay exactly, undo restores everything, the shuffle can be checked."""

import dataclasses
from random import Random

import pytest

from hegemon.notation.cards import write_cards
from hegemon.notation.record import read_record, replay, write_record
from hegemon.play.commitment import check_shuffle
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.rules.actions import CHOICES
from hegemon.rules.position import Ending, Question
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.victory import STALLED_ROUNDS, hegemony
from hegemon.rules.view import view as look
from random_games import new_game, play_by_chance, played, seat_to_move

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = 96


@pytest.mark.parametrize("portion", range(4))
def test_every_game_ends_and_replays_exactly(portion):
    for number in range(portion, GAMES, 4):
        game = played(number)
        position, result, record = game.position, game.result, game.record()
        assert game.choices == ()
        assert not any(game.choices_of(seat) for seat in range(-1, game.players))
        assert result.winners
        if result.ending is Ending.HEGEMONY:
            assert hegemony(position, position.seat) == result.domain
            assert position.seat in result.winners
        else:
            assert position.seat == game.players - 1  # equal turns for all
            assert position.deck_size == 0 or position.quiet_rounds == STALLED_ROUNDS
        again = Game.from_record(record)
        assert (again.position, again.result, again.events) == (position, result, game.events)
        assert again.record() == record == read_record(write_record(record))
        assert list(replay(record))[-1] == position


def everything(game):
    """The whole observable state of a game."""
    viewers = range(-1, game.players)
    seen_by_each = [
        (game.events_seen_by(seat), repr(game.memory(seat)), game.choices_of(seat)) for seat in viewers
    ]
    return game.position, game.record(), game.events, seen_by_each


@pytest.mark.parametrize("portion", range(4))
def test_undo_restores_everything(portion):
    """After an undo, the game is as if the move had never been made, and the choice can be played again."""
    undone = final = 0
    for number in range(portion, GAMES, 4):
        chance = Random(number)
        game = new_game(number)
        while not game.over:
            looking = chance.random() < 0.03
            before = everything(game) if looking else None
            seat = seat_to_move(game, chance)
            choice = chance.choice(game.choices_of(seat))
            game.play(choice, seat)
            if not looking:
                continue
            after = everything(game)
            if game.undoable(seat) is None:
                final += 1
                with pytest.raises(IllegalMoveError):
                    game.undo(seat)
                assert everything(game) == after
            else:
                undone += 1
                assert game.undo(seat) == choice
                assert everything(game) == before
                game.play(choice, seat)
                assert everything(game) == after
    assert undone > 50
    assert final > 25


@pytest.mark.parametrize("speed", ["interpreted", "compiled"])
def test_the_game_at_an_earlier_ply_is_the_game_of_the_record_up_to_there(speed):
    for number in range(1, GAMES, 9):
        chance = Random(number)
        record = played(number).record()
        game = Game.from_record(record, speed=speed)
        end = everything(game)
        assert game.events == tuple(e for ply in range(len(record.moves) + 1) for e in game.events_at(ply))
        for ply in [0, *chance.sample(range(len(record.moves)), 6), len(record.moves)]:
            earlier = game.at(ply)
            start = dataclasses.replace(record, moves=record.moves[:ply], result=None)
            assert earlier == Game.from_record(start)
            assert everything(earlier) == everything(Game.from_record(start))
            for seat in range(-1, game.players):
                since = len(game.at(ply - 1).events) if ply else 0
                assert game.events_at(ply, seat) == earlier.events_seen_by(seat, since=since)
            for seat, action in record.moves[ply:]:
                earlier.play(CHOICES[action], seat)
            assert everything(earlier) == everything(game) == end, "neither changes the other"


def test_there_is_no_ply_before_the_deal_or_after_the_last_move():
    game = Game(2, seed=1)
    game.play(game.choices[0])
    for ply in (-1, 2):
        for ask in (game.at, game.events_at, game.rewind):
            with pytest.raises(IllegalMoveError, match=r"from 0 \(the deal\) to 1"):
                ask(ply)


@pytest.mark.parametrize("portion", range(4))
def test_no_move_that_revealed_something_hidden_is_undone(portion):
    """A move that can be undone has shown its player nothing new and left the other players' cards alone."""
    for number in range(portion, GAMES, 4):
        game = new_game(number)
        before = game.position
        chance = Random(number)
        for seat, _ in play_by_chance(game, chance):
            after = game.position
            if (
                chance.random() < 0.3
                and before.question != Question.DRAFT
                and game.undoable(seat) is not None
            ):
                assert game.undoable() == game.undoable(seat) == len(game.moves) - 1
                assert after.deck_size == before.deck_size
                assert after.seat == before.seat
                for other in set(range(game.players)) - {seat}:
                    assert game.undoable(other) is None
                    seen, still = look(before, other), look(after, other)
                    assert seen.hand == still.hand
                    for place in ("areas", "embargoes", "democracies"):
                        assert getattr(seen, place)[other] == getattr(still, place)[other]
            before = after


def test_a_draft_pick_can_be_changed_until_the_packets_move_on():
    for number in range(40):
        chance = Random(number)
        game = Game(chance.choice((2, 3, 4)), "draft", seed=number)
        while game.view(-1).question == Question.DRAFT:
            owing = game.view(-1).owing
            for seat in range(game.players):
                assert (game.undoable(seat) is None) == (seat in owing)
            early = [seat for seat in range(game.players) if seat not in owing]
            if early and chance.random() < 0.5:
                seat = chance.choice(early)
                choice, hand = game.undo(seat), game.view(seat).hand
                assert seat in game.view(-1).owing
                assert choice in game.choices_of(seat)
                assert hand
            seat = seat_to_move(game, chance)
            game.play(chance.choice(game.choices_of(seat)), seat)
        assert Game.from_record(game.record()).position == game.position


def test_the_shuffle_is_committed_before_the_first_card():
    for number in range(0, GAMES, 6):
        game = new_game(number)
        digest = game.commitment
        for _ in zip(range(30), play_by_chance(game, Random(number)), strict=False):
            assert game.commitment == digest
        record = game.record()
        assert check_shuffle(record, digest)
        assert check_shuffle(read_record(write_record(record)), f" {digest.upper()}\n")
        chance = Random(number)
        for _ in range(5):
            one, other = chance.sample(range(len(record.deck)), 2)
            deck = list(record.deck)
            deck[one], deck[other] = deck[other], deck[one]
            if tuple(deck) != record.deck:
                assert not check_shuffle(dataclasses.replace(record, deck=tuple(deck)), digest)
        assert not check_shuffle(dataclasses.replace(record, salt=record.salt + "0"), digest)
        assert not check_shuffle(dataclasses.replace(record, salt=""), digest)
        assert not check_shuffle(record, digest[:-1])


def test_the_same_seed_gives_the_same_game_and_no_seed_a_new_one():
    assert Game(3, seed=5).record() == Game(3, seed=5).record()
    assert Game(3, seed=5).commitment != Game(3, seed=6).commitment
    one, other = Game(3), Game(3)
    assert (one.record().deck, one.record().salt) != (other.record().deck, other.record().salt)
    # The salt prevents guessing the deck by trying decks against the digest.
    deck = write_cards(list(one.record().deck))
    assert Game(3, deck=deck).commitment != Game(3, deck=deck).commitment


def test_the_games_cover_every_ending_and_hidden_backs():
    games = [played(number) for number in range(0, GAMES, 3)]
    assert {game.result.ending for game in games} >= {Ending.HEGEMONY, Ending.MAJORITY}
    assert {bool(game.position.rulings & SHOW_BACKS) for game in games} == {True, False}
