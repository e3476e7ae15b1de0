"""The page of a person's statistics: tables whose rows have a bar, and the accuracy of the months as a curve."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from babel.dates import format_date, format_skeleton
from babel.numbers import format_percent

from hegemon.bots import BOTS
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.cards import Domain
from hegemon.server.db.own_games import OwnGame
from hegemon.server.db.profiles import Profile
from hegemon.server.db.rating_changes import RatingChange
from hegemon.server.db.results import Month, Opponent, ResultGroup
from hegemon.server.db.rows import RatedPlayer
from hegemon.server.tables import ratings
from hegemon.server.texts import TEAMS, translatable
from hegemon.server.web.render import Preview
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.daily import percent
from hegemon.server.web.views.me import pagination
from hegemon.server.web.views.own_games import describe
from hegemon.server.web.views.pages import Pages

#: How a game was won other than by Hegemony, by the name of the ending.
_ENDINGS: Final = {
    "majority": translatable("Majority"),
    "stall": translatable("After ten rounds without a draw"),
}

_PEOPLE: Final = translatable("People")

#: The size of the curve, within its margins.
_WIDTH: Final = 320
_HEIGHT: Final = 120

#: The interval between the lines of the rating curve.
_GRID: Final = 100


@dataclass(frozen=True)
class StatisticsRow:
    """A row of a table: a number of results, and the wins among them."""

    label: str
    number: int
    won: int
    share: str
    """The fraction that the bar shows, as a percentage in the reader's language."""
    part: float
    """The same, from 0 to 100."""
    domain: Domain | None = None
    path: str = ""
    """The page of the person that the row is about."""


@dataclass(frozen=True)
class PersonStatistics:
    """The data of a person's statistics."""

    groups: Sequence[ResultGroup]
    months: Sequence[Month]
    opponents: Sequence[Opponent]
    rating: RatedPlayer | None
    ratings: Sequence[RatingChange]


@dataclass(frozen=True)
class PublicGames:
    """A page of the finished games on a public profile."""

    games: Sequence[OwnGame]
    number: int
    page: int
    name: str
    """The opponent who is searched for; empty for all."""


def profile_preview(profile: Profile, groups: Sequence[ResultGroup], tr: Translator) -> Preview:
    """The preview of a public profile: the name, and the numbers of games and wins."""
    number = sum(group.number for group in groups)
    won = sum(group.number for group in groups if group.won)
    return Preview(
        profile.name,
        results_line(number, won, tr),
        f"/players/{profile.public_id}",
        f"/players/{profile.public_id}/picture.png?lang={tr.code}",
    )


def results_line(number: int, won: int, tr: Translator) -> str:
    """The numbers of games and wins of a person, as text."""
    games = tr.numbered("{number} game", "{number} games", number)
    return f"{games}, {tr.numbered('{number} won', '{number} won', won)}"


class StatisticsPages(Pages):
    def statistics(self, visitor: Visitor, statistics: PersonStatistics) -> str:
        """The visitor's own results."""
        return self._render_statistics(visitor, statistics, visitor.profile, public=None)

    def player(
        self, visitor: Visitor, profile: Profile, statistics: PersonStatistics, public: PublicGames
    ) -> str:
        """A profile that its person has made public, as everyone sees it."""
        return self._render_statistics(visitor, statistics, profile, public)

    def _render_statistics(
        self,
        visitor: Visitor,
        statistics: PersonStatistics,
        profile: Profile | None,
        public: PublicGames | None,
    ) -> str:
        tr = get_translator(visitor.language)
        groups, months = statistics.groups, statistics.months
        order = [*BOTS]

        def level_order(level: str) -> tuple[int, str]:
            return (order.index(level) if level in order else len(order), level)

        def number_of_players(key: tuple[int, bool]) -> str:
            players = tr.numbered("{number} player", "{number} players", key[0])
            return f"{players} · {tr.text(TEAMS)}" if key[1] else players

        opened = [group for group in groups if group.opening is not None]
        return self._render(
            "statistics.html",
            visitor,
            profile=profile,
            preview=profile_preview(profile, groups, tr) if public and profile else Preview(),
            listed=public and self._listed(public, profile, tr),
            favorites=tr.listing([tr.domains[domain] for domain in favorites(opened)]),
            opponents=[opponent_row(opponent, tr) for opponent in statistics.opponents],
            rating=statistics.rating and ratings.shown_points(statistics.rating),
            ratings=rating_rows(statistics.ratings, tr),
            rating_curve=rating_curve(statistics.ratings),
            number=sum(group.number for group in groups),
            won=sum(group.number for group in groups if group.won),
            players=rows_by(groups, lambda group: (group.players, group.teams), number_of_players, tr),
            levels=[
                *rows_by(
                    [group for group in groups if group.level],
                    lambda group: group.level,
                    lambda level: tr.bots.get(level, level),
                    tr,
                    level_order,
                ),
                *rows_by(
                    [group for group in groups if not group.level],
                    lambda _: "",
                    lambda _: tr.text(_PEOPLE),
                    tr,
                ),
            ],
            openings=rows_by(
                opened, lambda group: Domain(group.opening or 0), lambda domain: tr.domains[domain], tr
            ),
            wins=ways_of_winning(groups, tr),
            months=[
                {
                    "label": format_skeleton("yMMMM", month.first, locale=tr.code),
                    "number": month.number,
                    "accuracy": percent(month.accuracy, tr),
                }
                for month in months
            ],
            curve=curve_of(months),
            width=_WIDTH,
            height=_HEIGHT,
        )

    def _listed(self, public: PublicGames, profile: Profile | None, tr: Translator) -> dict[str, Any]:
        path = f"/players/{profile.public_id if profile is not None else ''}"
        fields = {"name": public.name} if public.name else {}
        return {
            "path": path,
            "name": public.name,
            "games": [describe(own, tr, self._now()) for own in public.games],
            "number": public.number,
            **pagination({"number": public.page}, "number", public.number, fields),
        }


