"""Ratings by OpenSkill, for those who want one: they change in rated games between people, once a game."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hegemon.server.db.schema import RatedPlayer
from hegemon.server.db.store import Store
from hegemon.server.tables.registry import Table

#: Where everybody begins: what OpenSkill believes of a stranger.
START_MU: Final = 25.0
START_SIGMA: Final = START_MU / 3

#: How a rating is shown: a stranger has this many points, and a step of the scale is so many.
_SHOWN_START: Final = 1000
_SHOWN_STEP: Final = 40


def stranger(owner: str, name: str) -> RatedPlayer:
    """Somebody of whom nothing is known yet."""
    return RatedPlayer(owner, name, START_MU, START_SIGMA, 0)


def shown(person: RatedPlayer) -> int:
    """A rating as it is shown: what somebody can do at least, as far as is known."""
    return round(_SHOWN_START + _SHOWN_STEP * (person.mu - 3 * person.sigma))


def counts(table: Table) -> bool:
    """Whether a game changes ratings: it is over, was laid as a rated one, and different people played every seat."""
    owners = [row.owner for row in table.seats if row.player is None]
    return (
        table.options.rated
        and table.game.over
        and None not in owners
        and len(set(owners)) == len(table.seats)
    )


async def settle(store: Store, table: Table) -> None:
    """Change the ratings by a game that is over; however often it is asked for, once."""
    if table.rated or not counts(table):
        return
    owners = [row.owner or "" for row in table.seats]
    await store.players.rate_game(table.id, owners, lambda people: rated(table, owners, people))
    table.rated = True


def rated(table: Table, owners: list[str], people: Mapping[str, RatedPlayer]) -> list[RatedPlayer]:
    """What is believed after a game of those who have a rating; the others count as strangers and stay so."""
    from openskill.models import PlackettLuce  # loaded when the first rated game is over

    model = PlackettLuce()
    record, result = table.game.record(), table.game.result
    assert result is not None, "the game is over"
    playing = [people.get(owner) or stranger(owner, "") for owner in owners]
    step = record.players // 2 if record.teams else record.players
    sides = [list(range(seat, record.players, step)) for seat in range(step)]
    found = model.rate(
        [[model.rating(mu=playing[seat].mu, sigma=playing[seat].sigma) for seat in side] for side in sides],
        ranks=[0 if side[0] in result.winners else 1 for side in sides],
    )
    after = {
        seat: rating
        for side, ratings in zip(sides, found, strict=True)
        for seat, rating in zip(side, ratings, strict=True)
    }
    return [
        replace(person, mu=after[seat].mu, sigma=after[seat].sigma, games=person.games + 1)
        for seat, person in enumerate(playing)
        if person.owner in people
    ]
