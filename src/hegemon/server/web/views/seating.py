"""The pages of seats: invitations, the seats of a table, the lobby, and the personal link."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import segno
from babel.dates import format_timedelta
from markupsafe import Markup

from hegemon.prose.translator import LANGUAGES, Translator, get_translator
from hegemon.server.db.rows import RatedPlayer, Webhook
from hegemon.server.tables import ratings
from hegemon.server.tables.seats import (
    Offer,
    color_of,
    free_color,
    has_fixed_players,
    is_host,
    may_change,
    shown_name,
)
from hegemon.server.tables.table import Table
from hegemon.server.texts import COLORS, LEVELS, OTHER_BOTS, VARIANT_NAMES
from hegemon.server.web.session import Visitor
from hegemon.server.web.sse import Regions
from hegemon.server.web.views.durations import time_control_text
from hegemon.server.web.views.own_games import ago
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.presence import STATES, delay_text, vacation_text
from hegemon.server.web.views.previews import gathering_preview, kind_of
from hegemon.server.webhooks.sender import MAX_URL_LENGTH, WEBHOOK_REJECTIONS

#: Addresses that only this machine can reach.
_LOCAL: Final = ("://localhost", "://127.0.0.1", "://[::1]")

_SUBSTITUTED: Final = STATES["stand-in"]


def is_local(url: str) -> bool:
    """Whether only this machine can reach an address."""
    return any(name in url for name in _LOCAL)


def qr_code(link: str, name: str) -> Markup:
    svg = segno.make(link, error="m", micro=False).svg_inline(
        border=3, dark="#000", light="#fff", omitsize=True, lineclass=None, svgclass="qr"
    )
    return Markup(svg.replace("<svg ", Markup('<svg role="img" aria-label="{}" ').format(name), 1))


class SeatPages(Pages):
    def invitation(self, table: Table, seat: int, invite: str, visitor: Visitor) -> str:
        """The players and options of a table, and the form to take a seat."""
        tr = get_translator(visitor.language)
        return self._render(
            "join.html",
            visitor,
            id=table.id,
            path=f"/join/{invite}",
            occupants=[
                occupant(table, number, visitor, tr, self._now()) for number in range(table.game.players)
            ],
            kind=kind_of(table, tr),
            hands=delay_text(table.options.spectator_delay, tr),
            name=visitor.name,
            color=free_color(table.seats, seat, visitor.color),
            colors=free_colors(table, seat, tr),
            problem="",
            preview=gathering_preview(table, tr.text("You are invited to a game"), tr),
        )

    def seats(
        self, table: Table, visitor: Visitor, base: str, problem: str = "", secret: str = "", url: str = ""
    ) -> str:
        """The seats; for the host with invitations and webhook. The secret of a new webhook is shown only once."""
        tr = get_translator(visitor.language)
        regions = self.seat_regions(table, visitor, base)
        return self._render(
            "seats.html",
            visitor,
            id=table.id,
            is_waiting=table.is_waiting,
            is_seated=bool(visitor.seats_at(table)),
            regions={name: Markup(html) for name, html in regions.items()},
            kind=kind_of(table, tr),
            hands=delay_text(table.options.spectator_delay, tr),
            may_set_webhook=table.clock.control.is_correspondence
            and is_host(table, visitor.owner)
            and not table.game.over,
            webhook=table.webhook,
            url=url,
            longest=MAX_URL_LENGTH,
            secret=secret,
            problem=problem,
            preview=gathering_preview(table, tr.text("The seats"), tr),
        )

    def seat_regions(self, table: Table, visitor: Visitor, base: str) -> Regions:
        tr = get_translator(visitor.language)
        regions = {
            "gathering": self._render(
                "regions/gathering.html",
                visitor,
                missing=sum(row.is_open for row in table.seats),
                is_waiting=table.is_waiting,
                links=visitor.owner is not None and visitor.owner == table.host,
                local=is_local(base),
            )
        }
        if table.clock.control.is_correspondence:
            host = is_host(table, visitor.owner)
            regions["webhook"] = self._render(
                "regions/webhook.html",
                visitor,
                webhook=table.webhook,
                host=host,
                sentences=self._delivery_texts(table.webhook, tr) if table.webhook and host else [],
            )
        for seat in range(table.game.players):
            regions[f"seat{seat + 1}"] = self._render(
                "regions/seat.html",
                visitor,
                id=table.id,
                s=occupant(table, seat, visitor, tr, self._now(), base),
                colors=free_colors(table, seat, tr),
                bots=[(bot, tr.bots.get(bot, bot)) for bot in LEVELS + OTHER_BOTS + self._allowed_bots],
                over=table.game.over,
            )
        return regions

    def _delivery_texts(self, webhook: Webhook, tr: Translator) -> list[str]:
        """The last delivery of a webhook, and the next attempt."""
        if webhook.attempted_at is None:
            return [tr.text("Nothing has been sent yet.")]
        if not webhook.failure:
            when = ago(webhook.attempted_at, tr.code)
            return [tr.text("Last response: {status}, {when}.", status=webhook.status, when=when)]
        sentences = [tr.text(WEBHOOK_REJECTIONS[webhook.failure], status=webhook.status)]
        if webhook.retry_at is None:
            return [*sentences, tr.text("No further attempts until the next move.")]
        later = format_timedelta(webhook.retry_at - self._now(), add_direction=True, locale=tr.code)
        return [*sentences, tr.text("Next attempt {when}.", when=later)]

    def me(self, visitor: Visitor, sections: Mapping[str, Mapping[str, Any]]) -> str:
        """The page of a person, with the context of each section."""
        return self._render("me.html", visitor, sections=sections)

    def lobby(
        self,
        visitor: Visitor,
        offers: list[Offer],
        filters: Mapping[str, str],
        people: Mapping[str, RatedPlayer],
    ) -> str:
        """The public tables that match the filters."""
        tr = get_translator(visitor.language)
        return self._render(
            "lobby.html",
            visitor,
            offers=[
                {
                    "id": offer.game.id,
                    "occupants": [
                        {
                            "name": shown_name(row, name, tr),
                            "color": seat if row.color is None else row.color,
                            "open": row.is_open,
                            "bot": row.bot,
                            "points": ratings.shown_points(person)
                            if (person := people.get(row.owner or ""))
                            else None,
                        }
                        for seat, (name, row) in enumerate(
                            zip(offer.game.names, offer.game.seats, strict=True)
                        )
                    ],
                    "kind": tr.text(VARIANT_NAMES[offer.variant]),
                    "teams": offer.teams,
                    "clock": time_control_text(offer.clock, tr),
                    "hands": delay_text(offer.game.options.spectator_delay, tr),
                    "rated": offer.game.options.rated,
                    "language": LANGUAGES.get(offer.game.options.language, ""),
                    "ago": ago(offer.game.updated_at, visitor.language),
                }
                for offer in offers
            ],
            filters=filters,
            variants=[(name, tr.text(text)) for name, text in VARIANT_NAMES.items()],
            language_names=LANGUAGES,
        )


def occupant(
    table: Table, seat: int, visitor: Visitor, tr: Translator, now: datetime, base: str = ""
) -> dict[str, Any]:
    """The occupant of a seat; the invitation of an open one is for the host alone."""
    row, owner = table.seats[seat], visitor.owner
    if row.bot is not None:
        who = tr.text("Bot: {level}", level=tr.bots.get(row.bot, row.bot))
    else:
        who = tr.text("open") if row.is_open else tr.text("has joined")
        if row.substitute is not None:
            who = tr.text(_SUBSTITUTED)
        elif not table.game.over:
            who = vacation_text(table, seat, now, tr) or who
    has_link = row.is_open and base and owner is not None and owner == table.host
    link = f"{base}/join/{row.invite}" if has_link else ""
    return {
        "number": seat + 1,
        "name": shown_name(row, table.game.names[seat], tr),
        "unnamed": tr.player_name(table.game.names[seat]) == tr.person_name(seat),
        "color": color_of(table.seats, seat),
        "who": who,
        "bot": row.bot,
        "own": owner is not None and row.owner == owner,
        "host": row.owner is not None and row.owner == table.host,
        "may_change": may_change(table, seat, owner) and not has_fixed_players(table),
        "link": link,
        "code": qr_code(link, tr.text("Link for this seat")) if link else "",
    }


def free_colors(table: Table, seat: int, tr: Translator) -> list[tuple[int, str]]:
    taken = {color_of(table.seats, other) for other in range(table.game.players) if other != seat}
    return [(number, tr.text(name)) for number, name in enumerate(COLORS) if number not in taken]
