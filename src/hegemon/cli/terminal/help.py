"""Help during a game: the keys, the reference board, and explanations of choices, effects and Domains."""

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hegemon.cli.prose import BOARD, DOMAINS_EXPLAINED, EXPLAINING, KEYS, OVERVIEW, domain_name, translator
from hegemon.cli.terminal.prompt import find_choice, find_domain, find_effect
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.notation.choices import read_choice
from hegemon.play.legality import reason_against
from hegemon.prose import choices
from hegemon.rules.actions import ACTIONS, DISCARD_EFFECTS, FIRST_PERMANENT, PERMANENT_EFFECTS, Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import Position
from hegemon.rules.turn import HAND_SIZE
from hegemon.rules.victory import hegemony_threshold


class Help:
    """Explains the game to one seat in its position."""

    def __init__(self, renderer: TerminalRenderer, position: Position, seat: int) -> None:
        self.renderer = renderer
        self.position = position
        self.seat = seat

    def about(self, text: str) -> RenderableType:
        """An explanation of a choice, an effect or a Domain, and whether it is legal now."""
        choice, effect, domain = find_choice(text), find_effect(text), find_domain(text)
        if choice is not None:
            return self.with_verdict(explain_choice(choice, self.position), read_choice(choice))
        if effect is not None:
            explanation = explain_effect(effect, self.position)
            # A discard effect has a choice for each target, so only the legality of a permanent one is shown.
            return self.with_verdict(explanation, FIRST_PERMANENT + effect if effect.level else None)
        if domain is not None:
            return self.renderer.sentence(explain_domain(domain, self.position))
        return Text(EXPLAINING["unknown"].format(text=text[:40]))

    def with_verdict(self, explanation: str, action: int | None) -> RenderableType:
        sentence = self.renderer.sentence(explanation)
        if action is None:
            return sentence
        reason = reason_against(self.position, self.seat, action)
        verdict = EXPLAINING["open"]
        if reason is not None:
            verdict = EXPLAINING["closed"].format(reason=translator().reason(reason))
        return Group(sentence, Text(verdict, style="quiet"))

    def overview(self) -> RenderableType:
        needed = hegemony_threshold(self.position, self.seat, 0)
        values = {"needed": needed, "hand": HAND_SIZE, "star": self.renderer.signs.star}
        paragraphs = [OVERVIEW[key] for key in OVERVIEW]
        lines = [Text.from_markup(paragraph.format(**values)) for paragraph in paragraphs]
        commands = Table.grid(padding=(0, 2, 0, 1))
        commands.add_row(Text(f"? {KEYS['choice']}", style="choice"), KEYS["explain"])
        for key in ("u", "d", "log", "table", "q"):
            commands.add_row(Text(key, style="choice"), KEYS[key])
        return Group(*lines, commands, self.board())

    def board(self) -> RenderableType:
        """The reference board, with the numbers for this number of players."""
        board = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        board.add_column(BOARD["domain"])
        for key in ("first", "second", "discard"):
            board.add_column(BOARD[key].format(**choices.board_numbers(self.position)))
        names = translator().effects
        discard = {effect.domain: names[effect] for effect in DISCARD_EFFECTS}
        for domain in Domain:
            heading = self.renderer.domain(domain).append(f" {domain_name(domain)}")
            effects = [names[effect] for effect in PERMANENT_EFFECTS if effect.domain is domain]
            if domain is Domain.CULTURE:
                board.add_row(heading, BOARD["inspiration"], "", "–")
            else:
                board.add_row(heading, *effects, discard[domain])
        return board


def explain_effect(effect: Effect, position: Position) -> str:
    tr = translator()
    explanation = choices.explain_effect(effect, position, tr)
    return EXPLAINING["effect"].format(effect=tr.effects[effect], explanation=explanation)


def explain_domain(domain: int, position: Position) -> str:
    return DOMAINS_EXPLAINED[Domain(domain).name.lower()].format(**choices.board_numbers(position))


def explain_choice(choice: str, position: Position) -> str:
    action = ACTIONS[read_choice(choice)]
    if action.effect is not None:
        return explain_effect(action.effect, position)
    if action.domain is None:
        return EXPLAINING["end"]
    return EXPLAINING["draft"] if action.age else explain_domain(action.domain, position)
