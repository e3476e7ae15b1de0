"""Invariants of cards, turns and scores: what can be proved from the rules (I1…I10) holds in every random game."""

from itertools import product
from random import Random

import pytest

from hegemon.notation.problems import problems
from hegemon.notation.writing import write_position
from hegemon.rules.cards import ALL_CARDS, DOMAINS, LETTERS, MILITARY, count, total
from hegemon.rules.position import Position, Question
from hegemon.rules.rulings import EMBARGO_SELF
from hegemon.rules.setup import cards_removed
from hegemon.rules.turn import threshold
from hegemon.rules.victory import majority_winners, points
from random_games import new_game, transitions

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = 96
PORTIONS = 4
in_portions = pytest.mark.parametrize("portion", range(PORTIONS))


def numbers(portion):
    return range(portion, GAMES, PORTIONS)


def cards_on_the_table(position):
    places = (*position.hands, *position.areas, *position.kept, position.discard_piles, position.center_piles)
    markers = sum(count(pile) for column in position.embargoes for pile in column) + (
        position.new_embargo > 0
    )
    return (
        position.deck_size
        + sum(total(piles) for piles in places)
        + markers
        + sum(sum(column) for column in position.democracies)
    )


@in_portions
def test_cards_are_conserved(portion):
    """I1: deck, box, hands, areas, markers and discard pile are always the 104 cards of the game."""
    for number in numbers(portion):
        for before, choice, after in transitions(number):
            assert cards_on_the_table(after) + 3 * cards_removed(after.players) == ALL_CARDS, (before, choice)
            assert not problems(after), write_position(after)  # and the right number of each kind


@in_portions
def test_turns_follow_the_rules(portion):
    for number in numbers(portion):
        effects = 0
        for before, choice, after in transitions(number):
            seat = before.seat
            new_turn = after.round and (seat, before.round) != (after.seat, after.round)
            if new_turn and after.question != Question.OVER:
                # I2: every player begins every turn with at least three cards; I3: and the deck outlasts the deal.
                assert total(after.hands[after.seat]) >= 3
                assert before.round or after.deck_size > 80
                effects = 0
            if before.question == Question.EFFECTS and choice != ".":
                effects += 1
                assert effects <= 10  # I7: a turn is finite
            if not before.round:
                continue
            for other in set(range(before.players)) - {seat}:
                # I8: only the player whose turn it is has more cards in any Domain than before.
                for domain in range(DOMAINS):
                    assert count(after.areas[other][domain]) <= count(before.areas[other][domain])
                # Between turns only an Inquisition touches a hand.
                if before.question != Question.GIVE and not choice.startswith("r+"):
                    assert after.hands[other] == before.hands[other]


@in_portions
def test_the_number_of_embargoes_is_bounded(portion):
    """I10: one from each opponent, and two of one's own where the rulings allow them: one ending, one for the next."""
    for number in numbers(portion):
        for _, _, after in transitions(number):
            own = 1 if after.rulings & EMBARGO_SELF else 0
            for seat in range(after.players):
                lying = sum(count(pile) for pile in after.embargoes[seat])
                assert lying <= after.players - 1 + own
            assert own or not after.new_embargo


@in_portions
def test_the_second_level_implies_the_first(portion):
    """I6: two cards in hand or pile include one, so level 1 is available wherever level 2 is."""
    for number in numbers(portion):
        game = new_game(number)
        chance = Random(number)
        while not game.over:
            choices = set(game.choices)
            for letter in LETTERS.replace("C", ""):
                assert f"{letter}++" not in choices or f"{letter}+" in choices
                assert f"c{letter}++" not in choices or choices & {f"{letter}+", f"c{letter}+"}
            game.play(chance.choice(game.choices))


def test_the_thresholds_are_those_of_the_rulebook():
    assert [[threshold(Position(players=players), level) for level in (1, 2)] for players in (2, 3, 4)] == [
        [3, 5],
        [3, 5],
        [2, 4],
    ]


# ------------------------------------------------------------------ facts about scores


def table_of_counts(counts, teams=0):
    """A finished position with these numbers of cards of each Domain; Age III, so a pile is its count."""
    position = Position(players=len(counts), teams=teams, question=Question.OVER)
    position.areas[: len(counts)] = [list(row) for row in counts]
    return position


def test_a_domain_without_cards_changes_no_winner():
    """I4: whether all sides score a Domain without cards, or none does, the same players win."""
    chance = Random(4)
    for _ in range(20_000):
        players = chance.choice((2, 3, 4))
        teams = players == 4 and chance.random() < 0.5
        empty = chance.randrange(DOMAINS)
        counts = [[chance.randrange(3) if d != empty else 0 for d in range(DOMAINS)] for _ in range(players)]
        tied = [[cards if d != empty else 1 for d, cards in enumerate(row)] for row in counts]
        for_no_one = majority_winners(table_of_counts(counts, teams))
        assert for_no_one == majority_winners(table_of_counts(tied, teams))


def test_a_team_scores_where_none_of_its_opponents_has_more():
    """I5: leading among all four and leading against the two opponents are the same."""
    for counts in product(range(6), repeat=4):
        position = table_of_counts([(cards, 0, 0, 0, 0, 0) for cards in counts], teams=1)
        for side in (0, 1):
            team, opponents = counts[side::2], counts[1 - side :: 2]
            among_four = max(counts) > 0 and max(counts) in team
            against_two = max(team) > 0 and max(team) >= max(opponents)
            assert points(position, side) == among_four == against_two


def test_military_breaks_no_tie_between_two_players():
    """I9: if all other Domains are equal, the player with more Military already has one point more."""
    chance = Random(9)
    for _ in range(20_000):
        first = [chance.randrange(4) for _ in range(DOMAINS)]
        second = [chance.randrange(4), *first[1:]]
        position = table_of_counts([first, second])
        tied = points(position, 0) == points(position, 1)
        assert tied == (first[MILITARY] == second[MILITARY])
        assert majority_winners(position) == 3 if tied else majority_winners(position) in (1, 2)
