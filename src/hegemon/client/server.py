"""A server and the seats at its tables."""

import contextlib
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hegemon.client.errors import InvalidLink, StaleVersion
from hegemon.client.http import Backoff, HttpClient, OnConnectionProblem, T
from hegemon.client.links import Link, read_link
from hegemon.client.memory_tracker import MemoryTracker
from hegemon.client.messages import (
    ChatMessage,
    SeatInfo,
    TableState,
    Update,
    read_message,
    read_move,
    read_seat,
    read_state,
)
from hegemon.client.tournaments import Tournament, create
from hegemon.notation.record import Record, Result, read_record
from hegemon.play.memory import Memory
from hegemon.play.player import Player
from hegemon.rules.view import SPECTATOR, View


@dataclass(frozen=True)
class SeatRequest:
    """The player of a seat at a new table: this program, a bot of the server, or the holder of an invitation."""

    name: str = ""
    bot: str | None = None
    open: bool = False


@dataclass(frozen=True)
class Moment:
    """A table at one point in time: its state, the memory of the seat, and the updates since the previous moment."""

    seat: "Seat"
    state: TableState
    memory: Memory
    updates: tuple[Update, ...]

    @property
    def view(self) -> View:
        return self.state.view

    @property
    def choices(self) -> tuple[str, ...]:
        return self.state.choice_texts

    def play(self, choice: str | Sequence[str]) -> int:
        """Submit a choice or a set of cards at this moment; return the new version."""
        return self.seat.submit_move(choice, self.state.version)


