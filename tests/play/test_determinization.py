"""Determinizations: consistent positions, and views that no position is consistent with."""

from collections import Counter
from random import Random

import pytest

from hegemon import Game, Memory, determinize, determinize_batch, read_position, read_view, write_position
from hegemon.kernels import batch as batches
from hegemon.play.determinization import Impossible, public_position, unseen_cards
from hegemon.play.memory import Bundle, Place
from hegemon.rules.cards import total
from hegemon.rules.view import view


def test_the_same_seed_gives_the_same_determinization():
    game = Game(3, "draft", seed=1)
    one, other = (determinize(game.view(0), game.memory(0), Random(7)) for _ in range(2))
    assert one == other
    assert one != determinize(game.view(0), game.memory(0), Random(8))


def test_what_is_public_is_copied():
    seen = Game(3, seed=1).view(1)
    position = public_position(seen)
    assert position.hand(1) == seen.hand
    assert position.hands[1] is not seen.hand_piles
    assert total(position.hands[0]) == position.deck_size == 0
    position.areas[0][0] += 1
    assert seen.areas[0][0] == 0


def test_a_finished_game_can_be_determinized_too():
    game = Game(2, seed=1)
    while game.choices:
        game.play(game.choices[-1])
    position = determinize(game.view(0), game.memory(0), Random(1))
    assert view(position, 0) == game.view(0)


def test_a_study_can_be_determinized():
    """Few cards are on the table: any other card of the game may be the hidden one."""
    seen = read_view("M1(R1)/S1(?2) 1e - - - ?3 - 1 standard @1")
    hands = Counter(write_position(determinize(seen, Memory(0, 2), Random(seed))) for seed in range(300))
    assert len(hands) > 20
    seen = read_view("M1(R1)/S1(?) 1e - - - ?3 - 1 standard!show-backs @1")
    assert view(determinize(seen, Memory(0, 2), Random(1)), 0) == seen


def test_a_crowded_study_without_a_full_box_can_be_determinized():
    """Between two players three cards of each Age lie in the box; here all but two lie on the table."""
    old, middle, new = "1111", "2222", "3333"
    pile = f"M111{old}{middle * 2}{new}R111{old}{middle * 2}E{old}{middle}{new * 2}"
    pile += f"S{old}{middle * 2}{new * 2}C{old}{middle}{new * 2}U{new * 4}"
    position = read_position(f"(M1)/(R1) 1e - - - - {pile} 1 standard!show-backs")
    assert determinize(view(position, 0), Memory(0, 2), Random(1)) == position


def test_what_is_remembered_is_in_its_place():
    seen = read_view("(M1)/(?11)/(?113) 1e - - - ?3 - 1 standard @1")
    memory = Memory(0, 3)
    memory.certain = {Place(1): Counter(["C1"])}
    memory.bundles = [Bundle(Counter(["R1", "E1"]), Counter({Place(1): 1, Place(2): 1}))]
    memory.loose = {frozenset((1, 2)): Counter(["U3", "S1"])}
    lines = {write_position(determinize(seen, memory, Random(seed))).split()[0] for seed in range(30)}
    assert lines == {"(M1)/(R1C1)/(E1S1U3)", "(M1)/(E1C1)/(R1S1U3)"}


def test_a_spectator_can_imagine_every_hand():
    game = Game(3, "draft", seed=2)
    position = determinize(game.view(-1), game.memory(-1), Random(1))
    assert view(position, -1) == game.view(-1)
    assert [total(hand) for hand in position.hands] == [4, 4, 4, 0]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("(M1)/(?" + "1" * 30 + ") 1e - - - - - 1 standard @1", "More hidden cards lie on the table"),
        ("U333333333333333333(M1)/(?1) 1e - - - - - 1 standard @1", "More cards of a kind lie on the table"),
        (
            "(M1)/M1e1R1e1E1e2S1e2C1e2(?1) 2p - - - - - 1 standard @1",
            "No hand that the player to move could have can answer",
        ),
    ],
)
def test_a_view_that_no_cards_could_show_is_rejected(line, sentence):
    with pytest.raises(Impossible, match=sentence):
        determinize(read_view(line), Memory(0, 2), Random(1))


def test_a_memory_that_does_not_fit_is_rejected():
    seen = read_view("(M1)/(?1)/(?2) 1e - - - ?3 - 1 standard @1")
    certain, loose, bundled = Memory(0, 3), Memory(0, 3), Memory(0, 3)
    certain.certain = {Place(1): Counter(["U3"])}
    loose.loose = {frozenset((1, 2)): Counter(["U3"])}
    bundled.bundles = [Bundle(Counter(["M1", "R1"]), Counter({Place(1): 1, Place(2): 1}))]
    for memory in (certain, loose, bundled):
        with pytest.raises(Impossible, match="More cards are remembered to be in a hand than it holds"):
            determinize(seen, memory, Random(1))


# ------------------------------------------------------------------ many positions at once


@pytest.mark.parametrize("compile_it", [True, False])
def test_a_batch_of_positions_fits_the_view_and_the_memory(monkeypatch, compile_it):
    game = Game(3, "draft", rulings="pl", seed=2)
    for _ in range(40):
        game.play(game.choices[0])
    seen, memory = game.view(1), game.memory(1)
    monkeypatch.setattr(batches, "can_compile", lambda: compile_it)
    batch = determinize_batch(seen, memory, 20, seed=4)
    assert (batch.games, batch.players, batch.rulings, batch.auto_restart) == (20, 3, "pl", False)
    positions = [batch.position(number) for number in range(20)]
    assert all(view(position, 1) == seen for position in positions)
    certain, _ = unseen_cards(seen, memory)
    for position in positions:
        for seat in (0, 2):
            assert Counter(certain.hand(seat)) <= Counter(position.hand(seat))
    assert len({repr(position) for position in positions}) > 10
    again = determinize_batch(seen, memory, 20, seed=4)
    assert [again.position(number) for number in range(20)] == positions
    batch.step(batch.heuristic_actions())


@pytest.mark.parametrize("teams", [True, False])
def test_a_batch_has_the_teams_of_the_view(teams):
    game = Game(4, seed=1, teams=teams)
    batch = determinize_batch(game.view(0), game.memory(0), 2)
    assert batch.teams is teams
    assert view(batch.position(0), 0) == game.view(0)


def test_a_batch_of_a_finished_game_is_over():
    game = Game(2, seed=1)
    while game.choices:
        game.play(game.choices[-1])
    assert determinize_batch(game.view(0), game.memory(0), 3).dones.all()


def test_a_batch_with_an_impossible_memory_is_rejected():
    seen = read_view("(M1)/(?1)/(?2) 1e - - - ?3 - 1 standard @1")
    memory = Memory(0, 3)
    memory.loose = {frozenset((1, 2)): Counter(["U3"])}
    with pytest.raises(Impossible, match="More cards are remembered"):
        determinize_batch(seen, memory, 2)
