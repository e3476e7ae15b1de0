"""Games: setup, choices, undo, records, and the errors for wrong input."""

import dataclasses
from random import Random

import numpy as np
import pytest

from hegemon import (
    Game,
    IllegalMoveError,
    NotationError,
    SetupError,
    read_record,
    write_position,
    write_record,
    write_view,
)
from hegemon.notation.cards import write_cards
from hegemon.notation.choices import read_choice
from hegemon.notation.record import RecordError
from hegemon.play.game import salt_of_seed
from hegemon.rules.position import Ending, Question
from hegemon.rules.shuffle import MAX_SEED


def play(game, *choices):
    for choice in choices:
        game.play(choice)
    return game


def play_to_the_end(game, seed=0):
    chance = Random(seed)
    while game.choices:
        game.play(chance.choice(game.choices))
    return game


def deck_with(players, *top):
    """A deck with these cards on top, and the others of their Ages below them."""
    kinds = list(Game(players, seed=1).record().deck)
    for place, name in enumerate(top):
        kind = 4 * "MRESCU".index(name[0]) + int(name[1])
        other = kinds.index(kind, place)
        kinds[place], kinds[other] = kinds[other], kinds[place]
    return write_cards(kinds)


# ------------------------------------------------------------------ setting up


def test_in_a_new_game_cards_are_dealt_and_the_first_player_is_to_move():
    game = Game()
    assert (game.players, game.seat, game.over, game.result) == (3, 0, False, None)
    assert game.names == ("Player 1", "Player 2", "Player 3")
    assert game.position.question == Question.PLAY
    assert 1 <= len(game.choices) <= 3
    assert game.moves == ()


def test_in_a_draft_all_seats_choose_at_once():
    game = Game(3, "draft", seed=4, names=["Ada", "Bela", "Chloe"])
    assert game.names == ("Ada", "Bela", "Chloe")
    assert all(game.choices_of(seat) for seat in range(3))
    game.play(game.choices_of(2)[0], seat=2)
    assert game.choices_of(2) == ()
    assert game.view(2).owing == (0, 1)
    assert game.seat == 0


def test_a_game_can_be_given_its_deck():
    deck = deck_with(2, "M1", "R1", "E1", "S1", "C1", "M1")
    game = Game(2, deck=deck)
    assert write_position(game.position).startswith("(M1R1E1)/(M1S1C1) 1p")
    assert write_cards(list(game.record().deck)) == deck


def test_the_largest_seed_is_a_seed():
    assert Game(2, seed=MAX_SEED).choices
    assert Game(2, seed=0).record().salt == salt_of_seed(0)


@pytest.mark.parametrize("players", [-1, 0, 1, 5, 104])
def test_two_three_or_four_play(players):
    with pytest.raises(SetupError, match=f"Two, three or four can play, not {players}"):
        Game(players)


@pytest.mark.parametrize("players", [2, 3])
def test_teams_are_two_against_two(players):
    with pytest.raises(SetupError, match=f"two against two, so four must play, not {players}"):
        Game(players, teams=True)


def test_the_error_for_an_unknown_variant_names_the_known_ones():
    with pytest.raises(SetupError, match='basic and draft; there is no "advanced"'):
        Game(2, "advanced")


@pytest.mark.parametrize("rulings", ["house", "standard+embargo", "standard-coin-tie", ""])
def test_the_error_for_unknown_rulings_names_the_known_ones(rulings):
    with pytest.raises(NotationError, match="expected"):
        Game(2, rulings=rulings)


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1])
def test_the_error_for_a_seed_names_the_range(seed):
    with pytest.raises(SetupError, match=f"from 0 to {MAX_SEED}, not {seed}"):
        Game(2, seed=seed)


def test_each_seat_has_one_name():
    with pytest.raises(SetupError, match="There are 2 players and 3 names"):
        Game(2, names=["Ada", "Bela", "Chloe"])


