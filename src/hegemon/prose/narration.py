"""Events as sentences for one reader: one sentence per event, or per group of events that belong together."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from hegemon.play import events as ev
from hegemon.play.events import Event
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain

#: The size of the cache of sentences; the log of a table is narrated after every move, for every reader.
MAX_CACHED_SENTENCES: Final = 8192

_CARDS_MOVED: Final = {
    ev.Discarded: "discarded",
    ev.TookBack: "took-back",
    ev.Fetched: "fetched",
    ev.Played: "played",
}


class NarrationLine(NamedTuple):
    """A sentence, with the number of events up to its last one."""

    text: str
    events: int


class Narrator:
    """Describe events to one reader: other players by name, the reader as "you"."""

    def __init__(
        self,
        names: Sequence[str],
        reader: int | None = None,
        *,
        teams: bool = False,
        tr: Translator | None = None,
    ) -> None:
        self.tr = tr or get_translator("en")
        self.names = tuple(names)
        self.reader = reader
        self.teams = teams

    def narrate(self, events: Sequence[Event]) -> list[str]:
        return [sentence for group in grouped(events) if (sentence := self._cached(group))]

    def narrate_by_turn(self, events: Sequence[Event]) -> list[list[str]]:
        """The sentences of each turn, without the one that announces the turn."""
        return [[line.text for line in turn] for turn in self.lines_by_turn(events)]

    def lines_by_turn(self, events: Sequence[Event]) -> list[list[NarrationLine]]:
        turns: list[list[NarrationLine]] = [[]]
        event_count = 0
        for group in _groups(events):
            event_count += len(group)
            if isinstance(group[0], ev.TurnBegan):
                turns.append([])
            elif sentence := self._cached(_finished(group)):
                turns[-1].append(NarrationLine(sentence, event_count))
        return [lines for lines in turns if lines]

    def _players(self, seats: Sequence[int]) -> str:
        """A list of players, the reader last."""
        others = [self.names[seat] for seat in seats if seat != self.reader]
        return self.tr.listing([*others, self.tr.you] if self.reader in seats else others)

    # ---------------------------------------------------------------- forms of a sentence

    def _act(self, key: str, seat: int, number: int | None = None, **facts: object) -> str:
        """A sentence about one player, with an optional number."""
        form = f"{key}.you" if seat == self.reader else key
        return self.tr.event(form, number, name=self.names[seat], **facts)

    def _act_on(self, key: str, seat: int, other: int, number: int | None = None, **facts: object) -> str:
        """A sentence about one player acting on another, with an optional number of cards."""
        if seat == other:
            key += ".self"
        if seat == self.reader:
            key += ".you"
        elif other == self.reader:
            key += ".on-you"
        return self.tr.event(key, number, name=self.names[seat], other=self.names[other], **facts)

    def _seen(self, key: str, seat: int, cards: Sequence[str], **facts: object) -> str:
        """A sentence about cards of a player: which ones if the reader saw them, how many otherwise."""
        if seat == self.reader:
            key += ".you"
        elif not any(card.startswith("?") for card in cards):
            key += ".open"
        return self.tr.event(key, len(cards), name=self.names[seat], cards=self.tr.cards(cards), **facts)

    # ---------------------------------------------------------------- sentences

    def _cached(self, group: Sequence[Event]) -> str:
        return _sentence(self.names, self.reader, self.teams, self.tr, tuple(group))

    def _narrate(self, group: Sequence[Event]) -> str:
        match group[0]:
            case ev.UsedEffect() as used:
                return self._effect(used, group[1:])
            case ev.Discarded() | ev.TookBack() | ev.Fetched() | ev.Played() as moved:
                key = _CARDS_MOVED[type(moved)]
                if isinstance(moved, ev.Discarded):
                    key += "-from-hand" if moved.from_hand else "-from-area"
                return self._act(key, moved.seat, cards=self.tr.cards(cards_of(group)))
            case ev.Kept() if len(group) > 1:
                names = [self.names[event.seat] for event in group if isinstance(event, ev.Kept)]
                return self.tr.event("kept.several", names=self.tr.listing(names))
            case event:
                return self._narrate_one(event)

    def _narrate_one(self, event: Event) -> str:
        match event:
            case ev.Drew(seat, cards):
                return self._seen("drew", seat, cards)
            case ev.TurnBegan(seat, number):
                return self._act("turn-began", seat, round=number)
            case ev.SkippedPlay(seat):
                return self._act("skipped-play", seat)
            case ev.PutEmbargo(seat, target, domain, _):
                return self._act_on("put-embargo", seat, target, domain=self.tr.domains[domain])
            case ev.PutDemocracy(seat, target, domain):
                return self._act_on("put-democracy", seat, target, domain=self.tr.domains[domain])
            case ev.GaveBack():
                return self._gave_back(event)
            case ev.EmbargoLifted(seat, domain, _):
                return self._act("embargo-lifted", seat, domain=self.tr.domains[domain])
            case ev.CoinMoved(seat, other, domain):
                return self._act_on("coin-moved", seat, other, domain=self.tr.domains[domain])
            case ev.CoinReturned(seat):
                return self._act("coin-returned", seat)
            case ev.DeckRanOut(seat):
                return self._act("deck-ran-out", seat)
            case ev.GameEnded():
                return self.ending(event)
            case ev.ChoseGift():
                return ""  # narrated when the cards change hands
            case ev.Dealt(hands):
                return self._own("dealt", hands)
            case ev.Kept(seat, card):
                return self._seen("kept", seat, [card], card=self.tr.card(card))
            case ev.Passed(packets):
                return self._own("passed", packets)
            case ev.Revealed():
                return self.tr.event("revealed", cards=self.tr.cards(event.center))
            case ev.TookFromCenter(seat, card):
                return self._act("took-from-center", seat, card=self.tr.card(card))
            case _:
                raise TypeError(f"There is no sentence for {event!r}.")

    def _own(self, key: str, places: tuple[tuple[str, ...], ...]) -> str:
        if self.reader is None:
            return self.tr.event(key)
        return self.tr.event(f"{key}.you", cards=self.tr.cards(places[self.reader]))

    def _gave_back(self, event: ev.GaveBack) -> str:
        if self.reader in (event.seat, event.target):
            return self._act_on("gave-back", event.seat, event.target, cards=self.tr.cards(event.cards))
        return self._act_on("gave-back", event.seat, event.target, len(event.cards))

    def _effect(self, used: ev.UsedEffect, rest: Sequence[Event]) -> str:
        seat = used.seat
        match used.effect:
            case Effect.ATTACK:
                return self._attack(used, [event for event in rest if isinstance(event, ev.Discarded)])
            case Effect.INQUISITION:
                return self._inquisition(used, rest)
            case Effect.BREAKTHROUGH:
                return self._act("breakthrough", seat, card=self.tr.card(cards_of(rest)[0]))
            case Effect.EMBARGO | Effect.DEMOCRACY if used.target is not None:
                return self._act_on(f"aimed-{used.effect.name.lower()}", seat, used.target)
            case _ if used.copied_from is not None:
                return self._act_on("copied", seat, used.copied_from, effect=self.tr.effects[used.effect])
            case _:
                return self._act("used", seat, effect=self.tr.effects[used.effect])

    def _attack(self, used: ev.UsedEffect, discarded: list[ev.Discarded]) -> str:
        """Read the discards in order: the price, the attacker's own loss, the losses of the others."""
        losses = {loss.seat: loss.card for loss in discarded[2:]}
        losers = list(losses)
        key = "attack.hit" if losers else "attack"
        facts: dict[str, str] = {
            "domain": self.tr.domains[Domain(used.domain or 0)],
            "card": self.tr.card(discarded[0].card),
        }
        if self.reader in losses:
            others = [seat for seat in losers if seat != self.reader]
            facts |= {"lost": self.tr.card(losses[self.reader]), "losers": self._players(others)}
            form = f"{key}.on-you-and-more" if others else f"{key}.on-you"
            return self.tr.event(form, len(others), name=self.names[used.seat], **facts)
        return self._act(key, used.seat, len(losers), losers=self._players(losers), **facts)

    def _inquisition(self, used: ev.UsedEffect, rest: Sequence[Event]) -> str:
        taken = next((event.cards for event in rest if isinstance(event, ev.TookHand)), ())
        target = used.target if used.target is not None else used.seat
        paid = self.tr.card(cards_of(rest)[0])
        return self._act_on(
            "inquisition", used.seat, target, len(taken), card=paid, cards=self.tr.cards(taken)
        )

    def ending(self, event: ev.GameEnded) -> str:
        result = event.result
        key = result.ending.name.lower()
        if self.teams and len(result.winners) == 2:
            key += ".team"
        elif len(result.winners) > 1:
            key += ".shared"
        elif result.winners[0] == self.reader:
            key += ".you"
        winners = self.tr.listing([self.names[seat] for seat in result.winners])
        domain = self.tr.domains[result.domain] if result.domain is not None else ""
        return self.tr.event(key, winners=winners, domain=domain)


