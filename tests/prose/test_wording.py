"""Every sentence of every catalog: well-formed, complete, with the typography and the terms of its language."""

import re
import shutil
import string
import subprocess
import unicodedata
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from wording import TERMS, faults, without_input

from hegemon.prose.catalogs import FOLDER, is_translated
from hegemon.prose.translator import LANGUAGES, get_translator

CATALOGS = sorted(FOLDER.rglob("*.po"))
NAMES = Path(__file__).parents[2] / "docs" / "guide" / "names.md"
#: "on" and "off" in Polish, the tie-breaks in Greek.
ABBREVIATIONS = {"wł.", "wył.", "Μπ.", "Σ.-Μπ."}
#: Hungarian dates end with a full stop.
DATE = re.compile(r"\{(day|seen)\}$")

each_catalog = pytest.mark.parametrize(
    "path", CATALOGS, ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix()
)


def catalog_of(path):
    with path.open("rb") as file:
        return read_po(file)


def messages(path):
    return [message for message in catalog_of(path) if message.id]


def forms(text):
    return tuple(text) if isinstance(text, tuple | list) else (text,)


def pairs(path):
    """Each translated form with the English sentence that it translates."""
    for message in messages(path):
        english = forms(message.id)
        for number, translation in enumerate(forms(message.string)):
            yield english[min(number, len(english) - 1)], translation


def placeholders(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


# ------------------------------------------------------------------ well-formed catalogs


@each_catalog
def test_msgfmt_accepts_a_catalog(path):
    if not (msgfmt := shutil.which("msgfmt")):
        pytest.skip("msgfmt is not installed (on Debian: the package gettext); `make test` installs it")
    checked = subprocess.run(
        [msgfmt, "--check", "--output-file=/dev/null", path], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


@each_catalog
def test_a_catalog_is_whole(path):
    # What msgfmt checks, and more; it needs no program.
    catalog = catalog_of(path)
    code = path.stem
    assert code in LANGUAGES
    assert not catalog.fuzzy
    assert [message.id for message in catalog if message.fuzzy] == []
    assert [message.id for message in messages(path) if not is_translated(message)] == []
    assert catalog.obsolete == {}
    for message in messages(path):
        expected = catalog.num_plurals if isinstance(message.id, tuple) else 1
        assert len(forms(message.string)) == expected, message.id


@each_catalog
def test_a_header_says_what_the_catalog_is(path):
    header = path.read_text(encoding="utf-8").partition("\n\n")[0]
    headers = dict(re.findall(r'^"([\w-]+): (.+)\\n"$', header, flags=re.MULTILINE))
    part = "pages" if path.parent == FOLDER else path.parent.name
    assert headers["Project-Id-Version"] == f"Hegemon {part}"
    assert headers["Language"] == path.stem
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert headers["Plural-Forms"].startswith("nplurals=")
    assert headers.keys() >= {"Last-Translator", "Language-Team", "PO-Revision-Date"}
    assert not re.search(r"EMAIL@ADDRESS|LL@li\.org|PROJECT|YEAR", header)


@each_catalog
def test_a_translation_fills_in_what_the_english_sentence_fills_in(path):
    for message in messages(path):
        expected = set().union(*map(placeholders, forms(message.id)))
        for number, translation in enumerate(forms(message.string)):
            # The form for one card may say "a card", unless the language has no other form.
            free = {"number"} if number == 0 and len(forms(message.string)) > 1 else set()
            assert placeholders(translation) | free == expected | free, translation


def ending(translation, path):
    return (DATE.sub(".", translation) if path.stem == "hu" else translation)[-1]


@each_catalog
def test_a_translation_ends_as_the_english_sentence_does(path):
    # A label stays a label, a question a question; an exclamation may be a statement.
    question = ";" if path.stem == "el" else "?"
    kinds = {".": ".", "!": ".", question: "?", ":": ":", "…": "…"}
    wrong = [
        (english, translation)
        for english, translation in pairs(path)
        if kinds.get(ending(translation, path)) != {**kinds, "?": "?"}.get(english[-1])
        and translation not in ABBREVIATIONS
    ]
    assert wrong == []


@each_catalog
def test_a_translation_is_normalized_and_has_no_space_at_its_ends(path):
    for english, translation in pairs(path):
        assert unicodedata.normalize("NFC", translation) == translation
        assert translation.strip() == translation, translation
        assert english.strip() == english, english


# ------------------------------------------------------------------ wording


def prose(path, text):
    return without_input(text) if path.parent.name == "terminal" else text


@each_catalog
def test_no_translation_has_a_fault_of_its_language(path):
    found = {(fault, text) for _, text in pairs(path) for fault in faults(path.stem, prose(path, text))}
    assert sorted(found) == []


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("de.po")), ids=lambda path: path.parent.name)
def test_no_english_sentence_has_a_fault(path):
    texts = {text for message in messages(path) for text in forms(message.id)}
    found = {(fault, text) for text in texts for fault in faults("en", prose(path, text))}
    if (
        path.parent.name == "terminal"
    ):  # messages of exceptions and docstrings, in the quotation marks of Python
        found = {(fault, text) for fault, text in found if fault != "a straight quotation mark"}
    assert sorted(found) == []


