"""What the seats remember, compiled: the cases that random games seldom show."""

import numpy as np
import pytest

from hegemon import Batch, Game, Memory, read_position
from hegemon.kernels.batch_games import InterpretedGames
from hegemon.kernels.knowledge import (
    KNOWLEDGE,
    NEXT,
    SECOND,
    cards_of,
    count_of_kind,
    forget,
    group_of,
    kind_index,
    knowledge_at_root,
    remember,
)
from hegemon.kernels.observation import OBSERVATION, observation
from hegemon.notation.choices import read_choice
from hegemon.play.determinization import unseen_cards
from hegemon.play.events import events_of_move, opening_events
from hegemon.rules.cards import DOMAINS, KINDS, age_of, card_of_age, count_of_age, domain_of
from hegemon.rules.engine import apply, legal
from hegemon.rules.piles import Cards
from hegemon.rules.position import Position
from hegemon.rules.view import view


def after(line, choices):
    """A position after these choices, and what its seats know."""
    position, known = read_position(line), [0] * KNOWLEDGE
    for text in choices.split():
        action = read_choice(text)
        assert legal(position) >> action & 1, text
        remember(known, 0, position, action)
        apply(position, action)
    return position, known


def known_to(viewer, line, choices):
    """The certain cards of every seat, as a viewer, counted from 1, knows them."""
    position, known = after(line, choices)
    first = viewer - 1
    found = []
    for seat in range(position.players):
        cards = known[first + group_of(position, viewer - 1, seat)] if seat != viewer - 1 else 0
        names = [KINDS[place] for place in range(len(KINDS)) for _ in range(count_of_kind(cards, place))]
        piles = [0] * 6
        for kind in names:
            piles[domain_of(kind)] += card_of_age(age_of(kind))
        found.append(str(Cards.from_piles(piles)))
    return found


def test_every_kind_has_its_place():
    assert [kind_index(domain_of(kind), age_of(kind)) for kind in KINDS] == list(range(len(KINDS)))


@pytest.mark.parametrize("text", ["", "M1", "M11111111R2", "R1E123S3C1", "U3", "U" + "3" * 16, "M3R2C3U333"])
def test_cards_are_counted_by_their_kinds(text):
    cards = Cards(text)
    counted = cards_of(cards.piles)
    assert counted < 1 << 63
    for place, kind in enumerate(KINDS):
        assert count_of_kind(counted, place) == cards.count(domain_of(kind), age_of(kind))


def test_a_fetched_card_is_known_until_one_like_it_is_played():
    line = "U333(R1)/C1(S1C1M1) 1e - - - E2M11 E2"
    assert known_to(2, line, "U+ E") == ["E2", ""]
    assert known_to(2, line, "U+ E . S . E") == ["", ""]
    assert known_to(1, line, "U+ E") == ["", ""]


def test_a_card_taken_back_is_known_until_one_like_it_is_discarded():
    line = "M11112S111(R1)/C1(E1) 1e"
    assert known_to(2, line, "S+ M R") == ["M1", ""]
    assert known_to(2, line, "S+ M R M+ M") == ["", ""]


TAKEN = "R1(M1E1)/C1(S1C1U3)/S1(R1) 1e"


def test_both_players_of_an_inquisition_know_which_cards_moved():
    assert known_to(1, TAKEN, "r+1 M") == ["", "M1", ""]
    assert known_to(1, TAKEN, "r+1 M E S") == ["", "M1E1S1", ""]
    assert known_to(2, TAKEN, "r+1 M") == ["S1C1U3", "", ""]
    assert known_to(2, TAKEN, "r+1 M E S") == ["C1U3", "", ""]
    assert known_to(3, TAKEN, "r+1 M E S") == ["", "", ""]


FETCHED = "R1U333(M1)/C1(S1C1S3)/S1(R1) 1e - - - M111 U3"


def test_backs_show_a_third_player_where_a_known_card_is():
    assert known_to(3, FETCHED, "U+ U r+1") == ["U3", "", ""]
    assert known_to(3, FETCHED, "U+ U r+1 M S S") == ["", "", ""]  # it may be either card of Age III
    assert known_to(3, FETCHED, "U+ U r+1 M S C") == ["U3", "", ""]
    assert known_to(3, FETCHED, "U+ U r+1 S S U") == ["", "U3", ""]
    assert known_to(3, f"{FETCHED} 1 standard!show-backs", "U+ U r+1 M S C") == ["", "", ""]


def test_a_card_in_one_of_two_hands_is_found_when_one_of_them_is_taken():
    line = "R1U333(M1)/C1(S1C1S3)/R11S1(R1) 1e - - - M111 U3"
    assert known_to(3, line, "U+ U r+1 M S S . M . R r+2") == ["U3", "", ""]
    line = line.replace("S1C1S3", "S1C1M3")
    assert known_to(3, line, "U+ U r+1 S C U . S . R r+2") == ["", "", ""]


def test_an_empty_hand_can_be_taken():
    """Nothing is given back; the card that lay in one of two hands lies in the other one."""
    line = "R1U333(M1)/C1(S3)/S1(R1) 1e - - - M111 U3"
    story = "U+ U r+1 S"
    assert known_to(3, line, story) == ["", "", ""]
    position, known = after(line, story)
    position.hands[1] = [0] * 6
    position.used = 0
    remember(known, 0, position, read_choice("r+1"))
    assert known[2 + group_of(position, 2, 0)] == cards_of(Cards("U3").piles)