@lru_cache(MAX_CACHED_SENTENCES)
def _sentence(
    names: tuple[str, ...], reader: int | None, teams: bool, tr: Translator, group: tuple[Event, ...]
) -> str:
    return Narrator(names, reader, teams=teams, tr=tr)._narrate(group)


def cards_of(events: Sequence[Event]) -> list[str]:
    """The cards that moved one at a time."""
    return [
        event.card
        for event in events
        if isinstance(event, ev.Discarded | ev.TookBack | ev.Fetched | ev.Played)
    ]


def grouped(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Events in groups of one sentence each."""
    return map(_finished, _groups(events))


def _groups(events: Sequence[Event]) -> Iterator[list[Event]]:
    group: list[Event] = []
    for event in events:
        if group and not _belongs(group, event):
            yield group
            group = []
        group.append(event)
    if group:
        yield group


def _belongs(group: list[Event], event: Event) -> bool:
    first, last = group[0], group[-1]
    if isinstance(first, ev.UsedEffect):
        if first.effect is Effect.ATTACK:
            return isinstance(event, ev.Discarded) and not event.from_hand
        if first.effect is Effect.INQUISITION:
            return isinstance(event, ev.Discarded | ev.TookHand)
        if first.effect is Effect.BREAKTHROUGH:
            return len(group) == 1 and isinstance(event, ev.Discarded)
        return isinstance(event, ev.PutEmbargo | ev.PutDemocracy)
    if isinstance(last, ev.Kept) and isinstance(event, ev.Kept):
        return last.card.startswith("?") and event.card.startswith("?")
    if isinstance(last, ev.EmbargoLifted) and isinstance(event, ev.EmbargoLifted):
        return (last.seat, last.domain) == (event.seat, event.domain)
    if isinstance(last, ev.Discarded) and isinstance(event, ev.Discarded):
        return (last.seat, last.from_hand) == (event.seat, event.from_hand)
    same_kind = isinstance(last, ev.TookBack | ev.Fetched | ev.Played) and type(last) is type(event)
    return same_kind and getattr(last, "seat", None) == getattr(event, "seat", None)


def _finished(group: list[Event]) -> list[Event]:
    """Drop the aiming of a marker from a group in which it is placed."""
    return group[-1:] if isinstance(group[-1], ev.PutEmbargo | ev.PutDemocracy) else group
