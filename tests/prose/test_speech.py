"""A language is a catalogue of sentences; English needs none."""

import pytest

from hegemon import Domain
from hegemon.play.refusal import Reason
from hegemon.prose import speech as languages
from hegemon.prose.speech import Speech, speech

HEAD = """
msgid ""
msgstr ""
"Language: {code}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {plurals}\\n"
"""

POLISH = """
msgctxt "domain.military"
msgid "Military"
msgstr "Wojsko"

msgctxt "effect.purge"
msgid "Purge"
msgstr "Czystka"

msgctxt "card.card"
msgid "{domain} {age}"
msgstr "{domain}-{age}"

msgctxt "event.drew"
msgid "{name} drew a card."
msgid_plural "{name} drew {number} cards."
msgstr[0] "{name}: {number} karta."
msgstr[1] "{name}: {number} karty."
msgstr[2] "{name}: {number} kart."

msgid "Round {number}"
msgstr "Runda {number}"
"""
THREE = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"


@pytest.fixture
def catalogue(tmp_path, monkeypatch):
    monkeypatch.setattr(languages, "CATALOGUES", tmp_path)

    def write(code, plurals, text):
        (tmp_path / f"{code}.po").write_text(HEAD.format(code=code, plurals=plurals) + text, encoding="utf-8")
        return Speech(code)

    return write


def test_english_needs_no_catalogue():
    assert speech("en").complete
    assert speech("en") is speech("en")
    assert speech("en").text("Round {number}", number=3) == "Round 3"
    assert speech("en").numbered("{number} card", "{number} cards", 1) == "1 card"
    assert speech("en").numbered("{number} card", "{number} cards", 2) == "2 cards"


def test_cards_are_named_as_a_reader_sees_them():
    english = speech("en")
    assert english.cards(["M1", "?2", "?"]) == "Military I, a card of Age II and a card"
    assert english.cards([]) == "nothing"


def test_a_refusal_names_what_it_is_about():
    reason = Reason("embargo", {"domain": "Religion"})
    assert speech("en").refusal(reason) == str(reason)


def test_a_catalogue_translates_tables_and_sentences(catalogue):
    polish = catalogue("pl", THREE, POLISH)
    assert polish.complete
    assert polish.domains[Domain.MILITARY] == "Wojsko"
    assert polish.card("M2") == "Wojsko-II"
    assert polish.text("Round {number}", number=4) == "Runda 4"


def test_the_rulings_are_said_in_every_language():
    english = speech("en").rulings
    assert english["D12.question"] == "What does a Breakthrough cost?"
    for code in ("de", "el", "hu", "pl"):
        said = speech(code).rulings
        assert said.keys() == english.keys()
        assert said["D12.question"] != english["D12.question"]


@pytest.mark.parametrize(
    ("number", "word"), [(1, "karta"), (2, "karty"), (5, "kart"), (12, "kart"), (22, "karty"), (25, "kart")]
)
def test_polish_has_three_forms_of_a_number(catalogue, number, word):
    said = catalogue("pl", THREE, POLISH).event("drew", number, name="Ada")
    assert said == f"Ada: {number} {word}."


def test_hungarian_has_one_form_for_all_numbers(catalogue):
    text = """
msgid "{number} card"
msgid_plural "{number} cards"
msgstr[0] "{number} lap"
"""
    hungarian = catalogue("hu", "nplurals=1; plural=0;", text)
    assert [hungarian.numbered("{number} card", "{number} cards", n) for n in (1, 2)] == ["1 lap", "2 lap"]


def test_what_is_not_translated_is_said_in_english_and_the_language_is_not_offered(catalogue, monkeypatch):
    german = catalogue("de", "nplurals=2; plural=(n != 1);", 'msgid "Draft"\nmsgstr ""\n')
    assert not german.complete
    assert german.text("Draft") == "Draft"
    assert german.numbered("{number} card", "{number} cards", 2) == "2 cards"
    monkeypatch.setattr(languages, "LANGUAGES", {"en": "English", "de": "Deutsch"})
    monkeypatch.setattr(languages, "speech", Speech)
    assert languages.languages.__wrapped__() == {"en": "English"}


def test_a_translated_refusal_names_domains_and_effects_in_its_language(catalogue):
    polish = catalogue("pl", THREE, POLISH)
    reason = Reason("used", {"domain": "Military", "effect": "Purge"})
    polish._refusals = {"used": "{domain}, {effect}"}
    assert polish.refusal(reason) == "Wojsko, Czystka"
