"""What has happened at a table: recaps, what was done to a player, and where every card went."""

from collections import Counter
from random import Random

import pytest

from hegemon import Game
from hegemon.play.events import SkippedPlay
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain, count, domain_of
from hegemon.rules.view import SPECTATOR
from hegemon.views.story import ColumnChange, Flight, last_move, recap
from random_games import new_game, play_by_chance

GAMES = 48


def after(position, moves):
    return Game.from_position(position, moves=moves)


def summary(actions):
    return [(action.seat, action.card or action.used.effect.name, action.hit) for action in actions]


ATTACKED = "E11(R1S1C1)/M1(M1E1S1)/E1(S1C1R1) 1p - - - M1M1M1R1R1R1"


def test_a_recap_tells_what_others_did_since_the_last_move():
    game = after(ATTACKED, "1:R 1:. 2:E 2:mE")
    (played, attacked) = recap(game, 0).actions
    assert summary([played, attacked]) == [(1, "E1", ()), (1, "ATTACK", (2, 0))]
    assert (played.ply, attacked.ply) == (3, 4)
    assert attacked.lost_by(0) == ("E1",)
    assert recap(game, 0).changes_of(0) == (0, 0, -1, 0, 0, 0)
    assert recap(game, 0).changes_of(1) == (-1, 0, 0, 0, 0, 0)
    assert recap(game, 0).against(0) == (attacked,)


def test_a_recap_ends_when_the_player_acts():
    game = after(ATTACKED, "1:R 1:. 2:E 2:mE 2:. 3:S 3:.")
    assert len(recap(game, 0).actions) == 3
    game.play("S")
    assert recap(game, 0) == recap(after(ATTACKED, "1:R"), 0)
    assert recap(game, 0).actions == ()
    game.undo()
    assert len(recap(game, 0).actions) == 3


def test_a_recap_stays_while_the_only_choice_is_made_for_the_player():
    game = after("(R1S1C1)/M1(M1E1S1) 1p - - - M1M1M1R1R1R1", "1:R 1:. 2:E 2:.")
    one_kind = after("(R1M1M1)/M1(M1E1S1) 1p - - - M1M1M1R1R1R1", "1:R 1:. 2:E 2:.")
    for table in (game, one_kind):
        table.play("M")
    assert recap(game, 0).actions == ()
    assert summary(recap(one_kind, 0).actions) == [(1, "E1", ())]
    assert recap(one_kind, 0).changes_of(0) == (0,) * 6


def test_a_player_who_has_not_moved_yet_gets_everything_so_far():
    assert summary(recap(after(ATTACKED, "1:R 1:."), 1).actions) == [(0, "R1", ())]


def test_a_spectator_gets_the_last_turn():
    game = after(ATTACKED, "1:R 1:.")
    assert recap(Game(2, seed=1), SPECTATOR).actions == ()
    assert summary(recap(game, SPECTATOR).actions) == [(0, "R1", ())]
    game.play("E")
    assert summary(recap(game, SPECTATOR).actions) == [(1, "E1", ())]


def test_cards_that_an_effect_asks_for_belong_to_it():
    game = after("(R1S1C1)/E111(M1E1S1) 1p - - - M1M1M1R1R1R1", "1:R 1:. 2:M 2:E+ 2:M 2:S 2:.")
    (played, development) = recap(game, 0).actions
    assert (played.card, played.used) == ("M1", None)
    assert (development.card, development.used.effect) == (None, Effect.DEVELOPMENT)
    assert development.ply == 6
    assert recap(game, 0).changes == (ColumnChange(1, Domain.SCIENCE, 1),)


def test_an_inquisition_shows_its_victim_what_was_taken_and_given():
    game = after("(R1S1C1)/R1(M1E1S1)/(S1) 1p - - - M1M1M1R1R1R1", "1:R 1:. 2:M 2:r+2 2:E 2:S 2:S")
    (_, inquisition) = recap(game, 0).actions
    assert inquisition.hit == (0,)
    assert inquisition.lost_by(0) == ("M1", "S1", "C1")
    assert inquisition.given_to(0) == ("E1", "S1", "S1")
    (_, seen_by_third) = recap(game, 2).actions[-2:]
    assert seen_by_third.lost_by(0) == ("?1", "?1", "?1")
    assert seen_by_third.given_to(0) == ("?1", "?1", "?1")


