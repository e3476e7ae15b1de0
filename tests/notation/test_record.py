"""Records, whole games as TOML, and the errors in them."""

import dataclasses
import re
from pathlib import Path
from random import Random

import pytest

from hegemon.notation.record import (
    Record,
    RecordError,
    Result,
    describe_result,
    read_record,
    replay,
    result_of,
    write_record,
)
from hegemon.notation.writing import write_position
from hegemon.rules.actions import END
from hegemon.rules.cards import Domain
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Ending, Position
from hegemon.rules.shuffle import shuffle, stream


def shuffled(players, seed=1):
    position = Position(players=players)
    shuffle(position, stream(seed, 0))
    return tuple(position.deck[: position.deck_size][::-1])


def played(record, length, seed=1):
    """The record continued at random to that many moves."""
    chance = Random(seed)
    *_, position = replay(record)
    moves = list(record.moves)
    while legal(position) and len(moves) < length:
        action = chance.choice([action for action in range(64) if legal(position) >> action & 1])
        moves.append((position.seat, action))
        apply(position, action)
    return dataclasses.replace(record, moves=tuple(moves), result=result_of(position))


START = Record(names=("Ada", "Grace"), deck=shuffled(2))
BEGUN = played(START, 12)
WHOLE = played(START, 10_000)
TEXT = write_record(WHOLE)


def refusal(text):
    with pytest.raises(RecordError) as caught:
        read_record(text)
    sentence = str(caught.value)
    sentence.encode()
    assert sentence.isprintable() or sentence.count("\n") == 2
    return sentence


# ------------------------------------------------------------------ the form of a record


def test_a_record_is_a_small_toml_file_with_a_line_per_round():
    lines = write_record(BEGUN).splitlines()
    assert lines[0].startswith("# A game of Carta Impera Victoria.")
    assert lines[1:6] == [
        "format = 1",
        'players = ["Ada", "Grace"]',
        'variant = "basic"',
        "teams = false",
        'rulings = "standard"',
    ]
    assert lines[6].startswith("# the Age deck")
    assert re.fullmatch(r'deck = "([MRESCU][123]+)+"', lines[7])
    assert lines[8] == "moves = ["
    assert re.fullmatch(r'  "[MRESCU] .*/ .*",  # round 1', lines[9])
    assert lines[-1] == "]"


def test_a_whole_game_has_its_result():
    assert "[result]" in TEXT
    assert read_record(TEXT) == WHOLE
    assert WHOLE.result is not None
    assert f'ending = "{WHOLE.result.ending.name.capitalize()}"' in TEXT


def test_a_game_that_has_not_begun_is_a_record_too():
    assert read_record(write_record(START)) == START
    assert write_record(START).endswith("moves = [\n]\n")


def test_the_result_of_a_record_without_one_is_computed():
    silent = TEXT.partition("\n[result]")[0]
    assert read_record(silent) == WHOLE
    assert write_record(dataclasses.replace(WHOLE, result=None)) == TEXT


def test_a_hegemony_names_its_domain():
    start = Record(names=("a", "b", "c"), deck=shuffled(3))
    moves = []
    position = next(replay(start))
    while choices := legal(position):
        # Play the first Domain there is a card of, and use no effect.
        action = END if choices >> END & 1 else (choices & -choices).bit_length() - 1
        moves.append((position.seat, action))
        apply(position, action)
    record = dataclasses.replace(start, moves=tuple(moves), result=result_of(position))
    assert record.result == Result(Ending.HEGEMONY, (position.seat,), Domain.SCIENCE)
    assert 'domain = "Science"' in write_record(record)
    assert read_record(write_record(record)) == record


def test_entries_left_out_have_defaults():
    text = f'format = 1\nplayers = ["Ada", "Grace"]\nmoves = []\n{deck_line()}\n'
    assert read_record(text) == START


def deck_line():
    return next(line for line in TEXT.splitlines() if line.startswith("deck"))


def test_salt_names_and_comments_may_be_any_text():
    odd = 'Łukasz "Ω" \\ Çelebi\t\x00\x1b\u2028\U0001f0a1é'
    record = dataclasses.replace(BEGUN, names=(odd, ""), salt=odd, comments={1: odd, 12: "\n\n", 7: ""})
    assert read_record(write_record(record)) == record
    assert len(write_record(record).splitlines()) == len(write_record(BEGUN).splitlines()) + 6


