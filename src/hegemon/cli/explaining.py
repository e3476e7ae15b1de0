"""Help at the table: the keys, the reference board, and what a word is about."""

from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hegemon.cli.answers import find_domain, find_effect, find_word
from hegemon.cli.drawing import Artist
from hegemon.cli.prose import BOARD, COMMANDS, DOMAINS_EXPLAINED, ENGLISH, EXPLAINING, HELP, domain_name
from hegemon.notation.choices import read_choice
from hegemon.play.legality import reason_against
from hegemon.prose import choices
from hegemon.prose.english import EFFECT_NAMES
from hegemon.rules.actions import DRAFT, END, PERMANENT
from hegemon.rules.cards import CULTURE, DOMAINS, Domain
from hegemon.rules.effects.board import Effect, domain_of_effect
from hegemon.rules.position import Position
from hegemon.rules.turn import HAND_SIZE
from hegemon.rules.victory import hegemony_threshold

DISCARD_EFFECTS: Final = (
    Effect.ATTACK,
    Effect.INQUISITION,
    Effect.EMBARGO,
    Effect.BREAKTHROUGH,
    Effect.DEMOCRACY,
)


class Explaining:
    """Explains the game to one seat, by the position it is in."""

    def __init__(self, artist: Artist, position: Position, seat: int) -> None:
        self.artist = artist
        self.position = position
        self.seat = seat

    def about(self, text: str) -> RenderableType:
        """What a word, an effect or a Domain is about, and whether it is possible now."""
        word, effect, domain = find_word(text), find_effect(text), find_domain(text)
        if word is not None:
            return self.with_verdict(explain_word(word, self.position), read_choice(word))
        if effect is not None:
            explanation = explain_effect(effect, self.position)
            # A discard effect has several words, by what it is aimed at; only a permanent one has a verdict as such.
            permanent = effect < Effect.ATTACK
            return self.with_verdict(explanation, PERMANENT + effect if permanent else None)
        if domain is not None:
            return self.artist.sentence(explain_domain(domain, self.position))
        return Text(EXPLAINING["unknown"].format(text=text[:40]))

    def with_verdict(self, explanation: str, word: int | None) -> RenderableType:
        """An explanation, and whether the word may be chosen now."""
        sentence = self.artist.sentence(explanation)
        if word is None:
            return sentence
        reason = reason_against(self.position, self.seat, word)
        verdict = EXPLAINING["open"] if reason is None else EXPLAINING["closed"].format(reason=reason)
        return Group(sentence, Text(verdict, style="quiet"))

    def help(self) -> RenderableType:
        """How to play at this table."""
        needed = hegemony_threshold(self.position, self.seat, 0)
        facts = {"needed": needed, "hand": HAND_SIZE, "star": self.artist.signs.star}
        lines = [Text.from_markup(paragraph.format(**facts)) for paragraph in HELP]
        commands = Table.grid(padding=(0, 2, 0, 1))
        for key, what in COMMANDS.items():
            commands.add_row(Text(key, style="word"), what)
        return Group(*lines, commands, self.board())

    def board(self) -> RenderableType:
        """The reference board, with the numbers of this table."""
        board = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        board.add_column(BOARD["domain"])
        for key in ("first", "second", "discard"):
            board.add_column(BOARD[key].format(**choices.board_numbers(self.position)))
        permanent = [effect for effect in Effect if effect < Effect.ATTACK]
        discard = dict(zip(map(domain_of_effect, permanent[::2]), DISCARD_EFFECTS, strict=True))
        for domain in range(DOMAINS):
            name = self.artist.domain(domain).append(f" {domain_name(domain)}")
            effects = [EFFECT_NAMES[effect] for effect in permanent if domain_of_effect(effect) == domain]
            if domain == CULTURE:
                board.add_row(name, BOARD["inspiration"], "", BOARD["no discard effect"])
            else:
                board.add_row(name, *effects, EFFECT_NAMES[discard[domain]])
        return board


def explain_effect(effect: Effect, position: Position) -> str:
    """What an effect is about."""
    explanation = choices.explain_effect(effect, position, ENGLISH)
    return EXPLAINING["effect"].format(effect=EFFECT_NAMES[effect], explanation=explanation)


def explain_domain(domain: int, position: Position) -> str:
    """What a Domain is about."""
    return DOMAINS_EXPLAINED[Domain(domain)].format(**choices.board_numbers(position))


def explain_word(word: str, position: Position) -> str:
    """What a word is about, whether or not it may be chosen."""
    number = read_choice(word)
    if number == END:
        return EXPLAINING["end"]
    if number < DRAFT:
        return explain_domain(number, position)
    if number < PERMANENT:
        return EXPLAINING["draft"]
    return explain_effect(choices.effect_of_action(number), position)
