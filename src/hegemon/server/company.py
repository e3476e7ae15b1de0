"""The pages on which people come together: an invitation, the seats of a table, and one's personal link."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import segno
from babel.dates import format_timedelta
from markupsafe import Markup

from hegemon.prose.speech import LANGUAGES, Speech, speech
from hegemon.rules.position import MOST_PLAYERS
from hegemon.server import ratings
from hegemon.server.attendance import STATES, hands_in_words
from hegemon.server.clocks import read_pace
from hegemon.server.mailbox import Webhook
from hegemon.server.pages import Pages, ago
from hegemon.server.posting import CANNOT_POST, LONGEST_ADDRESS
from hegemon.server.seats import Offer, colour_of, is_host, may_change
from hegemon.server.store import Person, SeatRow
from hegemon.server.streams import Regions
from hegemon.server.tables import Table
from hegemon.server.texts import COLOURS, LEVELS, ODDITIES, PRESET_NAMES, TEAMS, VARIANT_NAMES
from hegemon.server.times import pace_in_words
from hegemon.server.visitor import Visitor

#: Under these names a machine knows itself, and no other does.
_ONLY_HERE: Final = ("://localhost", "://127.0.0.1", "://[::1]")

_STANDS_IN: Final = STATES["stand-in"]


def qr_code(link: str, name: str) -> Markup:
    """A link as a picture that a phone can read."""
    drawn = segno.make(link, error="m", micro=False).svg_inline(
        border=3, dark="#000", light="#fff", omitsize=True, lineclass=None, svgclass="qr"
    )
    return Markup(drawn.replace("<svg ", Markup('<svg role="img" aria-label="{}" ').format(name), 1))


class CompanyPages(Pages):
    """Draws the pages on which people come together."""

    # ---------------------------------------------------------------- an invitation

    def invitation(self, table: Table, seat: int, invite: str, visitor: Visitor) -> str:
        """What an invitation is to: who sits there, how it is played, and a form to sit down by."""
        said = speech(visitor.language)
        return self._draw(
            "join.html",
            visitor,
            id=table.id,
            path=f"/join/{invite}",
            sitters=[sitter(table, number, visitor, said) for number in range(table.game.players)],
            kind=kind_of(table, said),
            hands=hands_in_words(table.terms.hands_after, said),
            name="",
            colour=colour_of(table.seats, seat),
            colours=free_colours(table, seat, said),
            problem="",
        )

    # ---------------------------------------------------------------- the seats

    def seats(
        self, table: Table, visitor: Visitor, base: str, problem: str = "", secret: str = "", url: str = ""
    ) -> str:
        """Who has come, and for the host the links for the others, and where turns are told; a new secret but once."""
        said = speech(visitor.language)
        regions = self.seat_regions(table, visitor, base)
        return self._draw(
            "seats.html",
            visitor,
            id=table.id,
            waits=table.waits,
            sits=bool(table.seats_of(visitor.holder or "")),
            regions={name: Markup(html) for name, html in regions.items()},
            kind=kind_of(table, said),
            hands=hands_in_words(table.terms.hands_after, said),
            tells=table.clock.pace.by_days and is_host(table, visitor.holder) and not table.game.over,
            hook=table.webhook,
            url=url,
            longest=LONGEST_ADDRESS,
            secret=secret,
            problem=problem,
        )

    def seat_regions(self, table: Table, visitor: Visitor, base: str) -> Regions:
        """The parts of that page that change as people come and go."""
        said = speech(visitor.language)
        levels = LEVELS | ODDITIES
        regions = {
            "gathering": self._draw(
                "regions/gathering.html",
                visitor,
                missing=sum(row.is_open for row in table.seats),
                waits=table.waits,
                links=visitor.holder is not None and visitor.holder == table.host,
                local=any(name in base for name in _ONLY_HERE),
            )
        }
        if table.clock.pace.by_days:
            host = is_host(table, visitor.holder)
            regions["webhook"] = self._draw(
                "regions/webhook.html",
                visitor,
                hook=table.webhook,
                host=host,
                sentences=self._how_it_went(table.webhook, said) if table.webhook and host else [],
            )
        for seat in range(table.game.players):
            regions[f"seat{seat + 1}"] = self._draw(
                "regions/seat.html",
                visitor,
                id=table.id,
                s=sitter(table, seat, visitor, said, base),
                colours=free_colours(table, seat, said),
                bots=[(name, said.text(level)) for name, level in levels.items()],
                over=table.game.over,
            )
        return regions

    def _how_it_went(self, webhook: Webhook, said: Speech) -> list[str]:
        """When the webhook was last told something, what was answered, and when it is told again."""
        if webhook.tried is None:
            return [said.text("Nothing has been sent yet.")]
        if not webhook.failure:
            when = ago(webhook.tried, said.code)
            return [said.text("Last answered {status}, {when}.", status=webhook.status, when=when)]
        told = [said.text(CANNOT_POST[webhook.failure], status=webhook.status)]
        if webhook.again is None:
            return [*told, said.text("It is given up until the next move.")]
        later = format_timedelta(webhook.again - self._now(), add_direction=True, locale=said.code)
        return [*told, said.text("It is tried again {when}.", when=later)]

    # ---------------------------------------------------------------- oneself

    def me(self, visitor: Visitor, link: str, problem: str = "", rating: Person | None = None) -> str:
        """One's personal link, and a form for one from another device."""
        said = speech(visitor.language)
        return self._draw(
            "me.html",
            visitor,
            link=link,
            code=qr_code(link, said.text("My personal link")) if link else "",
            local=any(name in link for name in _ONLY_HERE),
            problem=said.text(problem) if problem else "",
            rating=rating and {"name": rating.name, "points": ratings.shown(rating), "games": rating.games},
        )

    # ---------------------------------------------------------------- the lobby

    def lobby(
        self, visitor: Visitor, offers: list[Offer], wishes: Mapping[str, str], people: Mapping[str, Person]
    ) -> str:
        """The open tables of this server, and the wishes they are chosen by."""
        said = speech(visitor.language)
        return self._draw(
            "lobby.html",
            visitor,
            offers=[
                {
                    "id": offer.game.id,
                    "sitters": [
                        {
                            "name": name_on(row, seat, name, said),
                            "colour": seat if row.colour is None else row.colour,
                            "open": row.is_open,
                            "bot": row.bot,
                            "points": ratings.shown(person)
                            if (person := people.get(row.holder or ""))
                            else None,
                        }
                        for seat, (name, row) in enumerate(
                            zip(offer.game.names, offer.game.seats, strict=True)
                        )
                    ],
                    "kind": said.text(VARIANT_NAMES[offer.variant]),
                    "teams": offer.teams,
                    "clock": pace_in_words(read_pace(offer.game.terms.clock), said),
                    "hands": hands_in_words(offer.game.terms.hands_after, said),
                    "rated": offer.game.terms.rated,
                    "language": LANGUAGES.get(offer.game.terms.language, ""),
                    "ago": ago(offer.game.changed, visitor.language),
                }
                for offer in offers
            ],
            wishes=wishes,
            variants=[(name, said.text(text)) for name, text in VARIANT_NAMES.items()],
            spoken=LANGUAGES,
        )


