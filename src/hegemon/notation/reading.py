"""Reading the lines that `writing` writes; a NotationError says what is wrong with a line and where.

Fields at the end of a line may be left out, and the cards of one place may stand in any order.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from hegemon.notation.cards import (
    MOST_OF_A_DOMAIN,
    MOST_OF_AN_AGE,
    TOO_MANY,
    add_card,
    read_cards,
    read_kind,
    read_piles,
)
from hegemon.notation.errors import NotationError, Scanner
from hegemon.notation.rulings import read_rulings
from hegemon.notation.writing import ENDINGS, MARKERS, PICKS, STEPS
from hegemon.rules.cards import (
    ALL_CARDS,
    CULTURE,
    DOMAINS,
    ECONOMY,
    LETTERS,
    UTOPIA,
    Domain,
    age_of,
    count,
    count_of_age,
    domain_of,
    kind_of,
    total,
)
from hegemon.rules.choices import legal
from hegemon.rules.position import MOST_PLAYERS, Position, Question
from hegemon.rules.rulings import PASSIVE_RELIGION, SHOW_BACKS, STANDARD
from hegemon.rules.setup import DRAFT_PICKS
from hegemon.rules.turn import raised_hand_size
from hegemon.rules.view import SPECTATOR, Backs, View, ages
from hegemon.rules.view import view as look

Cards = TypeVar("Cards")

_POSITION_FIELDS: Final = ("table", "turn", "used", "asked", "coin", "deck", "discard pile", "round", "rules")
_VIEW_FIELDS: Final = (*_POSITION_FIELDS, "viewer")
_DISCARD_LETTERS: Final = "mresu"
_THEN_PLAY: Final = (Question.DISCARD_FROM_AREA, Question.TAKE_BACK)


def read_position(text: str) -> Position:
    """The position that a line describes."""
    table, turn, used, asked, coin, deck, pile, round_, rules = split_fields(text, _POSITION_FIELDS)
    position = Position()
    hands, kept = read_table(table, position, read_piles)
    position.hands[: len(hands)] = hands
    position.kept[: len(kept)] = kept
    # The rules come last in the line, but what the other fields may say depends on them.
    read_rules(rules, position)
    read_turn(turn, position, [total(piles) for piles in kept])
    read_used(used, position)
    read_asked(asked, position)
    read_coin(coin, position)
    read_deck_field(deck, position)
    read_discard_pile(pile, position)
    read_round(round_, position)
    expect_countable(text, position)
    expect_answer(turn, position)
    return position


def read_view(text: str) -> View:
    """The view that a line describes."""
    table, turn, used, asked, coin, deck, pile, round_, rules, viewer = split_fields(text, _VIEW_FIELDS)
    public = Position()
    hands, kept = read_table(table, public, read_place)
    read_rules(rules, public)
    numbers = [sum(ages(cards) if isinstance(cards, list) else cards) for cards in kept]
    read_turn(turn, public, numbers)
    read_used(used, public)
    read_asked(asked, public)
    read_coin(coin, public)
    read_discard_pile(pile, public)
    read_round(round_, public)
    expect_countable(text, public)
    view = look(public, SPECTATOR)
    view.viewer = read_viewer(viewer, public.players)
    view.deck_backs = read_deck_backs(deck)
    view.floor = public.floor
    if public.question == Question.DRAFT:
        view.owing = tuple(seat for seat, cards in enumerate(numbers) if cards == min(numbers))
    view.backs = [seen_from_outside(table, public, cards) for cards in hands]
    view.kept_backs = [seen_from_outside(table, public, cards) for cards in kept]
    for seat, (hand, kept_cards) in enumerate(zip(hands, kept, strict=True)):
        own = seat == view.viewer
        for cards in (hand, kept_cards):
            if isinstance(cards, list) != own and cards != (0, 0, 0):
                problem = f"only the viewer's own cards are seen, and those of seat {seat + 1} are " + (
                    "hidden" if own else "open"
                )
                raise table.error(problem, 0)
        if own:
            view.hand = hand if isinstance(hand, list) else [0] * DOMAINS
            view.kept = kept_cards if isinstance(kept_cards, list) else [0] * DOMAINS
    return view


def split_fields(text: str, names: tuple[str, ...]) -> list[Scanner]:
    """A scanner for each field of a line; one that stands at its end for a field that is left out."""
    fields = []
    start = 0
    for name in names:
        end = text.find(" ", start)
        end = len(text) if end < 0 else end
        fields.append(Scanner(name, text, start, end))
        start = min(end + 1, len(text))
    if start < len(text):
        raise NotationError("line", text, start, f"expected at most {len(names)} fields")
    return fields


def left_out(field: Scanner) -> bool:
    """Whether a field is empty: left out at the end of the line, or a dash."""
    if field.peek() == "-":
        field.take("-", "a dash")
        field.finish("nothing after the dash")
        return True
    return not field.peek()


def read_seat(field: Scanner, players: int) -> int:
    """A seat by its number."""
    number = field.take("1234", f"a seat from 1 to {players}")
    if int(number) > players:
        raise field.error(f"expected a seat from 1 to {players}, found {number}", field.place - 1)
    return int(number) - 1


def read_table(
    field: Scanner, position: Position, read_cards_of: Callable[[Scanner], Cards]
) -> tuple[list[Cards], list[Cards]]:
    """Every seat's area and the centre go into the position; the hands and the kept cards are handed back."""
    hands: list[Cards] = []
    kept: list[Cards] = []
    while True:
        if len(hands) == MOST_PLAYERS:
            raise field.error(f"expected at most {MOST_PLAYERS} seats")
        read_area(field, position, len(hands))
        field.take("(", 'a card, or the hand in brackets "("')
        hands.append(read_cards_of(field))
        field.take(")", 'a card, or ")" at the end of the hand')
        bracket = field.skip("[")
        kept.append(read_cards_of(Scanner("table", "") if not bracket else field))
        if bracket:
            field.take("]", 'a card, or "]" at the end of the kept cards')
        if not field.skip("/"):
            break
    if field.skip("|"):
        position.centre = read_piles(field)
    field.finish('"/" and the next seat, or the end of the table')
    if len(hands) < 2:
        raise field.error("expected at least two seats, with / between them")
    position.players = len(hands)
    return hands, kept