def test_half_a_character_is_written_as_a_replacement_character():
    record = dataclasses.replace(START, names=("\ud800", "x"))
    assert read_record(write_record(record)).names == ("\N{REPLACEMENT CHARACTER}", "x")


def test_comments_on_undone_moves_are_dropped():
    record = dataclasses.replace(BEGUN, comments={0: "no", 1: "yes", 12: "yes", 13: "no"})
    assert read_record(write_record(record)).comments == {1: "yes", 12: "yes"}


def test_draft_moves_out_of_order_are_marked_with_their_seat():
    start = Record(names=("a", "b", "c"), deck=shuffled(3), variant="draft")
    position = next(replay(start))
    moves = []
    for seat in (2, 0, 1, 0, 1, 2):
        position.seat = seat
        action = (legal(position) & -legal(position)).bit_length() - 1
        moves.append((seat, action))
        apply(position, action)
    record = dataclasses.replace(start, moves=tuple(moves))
    text = write_record(record)
    first, second = (line for line in text.splitlines() if line.startswith("  "))
    assert re.fullmatch(r'  "3:\w\w \w\w \w\w",  # draft, 3 to keep', first)
    assert re.fullmatch(r'  "\w\w \w\w \w\w",  # draft, 2 to keep', second)
    assert read_record(text) == record


def test_moves_may_be_split_into_lines_and_marked_in_any_way():
    line = " ".join(re.findall(r'^  "(.*)",', TEXT, re.MULTILINE))
    head, tail = TEXT.partition("moves = [")[0], TEXT.partition("\n]\n")[2]
    marked = [
        f"{seat + 1}:{choice}"
        for (seat, _), choice in zip(WHOLE.moves, line.replace("/", " ").split(), strict=True)
    ]
    for layout in (line, line.replace("/", "\\t/\\n"), line.replace("/", " "), " ".join(marked)):
        assert read_record(f'{head}moves = ["{layout}"]\n{tail}') == WHOLE


def test_a_replay_passes_through_every_position_of_the_game():
    positions = list(replay(WHOLE))
    assert len(positions) == len(WHOLE.moves) + 1
    assert len({write_position(position) for position in positions}) == len(positions)
    assert result_of(positions[0]) is None
    assert result_of(positions[-1]) == WHOLE.result


# ------------------------------------------------------------------ descriptions of results


@pytest.mark.parametrize(
    ("result", "description"),
    [
        (None, "an unfinished game"),
        (Result(Ending.MAJORITY, (0,)), "a win by Majority (seats: 1)"),
        (Result(Ending.STALL, (0, 2)), "a win after ten rounds without a draw (seats: 1, 3)"),
        (Result(Ending.HEGEMONY, (1,), Domain.MILITARY), "a win by Hegemony in Military (seats: 2)"),
    ],
)
def test_a_result_is_described(result, description):
    assert describe_result(result) == description


# ------------------------------------------------------------------ errors


def changed(pattern, replacement):
    text, number = re.subn(pattern, replacement, TEXT, count=1, flags=re.MULTILINE)
    assert number == 1
    return text


