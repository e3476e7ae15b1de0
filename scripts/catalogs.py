"""Update the catalogs of all languages from the sentences of the code and the templates.

python scripts/catalogs.py          update and compile src/hegemon/locale/**.po; new sentences are left empty
python scripts/catalogs.py --check  change nothing; fail if a sentence is missing, obsolete or not translated
"""

import re
import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from hegemon.cli.app import build_command
from hegemon.cli.help_pages import help_texts
from hegemon.prose.catalogs import FOLDER, is_translated, write_compiled
from hegemon.prose.translator import CATALOGS, LANGUAGES, context_of, tables_of

PACKAGE = Path(__file__).parents[1] / "src" / "hegemon"
SOURCES = PACKAGE / "server"
#: Sources of messages that only the terminal translates.
MESSAGE_SOURCES = [
    (f"{place}.py", "python")
    for place in (
        *("notation/**", "play/**", "bots/**", "client/**", "arena/**", "analysis/**"),
        *("server/db/**", "server/maintenance", "server/runner", "server/thinking/host"),
    )
]
MESSAGE_ERRORS = (
    *(
        "AnalysisError",
        "SetupError",
        "RecordError",
        "RecordSyntaxError",
        "JournalError",
        "BotFailed",
        "ProgramError",
        "ClientError",
        "InvalidLink",
    ),
    *("DatabaseError", "DatabaseInUse", "BaseUrlError"),
)
MESSAGE_KEYWORDS = {"message": None, "counted": (1, 2), **dict.fromkeys(MESSAGE_ERRORS)}
METHODS = [("**.html", "jinja2"), ("**.py", "python")]
OPTIONS = {"**.html": {"trimmed": "true", "silent": "false"}}
KEYWORDS = {"_": None, "text": None, "numbered": (1, 2), "translatable": None}
TRANSLATORS = "Hegemon contributors"
#: Headers that change with every run, or carry no information.
OMITTED_HEADERS = ('"POT-Creation-Date', '"Report-Msgid', '"Generated-By', "#\n", "# ")


def template(name: str = "") -> Catalog:
    """Every sentence of a catalog: those of the tables, those of the server, and the help of the terminal."""
    catalog = Catalog(project="Hegemon", charset="utf-8", fuzzy=False)
    for prefix, table in tables_of(name).items():
        for key, sentence in table.items():
            if key.endswith(".one"):
                continue
            one = table.get(f"{key}.one")
            catalog.add((one, sentence) if one else sentence, context=context_of(prefix, key))
    found: list[Any] = []
    if not name:
        found = list(extract_from_dir(SOURCES, METHODS, OPTIONS, KEYWORDS))
    if name == "terminal":
        for text in help_texts(build_command()):
            catalog.add(text)
        found = list(extract_from_dir(PACKAGE, MESSAGE_SOURCES, {}, MESSAGE_KEYWORDS))
    # Sorted by text, so that moving a sentence to another file changes no catalog.
    messages = {(message, context) for _, _, message, _, context in found}
    for message, context in sorted(messages, key=str):
        catalog.add(message, context=context)
    return catalog


def updated(code: str, wanted: Catalog, name: str = "") -> Catalog:
    """A language's catalog with exactly the wanted sentences."""
    path = FOLDER / name / f"{code}.po"
    catalog = Catalog(locale=code, charset="utf-8", fuzzy=False)
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=code)
    catalog.update(wanted, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    catalog.fuzzy = False
    catalog.project, catalog.version = "Hegemon", name or "pages"
    catalog.last_translator = TRANSLATORS
    catalog.language_team = Locale.parse(code).english_name
    if not isinstance(catalog.revision_date, datetime):
        catalog.revision_date = datetime.now(UTC)
    for message in catalog:
        # Babel takes "{percent} % of" for a format of the % operator, and msgfmt believes the flag.
        message.flags.discard("python-format")
        # msgfmt does not know our forms of a name, such as {domain:of}; the tests compare the placeholders.
        if re.search(r"\{\w+:[a-z]+\}", str(message.string)):
            message.flags.discard("python-brace-format")
    return catalog


def as_text(catalog: Catalog) -> bytes:
    """A catalog without locations and creation times, so that it changes only with its sentences."""
    out = BytesIO()
    write_po(out, catalog, width=110, no_location=True, ignore_obsolete=True)
    lines = out.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(OMITTED_HEADERS)).encode()


def main() -> int:
    check = "--check" in sys.argv
    problems = 0
    for name in CATALOGS:
        wanted = template(name)
        for code in LANGUAGES:
            if code == "en":
                continue
            path = FOLDER / name / f"{code}.po"
            catalog = updated(code, wanted, name)
            text = as_text(catalog)
            missing = [message.id for message in catalog if not is_translated(message)]
            print(f"{name or 'pages'} {code}: {len(catalog)} sentences, {len(missing)} not translated")
            problems += len(missing)
            if check:
                problems += path.read_bytes() != text
            else:
                path.write_bytes(text)
    if not check:
        write_compiled()
    return 1 if check and problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
