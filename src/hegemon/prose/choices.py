"""The open question of a view and what each choice would do, as sentences."""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Final

from hegemon.notation.choices import read_choice
from hegemon.play.determinization import public_position
from hegemon.play.events import oldest_in
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.actions import ACTIONS, Action, ActionKind, Effect
from hegemon.rules.cards import COUNT, Domain, count, total
from hegemon.rules.effects.science import BREAKTHROUGH_CARDS
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import raised_hand_size, refill_level, threshold
from hegemon.rules.victory import hegemony, hegemony_threshold
from hegemon.rules.view import View

_BOARD_NUMBERS: Final[dict[int, dict[str, object]]] = {}

#: The text of a choice that names a Domain, by the question it answers.
_PICKS: Final = {
    Question.PLAY: "play",
    Question.PLAY_MORE: "play",
    Question.DISCARD_FROM_HAND: "discard-from-hand",
    Question.DISCARD_FROM_AREA: "discard-from-area",
    Question.TAKE_BACK: "take-back",
    Question.FETCH: "fetch",
    Question.GIVE: "give",
    Question.EMBARGO: "embargo-domain",
    Question.DEMOCRACY: "democracy-domain",
}


class ChoiceDescriber:
    """Describe the open question of a view and its choices to the viewer."""

    def __init__(self, view: View, names: Sequence[str], tr: Translator | None = None) -> None:
        self.tr = tr or get_translator("en")
        self.view = view
        self.names = names
        self.seat = view.viewer

    @cached_property
    def position(self) -> Position:
        """What the viewer sees, with the viewer to move in the draft."""
        position = public_position(self.view)
        position.deck_size = self.view.deck_size
        position.seat = self.view.viewer if self.view.question == Question.DRAFT else self.view.seat
        return position

    # ---------------------------------------------------------------- questions

    def question(self) -> str:
        """The open question, addressed to the viewer or about the player who chooses."""
        view = self.view
        to_move = view.owing or (view.seat,)
        names = self.tr.listing([self.names[seat] for seat in to_move])
        target, drafting = self.names[view.target], view.question == Question.DRAFT
        number = total(view.hand_piles) - 1 if drafting else view.left
        key = Question(view.question).name.lower()
        if self._marks_own_domain():
            key += ".self"
        if view.viewer not in to_move:
            return self.tr.questions_to_others[key].format(name=names, target=target, left=view.left)
        if drafting and number == 1:
            key = "draft-last"
        return self.tr.question(key, number, target=target)

    def _marks_own_domain(self) -> bool:
        """Whether an Embargo or a Democracy is about to be put on the player who chooses."""
        return (
            self.view.question in (Question.EMBARGO, Question.DEMOCRACY)
            and self.view.target == self.view.seat
        )

    # ---------------------------------------------------------------- choices

    def describe(self, choice: str) -> str:
        """What a choice would do."""
        key, facts = self.template(choice)
        if self._marks_own_domain():
            key += ".self"
        number = facts.pop("number", None)
        return self.tr.choice(key, number if isinstance(number, int) else None, **facts)

    def describe_with_target(self, choices: Sequence[str]) -> str:
        """What an effect would do, including the Domain that it is aimed at if that is a second choice."""
        choice, *target = choices
        if not target:
            return self.describe(choice)
        key, facts = self.template(choice)
        return self.tr.choice(f"{key}.at", other=facts["other"], domain=self._domain(read_choice(target[0])))

    def template(self, choice: str) -> tuple[str, dict[str, object]]:
        """The key of a choice's text and its values, for interfaces with their own texts."""
        match action := ACTIONS[read_choice(choice)]:
            case Action(kind=ActionKind.CARD):
                return self._pick(action.code)
            case Action(kind=ActionKind.DRAFT):
                key = "keep" if self.view.question == Question.DRAFT else "take-from-center"
                return key, {"card": self.tr.card(action.text)}
            case Action(kind=ActionKind.PERMANENT | ActionKind.COPY, effect=Effect() as effect):
                return self._permanent(effect, action.copied)
            case Action(kind=ActionKind.ATTACK, domain=Domain() as domain):
                return self._attack(domain)
            case Action(kind=ActionKind.BREAKTHROUGH, domain=Domain() as domain):
                key = "breakthrough" if self.view.deck_size else "breakthrough.empty"
                drawn = min(BREAKTHROUGH_CARDS, self.view.deck_size)
                return key, {"domain": self._domain(domain), "number": drawn}
            case Action(effect=Effect() as effect, distance=int() as distance):
                return self._aimed(effect, distance)
            case _:
                return self._end()

    def _domain(self, domain: int) -> str:
        return self.tr.domains[Domain(domain)]

    def _pick(self, domain: int) -> tuple[str, dict[str, object]]:
        position, seat = self.position, self.seat
        question = Question(self.view.question)
        key = _PICKS[question]
        marked = self.view.target if question in (Question.EMBARGO, Question.DEMOCRACY) else seat
        own = position.areas[marked][domain] & COUNT
        needed = hegemony_threshold(position, marked, domain)
        facts: dict[str, object] = {
            "domain": self._domain(domain),
            "target": self.names[self.view.target],
            "needed": needed,
            "count": own,
        }
        if marked != seat or question in (Question.EMBARGO, Question.DEMOCRACY):
            return key, facts
        place = {
            "discard-from-area": position.areas[seat],
            "take-back": position.areas[seat],
            "fetch": position.discard_piles,
        }.get(key, position.hands[seat])
        facts["card"] = self.tr.card(oldest_in(place, domain))
        if key == "play":
            facts["count"] = own + 1
            return ("play.wins" if own + 1 >= needed else "play"), facts
        facts["count"] = own - 1
        return key, facts

    def _permanent(self, effect: Effect, copied: bool) -> tuple[str, dict[str, object]]:
        key = effect.name.lower()
        facts: dict[str, object] = {"hand": raised_hand_size(effect.level)}
        if copied:
            facts["other"] = self.names[self._inspired_by(effect)]
            key += ".copied"
        return key, facts

    def _inspired_by(self, effect: Effect) -> int:
        """The player who would get the coin: the next one with the effect."""
        needed = threshold(self.position, effect.level)
        others = ((self.seat + distance) % self.view.players for distance in range(1, self.view.players))
        return next(other for other in others if count(self.position.areas[other][effect.domain]) >= needed)

    def _attack(self, domain: int) -> tuple[str, dict[str, object]]:
        hit = [
            self.names[seat]
            for seat in range(self.view.players)
            if seat != self.seat and self.position.areas[seat][domain]
        ]
        key = "attack.hit" if hit else "attack"
        if len(hit) == self.view.players - 1 > 1:
            key = "attack.hit.all"
        return key, {
            "domain": self._domain(domain),
            "others": self.tr.listing(hit),
            "losers": self.tr.listing([*hit, self.tr.you]),
            "number": len(hit),
        }

    def _aimed(self, effect: Effect, distance: int) -> tuple[str, dict[str, object]]:
        key, other = effect.name.lower(), (self.seat + distance) % self.view.players
        facts: dict[str, object] = {"other": self.names[other], "number": sum(self.view.backs[other])}
        return (key if distance else f"{key}.self"), facts

    def _end(self) -> tuple[str, dict[str, object]]:
        position = self.position
        won = hegemony(position, self.seat)
        missing = min(max(0, refill_level(position) - total(position.hands[self.seat])), self.view.deck_size)
        facts: dict[str, object] = {"number": missing, "domain": self._domain(max(won, 0))}
        if won >= 0:
            return "end.wins", facts
        return ("end" if missing else "end.none"), facts


# ------------------------------------------------------------------ explanations


def board_numbers(position: Position) -> dict[str, object]:
    """The numbers of the reference board at this table size."""
    if position.players not in _BOARD_NUMBERS:
        _BOARD_NUMBERS[position.players] = _compute_board_numbers(position)
    return _BOARD_NUMBERS[position.players]


def _compute_board_numbers(position: Position) -> dict[str, object]:
    return {
        "first": threshold(position, 1),
        "second": threshold(position, 2),
        "hand_first": raised_hand_size(1),
        "hand_second": raised_hand_size(2),
        "breakthrough": BREAKTHROUGH_CARDS,
    }


@cache
def _explained_effects(players: int, tr: Translator) -> dict[Effect, str]:
    numbers = _BOARD_NUMBERS[players]
    return {effect: text.format(**numbers) for effect, text in tr.explanations.items()}


def explained_effects(position: Position, tr: Translator) -> dict[Effect, str]:
    """What every effect does, at this table size."""
    board_numbers(position)
    return _explained_effects(position.players, tr)


def explain_effect(effect: Effect, position: Position, tr: Translator) -> str:
    return explained_effects(position, tr)[effect]
