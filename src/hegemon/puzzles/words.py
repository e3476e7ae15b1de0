"""Puzzles in words: the solution step by step, why it works, and what is wrong with another choice."""

from hegemon.play.events import GameEnded
from hegemon.play.game import Game
from hegemon.play.solver import TurnTooLarge
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import Translator
from hegemon.puzzles.collection import DEFENSE, DRAFT, HEGEMONY, MAJORITY, Puzzle
from hegemon.puzzles.tasks import ends_of_turn, threat_after
from hegemon.rules.actions import Effect
from hegemon.rules.cards import DOMAINS, Domain, count
from hegemon.rules.position import Position, Question
from hegemon.rules.victory import hegemony_threshold, winners


def names_at(puzzle: Puzzle, tr: Translator, own: str = "") -> list[str]:
    """The names by seat: `own` or a person's name for the seat to move, and bot names for the others."""
    names = [tr.bot_name(seat) for seat in range(puzzle.players)]
    names[puzzle.seat] = own or tr.person_name(puzzle.seat)
    return names


def theme_name(theme: str, tr: Translator) -> str:
    if theme.upper() in Effect.__members__:
        return tr.effects[Effect[theme.upper()]]
    return tr.learning[f"puzzle.theme.{theme}"]


def task(puzzle: Puzzle, tr: Translator, *, going: bool = False) -> str:
    """The task, at the start or, if `going`, during the turn; a draft puzzle has only the former."""
    return tr.learning[f"puzzle.page.{'going' if going else 'task'}{_suffix(puzzle)}"]


def lost(puzzle: Puzzle, tr: Translator) -> str:
    return tr.learning[f"puzzle.page.lost{_suffix(puzzle)}"]


def _suffix(puzzle: Puzzle) -> str:
    return f"-{puzzle.kind}" if puzzle.kind in (DEFENSE, DRAFT) else ""


def solution_steps(puzzle: Puzzle, tr: Translator) -> list[str]:
    """The choices of the solution as text."""
    game, sentences = puzzle.game(names_at(puzzle, tr)), []
    for choice in puzzle.solution:
        sentences.append(ChoiceDescriber(game.view(puzzle.seat), game.names, tr).describe(choice))
        game.play(choice)
    return sentences


def explanation(puzzle: Puzzle, tr: Translator) -> str:
    """Why the solution works."""
    if puzzle.why:
        return tr.learning[f"puzzle.{puzzle.why}"]
    if puzzle.kind == DRAFT:
        best, *others = puzzle.shares
        words = [
            tr.learning["puzzle.why.other"].format(card=tr.card(pick), percent=percent(puzzle, pick))
            for pick in others
        ]
        return tr.learning["puzzle.why.draft"].format(percent=percent(puzzle, best), others=", ".join(words))
    keys = [f"why.{effect.name.lower()}" for effect in dict.fromkeys(puzzle.effects)]
    if puzzle.kind == DEFENSE:
        keys.append("page.held")
    elif puzzle.kind == MAJORITY:
        keys.append("why.out" if puzzle.start.deck_size else "why.last")
    sentences = [tr.learning[f"puzzle.{key}"] for key in keys]
    if puzzle.kind == HEGEMONY:
        sentences.append(ending(puzzle, puzzle.game(names_at(puzzle, tr), puzzle.solution), tr))
    return " ".join(sentences)


def percent(puzzle: Puzzle, pick: str) -> int:
    """The expected share of the win after a pick, by a long search, in percent."""
    return round(100 * puzzle.shares[pick])


def ending(puzzle: Puzzle, game: Game, tr: Translator) -> str:
    """The outcome of a solved puzzle."""
    if puzzle.kind == DRAFT:
        return tr.learning["puzzle.page.picked"]
    if game.result is None:
        return tr.learning["puzzle.page.held"]
    return Narrator(game.names, puzzle.seat, teams=bool(puzzle.start.teams), tr=tr).ending(
        GameEnded(game.result)
    )


def refutation(puzzle: Puzzle, game: Game, tr: Translator) -> str:
    """Why the goal cannot be reached any more in a game; empty if there is no short reason."""
    words = tr.learning
    if puzzle.kind == DRAFT:
        return words["puzzle.wrong.draft"].format(
            percent=percent(puzzle, game.moves[0]), best=percent(puzzle, puzzle.solution[0])
        )
    try:
        ends = list(ends_of_turn(game.view(puzzle.seat))) if puzzle.is_in_progress(game) else [game.position]
    except TurnTooLarge:
        return ""
    if puzzle.kind == DEFENSE:
        start = puzzle.game().view(puzzle.seat)
        threat = next(filter(None, (threat_after(start, end) for end in ends)), None)
        if threat is None:
            return ""
        return words["puzzle.wrong.defense"].format(
            name=game.names[threat.seat], domain=tr.domains[Domain(threat.domain)]
        )
    if puzzle.kind == HEGEMONY:
        missing, domain, cards = min(_nearest(end, puzzle.seat) for end in ends)
        return words["puzzle.wrong.hegemony"].format(
            count=cards, needed=cards + missing, domain=tr.domains[Domain(domain)]
        )
    over = [end for end in ends if end.question == Question.OVER]
    if not over:
        return words["puzzle.wrong.open"]
    ahead = [game.names[seat] for seat in range(puzzle.players) if winners(over[0]) >> seat & 1]
    return words["puzzle.wrong.behind"].format(names=tr.listing(ahead))


def _nearest(end: Position, seat: int) -> tuple[int, int, int]:
    """The fewest cards missing for Hegemony, in which Domain, and the number of cards there."""
    counts = [count(pile) for pile in end.areas[seat]]
    return min(
        (hegemony_threshold(end, seat, domain) - counts[domain], domain, counts[domain])
        for domain in range(DOMAINS)
    )
