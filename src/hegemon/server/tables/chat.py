"""Chat at a table: phrases, which each reader sees in their own language, and free text."""

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from hegemon.prose.translator import Name, Translator
from hegemon.rules.cards import LETTERS, Domain
from hegemon.rules.view import SPECTATOR
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.messages import MAX_MESSAGES
from hegemon.server.db.rows import MessageRow
from hegemon.server.tables.errors import MAX_MESSAGE_LENGTH, ChatRejected, TableNotFound
from hegemon.server.tables.names import check_names
from hegemon.server.texts import translatable

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry
    from hegemon.server.tables.table import Table

#: Each player, and the spectators at one address, may post at most MAX_BURST messages within BURST_INTERVAL; all
#: spectators of a table together at most MAX_SPECTATOR_BURST.
MAX_BURST: Final = 5
MAX_SPECTATOR_BURST: Final = 20
BURST_INTERVAL: Final = timedelta(seconds=10)

#: The fillers of Hangul and the empty cell of Braille, which are blank although Python considers them printable.
_BLANK_LETTERS: Final = "\u115f\u1160\u3164\uffa0\u2800"

#: The maximum number of accents on one letter; no language has more.
_MAX_ACCENTS: Final = 4


@dataclass(frozen=True)
class Phrase:
    """A predefined message, which may name another player, a Domain, or both."""

    sentence: str
    names_player: bool = False
    names_domain: bool = False

    @property
    def for_spectators(self) -> bool:
        return not (self.names_player or self.names_domain)


PHRASES: Final = {
    "hello": Phrase(translatable("Hello, everyone!")),
    "stop": Phrase(translatable("Let’s stop {name} together."), names_player=True),
    "beware": Phrase(translatable("Watch out: {name} is close to Hegemony."), names_player=True),
    "spare": Phrase(
        translatable("{name}, I won’t attack your {domain} this round."), names_player=True, names_domain=True
    ),
    "leave": Phrase(translatable("Leave my {domain} alone, and I’ll leave yours alone."), names_domain=True),
    "peace": Phrase(translatable("{name}, truce this round?"), names_player=True),
    "agreed": Phrase(translatable("Agreed.")),
    "declined": Phrase(translatable("No, thank you.")),
    "thanks": Phrase(translatable("Thank you!")),
    "sorry": Phrase(translatable("Sorry, I had to.")),
    "moment": Phrase(translatable("One moment, please.")),
    "well-played": Phrase(translatable("Well played!")),
    "good-game": Phrase(translatable("Good game!")),
}


@dataclass(frozen=True)
class MessageRequest:
    """A message to post: the key of a phrase with its seat or Domain, or a text."""

    phrase: str = ""
    target: int | None = None
    """A seat."""
    domain: str = ""
    """A Domain, by its letter."""
    text: str = ""
    name: str = ""
    """The name of a spectator."""
    idempotency_key: str | None = None


def legible(text: str) -> str:
    """A text without invisible letters and without stacks of accents that cover other lines."""
    shown, accents = [], 0
    for letter in text:
        accents = accents + 1 if unicodedata.combining(letter) else 0
        if accents <= _MAX_ACCENTS:
            shown.append(" " if letter in _BLANK_LETTERS else letter)
    return "".join(shown)


def clean_text(text: str) -> str:
    """A text on one line, without invisible characters and marks that reverse the text direction."""
    plain = legible(unicodedata.normalize("NFC", text))
    shown = "".join(letter if letter.isprintable() else " " for letter in plain)
    return " ".join(shown.split())