@pytest.mark.parametrize("seat", [-1, 2])
def test_a_seat_that_does_not_exist_has_no_choices(seat):
    game = Game(2, seed=1)
    with pytest.raises(IllegalMoveError) as error:
        game.play(game.choices[0], seat)
    assert error.value.choices == ()


def test_a_game_has_a_seed_or_a_deck():
    with pytest.raises(SetupError, match=r"^A game has a seed or a deck, not both\.$"):
        Game(2, seed=1, deck=deck_with(2))


def test_a_deck_must_be_one_of_this_game():
    deck = list(Game(2, seed=1).record().deck)
    with pytest.raises(SetupError, match="has 95 cards, not 94"):
        Game(2, deck=write_cards(deck[1:]))
    with pytest.raises(SetupError, match="has 104 cards, not 95"):
        Game(4, deck=write_cards(deck))
    with pytest.raises(SetupError, match="out of order"):
        Game(2, deck=write_cards(deck[::-1]))
    with pytest.raises(SetupError, match="The game has 8 cards M1, and the deck has"):
        Game(2, deck="M" + "1" * 12 + write_cards(deck[12:]))
    with pytest.raises(NotationError, match="there is no Utopia card of Age I"):
        Game(2, deck="U1")
    with pytest.raises(NotationError, match="expected a card"):
        Game(2, deck="M1 X")


@pytest.mark.slow
def test_the_same_game_is_played_at_both_speeds():
    games = [
        Game(4, "draft", seed=6, teams=True, rulings="en", speed=speed)
        for speed in ("interpreted", "compiled")
    ]
    chance = Random(6)
    while not games[0].over:
        seat = chance.choice(games[0].view(-1).owing or (games[0].seat,))
        choice = chance.choice(games[0].choices_of(seat))
        for game in games:
            game.play(choice, seat)
        assert games[0].choices == games[1].choices
        if chance.random() < 0.1 and games[0].undoable(seat) is not None:
            assert games[0].undo(seat) == games[1].undo(seat)
        assert games[0].position == games[1].position
    assert games[0].result == games[1].result
    assert games[0].events == games[1].events
    assert games[0].record() == games[1].record()
    assert Game.from_record(games[0].record(), speed="compiled").position == games[0].position


def test_the_error_for_an_unknown_speed_names_the_known_ones():
    with pytest.raises(SetupError, match=r'^A game is played interpreted or compiled, not "warp"\.$'):
        Game(2, speed="warp")
    with pytest.raises(SetupError, match=r'^A game is played interpreted or compiled, not "warp"\.$'):
        Game.from_record(Game(2).record(), speed="warp")


# ------------------------------------------------------------------ choosing


def test_a_choice_advances_the_game():
    game = Game(2, deck=deck_with(2, "M1", "R1", "E1", "S1", "C1", "M1"))
    play(game, "R")
    assert write_position(game.position).startswith("R1(M1E1)/(M1S1C1) 1e")
    assert game.choices == ("r+1", ".")
    play(game, ".")
    assert game.seat == 1
    assert game.moves == ("R", ".")


def test_the_error_for_an_unknown_choice_names_similar_ones():
    game = Game(2, seed=1)
    with pytest.raises(NotationError, match=r"did you mean .*M\+\+"):
        game.play("M+++")
    with pytest.raises(NotationError, match="expected one of the 64 choices"):
        game.play("castle")
    assert game.moves == ()


def test_the_error_for_a_wrong_seat_names_the_seat_to_move():
    game = Game(2, seed=1)
    with pytest.raises(IllegalMoveError, match="It is seat 1’s choice, not seat 2’s"):
        game.play(game.choices[0], seat=1)
    for nowhere in (-1, 2):
        with pytest.raises(IllegalMoveError, match=f"There is no seat {nowhere + 1} at this table of 2"):
            game.play(game.choices[0], seat=nowhere)
    game.play(game.choices[0], seat=0)
    assert len(game.moves) == 1


