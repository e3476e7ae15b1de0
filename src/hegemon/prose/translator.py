"""The sentences of the game in one language: the English ones, or their translations from a catalog."""

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, Final, TypeVar

from hegemon.play.legality import SENTENCES, Reason
from hegemon.prose import english, hints, lessons, puzzles, rulings
from hegemon.prose.catalogs import is_complete, load_catalog
from hegemon.rules.actions import Effect
from hegemon.rules.cards import LETTERS, Domain

#: The languages of the rulebooks, each under its own name.
LANGUAGES: Final = {"en": "English", "de": "Deutsch", "el": "Ελληνικά", "hu": "Magyar", "pl": "Polski"}

#: Tables of sentences by catalog and by the prefix of their contexts. What only a few pages show has its own catalog.
TABLES: Final[dict[str, dict[str, Mapping[Any, str]]]] = {
    "": {
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
    },
    "rulings": {"ruling": rulings.SENTENCES},
    "learning": {"lesson": lessons.SENTENCES, "puzzle": puzzles.SENTENCES, "hint": hints.SENTENCES},
}

Key = TypeVar("Key")


def context_of(table: str, key: object) -> str:
    """The message context of an entry of a table."""
    return f"{table}.{getattr(key, 'name', key)}".lower()


class Translator:
    """The sentences in one language."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._catalog = load_catalog(code)
        self.complete = is_complete(self._catalog)
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
        pgettext = self._catalog.pgettext
        return {key: pgettext(context_of(name, key), sentence) for key, sentence in table.items()}

    @cached_property
    def rulings(self) -> dict[str, str]:
        pgettext = load_catalog(self.code, "rulings").pgettext
        return {key: pgettext(context_of("ruling", key), text) for key, text in rulings.SENTENCES.items()}

    @cached_property
    def learning(self) -> dict[str, str]:
        """The sentences of lessons, puzzles and hints by `table.key`."""
        pgettext = load_catalog(self.code, "learning").pgettext
        return {
            f"{table}.{key}": pgettext(context_of(table, key), sentence)
            for table, sentences in TABLES["learning"].items()
            for key, sentence in sentences.items()
        }

    # ---------------------------------------------------------------- sentences

    def text(self, sentence: str, **facts: object) -> str:
        """A sentence of a page."""
        translated = self._catalog.gettext(sentence)
        return translated.format(**facts) if facts else translated

    def numbered(self, one: str, more: str, number: int, **facts: object) -> str:
        """A sentence of a page that depends on a number."""
        return self._catalog.ngettext(one, more, number).format(number=number, **facts)

    def event(self, key: str, number: int | None = None, **facts: object) -> str:
        """A sentence about an event."""
        return self._format("event", english.EVENTS, key, number, facts)

    def choice(self, key: str, number: int | None = None, **facts: object) -> str:
        """What a choice would do."""
        return self._format("choice", english.CHOICE_TEXTS, key, number, facts)

    def _format(
        self, name: str, table: Mapping[str, str], key: str, number: int | None, facts: dict[str, object]
    ) -> str:
        one = table.get(f"{key}.one")
        context = context_of(name, key)
        if number is not None and one is not None:
            sentence = self._catalog.npgettext(context, one, table[key], number)
        else:
            sentence = self._catalog.pgettext(context, table[key])
        return sentence.format(number=number, **facts)

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
        return self.listing([self.card(card) for card in cards])

    def listing(self, items: Sequence[str]) -> str:
        """The items in one phrase, such as `a, b and c`."""
        if not items:
            return self._cards["none"]
        row = items[0]
        for item in items[1:-1]:
            row = self._lists["more"].format(before=row, next=item)
        return self._lists["last"].format(before=row, last=items[-1]) if len(items) > 1 else row


@cache
def languages() -> dict[str, str]:
    """The languages on offer: those with a complete catalog."""
    return {code: name for code, name in LANGUAGES.items() if get_translator(code).complete}


@cache
def get_translator(code: str) -> Translator:
    return Translator(code)