def read_place(field: Scanner) -> list[int] | Backs:
    """Cards of one place in a view: open cards, or `?` and the Ages of hidden ones; `?` alone hides the Age too."""
    if field.peek() and field.peek() in LETTERS:
        return read_piles(field)
    if not field.skip("?"):
        return (0, 0, 0)
    if not field.peek().isdecimal():
        hidden = 1
        while field.skip("?"):
            hidden += 1
        return (hidden,)
    return read_ages(field)


def read_ages(field: Scanner) -> tuple[int, int, int]:
    """How many backs of each Age follow, a digit a card."""
    backs = [0, 0, 0]
    while field.peek().isdecimal():
        backs[int(field.take("123", "an Age (1, 2 or 3)")) - 1] += 1
    return backs[0], backs[1], backs[2]


def seen_from_outside(field: Scanner, position: Position, cards: list[int] | Backs) -> Backs:
    """What everybody sees of the cards of one place: their backs, or their number where backs are not shown."""
    backs: Backs = ages(cards) if isinstance(cards, list) else cards
    if position.rulings & SHOW_BACKS:
        if len(backs) == 1:
            raise field.error("expected the Ages of hidden cards, as in ?12, for backs are shown", 0)
        return backs
    if not isinstance(cards, list) and len(backs) == 3 and backs != (0, 0, 0):
        raise field.error("expected ? alone for a hidden card, for backs are not shown", 0)
    return (sum(backs),)


def read_area(field: Scanner, position: Position, seat: int) -> None:
    """A seat's columns with their markers."""
    while field.peek() and field.peek() in LETTERS:
        domain = LETTERS.index(field.take(LETTERS, "a Domain"))
        start = field.place
        while field.peek().isdecimal():
            add_card(field, position.areas[seat], read_kind(field, domain))
        if field.skip("e"):
            position.embargoes[seat][domain] += read_marker(field, ECONOMY)
        if field.skip("u"):
            position.democracies[seat][domain] += count(read_marker(field, UTOPIA))
        if field.place == start:
            raise field.error(f'expected an Age (1, 2 or 3) after "{LETTERS[domain]}", found {field.found()}')