WRONG = [
    ("format = 1", "", "A record begins with its format: format = 1."),
    ("format = 1", "format = 0", "A record begins with its format: format = 1."),
    ("format = 1", "format = true", "A record begins with its format: format = 1."),
    ("format = 1", 'format = "1"', "A record begins with its format: format = 1."),
    (
        "format = 1",
        "format = 2",
        "This record is in a newer format, and this program reads up to format 1: update hegemon.",
    ),
    (
        "format = 1",
        "format = 0x" + "f" * 9999,
        "This record is in a newer format, and this program reads up to format 1: update hegemon.",
    ),
    (
        "^variant",
        "varaint",
        'A record has no entry "varaint", only format, players, variant, teams, rulings, deck, ',
    ),
    (
        "^players.*",
        "",
        'The record has no "players", which looks like this: players = ["Ada", "Grace"]. Perhaps it was cut short.',
    ),
    ("^players.*", "players = 2", '"players" should be a list in [ ], not a whole number.'),
    ("^players.*", "players = [1979-05-27, 1]", '"players" should be text in quotation marks, not a date or time.'),
    ("^players.*", "players = [2.5, 1]", '"players" should be text in quotation marks, not a number with a decimal'),
    ("^players.*", 'players = ["a"]', "Two, three or four can play, not 1."),
    ("^players.*", 'players = ["a", "b", "c", "d", "e"]', "Two, three or four can play, not 5."),
    ("^players.*", 'players = ["a", "b", "c", "d"]', "A deck for 4 players has 104 cards, not 95."),
    ("^variant.*", 'variant = "chess"', 'The variants are basic and draft; there is no "chess".'),
    ("^variant.*", "variant = {a.b.c.d = 1}", '"variant" should be text in quotation marks, not a table.'),
    ("^teams.*", "teams = 1", '"teams" should be true or false, not a whole number.'),
    ("^teams.*", "teams = true", "Teams are two against two, so four must play, not 2."),
    ("^rulings.*", 'rulings = "house"', "rulings, character 1: expected one of the presets "),
    ("^rulings.*", "rulings = false", '"rulings" should be text in quotation marks, not true or false.'),
    ('^deck = "', 'deck = "X', 'deck, character 1: expected a card such as M1, found "X"'),
    ('^deck = "', 'deck = "M1', "A deck for 2 players has 95 cards, not 96."),
    ("^moves = .", "moves = [[],", '"moves" should be text in quotation marks, not a list in [ ].'),
    ('^  ".*# round 3$', '  "M9",', "Move 19: choice, character 1: expected one of the 64 choices of the game; did"),
    ('^  ".*# round 1$', '  "cU++",', "Move 1, cU++, is not legal there; seat 1 may choose "),
    ('^  ".*# round 1$', '  "2:M",', "Move 1 is not seat 2's: it is seat 1's choice."),
    ('^  ".*# round 1$', '  "4:M",', "Move 1 is not seat 4's: it is seat 1's choice."),
    ('^  ".*# round 1$', '  "5:M",', 'Move 1 may be marked with a seat, as in 2:M1, not with "5".'),
    ('^  ".*# round 1$', '  ":M",', 'Move 1 may be marked with a seat, as in 2:M1, not with "".'),
    ("^]$", '"."]', f"The game is over after move {len(WHOLE.moves)}, but more moves follow."),
    ("^winners.*", "", 'The record has no "winners", which looks like this: winners = [1]. Perhaps it was'),
    ("^winners.*", "winners = []", "The winners are seats from 1 to 2, as in winners = [1]."),
    ("^winners.*", "winners = [0]", "The winners are seats from 1 to 2, as in winners = [1]."),
    ("^winners.*", "winners = [0x" + "f" * 9999 + "]", "The winners are seats from 1 to 2, as in winners = [1]."),
    ("^winners.*", "winners = [true]", '"winners" should be a whole number, not true or false.'),
    ("^winners.*", "winners = [1, 2]", "The record says a win by Majority (seats: 1, 2), but the moves lead to a win"),
    ("^ending.*", "", 'The record has no "ending", which looks like this: ending = "Majority". Perhaps it was'),
    ("^ending.*", 'ending = "checkmate"', 'The endings of a game are Hegemony, Majority, Stall, not "checkmate".'),
    ("^winners", 'domain = "Sport"\nwinners', 'The Domains are Military, Religion, Economy, Science, Culture, Utopia'),
    ("^ending", "endings", 'A result has no entry "endings", only ending, winners, domain.'),
    (r"^\[result\]", "result = 1\n[comments]", '"result" should be a table, not a whole number.'),
    (r"^\[result\]", "[comments]\n0 = 'x'\n[result]", 'A comment has the number of its move, from 1, not "0".'),
    (r"^\[result\]", "[comments]\n01 = 'x'\n[result]", 'A comment has the number of its move, from 1, not "01".'),
    (r"^\[result\]", "[comments]\n'٣' = 'x'\n[result]", 'A comment has the number of its move, from 1, not "٣".'),
    (r"^\[result\]", "[comments]\n1 = 1\n[result]", '"comments" should be text in quotation marks, not a whole '),
    (
        r"^\[result\]",
        "[comments]\n1 = 'x'\n9999 = 'x'\n[result]",
        f"There is a comment on move 9999, but the record has {len(WHOLE.moves)} moves.",
    ),
    (
        r"^\[result\]",
        f"[comments]\n{'9' * 5000} = 'x'\n[result]",
        f"There is a comment on move {'9' * 40}, but the record has {len(WHOLE.moves)} moves.",
    ),
    (
        "format = 1",
        '"\\\\u001b[31m" = 1\nformat = 1',
        'A record has no entry "\N{REPLACEMENT CHARACTER}[31m", only ',
    ),
    ("format = 1", "format = 1\nformat = 1", "This is not TOML, the format of records: Cannot overwrite a value"),
    ("format = 1", "format = " + "9" * 5000, "This is not TOML, the format of records: "),
    ("format = 1", "format = " + "[" * 99_999, "A record has no lists within lists, and this text has very many."),
    ("format = 1", "x\ud800 = 1", "Character 74 is half of a character: a record is Unicode text."),
    ("format = 1", "#" * 1_000_000, "A record has at most 1000000 characters, and this text has 100"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "replacement", "sentence"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_record_is_rejected_with_the_reason(pattern, replacement, sentence):
    assert refusal(changed(pattern, replacement)).startswith(sentence)


def test_a_nested_entry_is_rejected():
    text = TEXT.replace('variant = "basic"', "variant" + ".a" * 20 + " = 1")
    assert refusal(text) == '"variant" should be text in quotation marks, not a table.'


def test_the_number_of_moves_of_a_record_is_limited():
    text = TEXT.replace("moves = [", 'moves = [ "' + ". " * 2_001 + '",')
    assert refusal(text) == "A game has at most 2000 moves, and in this record more follow."


SLOW = [
    ".a" * 499_000 + " = 1",
    ' = {"a"' + "." * 499_000,
    " = {x = \"\"\"y\"\"\"\"\", a" + ".a" * 300_000 + " = 1}",
    " = {x = \'\'\'y\'\'\'\'\', a" + ".a" * 300_000 + " = 1}",
    " = 'x # y'\n[a" + ".a" * 300_000 + "]",
    " = 1\n[a" + ".a" * 21 + "]",
]  # fmt: skip


@pytest.mark.parametrize("entry", SLOW, ids=range(len(SLOW)))
def test_no_text_takes_long_to_read(entry):
    assert (
        refusal(f"format = 1\nsalt{entry}") == "A record has no dotted entries, and this text has very many."
    )


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ("salt = " + "{a=" * 21, "A record has no tables within tables"),
        ("salt = " + "[" * 101, "A record has no lists within lists"),
        ("a=1\n" * 5_001, "A record has an entry for each comment"),
    ],
)
def test_what_no_record_needs_is_rejected_before_it_is_parsed(entries, sentence):
    assert refusal(entries).startswith(sentence)


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
def test_text_may_have_any_number_of_dots(quote):
    dots = "." * 2000
    text = TEXT.replace("[result]", f"[comments]\n1 = {quote}{dots}{quote} # {dots}\n[result]")
    assert read_record(text).comments == {1: dots}