class ChatLog:
    """The latest messages of a table: up to MAX_MESSAGES of players, and as many of spectators."""

    def __init__(self, messages: Sequence[MessageRow] = ()) -> None:
        self.messages = list(messages)
        self._spectator_posts: list[tuple[datetime, str]] = []
        """The times and addresses of the latest messages of spectators."""

    @property
    def last_number(self) -> int:
        return self.messages[-1].number if self.messages else 0

    def new_message(
        self,
        request: MessageRequest,
        seat: int | None,
        author: str,
        players: int,
        now: datetime,
        address: str = "",
    ) -> MessageRow:
        """Make a message from a request; raises ChatRejected.

        The messages of spectators are limited by address, because anyone can get any number of tokens.
        """
        self._spectator_posts = [
            (at, sender) for at, sender in self._spectator_posts if now - at < BURST_INTERVAL
        ]
        if seat is None:
            recent = [sender for _, sender in self._spectator_posts if sender == (address or author)]
        else:
            recent = [
                message.author
                for message in self.messages
                if (message.seat, message.author) == (seat, author)
                and now - message.created_at < BURST_INTERVAL
            ]
        if len(recent) >= MAX_BURST or (seat is None and len(self._spectator_posts) >= MAX_SPECTATOR_BURST):
            raise ChatRejected("often")
        name = "" if seat is not None else request.name
        message = MessageRow(
            self.last_number + 1, now, seat, author, name, idempotency_key=request.idempotency_key
        )
        if not request.phrase:
            return replace(message, text=_checked_text(request.text))
        phrase = PHRASES.get(request.phrase)
        if phrase is None or (seat is None and not phrase.for_spectators):
            raise ChatRejected("phrase")
        if phrase.names_player and (request.target not in range(players) or request.target == seat):
            raise ChatRejected("player")
        if phrase.names_domain and (len(request.domain) != 1 or request.domain not in LETTERS):
            raise ChatRejected("domain")
        return replace(
            message,
            phrase=request.phrase,
            target=request.target if phrase.names_player else None,
            domain=request.domain if phrase.names_domain else "",
        )

    def append(self, message: MessageRow, address: str = "") -> None:
        """Append a message; beyond MAX_MESSAGES, drop the oldest one by a player or by a spectator, respectively."""
        if message.seat is None:
            self._spectator_posts.append((message.created_at, address or message.author))
        same_kind = [other for other in self.messages if (other.seat is None) == (message.seat is None)]
        if len(same_kind) >= MAX_MESSAGES:
            self.messages.remove(same_kind[0])
        self.messages.append(message)

    def replace(self, messages: Sequence[MessageRow]) -> None:
        """Replace the messages with those that another worker has saved."""
        self.messages = list(messages)

    def delete_text(self, number: int, author: str) -> None:
        """Delete the text of a message."""
        self.messages = [
            replace(message, text="") if (message.number, message.author) == (number, author) else message
            for message in self.messages
        ]

    def authors_and_mute_keys(self, game: str) -> tuple[frozenset[str], frozenset[str]]:
        """The authors of the messages, and the keys by which they can be muted."""
        keys = frozenset(mute_key_of(message, game) for message in self.messages)
        return frozenset(message.author for message in self.messages), keys

    def visible_to(self, viewer: int, over: bool) -> list[MessageRow]:
        return [message for message in self.messages if is_visible(message, viewer, over=over)]


def is_visible(message: MessageRow, viewer: int, *, over: bool) -> bool:
    """Whether a viewer sees a message: until the game is over, players do not see those of spectators."""
    return message.seat is not None or viewer == SPECTATOR or over


async def post_message(
    tables: "TableRegistry",
    table: "Table",
    seat: int | None,
    author: str,
    request: MessageRequest,
    address: str = "",
) -> MessageRow:
    """Post a message; a spectator has no seat. A message repeated with the author's idempotency key counts once.

    The address is empty for callers from this machine.
    """
    async with table.lock:
        key = request.idempotency_key
        while True:
            if key is not None:
                saved = await tables.store.messages.find(table.id, author, key)
                if saved is not None:
                    return saved
            if await tables.store.moderation.is_muted(author):
                raise ChatRejected("muted")
            await check_names(tables.store, request.name)
            message = table.chat.new_message(request, seat, author, table.game.players, tables.now(), address)
            try:
                await tables.store.messages.add(table.id, message)
                break
            except ConflictError:  # another worker has saved a message, perhaps this one
                row = await tables.store.games.load(table.id)
                if row is None:
                    raise TableNotFound from None
                table.chat.replace(row.messages)
        table.chat.append(message, address)
    table.notify()
    tables.announce(table)
    return message


def _checked_text(text: str) -> str:
    cleaned = clean_text(text)
    if not cleaned:
        raise ChatRejected("nothing")
    if len(cleaned) > MAX_MESSAGE_LENGTH:
        raise ChatRejected("long")
    return cleaned


def mute_key_of(message: MessageRow, game: str) -> str:
    """The key by which a reader mutes an author: a seat, or a digest that is valid only at this table."""
    if message.seat is not None:
        return f"seat{message.seat + 1}"
    return hashlib.sha256(f"{game} {message.author}".encode()).hexdigest()[:12]


def message_text(message: MessageRow, names: Sequence[str], tr: Translator) -> str:
    phrase = PHRASES.get(message.phrase)
    if phrase is None:
        return message.text or tr.text("The host of this server has deleted this message.")
    facts: dict[str, object] = {}
    if message.target is not None:
        facts["name"] = names[message.target]
    if message.domain:
        facts["domain"] = tr.domains[Domain(LETTERS.index(message.domain))]
    return tr.text(phrase.sentence, **facts)


def author_name(message: MessageRow, names: Sequence[str], tr: Translator) -> str:
    if message.seat is not None:
        return names[message.seat]
    return message.name or tr.text("A spectator")


def phrases_for(viewer: int, tr: Translator) -> list[dict[str, Any]]:
    """The phrases, with placeholders for the seats and Domains that they name."""
    return [
        {
            "key": key,
            "text": tr.text(phrase.sentence, name="…", domain=Name("…")),
            "player": phrase.names_player,
            "domain": phrase.names_domain,
        }
        for key, phrase in PHRASES.items()
        if viewer != SPECTATOR or phrase.for_spectators
    ]
