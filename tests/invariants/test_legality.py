"""A choice is rejected if and only if it is not legal, and the reason given is true."""

from random import Random

import pytest

from hegemon.play.legality import SENTENCES, reason_against
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import LETTERS, count, total
from hegemon.rules.engine import legal, may_choose
from hegemon.rules.position import Question
from hegemon.rules.rulings import SWITCHES
from hegemon.rules.setup import owes_pick
from random_games import transitions

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = 96
PORTIONS = 4

MARKING = (Question.EMBARGO, Question.DEMOCRACY)
DRAFTING = (Question.DRAFT, Question.CENTER)
PLAYING = (Question.PLAY, Question.PLAY_MORE)


class Case:
    """A choice that was rejected, and the plain facts of the position."""

    def __init__(self, position, seat, choice, facts):
        self.position, self.seat, self.choice, self.facts = position, seat, choice, facts
        self.question = position.question
        self.hand, self.area = position.hands[seat], position.areas[seat]
        letter = next((letter for letter in choice.upper() if letter in LETTERS), "")
        if choice[0] == "c":
            letter = choice[1]
        self.domain = LETTERS.find(letter)
        self.is_card = choice in LETTERS
        self.is_own = len(choice) > 1 and choice[0] in LETTERS and choice[1] == "+"
        self.is_copy = choice[0] == "c"
        self.level = choice.count("+") if self.is_own or self.is_copy else 0
        self.needed = 2 * self.level + (position.players < 4)
        self.distance = int(choice[2]) if choice[1:2] == "+" and choice[2:].isdecimal() else None
        self.target = (seat + (self.distance or 0)) % position.players

    def rules(self, switch):
        return bool(self.position.rulings & SWITCHES[switch])

    def used(self, letter):
        place = LETTERS.upper().find(letter) if letter in LETTERS else 6 + LETTERS.lower().find(letter)
        return bool(self.position.used >> place & 1)

    def others(self, domain):
        seats = [seat for seat in range(self.position.players) if seat != self.seat]
        return max(count(self.position.areas[seat][domain]) for seat in seats)

    def there(self):
        """The number of cards of the named Domain in the place that the question takes them from."""
        pile = self.position.discard_piles
        place = {Question.DISCARD_FROM_AREA: self.area, Question.TAKE_BACK: self.area, Question.FETCH: pile}
        return place.get(self.question, self.hand)

    def other_cards(self):
        """The number of face-up cards that a marker could be put on."""
        return total(self.position.areas[self.target]) - (self.target == self.seat)


#: When each reason is true.
TRUTH = {
    "over": lambda case: case.question == Question.OVER,
    "not-to-move": lambda case: case.question != Question.DRAFT and case.seat != case.position.seat,
    "kept-already": lambda case: case.question == Question.DRAFT and not owes_pick(case.position, case.seat),
    "draft-by-kind": lambda case: case.question in DRAFTING and case.facts["example"][1:] in ("1", "2", "3"),
    "card-not-there": lambda case: case.question in DRAFTING and case.choice[1] in "123",
    "draft-is-over": lambda case: case.question not in DRAFTING and case.choice[1] in "123",
    "card-first": lambda case: case.question == Question.PLAY and not case.is_card,
    "effect-not-done": lambda case: case.position.left > 0 and not case.is_card,
    "domain-not-done": lambda case: case.question in MARKING and not case.is_card,
    "not-a-card": lambda case: case.question == Question.EFFECTS and case.is_card,
    "embargo": lambda case: case.question in PLAYING and case.position.embargoes[case.seat][case.domain],
    "none-there": lambda case: case.there()[case.domain] == 0,
    "one-order": lambda case: case.domain < case.position.floor,
    "too-few-left": lambda case: sum(map(count, case.there()[case.domain :])) < case.position.left,
    "nothing-to-mark": lambda case: (
        count(case.position.areas[case.position.target][case.domain]) - (case.position.target == case.seat)
        <= 0
    ),
    "permanent-used": lambda case: case.used(LETTERS[case.domain]) and case.level,
    "passive": lambda case: case.rules("passive-religion") and case.domain == 1 and case.level,
    "below-threshold": lambda case: count(case.area[case.domain]) < case.needed and case.is_own,
    "no-hand": lambda case: total(case.hand) < case.level and case.domain == 0,
    "no-area": lambda case: total(case.area) < case.level and case.domain in (2, 3),
    "no-pile": lambda case: total(case.position.discard_piles) < case.level and case.domain == 5,
    "no-deck": lambda case: case.position.deck_size == 0 and case.domain == 1,
    "inspired-already": lambda case: case.used("C") and case.is_copy,
    "no-lead": lambda case: count(case.area[4]) <= case.others(4) and case.is_copy,
    "own-effect": lambda case: (
        count(case.area[case.domain]) >= case.needed
        and legal(case.position) >> CHOICES.index(case.choice[1:]) & 1
    ),
    "no-other-has-it": lambda case: case.others(case.domain) < case.needed and case.is_copy,
    "discard-used": lambda case: case.used(case.choice[0]),
    "no-card": lambda case: count(case.area[LETTERS.upper().index(paid_with(case.choice))]) == 0,
    "nothing-to-attack": lambda case: (
        count(case.area[LETTERS.index(case.choice[1])]) <= (case.choice == "mM")
    ),
    "too-far": lambda case: case.distance >= case.position.players,
    "not-oneself": lambda case: (
        case.distance == 0 and not case.rules("embargo-self" if case.choice[0] == "e" else "democracy-self")
    ),
    "not-teammate": lambda case: (
        case.choice == "u+2" and case.position.teams and not case.rules("democracy-teammate")
    ),
    "nothing-to-aim-at": lambda case: case.distance is not None and case.other_cards() == 0,
    "science-only": lambda case: (
        case.choice[0] == "s" and case.choice[1] != "S" and not case.rules("breakthrough-any")
    ),
}


def paid_with(choice):
    """The letter of the card that a discard effect is paid with."""
    return choice[1] if choice[0] == "s" else choice[0].upper()


def check_every_choice(position, met):
    for seat in range(-1, position.players + 1):
        sits = 0 <= seat < position.players
        choices = 0
        if sits and may_choose(position, seat):
            turned = position.copy()
            turned.seat = seat
            choices = legal(turned)
        for number, choice in enumerate(CHOICES):
            reason = reason_against(position, seat, number)
            assert (reason is None) == bool(choices >> number & 1), (reason, choice, seat, position)
            if reason is None:
                continue
            met.add(reason.code)
            if reason.code == "no-such-seat":
                assert not sits
            else:
                true = TRUTH[reason.code](Case(position, seat, choice, reason.facts))
                assert true, (reason, choice, seat, position)
            sentence = str(reason)
            assert sentence.endswith(".")
            assert "{" not in sentence
            assert str(reason.facts.get("domain", "")) in sentence


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_a_choice_is_rejected_if_and_only_if_it_is_not_legal(portion):
    met = set()
    for number in range(portion, GAMES, PORTIONS):
        chance = Random(number)
        for _, _, position in transitions(number):
            if chance.random() < 0.08:
                check_every_choice(position, met)
    assert len(met) > 20


def test_every_reason_is_true():
    about_a_game = {"no-such-seat", "cannot-undo", "nothing-to-undo", "no-such-moment"}
    about_sets = {"not-together", "wrong-number", "oldest-first"}
    assert set(TRUTH) == set(SENTENCES) - about_a_game - about_sets


def test_giving_a_reason_changes_nothing():
    for _, _, position in transitions(5):
        before = position.copy()
        for number in range(len(CHOICES)):
            reason_against(position, position.seat, number)
        assert position == before
