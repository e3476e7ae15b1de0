"""The journal of a tournament: every finished deal on a line of its own, so that a run can be continued."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import hegemon
from hegemon.arena.playing import GamePlayed
from hegemon.arena.tournament import Deal, Tournament

FORMAT: Final = 1

# Everything that decides what a game is like; whoever plays a run to its end plays it with one and the same program.
_ROOMS: Final = ("rules", "kernels", "notation", "play", "bots", "arena")


@cache
def program() -> str:
    """A digest of the program that plays: results of another one are not mixed with its own."""
    digest = sha256()
    package = Path(hegemon.__file__).parent
    for file in sorted(file for room in _ROOMS for file in (package / room).rglob("*.py")):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def as_line(data: dict[str, Any]) -> bytes:
    """Plain data as a line of a journal."""
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


class WrongJournal(ValueError):
    """A file that holds something else than the results of this tournament."""


class Journal:
    """The games of one tournament that are finished, in memory and, if it has a file, on disk.

    A deal is written in one line and one stroke. What was cut off in the middle of a line is played again, and a deal
    that stands there twice counts once.
    """

    def __init__(self, tournament: Tournament, path: Path | None = None) -> None:
        self.tournament = tournament
        self.path = path
        self.deals: dict[Deal, list[GamePlayed]] = {}
        if path is not None:
            self._open(path)

    @property
    def games(self) -> list[GamePlayed]:
        """Every finished game, in the order of the deals, however they came in."""
        return [game for deal in sorted(self.deals) for game in self.deals[deal]]

    def add(self, deal: Deal, games: Iterable[GamePlayed]) -> bool:
        """Take in a deal; False if it is here already."""
        if deal in self.deals:
            return False
        self.deals[deal] = list(games)
        if self.path is not None:
            line = {**asdict(deal), "games": [game.to_data() for game in self.deals[deal]]}
            self._append(self.path, line)
        return True

    def look_again(self) -> None:
        """Count what is on disk: an interrupt may come when a deal is half taken in."""
        if self.path is not None:
            self.deals.clear()
            self._open(self.path)

    def forget(self) -> None:
        """Remove the file: everything is finished."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    # ---------------------------------------------------------------- the file

    def _header(self) -> dict[str, Any]:
        facts = json.loads(json.dumps(asdict(self.tournament)))
        return {"format": FORMAT, "program": program(), "tournament": facts}

    def _open(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_bytes() if path.exists() else b""
        # A line that does not end was being written when the run was killed.
        whole, _, rest = text.rpartition(b"\n")
        if not whole:
            first = as_line(self._header())
            if not first.startswith(rest):
                raise WrongJournal(f"{path} does not hold the results of a tournament.")
            path.write_bytes(first)
            return
        lines = whole.split(b"\n")
        try:
            header = json.loads(lines[0])
            if header != self._header():
                raise WrongJournal(self._difference(header))
            for line in lines[1:]:
                data = json.loads(line)
                games = [GamePlayed.from_data(game) for game in data["games"]]
                self.deals.setdefault(Deal(data["number"], data["table"]), games)
        except (json.JSONDecodeError, UnicodeDecodeError, AttributeError, KeyError, TypeError) as error:
            raise WrongJournal(f"{path} does not hold the results of a tournament: {error}") from None
        if rest:
            with path.open("r+b") as file:
                file.truncate(len(text) - len(rest))

    def _difference(self, header: Any) -> str:
        if not isinstance(header, dict) or not isinstance(header.get("tournament"), dict):
            return f"{self.path} does not hold the results of a tournament."
        if header["tournament"] != self._header()["tournament"]:
            return f"{self.path} holds the results of another tournament: {header['tournament']}"
        return f"{self.path} holds results of another version of the bots. Remove it to play anew."

    def _append(self, path: Path, data: dict[str, Any]) -> None:
        with path.open("ab") as file:
            file.write(as_line(data))
            file.flush()
            os.fsync(file.fileno())
