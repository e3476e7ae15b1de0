"""Access to games of duplicate rounds, which are closed until their round is over: other tables play the same deal."""

import asyncio

from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.tournaments.errors import RoundClosed


async def check_access(tables: TableRegistry, table: Table, owner: str | None) -> None:
    """Reject everyone except the players of a table while other tables may still play its deal.

    Until then, the table is sealed: not even its players can get its record, replay or analysis.
    """
    await update_seal(tables, table)
    if table.sealed and not table.seats_of(owner or ""):
        raise RoundClosed


async def update_seal(tables: TableRegistry, table: Table) -> None:
    options = table.options
    # With two players, each table has its own deal; and a round that is over stays over.
    if options.tournament and len(table.seats) > 2 and table.sealed:
        # A cancelled query costs a connection, and Litestar cancels this if another dependency fails.
        table.sealed = await asyncio.shield(
            tables.store.tournaments.is_sealed(options.tournament, options.round)
        )
