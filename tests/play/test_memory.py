"""Memory: what the events have revealed about other hands, and for how long it is known."""

from collections import Counter

from hegemon import Game, Memory, read_position, write_view
from hegemon.notation.choices import read_choice
from hegemon.play.events import events_of_move
from hegemon.play.memory import Bundle, Place
from hegemon.rules.engine import apply, legal
from hegemon.rules.rulings import SHOW_BACKS


def after(line, choices, viewer):
    """What a seat, counted from 1, remembers after these choices; 0 is a spectator."""
    position = read_position(line)
    memory = Memory(viewer - 1, position.players)
    for text in choices.split():
        action = read_choice(text)
        assert legal(position) >> action & 1, text
        before = position.copy()
        apply(position, action)
        backs_shown = bool(position.rulings & SHOW_BACKS)
        memory.see(
            event.seen_by(viewer - 1, backs_shown) for event in events_of_move(before, action, position)
        )
    return memory


def known(memory):
    """The certain cards of every seat."""
    return [str(memory.known(seat)) for seat in range(memory.players)]


def test_nothing_is_known_at_first():
    memory = Memory(0, 3)
    assert known(memory) == ["", "", ""]
    assert repr(memory) == "Memory(0, 3)"


def test_a_fetched_card_is_known_until_one_like_it_is_played():
    line = "U333(R1)/C1(S1C1M1) 1e - - - E2M11 E2"
    assert known(after(line, "U+ E", viewer=2)) == ["E2", ""]
    assert known(after(line, "U+ E", viewer=0)) == ["E2", ""]
    assert known(after(line, "U+ E . S . R", viewer=2)) == ["E2", ""]
    assert known(after(line, "U+ E . S . E", viewer=2)) == ["", ""]
    assert known(after(line, "U+ E", viewer=1)) == ["", ""]  # one's own hand is in the view


def test_a_card_taken_back_is_known_until_one_like_it_is_discarded():
    line = "M11112S111(R1)/C1(E1) 1e"
    assert known(after(line, "S+ M R", viewer=2)) == ["M1", ""]
    assert known(after(line, "S+ M R M+ M", viewer=2)) == ["", ""]


# ------------------------------------------------------------------ Inquisition

TAKEN = "R1(M1E1)/C1(S1C1U3)/S1(R1) 1e"


def test_the_inquisitor_knows_what_was_given():
    assert known(after(TAKEN, "r+1", viewer=1)) == ["", "", ""]
    assert known(after(TAKEN, "r+1 M", viewer=1)) == ["", "M1", ""]
    assert known(after(TAKEN, "r+1 M E S", viewer=1)) == ["", "M1E1S1", ""]


def test_the_victim_knows_what_was_taken_and_not_given_back():
    assert known(after(TAKEN, "r+1 M", viewer=2)) == ["S1C1U3", "", ""]
    assert known(after(TAKEN, "r+1 M E S", viewer=2)) == ["C1U3", "", ""]


def test_others_know_nothing_of_cards_they_never_saw():
    assert known(after(TAKEN, "r+1 M E S", viewer=3)) == ["", "", ""]
    assert known(after(TAKEN, "r+1 M E S", viewer=0)) == ["", "", ""]


FETCHED = "R1U333(M1)/C1(S1C1S3)/S1(R1) 1e - - - M111 U3"


def test_a_known_card_stays_known_to_all_through_an_inquisition():
    """There is only one card of Age III besides the fetched Utopia: after one was given, it may be either."""
    memory = after(FETCHED, "U+ U r+1", viewer=3)
    assert known(memory) == ["U3", "", ""]
    memory = after(FETCHED, "U+ U r+1 M S S", viewer=3)
    assert known(memory) == ["", "", ""]
    assert memory.loose == {frozenset((0, 1)): Counter({"U3": 1})}
    assert repr(memory) == "Memory(2, 3, '1/2:U3 backs:?11133')"


def test_backs_show_where_a_known_card_is():
    """No card of Age III was given: the Utopia was kept. Both were given: so was the Utopia."""
    assert known(after(FETCHED, "U+ U r+1 M S C", viewer=3)) == ["U3", "", ""]
    assert known(after(FETCHED, "U+ U r+1 S S U", viewer=3)) == ["", "U3", ""]


def test_hidden_backs_show_nothing():
    line = f"{FETCHED} 1 standard!show-backs"
    memory = after(line, "U+ U r+1 M S C", viewer=3)
    assert known(memory) == ["", "", ""]
    assert memory.loose == {frozenset((0, 1)): Counter({"U3": 1})}


