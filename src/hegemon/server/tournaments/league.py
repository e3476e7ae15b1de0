"""The weekly league, which runs without a host.

Every Monday a week opens, and people enter until Tuesday night. On Wednesday they are put into groups of four by their
strength in the last weeks; bots fill the remaining places. Everyone plays everyone else in the group, all three games
at the same time and at any hour: each player has two days for each game, so the week ends on Sunday.
"""

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final

from hegemon.server.db.tournament_rows import OPEN, Entry, TournamentRow, TournamentSnapshot
from hegemon.server.db.tournaments import Tournaments
from hegemon.server.tables.daily import first_day_of, week_of
from hegemon.server.tournaments.formats import GROUP_SIZE, GROUPS
from hegemon.server.tournaments.pairing import draw_order
from hegemon.server.tournaments.standings import half_points

#: Two days per game and some minutes per move: even if both players use all of it, a game takes less than five days.
CLOCK: Final = "2880m a game + 600s"

#: How long entries are open, from the beginning of Monday.
ENTRY_PERIOD: Final = timedelta(days=2)

#: The number of weeks in the standings, including the current one.
WEEKS: Final = 12

_WEEK: Final = timedelta(days=7)


@dataclass(frozen=True)
class LeagueStanding:
    """A line of the standings of the league: the sum of a person's points."""

    rank: int
    name: str
    points: int
    """In half points."""
    weeks: int
    wins: int
    owner: str


def monday(now: datetime) -> datetime:
    day = now.astimezone(UTC).date()
    return datetime.combine(day - timedelta(days=day.weekday()), time(), UTC)


def next_monday(now: datetime) -> datetime:
    return monday(now) + _WEEK


def new_week(now: datetime, bot: str) -> TournamentRow | None:
    """The tournament of this week; None if it is too late to enter."""
    first = monday(now)
    if now >= first + ENTRY_PERIOD:
        return None
    return TournamentRow(
        secrets.token_urlsafe(12),
        None,
        "",
        GROUPS,
        2,
        "basic",
        1,
        CLOCK,
        0,
        bot,
        secrets.randbits(62),
        now,
        public=True,
        league=week_of(first.date()),
        starts_at=first + ENTRY_PERIOD,
    )


def weeks_until(week: str) -> tuple[str, str]:
    """The first and the last week included in the standings of a week."""
    first = first_day_of(week)
    assert first is not None, "a week of the league"
    return week_of(first - (WEEKS - 1) * _WEEK), week


async def load_weeks(store: Tournaments, week: str) -> list[TournamentSnapshot]:
    return await store.of_league(*weeks_until(week))


def league_standings(weeks: Sequence[TournamentSnapshot]) -> list[LeagueStanding]:
    """The points of people over some weeks; ties are broken by wins, then by fewer weeks. The latest name counts."""
    points, wins = defaultdict[str, int](int), defaultdict[str, int](int)
    entered, names = defaultdict[str, int](int), dict[str, str]()
    for snapshot in weeks:
        if snapshot.tournament.state == OPEN:
            continue
        week_points = half_points(snapshot.entries, snapshot.pairings)
        won = [
            found.entries[seat]
            for found in snapshot.pairings
            if found.outcome is not None
            for seat in found.outcome.winners
        ]
        for entry in snapshot.entries:
            if entry.owner is not None:
                points[entry.owner] += week_points[entry.number]
                wins[entry.owner] += won.count(entry.number)
                entered[entry.owner] += 1
                names[entry.owner] = entry.name
    values = {owner: (-points[owner], -wins[owner], entered[owner]) for owner in names}
    ordered = sorted(values, key=lambda owner: (values[owner], names[owner]))
    return [
        LeagueStanding(
            1 + sum(other < values[owner] for other in values.values()),
            names[owner],
            points[owner],
            entered[owner],
            wins[owner],
            owner,
        )
        for owner in ordered
    ]


async def load_groups(store: Tournaments, snapshot: TournamentSnapshot) -> list[int]:
    """The entries of a week, group by group: by average points in the last weeks, then newcomers by lot."""
    week = snapshot.tournament.league
    earlier = await load_weeks(store, week) if week is not None else []
    strength = {
        line.owner: line.points / line.weeks
        for line in league_standings(
            [other for other in earlier if other.tournament.id != snapshot.tournament.id]
        )
    }
    return in_groups(snapshot.entries, strength, snapshot.tournament.seed)


def in_groups(entries: Sequence[Entry], strength: dict[str, float], seed: int) -> list[int]:
    """The numbers of entries, group by group, with people distributed evenly and followed by bots."""
    lots = {number: lot for lot, number in enumerate(draw_order(entries, seed))}
    people = sorted(
        (entry for entry in entries if entry.bot is None),
        key=lambda entry: (-strength.get(entry.owner or "", -1.0), lots[entry.number]),
    )
    bots = [entry.number for entry in entries if entry.bot is not None]
    number_of_groups = len(entries) // GROUP_SIZE
    numbers: list[int] = []
    for group in range(number_of_groups):
        first, last = (len(people) * at // number_of_groups for at in (group, group + 1))
        numbers += [entry.number for entry in people[first:last]]
        missing = GROUP_SIZE - (last - first)
        numbers += bots[:missing]
        bots = bots[missing:]
    return numbers
