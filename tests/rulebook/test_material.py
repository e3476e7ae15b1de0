"""The material: cards, piles, positions and what is seen of them."""

from hegemon.notation.setup import setup_position
from hegemon.rules.actions import Effect
from hegemon.rules.cards import AGE_I, AGE_II, AGE_III, DOMAINS, Domain, count, count_of_age
from hegemon.rules.picks import pickable
from hegemon.rules.position import Position, Question, notation_of
from hegemon.rules.rulings import PRESETS, STANDARD, SWITCHES
from hegemon.rules.setup import BASIC, cards_of_age
from hegemon.rules.shuffle import MAX_SEED
from hegemon.rules.view import view
from rulebook import given, shuffled


def presets_with(switch):
    return " ".join(name for name, rulings in PRESETS.items() if rulings & SWITCHES[switch])


def test_every_domain_has_its_letter():
    assert "".join(domain.letter for domain in Domain) == "MRESCU"


def test_the_board_names_sixteen_effects():
    assert [Effect(number).name.lower() for number in range(16)] == [
        "assassination", "purge", "holy_book", "divine_right", "development", "monopoly", "experiment", "research",
        "oligarchy", "republic", "attack", "inquisition", "embargo", "breakthrough", "democracy", "inspiration",
    ]  # fmt: skip


def test_every_preset_turns_its_own_switches_on():
    assert list(SWITCHES.values()) == [1, 2, 4, 8, 16, 32, 64]
    assert {switch: presets_with(switch) for switch in SWITCHES} == {
        "embargo-self": "en el pl",
        "democracy-self": "en el",
        "democracy-teammate": "standard en el de hu",
        "breakthrough-any": "pl",
        "coin-tie": "standard en el de hu",
        "passive-religion": "",
        "show-backs": "standard en el de hu pl",
    }


def test_seeds_have_sixty_three_bits():
    assert MAX_SEED == 2**63 - 1


def test_a_pile_is_the_sum_of_its_cards():
    pile = 3 * AGE_I + 2 * AGE_II + 4 * AGE_III
    assert [count(pile), *(count_of_age(pile, age) for age in (1, 2, 3))] == [9, 3, 2, 4]


def test_a_shuffled_deck_holds_the_cards_of_each_age_that_a_table_needs():
    assert [cards_of_age(2, age) for age in (1, 2, 3)] == [25, 29, 41]
    assert [cards_of_age(3, age) for age in (1, 2, 3)] == [25, 29, 41]
    assert [cards_of_age(4, age) for age in (1, 2, 3)] == [28, 32, 44]
    kinds = shuffled(players=3).position.deck[94::-1]
    assert setup_position(3, BASIC, False, STANDARD, kinds) == shuffled(players=3).deal("basic").position


def test_the_cards_that_an_effect_may_take_can_be_counted():
    hand = given("R1e1S111(M11R1)/C1(S1) 1e S p1").position
    assert [pickable(hand, domain) for domain in range(DOMAINS)] == [2, 0, 0, 0, 0, 0]
    area = given("M1e1S111(M1R11)/C1(S1) 1e S t1p1").position
    assert [pickable(area, domain) for domain in range(DOMAINS)] == [1, 0, 0, 3, 0, 0]
    pile = given("U333(M1R11)/C1(S1) 1e U f1 - - E12").position
    assert [pickable(pile, domain) for domain in range(DOMAINS)] == [0, 0, 2, 0, 0, 0]


def test_a_position_equals_its_copy_until_one_of_them_changes():
    position = given("M1(R1E1)/C1(S1) 1p - - - M1R1").position
    copy = position.copy()
    assert copy == position
    copy.hands[1][0] += AGE_I
    assert copy != position
    assert position != "M1(R1E1)/C1(S1) 1p"


def test_the_default_position_is_an_empty_table_for_two():
    given("()/() 1e").then("()/() 1e - - - - - 1 standard")
    assert Position(question=Question.EFFECTS, round=1) == given("()/() 1e").position


def test_the_repr_of_a_position_is_its_notation():
    line = "M1(R1E1)/C1(S1) 1p - - - M1R2 - 1 standard"
    assert repr(given(line).position) == f"read_position('{line}')"
    assert repr(view(given(line).position, 0)) == "read_view('M1(R1E1)/C1(?1) 1p - - - ?12 - 1 standard @1')"


def test_only_positions_and_views_have_a_notation():
    assert notation_of(given("()/() 1e").position).startswith("read_position(")
    assert notation_of(Domain.MILITARY) == object.__repr__(Domain.MILITARY)


def test_a_view_equals_another_that_shows_the_same():
    position = given("M1(R1E1)/C1(S1) 1p - - - M1R2R2").position
    assert view(position, 0) == view(position.copy(), 0)
    assert view(position, 0) != view(position, 1)
    assert view(position, 0) != position
    assert view(position, 0).deck_size == 3
