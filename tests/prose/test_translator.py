"""Translators read catalogs; English needs none."""

import pytest

from hegemon import Domain
from hegemon.play.legality import Reason
from hegemon.prose import catalogs
from hegemon.prose import translator as languages
from hegemon.prose.translator import Translator, get_translator

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
def catalog(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogs, "FOLDER", tmp_path)

    def write(code, plurals, text):
        (tmp_path / f"{code}.po").write_text(HEAD.format(code=code, plurals=plurals) + text, encoding="utf-8")
        return Translator(code)

    return write


def test_names_from_the_game_have_the_cases_that_a_language_needs():
    english, greek, hungarian = (get_translator(code).domains for code in ("en", "el", "hu"))
    assert [format(english[3], form) for form in ("", "of", "the", ">9")] == ["Science"] * 3 + ["  Science"]
    assert [format(greek[3], form) for form in ("of", "the")] == ["Επιστήμης", "της Επιστήμης"]
    assert [format(hungarian[domain], "the") for domain in (3, 5)] == ["a Tudomány", "az Utópia"]
    assert format(get_translator("pl").card("M1"), "of") == "Armii I"
    hidden = [get_translator("en").card(card) for card in ("?", "?2")]
    assert [format(card, "of") for card in hidden] == ["a card", "a card of Age II"]
    assert f"{get_translator('el').cards(['M1', 'S2']):object}" == "Στρατό\xa0I και Επιστήμη\xa0II"
    assert f"{get_translator('pl').card('U3'):object}" == "Utopię III"


def test_players_without_a_name_have_one_in_every_language():
    greek = get_translator("el")
    assert [greek.player_name(name) for name in ("Zenobia", "Zénóbia", "Ada")] == [
        "Ζηνοβία",
        "Ζηνοβία",
        "Ada",
    ]
    assert {greek.bot_name(seat) for seat in range(4)}.isdisjoint(
        greek.person_name(seat) for seat in range(4)
    )


def test_english_needs_no_catalog():
    assert get_translator("en").complete
    assert get_translator("en") is get_translator("en")
    assert get_translator("en").text("Round {number}", number=3) == "Round 3"
    assert get_translator("en").numbered("{number} card", "{number} cards", 1) == "1 card"
    assert get_translator("en").numbered("{number} card", "{number} cards", 2) == "2 cards"


def test_cards_are_named_as_far_as_they_are_known():
    english = get_translator("en")
    assert english.cards(["M1", "?2", "?"]) == "Military I, a card of Age II and a card"
    assert english.cards([]) == "nothing"


def test_the_reason_of_an_illegal_move_in_english():
    reason = Reason("embargo", {"domain": "Religion"})
    assert get_translator("en").reason(reason) == str(reason)


def test_a_catalog_translates_tables_and_sentences(catalog):
    polish = catalog("pl", THREE, POLISH)
    assert polish.complete
    assert polish.domains[Domain.MILITARY] == "Wojsko"
    assert polish.card("M2") == "Wojsko-II"
    assert polish.text("Round {number}", number=4) == "Runda 4"


def test_the_rulings_are_translated():
    english = get_translator("en").rulings
    assert english["D12.question"] == "What does a Breakthrough cost?"
    for code in ("de", "el", "hu", "pl"):
        translated = get_translator(code).rulings
        assert translated.keys() == english.keys()
        assert translated["D12.question"] != english["D12.question"]


@pytest.mark.parametrize(
    ("number", "noun"), [(1, "karta"), (2, "karty"), (5, "kart"), (12, "kart"), (22, "karty"), (25, "kart")]
)
def test_polish_has_three_plural_forms(catalog, number, noun):
    assert catalog("pl", THREE, POLISH).event("drew", number, name="Ada") == f"Ada: {number} {noun}."


def test_hungarian_has_one_plural_form(catalog):
    text = """
msgid "{number} card"
msgid_plural "{number} cards"
msgstr[0] "{number} lap"
"""
    hungarian = catalog("hu", "nplurals=1; plural=0;", text)
    assert [hungarian.numbered("{number} card", "{number} cards", n) for n in (1, 2)] == ["1 lap", "2 lap"]


def test_an_incomplete_language_falls_back_to_english_and_is_not_offered(catalog, monkeypatch):
    german = catalog("de", "nplurals=2; plural=(n != 1);", 'msgid "Draft"\nmsgstr ""\n')
    assert not german.complete
    assert german.text("Draft") == "Draft"
    assert german.numbered("{number} card", "{number} cards", 2) == "2 cards"
    monkeypatch.setattr(languages, "LANGUAGES", {"en": "English", "de": "Deutsch"})
    monkeypatch.setattr(languages, "get_translator", Translator)
    assert languages.languages.__wrapped__() == {"en": "English"}
    monkeypatch.setenv(languages.PREVIEW, "de")
    assert languages.languages.__wrapped__() == {"en": "English", "de": "Deutsch"}


def test_a_translated_reason_has_translated_domains_and_effects(catalog):
    polish = catalog("pl", THREE, POLISH)
    reason = Reason("used", {"domain": "Military", "effect": "Purge"})
    polish._reasons = {"used": "{domain}, {effect}"}
    assert polish.reason(reason) == "Wojsko, Czystka"