def read_marker(field: Scanner, domain: int) -> int:
    """The face-down cards of a Domain that lie on a column, as a pile."""
    piles = [0] * DOMAINS
    while True:
        add_card(field, piles, read_kind(field, domain))
        if not field.peek().isdecimal():
            return piles[domain]


def read_turn(field: Scanner, position: Position, kept: list[int]) -> None:
    """Whose choice it is, and the step; a line that ends before it is seat 1's effects."""
    if left_out(field):
        position.question = Question.EFFECTS
        return
    position.seat = read_seat(field, position.players)
    letter = field.take("dcpexms", "a step: d, c, p or e, or x, m or s for a game that is over")
    field.finish("the end of the turn")
    if letter in ENDINGS:
        position.question = Question.OVER
        position.ending = ENDINGS[letter]
    else:
        position.question = STEPS[letter]
    if position.question == Question.PLAY:
        position.left = 1
    if position.question == Question.DRAFT:
        read_draft(field, position, kept)


def read_draft(field: Scanner, position: Position, kept: list[int]) -> None:
    """In the draft, the kept cards tell how many picks are left."""
    if min(kept) >= DRAFT_PICKS or max(kept) > min(kept) + 1:
        problem = f"in the draft everybody keeps {DRAFT_PICKS} cards, nobody more than one before another"
        raise field.error(problem, field.place - 1)
    position.left = DRAFT_PICKS - min(kept)
    if position.seat != kept.index(min(kept)):
        problem = f"seat {kept.index(min(kept)) + 1} is asked: the first that still owes a pick"
        raise field.error(problem, field.place - 1)


def read_used(field: Scanner, position: Position) -> None:
    """The effects used this turn."""
    if left_out(field):
        return
    while field.peek():
        start = field.place
        letter = field.take(LETTERS + _DISCARD_LETTERS, "the letter of an effect that was used")
        bit = (
            1 << LETTERS.index(letter)
            if letter in LETTERS
            else 1 << (DOMAINS + LETTERS.lower().index(letter))
        )
        if position.used & bit:
            raise field.error(f'"{letter}" stands there twice', start)
        position.used |= bit
        if letter == "R":
            field.take("+", "+ for the Holy Book or ++ for Divine Right")
            if position.rulings & PASSIVE_RELIGION:
                raise field.error("with passive-religion nothing of Religion is used", start)
            position.hand_size = raised_hand_size(2 if field.skip("+") else 1)
        if letter == "e" and field.peek() and field.peek() in LETTERS:
            domain = LETTERS.index(field.take(LETTERS, "a Domain"))
            position.new_embargo = kind_of(domain, int(field.take("123", "the Age of the Embargo")))


def read_asked(field: Scanner, position: Position) -> None:
    """What an effect still asks for."""
    if left_out(field):
        return
    if position.question != Question.EFFECTS:
        raise field.error("only in step 2 (e) can an effect still ask for something")
    letter = field.take("hatpfgeu", "h, a, t, p, f or g and a number, or e or u and a player")
    if letter in MARKERS:
        position.question = MARKERS[letter]
        field.take(">", "> and a seat")
        position.target = read_seat(field, position.players)
    else:
        position.question = PICKS[letter]
        position.left = field.number("how many cards are asked for", ALL_CARDS)
        if position.left == 0:
            raise field.error("expected at least one card to be asked for", field.place - 1)
        if position.question in _THEN_PLAY and field.skip("p"):
            position.plays = int(field.take("12", "how many cards are played then (1 or 2)"))
        if position.question == Question.GIVE:
            field.take(">", "> and a seat")
            position.target = read_seat(field, position.players)
            if position.target == position.seat:
                raise field.error("nobody gives cards to oneself", field.place - 1)
        if field.skip(":"):
            position.floor = LETTERS.index(field.take(LETTERS[1:], "the lowest Domain that may be picked"))
    field.finish("the end of what is asked")


def read_coin(field: Scanner, position: Position) -> None:
    """Who copied, from whom, and which Domain."""
    if left_out(field):
        return
    position.coin_owner = read_seat(field, position.players) + 1
    field.take(">", "> and the seat whose effect was copied")
    position.coin_seat = read_seat(field, position.players)
    if position.coin_seat + 1 == position.coin_owner:
        raise field.error("nobody copies from oneself", field.place - 1)
    position.coin_domain = LETTERS.index(
        field.take(LETTERS.replace(LETTERS[CULTURE], ""), "the copied Domain")
    )
    field.finish("the end of the coin")


