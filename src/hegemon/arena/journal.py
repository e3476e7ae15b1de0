"""The journal of a tournament: one JSON line per finished deal, from which a run can be resumed."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from hegemon.arena.code import Code, describe_changes, differences, summarize_names
from hegemon.arena.games import GameResult
from hegemon.arena.tournament import Deal, Tournament
from hegemon.notation.messages import MessageError

FORMAT: Final = 3


def encode_line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


class JournalError(MessageError, ValueError):
    """The file does not contain results of this tournament."""


class Journal:
    """The finished games of one tournament, in memory and optionally in a file.

    A deal is appended as one line. An incomplete last line is dropped, and a deal that occurs twice counts once.
    """

    def __init__(self, tournament: Tournament, path: Path | None = None) -> None:
        self.tournament = tournament
        self.path = path
        self.code = Code.of(tournament.names)
        self.deals: dict[Deal, list[GameResult]] = {}
        if path is not None:
            self._open(path)

    @property
    def games(self) -> list[GameResult]:
        """Every finished game, ordered by deal."""
        return [game for deal in sorted(self.deals) for game in self.deals[deal]]

    def add(self, deal: Deal, games: Iterable[GameResult]) -> bool:
        """Add the games of a deal; return False if the journal already has it."""
        if deal in self.deals:
            return False
        self.deals[deal] = list(games)
        if self.path is not None:
            line = {**asdict(deal), "games": [game.to_data() for game in self.deals[deal]]}
            with self.path.open("ab") as file:
                file.write(encode_line(line))
                file.flush()
                os.fsync(file.fileno())
        return True

    def reload(self) -> None:
        """Read the file again: an interrupt may have stopped `add` halfway."""
        if self.path is not None:
            self.deals.clear()
            self._open(self.path)

    def delete(self) -> None:
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    # ---------------------------------------------------------------- the file

    def _header(self) -> dict[str, Any]:
        facts = json.loads(json.dumps(asdict(self.tournament)))
        return {"format": FORMAT, "tournament": facts, **self.code.to_data()}

    def _open(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_bytes() if path.exists() else b""
        # The last line is incomplete if the run was killed while writing it.
        whole, _, rest = text.rpartition(b"\n")
        if not whole:
            first = encode_line(self._header())
            if not first.startswith(rest):
                raise JournalError("{path} does not contain the results of a tournament.", path=path)
            path.write_bytes(first)
            return
        lines = whole.split(b"\n")
        try:
            header = json.loads(lines[0])
            if header != self._header():
                raise self._mismatch(header)
            for line in lines[1:]:
                data = json.loads(line)
                games = [GameResult.from_data(game) for game in data["games"]]
                self.deals.setdefault(Deal(data["number"], data["table"]), games)
        except (json.JSONDecodeError, UnicodeDecodeError, AttributeError, KeyError, TypeError) as error:
            raise JournalError(
                "{path} does not contain the results of a tournament: {error}", path=path, error=str(error)
            ) from None
        if rest:
            with path.open("r+b") as file:
                file.truncate(len(text) - len(rest))

    def _mismatch(self, header: Any) -> JournalError:
        """The error for the header of another tournament or of other code."""
        own = self._header()["tournament"]
        if not isinstance(header, dict) or not isinstance(header.get("tournament"), dict):
            return JournalError("{path} does not contain the results of a tournament.", path=self.path)
        if options := differences(header["tournament"], own):
            return JournalError(
                "{path} contains the results of another tournament. What is different: {changes}",
                path=self.path,
                changes=summarize_names(describe_changes(options)),
            )
        return JournalError(
            "{path} contains results of other code. What has changed: {changes}",
            path=self.path,
            changes=self.code.changes(header) or f"format {header.get('format')} → {FORMAT}",
        )
