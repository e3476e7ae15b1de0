"""What a player's own columns can do, and the cards that a choice would move."""

from collections import Counter
from random import Random

import pytest

from hegemon import Game, determinize, read_position
from hegemon.play.events import (
    Discarded,
    Drew,
    EmbargoLifted,
    Fetched,
    GaveBack,
    Played,
    PutDemocracy,
    PutEmbargo,
    TookBack,
    TookHand,
)
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import Question
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.view import view
from hegemon.views import game_table, view_table
from hegemon.views.columns import column_effects, holders
from hegemon.views.previews import CardMove, Previews
from random_games import new_game, play_by_chance

NAMES = ("Ada", "Bo", "Cy", "Di")


def seen(line, viewer=0):
    position = read_position(line)
    return view_table(view(position, viewer), NAMES[: position.players])


def at_column(table, domain):
    return {(effect.effect, effect.copied): effect for effect in column_effects(table)[domain]}


def aims_at(table, domain, effect):
    """What an effect can be aimed at: the choices, the player and the Domain."""
    found = at_column(table, domain)[effect, False].targets
    return [(" ".join(target.choices), target.seat, target.domain) for target in found]


# ------------------------------------------------------------------ effects at a column


def test_a_column_has_its_permanent_effects_and_its_discard_effect():
    military = at_column(seen("M112R1(E1S2)/M1(S1)/C1(S1) 1e"), Domain.MILITARY)
    assert [(effect.name, row.needed, row.state) for (effect, _), row in military.items()] == [
        ("ASSASSINATION", 3, "usable"),
        ("PURGE", 5, "short"),
        ("ATTACK", 1, "usable"),
    ]
    assert military[Effect.PURGE, False].reason.code == "below-threshold"


def test_with_four_players_the_thresholds_are_lower():
    religion = at_column(seen("R11(E1)/(S1)/(S1)/(S1) 1e"), Domain.RELIGION)
    assert [row.needed for row in religion.values()] == [2, 4, 1]


def test_what_was_used_this_turn_is_used():
    table = seen("M112R11(E1S2)/M1(S1)/C1(S1) 1e r")
    assert at_column(table, Domain.RELIGION)[Effect.INQUISITION, False].state == "used"


def test_an_effect_whose_cards_are_there_is_blocked_while_another_plays():
    table = seen("M112(E1S2)/M1(S1) 1e", viewer=1)
    assert at_column(table, Domain.MILITARY)[Effect.ATTACK, False].state == "blocked"
    assert not at_column(table, Domain.MILITARY)[Effect.ATTACK, False].targets


def test_a_copied_effect_is_at_its_own_column_and_at_culture():
    table = seen("C1(E1S2)/M111(S1) 1e")
    for domain in (Domain.MILITARY, Domain.CULTURE):
        copied = at_column(table, domain)[Effect.ASSASSINATION, True]
        assert copied.state == "usable"
        assert [target.choices for target in copied.targets] == [("cM+",)]
    assert (Effect.ASSASSINATION, False) not in at_column(table, Domain.MILITARY)


def test_an_attack_is_aimed_at_a_domain_an_inquisition_at_a_player_a_marker_at_both():
    table = seen("M11R1E1U3(E1)/S1(S1)/C1M1(M1) 1e")
    assert aims_at(table, Domain.MILITARY, Effect.ATTACK)[0] == ("mM", None, Domain.MILITARY)
    assert aims_at(table, Domain.RELIGION, Effect.INQUISITION) == [("r+1", 1, None), ("r+2", 2, None)]
    assert aims_at(table, Domain.ECONOMY, Effect.EMBARGO) == [
        ("e+1 S", 1, Domain.SCIENCE),
        ("e+2 M", 2, Domain.MILITARY),
        ("e+2 C", 2, Domain.CULTURE),
    ]
    assert ("u+2 C", 2, Domain.CULTURE) in aims_at(table, Domain.UTOPIA, Effect.DEMOCRACY)


def test_a_spectator_has_no_columns():
    assert not any(column_effects(seen("M11(E1)/S1(S1) 1e", viewer=-1)).values())


def test_the_board_knows_who_has_the_cards_for_an_effect():
    position = read_position("M111C1(E1)/M11111(S1)/C11(S1) 1e")
    assert holders(Effect.ASSASSINATION, position, 3) == (0, 1)
    assert holders(Effect.PURGE, position, 5) == (1,)
    assert holders(Effect.ATTACK, position, 1) == (0, 1)
    assert holders(Effect.INSPIRATION, position, 1) == (2,)


# ------------------------------------------------------------------ cards that would move


