"""An observation shows what a view and a memory show, no more and no less; what a seat cannot see changes no byte."""

from random import Random

import numpy as np
import pytest

from every_batch import BATCHES, GAMES, STEPS
from hegemon import Batch, Memory
from hegemon.kernels import FEATURES, OBSERVATION
from hegemon.play.events import events_of_move, opening_events
from hegemon.play.observation import observation
from hegemon.rules.cards import (
    DOMAINS,
    KINDS,
    age_of,
    card_of_age,
    count,
    count_of_age,
    domain_of,
    total,
)
from hegemon.rules.position import Question
from hegemon.rules.rulings import SHOW_BACKS, SWITCHES
from hegemon.rules.setup import cards_removed
from hegemon.rules.view import view

pytestmark = pytest.mark.usefixtures("untraced")

# ------------------------------------------------------------------ an observation shows what a view and a memory show


def told(piles):
    return [[*(count_of_age(pile, age) for age in (1, 2, 3)), count(pile)] for pile in piles]


def told_by_backs(backs):
    return [0, 0, 0, backs[0]] if len(backs) == 1 else [*backs, sum(backs)]


def observation_of(seen, memory):
    """The expected observation, built from a view and a memory alone."""
    me, players = seen.viewer, seen.players
    around = [(me + distance) % players for distance in range(players)]
    empty = 4 - players

    def at(seat):
        return [int(seat == other) for other in around] + [0] * empty

    def by_seat(values, blank):
        return [values[seat] for seat in around] + [blank] * empty

    nothing = [[0] * 4] * DOMAINS
    aimed = seen.question in (Question.GIVE, Question.EMBARGO, Question.DEMOCRACY)
    owner = seen.coin_owner - 1
    pieces = {
        "hand": told(seen.hand_piles),
        "areas": by_seat([told(area) for area in seen.areas], nothing),
        "discard_pile": told(seen.discard_piles),
        "backs": by_seat([told_by_backs(backs) for backs in seen.backs], [0] * 4),
        "deck": [*seen.deck_backs, seen.deck_size],
        "embargoes": by_seat([told(piles) for piles in seen.embargoes], nothing),
        "kept": told(seen.kept_piles),
        "kept_backs": by_seat([told_by_backs(backs) for backs in seen.kept_backs], [0] * 4),
        "center": told(seen.center_piles),
        "democracies": by_seat(seen.democracies, [0] * DOMAINS),
        "owing": by_seat([int(seat in seen.owing) for seat in range(players)], 0),
        "question": [int(seen.question == question) for question in Question],
        "to_move": at(seen.seat),
        "target": at(seen.target if aimed else None),
        "left": seen.left,
        "floor": seen.floor,
        "plays": seen.plays,
        "hand_size": seen.hand_size,
        "used": [seen.used >> bit & 1 for bit in range(2 * DOMAINS)],
        "new_embargo": [
            age_of(seen.new_embargo) if seen.new_embargo and domain == domain_of(seen.new_embargo) else 0
            for domain in range(DOMAINS)
        ],
        "coin_owner": at(owner),
        "coin_seat": at(seen.coin_seat if owner >= 0 else None),
        "coin_domain": [int(owner >= 0 and domain == seen.coin_domain) for domain in range(DOMAINS)],
        "round": seen.round,
        "drew": seen.drew,
        "quiet_rounds": seen.quiet_rounds,
        "place": [int(me == seat) for seat in range(4)],
        "players": by_seat([1] * players, 0),
        "teams": seen.teams,
        "rulings": [int(bool(seen.rulings & switch)) for switch in SWITCHES.values()],
        "known": [told(memory.known(seat).piles) for seat in around[1:]] + [nothing] * empty,
    }
    row = np.zeros(FEATURES, np.uint8)
    for piece in OBSERVATION:
        row[piece.offset : piece.offset + piece.length] = np.ravel(pieces.pop(piece.name))
    assert pieces == {}
    return row


class Memories:
    """What the seats of one game of a batch remember from its events."""

    def __init__(self, batch, game):
        self.batch, self.game = batch, game
        self.position = batch.position(game)
        self.memories = [Memory(seat, batch.players) for seat in range(batch.players)]
        self._see(opening_events(self.position))

    def _see(self, events):
        shown = bool(self.position.rulings & SHOW_BACKS)
        for seat, memory in enumerate(self.memories):
            memory.see(event.seen_by(seat, shown) for event in events)

    def follow(self, action):
        """Follow a step of the batch with this action in the game."""
        before, self.position = self.position, self.batch.position(self.game)
        if self.batch.dones[self.game]:
            self.__init__(self.batch, self.game)
        else:
            self._see(events_of_move(before, action, self.position))


