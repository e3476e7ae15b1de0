"""A reader returns a value or an error message for any input; a game can continue from any position that it returns."""

import dataclasses
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hegemon.notation.cards import read_deck
from hegemon.notation.choices import read_choice
from hegemon.notation.errors import NotationError
from hegemon.notation.problems import number_of_kind, problems
from hegemon.notation.reading import read_position, read_view
from hegemon.notation.record import (
    Record,
    RecordError,
    read_record,
    replay,
    result_of,
    write_record,
)
from hegemon.notation.rulings import read_rulings, write_rulings
from hegemon.notation.setup import SetupError, check_players, read_variant, setup_position
from hegemon.notation.writing import write_position, write_view
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import KINDS, count, count_of_age
from hegemon.rules.engine import apply, legal, may_choose
from hegemon.rules.position import FIELDS, Position, Question
from hegemon.rules.rulings import STANDARD
from hegemon.rules.setup import BASIC
from hegemon.rules.shuffle import shuffle, stream
from hegemon.rules.view import SPECTATOR, view

READERS = [read_position, read_view, read_choice, read_rulings, read_deck, read_variant, read_record]

#: Fragments of lines and records, so that random input is nearly valid.
LETTERS = "MRESCUmresucdpxahtfg0123456789()[]{}/|-+>:.*?@,!=# \"'\\\n\té٣\x00\ud800\U0001f0a1"
PIECES = [
    "1e", "2p", "1d", "2c", "1x", "2m", "3s", "4e", "-", " - ", "h3", "a2p2", "t2p1", "p2", "f3", "g3>2", "g1>2:S",
    "e>1", "e>2", "u>2", "u>1", "R++", "eM1", "MRESCU", "1>2S", "9.9*", "65535", "standard", "pl,teams", "?12", "???",
    "@0", "@2", "|M1R1", "[M1]", "(M1R1)", "e1u3", "M+", "cU++", "3:M1", "/", "[comments]", "1 = 'x'", '"""', "format",
    "moves = [", "winners = [1]", "1979-05-27", "true", "0xff", "nan", "M1" * 40, "?" * 200, "9" * 5000, "[" * 5000,
]  # fmt: skip
NAMES_OF_CARDS = [choice for choice in CHOICES if choice[-1] in "123" and len(choice) == 2]
PLAYS_ON = 20_000


@cache
def games():
    """Some games of every kind, played at random, each with some of its positions and the record of its beginning."""
    found = []
    for number in range(12):
        chance = Random(number)
        players = 2 + number % 3
        start = Position(players=players)
        shuffle(start, stream(number, 0))
        record = Record(
            names=tuple(chance.choice(["Ada", "Ödön", "Ω"]) for _ in range(players)),
            deck=tuple(start.deck[: start.deck_size][::-1]),
            variant=chance.choice(["basic", "draft"]),
            teams=players == 4 and chance.random() < 0.5,
            rulings=write_rulings(chance.randrange(128)),
        )
        *_, position = replay(record)
        moves, positions = [], [position.copy()]
        while choices := legal(position):
            action = chance.choice([each for each in range(len(CHOICES)) if choices >> each & 1])
            moves.append((position.seat, action))
            apply(position, action)
            positions.append(position.copy())
        part = tuple(moves[: chance.choice([0, 7, 40, len(moves)])])
        found.append((dataclasses.replace(record, moves=part), positions))
    return found


def mangled(chance, text):
    """A text with some mistakes in it."""
    for _ in range(chance.randrange(1, 5)):
        start = chance.randrange(len(text) + 1)
        end = start + chance.choice([0, 0, 1, 1, 2, 5, 40])
        what = chance.randrange(6)
        if what == 0:
            text = text[:start]
        elif what == 1:
            text = text[:start] + chance.choice(PIECES) + text[end:]
        elif what == 2:
            # One field of a line, or one line of a record, is replaced as a whole.
            mark = "\n" if "\n" in text else " "
            parts = text.split(mark)
            parts[chance.randrange(len(parts))] = chance.choice(PIECES)
            text = mark.join(parts)
        else:
            text = text[:start] + "".join(chance.choices(LETTERS, k=chance.randrange(3))) + text[end:]
    return text


def mangled_line(chance):
    _, positions = chance.choice(games())
    return mangled(chance, write_position(chance.choice(positions)))


def some_cards(chance, least, most):
    return "".join(chance.choices(NAMES_OF_CARDS, k=chance.randint(least, most)))


def some_seat(chance, step):
    markers = [
        chance.choice("MRESCU") + chance.choice(["e1", "e23", "u3", "u33", "e1u3"])
        for _ in range(chance.choice([0, 0, 1, 2]))
    ]
    area = some_cards(chance, 0, 7) + "".join(markers)
    if step == "d":
        return f"{area}({some_cards(chance, 3, 6)})"
    if step == "c":
        return f"{area}()[{some_cards(chance, 0, 5)}]"
    return f"{area}({some_cards(chance, 0, 7)})"


