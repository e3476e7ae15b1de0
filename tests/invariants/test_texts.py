"""Texts round-trip: positions reached in play are written and read back without loss."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hegemon.notation.choices import choices_in, read_choice
from hegemon.notation.problems import problems
from hegemon.notation.reading import read_position, read_view
from hegemon.notation.record import Record, read_record, replay, result_of, write_record
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.notation.writing import write_position, write_view
from hegemon.rules.actions import CHOICES, END
from hegemon.rules.engine import apply, legal, may_choose
from hegemon.rules.position import FIELDS, Position, Question
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.rules.shuffle import MAX_SEED, shuffle, stream
from hegemon.rules.view import SPECTATOR, view

pytestmark = pytest.mark.usefixtures("untraced")

#: Players and teams.
TABLES = [(2, False), (3, False), (4, False), (4, True)]

#: The probability that a player ends step 2: in some games they use every effect they can, in some none.
KEENNESS = [0.0, 0.2, 1.0]

NAMES = ["Ada", "Jürgen Großmann", "Ελένη Παπαδοπούλου", "Żółć Gęśl", "Őrült Űrhajós", '"\\"', "a / b # c"]
ANYTHING = st.sampled_from(NAMES) | st.text()

ANY_GAME = {
    "table": st.sampled_from(TABLES),
    "variant": st.sampled_from(["basic", "draft"]),
    "rulings": st.sampled_from(list(PRESETS)) | st.integers(0, (1 << len(SWITCHES)) - 1).map(write_rulings),
    "seed": st.integers(0, MAX_SEED),
}


def dealt(table, variant, rulings, seed):
    """A record before the first choice."""
    players, teams = table
    position = Position(players=players)
    shuffle(position, stream(seed, 0))
    deck = tuple(position.deck[: position.deck_size][::-1])
    return Record(names=("",) * players, deck=deck, variant=variant, teams=teams, rulings=rulings)


def played(record, chance, most=10_000):
    """Each choice of a random game, and the position it leads to; in the draft the seats choose in any order."""
    position = next(replay(record))
    keenness = chance.choice(KEENNESS)
    for _ in range(most):
        if position.question == Question.DRAFT:
            position.seat = chance.choice([s for s in range(position.players) if may_choose(position, s)])
        choices = legal(position)
        if not choices:
            return
        if choices >> END & 1 and chance.random() < keenness:
            action = END
        else:
            action = chance.choice([number for number in range(len(CHOICES)) if choices >> number & 1])
        move = position.seat, action
        apply(position, action)
        yield move, position.copy()


def some_positions(game, chance, share):
    """Some of the positions of a game, and always its last."""
    return [
        position
        for _, position in played(game, chance)
        if chance.random() < share or position.question == Question.OVER
    ]


def differences(one, other):
    return [name for name, _, _ in FIELDS if getattr(one, name) != getattr(other, name)]


@given(**ANY_GAME)
def test_every_position_reached_in_play_has_one_text(table, variant, rulings, seed):
    for position in some_positions(dealt(table, variant, rulings, seed), Random(seed), 0.1):
        line = write_position(position)
        assert differences(read_position(line), position) == [], line
        assert write_position(read_position(line)) == line


@given(**ANY_GAME)
def test_every_view_of_it_has_one_text(table, variant, rulings, seed):
    for position in some_positions(dealt(table, variant, rulings, seed), Random(seed), 0.02):
        for viewer in range(SPECTATOR, position.players):
            seen = view(position, viewer)
            line = write_view(seen)
            assert read_view(line) == seen, line
            assert write_view(read_view(line)) == line


@given(**ANY_GAME)
def test_no_position_reached_in_play_has_problems(table, variant, rulings, seed):
    for position in some_positions(dealt(table, variant, rulings, seed), Random(seed), 0.2):
        assert problems(position) == [], write_position(position)


@given(**ANY_GAME)
def test_the_legal_choices_have_texts(table, variant, rulings, seed):
    for position in some_positions(dealt(table, variant, rulings, seed), Random(seed), 1):
        texts = choices_in(legal(position))
        assert sum(1 << read_choice(action) for action in texts) == legal(position)


@given(**ANY_GAME, choices=st.integers(0, 300), data=st.data())
def test_every_record_has_one_text_and_replays_exactly(table, variant, rulings, seed, choices, data):
    start = dealt(table, variant, rulings, seed)
    game = list(played(start, Random(seed), choices))
    last = game[-1][1] if game else next(replay(start))
    numbers = st.integers(1, len(game)) if game else st.nothing()
    record = replace(
        start,
        names=tuple(data.draw(ANYTHING) for _ in start.names),
        salt=data.draw(ANYTHING),
        moves=tuple(move for move, _ in game),
        result=result_of(last),
        comments=data.draw(st.dictionaries(numbers, ANYTHING)),
    )
    text = write_record(record)
    assert read_record(text) == record
    assert write_record(read_record(text)) == text
    *_, again = replay(read_record(text))
    assert differences(again, last) == []


@pytest.mark.parametrize("rulings", range(1 << len(SWITCHES)))
def test_every_set_of_rulings_has_one_text(rulings):
    text = write_rulings(rulings)
    assert read_rulings(text) == rulings
    assert write_rulings(read_rulings(text)) == text
