"""A bot that takes what looks best at once: it tries every choice and judges the table it leads to.

It does not search: no answer of an opponent is considered, and no effect is combined with another. An effect that asks
for cards is judged by what is left when it is finished, with the picks that the heuristic policy would make.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from hegemon.kernels.heuristic import domain_value, drafted_gain, majority_weight, progress
from hegemon.kernels.policy import WORTHWHILE, marked_domain, pick_action
from hegemon.notation.choices import read_choice
from hegemon.play.imagine import Impossible, imagine, public_position
from hegemon.play.memory import Memory
from hegemon.rules.actions import ACTIONS, CHOICES, END, ActionKind, drafted_kind
from hegemon.rules.cards import COUNT, DOMAINS, NUMBER_OF_CARDS, domain_of, total
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import refill_level
from hegemon.rules.victory import hegemony, hegemony_threshold, majority_winners, side_of
from hegemon.rules.view import View

# Being ahead by Majority when the deck is out.
_AHEAD_AT_THE_END: Final = 60.0

# Choices whose values differ by less are equal, and chance decides.
_TOLERANCE: Final = 1e-9

_END: Final = CHOICES[END]


class Greedy:
    """Takes the choice after which the table looks best, by the terms of `hegemon.kernels.heuristic`."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = Random(seed)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        if len(choices) == 1:
            return choices[0]
        position = public_position(view)
        position.seat = view.viewer  # in the draft several seats choose at once
        # A position has its deck as cards, and a view as backs: their number is all that is judged.
        position.deck_size = view.deck_size
        if view.question in (Question.DRAFT, Question.CENTER):
            played = int(view.question == Question.CENTER)

            def drafted(choice: str) -> float:
                domain = domain_of(drafted_kind(read_choice(choice)))
                return drafted_gain(position, domain, played, 1 - played)

            return self._best(choices, drafted)
        if view.question == Question.EFFECTS:
            return self._effect(position, choices, view, memory)
        return CHOICES[pick(position)]

    def _best(self, choices: tuple[str, ...], value: Callable[[str], float]) -> str:
        values = {choice: value(choice) for choice in choices}
        most = max(values.values()) - _TOLERANCE
        return self._chance.choice([choice for choice in choices if values[choice] >= most])

    def _effect(self, position: Position, choices: tuple[str, ...], view: View, memory: Memory) -> str:
        """The effect that leaves the best table, if any is better than the table as it stands."""
        if hegemony(position, position.seat) >= 0:
            return _END
        judgment = Judgment(position, view.deck_backs)
        as_it_stands = judgment.of(position)
        imagined = self._imagined(view, memory) if any(map(shows_hidden_cards, choices)) else None

        def gain(choice: str) -> float:
            if choice == _END:
                return WORTHWHILE
            start = imagined if shows_hidden_cards(choice) else position
            return 0.0 if start is None else judgment.after(start.copy(), read_choice(choice)) - as_it_stands

        return self._best(choices, gain)

    def _imagined(self, view: View, memory: Memory) -> Position | None:
        """A whole position to try such effects on; None in a study that no cards of the game could make."""
        try:
            return imagine(view, memory, self._chance)
        except Impossible:
            return None


def shows_hidden_cards(choice: str) -> bool:
    """Whether an effect takes cards that the bot has not seen: an Inquisition or a Breakthrough."""
    return ACTIONS[read_choice(choice)].kind in (ActionKind.INQUISITION, ActionKind.BREAKTHROUGH)


def pick(position: Position) -> int:
    """The next pick for the open question."""
    choose = marked_domain if position.question in (Question.EMBARGO, Question.DEMOCRACY) else pick_action
    return choose(position, legal(position))


class Judgment:
    """Judges whole tables in the turn of one seat."""

    def __init__(self, position: Position, deck_backs: tuple[int, int, int]) -> None:
        self.weight = majority_weight(position)
        self.drawn_card = average_card(position, next((age for age in (1, 2, 3) if deck_backs[age - 1]), 3))

    def of(self, position: Position) -> float:
        """The six Domains, the cards to be drawn, and the end of the game if the deck is out."""
        value = sum([domain_value(position, domain, self.weight) for domain in range(DOMAINS)])
        missing = refill_level(position) - total(position.hands[position.seat])
        if missing > 0:
            value += self.drawn_card * min(missing, position.deck_size)
        if position.deck_size == 0 and majority_winners(position) >> side_of(position, position.seat) & 1:
            value += _AHEAD_AT_THE_END
        return value

    def after(self, position: Position, action: int) -> float:
        """The table when an effect has been begun and carried through."""
        apply(position, action)
        while position.question not in (Question.EFFECTS, Question.OVER):
            apply(position, pick(position))
        return self.of(position)


def average_card(position: Position, age: int) -> float:
    """What a card from the deck adds to the hand, on average over the cards of an Age."""
    value = 0.0
    for domain in range(DOMAINS):
        own = position.areas[position.seat][domain] & COUNT
        held = position.hands[position.seat][domain] & COUNT
        needed = hegemony_threshold(position, position.seat, domain)
        more = progress(own, held + 1, needed) - progress(own, held, needed)
        value += NUMBER_OF_CARDS[domain][age - 1] * more
    return value / sum(cards[age - 1] for cards in NUMBER_OF_CARDS)
