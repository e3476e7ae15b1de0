"""What a question asks, what each answer would do now, and what a word is about at any time."""

from collections.abc import Sequence
from typing import Final

from hegemon.cli.prose import (
    DOMAINS_EXPLAINED,
    EFFECT_NAMES,
    EXPLAINING,
    EXPLANATIONS,
    MEANINGS,
    QUESTIONS,
    QUESTIONS_TO_OTHERS,
    SHORT_MEANINGS,
    YOU,
    card_name,
    domain_name,
    listing,
)
from hegemon.notation.words import read_word
from hegemon.play.events import name_of, oldest_in
from hegemon.play.imagine import public_position
from hegemon.rules.cards import COUNT, Domain, count, total
from hegemon.rules.effects.board import Effect, domain_of_effect, level_of
from hegemon.rules.effects.science import BREAKTHROUGH_CARDS
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import raised_hand_size, refill_level, threshold
from hegemon.rules.victory import hegemony, hegemony_threshold
from hegemon.rules.view import View
from hegemon.rules.words import (
    ATTACK,
    BREAKTHROUGH,
    COPY,
    DEMOCRACY,
    DRAFT,
    EMBARGO,
    END,
    INQUISITION,
    PERMANENT,
    domain_of_slot,
    drafted_kind,
)

#: The meaning of a Domain word, by the question it answers.
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


class Meanings:
    """What the open question of a view means to its viewer, with the names of the players."""

    def __init__(self, view: View, names: Sequence[str]) -> None:
        self.view = view
        self.names = names
        self.table = public_position(view)
        self.table.deck_size = view.deck_size
        self.seat = view.viewer
        self.table.seat = view.viewer if view.question == Question.DRAFT else view.seat

    # ---------------------------------------------------------------- questions

    def question(self) -> str:
        """The open question, as it is put to the viewer or told of somebody else."""
        view = self.view
        asked = Question(view.question)
        mine = view.viewer in view.owing or view.viewer == view.seat
        table = QUESTIONS if mine else QUESTIONS_TO_OTHERS
        facts = {"name": self.names[view.seat], "target": self.names[view.target], "left": view.left}
        return table[asked].format(**facts)

    # ---------------------------------------------------------------- answers

    def meaning(self, word: str, *, short: bool = False) -> str:
        """What an answer to the open question would do."""
        key, facts = self._meaning(read_word(word))
        return (SHORT_MEANINGS if short else MEANINGS)[key].format(**facts)

    def _meaning(self, word: int) -> tuple[str, dict[str, object]]:
        if word < DRAFT:
            return self._pick(word)
        if word < PERMANENT:
            key = "keep" if self.view.question == Question.DRAFT else "take-from-centre"
            return key, {"card": card_name(name_of(drafted_kind(word)))}
        if word < ATTACK:
            return self._permanent(word)
        if word < INQUISITION:
            return self._attack(word - ATTACK)
        if word < BREAKTHROUGH:
            return self._aimed(word)
        if word < END:
            key = "breakthrough" if self.view.deck_size else "breakthrough.empty"
            drawn = min(BREAKTHROUGH_CARDS, self.view.deck_size)
            return key, {"domain": domain_name(domain_of_slot(word - BREAKTHROUGH)), "number": drawn}
        return self._end()

    def _pick(self, domain: int) -> tuple[str, dict[str, object]]:
        table, seat = self.table, self.seat
        question = Question(self.view.question)
        key = _PICKS[question]
        marked = self.view.target if question in (Question.EMBARGO, Question.DEMOCRACY) else seat
        own = table.areas[marked][domain] & COUNT
        needed = hegemony_threshold(table, marked, domain)
        facts: dict[str, object] = {
            "domain": domain_name(domain),
            "target": self.names[self.view.target],
            "needed": needed,
            "count": own,
        }
        if marked != seat or question in (Question.EMBARGO, Question.DEMOCRACY):
            return key, facts
        place = {
            "discard-from-area": table.areas[seat],
            "take-back": table.areas[seat],
            "fetch": table.discard_pile,
        }.get(key, table.hands[seat])
        facts["card"] = card_name(oldest_in(place, domain))
        if key == "play":
            facts["count"] = own + 1
            return ("play.wins" if own + 1 >= needed else "play"), facts
        facts["count"] = own - 1
        return key, facts

    def _permanent(self, word: int) -> tuple[str, dict[str, object]]:
        effect = Effect(word - (COPY if word >= COPY else PERMANENT))
        key = effect.name.lower()
        facts: dict[str, object] = {"hand": raised_hand_size(level_of(effect))}
        if word >= COPY:
            facts["other"] = self.names[self._inspired_by(effect)]
            key += ".copied"
        return key, facts

    def _inspired_by(self, effect: int) -> int:
        """The player that the coin would go to: the next one who has the effect."""
        needed, domain = threshold(self.table, level_of(effect)), domain_of_effect(effect)
        others = ((self.seat + distance) % self.view.players for distance in range(1, self.view.players))
        return next(other for other in others if count(self.table.areas[other][domain]) >= needed)

    def _attack(self, domain: int) -> tuple[str, dict[str, object]]:
        hit = [
            self.names[seat]
            for seat in range(self.view.players)
            if seat != self.seat and self.table.areas[seat][domain]
        ]
        key = "attack.hit.one" if len(hit) == 1 else "attack.hit" if hit else "attack"
        if len(hit) == self.view.players - 1 > 1:
            key = "attack.hit.all"
        facts: dict[str, object] = {
            "others": listing(hit),
            "everybody": listing([*hit, YOU]),
            "number": len(hit),
        }
        return key, {"domain": domain_name(domain), **facts}

    def _aimed(self, word: int) -> tuple[str, dict[str, object]]:
        if word >= DEMOCRACY:
            key, distance = "democracy", word - DEMOCRACY
        elif word >= EMBARGO:
            key, distance = "embargo", word - EMBARGO
        else:
            key, distance = "inquisition", word - INQUISITION + 1
        other = (self.seat + distance) % self.view.players
        cards = sum(self.view.backs[other])
        facts: dict[str, object] = {"other": self.names[other], "number": cards}
        if distance == 0:
            key += ".self"
        elif key == "inquisition" and cards == 1:
            key += ".one"
        return key, facts

    def _end(self) -> tuple[str, dict[str, object]]:
        table = self.table
        won = hegemony(table, self.seat)
        missing = min(max(0, refill_level(table) - total(table.hands[self.seat])), self.view.deck_size)
        facts: dict[str, object] = {"number": missing, "domain": domain_name(max(won, 0))}
        if won >= 0:
            return "end.wins", facts
        return ("end.none" if missing == 0 else "end.one" if missing == 1 else "end"), facts