def test_an_illegal_choice_changes_nothing():
    game = Game(2, seed=1)
    before = game.position, game.record(), game.events
    with pytest.raises(IllegalMoveError):
        game.play("mU")
    assert (game.position, game.record(), game.events) == before


def test_a_finished_game_has_no_choices():
    game = play_to_the_end(Game(2, seed=3))
    assert game.over
    assert game.choices == ()
    assert game.result.ending in (Ending.HEGEMONY, Ending.MAJORITY)
    with pytest.raises(IllegalMoveError, match=r"The game is over\.$"):
        game.play(".")


def test_position_view_and_memory_are_copies():
    game = Game(2, seed=1)
    game.position.hands[0][0] += 1
    game.view(0).hand_piles[0] += 1
    game.memory(0).certain.clear()
    assert game.position == Game(2, seed=1).position


def test_spectators_see_and_choose_nothing_of_their_own():
    game = Game(4, "draft", seed=2)
    assert game.choices_of(-1) == ()
    assert write_view(game.view(-1)).startswith("(?1111)/(?1111)/(?1111)/(?1111) 1d")
    assert repr(game.memory(-1)) == "Memory(-1, 4)"


@pytest.mark.parametrize("seat", [-2, 3])
def test_there_is_no_view_for_a_seat_that_does_not_exist(seat):
    game = Game(3, seed=1)
    for ask in (game.view, game.memory, game.events_seen_by, game.choices_of):
        with pytest.raises(IllegalMoveError, match=f"There is no seat {seat + 1} at this table of 3"):
            ask(seat)


# ------------------------------------------------------------------ undo


def test_a_played_card_can_be_undone():
    game = Game(2, seed=1)
    before = game.position
    choice = game.choices[0]
    assert game.undoable() is None
    game.play(choice)
    assert game.undoable() == game.undoable(0) == 0
    assert game.undoable(1) is None
    assert game.undo() == choice
    assert game.position == before
    assert game.moves == ()


def test_a_turn_that_is_over_is_final():
    game = Game(2, seed=1)
    play(game, game.choices[0], ".")
    assert game.undoable() is None
    with pytest.raises(
        IllegalMoveError, match="That cannot be undone: something hidden was shown, or another player"
    ):
        game.undo()
    assert len(game.moves) == 2


def test_a_seat_that_did_not_move_last_can_undo_nothing():
    game = Game(2, seed=1)
    play(game, game.choices[0], ".")
    play(game, game.choices[0])
    assert game.undoable(0) is None
    assert game.undoable(1) == 2
    with pytest.raises(IllegalMoveError, match="You have no choice to undo now"):
        game.undo(0)


@pytest.mark.parametrize("variant", ["basic", "draft"])
def test_before_the_first_move_there_is_nothing_to_undo(variant):
    with pytest.raises(IllegalMoveError, match="You have no choice to undo now"):
        Game(2, variant, seed=1).undo()


def test_a_hand_that_was_seen_stays_seen_but_gifts_can_be_changed_until_the_last():
    """The gifts of an Inquisition change hands with the last one; until then they affect no other player."""
    game = Game(2, deck=deck_with(2, "M1", "R1", "E1", "S1", "C1", "M1"))
    play(game, "R")
    assert game.undoable() == 0
    play(game, "r+1")
    assert game.undoable() is None
    play(game, "M")
    assert game.undo() == "M"
    play(game, "E", "S")
    assert game.undo() == "S"
    play(game, "S", "C")
    assert game.undoable() is None
    assert write_position(game.position).startswith("(M11)/(E1S1C1) 1e r")


def test_a_draft_pick_can_be_changed_while_others_choose():
    game = Game(3, "draft", seed=4)
    first = game.choices_of(1)[0]
    game.play(first, seat=1)
    game.play(game.choices_of(0)[0], seat=0)
    assert game.undoable(2) is None
    assert game.undoable(-1) is None
    assert game.undo(1) == first
    assert game.view(-1).owing == (1, 2)
    game.play(game.choices_of(1)[-1], seat=1)
    game.play(game.choices_of(2)[0], seat=2)
    assert all(game.undoable(seat) is None for seat in range(3))  # the packets have moved on
    assert game.view(-1).left == 2


