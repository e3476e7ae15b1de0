"""Links to tables: an invitation, or the page of a game with the token of a seat after a #."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from hegemon.client.errors import InvalidLink
from hegemon.notation.errors import quoted

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Link:
    """The target of a link: an open seat by its invitation, or a game, with a token for a seat in it."""

    server: str
    invite: str = ""
    game: str = ""
    token: str = ""

    def __str__(self) -> str:
        if self.invite:
            return f"{self.server}/join/{self.invite}"
        return f"{self.server}/games/{self.game}" + (f"#{self.token}" if self.token else "")


def read_server(text: str) -> str:
    """The address of a server: the part before its paths."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise InvalidLink("{text} is not an address.", text=quoted(text)) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidLink(
            "{text} is not the address of a server, which begins with http:// or https://.", text=quoted(text)
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{f':{port}' if port is not None else ''}"


def read_link(text: str) -> Link:
    server, parts = read_server(text), urlsplit(text.strip())
    steps = [step for step in parts.path.split("/") if step]
    if len(steps) >= 2 and _NAME.fullmatch(steps[1]):
        if steps[0] == "join" and len(steps) == 2:
            return Link(server, invite=steps[1])
        if steps[0] == "games" and (not parts.fragment or _TOKEN.fullmatch(parts.fragment)):
            return Link(server, game=steps[1], token=parts.fragment)
    if steps == ["me"]:
        raise InvalidLink(
            "A personal link does not lead to a table: add its part after the # to the page of the game: "
            "{server}/games/…#…",
            server=server,
        )
    raise InvalidLink(
        "{text} does not lead to a table: an invitation is {server}/join/…, and your seat is {server}/games/…#… "
        "with its token after the #.",
        text=quoted(text),
        server=server,
    )
