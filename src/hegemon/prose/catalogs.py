"""Translations of sentences: gettext catalogs, `.po` files that the build compiles to `.mo`.

`hatch_build.py` runs this module by its path, so it does not import other modules of this package.
"""

from contextlib import suppress
from datetime import UTC, datetime
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[1] / "locale"

# An entry only in compiled catalogs, because `.mo` files do not contain untranslated sentences.
_COMPLETE: Final = ("catalog", "complete")


def is_translated(message: Any) -> bool:
    """Whether a message of a catalog has all its forms."""
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


def compile_catalog(path: Path) -> bytes:
    """A `.po` file in the format of `.mo` files."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with path.open("rb") as file:
        catalog = read_po(file)
    missing = [message for message in catalog if not is_translated(message)]
    for message in missing:
        catalog.delete(message.id, message.context)
    if not missing:
        context, sentence = _COMPLETE
        catalog.add(sentence, "yes", context=context)
    # Makes the output reproducible.
    catalog.creation_date = catalog.revision_date = datetime.fromtimestamp(0, UTC)
    compiled = BytesIO()
    write_mo(compiled, catalog)
    return compiled.getvalue()


def load_catalog(code: str, name: str = "", folder: Path | None = None) -> NullTranslations:
    """The translations into a language; in a source checkout a changed `.po` file is compiled on the fly."""
    if code == "en":
        return NullTranslations()
    path = (folder or FOLDER) / name / f"{code}.mo"
    source = path.with_suffix(".po")
    if not path.exists() or (source.exists() and source.stat().st_mtime > path.stat().st_mtime):
        # Without Babel, use the compiled translations, even if they are outdated or missing.
        with suppress(ImportError):
            return GNUTranslations(BytesIO(compile_catalog(source)))
    if not path.exists():
        return NullTranslations()
    with path.open("rb") as file:
        return GNUTranslations(file)


def is_complete(catalog: NullTranslations) -> bool:
    """Whether a catalog has a translation of every sentence; always true for English."""
    return not isinstance(catalog, GNUTranslations) or catalog.pgettext(*_COMPLETE) == "yes"


def write_compiled(folder: Path = FOLDER) -> None:
    """Compile every `.po` file below a folder."""
    for path in folder.rglob("*.po"):
        path.with_suffix(".mo").write_bytes(compile_catalog(path))
