"""Random games of every kind, for the invariants: every table, variant and preset in turn, with random switches."""

from collections.abc import Callable, Iterator
from itertools import combinations, product
from random import Random

from hegemon.notation.rulings import write_rulings
from hegemon.play.game import Game
from hegemon.rules.cards import LETTERS, count
from hegemon.rules.position import Position, Question
from hegemon.rules.rulings import PRESETS, SWITCHES

#: Players and teams.
TABLES = ((2, False), (3, False), (4, False), (4, True))
SETTINGS = tuple(product(("basic", "draft"), TABLES, PRESETS))


def new_game(number: int) -> Game:
    """The game with this number, dealt: settings in turn, every second game with random switches."""
    variant, (players, teams), rulings = SETTINGS[number // 2 % len(SETTINGS)]
    if number % 2:
        rulings = write_rulings(Random(number).randrange(1 << len(SWITCHES)))
    return Game(players, variant, teams=teams, rulings=rulings, seed=number)


def seat_to_move(game: Game, chance: Random) -> int:
    """A seat that may choose now: in the draft, any that owes a pick."""
    owing = game.view(-1).owing if game.position.question == Question.DRAFT else ()
    return chance.choice(owing) if owing else game.seat


def random_choice(game: Game, seat: int, chance: Random, calm: bool) -> str:
    """A random choice. Calm players apply few effects and pile up one Domain, so that games end by Hegemony too."""
    choices = game.choices_of(seat)
    if calm and "." in choices and chance.random() < 0.7:
        return "."
    if calm and game.position.question == Question.PLAY and chance.random() < 0.8:
        area = game.position.areas[seat]
        return max(choices, key=lambda letter: count(area[LETTERS.index(letter)]))
    return chance.choice(choices)


def random_set(game: Game, chance: Random) -> str:
    """A random set of the cards that the seat to move has to choose, as one choice in any order."""
    other, number = game.copy(), game.position.left
    for _ in range(number):
        other.play(chance.choice(other.choices))
    letters = [*other.moves[-number:]]
    chance.shuffle(letters)
    return ",".join(letters)


def play_by_chance(game: Game, chance: Random) -> Iterator[tuple[int, str]]:
    """Play a game to its end at random; yield each move once it has been played."""
    calm = chance.random() < 0.3
    while not game.over:
        seat = seat_to_move(game, chance)
        choice = random_choice(game, seat, chance, calm)
        game.play(choice, seat)
        yield seat, choice


def played(number: int) -> Game:
    """The game with this number, played at random to its end."""
    game = new_game(number)
    for _ in play_by_chance(game, Random(number)):
        pass
    return game


#: Games in which each question that asks for cards asks for several of them.
GAMES_WITH_SETS = {
    Question.DISCARD_FROM_HAND: 0,
    Question.GIVE: 0,
    Question.PLAY_MORE: 4,
    Question.DISCARD_FROM_AREA: 49,
    Question.TAKE_BACK: 4,
    Question.FETCH: 57,
}


def asking_for_cards(question: Question, wanted: Callable[[Game], bool] = lambda game: True) -> Game:
    """A random game at a moment at which this question asks for several cards."""
    number = GAMES_WITH_SETS[question]
    game = new_game(number)
    for _ in play_by_chance(game, Random(number)):
        if game.position.question == question and game.position.left > 1 and wanted(game):
            return game
    raise LookupError(question)


def transitions(number: int) -> Iterator[tuple[Position, str, Position]]:
    """Every move of the game with this number, with the positions before and after it."""
    game = new_game(number)
    before = game.position
    for _, choice in play_by_chance(game, Random(number)):
        after = game.position
        yield before, choice, after
        before = after


def some_set(game):
    """A set with its cards in the reverse of the engine's order."""
    selection = game.selection()
    for cards in combinations(map(str, reversed([*selection.cards])), selection.number):
        if cards[0][0] != cards[-1][0] and can_be_chosen(game, cards):
            return list(cards)
    raise LookupError(selection)


def can_be_chosen(game, cards):
    try:
        return bool(game.actions_of(cards))
    except ValueError:
        return False
