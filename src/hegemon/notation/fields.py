"""The fields of a line after the table: turn, used effects, open question, coin, deck, discard pile, round, rules."""

from collections import Counter
from typing import Final

from hegemon.notation.cards import A_CARD, A_DOMAIN, AN_AGE, count_card, read_cards, read_piles
from hegemon.notation.errors import NotationError, Scanner
from hegemon.notation.messages import message
from hegemon.notation.places import NO_BACKS, read_ages
from hegemon.notation.rulings import read_rulings
from hegemon.notation.writing import ENDINGS, MARKERS, PICKS, STEPS
from hegemon.rules.cards import ALL_CARDS, CULTURE, ECONOMY, LETTERS, kind_of
from hegemon.rules.position import MAX_PLAYERS, Position, Question
from hegemon.rules.rulings import PASSIVE_RELIGION, STANDARD
from hegemon.rules.setup import DRAFT_PICKS
from hegemon.rules.turn import raised_hand_size
from hegemon.rules.victory import STALLED_ROUNDS
from hegemon.rules.view import SPECTATOR

_DISCARD_LETTERS: Final = "mresu"
_THEN_PLAY: Final = (Question.DISCARD_FROM_AREA, Question.TAKE_BACK)

#: Rounds are counted in sixteen bits.
MAX_ROUND: Final = 65_535

LINE: Final = message("line")


def split_fields(text: str, names: tuple[str, ...]) -> dict[str, Scanner]:
    """A scanner for each field of a line; for an omitted field, one at the end of the line."""
    parts = text.split(" ")
    if len(parts) > len(names):
        place = len(" ".join(parts[: len(names)])) + 1
        problem = message("expected at most {maximum} fields", maximum=len(names))
        raise NotationError(LINE, text, place, problem)
    tally: Counter[int] = Counter()
    fields = {name: Scanner(name, text, len(text), tally=tally) for name in names}
    start = 0
    for name, part in zip(names, parts, strict=False):
        if not part and len(parts) > 1:
            problem = message("expected one space between fields, and - for an empty one")
            raise NotationError(name, text, start, problem)
        fields[name] = Scanner(name, text, start, start + len(part), tally)
        start += len(part) + 1
    return fields


def is_empty(field: Scanner) -> bool:
    """Whether a field is empty: omitted at the end of the line, or a dash, which is skipped."""
    if field.skip("-"):
        field.finish(message("nothing after the dash"))
        return True
    return not field.peek()


def read_seat(field: Scanner, players: int) -> int:
    return int(field.take("1234"[:players], message("a seat from 1 to {players}", players=players))) - 1


def read_turn(field: Scanner, position: Position) -> None:
    """Whose choice it is, and the step; by default seat 1 in step 2."""
    if is_empty(field):
        position.question = Question.EFFECTS
        return
    position.seat = read_seat(field, position.players)
    letter = field.take("dcpexms", message("a step: d, c, p or e, or x, m or s for a game that is over"))
    field.finish(message("the end of the turn"))
    if letter in ENDINGS:
        position.question = Question.OVER
        position.ending = ENDINGS[letter]
    else:
        position.question = STEPS[letter]
    if position.question == Question.PLAY:
        position.left = 1


def read_draft(field: Scanner, position: Position, kept: list[int]) -> None:
    """The picks left in the draft, and the first seat that owes one, by the numbers of kept cards."""
    fewest = min(kept)
    if fewest >= DRAFT_PICKS or max(kept) > fewest + 1:
        problem = message(
            "in the draft each seat keeps {number} cards, and no seat is two ahead of another",
            number=DRAFT_PICKS,
        )
        raise field.error(problem, field.start)
    position.left = DRAFT_PICKS - fewest
    first = kept.index(fewest)
    if position.seat != first:
        problem = message(
            "expected {seat}d, as seat {seat} is the first that still has to pick", seat=first + 1
        )
        raise field.error(problem, field.start)


def read_used(field: Scanner, position: Position) -> None:
    if is_empty(field):
        return
    if position.question != Question.EFFECTS:
        raise field.error(message("only in step 2 (e) can an effect have been used"))
    while field.peek():
        letter = field.take(LETTERS + _DISCARD_LETTERS, message("the letter of an effect that was used"))
        used = 1 << (LETTERS + LETTERS.lower()).index(letter)
        if position.used & used:
            raise field.error_at_previous(message('"{letter}" occurs twice', letter=letter))
        position.used |= used
        if letter == "R":
            if position.rulings & PASSIVE_RELIGION:
                raise field.error_at_previous(message("with passive-religion, Religion is never used"))
            field.take("+", message("+ for the Holy Book or ++ for Divine Right"))
            position.hand_size = raised_hand_size(2 if field.skip("+") else 1)
        if letter == "e" and field.sees(LETTERS):
            domain = LETTERS.index(field.take(LETTERS, A_DOMAIN))
            expected = message("the Age of the Embargo on oneself (other capital letters come before e)")
            age = int(field.take("123", expected))
            count_card(field, kind_of(ECONOMY, age))
            position.new_embargo = kind_of(domain, age)