# ------------------------------------------------------------------ explanations


def facts_of_board(position: Position) -> dict[str, object]:
    """The numbers of the reference board at this table."""
    return {
        "first": threshold(position, 1),
        "second": threshold(position, 2),
        "hand_first": raised_hand_size(1),
        "hand_second": raised_hand_size(2),
        "breakthrough": BREAKTHROUGH_CARDS,
    }


def explain_effect(effect: Effect, position: Position) -> str:
    """What an effect is about."""
    explanation = EXPLANATIONS[effect].format(**facts_of_board(position))
    return EXPLAINING["effect"].format(effect=EFFECT_NAMES[effect], explanation=explanation)


def explain_domain(domain: int, position: Position) -> str:
    """What a Domain is about."""
    return DOMAINS_EXPLAINED[Domain(domain)].format(**facts_of_board(position))


def explain_word(word: str, position: Position) -> str:
    """What a word is about, whether or not it may be chosen."""
    number = read_word(word)
    if number == END:
        return EXPLAINING["end"]
    if number < DRAFT:
        return explain_domain(number, position)
    if number < PERMANENT:
        return EXPLAINING["draft"]
    return explain_effect(effect_of_word(number), position)


def effect_of_word(number: int) -> Effect:
    """The effect that a word begins."""
    for first, effect in (
        (BREAKTHROUGH, Effect.BREAKTHROUGH),
        (DEMOCRACY, Effect.DEMOCRACY),
        (EMBARGO, Effect.EMBARGO),
        (INQUISITION, Effect.INQUISITION),
        (ATTACK, Effect.ATTACK),
    ):
        if number >= first:
            return effect
    return Effect(number - (COPY if number >= COPY else PERMANENT))
