"""Talk at a table: phrases that reach each reader in their own language, and free text. Nothing said binds anybody."""

import hashlib
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from hegemon.prose.translator import Translator
from hegemon.rules.cards import LETTERS, Domain
from hegemon.rules.view import SPECTATOR
from hegemon.server.db.messages import MAX_MESSAGES
from hegemon.server.db.schema import Message
from hegemon.server.texts import translatable

MAX_MESSAGE_LENGTH: Final = 240

#: Nobody says more than so many things in so short a time.
_MOST_AT_ONCE: Final = 5
_AT_ONCE: Final = timedelta(seconds=10)


@dataclass(frozen=True)
class Phrase:
    """Something that is often said; it may name another player, or a Domain, or both."""

    sentence: str
    player: bool = False
    domain: bool = False

    @property
    def for_spectators(self) -> bool:
        """Whether somebody who plays no part in the game might say it."""
        return not (self.player or self.domain)


PHRASES: Final = {
    "hello": Phrase(translatable("Hello, everybody!")),
    "stop": Phrase(translatable("Let us stop {name} together."), player=True),
    "beware": Phrase(translatable("Watch out: {name} is close to Hegemony."), player=True),
    "spare": Phrase(
        translatable("{name}, I will not attack your {domain} this round."), player=True, domain=True
    ),
    "leave": Phrase(translatable("Leave my {domain} alone, and I will leave yours alone."), domain=True),
    "peace": Phrase(translatable("{name}, shall we have peace this round?"), player=True),
    "agreed": Phrase(translatable("Agreed.")),
    "declined": Phrase(translatable("No, thank you.")),
    "thanks": Phrase(translatable("Thank you!")),
    "sorry": Phrase(translatable("Sorry, I had to.")),
    "moment": Phrase(translatable("One moment, please.")),
    "well-played": Phrase(translatable("Well played!")),
    "good-game": Phrase(translatable("That was a good game!")),
}

#: Why something cannot be said.
CHAT_REJECTIONS: Final = {
    "nothing": translatable("There is nothing to say."),
    "long": translatable("That is too long: {most} characters are the most."),
    "often": translatable("That was a lot at once. Wait a few seconds."),
    "phrase": translatable("There is no such phrase."),
    "player": translatable("Say which player you mean: another one than yourself."),
    "domain": translatable("Say which Domain you mean."),
}


class ChatRejected(Exception):
    """Something that is not said to anybody: which sentence says why."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)

    def sentence(self, tr: Translator) -> str:
        """Why, in the reader's language."""
        return tr.text(CHAT_REJECTIONS[self.key], most=MAX_MESSAGE_LENGTH)


@dataclass(frozen=True)
class MessageRequest:
    """What somebody wants to say: a phrase by its key with what it names, or else a text."""

    phrase: str = ""
    target: int | None = None
    """A seat."""
    domain: str = ""
    """A Domain, by its letter."""
    text: str = ""
    name: str = ""
    """What an onlooker wants to be called."""


def clean_text(text: str) -> str:
    """A text as it is shown: one line, without signs that cannot be seen or that turn the others around."""
    shown = "".join(letter if letter.isprintable() else " " for letter in unicodedata.normalize("NFC", text))
    return " ".join(shown.split())


class ChatLog:
    """What has been said at a table besides the game."""

    def __init__(self, lines: Sequence[Message] = ()) -> None:
        self.lines = list(lines)

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.lines[-1].number if self.lines else 0

    def line(
        self, request: MessageRequest, seat: int | None, author: str, players: int, now: datetime
    ) -> Message:
        """The line that a request makes, if it may be said."""
        recent = [line for line in self.lines if line.author == author and now - line.created_at < _AT_ONCE]
        if len(recent) >= _MOST_AT_ONCE:
            raise ChatRejected("often")
        line = Message(self.last + 1, now, seat, author, name="" if seat is not None else request.name)
        if not request.phrase:
            return replace(line, text=_text(request.text))
        phrase = PHRASES.get(request.phrase)
        if phrase is None or (seat is None and not phrase.for_spectators):
            raise ChatRejected("phrase")
        if phrase.player and (request.target not in range(players) or request.target == seat):
            raise ChatRejected("player")
        if phrase.domain and (len(request.domain) != 1 or request.domain not in LETTERS):
            raise ChatRejected("domain")
        return replace(
            line,
            phrase=request.phrase,
            target=request.target if phrase.player else None,
            domain=request.domain if phrase.domain else "",
        )

    def append(self, line: Message) -> None:
        """Take in a line that is kept."""
        self.lines = [*self.lines, line][-MAX_MESSAGES:]

    def visible_to(
        self, viewer: int, over: bool, muted: Collection[str] = (), game: str = ""
    ) -> list[Message]:
        """What somebody hears: onlookers talk apart from the players until the game is over."""
        return [
            line
            for line in self.lines
            if (line.seat is not None or viewer == SPECTATOR or over) and voice_of(line, game) not in muted
        ]


def _text(text: str) -> str:
    cleaned = clean_text(text)
    if not cleaned:
        raise ChatRejected("nothing")
    if len(cleaned) > MAX_MESSAGE_LENGTH:
        raise ChatRejected("long")
    return cleaned


def voice_of(line: Message, game: str) -> str:
    """By what a reader mutes whoever said a line: a seat, or an onlooker, who is known by it at this table only."""
    if line.seat is not None:
        return f"seat{line.seat + 1}"
    return hashlib.sha256(f"{game} {line.author}".encode()).hexdigest()[:12]


def sentence_of(line: Message, names: Sequence[str], tr: Translator) -> str:
    """What a line says, in the reader's language; a text is as it was written."""
    phrase = PHRASES.get(line.phrase)
    if phrase is None:
        return line.text
    facts: dict[str, object] = {}
    if line.target is not None:
        facts["name"] = names[line.target]
    if line.domain:
        facts["domain"] = tr.domains[Domain(LETTERS.index(line.domain))]
    return tr.text(phrase.sentence, **facts)


def speaker_of(line: Message, names: Sequence[str], tr: Translator) -> str:
    """Who said a line."""
    if line.seat is not None:
        return names[line.seat]
    return line.name or tr.text("An onlooker")


def phrases_for(viewer: int, tr: Translator) -> list[dict[str, Any]]:
    """The phrases on offer, with gaps for what they name."""
    return [
        {
            "key": key,
            "text": tr.text(phrase.sentence, name="…", domain="…"),
            "player": phrase.player,
            "domain": phrase.domain,
        }
        for key, phrase in PHRASES.items()
        if viewer != SPECTATOR or phrase.for_spectators
    ]


class ChatMessage(Struct):
    """Something that was said at the table besides the game. Nothing said binds anybody."""

    number: int
    at: datetime
    seat: int | None
    """The seat that said it; null is somebody who looks on."""
    name: str
    sentence: str
    """What was said, in the caller's language; a text is as it was written."""
    phrase: str
    about: int | None
    domain: str


def spoken(line: Message, names: Sequence[str], tr: Translator) -> ChatMessage:
    """A line as a program reads it."""
    return ChatMessage(
        number=line.number,
        at=line.created_at,
        seat=line.seat + 1 if line.seat is not None else None,
        name=speaker_of(line, names, tr),
        sentence=sentence_of(line, names, tr),
        phrase=line.phrase,
        about=line.target + 1 if line.target is not None else None,
        domain=line.domain,
    )
