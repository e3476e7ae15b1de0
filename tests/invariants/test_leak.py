"""No leaks: shuffle everything that a seat cannot see, and no byte that it receives changes.

A game is played by chance up to some moment, with real cards in hand. Then the cards that one viewer has never seen
are shuffled, each among those with the same back, the same physical cards are played again, and the viewer must not be
able to tell the two games apart: not at the end, and not at any moment before it.

Some shuffles cannot have happened, and careful reasoning could rule them out: of two Ages the older card would have
moved (A19), or under an Embargo there would have been a card to play. Those are left out.
"""

import json
from dataclasses import asdict
from random import Random

import pytest

from hegemon.bots.program import choice_request
from hegemon.kernels.knowledge import KNOWLEDGE, remember
from hegemon.kernels.observation import observation
from hegemon.notation.cards import read_deck, write_cards
from hegemon.notation.choices import read_choice
from hegemon.notation.record import initial_position
from hegemon.notation.writing import write_view
from hegemon.play.events import cards_in
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError, reason_against
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import LETTERS
from hegemon.rules.engine import apply
from hegemon.rules.position import Question
from hegemon.server.thinking.jobs import job_of
from hegemon.views.story import last_move, recap
from physical_cards import PhysicalCards
from random_games import new_game, play_by_chance

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = 96
PORTIONS = 4
WORLDS = 4

#: Sets of cards that a viewer tries to choose, whether it may or not.
SETS = ([], ["M"], ["R1", "M1"], ["M", "R", "E"], ["S2", "C1", "U3"], ["E", "E", "S", "C", "U"])


class Story:
    """A game up to some moment: every choice with the card that was chosen, and what the viewer was sent."""

    def __init__(self, game, viewer, length, chance):
        self.game = game
        self.cards = PhysicalCards(game.record(), viewer)
        self.cards.follow(game.events)
        self.viewer = viewer
        self.choices = []
        self.moments = []
        self.sent = [glance(game, viewer)]
        told = len(game.events)
        before = game.position
        for _, (seat, choice) in zip(range(length), play_by_chance(game, chance), strict=False):
            card = self.cards.follow(game.events[told:])
            told = len(game.events)
            self.choices.append((before.question, seat, choice, card))
            self.sent.append(glance(game, viewer))
            before = game.position
            hidden = [hand[:] for hand in (*self.cards.hands, *self.cards.kept)]
            self.moments.append((hidden, before.question, before.seat, before.plays))
        assert self.cards.lie_as_in(game.position)

    def runs(self):
        """The choices; those that give cards back form one run, because they are made in the order of the Domains."""
        run = []
        for choice in self.choices:
            if run and not (choice[0] == run[-1][0] == Question.GIVE):
                yield run
                run = []
            run.append(choice)
        if run:
            yield run


def glance(game, viewer):
    """What a viewer is sent after every move."""
    return write_view(game.view(viewer)), game.choices_of(viewer), game.selection(viewer)


def everything(game, viewer):
    """Everything that a viewer receives, as bytes."""
    events = game.events_seen_by(viewer)
    position = game.position
    reasons = (
        [str(reason_against(position, viewer, choice)) for choice in range(len(CHOICES))]
        if viewer >= 0
        else []
    )
    return {
        "view": glance(game, viewer),
        "events": repr(events),
        "json": json.dumps([asdict(event) for event in events]),
        "memory": repr(game.memory(viewer)),
        "drawing": game.view(viewer)._repr_html_(),
        "program": choice_request(game.view(viewer), game.memory(viewer), game.choices_of(viewer), 30),
        "job": job_of("champion", 1, game.view(viewer), game.memory(viewer), game.choices_of(viewer)),
        "row": row_of(game, viewer).tobytes() if viewer >= 0 else b"",
        "story": repr((recap(game, viewer), last_move(game, viewer))),
        "reasons": reasons,
        "sets": [rejection(game, cards, viewer) for cards in SETS] if viewer >= 0 else [],
        "undo": game.undoable(viewer) if viewer >= 0 else None,
        "result": game.result,
    }


def row_of(game, viewer):
    """The observation of a seat as a batch writes it, with what its kernels have remembered."""
    position, known = initial_position(game.record()), [0] * KNOWLEDGE
    for position.seat, choice in zip(game.movers, game.moves, strict=True):
        remember(known, 0, position, read_choice(choice))
        apply(position, read_choice(choice))
    return observation(position, viewer, known)


def rejection(game, cards, seat):
    """Why a seat may not choose a set of cards now, and what it could choose instead."""
    try:
        return game.actions_of(cards, seat)
    except IllegalMoveError as error:
        return str(error)


def shuffled_names(cards, chance):
    """The cards under other names: those that the viewer has never seen change places with others of their Age."""
    names = cards.names[:]
    unseen = cards.unseen()
    # A few cards at a time: the fewer change, the likelier it is that the same game could have been played.
    swapped = chance.sample(unseen, min(len(unseen), chance.choice((3, 8, len(unseen)))))
    for age in "123":
        places = [card for card in swapped if names[card][1] == age]
        for place, name in zip(
            places, chance.sample([names[card] for card in places], len(places)), strict=True
        ):
            names[place] = name
    return names


def played_again(story, names):
    """The same game with other names on the cards, and what the viewer is sent; None if it cannot have happened."""
    record = story.game.record()
    deck = write_cards([kind for name in names[: len(record.deck)] for kind in read_deck(name)])
    game = Game(record.players, record.variant, teams=record.teams, rulings=record.rulings, deck=deck)
    sent = [glance(game, story.viewer)]
    for run in story.runs():
        asked = run[0][0]
        choices = [choice for _, _, choice, _ in run]
        if asked == Question.DRAFT:
            choices = [names[run[0][3]]]
        elif asked == Question.GIVE:
            choices = sorted((names[card][0] for _, _, _, card in run), key=LETTERS.index)
        for choice, (_, seat, _, _) in zip(choices, run, strict=True):
            if choice not in game.choices_of(seat):
                return None
            game.play(choice, seat)
            sent.append(glance(game, story.viewer))
        if not same_cards_moved(story.moments[len(sent) - 2], names, game.position):
            return None
    return game, sent


def same_cards_moved(moment, names, position):
    """Whether the same physical cards lie in the same hidden places, and the question is the same."""
    hidden, *asked = moment
    return [position.question, position.seat, position.plays] == asked and all(
        sorted(names[card] for card in cards) == sorted(cards_in(piles))
        for cards, piles in zip(hidden, (*position.hands, *position.kept), strict=True)
    )


def stories(portion):
    for number in range(portion, GAMES, PORTIONS):
        chance = Random(number)
        game = new_game(number)
        viewer = chance.randrange(-1, game.players)
        in_draft = game.position.question == Question.DRAFT and chance.random() < 0.5
        yield Story(game, viewer, chance.randrange(4 * game.players if in_draft else 250), chance), chance


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_nothing_hidden_is_ever_sent(portion):
    different = 0
    for story, chance in stories(portion):
        expected = everything(story.game, story.viewer)
        for _ in range(WORLDS):
            names = shuffled_names(story.cards, chance)
            again = played_again(story, names)
            if again is None:
                continue
            game, sent = again
            different += game.position != story.game.position
            assert everything(game, story.viewer) == expected
            assert sent == story.sent
    assert different > 25