class Seat:
    """A table as the owner of a token sees it: the player of a seat, the host, or without a token a spectator."""

    def __init__(self, server: "Server", game: str, token: str | None = None) -> None:
        self.server = server
        self.game = game
        self.token = token

    @property
    def link(self) -> str:
        """The link back to this seat; it contains the token."""
        return str(Link(self.server.address, game=self.game, token=self.token or ""))

    def _request(self, method: str, path: str, read: Callable[[Any], T], body: object = None) -> T:
        return self.server.http.request(
            method, f"/api/games/{self.game}{path}", read, token=self.token, body=body
        )

    # ---------------------------------------------------------------- state and moves

    def state(self) -> TableState:
        return self._request("GET", "", read_state)

    def submit_move(
        self, choice: str | Sequence[str], version: int, idempotency_key: str | None = None
    ) -> int:
        """Submit a move for a version of the table; return the new version.

        Where the state has a `selection`, all cards to choose can be one move: `["R1", "M1"]`. The move counts once
        even if it is sent several times. Raises `StaleVersion` if the table has changed, and `IllegalMove` if the rules
        do not allow it.
        """
        body = {
            **({"choice": choice} if isinstance(choice, str) else {"cards": [*choice]}),
            "version": version,
            "idempotency_key": idempotency_key or secrets.token_urlsafe(12),
        }
        return self._request("POST", "/moves", lambda saved: int(saved["version"]), body)

    def undo(self, version: int) -> int:
        return self.submit_move("undo", version)

    def record(self) -> Record:
        """The record of a finished game."""
        return self._request("GET", "/record", lambda data: read_record(data["record"]))

    # ---------------------------------------------------------------- following

    def follow(self, since: int = -1) -> Iterator[Update]:
        """The moves after a version (by default from the deal) and the chat, until the game is over.

        A broken stream is resumed.
        """
        backoff = Backoff(self.server.retry_timeout)
        while True:
            for message in self.server.http.stream(
                f"/api/games/{self.game}/stream", token=self.token, since=since
            ):
                backoff = Backoff(self.server.retry_timeout)
                if message.event == "move":
                    move = self.server.http.read(lambda text: read_move(json.loads(text)), message.data)
                    since = move.version
                    yield move
                elif message.event == "chat":
                    yield self.server.http.read(lambda text: read_message(json.loads(text)), message.data)
            state = self.state()
            if state.result is not None and since >= state.version:
                return
            backoff.wait(f"The stream of {self.server.address} ends again and again.")

    def moments(self) -> Iterator[Moment]:
        """All moments at which this seat has to choose; the seat is taken back from a substitute bot."""
        return (moment for moment in self.watch(reclaim=True) if moment.choices)

    def play(self, player: Player) -> Result:
        """Let a player play this seat to the end of the game."""
        for moment in self.moments():
            self.play_turn(moment, player)
        result = self.state().result
        assert result is not None, "moments() ends with the game"
        return result

    def play_turn(self, moment: Moment, player: Player) -> str | None:
        """Let a player choose at a moment; None if it was too late."""
        choice = player.choose(moment.view, moment.memory.copy(), moment.choices)
        try:
            moment.play(choice)
        except StaleVersion:  # another seat drafted, or the time ran out; there will be another moment
            return None
        return choice

    def watch(self, *, reclaim: bool = False) -> Iterator[Moment]:
        """The table now, and again after every update; the last moment is the end of the game.

        With `reclaim`, the seat is taken back from a substitute bot.
        """
        stream, tracker, updates = self.follow(), MemoryTracker(), list[Update]()
        while True:
            state = self.state()
            if reclaim and state.has_substitute:
                with contextlib.suppress(StaleVersion):  # the bot plays this turn to its end first
                    self.return_to_seat()
                state = self.state()
            while not state.is_waiting and tracker.version < state.version and (item := next(stream, None)):
                updates.append(item)
                tracker.update(item)
            viewer = state.seat if state.seat is not None else SPECTATOR
            yield Moment(self, state, tracker.memory(viewer, len(state.seats)), tuple(updates))
            if state.result is not None:
                return
            updates = [item for item in (next(stream, None),) if item is not None]
            for item in updates:
                tracker.update(item)

    # ---------------------------------------------------------------- chat, absence, rematch

    def messages(self) -> tuple[ChatMessage, ...]:
        """The latest chat messages that this seat can see."""
        return self._request("GET", "/chat", lambda messages: tuple(map(read_message, messages)))

    def post_message(
        self, text: str = "", *, phrase: str = "", about: int | None = None, domain: str = ""
    ) -> ChatMessage:
        """Post a text, or a phrase by its key with the seat and the Domain that it names."""
        target = about + 1 if about is not None else None
        body = {
            "text": text,
            "phrase": phrase,
            "about": target,
            "domain": domain,
            "idempotency_key": secrets.token_urlsafe(12),
        }
        return self._request("POST", "/chat", read_message, body)

    def return_to_seat(self) -> SeatInfo:
        """Take the seat back from a substitute bot; `StaleVersion` until it has played a turn whose time was up."""
        return self._request("POST", "/return", read_seat)

    def rematch(self) -> "Seat":
        """The same token at the next game of the series."""
        game = self._request("POST", "/rematch", lambda data: str(data["game"]))
        return Seat(self.server, game, self.token)

    # ---------------------------------------------------------------- for the host

    def invitations(self) -> dict[int, str]:
        """The links of the open seats."""

        def read(seats: list[dict[str, Any]]) -> dict[int, str]:
            return {
                data["seat"] - 1: self.server.invitation(data["invite"])
                for data in seats
                if data["invite"] is not None
            }

        return self._request("GET", "/seats", read)

    def reassign_seat(self, seat: int, bot: str | None = None) -> str | None:
        """Give a seat to a bot of the server, or open it; return the new invitation if the host gets one."""
        invite = self._request(
            "POST", f"/seats/{seat + 1}", lambda data: str(data["invite"] or ""), {"bot": bot}
        )
        return self.server.invitation(invite) if invite else None


@dataclass(frozen=True)
class NewSeat:
    """A seat of a new table; `seat` is set if this program plays it, and `link` if it is open."""

    info: SeatInfo
    seat: Seat | None
    link: str | None