@pytest.mark.parametrize(
    ("moves", "effect", "marked"),
    [("1:M 1:e+1 1:C", Effect.EMBARGO, Domain.CULTURE), ("1:M 1:u+1 1:R", Effect.DEMOCRACY, Domain.RELIGION)],
)
def test_a_marker_is_aimed_at_a_player_and_put_on_a_domain(moves, effect, marked):
    game = after("E1U3(M1S1C1)/C1R1(M1E1S1)/(S1) 1p - - - M1M1M1R1R1R1", moves)
    (_, action) = recap(game, 1).actions
    assert (action.used.effect, action.hit, action.marked) == (effect, (1,), marked)
    assert last_move(game, 1).marker.domain is marked
    assert last_move(game, 1).sound == "attack"
    assert [flight.target for flight in last_move(game, 1).flights] == [f"area-1-{marked.letter}"]


def test_a_step_that_an_embargo_skipped_is_in_the_recap():
    game = after("E1(M1S1C1)/C1(C1C1C1)/(S1) 1p - - - M1M1M1R1R1R1", "1:M 1:e+1 1:C 1:.")
    assert recap(game, 1).actions[-1].events == (SkippedPlay(1),)
    assert (recap(game, 1).actions[-1].card, recap(game, 1).actions[-1].used) == (None, None)


def test_the_last_move_says_where_its_cards_went():
    game = after(ATTACKED, "1:R 1:.")
    assert last_move(game, 0).flights == (Flight("M1", "deck", "hand-0"),)
    assert last_move(game, 1).flights == (Flight("?1", "deck", "hand-0"),)
    assert (last_move(game, 1).sound, last_move(game, 1).action) == ("draw", None)
    game.play("E")
    assert last_move(game, 0).flights == (Flight("E1", "hand-1", "area-1-E"),)
    assert last_move(game, 0).action.card == "E1"
    assert last_move(game, 0).sound == "card"
    game.play("mE")
    assert last_move(game, 0).sound == "attack"
    start = last_move(Game(2, seed=1), 0)
    assert (start.seat, start.flights, start.action, start.marker, start.sound) == (None, (), None, None, "")


# ------------------------------------------------------------------ what is always true


def places(game, viewer):
    """The number of cards in each place that flights lead to and from, as a viewer sees them."""
    view = game.view(viewer)
    found = Counter(deck=view.deck_size, pile=sum(map(count, view.discard_piles)))
    found["center"] = sum(map(count, view.center_piles))
    for seat in range(view.players):
        found[f"hand-{seat}"] = sum(view.backs[seat]) + sum(view.kept_backs[seat])
        for domain in Domain:
            found[f"area-{seat}-{domain.letter}"] = (
                count(view.areas[seat][domain])
                + count(view.embargoes[seat][domain])
                + view.democracies[seat][domain]
            )
    if view.new_embargo:  # put on oneself, for the next turn
        found[f"area-{view.seat}-{Domain(domain_of(view.new_embargo)).letter}"] += 1
    return found


@pytest.mark.parametrize("number", range(GAMES))
def test_no_card_simply_vanishes(number):
    """The flights of every move account for every card, for every viewer."""
    chance, game = Random(number), new_game(number)
    viewer = chance.randrange(-1, game.players)
    before = places(game, viewer)
    for _ in play_by_chance(game, chance):
        for flight in last_move(game, viewer).flights:
            before[flight.origin] -= 1
            before[flight.target] += 1
        after = places(game, viewer)
        assert before == after
    assert game.over


@pytest.mark.parametrize("number", range(GAMES))
def test_changes_are_what_columns_gained_and_lost(number):
    chance, game = Random(number), new_game(number)
    viewer = chance.randrange(game.players)
    at = 0
    for ply, (seat, _) in enumerate(play_by_chance(game, chance), 1):
        if seat == viewer:
            at = ply
        elif chance.random() < 0.2:
            then, now = game.at(at).view(viewer).areas, game.view(viewer).areas
            seen = recap(game, viewer)
            for other in range(game.players):
                grown = tuple(count(now[other][d]) - count(then[other][d]) for d in Domain)
                assert seen.changes_of(other) == grown


@pytest.mark.parametrize("number", range(GAMES))
def test_a_recap_shows_no_card_that_its_reader_may_not_know(number):
    """Every event of a recap is one that the seat saw, and none is of the seat's own moves."""
    chance, game = Random(number), new_game(number)
    viewer = chance.randrange(-1, game.players)
    for _ in play_by_chance(game, chance):
        if chance.random() < 0.2:
            seen = game.events_seen_by(viewer)
            actions = recap(game, viewer).actions
            assert all(event in seen for action in actions for event in action.events)
            assert all(
                action.seat != viewer or isinstance(action.events[0], SkippedPlay) for action in actions
            )
            assert [action.ply for action in actions] == sorted(action.ply for action in actions)