def test_center_picks_and_the_end_of_the_game_are_final():
    game = Game(2, "draft", seed=4)
    while game.view(-1).question == Question.DRAFT:
        game.play(game.choices[0])
    assert game.undoable() is None
    game.play(game.choices[0])
    assert game.undoable() is None
    assert play_to_the_end(game).undoable() is None


def test_a_host_may_rewind_anything():
    game = play_to_the_end(Game(2, seed=3))
    choices = game.moves
    game.rewind(10)
    assert game.moves == choices[:10]
    assert not game.over
    play(game, *choices[10:])
    assert game.over
    game.rewind(0)
    assert game.position == Game(2, seed=3).position
    for nowhere in (-1, 1):
        with pytest.raises(
            IllegalMoveError, match="any point from 0 \\(the deal\\) to 0 \\(the last choice\\)"
        ):
            game.rewind(nowhere)


# ------------------------------------------------------------------ history


@pytest.mark.parametrize("variant", ["basic", "draft"])
def test_the_game_at_any_ply_is_the_game_played_so_far(variant):
    game = play_to_the_end(Game(3, variant, seed=4))
    stages = [Game(3, variant, seed=4)]
    for choice in game.moves:
        stages.append(play(stages[-1].copy(), choice))
    for ply in (70, 5, 40, 33, 64, 0, 69, len(game.moves)):
        earlier = game.at(ply)
        assert earlier == stages[ply]
        assert earlier.position == stages[ply].position
        assert earlier.choices == stages[ply].choices
        assert earlier.events == stages[ply].events
        assert earlier.memory(1) == stages[ply].memory(1)
        assert game.events_at(ply) == stages[ply].events[len(stages[ply - 1].events) if ply else 0 :]
        assert (
            game.events_at(ply, 1) == earlier.events_seen_by(1)[len(stages[ply - 1].events) if ply else 0 :]
        )


def test_an_earlier_game_and_the_game_are_independent():
    game = play_to_the_end(Game(2, seed=3))
    events, position, memory = game.events, game.position, game.memory(0)
    earlier = game.at(12)
    assert play_to_the_end(earlier, seed=8).moves != game.moves
    assert earlier.moves[:12] == game.moves[:12]
    assert (game.events, game.position, game.memory(0)) == (events, position, memory)
    game.rewind(3)
    assert len(earlier.moves) > 12


def test_only_a_few_earlier_positions_are_stored():
    game = play_to_the_end(Game(4, seed=3))
    assert game.events
    assert game.undoable() is None
    for ply in range(len(game.moves)):
        game.at(ply)
    assert {0, 32, 64} <= set(game._positions)
    assert len(game._positions) < len(game.moves) / 8


def test_turns_start_where_their_events_say():
    game = play(Game(2, seed=3), *play_to_the_end(Game(2, seed=3)).moves[:30])
    starts = [
        ply for ply in range(31) if any(type(event).__name__ == "TurnBegan" for event in game.events_at(ply))
    ]
    assert game.turn_starts == tuple(starts)
    assert starts[0] == 0
    assert Game(2, "draft", seed=3).turn_starts == ()


# ------------------------------------------------------------------ texts


@pytest.mark.parametrize("speed", ["interpreted", "compiled"])
def test_the_repr_of_a_game_can_be_pasted_back(speed):
    game = play(Game(2, "draft", seed=3, names=["Ada", "O'Hara"], speed=speed), "M1")
    text = repr(game)
    again = eval(text, {"Game": Game})
    assert again == game
    assert again.commitment == game.commitment
    assert repr(again) == text
    assert text.endswith(", speed='compiled')") == (speed == "compiled")