@pytest.mark.parametrize("batch", BATCHES, ids=repr)
def test_an_observation_shows_what_a_view_and_a_memory_show(batch):
    batch.reset()
    memories = Memories(batch, 0)
    remembered = 0
    for _ in range(STEPS):
        position, rows = batch.position(0), batch.observe_seats()[0]
        for viewer, row in enumerate(rows):
            memory = memories.memories[viewer]
            assert np.array_equal(row, observation_of(view(position, viewer), memory))
            assert np.array_equal(row, observation(view(position, viewer), memory))
        assert np.array_equal(batch.observations[0], rows[batch.seats[0]])
        remembered += bool(batch.piece("known")[0].any())
        actions = batch.random_actions()
        batch.step(actions)
        memories.follow(int(actions[0]))
    assert remembered > 0


# ------------------------------------------------------------------ no leaks

KNOWN = next(
    slice(piece.offset, piece.offset + piece.length) for piece in OBSERVATION if piece.name == "known"
)


def hidden_places(position, viewer):
    """The places that the viewer cannot look into: what others hold, and what is being given to oneself."""
    hidden = [seat for seat in range(position.players) if seat != viewer]
    places = [piles for seat in hidden for piles in (position.hands[seat], position.kept[seat])]
    if gifts_are_hidden(position, viewer) and viewer == position.target:
        places.append(position.hands[viewer])
    return places


def gifts_are_hidden(position, viewer):
    return position.question == Question.GIVE and viewer != position.seat


def cards_of(piles):
    return [kind for kind in KINDS for _ in range(count_of_age(piles[domain_of(kind)], age_of(kind)))]


def lay(piles, kinds):
    piles[:] = [0] * DOMAINS
    for kind in kinds:
        piles[domain_of(kind)] += card_of_age(age_of(kind))


def shuffle_what_is_hidden(position, viewer, chance):
    """Shuffle all cards that the viewer cannot see; where backs are shown, only among those with the same back."""
    places = [cards_of(piles) for piles in hidden_places(position, viewer)]
    deck = position.deck[: position.deck_size]
    # Any card may have stayed in the box, so a few unseen ones are mixed in.
    boxed = [
        chance.choice([kind for kind in KINDS if age_of(kind) == age]) for age in (1, 2, 3) * cards_removed(2)
    ]
    for age in (1, 2, 3):
        cards = [kind for place in (*places, deck, boxed) for kind in place if age_of(kind) == age]
        chance.shuffle(cards)
        for place in (*places, deck, boxed):
            place[:] = [cards.pop() if age_of(kind) == age else kind for kind in place]
    if not position.rulings & SHOW_BACKS:
        held = [kind for place in places for kind in place]
        chance.shuffle(held)
        for place in places:
            place[:] = [held.pop() for _ in place]
    position.deck[: position.deck_size] = deck
    for piles, kinds in zip(hidden_places(position, viewer), places, strict=True):
        lay(piles, kinds)
    if viewer != position.seat:
        position.floor = chance.randrange(DOMAINS)
    if gifts_are_hidden(position, viewer):
        give_otherwise(position, chance)


def give_otherwise(position, chance):
    """Change which cards, and how many, have been given back so far."""
    giver, target = position.hands[position.seat], position.hands[position.target]
    cards = cards_of(giver) + cards_of(target)
    chance.shuffle(cards)
    to_give = position.left + total(target)
    position.left = chance.randint(1, to_give)
    lay(target, cards[: to_give - position.left])
    lay(giver, cards[to_give - position.left :])


def another_world(batch, position):
    """A batch whose only game is at this position."""
    world = Batch(1, batch.players, batch.variant, teams=batch.teams, rulings=batch.rulings)
    world.load([position])
    return world


@pytest.mark.parametrize("batch", BATCHES, ids=repr)
def test_shuffling_what_a_seat_cannot_see_changes_no_byte_of_what_it_sees(batch):
    chance = Random(repr(batch))
    batch.reset()
    different = 0
    for _ in range(STEPS):
        batch.step(batch.random_actions())
        game = chance.randrange(GAMES)
        asked = int(batch.seats[game])
        viewer = asked if chance.random() < 0.7 else chance.randrange(batch.players)
        seen, mask = batch.observation(game, viewer), batch.masks[game].copy()
        truth = batch.position(game)
        other = truth.copy()
        shuffle_what_is_hidden(other, viewer, chance)
        different += other != truth
        # The other position has no history, so nothing is remembered; `test_leak` checks that memories do not leak.
        seen[KNOWN] = 0
        world = another_world(batch, other)
        assert world.position(0) == other
        assert world.observation(0, viewer).tobytes() == seen.tobytes()
        if viewer == asked:
            assert world.observations[0].tobytes() == seen.tobytes()
            assert world.masks[0].tobytes() == mask.tobytes()
            assert world.seats[0] == asked
    assert different > STEPS // 2
