"""Golden narrations: a sentence that changes is read in the diff, as a player will see it."""

import re
from functools import cache

import pytest
from narrations import FOLDER, NAMES, SEATS, narrations

from hegemon.notation.record import read_record, write_record
from hegemon.play.game import Game
from hegemon.prose import english
from hegemon.prose.translator import LANGUAGES

#: Sentences that no narration shows, and why; whole tables by their names.
NOT_SHOWN = {
    "reason": "Why a choice is illegal: these games have legal moves only.",
    "name": "The names of bots and of people without one: these players have names.",
    "analysis": "Why another choice was better: the analysis of a finished game.",
    "bot": "The levels of bots, on pages about seats.",
    "card.back": "The log has the number of hidden cards; their Ages are in views.",
}

#: Filled in with the name of one player, with several, and with a number; anything else may be any text.
ONE, SEVERAL, NUMBERS = (
    {"name", "other", "target"},
    {"names", "winners", "losers", "others", "before", "last"},
    {"number", "count", "needed", "left", "round", "hand", "first", "second", "breakthrough"},
)

expected = cache(narrations)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("kind", [*SEATS, "rare"])
def test_a_narration_is_the_golden_one(code, kind):
    path = FOLDER / code / f"{kind}.txt"
    again = "if it should read like that: python tests/golden/narrations.py"
    assert path.exists(), again
    assert path.read_text(encoding="utf-8").splitlines() == expected()[path].splitlines(), again


def test_there_is_no_other_narration():
    assert set(FOLDER.rglob("*.txt")) == expected().keys()
    assert {path.stem for path in FOLDER.glob("*.toml")} == SEATS.keys()


@pytest.mark.parametrize("kind", SEATS)
def test_the_record_of_a_narrated_game_is_canonical_and_replays(kind):
    text = (FOLDER / f"{kind}.toml").read_text(encoding="utf-8")
    record = read_record(text)
    assert text.partition("\n")[2] == write_record(record)
    assert Game.from_record(record).result == record.result


def test_the_narrated_games_are_of_every_kind():
    records = {kind: read_record((FOLDER / f"{kind}.toml").read_text(encoding="utf-8")) for kind in SEATS}
    assert [records[kind].players for kind in ("two-players", "three-players", "four-players")] == [2, 3, 4]
    assert records["teams"].teams
    assert records["draft"].variant == "draft"


# ------------------------------------------------------------------ which sentences are shown


def pattern(sentence):
    """What a sentence looks like when it is filled in."""
    one = "|".join(NAMES["en"])
    parts = re.split(r"\{(\w+)(?::\w+)?\}", sentence)
    for number, name in list(enumerate(parts))[1::2]:
        if name in ONE:
            parts[number] = f"(?:{one})"
        elif name in SEVERAL:
            parts[number] = f"(?:(?:{one}|you)(?:, | and )?)+"
        else:
            parts[number] = r"\d+" if name in NUMBERS else ".+"
    return "".join(part if number % 2 else re.escape(part) for number, part in enumerate(parts))


def is_whole(table):
    """Whether the sentences of a table are lines of a narration; the others are parts of a line."""
    return table in ("event", "question", "question-to-others", "choice")


def test_almost_every_sentence_is_shown():
    text = "\n".join(text for path, text in expected().items() if path.parent.name == "en")
    lines = {line.lstrip("?*- ") for line in text.splitlines()}
    missing = {
        f"{table}.{key}"
        for table, sentences in english.TABLES.items()
        if table not in NOT_SHOWN
        for key, sentence in sentences.items()
        if not (
            any(re.fullmatch(pattern(sentence), line) for line in lines)
            if is_whole(table)
            else re.search(pattern(sentence), text)
        )
    }
    assert missing == {key for key in NOT_SHOWN if "." in key}
    assert all(NOT_SHOWN.values())