def read_deck_field(field: Scanner, position: Position) -> None:
    """The deck from its top card down."""
    if left_out(field):
        return
    kinds = read_cards(field)
    field.finish("a card such as M1")
    if len(kinds) > ALL_CARDS:
        raise field.error(f"expected at most {ALL_CARDS} cards, found {len(kinds)}")
    position.deck_size = len(kinds)
    position.deck[: len(kinds)] = kinds[::-1]


def read_deck_backs(field: Scanner) -> tuple[int, int, int]:
    """How many cards of each Age the deck holds."""
    if left_out(field):
        return (0, 0, 0)
    field.take("?", "? and the Ages of the cards in the deck")
    backs = read_ages(field)
    field.finish("an Age (1, 2 or 3)")
    return backs


def read_viewer(field: Scanner, players: int) -> int:
    """Whose view it is: @ and a seat, @0 for a spectator."""
    field.take("@", "@ and the seat of the viewer, @0 for a spectator")
    seat = SPECTATOR if field.skip("0") else read_seat(field, players)
    field.finish("the end of the line")
    return seat


def read_discard_pile(field: Scanner, position: Position) -> None:
    """The discard pile; the markers on the table will join it, and must fit."""
    if left_out(field):
        return
    position.discard_pile = read_piles(field)
    field.finish("a card such as M1")


def read_round(field: Scanner, position: Position) -> None:
    """The round, quiet rounds, and whether somebody drew in this one."""
    drafting = position.question in (Question.DRAFT, Question.CENTRE)
    if left_out(field):
        position.round = 0 if drafting else 1
        return
    position.round = field.number("the number of the round", 60_000)
    if field.skip("."):
        position.quiet_rounds = field.number("the number of rounds without a draw", 200)
    position.drew = 1 if field.skip("*") else 0
    field.finish("the end of the round: .number for rounds without a draw, * if somebody drew")


def read_rules(field: Scanner, position: Position) -> None:
    """The rulings, and whether teams play."""
    position.rulings = STANDARD
    if left_out(field):
        return
    text = field.text[field.place : field.end]
    name, comma, teams = text.partition(",")
    try:
        position.rulings = read_rulings(name)
    except NotationError as error:
        raise field.error(error.problem, field.place + error.place) from None
    if comma and teams != "teams":
        raise field.error('expected "teams" after the comma', field.place + len(name) + 1)
    if teams and position.players != MOST_PLAYERS:
        raise field.error(f"teams need four players, found {position.players}", field.place + len(name) + 1)
    position.teams = 1 if teams else 0


def number_of_kind(position: Position, kind: int) -> int:
    """How many cards of a kind a position shows, wherever they lie."""
    domain, age = domain_of(kind), age_of(kind)
    places = (*position.hands, *position.areas, *position.kept, position.discard_pile, position.centre)
    cards = position.deck.count(kind) + sum(count_of_age(piles[domain], age) for piles in places)
    if domain == ECONOMY:
        cards += sum(count_of_age(pile, age) for column in position.embargoes for pile in column)
        cards += position.new_embargo > 0 and age_of(position.new_embargo) == age
    if kind == kind_of(UTOPIA, 3):
        cards += sum(sum(column) for column in position.democracies)
    return cards


def expect_countable(text: str, position: Position) -> None:
    """However the cards come together, no pile may overflow."""
    for domain in range(DOMAINS):
        one, two, three = (number_of_kind(position, kind_of(domain, age)) for age in (1, 2, 3))
        if max(one, two) > MOST_OF_AN_AGE or one + two + three > MOST_OF_A_DOMAIN:
            raise NotationError("line", text, 0, TOO_MANY.format(Domain(domain).name.capitalize()))


def expect_answer(field: Scanner, position: Position) -> None:
    """Every question must have an answer: the rules pass over a step in which nothing can be chosen."""
    if position.question != Question.OVER and not legal(position):
        if position.question == Question.PLAY:
            problem = (
                f"seat {position.seat + 1} has no card to play, so step 1 is over: write {position.seat + 1}e"
            )
        else:
            problem = f"seat {position.seat + 1} cannot answer what is asked: too few cards lie there"
        raise field.error(problem, min(field.place, field.end))