def test_games_are_equal_if_deal_names_and_moves_are():
    game = Game(2, seed=3)
    assert game == Game(2, seed=3, speed="compiled")
    assert game != Game(2, seed=4)
    assert game != Game(2, seed=3, names=["Ada", "Grace"])
    assert game != play(Game(2, seed=3), game.choices[0])
    assert game != "game"
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


# ------------------------------------------------------------------ records


def test_a_game_continues_from_its_record():
    game = Game(3, "draft", seed=5, rulings="pl", names=["Ada", "Bela", "Chloe"])
    for _ in range(30):
        game.play(game.choices[0])
    again = Game.from_record(write_record(game.record()))
    assert again.position == game.position
    assert again.names == game.names
    assert again.commitment == game.commitment
    assert again.choices == game.choices
    assert play_to_the_end(again).record() == play_to_the_end(game).record()


def test_a_record_made_by_hand_is_checked_too():
    record = play_to_the_end(Game(2, seed=3)).record()
    assert Game.from_record(record).result == record.result
    wrong = dataclasses.replace(record, moves=((1, 0), *record.moves[1:]))
    with pytest.raises(RecordError, match="Move 1 is not seat 2's"):
        Game.from_record(wrong)
    with pytest.raises(RecordError, match="is incomplete"):
        Game.from_record("players =")


def test_a_record_made_by_hand_cannot_name_a_seat_that_does_not_exist():
    record = Game(4, "draft", seed=3).record()
    choice = read_choice(Game(4, "draft", seed=3).choices_of(3)[0])
    for seat in (-1, 4):
        with pytest.raises(RecordError, match=f"Move 1 is not seat {seat + 1}'s"):
            Game.from_record(dataclasses.replace(record, moves=((seat, choice),)))


def test_comments_stay_with_their_moves():
    game = play(Game(2, seed=1), Game(2, seed=1).choices[0])
    record = dataclasses.replace(game.record(), comments={1: "A quiet start."})
    again = Game.from_record(record)
    again.play(".")
    assert read_record(write_record(again.record())).comments == {1: "A quiet start."}
    again.rewind(1)
    assert again.record().comments == {1: "A quiet start."}
    again.undo()
    assert again.record().comments == {}


def test_a_game_knows_which_moves_were_the_only_choice():
    game = Game(3, seed=5)
    forced = []
    while not game.over:
        forced.append(len(game.choices) == 1)
        game.play(game.choices[0])
    assert any(forced)
    assert not all(forced)
    assert [game.was_forced(number) for number in range(len(forced))] == forced
    half = len(forced) // 2
    assert [game.at(half).was_forced(number) for number in range(len(forced))] == forced[:half] + [False] * (
        len(forced) - half
    )


def test_a_set_of_cards_is_forced_card_by_card():
    game = Game.from_position("M11111(R11)/(E1) 1e")
    game.play("M++")
    game.play("R,R")
    assert [game.was_forced(number) for number in range(3)] == [False, True, True]


@pytest.mark.parametrize("players", ["2", 2.0, None, True])
def test_a_number_of_players_of_another_type_is_explained(players):
    with pytest.raises(SetupError, match=f"The number of players is a whole number, not {players!r}."):
        Game(players=players)


@pytest.mark.parametrize("seed", ["7", 7.0, True])
def test_a_seed_of_another_type_is_explained(seed):
    with pytest.raises(SetupError, match=f"A seed is a whole number from 0 to {MAX_SEED}, not {seed!r}."):
        Game(seed=seed)


def test_numpy_integers_are_whole_numbers():
    assert Game(players=np.int64(2), seed=np.uint8(7)) == Game(players=2, seed=7)


def test_renaming_takes_a_name_for_every_seat():
    game = Game(players=3, seed=1)
    with pytest.raises(SetupError, match="There are 3 players and 2 names"):
        game.rename(["Ada", "Ben"])
    assert game.names == ("Player 1", "Player 2", "Player 3")
    game.rename(["Ada", "Ben", "Cleo"])
    assert game.names == ("Ada", "Ben", "Cleo")
