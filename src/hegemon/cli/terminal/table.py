"""The table, drawn for a terminal: every player's area, what lies between them, and one's own hand.

A Domain is told by its letter, its symbol and its color, never by color alone. Everything is drawn from a `Scene`:
what one viewer sees, or a whole position with all cards open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hegemon.cli.prose import ENGLISH, SCREEN, domain_name
from hegemon.cli.seats import display_name
from hegemon.notation.cards import write_ages
from hegemon.notation.choices import choices_in
from hegemon.play.events import cards_in
from hegemon.play.imagine import public_position
from hegemon.play.memory import Memory
from hegemon.prose.english import AGES
from hegemon.rules.cards import COUNT, DOMAINS, LETTERS, count, domain_of, total
from hegemon.rules.engine import legal
from hegemon.rules.position import Position, Question
from hegemon.rules.victory import (
    STALLED_ROUNDS,
    has_majority,
    hegemony_threshold,
    majority_winners,
    points,
    side_of,
    sides,
)
from hegemon.rules.view import SPECTATOR, Backs, View
from hegemon.rules.view import view as look

# A screen of so many lines has room for large cards, which are so wide.
_TALL: Final = 36
_LARGE_CARD: Final = 10
_ENDLESS: Final = 10_000

# A player's area needs this width at least, and makes use of this at most.
_NARROWEST: Final = 20
_WIDEST: Final = 48


@dataclass(frozen=True)
class Signs:
    """The signs that a terminal can show."""

    domains: str
    star: str
    arrow: str
    dot: str
    bullet: str


SIGNS: Final = Signs(domains="▲✚●◆♪☼", star="★", arrow="▶", dot="·", bullet="•")
#: For terminals that know no more than ASCII.
PLAIN_SIGNS: Final = Signs(domains="^+o*~@", star="*", arrow=">", dot=".", bullet="-")


def signs_of(console: Console) -> Signs:
    """The signs that this console can show."""
    return SIGNS if console.encoding.lower().startswith("utf") else PLAIN_SIGNS


@dataclass(frozen=True)
class Scene:
    """What is drawn: a view, with the cards of every hand as far as they are to be shown."""

    view: View
    names: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    kept: tuple[tuple[str, ...], ...]
    choices: tuple[str, ...]

    @property
    def me(self) -> int | None:
        """The seat that looks; None if nobody does in particular."""
        return None if self.view.viewer == SPECTATOR else self.view.viewer

    @property
    def table(self) -> Position:
        """Everything public as a position, for the rules to look at."""
        return public_position(self.view)


def scene_of_view(view: View, names: Sequence[str], memory: Memory | None = None) -> Scene:
    """What a viewer sees; cards in other hands that the memory is certain of lie open."""
    hands, kept = [], []
    for seat in range(view.players):
        if seat == view.viewer and view.hand is not None and view.kept is not None:
            hands.append(cards_in(view.hand))
            kept.append(cards_in(view.kept))
        else:
            known = cards_in(memory.known(seat)) if memory is not None and view.round else ()
            hands.append(_backs(view.backs[seat], known))
            kept.append(_backs(view.kept_backs[seat], ()))
    return Scene(view, tuple(names), tuple(hands), tuple(kept), own_choices(view))


def scene_of_position(position: Position, names: Sequence[str]) -> Scene:
    """A whole position, with all cards open."""
    seats = range(position.players)
    return Scene(
        look(position, SPECTATOR),
        tuple(names),
        tuple(cards_in(position.hands[seat]) for seat in seats),
        tuple(cards_in(position.kept[seat]) for seat in seats),
        choices_in(legal(position)),
    )


def own_choices(view: View) -> tuple[str, ...]:
    """The viewer's choices; those of others depend on hidden cards."""
    if view.viewer not in view.owing and view.viewer != view.seat:
        return ()
    table = public_position(view)
    table.seat = view.viewer
    table.deck_size = view.deck_size
    return choices_in(legal(table))


def _backs(backs: Backs, known: tuple[str, ...]) -> tuple[str, ...]:
    """Hidden cards as their backs, those that are known open."""
    if len(backs) == 1:
        return known + ("?",) * (backs[0] - len(known))
    hidden = list(backs)
    for card in known:
        hidden[int(card[1]) - 1] -= 1
    return known + tuple(f"?{age}" for age, number in enumerate(hidden, 1) for _ in range(number))


# ------------------------------------------------------------------ cards


