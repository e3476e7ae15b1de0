"""Servers, tables and seats far away: what a program does with them."""

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hegemon.client.errors import BadLink, TooLate
from hegemon.client.links import Link, read_link
from hegemon.client.messages import (
    Look,
    News,
    Sitter,
    Spoken,
    read_entry,
    read_look,
    read_sitter,
    read_spoken,
)
from hegemon.client.remembering import Remembering
from hegemon.client.wire import OnTrouble, Patience, Told, Wire
from hegemon.notation.record import Record, Result, read_record
from hegemon.play.memory import Memory
from hegemon.play.player import Player
from hegemon.rules.view import SPECTATOR, View


def new_token() -> str:
    """A token that nobody can guess; a server takes any of this form."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Wish:
    """Who is to sit on a seat of a new table: oneself, a bot of the server's, or whoever gets the invitation."""

    name: str = ""
    bot: str | None = None
    open: bool = False


@dataclass(frozen=True)
class Moment:
    """A table at one moment: how it looks, what a seat remembers, and what has happened since the moment before."""

    at: "Seat"
    look: Look
    memory: Memory
    news: tuple[News, ...]

    @property
    def view(self) -> View:
        """What is to be seen."""
        return self.look.view

    @property
    def choices(self) -> tuple[str, ...]:
        """The words on offer."""
        return self.look.words

    def say(self, word: str) -> int:
        """Answer the question that is open at this moment."""
        return self.at.say(word, self.look.number)


class Seat:
    """A table from one side: by a token that holds a seat, by the token of the host, or without one beside it."""

    def __init__(self, server: "Server", game: str, token: str | None = None) -> None:
        self.server = server
        self.game = game
        self.token = token

    @property
    def link(self) -> str:
        """The way back to this seat; whoever has it has the seat."""
        return str(Link(self.server.address, game=self.game, token=self.token or ""))

    def _ask(
        self, method: str, path: str, read: Callable[[Any], Told], body: object = None, *, twice: bool = True
    ) -> Told:
        return self.server.wire.ask(
            method, f"/api/games/{self.game}{path}", read, token=self.token, body=body, twice=twice
        )

    # ---------------------------------------------------------------- looking and acting

    def look(self) -> Look:
        """The table as it is now."""
        return self._ask("GET", "", read_look)

    def say(self, word: str, number: int, command: str | None = None) -> int:
        """Answer the question of that number; says under which number the word is kept.

        However often it has to be sent, it counts once. A question that is no longer open is `TooLate`, and a word that
        the rules do not allow is `NotAllowed`.
        """
        sent = {"choice": word, "version": number, "idempotency_key": command or secrets.token_urlsafe(12)}
        return self._ask("POST", "/moves", lambda saved: int(saved["version"]), sent)

    def undo(self, number: int) -> int:
        """Take the last word back, as far as that is fair."""
        return self.say("undo", number)

    def record(self) -> Record:
        """The record of the game, when it is over."""
        return self._ask("GET", "/record", lambda told: read_record(told["record"]))

    # ---------------------------------------------------------------- following

    def follow(self, since: int = -1) -> Iterator[News]:
        """What happens, entry by entry, after that number, and what is said besides; until the game is over.

        A stream that is cut goes on from where it was. Without a number it begins with the deal.
        """
        patience = Patience(self.server.patience)
        while True:
            for message in self.server.wire.stream(
                f"/api/games/{self.game}/stream", token=self.token, since=since
            ):
                patience = Patience(self.server.patience)
                if message.event == "move":
                    entry = self.server.wire.read(lambda text: read_entry(json.loads(text)), message.data)
                    since = entry.number
                    yield entry
                elif message.event == "chat":
                    yield self.server.wire.read(lambda text: read_spoken(json.loads(text)), message.data)
            look = self.look()
            if look.result is not None and since >= look.number:
                return
            patience.wait(f"The stream of {self.server.address} ends again and again.")

    def moments(self) -> Iterator[Moment]:
        """Every moment at which this seat is asked; a bot that stood in meanwhile gives the seat back."""
        return (moment for moment in self.watch(hold=True) if moment.choices)

    def play(self, player: Player) -> Result:
        """Let a player play on this seat to the end of the game."""
        for moment in self.moments():
            self.answer(moment, player)
        result = self.look().result
        assert result is not None, "it goes on to the end"
        return result

    def answer(self, moment: Moment, player: Player) -> str | None:
        """Let a player answer the question of a moment; None if it was too late."""
        word = player.choose(moment.view, moment.memory.copy(), moment.choices)
        try:
            moment.say(word)
        except TooLate:  # in the draft, or where the time is up: the next moment is another one
            return None
        return word

    def watch(self, *, hold: bool = False) -> Iterator[Moment]:
        """The table again and again: at once, and whenever something has happened or was said; the end is the last.

        Whoever means to `hold` the seat takes it back from a bot that stands in.
        """
        following, remembering, news = self.follow(), Remembering(), list[News]()
        while True:
            look = self.look()
            if hold and look.stood_in:
                self.back()
                look = self.look()
            while not look.waits and remembering.number < look.number and (item := next(following, None)):
                news.append(item)
                remembering.take_in(item)
            viewer = look.seat if look.seat is not None else SPECTATOR
            yield Moment(self, look, remembering.memory(viewer, len(look.seats)), tuple(news))
            if look.result is not None:
                return
            news = [item for item in (next(following, None),) if item is not None]
            for item in news:
                remembering.take_in(item)

    # ---------------------------------------------------------------- besides

    def heard(self) -> tuple[Spoken, ...]:
        """The last lines that this seat has heard."""
        return self._ask("GET", "/chat", lambda lines: tuple(read_spoken(line) for line in lines))

    def speak(
        self, text: str = "", *, phrase: str = "", about: int | None = None, domain: str = ""
    ) -> Spoken:
        """Say something to everybody at the table: a text, or a phrase by its key with what it names."""
        named = about + 1 if about is not None else None
        wish = {"text": text, "phrase": phrase, "about": named, "domain": domain}
        return self._ask("POST", "/chat", read_spoken, wish, twice=False)

    def back(self) -> Sitter:
        """Take the seat back from a bot that stands in."""
        return self._ask("POST", "/return", read_sitter)

    def again(self) -> "Seat":
        """The same token at the next game of the series, where it holds another seat."""
        game = self._ask("POST", "/rematch", lambda told: str(told["game"]))
        return Seat(self.server, game, self.token)

    # ---------------------------------------------------------------- for the host

    def invitations(self) -> dict[int, str]:
        """The links of the open seats, for the host."""

        def read(seats: list[dict[str, Any]]) -> dict[int, str]:
            return {
                facts["seat"] - 1: self.server.invitation(facts["invite"])
                for facts in seats
                if facts["invite"] is not None
            }

        return self._ask("GET", "/seats", read)

    def give(self, seat: int, bot: str | None = None) -> str | None:
        """Give a seat to a bot of the server's, or open it: then says the new invitation, if one is the host."""
        invite = self._ask("POST", f"/seats/{seat + 1}", lambda told: str(told["invite"] or ""), {"bot": bot})
        return self.server.invitation(invite) if invite else None


