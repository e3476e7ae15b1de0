"""Every catalog has every sentence of the code and the templates, and fills in nothing but what English fills in."""

import importlib.util
import re
import string
from pathlib import Path

import pytest

from hegemon.prose.translator import BOOKS, CATALOGS, LANGUAGES, is_translated, languages, read_catalog

SCRIPT = Path(__file__).parents[2] / "scripts" / "catalogs.py"
CODES = [code for code in LANGUAGES if code != "en"]


@pytest.fixture(scope="module")
def catalogs():
    spec = importlib.util.spec_from_file_location("catalogs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def templates(catalogs):
    return {book: catalogs.template(book) for book in BOOKS}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", CODES)
def test_a_catalog_has_every_sentence_and_no_other(catalogs, templates, code, book):
    kept = (CATALOGS / book / f"{code}.po").read_bytes()
    assert catalogs.as_text(catalogs.up_to_date(code, templates[book], book)) == kept, (
        "run scripts/catalogs.py"
    )


def filled_in(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", CODES)
def test_a_translation_fills_in_what_english_fills_in(code, book):
    for entry in read_catalog(code, book):
        english = entry.id if isinstance(entry.id, tuple | list) else (entry.id,)
        known = set().union(*map(filled_in, english)) | {"number"} if entry.id else set()
        for said in entry.string if isinstance(entry.string, tuple | list) else (entry.string,):
            assert not entry.id or filled_in(said) <= known, said


@pytest.mark.parametrize("code", CODES)
def test_a_language_is_offered_when_its_catalog_is_complete(code):
    assert (code in languages()) == all(map(is_translated, read_catalog(code)))


@pytest.mark.parametrize("code", CODES)
def test_every_ruling_is_translated(code):
    assert [entry.context for entry in read_catalog(code, "rulings") if not is_translated(entry)] == []


@pytest.mark.parametrize("book", BOOKS)
def test_no_language_speaks_in_the_words_of_another(book):
    spoken = {}
    for code in CODES:
        for entry in read_catalog(code, book):
            for said in entry.string if isinstance(entry.string, tuple | list) else (entry.string,):
                words = re.findall(r"[^\W\d_]{3,}", re.sub(r"\{\w+\}", "", said))
                if entry.id and len(words) > 3:
                    assert spoken.setdefault(said, code) == code, said
