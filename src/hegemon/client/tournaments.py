"""A tournament on a server: enter it and play its games."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hegemon.play.player import Player

if TYPE_CHECKING:
    from hegemon.client.server import Server

#: Seconds between two polls while there is nothing to play.
POLL_INTERVAL: Final = 1.0

OVER: Final = "over"


@dataclass(frozen=True)
class Standing:
    """An entry of the standings."""

    rank: int
    name: str
    values: dict[str, float]
    """Points and tie-breaks, in order of priority."""


@dataclass(frozen=True)
class TournamentState:
    title: str
    state: str
    """`open`, `running` or `over`."""
    round: int
    rounds: int
    names: tuple[str, ...]
    standings: tuple[Standing, ...]
    """The best first."""
    your_games: tuple[str, ...]
    """The games that this token has to play now."""
    facts: dict[str, Any]
    """All data of the server, including entries and pairings."""

    @property
    def is_over(self) -> bool:
        return self.state == OVER


class Tournament:
    """A tournament as seen by the owner of a token, or publicly without one."""

    def __init__(self, server: "Server", tournament_id: str, token: str | None = None) -> None:
        self.server = server
        self.id = tournament_id
        self.token = token

    @property
    def link(self) -> str:
        """The page on which people enter."""
        return f"{self.server.address}/tournaments/{self.id}"

    def _request(self, method: str, path: str = "", body: object = None) -> Any:
        def read(data: Any) -> Any:
            return data

        path = f"/api/tournaments/{self.id}{path}"
        return self.server.http.request(method, path, read, token=self.token, body=body)

    def state(self) -> TournamentState:
        return self.server.http.read(_read_state, self._request("GET"))

    def enter(self, name: str) -> "Tournament":
        """Enter under a name; return the tournament with the token of this player, which is new if there was none."""
        entered = Tournament(self.server, self.id, self.token or secrets.token_urlsafe(32))
        entered._request("POST", "/entries", {"name": name})
        return entered

    def enter_bot(self, level: str) -> None:
        """Enter a bot, as the host."""
        self._request("POST", "/entries", {"bot": level})

    def start(self) -> None:
        """Start it, as the host."""
        self._request("POST", "/start")

    def play(self, player: Player, poll_interval: float = POLL_INTERVAL) -> TournamentState:
        """Let a player play all games of this token, until the tournament is over."""
        while not (state := self.state()).is_over:
            for game in state.your_games:
                self.server.seat(game, self.token).play(player)
            time.sleep(poll_interval)
        return state


def create(server: "Server", title: str, bots: Sequence[str], token: str | None, options: Any) -> Tournament:
    """Open a tournament, whose host is the owner of the token."""
    token = token or secrets.token_urlsafe(32)
    body = {"title": title, "bots": [*bots], "idempotency_key": secrets.token_urlsafe(32), **options}
    created = server.http.request(
        "POST", "/api/tournaments", lambda data: str(data["tournament"]), token=token, body=body
    )
    return Tournament(server, created, token)


def _read_state(data: dict[str, Any]) -> TournamentState:
    return TournamentState(
        data["title"],
        data["state"],
        data["round"],
        data["rounds"],
        tuple(entry["name"] for entry in data["entries"]),
        tuple(Standing(line["rank"], line["name"], line["values"]) for line in data["standings"]),
        tuple(data["your_games"]),
        data,
    )