def favorites(groups: Iterable[ResultGroup]) -> list[Domain]:
    """The two Domains with which a person has begun most games."""
    numbers: dict[Domain, int] = {}
    for group in groups:
        domain = Domain(group.opening or 0)
        numbers[domain] = numbers.get(domain, 0) + group.number
    return sorted(numbers, key=lambda domain: (-numbers[domain], domain))[:2]


def opponent_row(opponent: Opponent, tr: Translator) -> StatisticsRow:
    return StatisticsRow(
        tr.player_name(opponent.name) if opponent.name else tr.text("Someone"),
        opponent.number,
        opponent.won,
        format_percent(opponent.won / opponent.number, locale=tr.code),
        100 * opponent.won / opponent.number,
        path=f"/players/{opponent.public_id}" if opponent.public_id else "",
    )


def rating_rows(changes: Sequence[RatingChange], tr: Translator) -> list[dict[str, Any]]:
    """The ratings after the games, the earliest first."""
    return [
        {
            "label": format_date(change.finished_at, "medium", locale=tr.code),
            "points": ratings.shown_points(change),
        }
        for change in changes
    ]


def rating_curve(changes: Sequence[RatingChange]) -> dict[str, Any]:
    """The points of the curve from left to right, and grid lines at round ratings that enclose all of them."""
    if not changes:
        return {}
    points = [ratings.shown_points(change) for change in changes]
    low, high = min(points) // _GRID * _GRID, -(-(max(points) + 1) // _GRID) * _GRID
    step = _WIDTH / max(1, len(points) - 1)

    def height(rating: float) -> float:
        return round(_HEIGHT * (high - rating) / (high - low), 1)

    return {
        "lines": [(rating, height(rating)) for rating in (low, (low + high) // 2, high)],
        "points": [(round(number * step, 1), height(rating)) for number, rating in enumerate(points)],
    }


def rows_by(
    groups: Iterable[ResultGroup],
    key: Callable[[ResultGroup], Any],
    label: Callable[[Any], str],
    tr: Translator,
    order: Callable[[Any], Any] = lambda value: value,
) -> list[StatisticsRow]:
    """The results grouped by a key, each group with the share of wins."""
    numbers: dict[Hashable, list[int]] = {}
    for group in groups:
        counts = numbers.setdefault(key(group), [0, 0])
        counts[0] += group.number
        counts[1] += group.number * group.won
    return [
        StatisticsRow(
            label(value),
            number,
            won,
            format_percent(won / number, locale=tr.code),
            100 * won / number,
            value if isinstance(value, Domain) else None,
        )
        for value, (number, won) in sorted(numbers.items(), key=lambda item: order(item[0]))
    ]


def ways_of_winning(groups: Iterable[ResultGroup], tr: Translator) -> list[StatisticsRow]:
    """The Domains in which games were won by Hegemony, and the other endings, as parts of all wins."""
    wins: dict[Domain | str, int] = {}
    for group in groups:
        if group.won:
            way = Domain(group.domain) if group.domain is not None else group.ending
            wins[way] = wins.get(way, 0) + group.number
    number = sum(wins.values())
    labels: dict[Domain | str, str] = {domain: tr.domains[domain] for domain in Domain}
    labels |= {ending: tr.text(text) for ending, text in _ENDINGS.items()}
    return [
        StatisticsRow(
            label,
            number,
            wins[way],
            format_percent(wins[way] / number, locale=tr.code),
            100 * wins[way] / number,
            way if isinstance(way, Domain) else None,
        )
        for way, label in labels.items()
        if way in wins
    ]


def curve_of(months: Sequence[Month]) -> list[tuple[float, float]]:
    """The points of the curve from left to right; the best accuracy is at the top."""
    step = _WIDTH / max(1, len(months) - 1)
    return [
        (round(number * step, 1), round(_HEIGHT * (1 - month.accuracy), 1))
        for number, month in enumerate(months)
    ]
