"""A bot that looks one choice ahead: it evaluates the table after every choice and takes the best.

It considers neither the opponents' replies nor combinations of effects. An effect with further picks is evaluated when
it is complete, with the picks of the heuristic policy.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from hegemon.kernels.heuristic import domain_value, drafted_gain, majority_weight, progress
from hegemon.kernels.policy import WORTHWHILE, domain_for_marker, pick_action
from hegemon.notation.choices import read_choice
from hegemon.play.determinization import Impossible, determinize, public_position
from hegemon.play.memory import Memory
from hegemon.rules.actions import ACTIONS, CHOICES, END, ActionKind, drafted_kind
from hegemon.rules.cards import COUNT, DOMAINS, NUMBER_OF_CARDS, domain_of, total
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import refill_level
from hegemon.rules.victory import hegemony, hegemony_threshold, majority_winners, side_of
from hegemon.rules.view import View

# The value of leading by Majority when the deck is empty.
_LEADING_AT_THE_END: Final = 60.0

# Choices whose values differ by less than this are ties, which are broken at random.
_TOLERANCE: Final = 1e-9

_END: Final = CHOICES[END]


class Greedy:
    """Takes the choice with the best table after it, evaluated by `hegemon.kernels.heuristic`."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        if len(choices) == 1:
            return choices[0]
        position = public_position(view)
        position.seat = view.viewer  # in the draft several seats choose at once
        # A view shows only the backs of the deck; the evaluation needs only their number.
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
        threshold = max(values.values()) - _TOLERANCE
        return self._random.choice([choice for choice in choices if values[choice] >= threshold])

    def _effect(self, position: Position, choices: tuple[str, ...], view: View, memory: Memory) -> str:
        """The effect with the best table after it, if that is better than the current table."""
        if hegemony(position, position.seat) >= 0:
            return _END
        evaluator = TableEvaluator(position, view.deck_backs)
        current = evaluator.value(position)
        sampled = self._determinization(view, memory) if any(map(reveals_hidden_cards, choices)) else None

        def gain(choice: str) -> float:
            if choice == _END:
                return WORTHWHILE
            start = sampled if reveals_hidden_cards(choice) else position
            return (
                0.0 if start is None else evaluator.value_after(start.copy(), read_choice(choice)) - current
            )

        return self._best(choices, gain)

    def _determinization(self, view: View, memory: Memory) -> Position | None:
        """A determinization to try effects with hidden cards on; None if no position is consistent with the view."""
        try:
            return determinize(view, memory, self._random)
        except Impossible:
            return None


def reveals_hidden_cards(choice: str) -> bool:
    """Whether an effect reveals cards that the bot has not seen: an Inquisition or a Breakthrough."""
    return ACTIONS[read_choice(choice)].kind in (ActionKind.INQUISITION, ActionKind.BREAKTHROUGH)


def pick(position: Position) -> int:
    """The heuristic policy's answer to the open question."""
    choose = domain_for_marker if position.question in (Question.EMBARGO, Question.DEMOCRACY) else pick_action
    return choose(position, legal(position))


class TableEvaluator:
    """Evaluates tables in the turn of one seat."""

    def __init__(self, position: Position, deck_backs: tuple[int, int, int]) -> None:
        self.weight = majority_weight(position)
        self.drawn_card = average_card(position, next((age for age in (1, 2, 3) if deck_backs[age - 1]), 3))

    def value(self, position: Position) -> float:
        """The value of the six Domains, of the cards to draw, and of a lead when the deck is empty."""
        value = sum([domain_value(position, domain, self.weight) for domain in range(DOMAINS)])
        missing = refill_level(position) - total(position.hands[position.seat])
        if missing > 0:
            value += self.drawn_card * min(missing, position.deck_size)
        if position.deck_size == 0 and majority_winners(position) >> side_of(position, position.seat) & 1:
            value += _LEADING_AT_THE_END
        return value

    def value_after(self, position: Position, action: int) -> float:
        """The value of the table after an effect, including its picks."""
        apply(position, action)
        while position.question not in (Question.EFFECTS, Question.OVER):
            apply(position, pick(position))
        return self.value(position)


def average_card(position: Position, age: int) -> float:
    """The mean value that a card from the deck adds to the hand, over the cards of an Age."""
    value = 0.0
    for domain in range(DOMAINS):
        own = position.areas[position.seat][domain] & COUNT
        held = position.hands[position.seat][domain] & COUNT
        needed = hegemony_threshold(position, position.seat, domain)
        more = progress(own, held + 1, needed) - progress(own, held, needed)
        value += NUMBER_OF_CARDS[domain][age - 1] * more
    return value / sum(cards[age - 1] for cards in NUMBER_OF_CARDS)
