"""Links to tables: an invitation, or the page of a game with the token of a seat behind a #."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from hegemon.client.errors import BadLink

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Link:
    """Where a link leads: to an open seat by an invitation, or to a game, perhaps to one's own seat in it."""

    server: str
    invite: str = ""
    game: str = ""
    token: str = ""

    def __str__(self) -> str:
        if self.invite:
            return f"{self.server}/join/{self.invite}"
        return f"{self.server}/games/{self.game}" + (f"#{self.token}" if self.token else "")


def read_server(text: str) -> str:
    """The address of a server: all that comes before its pages."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise BadLink(f'"{text[:80]}" is no address.') from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadLink(f'"{text[:80]}" is no address of a server: it begins with http:// or https://.')
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{f':{port}' if port is not None else ''}"


def read_link(text: str) -> Link:
    """The link that somebody was sent, or copied from the page."""
    server, parts = read_server(text), urlsplit(text.strip())
    steps = [step for step in parts.path.split("/") if step]
    if len(steps) >= 2 and _NAME.fullmatch(steps[1]):
        if steps[0] == "join" and len(steps) == 2:
            return Link(server, invite=steps[1])
        if steps[0] == "games" and (not parts.fragment or _TOKEN.fullmatch(parts.fragment)):
            return Link(server, game=steps[1], token=parts.fragment)
    if steps == ["me"]:
        raise BadLink(
            "A personal link names no table: put its part behind the # after the page of the game, "
            f"{server}/games/…#…"
        )
    raise BadLink(
        f'"{text[:80]}" leads to no table: an invitation is {server}/join/…, and a seat of yours '
        f"{server}/games/…#… with its token behind the #."
    )
