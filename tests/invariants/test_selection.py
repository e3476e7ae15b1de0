"""Sets of cards: those that can be chosen are exactly those that the engine’s sequences reach."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from hegemon.notation.choices import choices_in
from hegemon.play.determinization import public_position
from hegemon.play.game import Game
from hegemon.play.selection import selection_of
from hegemon.rules.cards import LETTERS
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Question
from random_games import new_game, play_by_chance

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = 96
PORTIONS = 4


def sets_by_sequences(position):
    """The sets that the engine's sequences of choices reach while the question stays the same, with their outcomes."""
    reached = {}

    def walk(now, chosen):
        if (now.seat, now.question) != (position.seat, position.question):
            assert chosen not in reached, "a set has one sequence"
            reached[chosen] = now
            return
        for choice in choices_in(legal(now)):
            after = now.copy()
            apply(after, LETTERS.index(choice))
            walk(after, (*chosen, choice))

    walk(position, ())
    return reached


def sets_of_selection(selection):
    """The sets that a person can mark: the oldest cards of a Domain come first."""
    cards = [str(card) for card in selection.cards]
    for marked in combinations(range(len(cards)), selection.number):
        numbers = Counter(cards[place][0] for place in marked)
        oldest = [card for letter, number in numbers.items() for card in of_domain(cards, letter)[:number]]
        if sorted(oldest) == sorted(cards[place] for place in marked):
            yield tuple(cards[place] for place in marked)


def of_domain(cards, letter):
    return [card for card in cards if card[0] == letter]


def questions_for_several_cards(number):
    """Every position of the game with this number in which several cards have to be chosen."""
    game = new_game(number)
    for _ in play_by_chance(game, Random(number)):
        if not game.over and game.position.left > 1 and game.position.question > Question.EFFECTS:
            yield game


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_a_selection_has_exactly_the_sets_that_sequences_reach(portion):
    chance, seen = Random(portion), 0
    for number in range(portion, GAMES, PORTIONS):
        for game in questions_for_several_cards(number):
            before, selection = game.position, game.selection()
            reached = sets_by_sequences(before)
            marked = {tuple(card[0] for card in cards): cards for cards in sets_of_selection(selection)}
            assert marked.keys() == reached.keys()
            letters = chance.choice(sorted(reached))
            cards = list(marked[letters])
            chance.shuffle(cards)
            other = game.copy()
            other.play(cards)
            assert (other.position, other.moves[-len(letters) :]) == (reached[letters], letters)
            seen += 1
    assert seen > 100


def test_no_other_set_is_accepted():
    game = Game.from_position("M11111(M12R1E1)/(S1) 1e M h2")
    accepted = {tuple(cards) for cards in combinations(["M1", "M2", "R1", "E1"], 2) if is_legal(game, cards)}
    assert accepted == {("M1", "M2"), ("M1", "R1"), ("M1", "E1"), ("R1", "E1")}


def is_legal(game, cards):
    try:
        return bool(game.actions_of(cards))
    except ValueError:
        return False


@pytest.mark.parametrize("number", range(0, GAMES, 8))
def test_a_selection_can_be_computed_from_the_view(number):
    """The position that a view shows, without anything hidden, has the same selection; other seats have none."""
    for game in questions_for_several_cards(number):
        for seat in range(-1, game.players):
            selection = selection_of(public_position(game.view(seat)), seat)
            assert selection == game.selection(seat)
            assert (selection is not None) == (seat == game.seat)


@pytest.mark.parametrize("number", range(0, GAMES, 8))
def test_a_set_is_undone_as_a_whole_or_not_at_all(number):
    for game in questions_for_several_cards(number):
        other, before = game.copy(), game.position
        other.play(next(sets_of_selection(other.selection())))
        if other.undoable(game.seat) is None:
            assert before.question == Question.GIVE
        else:
            other.undo(game.seat)
            assert (other.position, other.moves) == (before, game.moves)