class TableRenderer:
    """Draws tables for a terminal of one width and height."""

    def __init__(self, width: int, height: int | None, signs: Signs = SIGNS) -> None:
        self.width = width
        self.height = height if height is not None else _ENDLESS
        self.large = height is not None and height >= _TALL
        self.signs = signs

    @classmethod
    def of(cls, console: Console) -> "TableRenderer":
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
        """Small cards in a row."""
        return (
            Text(" ").join([self.card(card) for card in cards]) if cards else Text(SCREEN["empty"], "quiet")
        )

    def large_cards(self, cards: Sequence[str]) -> RenderableType:
        """Cards of one's own hand, when there is room for them."""
        grid = Table.grid(padding=0)
        faces = []
        for card in cards:
            domain = LETTERS.index(card[0])
            face = Text(
                f"{self.signs.domains[domain]} {AGES[int(card[1])]}\n{domain_name(domain)}", justify="center"
            )
            faces.append(Panel(face, box=box.ROUNDED, style=card[0], width=_LARGE_CARD, padding=0))
        grid.add_row(*faces)
        return grid

    # ---------------------------------------------------------------- the whole table

    def table(self, scene: Scene, *, brief: bool = False) -> RenderableType:
        """The table, from the deck to one's own hand; in brief, the markers are only drawn and not told."""
        parts: list[RenderableType] = [self.header(scene), self.seats(scene), *self.notes(scene, brief)]
        if scene.me is not None:
            parts.append(self.own_cards(scene, scene.me))
        return Group(*parts)

    def header(self, scene: Scene) -> RenderableType:
        """The round, whose turn it is, the deck and the discard pile."""
        view = scene.view
        left = Text(f"{SCREEN['title']}  ", style="bold")
        where = SCREEN["round"].format(round=view.round) if view.round else SCREEN["draft"]
        left.append(where)
        if view.question == Question.OVER:
            left.append(f" {self.signs.dot} {SCREEN['over']}", style="turn")
        elif view.question != Question.DRAFT:
            mine = view.seat == scene.me
            whose = SCREEN["your turn"] if mine else SCREEN["turn"].format(name=self.name(scene, view.seat))
            left.append(f" {self.signs.dot} {whose}", style="turn")
        right = Text(justify="right")
        if view.deck_size:
            ages = [f"{AGES[age]} {number}" for age, number in enumerate(view.deck_backs, 1) if number]
            right.append(SCREEN["deck"].format(total=view.deck_size, ages=", ".join(ages)))
        else:
            right.append(SCREEN["deck out"], style="alert")
        pile = total(view.discard_pile)
        right.append(f" {self.signs.dot} ", style="quiet")
        right.append(SCREEN["pile"].format(total=pile) if pile else SCREEN["pile empty"])
        line = Table.grid(expand=True, padding=(0, 0, 0, 2))
        line.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        line.add_column(justify="right", no_wrap=True)
        line.add_row(left, right)
        return line

    def name(self, scene: Scene, seat: int) -> str:
        """A player's name as it is shown."""
        return display_name(scene.names[seat])

    def sentence(self, sentence: str) -> Text:
        """A sentence, with the Domains in their colors."""
        text = Text(sentence)
        for domain, letter in enumerate(LETTERS):
            text.highlight_regex(rf"\b{domain_name(domain)}( I{{1,3}}\b)?", letter)
        return text

    # ---------------------------------------------------------------- seats

    def seats(self, scene: Scene) -> RenderableType:
        """Every player's area, side by side, the same Domain on the same line."""
        players = scene.view.players
        table = scene.table
        in_a_row = max(1, min(players, self.width // _NARROWEST))
        if players == 4 and in_a_row == 3:
            in_a_row = 2
        width = min(self.width // in_a_row, _WIDEST)
        grid = Table.grid(padding=0)
        for _ in range(in_a_row):
            grid.add_column(width=width)
        areas = [self.seat(scene, table, seat, width) for seat in range(players)]
        for first in range(0, players, in_a_row):
            grid.add_row(*areas[first : first + in_a_row])
        return grid

    def seat(self, scene: Scene, table: Position, seat: int, width: int) -> RenderableType:
        """A player's area: a line a Domain, then the hand."""
        view = scene.view
        at_turn = view.question != Question.OVER and (
            seat in view.owing if view.question == Question.DRAFT else seat == view.seat
        )
        # Four areas in 80 columns leave no room for air.
        air = 1 if width > 22 else 0
        inner = width - 2 - 2 * air
        # The longest column of the table decides how large the cards of all are.
        longest = max(
            max(hegemony_threshold(table, other, domain), count(table.areas[other][domain]))
            + self.marks(table, other, domain).cell_len // 2
            for other in range(table.players)
            for domain in range(DOMAINS)
        )
        lines = [self.column(table, seat, domain, inner, longest) for domain in range(DOMAINS)]
        lines.append(self.hidden_cards(scene, seat, inner))
        title = Text()
        if at_turn:
            title.append(f"{self.signs.arrow} ", style="turn")
        title.append(f"{seat + 1} {self.name(scene, seat)}", style="turn" if at_turn else "name")
        if seat == scene.me and self.name(scene, seat).lower() != SCREEN["you"]:
            title.append(f" ({SCREEN['you']})")
        title.truncate(width - 4, overflow="ellipsis")
        score = points(table, side_of(table, seat))
        facts = {"points": score, "team": side_of(table, seat) + 1, "star": self.signs.star}
        forms = ["points.one" if score == 1 else "points", "points.short"]
        if view.teams:
            forms = [f"team.{form}" for form in forms]
        worths = [SCREEN[form].format(**facts) for form in forms]
        worth = next((worth for worth in worths if len(worth) <= width - 6), worths[-1])
        return Panel(
            Group(*lines),
            title=title,
            title_align="left",
            subtitle=Text(worth, style="quiet"),
            subtitle_align="right",
            box=box.HEAVY if at_turn else box.ROUNDED,
            border_style="turn" if at_turn else "quiet",
            width=width,
            padding=(0, air),
        )

    def column(self, table: Position, seat: int, domain: int, width: int, longest: int) -> Text:
        """One Domain of a player: the count, the lead, the cards by their Ages, the dots to Hegemony, the markers."""
        letter = LETTERS[domain]
        ages = write_ages(table.areas[seat][domain])
        needed = hegemony_threshold(table, seat, domain)
        marks = self.marks(table, seat, domain)
        line = self.domain(domain)
        line.no_wrap, line.overflow = True, "crop"
        number = f" {len(ages)}/{needed}"
        room = width - 2 - len(number) - 2 - max(1, marks.cell_len)
        if room >= 9 + 2 * longest - 1:
            line.append(f" {domain_name(domain):<8}", style=letter)
            room -= 9
        line.append(number, style="count" if ages else "missing")
        line.append(f"{self.signs.star if leads(table, seat, domain) else ' '} ", style="star")
        size = 3 if room >= 3 * longest else 2 if room >= 2 * longest - 1 else 1
        for place in range(min(max(needed, len(ages)), room)):
            lies = place < len(ages)
            sign = ages[place] if lies else self.signs.dot
            # The cards of a column touch, so that it reads as one bar.
            cell = f" {sign} " if size == 3 else f" {sign}" if size == 2 and place else sign
            line.append(cell, style=f"card.{letter}" if lies else "missing")
        line.append(" " * max(0, width - line.cell_len - marks.cell_len))
        return line.append_text(marks)

    def marks(self, table: Position, seat: int, domain: int) -> Text:
        """The markers that lie on a column: Embargo, Democracy, coin."""
        coin = table.coin_owner and (table.coin_seat, table.coin_domain) == (seat, domain)
        marks = Text()
        for letter, lies in (
            ("e", table.embargoes[seat][domain]),
            ("u", table.democracies[seat][domain]),
            ("c", coin),
        ):
            marks.append(letter if lies else "", style="mark")
        return marks

    def hidden_cards(self, scene: Scene, seat: int, width: int) -> Text:
        """A player's hand: the backs with their Ages, and the cards that are known."""
        drafting = scene.view.round == 0
        cards = scene.kept[seat] if drafting and not scene.hands[seat] else scene.hands[seat]
        line = Text(no_wrap=True, overflow="ellipsis")
        label = SCREEN["packet"] if drafting and scene.hands[seat] else SCREEN["hand"]
        line.append(f"{label} ", style="quiet")
        if seat == scene.me:
            line.append(str(len(cards)))
            return line
        kept = (
            f" {SCREEN['kept']} {len(scene.kept[seat])}" if cards is not scene.kept[seat] and drafting else ""
        )
        loose = len(label) + 1 + sum(len(card) + 2 for card in cards) + len(kept) <= width + 1
        for place, card in enumerate(cards):
            style = "back" if card[0] == "?" else f"card.{card[0]}"
            sign = card if card[0] != "?" else card[1:] or "?"
            # Where it is tight, backs stand close together, but known cards still apart.
            known = place and "?" not in cards[place - 1]
            line.append(" " if known or (loose and place) else "")
            line.append(f"{sign:^3}" if loose else sign, style=style)
        return line.append(kept, style="quiet")

    # ---------------------------------------------------------------- between the seats

    def notes(self, scene: Scene, brief: bool) -> list[RenderableType]:
        """What is not plain to see: the majority as it stands, markers, the coin, the stall rule."""
        notes = []
        if scene.view.round:
            notes.append(self.majority(scene))
        if not brief:
            notes += [Text(note, style="quiet") for note in self.markers(scene)]
        if total(scene.view.center):
            center = Text(f"{SCREEN['center']}  ")
            notes.append(center.append_text(self.cards(cards_in(scene.view.center))))
        return list(notes)

    def majority(self, scene: Scene) -> Text:
        """The majority table as it stands, the most points first, and whom a tie would make the winner."""
        table = scene.table
        if not any(total(area) for area in table.areas):
            return Text(SCREEN["majority.none"], style="quiet")
        order = sorted(range(sides(table)), key=lambda side: -points(table, side))
        scores = [
            SCREEN["majority.score"].format(name=self.side(scene, table, side), points=points(table, side))
            for side in order
        ]
        best = [side for side in order if majority_winners(table) >> side & 1]
        tied = points(table, order[0]) == points(table, order[1])
        key = "majority" if not tied else "majority.tie" if len(best) == 1 else "majority.shared"
        return Text(
            SCREEN[key].format(scores=", ".join(scores), winner=self.side(scene, table, best[0])),
            style="quiet",
        )

    def side(self, scene: Scene, table: Position, side: int) -> str:
        """The players of a side by name."""
        return ENGLISH.listing(
            [
                ENGLISH.you if seat == scene.me else self.name(scene, seat)
                for seat in self.members(table, side)
            ]
        )

    def members(self, table: Position, side: int) -> list[int]:
        """The seats of a side."""
        return [seat for seat in range(table.players) if side_of(table, seat) == side]

    def markers(self, scene: Scene) -> list[str]:
        """The markers that lie on the table, in words."""
        view, table = scene.view, scene.table
        notes = []
        for seat in range(view.players):
            form = ".you" if seat == scene.me else ""
            for domain in range(DOMAINS):
                facts = {
                    "domain": domain_name(domain),
                    "name": self.name(scene, seat),
                    "needed": hegemony_threshold(table, seat, domain),
                }
                if view.embargoes[seat][domain]:
                    notes.append(SCREEN[f"embargo{form}"].format(**facts))
                if view.democracies[seat][domain]:
                    notes.append(SCREEN[f"democracy{form}"].format(**facts))
        if view.new_embargo:
            notes.append(SCREEN["embargo.next"].format(domain=domain_name(domain_of(view.new_embargo))))
        if view.coin_owner:
            facts = {"domain": domain_name(view.coin_domain), "other": self.name(scene, view.coin_seat)}
            owner = view.coin_owner - 1
            form = (
                "coin.you" if owner == scene.me else "coin.on-you" if view.coin_seat == scene.me else "coin"
            )
            notes.append(SCREEN[form].format(name=self.name(scene, owner), **facts))
        if view.quiet_rounds:
            notes.append(SCREEN["quiet"].format(rounds=view.quiet_rounds, most=STALLED_ROUNDS))
        return notes

    # ---------------------------------------------------------------- one's own

    def own_cards(self, scene: Scene, seat: int) -> RenderableType:
        """The viewer's own hand, and in the draft the cards kept so far."""
        drafting = scene.view.round == 0
        hand, kept = scene.hands[seat], scene.kept[seat]
        rows: list[RenderableType] = []
        if hand or not drafting:
            rows.append(self.own_row(SCREEN["your packet" if drafting else "your hand"], hand))
        if kept:
            rows.append(self.own_row(SCREEN["you kept"], kept))
        return Group(*rows)

    def own_row(self, label: str, cards: Sequence[str]) -> RenderableType:
        """A row of the viewer's own cards: large where the screen is."""
        line = Text(f"{label}  ", style="me")
        if not cards or not self.large or len(cards) * _LARGE_CARD + len(label) + 2 > self.width:
            return line.append_text(self.cards(cards))
        grid = Table.grid(padding=0)
        line.plain = f"\n\n{label}  "
        grid.add_row(line, self.large_cards(cards))
        return grid

    def pile(self, scene: Scene) -> RenderableType:
        """The discard pile, all of it."""
        pile = scene.view.discard_pile
        if not total(pile):
            return Text(SCREEN["pile.none"])
        title = SCREEN["pile.title.one" if total(pile) == 1 else "pile.title"].format(total=total(pile))
        grid = Table(title=title, box=box.SIMPLE, title_justify="left")
        grid.add_column("")
        for age in AGES[1:]:
            grid.add_column(age, justify="right")
        grid.add_column("")
        for domain in range(DOMAINS):
            ages = write_ages(pile[domain])
            grid.add_row(
                self.domain(domain).append(f" {domain_name(domain)}"),
                *(str(ages.count(str(age))) if ages.count(str(age)) else "" for age in (1, 2, 3)),
                str(count(pile[domain])),
            )
        return grid


def leads(table: Position, seat: int, domain: int) -> bool:
    """Whether a player's cards score a Domain: in a team it is the member with the most cards who does."""
    own = table.areas[seat][domain] & COUNT
    most = max(area[domain] & COUNT for area in table.areas)
    return own == most and has_majority(table, side_of(table, seat), domain)