@dataclass(frozen=True)
class NewTable:
    address: str
    """The page of the table."""
    host: Seat
    """The table as its host, who can reassign seats."""
    seats: tuple[NewSeat, ...]

    @property
    def own(self) -> tuple[Seat, ...]:
        return tuple(new.seat for new in self.seats if new.seat is not None)

    @property
    def links(self) -> tuple[str, ...]:
        """The invitations to the open seats."""
        return tuple(new.link for new in self.seats if new.link is not None)


class Server:
    """A server, by its address.

    Once the server has answered, failing requests are retried for `retry_timeout` seconds; `on_connection_problem` is
    called with a sentence when the connection fails and when it recovers.
    """

    def __init__(
        self,
        address: str,
        *,
        language: str = "en",
        retry_timeout: float = 120.0,
        on_connection_problem: OnConnectionProblem | None = None,
    ) -> None:
        self.retry_timeout = retry_timeout
        self.http = HttpClient(address, language, retry_timeout, on_connection_problem)
        self.address = self.http.address

    def close(self) -> None:
        self.http.close()

    def bots(self) -> tuple[str, ...]:
        """The names of the server's bots."""
        return self.http.request("GET", "/api/bots", lambda data: tuple(str(bot["name"]) for bot in data))

    def create_table(
        self,
        *seats: str | SeatRequest,
        variant: str = "basic",
        teams: bool = False,
        rulings: str = "standard",
        clock: str = "",
    ) -> NewTable:
        """Create a table: a name is a seat for this program, a `SeatRequest` any other."""
        requests = [SeatRequest(seat) if isinstance(seat, str) else seat for seat in seats]
        body = {
            "seats": [
                {"name": request.name, "bot": request.bot, "open": request.open} for request in requests
            ],
            "variant": variant,
            "teams": teams,
            "rulings": rulings,
            "clock": clock,
            "idempotency_key": secrets.token_urlsafe(32),
        }
        return self.http.request("POST", "/api/games", self._read_table, body=body)

    def _read_table(self, data: dict[str, Any]) -> NewTable:
        game = data["game"]
        return NewTable(
            data["address"],
            Seat(self, game, data["host"]),
            tuple(
                NewSeat(
                    read_seat(seat),
                    Seat(self, game, seat["token"]) if seat["token"] is not None else None,
                    self.invitation(seat["invite"]) if seat["invite"] is not None else None,
                )
                for seat in data["seats"]
            ),
        )

    def join(
        self, invite: str, name: str = "", *, color: int | None = None, token: str | None = None
    ) -> Seat:
        """Take the seat of an invitation; with the token of its owner, return to the seat."""
        token = token or secrets.token_urlsafe(32)
        path, body = f"/api/invitations/{invite}", {"name": name, "color": color}
        game = self.http.request("POST", path, lambda data: str(data["game"]), token=token, body=body)
        return Seat(self, game, token)

    def seat(self, game: str, token: str | None = None) -> Seat:
        """The seat of a token in a game; without a token, a spectator's."""
        return Seat(self, game, token)

    def create_tournament(
        self, title: str, *, bots: Sequence[str] = (), token: str | None = None, **options: Any
    ) -> Tournament:
        """Open a tournament, with bots of these levels: `format`, `players`, `rounds`, `clock`, `pause`, `bot`."""
        return create(self, title, bots, token, options)

    def tournament(self, tournament_id: str, token: str | None = None) -> Tournament:
        return Tournament(self, tournament_id, token)

    def invitation(self, invite: str) -> str:
        return str(Link(self.address, invite=invite))


def join(link: str, name: str = "", *, token: str | None = None, **options: Any) -> Seat:
    """Take a seat by a link: an invitation, or the page of a game with the token of a seat after the #.

    Further options go to `Server`: `language`, `retry_timeout`, `on_connection_problem`.
    """
    parsed = read_link(link)
    server = Server(parsed.server, **options)
    if parsed.invite:
        return server.join(parsed.invite, name, token=token)
    if not (parsed.token or token):
        raise InvalidLink(
            f"{link} is the page of a game. To take a seat, use an invitation, or add a token after a #."
        )
    return server.seat(parsed.game, parsed.token or token)