def test_an_attack_shows_every_card_that_would_go():
    assert Previews(seen("M12E1(R1)/E2(S1)/S1(M1) 1e").view).preview(("mE",)) == (
        CardMove("M1", "area-0", "pile"),
        CardMove("E1", "area-0", "pile"),
        CardMove("E2", "area-1", "pile"),
    )


def test_hidden_cards_move_as_backs():
    moves = Previews(seen("R1(E1)/E2(S1S2)/S1(M1) 1e").view).preview(("r+1",))
    assert Counter(moves) == Counter(
        [
            CardMove("?1", "hand-1", "hand-0"),
            CardMove("?2", "hand-1", "hand-0"),
            CardMove("R1", "area-0", "pile"),
        ]
    )


def test_a_marker_goes_onto_the_column_it_is_aimed_at():
    table = seen("E2U3(E1)/S1(S1) 1e")
    assert Previews(table.view).preview(("e+1", "S")) == (CardMove("E2", "area-0", "mark-1-S"),)
    assert Previews(table.view).preview(("u+1", "S")) == (CardMove("U3", "area-0", "mark-1-S"),)


def place_of(event):
    """The movements that an event reports, as `CardMove`s."""
    match event:
        case Discarded(seat, card, from_hand):
            return [(card, f"{'hand' if from_hand else 'area'}-{seat}", "pile")]
        case Played(seat, card):
            return [(card, f"hand-{seat}", f"area-{seat}")]
        case TookBack(seat, card):
            return [(card, f"area-{seat}", f"hand-{seat}")]
        case Fetched(seat, card):
            return [(card, "pile", f"hand-{seat}")]
        case TookHand(seat, target, cards):
            return [(card, f"hand-{target}", f"hand-{seat}") for card in cards]
        case GaveBack():
            return []
        case Drew(seat, cards):
            return [(card, "deck", f"hand-{seat}") for card in cards]
        case PutEmbargo(seat, target, domain, card):
            return [(card, f"area-{seat}", f"mark-{target}-{domain.letter}")]
        case PutDemocracy(seat, target, domain):
            return [("U3", f"area-{seat}", f"mark-{target}-{domain.letter}")]
        case EmbargoLifted(seat, domain, card):
            return [(card, f"mark-{seat}-{domain.letter}", "pile")]
        case _:
            return []


def really_moved(game, seat, choices):
    """What really happens, with the cards that the seat does not know before as backs."""
    game, told = game.copy(), len(game.events)
    backs_shown = bool(game.position.rulings & SHOW_BACKS)
    for choice in choices:
        game.play(choice, seat)
    moves = Counter()
    for event in game.events[told:]:
        for card, origin, destination in place_of(event):
            hidden = origin == "deck" or (origin.startswith("hand") and origin != f"hand-{seat}")
            shown = f"?{card[1]}" if origin == "deck" or backs_shown else "?"
            moves[CardMove(shown if hidden else card, origin, destination)] += 1
    return moves


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("number", range(0, 96, 7))
def test_a_preview_is_what_really_happens(number):
    game, previews = new_game(number), 0
    chance = Random(number)
    for _ in play_by_chance(game, chance):
        if game.over or game.position.question in (Question.DRAFT, Question.CENTER, Question.GIVE):
            continue
        table = game_table(game, game.seat)
        ways = {(choice,) for choice in game.choices}
        ways |= {
            target.choices
            for effects in column_effects(table).values()
            for effect in effects
            for target in effect.targets
        }
        for way in chance.sample(sorted(ways), min(3, len(ways))):
            previews += 1
            assert Counter(Previews(table.view).preview(way)) == really_moved(game, game.seat, way), way
    assert previews > 50


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("number", range(1, 96, 19))
def test_every_choice_of_step_2_is_at_a_column(number):
    game = new_game(number)
    for _ in play_by_chance(game, Random(number)):
        if game.over or game.position.question != Question.EFFECTS:
            continue
        effects = column_effects(game_table(game, game.seat)).values()
        offered = {target.choices[0] for column in effects for effect in column for target in effect.targets}
        assert offered == set(game.choices) - {"."}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("number", range(1, 96, 24))
def test_nothing_hidden_is_in_a_preview(number):
    """In two positions that look the same to the player, the columns and their previews are the same."""
    game, chance = new_game(number), Random(number)
    for ply, _ in enumerate(play_by_chance(game, chance)):
        if game.over or ply % 5:
            continue
        seat = game.seat
        other = determinize(game.view(seat), game.memory(seat), chance)
        table = game_table(game, seat)
        again = game_table(Game.from_position(other), seat, names=game.names)
        assert column_effects(table) == column_effects(again)
