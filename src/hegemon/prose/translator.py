"""The sentences of the game in one language: the English ones, or their translations from a catalog."""

import os
from collections.abc import Sequence
from enum import Enum
from functools import cache, cached_property, lru_cache
from gettext import NullTranslations
from typing import Final, TypeVar

from hegemon.notation.messages import Message
from hegemon.play.legality import Reason
from hegemon.prose import english, lessons, puzzles
from hegemon.prose.catalogs import is_complete, load_catalog
from hegemon.prose.data import read_data
from hegemon.prose.rulings import load_rulings
from hegemon.rules.actions import Effect
from hegemon.rules.cards import LETTERS, Domain
from hegemon.rules.position import MAX_PLAYERS

Member = TypeVar("Member", bound=Enum)

#: The forms of a name besides the nominative.
FORMS: Final = ("of", "the", "object")

#: The languages of the rulebooks, each under its own name.
LANGUAGES: Final = {"en": "English", "de": "Deutsch", "el": "Ελληνικά", "hu": "Magyar", "pl": "Polski"}

#: The environment variable with the code of an incomplete language to offer.
PREVIEW: Final = "HEGEMON_PREVIEW"

#: The number of cached reasons against choices: they stay the same from move to move, and every reader sees them.
MAX_CACHED_REASONS: Final = 4096

#: The catalogs of a language. Texts that only a few pages show have separate catalogs.
CATALOGS: Final = ("", "rulings", "learning", "terminal")


def tables_of(catalog: str) -> dict[str, dict[str, str]]:
    """The English sentences of a catalog; a table and a key are the context of a sentence."""
    if catalog == "rulings":
        return {"ruling": load_rulings().sentences}
    if catalog == "learning":
        return {"lesson": lessons.SENTENCES, "puzzle": puzzles.SENTENCES, "hint": read_data("hints")}
    if catalog == "terminal":
        return read_data("terminal")
    return english.TABLES


def context_of(table: str, key: str) -> str:
    return f"{table}.{key}".lower()


class Name(str):
    """A name that a sentence can inflect.

    `{domain:of}` is the genitive, `{domain:the}` has an article, `{card:object}` is what a verb acts on.
    """

    __slots__ = ("_forms",)

    _forms: dict[str, str]

    def __new__(cls, name: str, **forms: str) -> "Name":
        self = super().__new__(cls, name)
        self._forms = {form: forms.get(form, name) for form in FORMS}
        return self

    def __format__(self, spec: str) -> str:
        return self._forms[spec] if spec in self._forms else super().__format__(spec)