def sitter(table: Table, seat: int, visitor: Visitor, said: Speech, base: str = "") -> dict[str, Any]:
    """What a page tells of who sits on a seat; the link for an open one is for the host alone."""
    row, holder = table.seats[seat], visitor.holder
    if row.bot is not None:
        who = said.text("Bot: {level}", level=said.text((LEVELS | ODDITIES).get(row.bot, row.bot)))
    else:
        who = said.text("open") if row.is_open else said.text("has come")
        if row.stand_in is not None:
            who = said.text(_STANDS_IN)
    shown = row.is_open and base and holder is not None and holder == table.host
    link = f"{base}/join/{row.invite}" if shown else ""
    return {
        "number": seat + 1,
        "name": name_on(row, seat, table.game.names[seat], said),
        "unnamed": table.game.names[seat] in unnamed(),
        "colour": colour_of(table.seats, seat),
        "who": who,
        "bot": row.bot,
        "own": holder is not None and row.holder == holder,
        "host": row.holder is not None and row.holder == table.host,
        "may_change": may_change(table, seat, holder),
        "link": link,
        "code": qr_code(link, said.text("Link for this seat")) if link else "",
    }


@cache
def unnamed() -> frozenset[str]:
    """What a seat is called in any language while nobody has named it."""
    return frozenset(
        speech(code).text("Player {number}", number=number)
        for code in LANGUAGES
        for number in range(1, MOST_PLAYERS + 1)
    )


def name_on(row: SeatRow, seat: int, name: str, said: Speech) -> str:
    """The name on a seat; an open seat that nobody has named is named in the reader's language, not in the host's."""
    return said.text("Player {number}", number=seat + 1) if row.is_open and name in unnamed() else name


def kind_of(table: Table, said: Speech) -> str:
    """How it is played at a table, in a line."""
    record = table.game.record()
    told = [VARIANT_NAMES[record.variant], *([TEAMS] if record.teams else [])]
    rulings = PRESET_NAMES.get(record.rulings)
    texts = [said.text(text) for text in (*told, *([rulings] if rulings else []))]
    return " · ".join([*texts, pace_in_words(table.clock.pace, said)])


def free_colours(table: Table, seat: int, said: Speech) -> list[tuple[int, str]]:
    """The colours that a seat can have."""
    taken = {colour_of(table.seats, other) for other in range(table.game.players) if other != seat}
    return [(number, said.text(name)) for number, name in enumerate(COLOURS) if number not in taken]
