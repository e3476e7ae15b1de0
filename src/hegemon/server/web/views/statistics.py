"""The page of a person's statistics: tables whose rows have a bar, and the accuracy of the months as a curve."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from babel.dates import format_skeleton
from babel.numbers import format_percent

from hegemon.bots import BOTS
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.cards import Domain
from hegemon.server.db.results import Month, ResultGroup
from hegemon.server.texts import TEAMS, translatable
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.daily import percent
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


@dataclass(frozen=True)
class Row:
    """A line of a table: some results, and how many of them were won."""

    label: str
    number: int
    won: int
    share: str
    """The part that the bar shows, in percent of the language."""
    part: float
    """The same, from 0 to 100."""
    domain: Domain | None = None


class StatisticsPages(Pages):
    def statistics(self, visitor: Visitor, groups: Sequence[ResultGroup], months: Sequence[Month]) -> str:
        tr = get_translator(visitor.language)
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
            number=sum(group.number for group in groups),
            won=sum(group.number for group in groups if group.won),
            players=won_by(groups, lambda group: (group.players, group.teams), number_of_players, tr),
            levels=[
                *won_by(
                    [group for group in groups if group.level],
                    lambda group: group.level,
                    lambda level: tr.bots.get(level, level),
                    tr,
                    level_order,
                ),
                *won_by(
                    [group for group in groups if not group.level],
                    lambda _: "",
                    lambda _: tr.text(_PEOPLE),
                    tr,
                ),
            ],
            openings=won_by(
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


def won_by(
    groups: Iterable[ResultGroup],
    key: Callable[[ResultGroup], Any],
    label: Callable[[Any], str],
    tr: Translator,
    order: Callable[[Any], Any] = lambda value: value,
) -> list[Row]:
    """The results by what they have in common, and the part of them that was won."""
    numbers: dict[Hashable, list[int]] = {}
    for group in groups:
        counts = numbers.setdefault(key(group), [0, 0])
        counts[0] += group.number
        counts[1] += group.number * group.won
    return [
        Row(
            label(value),
            number,
            won,
            format_percent(won / number, locale=tr.code),
            100 * won / number,
            value if isinstance(value, Domain) else None,
        )
        for value, (number, won) in sorted(numbers.items(), key=lambda item: order(item[0]))
    ]


def ways_of_winning(groups: Iterable[ResultGroup], tr: Translator) -> list[Row]:
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
        Row(
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
