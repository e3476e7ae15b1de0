"""OpenSkill ratings, for players who want one; rated games between people change them."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from hegemon.server.db.rating_changes import RatingChange
from hegemon.server.db.rows import RatedPlayer
from hegemon.server.db.store import Store
from hegemon.server.tables.table import Table

#: OpenSkill's initial rating.
START_MU: Final = 25.0
START_SIGMA: Final = START_MU / 3

#: The scale on which ratings are shown.
_SHOWN_START: Final = 1000
_SHOWN_STEP: Final = 40


def new_player(owner: str, name: str) -> RatedPlayer:
    return RatedPlayer(owner, name, START_MU, START_SIGMA, 0)


def shown_points(player: RatedPlayer | RatingChange) -> int:
    """A rating as shown to players: a conservative estimate."""
    return round(_SHOWN_START + _SHOWN_STEP * (player.mu - 3 * player.sigma))


def changes_ratings(table: Table) -> bool:
    """Whether a game changes ratings: it is over and rated, and different people hold the seats.

    A game finished by a substitute counts for the player it substituted.
    """
    owners = [row.owner for row in table.seats]
    return (
        table.options.rated
        and table.game.over
        and None not in owners
        and len(set(owners)) == len(table.seats)
    )


async def rate_game(store: Store, table: Table) -> None:
    """Update the ratings after a finished game whose results are saved; only the first call has an effect."""
    if table.rated or not changes_ratings(table):
        return
    owners = [row.owner or "" for row in table.seats]
    await store.players.rate_game(table.id, owners, lambda players: new_ratings(table, owners, players))
    table.rated = True


def new_ratings(table: Table, owners: list[str], players: Mapping[str, RatedPlayer]) -> list[RatedPlayer]:
    """The new ratings of the players who have one; the others count as new players."""
    from openskill.models import PlackettLuce  # loaded when the first rated game is over

    model = PlackettLuce()
    record, result = table.game.record(), table.game.result
    assert result is not None, "the game is over"
    playing = [players.get(owner) or new_player(owner, "") for owner in owners]
    step = record.players // 2 if record.teams else record.players
    sides = [list(range(seat, record.players, step)) for seat in range(step)]
    found = model.rate(
        [[model.rating(mu=playing[seat].mu, sigma=playing[seat].sigma) for seat in side] for side in sides],
        ranks=ranks_of(sides, result.winners, table.resigned),
    )
    after = {
        seat: rating
        for side, ratings in zip(sides, found, strict=True)
        for seat, rating in zip(side, ratings, strict=True)
    }
    return [
        replace(player, mu=after[seat].mu, sigma=after[seat].sigma, games=player.games + 1)
        for seat, player in enumerate(playing)
        if player.owner in players
    ]


def ranks_of(sides: list[list[int]], winners: Collection[int], resigned: Collection[int]) -> list[float]:
    """The rank of each side, 0 for a win; if a bot won for a side that resigned, the sides that did not resign win."""
    stayed = [not set(side) <= set(resigned) for side in sides]
    won = [stays and side[0] in winners for side, stays in zip(sides, stayed, strict=True)]
    return [0.0 if first else 1.0 for first in (won if any(won) else stayed)]
