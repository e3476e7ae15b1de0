"""What a question asks, what each answer would do now, and what a word is about at any time."""

from collections.abc import Sequence
from typing import Final

from hegemon.notation.choices import read_choice
from hegemon.play.events import name_of, oldest_in
from hegemon.play.imagine import public_position
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.actions import (
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
from hegemon.rules.cards import COUNT, Domain, count, total
from hegemon.rules.effects.board import Effect, domain_of_effect, level_of
from hegemon.rules.effects.science import BREAKTHROUGH_CARDS
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import raised_hand_size, refill_level, threshold
from hegemon.rules.victory import hegemony, hegemony_threshold
from hegemon.rules.view import View

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

    def __init__(self, view: View, names: Sequence[str], language: Translator | None = None) -> None:
        self.tr = language or get_translator("en")
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
        table = self.tr.questions if mine else self.tr.questions_to_others
        choosing = [self.names[seat] for seat in view.owing or (view.seat,)]
        facts = {
            "name": self.tr.listing(choosing),
            "target": self.names[view.target],
            "left": view.left,
        }
        return table[asked].format(**facts)

    # ---------------------------------------------------------------- answers

    def meaning(self, word: str) -> str:
        """What an answer to the open question would do."""
        key, facts = self.sense(word)
        number = facts.pop("number", None)
        return self.tr.meaning(key, number if isinstance(number, int) else None, **facts)

    def sense(self, word: str) -> tuple[str, dict[str, object]]:
        """The key of an answer's meaning, with what varies in it: what a reader with words of its own needs."""
        return self._sense(read_choice(word))

    def _sense(self, word: int) -> tuple[str, dict[str, object]]:
        if word < DRAFT:
            return self._pick(word)
        if word < PERMANENT:
            key = "keep" if self.view.question == Question.DRAFT else "take-from-center"
            return key, {"card": self.tr.card(name_of(drafted_kind(word)))}
        if word < ATTACK:
            return self._permanent(word)
        if word < INQUISITION:
            return self._attack(word - ATTACK)
        if word < BREAKTHROUGH:
            return self._aimed(word)
        if word < END:
            key = "breakthrough" if self.view.deck_size else "breakthrough.empty"
            drawn = min(BREAKTHROUGH_CARDS, self.view.deck_size)
            return key, {"domain": self._domain(domain_of_slot(word - BREAKTHROUGH)), "number": drawn}
        return self._end()

    def _domain(self, domain: int) -> str:
        return self.tr.domains[Domain(domain)]

    def _pick(self, domain: int) -> tuple[str, dict[str, object]]:
        table, seat = self.table, self.seat
        question = Question(self.view.question)
        key = _PICKS[question]
        marked = self.view.target if question in (Question.EMBARGO, Question.DEMOCRACY) else seat
        own = table.areas[marked][domain] & COUNT
        needed = hegemony_threshold(table, marked, domain)
        facts: dict[str, object] = {
            "domain": self._domain(domain),
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
        facts["card"] = self.tr.card(oldest_in(place, domain))
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
        key = "attack.hit" if hit else "attack"
        if len(hit) == self.view.players - 1 > 1:
            key = "attack.hit.all"
        return key, {
            "domain": self._domain(domain),
            "others": self.tr.listing(hit),
            "everybody": self.tr.listing([*hit, self.tr.you]),
            "number": len(hit),
        }

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
        return key, facts

    def _end(self) -> tuple[str, dict[str, object]]:
        table = self.table
        won = hegemony(table, self.seat)
        missing = min(max(0, refill_level(table) - total(table.hands[self.seat])), self.view.deck_size)
        facts: dict[str, object] = {"number": missing, "domain": self._domain(max(won, 0))}
        if won >= 0:
            return "end.wins", facts
        return ("end" if missing else "end.none"), facts


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


def explain_effect(effect: Effect, position: Position, language: Translator) -> str:
    """What an effect is about."""
    return language.explanations[effect].format(**facts_of_board(position))


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