@dataclass(frozen=True)
class NewSeat:
    """A seat of a new table: one's own, or with a link for somebody else if it is open."""

    sitter: Sitter
    seat: Seat | None
    link: str | None


@dataclass(frozen=True)
class NewTable:
    """A table that was laid."""

    address: str
    """The page of the table."""
    host: Seat
    """The table from the side of its host, who can give seats away."""
    seats: tuple[NewSeat, ...]

    @property
    def own(self) -> tuple[Seat, ...]:
        """The seats that one holds oneself."""
        return tuple(new.seat for new in self.seats if new.seat is not None)

    @property
    def links(self) -> tuple[str, ...]:
        """The invitations to the open seats."""
        return tuple(new.link for new in self.seats if new.link is not None)


class Server:
    """A server, by its address.

    When it has answered once and then does not, it is waited for, so many seconds; `on_trouble` is told in a sentence.
    """

    def __init__(
        self,
        address: str,
        *,
        language: str = "en",
        patience: float = 120.0,
        on_trouble: OnTrouble | None = None,
    ) -> None:
        self.patience = patience
        self.wire = Wire(address, language, patience, on_trouble)
        self.address = self.wire.address

    def close(self) -> None:
        """Let go of the connections."""
        self.wire.close()

    def lay(
        self,
        *seats: str | Wish,
        variant: str = "basic",
        teams: bool = False,
        rulings: str = "standard",
        clock: str = "",
    ) -> NewTable:
        """Lay a table: a name is a seat of one's own, and a `Wish` any other."""
        wishes = [Wish(seat) if isinstance(seat, str) else seat for seat in seats]
        wish = {
            "seats": [{"name": wish.name, "bot": wish.bot, "open": wish.open} for wish in wishes],
            "variant": variant,
            "teams": teams,
            "rulings": rulings,
            "clock": clock,
        }
        return self.wire.ask("POST", "/api/games", self._read_table, body=wish, twice=False)

    def _read_table(self, laid: dict[str, Any]) -> NewTable:
        game = laid["game"]
        return NewTable(
            laid["address"],
            Seat(self, game, laid["host"]),
            tuple(
                NewSeat(
                    read_sitter(facts),
                    Seat(self, game, facts["token"]) if facts["token"] is not None else None,
                    self.invitation(facts["invite"]) if facts["invite"] is not None else None,
                )
                for facts in laid["seats"]
            ),
        )

    def join(
        self, invite: str, name: str = "", *, color: int | None = None, token: str | None = None
    ) -> Seat:
        """Take the seat of an invitation. The same token twice is the same as once, and comes back to the seat."""
        token = token or new_token()
        guest = {"name": name, "color": color}
        path = f"/api/invitations/{invite}"
        game = self.wire.ask("POST", path, lambda taken: str(taken["game"]), token=token, body=guest)
        return Seat(self, game, token)

    def seat(self, game: str, token: str | None = None) -> Seat:
        """The seat that a token holds in a game; without a token, a place to look on from."""
        return Seat(self, game, token)

    def invitation(self, invite: str) -> str:
        """The link of an invitation."""
        return str(Link(self.address, invite=invite))


def join(link: str, name: str = "", *, token: str | None = None, **how: Any) -> Seat:
    """Sit down by a link: an invitation, or the page of a game with the token of one's seat behind a #.

    What else is named goes to the `Server`: `language`, `patience`, `on_trouble`.
    """
    found = read_link(link)
    server = Server(found.server, **how)
    if found.invite:
        return server.join(found.invite, name, token=token)
    if not (found.token or token):
        raise BadLink(
            f"{link} is the page of a game: to sit down, an invitation is needed, or a token behind a #."
        )
    return server.seat(found.game, found.token or token)
