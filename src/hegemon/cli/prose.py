"""The sentences of the terminal in the chosen language."""

from collections.abc import Iterator
from typing import Final

from hegemon.notation.messages import Message, message_of
from hegemon.play.legality import IllegalMoveError
from hegemon.prose.data import read_data
from hegemon.prose.translator import Name, Translator, context_of, get_translator, terminal_catalog
from hegemon.rules.cards import Domain

_ENGLISH: Final[dict[str, dict[str, str]]] = read_data("terminal")


class _Chosen:
    """The language of this process."""

    language = "en"


def use_language(code: str) -> None:
    """Set the language of this process."""
    _Chosen.language = code


def translator() -> Translator:
    """The sentences that all interfaces share, in the chosen language."""
    return get_translator(_Chosen.language)


def translate(text: str) -> str:
    """A help text, or any other English sentence of the catalog, in the chosen language."""
    return terminal_catalog(_Chosen.language).gettext(text) if text else text


class Texts:
    """A table of sentences."""

    def __init__(self, table: str) -> None:
        self._table = table

    def __getitem__(self, key: str) -> str:
        english = _ENGLISH[self._table][key]
        return terminal_catalog(_Chosen.language).pgettext(context_of(self._table, key), english)

    def __iter__(self) -> Iterator[str]:
        return iter(_ENGLISH[self._table])

    def __contains__(self, key: str) -> bool:
        return key in _ENGLISH[self._table]

    def english(self, key: str) -> str:
        """The English sentence, for data that is the same in every language."""
        return _ENGLISH[self._table][key]

    def numbered(self, key: str, number: int, **facts: object) -> str:
        """A sentence that depends on a number."""
        one, more = (_ENGLISH[self._table][form] for form in (f"{key}.one", key))
        catalog = terminal_catalog(_Chosen.language)
        sentence = catalog.npgettext(context_of(self._table, key), one, more, number)
        return sentence.format(number=number, **facts)


OVERVIEW: Final = Texts("overview")
DOMAINS_EXPLAINED: Final = Texts("domain-help")
SHORT: Final = Texts("short")
EXPLAINING: Final = Texts("help")
KEYS: Final = Texts("keys")
TYPED: Final = Texts("typed")
BOARD: Final = Texts("board")
SCREEN: Final = Texts("screen")
RULINGS: Final = Texts("rulings")
SWITCH_TEXTS: Final = Texts("switch")
MESSAGES: Final = Texts("message")
ERRORS: Final = Texts("error")
USAGE: Final = Texts("usage")
PAGE: Final = Texts("page")
HOSTING: Final = Texts("hosting")
JOINING: Final = Texts("join")
ARENA: Final = Texts("arena")
STUDY: Final = Texts("study")
BENCH: Final = Texts("bench")
COMPILING: Final = Texts("compile")
EXPORT: Final = Texts("export")
PUZZLES: Final = Texts("puzzle")
TRAIN: Final = Texts("train")
ANALYSIS: Final = Texts("analyze")


def domain_name(domain: int) -> Name:
    return translator().domains[Domain(domain)]


def typed_words(key: str) -> set[str]:
    """The accepted inputs for a meaning, casefolded, in the chosen language and in English."""
    words = f"{TYPED[key]},{_ENGLISH['typed'][key]}"
    return {word.strip().casefold() for word in words.split(",")}


def sentence_of(error: Exception) -> str:
    """The message of an error in the chosen language."""
    if isinstance(error, IllegalMoveError):
        reason = translator().reason(error.reason)
        return (
            ERRORS["illegal"].format(reason=reason, choices=" ".join(error.choices))
            if error.choices
            else reason
        )
    return translate_message(message_of(error))


def translate_message(text: str) -> str:
    """Translate a `Message`; any other text is unchanged."""
    return translator().message(text) if isinstance(text, Message) else text
