"""A bot of one's own in twenty lines: it collects the Domain of which it has most, and harms nobody."""

from random import Random

from hegemon import Domain, Memory, Question, View
from hegemon.rules.cards import count

DOMAIN_OF = {domain.letter: domain for domain in Domain}
GIVING_UP = (Question.DISCARD_FROM_HAND, Question.DISCARD_FROM_AREA, Question.TAKE_BACK, Question.GIVE)


class Collector:
    """A `Player`: it is handed what its seat may know and the words on offer, and says one of them."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = Random(seed)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        """A card of its largest column, or the one it needs least; of the effects, more cards to draw."""
        if view.question == Question.EFFECTS:
            return next((word for word in ("R++", "R+") if word in choices), ".")
        cards = {word: count(view.areas[view.viewer][DOMAIN_OF[word[0]]]) for word in choices}
        wanted = min(cards.values()) if view.question in GIVING_UP else max(cards.values())
        return self._chance.choice([word for word in choices if cards[word] == wanted])
