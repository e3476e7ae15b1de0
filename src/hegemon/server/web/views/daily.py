"""The pages of the deal of the day, and of the series of the week."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from babel.dates import format_date
from babel.numbers import format_percent

from hegemon.notation.record import read_record
from hegemon.play.commitment import commitment
from hegemon.prose.translator import Translator, get_translator
from hegemon.server.db.daily import BEST_DAYS, DayStanding
from hegemon.server.db.rows import DailyDeal, DailyEntry
from hegemon.server.tables.daily import Day, Week, deadline_of, week_of
from hegemon.server.tables.results import WIN_SCORE
from hegemon.server.texts import TEAMS, VARIANT_NAMES
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.durations import duration_text
from hegemon.server.web.views.pages import Pages


class DailyPages(Pages):
    def day(self, visitor: Visitor, day: Day, unfinished: DailyEntry | None) -> str:
        """A day: its table, the reader's game and the results; today also the reader's game of yesterday."""
        tr, now = get_translator(visitor.language), self._now()
        date, record = day.deal.date, read_record(day.deal.record)
        midnight = datetime.combine(date + timedelta(days=1), time(), UTC)
        own = day.results.own
        return self._render(
            "daily.html",
            visitor,
            day=date.isoformat(),
            shown_day=format_date(date, "full", tr.code),
            kind=kind_of(day.deal, tr),
            is_today=day.is_today,
            next_in=duration_text(midnight - now, tr) if day.is_today else "",
            entry=day.entry,
            in_time=day.entry is not None and now <= day.entry.deadline,
            own=own and line_of(own, tr),
            name=day.name,
            unfinished=unfinished
            and {"game": unfinished.game, "day": format_date(unfinished.date, "full", tr.code)},
            results=[line_of(line, tr) for line in day.results.standings],
            finished=day.results.finished,
            is_open=day.is_open,
            is_closed=now >= deadline_of(date),
            digest=commitment(record.deck, record.salt),
            win=WIN_SCORE,
            week=week_of(date),
            previous=day.previous,
            next=day.next,
        )

    def week(self, visitor: Visitor, week: Week) -> str:
        tr = get_translator(visitor.language)
        return self._render(
            "week.html",
            visitor,
            first=format_date(week.first, "long", tr.code),
            last=format_date(week.last, "long", tr.code),
            days=[(day, format_date(day, "full", tr.code)) for day in week.days],
            results=[
                {
                    "rank": line.rank,
                    "name": line.name,
                    "score": line.score,
                    "wins": line.wins,
                    "days": line.days,
                    "accuracy": percent(line.accuracy, tr),
                    "own": line.own,
                }
                for line in week.standings
            ],
            best_days=BEST_DAYS,
            previous=week.previous and week_of(week.previous),
            next=week.next and week_of(week.next),
        )


def line_of(line: DayStanding, tr: Translator) -> dict[str, Any]:
    return {
        "rank": line.rank,
        "name": line.name,
        "game": line.game,
        "won": line.won,
        "score": line.score,
        "turns": line.turns,
        "accuracy": percent(line.accuracy, tr),
        "own": line.own,
    }


def percent(part: float | None, tr: Translator) -> str:
    """A fraction in percent; a dash if it is unknown."""
    return format_percent(part, locale=tr.code) if part is not None else "–"


def kind_of(deal: DailyDeal, tr: Translator) -> str:
    """The number of players, the variant and the bots in one line."""
    record = read_record(deal.record)
    texts = [tr.numbered("{number} player", "{number} players", record.players)]
    texts += [tr.text(text) for text in (VARIANT_NAMES[record.variant], *([TEAMS] if record.teams else []))]
    own = deal.bots.index(None)
    bots = [bot for bot in (*deal.bots[own:], *deal.bots[:own]) if bot is not None]
    return " · ".join([*texts, *(tr.text("Bot: {level}", level=tr.bots.get(bot, bot)) for bot in bots)])