def read_asked(field: Scanner, position: Position) -> None:
    """The cards or the Domain that an effect still asks for."""
    if is_empty(field):
        return
    if position.question != Question.EFFECTS:
        raise field.error(message("only in step 2 (e) can an effect still ask for something"))
    expected = message("h, a, t, p, f or g and a number, or e or u and a seat")
    letter = field.take("hatpfgeu", expected)
    if letter in MARKERS:
        position.question = MARKERS[letter]
        field.take(">", message("> and a seat"))
        position.target = read_seat(field, position.players)
    else:
        position.question = PICKS[letter]
        read_picks(field, position)
    field.finish(message("the end of the open question"))


def read_picks(field: Scanner, position: Position) -> None:
    """The number of cards to pick, what follows then, and the lowest Domain still offered."""
    position.left = field.number(message("the number of cards to choose"), ALL_CARDS)
    if position.left == 0:
        raise field.error_at_previous(message("expected at least one card to choose"))
    if position.question in _THEN_PLAY and field.skip("p"):
        position.plays = int(field.take("12", message("how many cards are played then (1 or 2)")))
    if position.question == Question.GIVE:
        field.take(">", message("> and a seat"))
        position.target = read_seat(field, position.players)
        if position.target == position.seat:
            raise field.error_at_previous(message("players cannot give cards to themselves"))
    if field.skip(":"):
        position.floor = LETTERS.index(
            field.take(LETTERS[1:], message("the lowest Domain that may be picked"))
        )


def read_coin(field: Scanner, position: Position) -> None:
    """The seat that copied, the seat it copied from, and the Domain."""
    if is_empty(field):
        return
    position.coin_owner = read_seat(field, position.players) + 1
    field.take(">", message("> and the seat whose effect was copied"))
    position.coin_seat = read_seat(field, position.players)
    if position.coin_seat + 1 == position.coin_owner:
        raise field.error_at_previous(message("players cannot copy from themselves"))
    expected = message("the copied Domain: M, R, E, S or U")
    copied = field.take(LETTERS.replace(LETTERS[CULTURE], ""), expected)
    position.coin_domain = LETTERS.index(copied)
    field.finish(message("the end of the coin"))


def read_deck_field(field: Scanner, position: Position) -> None:
    """The deck from its top card down."""
    if is_empty(field):
        return
    kinds = []
    for kind in read_cards(field, ALL_CARDS):
        count_card(field, kind)
        kinds.append(kind)
    field.finish(A_CARD)
    position.deck_size = len(kinds)
    position.deck[: len(kinds)] = kinds[::-1]


def read_deck_backs(field: Scanner) -> tuple[int, int, int]:
    """The number of cards of each Age in the deck of a view."""
    if is_empty(field):
        return NO_BACKS
    field.take("?", message("? and the Ages of the cards in the deck"))
    backs = read_ages(field)
    field.finish(AN_AGE)
    return backs


def read_discard_pile(field: Scanner, position: Position) -> None:
    if not is_empty(field):
        position.discard_piles = read_piles(field)
        field.finish(A_CARD)


def read_round(field: Scanner, position: Position) -> None:
    """The round, the whole rounds without a draw, and whether a player drew in this one."""
    if is_empty(field):
        position.round = 0 if position.question in (Question.DRAFT, Question.CENTER) else 1
        return
    position.round = field.number(message("the number of the round"), MAX_ROUND)
    if field.skip("."):
        # The stall rule ends the game after ten; a position beyond that might never end.
        maximum = STALLED_ROUNDS if position.question == Question.OVER else STALLED_ROUNDS - 1
        position.quiet_rounds = field.number(message("the number of rounds without a draw"), maximum)
    position.drew = 1 if field.skip("*") else 0
    field.finish(message("the end of the round, which may be as long as 3.2*"))


def read_rules(field: Scanner, position: Position) -> None:
    """The rulings, and whether teams play."""
    position.rulings = STANDARD
    if is_empty(field):
        return
    name, comma, teams = field.text[field.start : field.end].partition(",")
    try:
        position.rulings = read_rulings(name)
    except NotationError as error:
        raise field.error(error.problem, field.start + error.place) from None
    if comma:
        place = field.start + len(name) + 1
        if teams != "teams":
            raise field.error(message('expected "teams" after the comma'), place)
        if position.players != MAX_PLAYERS:
            problem = message(
                "teams need {needed} seats, and there are {found}", needed=MAX_PLAYERS, found=position.players
            )
            raise field.error(problem, place)
        position.teams = 1


def read_viewer(field: Scanner, players: int) -> int:
    """Whose view it is: @ and a seat, @0 for a spectator."""
    field.take("@", message("@ and the seat of the viewer, @0 for a spectator"))
    seat = SPECTATOR if field.skip("0") else read_seat(field, players)
    field.finish(message("the end of the line"))
    return seat
