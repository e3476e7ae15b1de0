"""Records of studies: a position instead of a deal, and variations with comments."""

import dataclasses
import re
from random import Random

import pytest

from hegemon.notation.errors import RecordError
from hegemon.notation.record import Record, Variation, read_record, replay, write_record
from hegemon.notation.variations import MAX_VARIATION_MOVES, replay_variations, variations_until
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal

LINE = "M11S1(E1S1C1)/R1E1(M1E1S1) 1p - - - M11R1 - 3 standard"
STUDY = Game.from_position(LINE, ("Ada", "Grace"), moves="S . M .").record()
ODD = 'Łukasz "Ω" \\ ]]{}[[ \t\x00é'


def moves(text):
    """Moves by seat and choice, as in 1:C 1:mM."""
    return tuple(
        (int(seat) - 1, CHOICES.index(choice)) for seat, choice in (move.split(":") for move in text.split())
    )


TREE = dataclasses.replace(
    STUDY,
    title="A study",
    comment=ODD,
    comments={2: "why not?"},
    variations=(
        Variation(1, moves("1:C 1:. 2:E 2:."), comments={1: ODD, 4: ""}),
        Variation(3, moves("2:S 2:e+1"), line=1, comments={3: "better"}),
        Variation(4, moves("2:r+1"), line=0),
    ),
)
TEXT = write_record(TREE)


def test_a_study_is_a_record_that_begins_at_a_position():
    text = write_record(STUDY)
    assert text.splitlines()[2:] == [
        'players = ["Ada", "Grace"]',
        f'position = "{LINE}"',
        "moves = [",
        '  "S . / M .",  # round 3',
        "]",
    ]
    assert read_record(text) == STUDY
    assert read_record(text.replace(LINE, "S1M11(E1C1S1)/R1E1(E1M1S1) 1p - - - M11R1 - 3")) == STUDY


def test_variations_are_tables_with_the_move_that_they_replace():
    assert TEXT.splitlines()[2:4] == ['title = "A study"', f"comment = {TEXT.splitlines()[3][10:]}"]
    assert TEXT.partition("[[variations]]\nline = 1\n")[2].splitlines()[:5] == [
        "move = 3",
        "moves = [",
        '  "S e+1",  # round 3',
        "]",
        'comments = {3 = "better"}',
    ]
    assert read_record(TEXT) == TREE


def random_tree(seed):
    """A study with variations at random places of random lines."""
    chance = Random(seed)
    lines, variations = [(1, list(STUDY.moves), next(replay(STUDY)))], []
    for _ in range(12):
        line = chance.randrange(len(lines))
        first, played, start = lines[line]
        if len(played) < 2:
            continue
        number = chance.randrange(1 if line else 0, len(played))
        position = start.copy()
        for seat, action in played[:number]:
            position.seat = seat
            apply(position, action)
        fresh, begin = [], position.copy()
        while legal(position) and len(fresh) < chance.randrange(1, 8):
            action = chance.choice([action for action in range(64) if legal(position) >> action & 1])
            fresh.append((position.seat, action))
            apply(position, action)
        comments = {first + number + len(fresh) - 1: str(chance.random())} if chance.random() < 0.5 else {}
        variations.append(Variation(first + number, tuple(fresh), line, comments))
        lines.append((first + number, fresh, begin))
    return dataclasses.replace(STUDY, variations=tuple(variations))


@pytest.mark.parametrize("seed", range(12))
def test_a_record_with_variations_is_read_as_it_was_written(seed):
    record = random_tree(seed)
    assert read_record(write_record(record)) == record
    game = Game.from_record(record)
    assert game.record() == record
    # A shorter game keeps the variations that replace one of its moves, with their own variations.
    for ply in range(len(record.moves) + 1):
        shorter = game.at(ply).record()
        assert read_record(write_record(shorter)) == shorter
        assert shorter.variations == variations_until(record.variations, ply)


def test_what_follows_an_undone_move_is_dropped_with_its_own_variations():
    assert variations_until(TREE.variations, 4) == TREE.variations
    assert variations_until(TREE.variations, 3) == TREE.variations[:2]
    assert variations_until(TREE.variations, 0) == ()
    other = (TREE.variations[2], *TREE.variations[:1], dataclasses.replace(TREE.variations[1], line=2))
    assert variations_until(other, 1) == TREE.variations[:2]


def test_every_variation_is_replayed():
    lines = replay_variations(list(replay(TREE)), TREE.variations)
    assert [(line.first, line.last) for line in lines] == [(1, 4), (1, 4), (3, 4), (4, 4)]
    wrong = dataclasses.replace(TREE.variations[2], move=9)
    with pytest.raises(RecordError, match="Variation 1: It replaces a move of its line, from 1 to 4"):
        Game.from_record(dataclasses.replace(STUDY, variations=(wrong,)))