def study(chance):
    """A line that is well formed, with cards and questions that no game would bring together."""
    players = chance.choice([2, 3, 4])
    step = chance.choice("dceeeeeepps")
    asks = step == "e"
    seat = 1 if step == "d" else chance.randint(1, players)
    target = chance.randint(1, players)
    used = [
        each for each in ("M", "R+", "E", "S", "C", "U", "m", "r", "e", "s", "u") if chance.random() < 0.4
    ]
    asked = ["h2", "a2p2", "t1p1:R", "p2", "f2", f"g2>{target}", f"e>{target}", f"u>{target}", "-", "-", "-"]
    fields = [
        "/".join(some_seat(chance, step) for _ in range(players))
        + f"|{some_cards(chance, 0, 6)}" * (step in "dc"),
        f"{seat}{step}",
        "".join(used) * asks,
        chance.choice(asked) * asks,
        chance.choice(["-", "1>2M", "2>1U"]),
        some_cards(chance, 0, chance.choice([0, 3, 40])),
        some_cards(chance, 0, 8),
        chance.choice(["1", "7.9*", "65100.9", "65515"]),
        write_rulings(chance.randrange(128)) + ",teams" * (players == 4 and chance.random() < 0.5),
    ]
    return " ".join(field or "-" for field in fields)


def mangled_view(chance):
    _, positions = chance.choice(games())
    position = chance.choice(positions)
    return mangled(chance, write_view(view(position, chance.randrange(SPECTATOR, position.players))))


@cache
def texts_of_records():
    return [write_record(record) for record, _ in games()]


def answer(reader, text):
    """The value that a reader returns for a text; None if it raises an error with a printable sentence."""
    try:
        return reader(text)
    except (NotationError, RecordError, SetupError) as error:
        sentence = str(error)
        sentence.encode()
        assert len(sentence) > 20
        assert all(line.isprintable() for line in sentence.split("\n"))
        return None


def expect_sound(position):
    """No field of a position overflows, and every pile is a valid sum of cards."""
    for name, bits, shape in FIELDS:
        value = getattr(position, name)
        rows = value if len(shape) == 2 else [value if shape else [value]]
        assert all(0 <= number < 1 << bits for row in rows for number in row), name
    places = (*position.hands, *position.areas, *position.embargoes, *position.kept)
    for pile in (
        pile for piles in (*places, position.discard_piles, position.center_piles) for pile in piles
    ):
        assert count(pile) == sum(count_of_age(pile, age) for age in (1, 2, 3))
        assert all(count_of_age(pile, age) >= 0 for age in (1, 2, 3))


def expect_to_play_on(position, chance):
    """Play at random to the end: every question has a legal choice, cards are conserved, every position has a text."""
    cards = [number_of_kind(position, kind) for kind in KINDS]
    for number in range(PLAYS_ON):
        if number % 16 == 0 or number < 8:
            expect_sound(position)
            assert [number_of_kind(position, kind) for kind in KINDS] == cards
            assert read_position(write_position(position)) == position
        if position.question == Question.OVER:
            return
        if position.question == Question.DRAFT:
            position.seat = chance.choice([s for s in range(position.players) if may_choose(position, s)])
        choices = legal(position)
        assert choices, write_position(position)
        apply(position, chance.choice([each for each in range(len(CHOICES)) if choices >> each & 1]))
    raise AssertionError("the game does not end")


# ------------------------------------------------------------------ random text


@pytest.mark.parametrize("reader", READERS)
@given(text=st.text() | st.text(LETTERS) | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_gives_a_value_or_an_error_message(reader, text):
    answer(reader, text)


@given(players=st.integers(), teams=st.booleans(), kinds=st.lists(st.integers(-5, 30), max_size=110))
def test_any_setup_gives_a_position_or_an_error_message(players, teams, kinds):
    answer(lambda teams: check_players(players, teams), teams)
    answer(lambda kinds: setup_position(players, BASIC, teams, STANDARD, kinds), kinds)


# ------------------------------------------------------------------ nearly valid text


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("lines", [mangled_line, study])
@given(seed=st.integers(0, 2**32))
def test_a_game_can_continue_from_any_position_that_can_be_read(lines, seed):
    chance = Random(seed)
    for _ in range(4):
        position = answer(read_position, lines(chance))
        if position is not None:
            line = write_position(position)
            assert read_position(line) == position
            assert all(sentence.endswith(".") for sentence in problems(position))
            expect_to_play_on(position, chance)


@given(seed=st.integers(0, 2**32))
def test_any_view_that_can_be_read_has_one_text(seed):
    chance = Random(seed)
    for _ in range(20):
        seen = answer(read_view, mangled_view(chance))
        if seen is not None:
            assert read_view(write_view(seen)) == seen


@given(seed=st.integers(0, 2**32))
def test_any_record_that_can_be_read_replays(seed):
    chance = Random(seed)
    for _ in range(10):
        record = answer(read_record, mangled(chance, chance.choice(texts_of_records())))
        if record is not None:
            assert read_record(write_record(record)) == record
            *_, last = replay(record)
            assert result_of(last) == record.result


@given(seed=st.integers(0, 2**32))
def test_wrong_bytes_in_a_record_give_a_record_or_an_error_message(seed):
    chance = Random(seed)
    content = bytearray(chance.choice(texts_of_records()).encode())
    for _ in range(chance.randrange(1, 4)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    answer(read_record, content.decode(errors="replace"))