def test_a_loose_card_that_is_played_is_gone():
    story = "U+ U r+1 M S S ."
    memory = after(FETCHED, f"{story} S", viewer=3)
    assert memory.loose == {frozenset((0, 1)): Counter({"U3": 1})}
    line = FETCHED.replace("S1C1S3", "S1C1U3")
    memory = after(line, "U+ U r+1 M S U . U", viewer=3)
    assert memory.loose == {}


def test_a_loose_card_is_found_when_one_of_the_hands_is_taken():
    """Seat 3 takes the hand of seat 2: the Utopia is there, or it is with seat 1."""
    line = "R1U333(M1)/C1(S1C1S3)/R11S1(R1) 1e - - - M111 U3"
    gone = "U+ U r+1 M S S . M . R r+2"  # seat 2 got M1 S1 S3, seat 3 takes what is left of it
    assert known(after(line, gone, viewer=3)) == ["U3", "", ""]
    line = line.replace("S1C1S3", "S1C1M3")
    kept = "U+ U r+1 S C U . S . R r+2"  # seat 2 got S1 C1 U3
    assert known(after(line, kept, viewer=3)) == ["", "", ""]
    assert after(line, kept, viewer=3).loose == {}


def test_loose_cards_follow_a_hand_that_is_taken_again():
    """Seat 1 fetched a card and took from seat 2; then seat 3 takes from seat 2, and seat 4 has seen it all."""
    line = "R1U33(M1)/C1(S1C1S3)/R1(R1M3)/C2(R2) 1e - - - M111 U3"
    story = "U+ U r+1 M S S . M . R"
    assert after(line, story, viewer=4).loose == {frozenset((0, 1)): Counter({"U3": 1})}
    memory = after(line, f"{story} r+3", viewer=4)
    assert memory.loose == {frozenset((0, 2)): Counter({"U3": 1})}
    memory = after(line, f"{story} r+3 M M S", viewer=4)
    assert memory.loose == {frozenset((0, 1, 2)): Counter({"U3": 1})}


def test_groups_that_would_cross_become_one():
    memory = Memory(3, 4)
    memory._scatter(frozenset((0, 1)), Counter(["U3"]))
    memory._scatter(frozenset((0, 1, 2)), Counter(["M1"]))
    assert len(memory.loose) == 2
    memory = Memory(3, 4)
    memory._scatter(frozenset((0, 1)), Counter(["U3"]))
    memory._scatter(frozenset((1, 2)), Counter(["U3", "M1"]))
    assert memory.loose == {frozenset((0, 1, 2)): Counter({"U3": 2, "M1": 1})}


def test_the_most_specific_knowledge_is_removed_first():
    memory = Memory(3, 4)
    memory.certain = {Place(0): Counter(["U3"])}
    memory.loose = {frozenset((0, 1)): Counter(["U3"]), frozenset((0, 1, 2)): Counter(["U3"])}
    for left in (2, 1, 0):
        memory._lose(0, "U3")
        assert (
            sum(cards.total() for cards in memory.loose.values())
            + memory.certain.get(Place(0), Counter()).total()
            == left
        )
        assert (frozenset((0, 1)) in memory.loose) == (left == 2)
    memory._lose(0, "U3")
    assert memory.loose == {}


# ------------------------------------------------------------------ the draft


def drafted(players, seed):
    """A draft in which every seat keeps the first card and takes the first of the center."""
    game = Game(players, "draft", seed=seed)
    while game.position.round == 0:
        game.play(game.choices[0])
    return game


def test_between_two_players_two_of_three_kept_cards_are_known():
    for seed in range(20):
        game = drafted(2, seed)
        for viewer in (0, 1):
            memory = game.memory(viewer)
            assert sum(cards.total() for cards in memory.certain.values()) == 2
            assert not memory.bundles
            assert not memory.loose


def test_of_three_players_the_two_who_divided_a_packet_are_known():
    """The next two players each kept a card of one's own first packet; which of them kept which is unknown."""
    game = drafted(3, seed=3)
    dealt = Counter(game.events[0].hands[0])
    bundle = game.memory(0).bundles[0]
    assert bundle.places == Counter({Place(1): 1, Place(2): 1})
    assert bundle.cards.total() == 2
    assert bundle.cards <= dealt
    assert " 2*1/3*1:" in repr(game.memory(0))
    # Of the packet that came next, seat 2 kept a card, and that is certain.
    assert sum(cards.total() for cards in game.memory(0).certain.values()) == 1


def test_a_packet_is_known_while_it_goes_round():
    game = Game(4, "draft", seed=5)
    for _ in range(4):
        game.play(game.choices[0])
    memory = game.memory(0)
    assert memory.known(1) == game.position.hand(1)
    assert memory.bundles[0].places == Counter({Place(1): 3})
    game.play(game.choices_of(1)[0], seat=1)
    memory = game.memory(0)
    assert memory.bundles[0].places == Counter({Place(1): 2, Place(1, kept=True): 1})
    assert memory.known(1)


