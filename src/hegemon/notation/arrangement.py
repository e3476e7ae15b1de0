"""An editable line: cards are added and removed, even if the position cannot be played."""

import re
from dataclasses import dataclass
from random import Random
from typing import Final

from hegemon.notation import fields
from hegemon.notation.cards import MAX_OF_AGE, MAX_OF_DOMAIN, read_piles, write_cards, write_piles
from hegemon.notation.places import read_table
from hegemon.notation.problems import number_of_kind
from hegemon.notation.reading import POSITION_FIELDS, expect_no_view
from hegemon.notation.writing import write_table
from hegemon.rules.cards import (
    ALL_CARDS,
    DOMAINS,
    ECONOMY,
    KINDS,
    LETTERS,
    NUMBER_OF_CARDS,
    UTOPIA,
    age_of,
    card_of_age,
    count_of_age,
    domain_of,
    kind_of,
)
from hegemon.rules.piles import KIND_OF
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.setup import cards_removed

EMPTY: Final = "-"

#: What can be added: cards, and markers as they are written in an area.
EMBARGOES: Final = ("e1", "e2", "e3")
DEMOCRACY: Final = "u3"

# A place, with the card for a removal: hand1, area2M, area2M3, embargo1C2, pileS1, deck12.
_PLACE: Final = re.compile(
    r"(hand|kept|area|embargo|democracy|pile|center|deck)([1-4]?)([MRESCU]?)([123]?)", re.ASCII
)
_IN_DECK: Final = re.compile(r"deck([1-9][0-9]{0,2})", re.ASCII)


@dataclass
class Arrangement:
    """The places of a line with their cards, and its other fields as text."""

    places: Position
    """Only its cards, markers and number of players are used."""
    turn: str = EMPTY
    used: str = EMPTY
    asked: str = EMPTY
    coin: str = EMPTY
    round: str = EMPTY
    rules: str = EMPTY

    @classmethod
    def read(cls, text: str) -> "Arrangement":
        """Read a line; raises a NotationError only if its cards cannot be read."""
        expect_no_view(text)
        line = fields.split_fields(text, POSITION_FIELDS)
        places = Position()
        hands, kept = read_table(line["table"], places, read_piles, lambda: [0] * DOMAINS)
        places.hands[: len(hands)], places.kept[: len(kept)] = hands, kept
        fields.read_discard_pile(line["discard pile"], places)
        fields.read_deck_field(line["deck"], places)
        others = ("turn", "used", "asked", "coin", "round", "rules")
        return cls(places, *(line[name].text[line[name].start : line[name].end] or EMPTY for name in others))

    def __str__(self) -> str:
        places = self.places
        hands, kept = (
            [write_piles(piles) for piles in rows[: places.players]] for rows in (places.hands, places.kept)
        )
        deck = write_cards(places.deck[: places.deck_size][::-1])
        pile = write_piles(places.discard_piles)
        table = write_table(places, hands, kept)
        parts = (table, self.turn, self.used, self.asked, self.coin, deck, pile, self.round, self.rules)
        return " ".join("".join(part.split()) or EMPTY for part in parts)

    # ---------------------------------------------------------------- cards and markers

    def put(self, what: str, where: str) -> None:
        """Add a card or a marker; one that does not exist or does not fit is ignored."""
        place = _PLACE.fullmatch(where)
        is_marker = what in (*EMBARGOES, DEMOCRACY)
        if place is None or not (is_marker or what in KIND_OF):
            return
        domain = (UTOPIA if what == DEMOCRACY else ECONOMY) if is_marker else LETTERS.index(what[0])
        kind = kind_of(domain, int(what[1]))
        numbers = [number_of_kind(self.places, kind_of(domain, age)) for age in (1, 2, 3)]
        if numbers[age_of(kind) - 1] >= MAX_OF_AGE or sum(numbers) >= MAX_OF_DOMAIN:
            return
        name, seat, column = place[1], int(place[2] or 1) - 1, place[3]
        if is_marker:
            if name == "area" and column:
                self._mark(what, seat, LETTERS.index(column), 1)
        elif name == "deck":
            if self.places.deck_size < ALL_CARDS:
                self.places.deck[self.places.deck_size] = kind
                self.places.deck_size += 1
        elif (piles := self._piles(name, seat)) is not None:
            piles[domain] += card_of_age(age_of(kind))

    def take(self, where: str) -> None:
        """Remove a card or a marker; one that is not there is ignored."""
        places = self.places
        if (top := _IN_DECK.fullmatch(where)) is not None:
            if int(top[1]) <= places.deck_size:
                places.deck.pop(places.deck_size - int(top[1]))
                places.deck.append(0)
                places.deck_size -= 1
            return
        place = _PLACE.fullmatch(where)
        if place is None or not place[3] or not place[4]:
            return
        name, seat, domain, age = place[1], int(place[2] or 1) - 1, LETTERS.index(place[3]), int(place[4])
        if name == "embargo":
            if count_of_age(places.embargoes[seat][domain], age):
                self._mark(f"e{age}", seat, domain, -1)
        elif name == "democracy":
            if places.democracies[seat][domain]:
                self._mark(DEMOCRACY, seat, domain, -1)
        elif (piles := self._piles(name, seat)) is not None and count_of_age(piles[domain], age):
            piles[domain] -= card_of_age(age)

    def _mark(self, what: str, seat: int, domain: int, number: int) -> None:
        if what == DEMOCRACY:
            self.places.democracies[seat][domain] += number
        else:
            self.places.embargoes[seat][domain] += number * card_of_age(int(what[1]))

    def _piles(self, name: str, seat: int) -> list[int] | None:
        places = self.places
        return {
            "hand": places.hands[seat],
            "kept": places.kept[seat],
            "area": places.areas[seat],
            "pile": places.discard_piles,
            "center": places.center_piles,
        }.get(name)

    # ---------------------------------------------------------------- the whole table

    def set_players(self, players: int) -> None:
        """Set the number of players; the cards of removed seats are removed."""
        places = self.places
        places.players = players
        for seat in range(players, MAX_PLAYERS):
            for rows in (places.hands, places.areas, places.kept, places.embargoes, places.democracies):
                rows[seat] = [0] * DOMAINS
        if self.turn[0] not in "1234"[:players]:
            self.turn = f"1{self.turn[1:]}"
        if any(seat in self.coin for seat in "1234"[players:]):
            self.coin = EMPTY
        if players != MAX_PLAYERS:
            self.rules = self.rules.removesuffix(",teams")

    def fill_deck(self, rng: Random) -> None:
        """Shuffle all unused cards into the deck, by Age, except those that stay in the box."""
        places = self.places
        places.deck_size, places.deck = 0, [0] * ALL_CARDS
        deck = []
        for age in (3, 2, 1):
            left = [
                kind
                for kind in KINDS
                if age_of(kind) == age
                for _ in range(NUMBER_OF_CARDS[domain_of(kind)][age - 1] - number_of_kind(places, kind))
            ]
            rng.shuffle(left)
            deck += left[cards_removed(places.players) :]
        places.deck_size = len(deck)
        places.deck[: len(deck)] = deck
