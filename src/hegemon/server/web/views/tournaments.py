"""The pages of tournaments and of the weekly league."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from babel.dates import format_date, format_timedelta
from babel.numbers import format_decimal
from markupsafe import Markup, escape

from hegemon.prose.translator import Translator, get_translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.tournament_rows import OPEN, OVER, Entry, Pairing, TournamentRow, TournamentSnapshot
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.daily import first_day_of
from hegemon.server.texts import LEVELS, OTHER_BOTS, VARIANT_NAMES, translatable
from hegemon.server.tournaments.director import next_round_at
from hegemon.server.tournaments.formats import (
    CRITERIA,
    CRITERION_NAMES,
    CRITERION_TEXTS,
    DUPLICATE,
    EXPLANATIONS,
    FORMAT_NAMES,
    FORMATS,
    MAX_ROUNDS,
    SWISS,
)
from hegemon.server.tournaments.league import league_standings
from hegemon.server.tournaments.organizing import MAX_TITLE_LENGTH
from hegemon.server.tournaments.standings import UNITS, WIN, Cell, Standing, cells_of, standings
from hegemon.server.web.forms import TournamentForm
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.days import utc_moment
from hegemon.server.web.views.durations import duration_text, time_control_options, time_control_text
from hegemon.server.web.views.pages import Pages

#: The breaks between rounds to choose from, in seconds, and the times until the start, in minutes.
PAUSES: Final = (0, 60, 300, 900, 3600, 86400)
STARTS: Final = (5, 15, 60, 1440, 7 * 1440)

#: Short names of tie-breaks, for narrow tables.
ABBREVIATIONS: Final = {"buchholz": translatable("BH"), "sonneborn-berger": translatable("SB")}

STATES: Final = {
    "open": translatable("open for entries"),
    "running": translatable("running"),
    "over": translatable("over"),
}


class TournamentPages(Pages):
    def __init__(self, config: ServerConfig) -> None:
        super().__init__(config)
        self._league = config.league

    def overview(
        self,
        visitor: Visitor,
        own: Sequence[TournamentRow],
        public: Sequence[TournamentRow],
        form: TournamentForm,
        problem: str = "",
    ) -> str:
        """The visitor's and the public tournaments, and the form of a new one."""
        tr = get_translator(visitor.language)
        return self._render(
            "tournaments.html",
            visitor,
            problem=problem,
            league=self._league,
            own=[summary(tournament, tr) for tournament in own],
            public=[summary(tournament, tr) for tournament in public if tournament not in own],
            form=form,
            longest=MAX_TITLE_LENGTH,
            most_rounds=MAX_ROUNDS,
            kinds=[
                (f"{name}-{players}", f"{tr.text(FORMAT_NAMES[name])} · {tables_text(players, tr)}")
                for name, numbers in FORMATS.items()
                for players in numbers
            ],
            variants=[(name, tr.text(text)) for name, text in VARIANT_NAMES.items()],
            clocks=time_control_options(tr),
            pauses=[
                (seconds, duration_text(timedelta(seconds=seconds), tr) if seconds else tr.text("no break"))
                for seconds in PAUSES
            ],
            starts=[
                ("", tr.text("when I start it")),
                *(
                    (
                        str(minutes),
                        format_timedelta(timedelta(minutes=minutes), add_direction=True, locale=tr.code),
                    )
                    for minutes in STARTS
                ),
            ],
            bots=bots_offered(tr),
        )

    def tournament(self, visitor: Visitor, snapshot: TournamentSnapshot, problem: str = "") -> str:
        tr, tournament = get_translator(visitor.language), snapshot.tournament
        regions = self.live_regions(visitor, snapshot)
        return self._render(
            "tournament.html",
            visitor,
            id=tournament.id,
            title=title_of(tournament, tr),
            kind=kind_of(tournament, tr),
            problem=problem,
            league=tournament.league,
            open=tournament.state == OPEN,
            over=tournament.state == OVER,
            host=visitor.owner is not None and visitor.owner == tournament.host,
            entered=snapshot.entry_of(visitor.owner),
            link=f"{visitor.base}/tournaments/{tournament.id}",
            bots=bots_offered(tr),
            bot=tournament.bot,
            regions={name: Markup(html) for name, html in regions.items()},
            explanation=tr.text(EXPLANATIONS[tournament.format]),
            criteria=[tr.text(CRITERION_TEXTS[name]) for name in CRITERIA[tournament.format]],
        )

    def live_regions(self, visitor: Visitor, snapshot: TournamentSnapshot) -> Regions:
        """The regions that change while the page is open."""
        tr, tournament = get_translator(visitor.language), snapshot.tournament
        lines, own = standings(snapshot), snapshot.entry_of(visitor.owner)
        texts = TournamentTexts(snapshot, lines, own, tr)
        current = snapshot.current.number if snapshot.current is not None else 0
        has_bye = own is not None and any(
            pairing.entries == (own.number,) for pairing in snapshot.pairings_of(current)
        )
        return {
            "state": self._render(
                "tournament/state.html",
                visitor,
                sentence=texts.state(),
                own_games=[
                    {"id": pairing.table, "opponents": texts.others(pairing, own)}
                    for pairing in snapshot.games_of(visitor.owner)
                ],
                bye=tournament.state != OVER and has_bye,
            ),
            "standings": self._render(
                "tournament/standings.html",
                visitor,
                id=tournament.id,
                open=tournament.state == OPEN,
                host=visitor.owner is not None and visitor.owner == tournament.host,
                criteria=[
                    (
                        tr.text(CRITERION_NAMES[name]),
                        tr.text(ABBREVIATIONS[name]) if name in ABBREVIATIONS else "",
                    )
                    for name in CRITERIA[tournament.format]
                ],
                lines=texts.lines(),
                games=range(1, texts.most_games + 1),
            ),
            "rounds": self._render("tournament/rounds.html", visitor, rounds=texts.rounds()),
        }

    def league(
        self,
        visitor: Visitor,
        weeks: Sequence[TournamentSnapshot],
        week: str,
        *,
        is_now: bool,
        number_of_weeks: int,
    ) -> str:
        """The league up to a week: its tournament, and the standings of the last weeks."""
        tr = get_translator(visitor.language)
        found = next((snapshot.tournament for snapshot in weeks if snapshot.tournament.league == week), None)
        return self._render(
            "league.html",
            visitor,
            week_name=week_text(week, tr),
            is_now=is_now,
            tournament=found and found.id,
            open=found is not None and found.state == OPEN,
            number_of_weeks=number_of_weeks,
            lines=[
                {
                    "rank": line.rank,
                    "name": line.name,
                    "points": number_text(line.points, WIN, tr),
                    "wins": line.wins,
                    "weeks": line.weeks,
                    "own": line.owner == visitor.owner,
                }
                for line in league_standings(weeks)
            ],
            weeks=[
                (snapshot.tournament.league, week_text(snapshot.tournament.league, tr))
                for snapshot in reversed(weeks)
                if snapshot.tournament.league is not None and snapshot.tournament.league != week
            ],
        )


