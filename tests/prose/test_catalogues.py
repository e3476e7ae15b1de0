"""Every catalogue has every sentence of the code and the templates, and fills in nothing but what English fills in."""

import importlib.util
import re
import string
from pathlib import Path

import pytest

from hegemon.prose.speech import BOOKS, CATALOGUES, LANGUAGES, is_translated, languages, read_catalogue

SCRIPT = Path(__file__).parents[2] / "scripts" / "catalogues.py"
CODES = [code for code in LANGUAGES if code != "en"]


@pytest.fixture(scope="module")
def catalogues():
    spec = importlib.util.spec_from_file_location("catalogues", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def templates(catalogues):
    return {book: catalogues.template(book) for book in BOOKS}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", CODES)
def test_a_catalogue_has_every_sentence_and_no_other(catalogues, templates, code, book):
    kept = (CATALOGUES / book / f"{code}.po").read_bytes()
    assert catalogues.as_text(catalogues.up_to_date(code, templates[book], book)) == kept, (
        "run scripts/catalogues.py"
    )


def filled_in(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", CODES)
def test_a_translation_fills_in_what_english_fills_in(code, book):
    for entry in read_catalogue(code, book):
        english = entry.id if isinstance(entry.id, tuple | list) else (entry.id,)
        known = set().union(*map(filled_in, english)) | {"number"} if entry.id else set()
        for said in entry.string if isinstance(entry.string, tuple | list) else (entry.string,):
            assert not entry.id or filled_in(said) <= known, said


@pytest.mark.parametrize("code", CODES)
def test_a_language_is_offered_when_its_catalogue_is_complete(code):
    assert (code in languages()) == all(map(is_translated, read_catalogue(code)))


@pytest.mark.parametrize("code", CODES)
def test_every_ruling_is_translated(code):
    assert [entry.context for entry in read_catalogue(code, "rulings") if not is_translated(entry)] == []


@pytest.mark.parametrize("book", BOOKS)
def test_no_language_speaks_in_the_words_of_another(book):
    spoken = {}
    for code in CODES:
        for entry in read_catalogue(code, book):
            for said in entry.string if isinstance(entry.string, tuple | list) else (entry.string,):
                words = re.findall(r"[^\W\d_]{3,}", re.sub(r"\{\w+\}", "", said))
                if entry.id and len(words) > 3:
                    assert spoken.setdefault(said, code) == code, said
