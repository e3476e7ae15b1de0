"""How each language says things: the English sentences, or their translations from a catalog."""

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

from hegemon.play.legality import SENTENCES, Reason
from hegemon.prose import english, hints, lessons, puzzles, rulings
from hegemon.rules.actions import Effect
from hegemon.rules.cards import LETTERS, Domain

#: The languages of the rulebooks, each under its own name.
LANGUAGES: Final = {"en": "English", "de": "Deutsch", "el": "Ελληνικά", "hu": "Magyar", "pl": "Polski"}

CATALOGS: Final = Path(__file__).parents[1] / "locale"

#: Every table of sentences, by the name under which catalogs know it.
TABLES: Final[dict[str, Mapping[Any, str]]] = {
    "domain": english.DOMAIN_NAMES,
    "effect": english.EFFECT_NAMES,
    "list": english.LISTS,
    "card": english.CARDS,
    "event": english.EVENTS,
    "question": english.QUESTIONS,
    "question-to-others": english.QUESTIONS_TO_OTHERS,
    "choice": english.CHOICE_TEXTS,
    "explanation": english.EXPLANATIONS,
    "reason": SENTENCES,
}

#: The catalogs of a language, by their folder: what only a few pages show has one to itself.
BOOKS: Final[dict[str, dict[str, Mapping[Any, str]]]] = {
    "": TABLES,
    "rulings": {"ruling": rulings.SENTENCES},
    "learning": {"lesson": lessons.SENTENCES, "puzzle": puzzles.SENTENCES, "hint": hints.SENTENCES},
}

Key = TypeVar("Key")


def context_of(table: str, key: object) -> str:
    """How a catalog names an entry of a table."""
    return f"{table}.{getattr(key, 'name', key)}".lower()


class Translator:
    """One language."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._catalog = None if code == "en" else read_catalog(code)
        self.domains = self._table(english.DOMAIN_NAMES, "domain")
        self.effects = self._table(english.EFFECT_NAMES, "effect")
        self.questions = self._table(english.QUESTIONS, "question")
        self.questions_to_others = self._table(english.QUESTIONS_TO_OTHERS, "question-to-others")
        self.explanations = self._table(english.EXPLANATIONS, "explanation")
        self._lists = self._table(english.LISTS, "list")
        self._cards = self._table(english.CARDS, "card")
        self._reasons = self._table(SENTENCES, "reason")
        self.you = self.text(english.YOU)

    def _table(self, table: Mapping[Key, str], name: str) -> dict[Key, str]:
        return {key: self._translation(sentence, context_of(name, key)) for key, sentence in table.items()}

    @cached_property
    def rulings(self) -> dict[str, str]:
        """The sentences about rulings; they are read when a page first needs them."""
        book = self._book("rulings")
        return {
            key: translation(book, sentence, context_of("ruling", key))
            for key, sentence in rulings.SENTENCES.items()
        }

    @cached_property
    def learning(self) -> dict[str, str]:
        """The sentences of lessons, puzzles and hints, each by its table and its key."""
        book = self._book("learning")
        return {
            f"{table}.{key}": translation(book, sentence, context_of(table, key))
            for table, sentences in BOOKS["learning"].items()
            for key, sentence in sentences.items()
        }

    def _book(self, name: str) -> Any:
        return None if self.code == "en" else read_catalog(self.code, name)

    def _translation(self, sentence: str, context: str | None = None) -> str:
        return translation(self._catalog, sentence, context)

    @property
    def complete(self) -> bool:
        """Whether the catalog has a translation of every sentence."""
        return self._catalog is None or all(is_translated(entry) for entry in self._catalog)

    # ---------------------------------------------------------------- sentences

    def text(self, sentence: str, **facts: object) -> str:
        """A sentence of a page."""
        translated = self._translation(sentence)
        return translated.format(**facts) if facts else translated

    def numbered(self, one: str, more: str, number: int, **facts: object) -> str:
        """A sentence of a page that depends on a number."""
        return self._form(one, more, number, None).format(number=number, **facts)

    def event(self, key: str, number: int | None = None, **facts: object) -> str:
        """A sentence about something that happened."""
        return self._format("event", english.EVENTS, key, number, facts)

    def choice(self, key: str, number: int | None = None, **facts: object) -> str:
        """What a choice would do."""
        return self._format("choice", english.CHOICE_TEXTS, key, number, facts)

    def _format(
        self, name: str, table: Mapping[str, str], key: str, number: int | None, facts: dict[str, object]
    ) -> str:
        one = f"{key}.one"
        if number is not None and one in table:
            sentence = self._form(table[one], table[key], number, context_of(name, key))
        else:
            sentence = self._translation(table[key], context_of(name, key))
        return sentence.format(number=number, **facts)

    def _form(self, one: str, more: str, number: int, context: str | None) -> str:
        if self._catalog is None:
            return one if number == 1 else more
        found = self._catalog.get(one, context)
        if found is None or isinstance(found.string, str):
            return one if number == 1 else more
        forms = found.string
        return str(forms[min(self._plural(number), len(forms) - 1)]) or more

    def _plural(self, number: int) -> int:
        """Which form a number takes: Polish has three, and Hungarian one for all."""
        if self.code == "pl":
            if number == 1:
                return 0
            return 1 if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else 2
        return 0 if number == 1 else 1

    def reason(self, reason: Reason) -> str:
        """Why a choice is illegal."""
        facts = dict(reason.facts)
        for name, value in reason.facts.items():
            if name in ("domain", "floor"):
                facts[name] = self.domains[Domain[str(value).upper()]]
            elif name == "effect":
                facts[name] = self.effects[Effect[str(value).upper().replace(" ", "_")]]
        return self._reasons[reason.code].format(**facts)

    # ---------------------------------------------------------------- cards and lists

    def card(self, card: str) -> str:
        """A card of an event, such as `M1`, `?2` or `?`."""
        if card == "?":
            return self._cards["hidden"]
        age = english.AGES[int(card[1])]
        if card[0] == "?":
            return self._cards["back"].format(age=age)
        return self._cards["card"].format(domain=self.domains[Domain(LETTERS.index(card[0]))], age=age)

    def cards(self, cards: Sequence[str]) -> str:
        """Several cards in a row."""
        return self.listing([self.card(card) for card in cards])

    def listing(self, items: Sequence[str]) -> str:
        """Several things in a row."""
        if not items:
            return self._cards["none"]
        row = items[0]
        for item in items[1:-1]:
            row = self._lists["more"].format(before=row, next=item)
        return self._lists["last"].format(before=row, last=items[-1]) if len(items) > 1 else row


def read_catalog(code: str, book: str = "") -> Any:
    """The translations of a language."""
    from babel.messages.pofile import read_po

    with (CATALOGS / book / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


def translation(catalog: Any, sentence: str, context: str | None) -> str:
    """A sentence as a catalog has it; English where there is no catalog, or nothing in it."""
    found = catalog and catalog.get(sentence, context)
    return str(found.string) if found and found.string else sentence


def is_translated(entry: Any) -> bool:
    """Whether a sentence of a catalog has all its forms; the head of a catalog always has."""
    return all(entry.string) if isinstance(entry.string, tuple | list) else bool(entry.string)


@cache
def languages() -> dict[str, str]:
    """The languages that can be chosen: those with a complete catalog, so that nobody meets half a page."""
    return {code: name for code, name in LANGUAGES.items() if get_translator(code).complete}


@cache
def get_translator(code: str) -> Translator:
    """The language of that code."""
    return Translator(code)