class TournamentTexts:
    """The texts of a tournament for one reader."""

    def __init__(
        self, snapshot: TournamentSnapshot, lines: Sequence[Standing], own: Entry | None, tr: Translator
    ) -> None:
        self._snapshot, self._lines, self._own, self._tr = snapshot, lines, own, tr
        self._names = {entry.number: name_of(entry, tr) for entry in snapshot.entries}
        self._ranks = {line.entry.number: line.rank for line in lines}
        self._cells = cells_of(snapshot.pairings)
        self.most_games = max((len(cells) for cells in self._cells.values()), default=0)

    def state(self) -> str:
        tr, tournament, current = self._tr, self._snapshot.tournament, self._snapshot.current
        if tournament.state == OPEN:
            if tournament.starts_at is None:
                return tr.text("Entries are open until the host starts the tournament.")
            return with_time(tr.text("Entries are open. It starts on {time}."), tournament.starts_at, tr)
        if tournament.state == OVER:
            winners = [name_of(line.entry, tr) for line in self._lines if line.rank == 1]
            if current is None or not winners:
                return tr.text("No one entered, so there were no games.")
            return tr.text("The tournament is over. First place: {names}.", names=tr.listing(winners))
        if current is None:
            return tr.text("The first round begins in a moment.")
        facts = {"round": current.number, "rounds": tournament.rounds}
        at = next_round_at(self._snapshot)
        if at is None:
            return tr.text("Round {round} of {rounds} is being played.", **facts)
        return with_time(
            tr.text(
                "Round {round} of {rounds} is over. The next one begins on {time}.", **facts, time="{time}"
            ),
            at,
            tr,
        )

    def lines(self) -> list[dict[str, Any]]:
        entries = self._snapshot.entries
        order = {entry.number: place for place, entry in enumerate(entries)}
        is_open = self._snapshot.tournament.state == OPEN
        lines = sorted(self._lines, key=lambda line: order[line.entry.number]) if is_open else self._lines
        tr = self._tr
        return [
            {
                "rank": line.rank,
                "number": line.entry.number,
                "name": name_of(line.entry, tr),
                "level": tr.bots.get(line.entry.bot, line.entry.bot) if line.entry.bot else "",
                "own": line.entry == self._own,
                "withdrawn": line.entry.withdrawn,
                "figures": [number_text(value, UNITS[name], tr) for name, value in line.values.items()],
                "cells": [self._cell(cell) for cell in self._cells[line.entry.number]],
            }
            for line in lines
        ]

    def _cell(self, cell: Cell) -> dict[str, Any]:
        """A game in the crosstable: the points, or in duplicate the score, and the opponents by rank."""
        tr = self._tr
        if cell.pairing.is_bye:
            return {"game": None, "result": tr.text("bye")}
        result = self._result(cell)
        names = tr.listing([self._names[number] for number in cell.opponents])
        return {
            "game": cell.pairing.table,
            "result": result,
            "ranks": " ".join(f"#{self._ranks[number]}" for number in cell.opponents),
            "text": tr.text("{result} against {names}", result=result, names=names),
        }

    def _result(self, cell: Cell) -> str:
        if cell.points is None or cell.score is None:
            return "…"
        if self._snapshot.tournament.format == DUPLICATE:
            return str(cell.score)
        return number_text(cell.points, WIN, self._tr)

    def others(self, pairing: Pairing, own: Entry | None) -> str:
        names = [self._names[number] for number in pairing.entries if own is None or number != own.number]
        return self._tr.listing(names)

    def rounds(self) -> list[dict[str, Any]]:
        """The tables of all rounds, the last round first."""
        tr = self._tr
        return [
            {
                "name": tr.text("Round {round}", round=found.number),
                "tables": [
                    {
                        "game": pairing.table,
                        "names": " – ".join(self._names[number] for number in pairing.entries),
                        "result": self._table_result(pairing),
                    }
                    for pairing in self._snapshot.pairings_of(found.number)
                ],
            }
            for found in reversed(self._snapshot.rounds)
        ]

    def _table_result(self, pairing: Pairing) -> str:
        if pairing.is_bye:
            return self._tr.text("bye")
        if pairing.is_open:
            return self._tr.text("in progress")
        if pairing.is_withheld:
            return self._tr.text("over; the result is shown after the round")
        return " : ".join(self._result(Cell(pairing, seat)) for seat in range(len(pairing.entries)))


