"""Every catalog is complete and up to date, and its translations have the placeholders of the English sentences."""

import importlib.util
import os
import re
import runpy
import string
import sys
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from hegemon.prose.catalogs import FOLDER, compile_catalog, is_complete, is_translated, load_catalog
from hegemon.prose.translator import CATALOGS, LANGUAGES, languages

SCRIPT = Path(__file__).parents[2] / "scripts" / "catalogs.py"
CODES = [code for code in LANGUAGES if code != "en"]


def messages(code, name=""):
    """The messages of a `.po` file without its header."""
    with (FOLDER / name / f"{code}.po").open("rb") as file:
        return [message for message in read_po(file) if message.id]


def forms(text):
    return text if isinstance(text, tuple | list) else (text,)


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("catalogs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def templates(script):
    return {name: script.template(name) for name in CATALOGS}


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOGS)
@pytest.mark.parametrize("code", CODES)
def test_a_catalog_has_every_sentence_and_no_other(script, templates, code, name):
    saved = (FOLDER / name / f"{code}.po").read_bytes()
    assert script.as_text(script.updated(code, templates[name], name)) == saved, "run scripts/catalogs.py"


def placeholders(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("name", CATALOGS)
@pytest.mark.parametrize("code", CODES)
def test_a_translation_has_no_placeholder_that_english_does_not_have(code, name):
    for message in messages(code, name):
        known = {"number"}.union(*map(placeholders, forms(message.id)))
        for translation in forms(message.string):
            assert placeholders(translation) <= known, translation


@pytest.mark.parametrize("code", CODES)
def test_a_language_is_offered_if_its_catalog_is_complete(code):
    assert (code in languages()) == all(map(is_translated, messages(code)))


def test_without_babel_a_stale_catalog_is_used_and_a_missing_one_is_english(tmp_path, monkeypatch):
    source = tmp_path / "de.po"
    source.write_bytes((FOLDER / "learning" / "de.po").read_bytes())
    monkeypatch.setitem(sys.modules, "babel.messages.mofile", None)
    assert load_catalog("de", folder=tmp_path).gettext("x") == "x"
    monkeypatch.undo()
    compiled = source.with_suffix(".mo")
    compiled.write_bytes(compile_catalog(source))
    os.utime(compiled, (0, 0))
    monkeypatch.setitem(sys.modules, "babel.messages.mofile", None)
    assert is_complete(load_catalog("de", folder=tmp_path))
    assert isinstance(load_catalog("de", folder=tmp_path), GNUTranslations)


@pytest.mark.parametrize("code", CODES)
def test_every_ruling_is_translated(code):
    assert [message.context for message in messages(code, "rulings") if not is_translated(message)] == []


@pytest.mark.parametrize("name", CATALOGS)
def test_no_translation_is_in_the_catalogs_of_two_languages(name):
    owners = {}
    for code in CODES:
        for message in messages(code, name):
            for translation in forms(message.string):
                if len(re.findall(r"[^\W\d_]{3,}", re.sub(r"\{\w+\}", "", translation))) > 3:
                    assert owners.setdefault(translation, code) == code, translation


# ------------------------------------------------------------------ compiled catalogs

PO = """
msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "Draft"
msgstr "{}"

msgid "{{number}} card"
msgid_plural "{{number}} cards"
msgstr[0] "{{number}} Karte"
msgstr[1] "{}"
"""


@pytest.mark.parametrize("name", CATALOGS)
@pytest.mark.parametrize("code", CODES)
def test_a_compiled_catalog_has_every_translation(code, name):
    path = FOLDER / name / f"{code}.po"
    compiled = compile_catalog(path)
    assert compiled == compile_catalog(path)
    catalog = GNUTranslations(BytesIO(compiled))
    assert is_complete(catalog)
    for message in messages(code, name):
        if isinstance(message.id, str):
            found = (
                catalog.pgettext(message.context, message.id)
                if message.context
                else catalog.gettext(message.id)
            )
            assert found == message.string


def test_the_build_compiles_every_catalog(tmp_path):
    root = Path(__file__).parents[2]
    for path in (*FOLDER.rglob("*.po"), root / "src" / "hegemon" / "prose" / "catalogs.py"):
        copy = tmp_path / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    hook = runpy.run_path(str(root / "hatch_build.py"))["CatalogBuildHook"]
    hook(str(tmp_path), {}, None, None, "", "wheel").initialize("standard", {})
    folder = tmp_path / FOLDER.relative_to(root)
    for path in folder.rglob("*.po"):
        path.unlink()
    for name in CATALOGS:
        for code in CODES:
            assert is_complete(load_catalog(code, name, folder))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "de.po").write_text(PO.format("Auswahl", "{number} Karten"), encoding="utf-8")
    return tmp_path


def test_a_compiled_catalog_is_preferred_until_its_source_is_newer(folder):
    source, compiled = folder / "de.po", folder / "de.mo"
    assert load_catalog("de", folder=folder).gettext("Draft") == "Auswahl"
    compiled.write_bytes(compile_catalog(source))
    source.unlink()
    assert load_catalog("de", folder=folder).gettext("Draft") == "Auswahl"
    source.write_text(PO.format("Draft-Phase", "{number} Karten"), encoding="utf-8")
    for age, translation in ((0, "Auswahl"), (-10, "Auswahl"), (10, "Draft-Phase")):
        modified = compiled.stat().st_mtime + age
        os.utime(source, (modified, modified))
        assert load_catalog("de", folder=folder).gettext("Draft") == translation


def test_an_incomplete_catalog_has_english_where_a_form_is_missing(folder):
    assert is_complete(load_catalog("de", folder=folder))
    (folder / "de.po").write_text(PO.format("", ""), encoding="utf-8")
    catalog = load_catalog("de", folder=folder)
    assert not is_complete(catalog)
    assert catalog.gettext("Draft") == "Draft"
    assert catalog.ngettext("{number} card", "{number} cards", 2) == "{number} cards"