class Translator:
    """The sentences in one language."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._catalog = load_catalog(code)
        self.complete = is_complete(self._catalog)
        self.domains = self._domains()
        self.effects = self._by_member(Effect, "effect")
        self.questions_to_others = self._table("question-to-others")
        self.explanations = self._by_member(Effect, "explanation")
        self._lists = self._table("list")
        self._cards = self._table("card")
        self._names = self._table("name")
        self.bots = self._table("bot")
        """The kinds of bots by name."""
        self._reasons = self._table("reason")
        self.you = self.text(english.YOU)

    def _table(self, name: str) -> dict[str, str]:
        pgettext = self._catalog.pgettext
        return {key: pgettext(context_of(name, key), text) for key, text in english.TABLES[name].items()}

    def _by_member(self, enum: type[Member], name: str) -> dict[Member, str]:
        table = self._table(name)
        return {member: table[member.name.lower()] for member in enum}

    def _domains(self) -> dict[Domain, Name]:
        tables = {form: self._by_member(Domain, f"domain-{form}") for form in FORMS}
        return {
            domain: Name(name, **{form: table[domain] for form, table in tables.items()})
            for domain, name in self._by_member(Domain, "domain").items()
        }

    @cached_property
    def rulings(self) -> dict[str, str]:
        pgettext = load_catalog(self.code, "rulings").pgettext
        sentences = load_rulings().sentences
        return {key: pgettext(context_of("ruling", key), text) for key, text in sentences.items()}

    @cached_property
    def learning(self) -> dict[str, str]:
        """The sentences of lessons, puzzles and hints by `table.key`."""
        pgettext = load_catalog(self.code, "learning").pgettext
        return {
            f"{table}.{key}": pgettext(context_of(table, key), sentence)
            for table, sentences in tables_of("learning").items()
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
        return self._format("event", key, number, facts)

    def question(self, key: str, number: int, **facts: object) -> str:
        """The open question, with the number of cards."""
        return self._format("question", key, number, facts)

    def choice(self, key: str, number: int | None = None, **facts: object) -> str:
        """What a choice would do."""
        return self._format("choice", key, number, facts)

    def analysis(self, key: str, number: int | None = None, **facts: object) -> str:
        """Why a choice would have been better."""
        return self._format("analysis", key, number, facts)

    def _format(self, name: str, key: str, number: int | None, facts: dict[str, object]) -> str:
        table = english.TABLES[name]
        one = table.get(f"{key}.one")
        context = context_of(name, key)
        if number is not None and one is not None:
            sentence = self._catalog.npgettext(context, one, table[key], number)
        else:
            sentence = self._catalog.pgettext(context, table[key])
        return sentence.format(number=number, **facts)

    def message(self, message: Message) -> str:
        """A sentence of the notation, the client or the arena."""
        catalog, facts = terminal_catalog(self.code), dict(message.facts)
        for name, value in message.facts.items():
            if isinstance(value, Message):
                facts[name] = self.message(value)
            elif name == "domain":
                facts[name] = self.domains[Domain[str(value).upper()]]
            elif name == "effect":
                facts[name] = self.effects[Effect[str(value).upper().replace(" ", "_")]]
        template = catalog.gettext(message.template)
        if message.plural:
            number = message.facts["number"]
            template = catalog.ngettext(
                message.template, message.plural, number if isinstance(number, int) else 0
            )
        return template.format(**facts) if facts else template

    def reason(self, reason: Reason) -> str:
        """Why a choice is illegal."""
        return _reason_text(self, reason.code, tuple(reason.facts.items()))

    # ---------------------------------------------------------------- players

    def bot_name(self, seat: int) -> str:
        """The default name of a bot."""
        return self.player_name(english.BOT_NAMES[seat])

    def person_name(self, seat: int) -> str:
        """The default name of a person."""
        return self.player_name(english.PERSON_NAMES[seat])

    def player_name(self, name: str) -> str:
        """Translate a default name from any language; other names are unchanged."""
        return self._names.get(default_name_keys().get(name, ""), name)

    # ---------------------------------------------------------------- cards and lists

    def card(self, card: str) -> Name:
        """A card of an event, such as `M1`, `?2` or `?`."""
        if card == "?":
            return Name(self._cards["hidden"])
        age = english.AGES[int(card[1])]
        if card[0] == "?":
            return Name(self._cards["back"].format(age=age))
        facts = {"domain": self.domains[Domain(LETTERS.index(card[0]))], "age": age}
        forms = {form: self._cards[f"card-{form}"].format(**facts) for form in ("of", "object")}
        return Name(self._cards["card"].format(**facts), **forms)

    def cards(self, cards: Sequence[str]) -> Name:
        names = [self.card(card) for card in cards]
        forms = {form: self.listing([format(name, form) for name in names]) for form in FORMS}
        return Name(self.listing(names), **forms)

    def listing(self, items: Sequence[str]) -> str:
        """The items in one phrase, such as `a, b and c`."""
        if not items:
            return self._cards["none"]
        row = items[0]
        for item in items[1:-1]:
            row = self._lists["more"].format(before=row, next=item)
        return self._lists["last"].format(before=row, last=items[-1]) if len(items) > 1 else row


@lru_cache(MAX_CACHED_REASONS)
def _reason_text(tr: Translator, code: str, reason_facts: tuple[tuple[str, object], ...]) -> str:
    facts = dict(reason_facts)
    for name, value in reason_facts:
        if name in ("domain", "floor"):
            facts[name] = tr.domains[Domain[str(value).upper()]]
        elif name == "effect":
            facts[name] = tr.effects[Effect[str(value).upper().replace(" ", "_")]]
    return tr._reasons[code].format(**facts)


@cache
def terminal_catalog(code: str) -> NullTranslations:
    """The catalog of the terminal."""
    return load_catalog(code, "terminal")


@cache
def languages() -> dict[str, str]:
    """The available languages: those with a complete catalog, and the one in `HEGEMON_PREVIEW`."""
    preview = os.environ.get(PREVIEW)
    return {c: name for c, name in LANGUAGES.items() if get_translator(c).complete or c == preview}


@cache
def default_name_keys() -> dict[str, str]:
    """The keys of default names, by the names in all languages and in plain records."""
    keys = list(english.TABLES["name"])[MAX_PLAYERS : 2 * MAX_PLAYERS]
    plain = {f"Player {seat}": key for seat, key in enumerate(keys, 1)}
    return plain | {name: key for code in LANGUAGES for key, name in get_translator(code)._names.items()}


@cache
def get_translator(code: str) -> Translator:
    return Translator(code)