@pytest.mark.parametrize("text", ['"""' + '\\"""' * 20_000, "'''" * 30_001, '"""\n' * 20_001 + "\\", '"\\'])
def test_unterminated_strings_are_rejected(text):
    assert refusal(f"salt = {text}").startswith(("The record is incomplete", "This is not TOML"))


def test_a_truncated_record_is_rejected():
    for end in range(len(TEXT.partition("\n]\n")[0]) + 1):
        sentence = refusal(TEXT[:end])
        assert sentence.startswith(
            (
                "A record begins with its format",
                "The record is incomplete: ",
                'The record has no "',
                "This is not TOML, the format of records: ",
            )
        ), end
        if sentence.startswith("This is not TOML"):
            # Only where the cut leaves half a name or half a value.
            assert re.search(r"(^|\n)(format = |\w+ ?|teams = [a-z]*)$", TEXT[:end]), end


def test_a_record_without_its_end_is_the_same_game_or_is_rejected():
    for end in range(TEXT.index("\n]\n") + 3, len(TEXT)):
        try:
            assert read_record(TEXT[:end]) == WHOLE
        except RecordError:
            assert "\n[r" in TEXT[:end] + "r"


def test_a_shared_win_may_name_its_winners_in_any_order():
    text = (Path(__file__).parents[1] / "golden" / "games" / "shared-by-both.toml").read_text(
        encoding="utf-8"
    )
    assert "winners = [1, 2]" in text
    record = read_record(text.replace("winners = [1, 2]", "winners = [2, 1]"))
    assert record == read_record(text)
    with pytest.raises(RecordError, match="The record says"):
        read_record(text.replace("winners = [1, 2]", "winners = [2, 1, 1]"))