WRONG = [
    ("^position.*", "position = 1", '"position" should be text in quotation marks, not a whole number.'),
    ("^position.*", 'position = "X"', 'table, character 1: expected a card such as M1, or the hand'),
    ("^position", 'deck = "M1"\nposition', 'A record that begins at a position has no "deck": the position'),
    ("^position", "teams = false\nposition", 'A record that begins at a position has no "teams": the position'),
    ("^players.*", 'players = ["a", "b", "c"]', "There are 2 players and 3 names."),
    ("^title.*", "title = 1", '"title" should be text in quotation marks, not a whole number.'),
    (r"\A(?s:.*?)\n\[\[", "format = 1\n[[", 'The record has no "players", which looks like this'),
    (r"^\[\[variations\]\](?s:.*)", "[variations]\nmove = 1", '"variations" should be a list in [ ], not a table.'),
    ("^line = 1$", "line = 2", "Variation 2: Its line is the game (0) or an earlier variation, by its number."),
    ("^line = 1$", "line = -1", "Variation 2: Its line is the game (0) or an earlier variation, by its number."),
    ("^line = 1$", "line = true", 'Variation 2: "line" should be a whole number, not true or false.'),
    ("^line = 1$", "lines = 1", 'Variation 2: A variation has no entry "lines", only line, move, moves, comments.'),
    ("^move = 3$", "", 'Variation 2: The record has no "move", which looks like this: move = 12.'),
    ("^move = 3$", "move = 1", "Variation 2: It replaces a move of its line, from 2 to 4, by its number."),
    ("^move = 3$", "move = 5", "Variation 2: It replaces a move of its line, from 2 to 4, by its number."),
    ("^move = 3$", "move = 0x" + "f" * 9999, "Variation 2: It replaces a move of its line, from 2 to 4"),
    ("^move = 1$", "move = 0", "Variation 1: It replaces a move of its line, from 1 to 4, by its number."),
    ('^  "S e.*', '  ""', "Variation 2: It has no moves."),
    ('^  "S e.*', '  "S Q"', 'Variation 2: Move 4: choice, character 1: expected one of the 64 choices'),
    ('^  "S e.*', '  "S M"', "Variation 2: Move 4, M, is not legal there; seat 2 may choose "),
    ('^  "S e.*', '  "S 1:M"', "Variation 2: Move 4 is not seat 1's: it is seat 2's choice."),
    ("{3 =", "{2 =", "Variation 2: There is a comment on move 2, but the moves here are 3 to 4."),
    ("{3 =", "{5 =", "Variation 2: There is a comment on move 5, but the moves here are 3 to 4."),
    ("{3 =", "{0 =", 'Variation 2: A comment has the number of its move, from 1, not "0".'),
    ("{3 =", "{%s =" % ("9" * 50), f"Variation 2: There is a comment on move {'9' * 40}, but the moves here"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "replacement", "sentence"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_study_is_rejected_with_the_reason(pattern, replacement, sentence):
    text, number = re.subn(pattern, lambda _: replacement, TEXT, count=1, flags=re.MULTILINE)
    assert number == 1
    with pytest.raises(RecordError) as caught:
        read_record(text)
    assert str(caught.value).startswith(sentence)


def test_a_variation_is_a_table():
    with pytest.raises(RecordError, match='Variation 1: "variations" should be a table, not a whole number'):
        read_record(write_record(STUDY) + "variations = [1]\n")


def branches(number, text):
    return write_record(STUDY) + f'[[variations]]\nmove = 1\nmoves = ["{text}"]\n' * number


def test_the_number_and_the_length_of_variations_are_limited():
    assert len(read_record(branches(500, "C .")).variations) == 500
    for number in (501, 600):
        with pytest.raises(RecordError, match=r"A record has at most 500 variations\."):
            read_record(branches(number, "C ."))
    whole = Game.from_record(STUDY)
    while not whole.over:
        whole.play(whole.choices[0])
    rest = " ".join(whole.moves)
    number = MAX_VARIATION_MOVES // len(whole.moves) + 1
    with pytest.raises(RecordError, match="All variations together have at most 5000 moves"):
        read_record(branches(number, rest))


def test_a_record_of_a_deal_has_variations_too():
    game = Game(2, seed=1)
    game.play(game.choices[0])
    first = Game(2, seed=1).choices[-1]
    record = dataclasses.replace(
        game.record(), variations=(Variation(1, ((0, CHOICES.index(first)),), comments={1: "or this"}),)
    )
    assert read_record(write_record(record)) == record
    assert isinstance(record, Record)