def summary(tournament: TournamentRow, tr: Translator) -> dict[str, str]:
    return {
        "id": tournament.id,
        "title": title_of(tournament, tr),
        "state": tr.text(STATES[tournament.state]),
        "kind": kind_of(tournament, tr),
    }


def name_of(entry: Entry, tr: Translator) -> str:
    """The name of an entry; default names, such as that of a former player, are translated."""
    return entry.name if entry.owner is not None else tr.player_name(entry.name)


def title_of(tournament: TournamentRow, tr: Translator) -> str:
    if tournament.league is None:
        return tournament.title
    return f"{tr.text('Weekly league')} · {week_text(tournament.league, tr)}"


def week_text(week: str, tr: Translator) -> str:
    """The first and the last day of a week."""
    first = first_day_of(week)
    assert first is not None, "a week of the league"
    days = (format_date(day, "medium", tr.code) for day in (first, first + timedelta(days=6)))
    return " – ".join(days)


def kind_of(tournament: TournamentRow, tr: Translator) -> str:
    """The format, the number of rounds if it was chosen, the players at a table, the variant and the time control."""
    has_chosen_rounds = tournament.format in (SWISS, DUPLICATE)
    return " · ".join(
        (
            tr.text(FORMAT_NAMES[tournament.format]),
            *([tr.text("Rounds: {number}", number=tournament.rounds)] if has_chosen_rounds else []),
            tables_text(tournament.players, tr),
            tr.text(VARIANT_NAMES[tournament.variant]),
            time_control_text(read_time_control(tournament.clock), tr),
        )
    )


def tables_text(players: int, tr: Translator) -> str:
    return tr.text("{number} per table", number=players)


def bots_offered(tr: Translator) -> list[tuple[str, str]]:
    return [(bot, tr.bots.get(bot, bot)) for bot in LEVELS + OTHER_BOTS]


def number_text(value: int, unit: int, tr: Translator) -> str:
    return format_decimal(value / unit, locale=tr.code)


def with_time(sentence: str, at: datetime, tr: Translator) -> Markup:
    """A sentence with a time, in UTC until a script shows it in the time zone of the reader."""
    time = Markup('<time datetime="{}" data-local>{}</time>').format(at.isoformat(), utc_moment(at, tr))
    return escape(sentence).replace("{time}", time)
