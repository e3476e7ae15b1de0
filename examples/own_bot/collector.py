"""A bot in twenty lines that collects its largest Domain and never attacks."""

from random import Random

from hegemon import Domain, Memory, Question, View

DOMAIN_OF = {domain.letter: domain for domain in Domain}
GIVING_UP = (Question.DISCARD_FROM_HAND, Question.DISCARD_FROM_AREA, Question.TAKE_BACK, Question.GIVE)


class Collector:
    """A `Player`: it receives what its seat may know and the legal choices, and returns one of them."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        if view.question == Question.EFFECTS:
            return next((choice for choice in ("R++", "R+") if choice in choices), ".")
        area = view.area(view.viewer)
        cards = {choice: area.count(DOMAIN_OF[choice[0]]) for choice in choices}
        wanted = min(cards.values()) if view.question in GIVING_UP else max(cards.values())
        return self._random.choice([choice for choice in choices if cards[choice] == wanted])