@pytest.mark.parametrize("packet", ["M111S3", "M11R1S3", "M1R1E1S3"])
@pytest.mark.parametrize("shown", [0, 1])
def test_of_a_packet_that_two_players_divide_equal_cards_are_known(packet, shown):
    """The viewer keeps S3; the two next players keep a card each, and the last one is shown."""
    position, known = Position(players=3, left=3), [0] * KNOWLEDGE
    for seat, cards in enumerate((packet, "E2C2C2U3", "R2R2M2M2")):
        position.hands[seat] = list(Cards(cards).piles)
    memory = Memory(0, 3)
    memory.see(event.seen_by(0, True) for event in opening_events(position))
    for number in range(9):
        seat = position.seat
        actions = [action for action in range(64) if legal(position) >> action & 1]
        action = actions[-1] if number == 0 or not shown else actions[0]
        remember(known, 0, position, action)
        before = position.copy()
        apply(position, action)
        memory.see(event.seen_by(0, True) for event in events_of_move(before, action, position))
        assert seat == number % 3
        for other in (1, 2):
            assert known[group_of(position, 0, other)] == cards_of(memory.known(other).piles)


def test_playing_one_of_sixteen_equal_cards_leaves_fifteen_known():
    position, known = Position(players=2, question=2, seat=1, round=1), [0] * KNOWLEDGE
    position.hands[1] = list(Cards("U" + "3" * 16).piles)
    known[NEXT] = cards_of(position.hands[1])
    remember(known, 0, position, read_choice("U"))
    assert known[NEXT] == cards_of(Cards("U" + "3" * 15).piles)


def test_a_new_deal_clears_what_is_known_in_its_game():
    known = [7] * (2 * KNOWLEDGE)
    forget(known, KNOWLEDGE)
    assert known == [7] * KNOWLEDGE + [0] * KNOWLEDGE


def test_a_row_shows_the_known_cards_from_the_next_player_on():
    position = Position(players=3, seat=1)
    known = [0] * KNOWLEDGE
    for group, cards in ((NEXT, "M12U33"), (SECOND, "R2E3"), (NEXT + SECOND, "S1")):
        known[1 + group] = cards_of(Cards(cards).piles)
    row = observation(position, 1, known)
    shown = row[-72:].reshape(3, 6, 4)
    assert shown[0].tolist() == [[1, 1, 0, 2], [0] * 4, [0] * 4, [0] * 4, [0] * 4, [0, 0, 2, 2]]
    assert shown[1].tolist() == [[0] * 4, [0, 1, 0, 1], [0, 0, 1, 1], [0] * 4, [0] * 4, [0] * 4]
    assert not shown[2].any()


def test_a_search_begins_with_what_the_seat_remembers():
    position = read_position("R1U333(M1)/C1(S1C1S3)/S1(R1)/M1(M1M1) 1e - - - M111 U3")
    memory = Memory(0, 4, "2:S1 3/4:M1 2*1/3*1:C1R1")
    certain, unseen = unseen_cards(view(position, 0), memory)
    known = knowledge_at_root(certain, unseen, 0)
    found = {place: cards for place, cards in enumerate(known) if cards}
    assert found == {
        0: 1,
        NEXT: cards_of(Cards("S1").piles),
        SECOND + 2 * SECOND: cards_of(Cards("M1").piles),
        NEXT + SECOND: cards_of(Cards("C1R1").piles),
    }
    assert not any(knowledge_at_root(certain, unseen, -1))


def test_loaded_positions_have_no_history():
    for state in (None, InterpretedGames):
        batch = Batch(4, seed=3)
        if state is not None:
            batch._state = state(batch._table, 4)
            batch._bind()
            batch.reset()
        while not batch.piece("known").any():
            batch.step(batch.random_actions())
        batch.load([batch.position(game) for game in range(4)])
        assert not batch.observe_seats()[:, :, -72:].any()
        assert np.array_equal(batch.observe_seats()[0, 0], batch.observation(0, 0))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_is_remembered_of_a_draft_that_was_joined_late_is_true(players):
    """A loaded position brings no memory: what comes after it must not be built on a packet that no one remembers."""
    known = next(piece for piece in OBSERVATION if piece.name == "known")
    for picks in range(3 * players):
        game = Game(players, "draft", seed=4)
        for _ in range(picks):
            seat = next(seat for seat in range(players) if game.choices_of(seat))
            game.play(game.choices_of(seat)[0], seat)
        batch = Batch(1, players, "draft", seed=4)
        batch.load([game.position])
        drafting = True
        while drafting:
            position = batch.position(0)
            drafting = position.round == 0
            rows = batch.observe_seats()[0, :, known.offset : known.offset + known.length]
            for viewer, row in enumerate(rows.reshape(players, *known.shape)):
                for left in range(players - 1):
                    seat = (viewer + left + 1) % players
                    for domain in range(DOMAINS):
                        piles = position.hands[seat][domain], position.kept[seat][domain]
                        held = [sum(count_of_age(pile, age) for pile in piles) for age in (1, 2, 3)]
                        assert (row[left, domain, :3] <= held).all()
            batch.step(batch.random_actions())
