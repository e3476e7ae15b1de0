"""A table view drawn for a terminal: every player's area, the center and the viewer's own hand.

A Domain is shown by its letter, its symbol and its color, never by color alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hegemon.cli.prose import SCREEN, domain_name, translator
from hegemon.prose.english import AGES
from hegemon.rules.cards import LETTERS, Domain, domain_of
from hegemon.rules.position import Question
from hegemon.rules.victory import STALLED_ROUNDS
from hegemon.views import ColumnView, PlayerPanel, TableView

#: From this height on, the viewer's cards are large.
_TALL_HEIGHT: Final = 36
_MIN_NAME_WIDTH: Final = 8
_UNLIMITED: Final = 10_000

_MIN_PANEL_WIDTH: Final = 20
_MAX_PANEL_WIDTH: Final = 48


@dataclass(frozen=True)
class Signs:
    """The signs that a terminal can show."""

    domains: str
    star: str
    arrow: str
    dot: str
    bullet: str


SIGNS: Final = Signs(domains="▲✚●◆♪☼", star="★", arrow="▶", dot="·", bullet="•")
#: For terminals limited to ASCII.
ASCII_SIGNS: Final = Signs(domains="^+o*~@", star="*", arrow=">", dot=".", bullet="-")


def signs_of(console: Console) -> Signs:
    return SIGNS if console.encoding.lower().startswith("utf") else ASCII_SIGNS


class TerminalRenderer:
    """Draws tables for a terminal of one width and height."""

    def __init__(self, width: int, height: int | None, signs: Signs = SIGNS) -> None:
        self.width = width
        self.height = height if height is not None else _UNLIMITED
        self.large = height is not None and height >= _TALL_HEIGHT
        self.signs = signs
        self.name_width = max(_MIN_NAME_WIDTH, *(len(domain_name(domain)) for domain in Domain))
        self.card_width = self.name_width + 2

    @classmethod
    def of(cls, console: Console) -> "TerminalRenderer":
        """The renderer for a console at its current size; a file has no height."""
        height = console.size.height if console.is_terminal else None
        return cls(console.size.width, height, signs_of(console))

    def domain(self, domain: int) -> Text:
        """A Domain's symbol and letter."""
        return Text(self.signs.domains[domain] + LETTERS[domain], style=LETTERS[domain])

    def card(self, card: str) -> Text:
        """A small card: symbol, letter and Age, or a back with its Age."""
        if card[0] == "?":
            return Text(f" {card[1:] or '?'} ", style="back")
        domain = LETTERS.index(card[0])
        return Text(f"{self.signs.domains[domain]}{card} ", style=f"card.{card[0]}")

    def cards(self, cards: Sequence[str]) -> Text:
        return Text(" ").join(map(self.card, cards)) if cards else Text(SCREEN["empty"], "quiet")

    def large_cards(self, cards: Sequence[str]) -> RenderableType:
        grid, faces = Table.grid(padding=0), []
        for card in cards:
            domain = LETTERS.index(card[0])
            text = f"{self.signs.domains[domain]} {AGES[int(card[1])]}\n{domain_name(domain)}"
            face = Text(text, justify="center")
            faces.append(Panel(face, box=box.ROUNDED, style=card[0], width=self.card_width, padding=0))
        grid.add_row(*faces)
        return grid

    def sentence(self, sentence: str) -> Text:
        """A sentence, with the Domains in their colors."""
        text = Text(sentence)
        for domain, letter in enumerate(LETTERS):
            name = domain_name(domain)
            text.highlight_regex(rf"\b({name}|{name:of}|{name:object})( I{{1,3}})?\b", letter)
        return text

    def table(self, table: TableView, *, brief: bool = False) -> RenderableType:
        """The table, from the deck to the viewer's hand; in brief, without sentences about the markers."""
        parts: list[RenderableType] = [self.header(table), self.panels(table)]
        if table.view.round:
            parts.append(self.majority(table))
        if not brief:
            parts += [Text(note, style="quiet") for note in marker_notes(table)]
        if table.center:
            center = Text(f"{SCREEN['center']}  ")
            parts.append(center.append_text(self.cards([card.kind for card in table.center])))
        if table.me is not None:
            parts.append(self.own_cards(table, table.viewer))
        return Group(*parts)

    def header(self, table: TableView) -> RenderableType:
        """The round, whose turn it is, the deck and the discard pile."""
        view = table.view
        left = Text("Hegemon  ", style="bold")
        left.append(SCREEN["round"].format(round=view.round) if view.round else SCREEN["draft"])
        if table.question is Question.OVER:
            left.append(f" {self.signs.dot} {SCREEN['over']}", style="turn")
        elif table.question is not Question.DRAFT:
            mine = view.seat == table.viewer
            whose = SCREEN["your turn"] if mine else SCREEN["turn"].format(name=table.names[view.seat])
            left.append(f" {self.signs.dot} {whose}", style="turn")
        right = Text(justify="right")
        if view.deck_size:
            ages = [f"{AGES[age]} {number}" for age, number in enumerate(table.deck, 1) if number]
            right.append(SCREEN["deck"].format(total=view.deck_size, ages=", ".join(ages)))
        else:
            right.append(SCREEN["deck out"], style="alert")
        discarded = len(table.discard_pile)
        right.append(f" {self.signs.dot} ", style="quiet")
        right.append(SCREEN["pile"].format(total=discarded) if discarded else SCREEN["pile empty"])
        line = Table.grid(expand=True, padding=(0, 0, 0, 2))
        line.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        line.add_column(justify="right", no_wrap=True)
        line.add_row(left, right)
        return line

    def panels(self, table: TableView) -> RenderableType:
        """Every player's area, side by side, the same Domain on the same line."""
        players = len(table.panels)
        in_a_row = max(1, min(players, self.width // _MIN_PANEL_WIDTH))
        if players == 4 and in_a_row == 3:
            in_a_row = 2
        width = min(self.width // in_a_row, _MAX_PANEL_WIDTH)
        grid = Table.grid(padding=0)
        for _ in range(in_a_row):
            grid.add_column(width=width)
        panels = [self.panel(table, panel, width) for panel in table.panels]
        for first in range(0, players, in_a_row):
            grid.add_row(*panels[first : first + in_a_row])
        return grid

    def panel(self, table: TableView, panel: PlayerPanel, width: int) -> RenderableType:
        """A player's area: one line per Domain, then the hand."""
        # Four areas in 80 columns leave no space for a margin.
        margin = 1 if width > 22 else 0
        inner = width - 2 - 2 * margin
        # The longest column on the table determines the size of all cards.
        longest = max(
            max(column.needed, column.count) + len(marks(column)) // 2
            for other in table.panels
            for column in other.columns
        )
        lines = [self.column(column, inner, longest) for column in panel.columns]
        lines.append(self.hand(table, panel.seat, inner))
        title = Text()
        if panel.to_move:
            title.append(f"{self.signs.arrow} ", style="turn")
        title.append(f"{panel.seat + 1} {panel.name}", style="turn" if panel.to_move else "name")
        if panel.own and panel.name.lower() != SCREEN["you"]:
            title.append(f" ({SCREEN['you']})")
        title.truncate(width - 4, overflow="ellipsis")
        subtitle = self.points(panel, width - 6, teams=bool(table.view.teams))
        return Panel(
            Group(*lines),
            title=title,
            title_align="left",
            subtitle=Text(subtitle, style="quiet"),
            subtitle_align="right",
            box=box.HEAVY if panel.to_move else box.ROUNDED,
            border_style="turn" if panel.to_move else "quiet",
            width=width,
            padding=(0, margin),
        )

    def points(self, panel: PlayerPanel, width: int, *, teams: bool) -> str:
        """The points of a player or a team, shortened if space is short."""
        if not teams:
            text, short = SCREEN.numbered("points", panel.points), f"{self.signs.star} {panel.points}"
        else:
            text = SCREEN.numbered("team.points", panel.points, team=panel.side + 1)
            facts = {"team": panel.side + 1, "star": self.signs.star, "number": panel.points}
            short = SCREEN["team.points.short"].format(**facts)
        return text if len(text) <= width else short

    def column(self, column: ColumnView, width: int, longest: int) -> Text:
        """One Domain of a player: the count, the lead, the cards by their Ages, the dots to Hegemony, the markers."""
        letter, marked = column.domain.letter, marks(column)
        line = self.domain(column.domain)
        line.no_wrap, line.overflow = True, "crop"
        number = f" {column.count}/{column.needed}"
        space = width - 2 - len(number) - 2 - max(1, len(marked))
        if space >= self.name_width + 2 * longest:
            line.append(f" {domain_name(column.domain):<{self.name_width}}", style=letter)
            space -= self.name_width + 1
        line.append(number, style="count" if column.ages else "missing")
        line.append(f"{self.signs.star if column.leads else ' '} ", style="star")
        size = 3 if space >= 3 * longest else 2 if space >= 2 * longest - 1 else 1
        for place in range(min(max(column.needed, column.count), space)):
            is_card = place < column.count
            sign = column.ages[place] if is_card else self.signs.dot
            # The cards of a column have no gaps, so that it looks like a bar.
            cell = f" {sign} " if size == 3 else f" {sign}" if size == 2 and place else str(sign)
            line.append(cell, style=f"card.{letter}" if is_card else "missing")
        line.append(" " * max(0, width - line.cell_len - len(marked)))
        for mark in marked:
            line.append(mark, style="mark")
        return line

    def hand(self, table: TableView, seat: int, width: int) -> Text:
        """A player's hand: the backs with their Ages, and the cards that are known."""
        hand, kept = table.hand_of(seat), table.kept_of(seat)
        drafting = table.view.round == 0
        cards = kept if drafting and not hand else hand
        line = Text(no_wrap=True, overflow="ellipsis")
        label = SCREEN["packet"] if drafting and hand else SCREEN["hand"]
        line.append(f"{label} ", style="quiet")
        if seat == table.viewer:
            return line.append(str(len(cards)))
        ending = f" {SCREEN['kept']} {len(kept)}" if drafting and hand else ""
        loose = len(label) + 1 + sum(len(card) + 2 for card in cards) + len(ending) <= width + 1
        for place, card in enumerate(cards):
            style = "back" if card[0] == "?" else f"card.{card[0]}"
            sign = card if card[0] != "?" else card[1:] or "?"
            # If space is short, backs are not separated by spaces, but known cards are.
            known = place and "?" not in cards[place - 1]
            line.append(" " if known or (loose and place) else "")
            line.append(f"{sign:^3}" if loose else sign, style=style)
        return line.append(ending, style="quiet")

    def majority(self, table: TableView) -> Text:
        """The majorities, the most points first, and the side that wins the tie-break."""
        if not any(row.points for row in table.majority):
            return Text(SCREEN["majority.none"], style="quiet")
        rows = sorted(table.majority, key=lambda row: -row.points)

        def names(seats: Sequence[int]) -> str:
            tr = translator()
            return tr.listing([tr.you if seat == table.viewer else table.names[seat] for seat in seats])

        scores = [SCREEN["majority.score"].format(name=names(row.seats), points=row.points) for row in rows]
        ahead = [row for row in rows if row.ahead]
        tied = rows[0].points == rows[1].points
        key = "majority" if not tied else "majority.tie" if len(ahead) == 1 else "majority.shared"
        return Text(SCREEN[key].format(scores=", ".join(scores), winner=names(ahead[0].seats)), style="quiet")

    def own_cards(self, table: TableView, seat: int) -> RenderableType:
        """The viewer's own hand, and in the draft the cards kept so far."""
        hand, kept, drafting = table.hand_of(seat), table.kept_of(seat), table.view.round == 0
        rows: list[RenderableType] = []
        if hand or not drafting:
            rows.append(self.own_row(SCREEN["your packet" if drafting else "your hand"], hand))
        if kept:
            rows.append(self.own_row(SCREEN["you kept"], kept))
        return Group(*rows)

    def own_row(self, label: str, cards: Sequence[str]) -> RenderableType:
        """A row of the viewer's own cards, large if there is space."""
        line = Text(f"{label}  ", style="me")
        if not cards or not self.large or len(cards) * self.card_width + len(label) + 2 > self.width:
            return line.append_text(self.cards(cards))
        grid = Table.grid(padding=0)
        line.plain = f"\n\n{label}  "
        grid.add_row(line, self.large_cards(cards))
        return grid

    def discard_pile(self, table: TableView) -> RenderableType:
        """The number of discarded cards by Domain and Age."""
        pile = table.discard_pile
        if not pile:
            return Text(SCREEN["pile.none"])
        grid = Table(title=SCREEN.numbered("pile.title", len(pile)), box=box.SIMPLE, title_justify="left")
        grid.add_column("")
        for age in AGES[1:]:
            grid.add_column(age, justify="right")
        grid.add_column("")
        for domain in Domain:
            ages = [card.age for card in pile if card.domain is domain]
            grid.add_row(
                self.domain(domain).append(f" {domain_name(domain)}"),
                *(str(ages.count(age) or "") for age in (1, 2, 3)),
                str(len(ages)),
            )
        return grid


def marks(column: ColumnView) -> str:
    """The letters of the markers on a column: Embargo, Democracy, coin."""
    markers = (("e", column.embargoes), ("u", column.democracies), ("c", column.coin_of is not None))
    return "".join(letter for letter, present in markers if present)


def marker_notes(table: TableView) -> list[str]:
    """Sentences about the markers on the table."""
    view, notes = table.view, []
    for panel in table.panels:
        form = ".you" if panel.own else ""
        for column in panel.columns:
            values = {"domain": domain_name(column.domain), "name": panel.name, "needed": column.needed}
            if column.embargoes:
                notes.append(SCREEN[f"embargo{form}"].format(**values))
            if column.democracies:
                notes.append(SCREEN[f"democracy{form}"].format(**values))
    if view.new_embargo:
        notes.append(SCREEN["embargo.next"].format(domain=domain_name(domain_of(view.new_embargo))))
    if view.coin_owner:
        owner = view.coin_owner - 1
        form = ".you" if owner == table.viewer else ".on-you" if view.coin_seat == table.viewer else ""
        names = {"name": table.names[owner], "other": table.names[view.coin_seat]}
        notes.append(SCREEN[f"coin{form}"].format(domain=domain_name(view.coin_domain), **names))
    if view.quiet_rounds:
        notes.append(SCREEN.numbered("quiet", view.quiet_rounds, most=STALLED_ROUNDS))
    return notes