def test_equal_cards_need_not_be_distinguished():
    bundle = Bundle(Counter({"M1": 2}), Counter({Place(1): 1, Place(2): 1}))
    assert bundle.certain() == {Place(1): Counter(["M1"]), Place(2): Counter(["M1"])}
    assert Bundle(Counter(["M1", "R1"]), Counter({Place(1): 1, Place(2): 1})).certain() is None


def test_a_bundle_is_certain_of_what_does_not_fit_elsewhere():
    bundle = Bundle(Counter({"M1": 2, "R1": 1}), Counter({Place(1): 2, Place(2): 1}))
    assert bundle.certainly_held_by(1) == Counter({"M1": 1})
    assert bundle.certainly_held_by(2) == Counter()


def test_a_bundle_comes_apart_when_a_card_of_it_may_have_been_played():
    memory = Memory(0, 4)
    memory.bundles = [Bundle(Counter(["M1", "R1"]), Counter({Place(1): 1, Place(2): 1}))]
    memory._lose(1, "S1")
    assert len(memory.bundles) == 1
    memory._lose(1, "M1")
    assert memory.bundles == []
    assert memory.loose == {frozenset((1, 2)): Counter(["R1"])}


def test_a_bundle_comes_apart_in_an_inquisition():
    game = drafted(4, seed=3)
    memory = game.memory(0)
    cards = memory.bundles[0].cards
    memory._loosen(1)
    assert memory.bundles == []
    assert memory.loose == {frozenset((1, 2)): cards}


# ------------------------------------------------------------------ as text


def test_every_kind_of_knowledge_has_a_text():
    memory = Memory(3, 4)
    memory.certain = {Place(1): Counter(["M1", "M1", "R2"]), Place(0, kept=True): Counter(["U3"])}
    memory.bundles = [Bundle(Counter(["S1", "C1", "E3"]), Counter({Place(0): 1, Place(2, kept=True): 2}))]
    memory.loose = {frozenset((1, 2)): Counter(["E1"]), frozenset((0, 1)): Counter(["M2", "M3"])}
    memory._packet = Counter(["M1", "S2"])
    memory._backs = Counter(["?1", "?3", "?1"])
    text = "1k:U3 2:M11R2 1*1/3k*2:E3S1C1 1/2:M23 2/3:E1 packet:M1S2 backs:?113"
    assert str(memory) == text
    assert repr(memory) == f"Memory(3, 4, '{text}')"
    assert Memory(3, 4, text) == memory


def test_backs_without_ages_have_a_text():
    memory = Memory(-1, 2)
    memory._backs = Counter(["?", "?", "?"])
    assert str(memory) == "backs:???"
    assert Memory(-1, 2, "backs:???") == memory


def test_a_turn_leaves_no_packet_and_no_backs():
    game = Game(2, seed=1)
    assert str(game.memory(0)) == ""
    assert str(Game(2, "draft", seed=1).memory(0)).startswith("packet:")
    line = "R1(M1E1)/C1(S1C1U3)/S1(R1) 1e - - - M11"
    assert str(after(line, "r+1 M E S", viewer=3)) == "backs:?11113"
    assert str(after(line, "r+1 M E S .", viewer=3)) == ""


def test_a_memory_can_be_built_from_its_text():
    memory = Memory(0, 3, "2:M1 2/3:S1 3*1/2*1:E1C1")
    assert [str(memory.known(seat)) for seat in range(3)] == ["", "M1", ""]
    assert memory.loose == {frozenset((1, 2)): Counter(["S1"])}
    assert memory.bundles == [Bundle(Counter(["E1", "C1"]), Counter({Place(1): 1, Place(2): 1}))]


# ------------------------------------------------------------------ in a game


def test_a_copy_is_independent():
    memory = Game(3, "draft", seed=3).memory(0)
    copy = memory.copy()
    assert copy == memory
    assert copy != "memory"
    game = drafted(3, seed=3)
    copy.see(game.events_seen_by(0, since=1))
    assert copy == game.memory(0)
    assert copy != memory


def test_memory_is_the_same_if_it_is_read_often_or_once():
    often, once = Game(3, "draft", seed=9), Game(3, "draft", seed=9)
    for number in range(150):
        action = often.choices[number % len(often.choices)]
        often.play(action)
        once.play(action)
        often.memory(number % 3)
    for seat in range(-1, 3):
        assert often.memory(seat) == once.memory(seat)
        assert write_view(often.view(seat)) == write_view(once.view(seat))
