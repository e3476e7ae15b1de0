"""Bring the catalogs of all languages up to date with what the code and the templates say.

python scripts/catalogs.py          update src/hegemon/locale/**.po; new sentences are left empty
python scripts/catalogs.py --check  change nothing; fail if a sentence is missing, stale or not translated
"""

import sys
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from hegemon.prose.translator import BOOKS, CATALOGS, LANGUAGES, context_of, is_translated

SOURCES = Path(__file__).parents[1] / "src" / "hegemon"
METHODS = [("server/templates/**.html", "jinja2"), ("server/**.py", "python")]
KEYWORDS = {"_": None, "text": None, "numbered": (1, 2), "translatable": None}


def template(book: str = "") -> Catalog:
    """Every sentence that a player can meet: the tables of prose, the pages, and what the server says.

    The rulings are a book of their own, without the pages.
    """
    catalog = Catalog(project="Hegemon", charset="utf-8", fuzzy=False)
    for name, table in BOOKS[book].items():
        for key, sentence in table.items():
            more = f"{key}.one"
            if isinstance(key, str) and key.endswith(".one"):
                continue
            if isinstance(key, str) and more in table:
                catalog.add((table[more], sentence), context=context_of(name, key))
            else:
                catalog.add(sentence, context=context_of(name, key))
    if book:
        return catalog
    options = {"server/templates/**.html": {"trimmed": "true", "silent": "false"}}
    for file, _, message, _, context in extract_from_dir(SOURCES, METHODS, options, KEYWORDS):
        catalog.add(message, context=context, locations=[(Path(file).as_posix(), 0)])
    return catalog


def up_to_date(code: str, wanted: Catalog, book: str = "") -> Catalog:
    """A language's catalog with every wanted sentence, and no other."""
    path = CATALOGS / book / f"{code}.po"
    catalog = Catalog(locale=code, charset="utf-8", fuzzy=False)
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=code)
    catalog.update(wanted, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    catalog.fuzzy = False
    return catalog


def as_text(catalog: Catalog) -> bytes:
    """A catalog as it is kept: without dates and places, so that only sentences make a difference."""
    out = BytesIO()
    write_po(
        out,
        catalog,
        width=110,
        no_location=True,
        omit_header=False,
        sort_output=False,
        ignore_obsolete=True,
    )
    lines = out.getvalue().decode().splitlines(keepends=True)
    noise = (
        '"POT-Creation-Date',
        '"PO-Revision-Date',
        '"Last-Translator',
        '"Report-Msgid',
        '"Generated-By',
        "# ",
    )
    return "".join(line for line in lines if not line.startswith(noise)).encode()


def main() -> int:
    """Update the catalogs, or check them."""
    check = "--check" in sys.argv
    problems = 0
    for book in BOOKS:
        wanted = template(book)
        for code in LANGUAGES:
            if code == "en":
                continue
            path = CATALOGS / book / f"{code}.po"
            catalog = up_to_date(code, wanted, book)
            text = as_text(catalog)
            missing = [entry.id for entry in catalog if not is_translated(entry)]
            print(f"{book or 'pages'} {code}: {len(catalog)} sentences, {len(missing)} not translated")
            problems += len(missing)
            if check:
                problems += path.read_bytes() != text
            else:
                path.write_bytes(text)
    return 1 if check and problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
