"""A bot that takes what looks best at once: it tries every choice and judges the table it leads to.

It does not search: no answer of an opponent is considered, and no effect is combined with another. An effect that asks
for cards is judged by what is left when it is finished, with the picks that the bot itself would make.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from hegemon.bots.judgment import Judgment
from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.imagine import Impossible, imagine, public_position
from hegemon.play.memory import Memory
from hegemon.rules.actions import ACTIONS, CHOICES, END, ActionKind, drafted_kind
from hegemon.rules.cards import DOMAINS, age_of, card_of_age, domain_of, move, oldest
from hegemon.rules.engine import apply, legal
from hegemon.rules.picks import pickable
from hegemon.rules.position import Position, Question
from hegemon.rules.victory import hegemony
from hegemon.rules.view import View

# A choice must be better than ending the turn by this much: an effect that changes nothing only wastes a card.
_WORTHWHILE: Final = 0.05

# Two choices as good as this are the same to the bot, and chance decides.
_SAME: Final = 1e-9

_END: Final = CHOICES[END]

#: From where to where a picked card moves; the last place of a gift is another hand, which is judged apart.
_PICKS: Final = {
    Question.DISCARD_FROM_HAND: ("hand", "pile"),
    Question.DISCARD_FROM_AREA: ("area", "pile"),
    Question.TAKE_BACK: ("area", "hand"),
    Question.PLAY: ("hand", "area"),
    Question.PLAY_MORE: ("hand", "area"),
    Question.FETCH: ("pile", "hand"),
    Question.GIVE: ("hand", "gift"),
}


class Greedy:
    """Takes the choice after which the table looks best, by the terms of `Judgment`."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = Random(seed)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        """The best of the words on offer."""
        if len(choices) == 1:
            return choices[0]
        position = public_position(view)
        position.seat = view.viewer  # in the draft everybody is asked at once
        # A position keeps its deck as cards, and a view as backs: their number is all that is judged.
        position.deck_size = view.deck_size
        judgment = Judgment(position, view.viewer, view.deck_backs)
        if view.question == Question.DRAFT:
            return self._best(choices, lambda word: self._keeping(position, judgment, word))
        if view.question == Question.CENTER:
            return self._best(choices, lambda word: self._taking(position, judgment, word))
        if view.question == Question.EFFECTS:
            return self._effect(position, judgment, choices, view, memory)
        return choices_in(1 << pick(position, judgment))[0]

    def _best(self, choices: tuple[str, ...], worth: Callable[[str], float]) -> str:
        worths = {word: worth(word) for word in choices}
        most = max(worths.values()) - _SAME
        return self._chance.choice([word for word in choices if worths[word] >= most])

    # ---------------------------------------------------------------- the draft

    def _keeping(self, position: Position, judgment: Judgment, word: str) -> float:
        """A card that is kept will be in hand, and the rest of the packet will not."""
        kind = drafted_kind(read_choice(word))
        hand = position.kept[judgment.seat][:]
        hand[domain_of(kind)] += card_of_age(age_of(kind))
        return judgment.of_start(position, position.areas[judgment.seat], hand)

    def _taking(self, position: Position, judgment: Judgment, word: str) -> float:
        kind = drafted_kind(read_choice(word))
        area = position.areas[judgment.seat][:]
        area[domain_of(kind)] += card_of_age(age_of(kind))
        return judgment.of_start(position, area, position.kept[judgment.seat])

    # ---------------------------------------------------------------- step 2

    def _effect(
        self, position: Position, judgment: Judgment, choices: tuple[str, ...], view: View, memory: Memory
    ) -> str:
        """The effect that leaves the best table, if any is better than the table as it stands."""
        if hegemony(position, position.seat) >= 0:
            return _END
        as_it_stands = judgment.of(position)
        imagined = self._imagined(view, memory) if any(map(shows_hidden_cards, choices)) else None

        def gain(word: str) -> float:
            if word == _END:
                return _WORTHWHILE
            start = imagined if shows_hidden_cards(word) else position
            return (
                finish(start.copy(), judgment, read_choice(word)) - as_it_stands if start is not None else 0.0
            )

        return self._best(choices, gain)

    def _imagined(self, view: View, memory: Memory) -> Position | None:
        """A whole position to try such effects on; none in a study that no cards of the game could make."""
        try:
            return imagine(view, memory, self._chance)
        except Impossible:
            return None


def shows_hidden_cards(word: str) -> bool:
    """Whether an effect takes cards that the bot has not seen: an Inquisition or a Breakthrough."""
    return ACTIONS[read_choice(word)].kind in (ActionKind.INQUISITION, ActionKind.BREAKTHROUGH)


def finish(position: Position, judgment: Judgment, word: int) -> float:
    """How the table looks when an effect has been begun with that word and carried through."""
    apply(position, word)
    while position.question not in (Question.EFFECTS, Question.OVER):
        apply(position, pick(position, judgment))
    return judgment.of(position)


def pick(position: Position, judgment: Judgment) -> int:
    """The next pick for the open question: the first, in the order that is asked for, of the best set of cards."""
    if position.question in (Question.EMBARGO, Question.DEMOCRACY):
        return mark(position, judgment)
    return min(best_cards(position, judgment))


def mark(position: Position, judgment: Judgment) -> int:
    """The Domain where a marker harms most."""
    choices = legal(position)
    worths = {}
    for domain in range(DOMAINS):
        if choices >> domain & 1:
            after = position.copy()
            apply(after, domain)
            worths[domain] = judgment.of(after)
    return max(worths, key=lambda domain: worths[domain])


def best_cards(position: Position, judgment: Judgment) -> list[int]:
    """The Domains of the cards to pick, as many as are asked for: one after the other the best that is left.

    The picks are thought out in any order and named in the one that is offered: whoever named the best card first
    could no longer name a lower Domain after it.
    """
    seat = position.seat
    source_name, destination_name = _PICKS[Question(position.question)]
    gift = [0] * DOMAINS
    places = {
        "hand": position.hands[seat],
        "area": position.areas[seat],
        "pile": position.discard_pile,
        "gift": gift,
    }
    source, destination = places[source_name], places[destination_name]
    giving = destination is gift
    untouched = source[:], destination[:]
    picked: list[int] = []
    for _ in range(position.left):
        best, most = -1, 0.0
        for domain in range(position.floor, DOMAINS):
            if pickable(position, domain) == 0:
                continue
            before = judgment.of_domain(position, domain)
            card = oldest(source[domain])
            source[domain] -= card
            destination[domain] += card
            gain = judgment.of_domain(position, domain) - before
            if giving:
                gain -= judgment.of_gift(position, position.target, domain)
            source[domain] += card
            destination[domain] -= card
            if best < 0 or gain > most + _SAME:
                best, most = domain, gain
        picked.append(best)
        move(source, destination, best)
    source[:], destination[:] = untouched
    return picked
