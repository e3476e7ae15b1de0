"""What is remembered is true, and nothing that was seen is forgotten while cards can be distinguished."""

from collections import Counter
from random import Random

import pytest

from hegemon.notation.problems import problems
from hegemon.notation.writing import write_position, write_view
from hegemon.play.determinization import determinize
from hegemon.play.events import TurnBegan, cards_in
from hegemon.play.game import Game
from hegemon.rules.position import Question
from hegemon.rules.view import hands_as_seen, view
from physical_cards import PhysicalCards
from random_games import new_game, play_by_chance

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = 96
PORTIONS = 4


def remembered(memory):
    """Every card that a memory knows to be in another hand, whether or not it knows in which."""
    bundled = [bundle.cards for bundle in memory.bundles]
    return sum((*memory.certain.values(), *bundled, *memory.loose.values()), Counter())


def check_truth(game, viewer):
    """What is remembered is true: in each place, of each bundle, in each group of hands."""
    memory, position = game.memory(viewer), game.position
    hands = [Counter(cards_in(hand)) for hand in hands_as_seen(position, viewer)[0]]
    kept = [Counter(cards_in(cards)) for cards in position.kept]
    for place, cards in memory.certain.items():
        assert place.seat != viewer
        assert cards <= (kept if place.kept else hands)[place.seat], (memory, place)
    for seat in range(game.players):
        assert Counter(memory.known(seat)) <= hands[seat] + kept[seat], (memory, seat)
    for seats in memory.loose:
        held = sum((hands[seat] for seat in seats), Counter())
        inside = [memory.loose[group] for group in memory.loose if group <= seats]
        certain = [cards for place, cards in memory.certain.items() if place.seat in seats]
        assert len(seats) > 1
        assert viewer not in seats
        assert sum((*inside, *certain), Counter()) <= held, (memory, seats)
        assert all(group <= seats or seats <= group or not group & seats for group in memory.loose)
    others = [seat for seat in range(game.players) if seat != viewer]
    held = [place[seat] for place in (hands, kept) for seat in others]
    assert remembered(memory) <= sum(held, Counter()), memory  # all of it together, each card counted once
    for bundle in memory.bundles:
        assert bundle.cards.total() == bundle.places.total()
        held = Counter()
        for place in bundle.places:
            held += (kept if place.kept else hands)[place.seat]
        assert bundle.cards <= held, (memory, bundle)


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_what_is_remembered_is_true(portion):
    for number in range(portion, GAMES, PORTIONS):
        game = new_game(number)
        chance = Random(number)
        for _ in play_by_chance(game, chance):
            if chance.random() < 0.15:
                for viewer in range(-1, game.players):
                    check_truth(game, viewer)


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_what_is_remembered_since_any_position_is_true(portion):
    """A game can start anywhere, in the draft and within an effect, too."""
    for number in range(portion, GAMES, 2 * PORTIONS):
        game, chance = new_game(number), Random(number)
        for _ in play_by_chance(game, chance):
            if not game.over and (game.position.round == 0 or chance.random() < 0.05):
                study, checks = Game.from_position(game.position), 12
                for _ in play_by_chance(study, chance):
                    for viewer in range(-1, study.players):
                        check_truth(study, viewer)
                    if (checks := checks - 1) == 0:
                        break


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_between_two_players_nothing_seen_is_forgotten(portion):
    """Between two players, the place of every card that was ever seen is known."""
    for number in range(portion, 24, PORTIONS):
        rulings = ("standard", "pl", "standard!show-backs")[number % 3]
        game = Game(2, ("basic", "draft")[number // 3 % 2], rulings=rulings, seed=number)
        cards = [PhysicalCards(game.record(), viewer) for viewer in (0, 1)]
        followed = 0
        chance = Random(number)
        for _ in play_by_chance(game, chance):
            for viewer in (0, 1):
                cards[viewer].follow(game.events[followed:])
                other = 1 - viewer
                held = cards[viewer].hands[other] + cards[viewer].kept[other]
                if game.position.question == Question.GIVE and game.seat != viewer:
                    held += cards[viewer].hands[viewer]  # the gifts have not changed hands yet
                seen = Counter(cards[viewer].names[card] for card in held if card in cards[viewer].seen)
                assert remembered(game.memory(viewer)) == seen
            followed = len(game.events)


def test_the_whole_draft_is_remembered():
    """After the draft, every card of a packet that a seat has held is known to be in some hand."""
    for number in range(60):
        game = Game(2 + number % 3, "draft", seed=number)
        chance = Random(number)
        viewers = range(-1, game.players)
        cards = {viewer: PhysicalCards(game.record(), viewer) for viewer in viewers}
        followed = 0
        for _ in play_by_chance(game, chance):
            for viewer in viewers:
                cards[viewer].follow(game.events[followed:])
                places = (*cards[viewer].hands, *cards[viewer].kept)
                own = cards[viewer].hands[viewer] + cards[viewer].kept[viewer] if viewer >= 0 else []
                held = [card for place in places for card in place if card not in own]
                seen = Counter(cards[viewer].names[card] for card in held if card in cards[viewer].seen)
                assert remembered(game.memory(viewer)) == seen
                check_truth(game, viewer)
            followed = len(game.events)
            if isinstance(game.events[-1], TurnBegan):
                break


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_a_determinization_fits_the_view_and_the_memory(portion):
    for number in range(portion, GAMES, PORTIONS):
        game = new_game(number)
        chance = Random(number)
        for _ in play_by_chance(game, chance):
            if chance.random() > 0.1:
                continue
            for viewer in range(-1, game.players):
                seen, memory = game.view(viewer), game.memory(viewer)
                position = determinize(seen, memory, chance)
                assert view(position, viewer) == seen, write_view(seen)
                assert not problems(position), write_position(position)
                for place, cards in memory.certain.items():
                    lying = (position.kept if place.kept else position.hands)[place.seat]
                    assert cards <= Counter(cards_in(lying))
                for seats, cards in memory.loose.items():
                    held = sum((Counter(cards_in(position.hands[seat])) for seat in seats), Counter())
                    assert cards <= held