@pytest.mark.parametrize(
    ("code", "sentence", "fault"),
    [
        ("hu", "{name} megtámadja a(z) {domain} területet.", "an ending in parentheses, such as a(z)"),
        ("hu", "{name} játékos lapot húz.", "a noun before or after a name"),
        ("hu", "{name}-nak ad egy lapot.", "an ending glued to a name"),
        ("hu", "A {seat}. hely választ.", "an article that depends on what follows"),
        ("hu", "Visszaadod neki ({other}): {cards}.", "a pronoun that stands for the case of a name"),
        ("hu", "Holtverseny: holtverseny", "not “döntetlen”"),
        ("pl", "Czekamy na gracza {name}…", "a noun before a name"),
        ("pl", "Karta od {other}.", "a name after a preposition"),
        ("pl", "{name} zagrywa {cards}.", "the object of a verb in the nominative"),
        ("pl", "Hegemonia w Domenie {domain}", "a Domain in the nominative"),
        ("el", "Ο παίκτης {name} παίζει.", "a noun before a name"),
        ("el", "{name} παίζει {cards}.", "the object of a verb in the nominative"),
        ("el", "Έμπνευση από {other}", "a name after a preposition or an article"),
        ("el", "{name} επιστρέφει μία κάρτα (σε: {other}).", "a name after a preposition and a colon"),
        ("el", "Τραβάς {cards}.", "the object of a verb in the nominative"),
        ("de", "Karte von \"{name}\"", "a straight quotation mark"),
        ("de", "{percent} % der Partien", "% without a non-breaking space"),
        ("de", "{name} wirft ab - und zieht.", "a hyphen or an em dash for a dash"),
        ("de", "“{name}”", "the quotation mark ”"),
        ("pl", "{name} myśli …", "a space that lets a line begin with an ellipsis"),
        ("en", "The colour", "not “American spelling”"),
        ("en", "{who} says 'no'", "a straight quotation mark"),
    ],
)  # fmt: skip
def test_a_fault_is_found(code, sentence, fault):
    assert fault in faults(code, sentence)


def test_input_in_a_sentence_of_the_terminal_has_no_faults():
    typed = (
        "Wpisz ?, aby zobaczyć pomoc; - czyta wejście. Plik .svg: pip install 'hegemon[arena]' albo --port."
    )
    assert faults("pl", typed)
    assert faults("pl", without_input(typed)) == []


# ------------------------------------------------------------------ terms


def names_table():
    """The rows of Names in five languages: the English term, then the others by language."""
    codes = ("en", "de", "el", "pl", "hu")
    for line in NAMES.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 1 + len(codes):
            yield cells[0], dict(zip(codes, cells[1:], strict=True))


@pytest.mark.parametrize("code", LANGUAGES)
def test_domains_and_effects_have_the_names_of_the_rulebooks(code):
    english, tr = get_translator("en"), get_translator(code)
    official = {names["en"]: names[code] for _, names in names_table() if code in names}
    if code not in TERMS:
        pytest.skip(f"There is no rulebook in {LANGUAGES[code]}.")
    for domain, name in english.domains.items():
        assert tr.domains[domain] == official[name]
    for effect, name in english.effects.items():
        assert tr.effects[effect] == official[name]
