"""Everything that the server stores about a person, as a zip file that is written while it is sent."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from hegemon.notation.record import read_record, write_record
from hegemon.play.game import Game
from hegemon.prose.translator import Translator
from hegemon.server.db.games import DAMAGED
from hegemon.server.db.rows import GameRow
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.results import play_moves
from hegemon.server.texts import translatable

_TITLE: Final = translatable("What a Hegemon server has stored about you.")

#: Descriptions of the files.
_CONTENTS: Final = {
    "games/*.toml": translatable(
        "Your finished games. You can open them on the start page of any server, or with `hegemon replay FILE`."
    ),
    "studies/*.toml": translatable("Your studies."),
    "*.json": translatable("Your rows in each table of the database, without keys and secrets."),
}


class _Sink:
    """A file that collects the bytes written since the last `take`."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, part: bytes) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def flush(self) -> None:
        pass

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


async def export_zip(tables: TableRegistry, owner: str | None, tr: Translator) -> AsyncIterator[bytes]:
    """The chunks of the file, without unfinished games and deals that other tables of a round still play."""
    sink = _Sink()
    with ZipFile(sink, "w", ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        archive.writestr(_entry("README.txt"), _readme(tr))
        if owner is not None:
            for name, rows in (await tables.store.people.export(owner)).items():
                archive.writestr(_entry(f"{name}.json"), msgspec.json.format(msgspec.json.encode(rows)))
            for study in await tables.store.studies.owned_by(owner):
                archive.writestr(_entry(f"studies/{study.id}.toml"), study.record)
            for game_id in await tables.store.own_games.finished_ids(owner):
                try:
                    row = await tables.store.games.load(game_id)
                except DAMAGED:  # the other games are exported
                    continue
                if row is not None and not await _is_sealed(tables, row):
                    text = await tables.bots.run_for(owner, partial(_record, row))
                    archive.writestr(_entry(f"games/{game_id}.toml"), text)
                yield sink.take()
    yield sink.take()


def _readme(tr: Translator) -> str:
    """A description of the files, in the language of the reader."""
    contents = (f"{files}\n    {tr.text(sentence)}\n" for files, sentence in _CONTENTS.items())
    return "\n".join((f"{tr.text(_TITLE)}\n", *contents))


async def _is_sealed(tables: TableRegistry, row: GameRow) -> bool:
    options = row.options
    return bool(options.tournament) and await tables.store.tournaments.is_sealed(
        options.tournament, options.round
    )


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    return entry


def _record(row: GameRow) -> str:
    """The record of a finished game; a damaged one is returned as stored."""
    try:
        game = play_moves(Game.from_record(read_record(row.record)), row.moves)
        game.rename([seat.name or name for seat, name in zip(row.seats, game.names, strict=True)])
        return write_record(game.record())
    except Exception:
        return row.record
