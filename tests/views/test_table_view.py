"""The view model of a table: panels, columns, choices, reasons and majorities, as one viewer sees them."""

import json
from random import Random

import pytest

from hegemon import Game, determinize, read_position
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import Question
from hegemon.rules.victory import best_count, has_majority, majority_winners, points, side_of
from hegemon.rules.view import SPECTATOR, view
from hegemon.views import TableInfo, game_table, position_table, table_to_dict, view_table
from hegemon.views.majority import majority_rows
from random_games import new_game, play_by_chance

NAMES = ("Ada", "Bo", "Cy", "Di")


def seen(line, viewer=0):
    position = read_position(line)
    return view_table(view(position, viewer), NAMES[: position.players])


def test_a_column_has_its_cards_markers_and_distance_to_hegemony():
    table = seen("M112e1u3R1(E1S2)/C1(S1) 1e - - 2>1R M1 - 3")
    military = table.panels[0].columns[Domain.MILITARY]
    assert (military.ages, military.embargoes, military.democracies) == ((1, 1, 2), (1,), 1)
    assert (military.count, military.needed, military.missing, military.leads) == (3, 9, 6, True)
    assert military.coin_of is None
    assert table.panels[0].columns[Domain.RELIGION].coin_of == 1


def test_of_two_teammates_the_one_with_more_cards_leads():
    position = read_position("M11(E1)/(S1)/M1(S1)/(R1) 1e")
    position.teams = 1
    table = position_table(position, NAMES)
    assert [panel.columns[Domain.MILITARY].leads for panel in table.panels] == [True, False, False, False]
    assert [row.seats for row in table.majority] == [(0, 2), (1, 3)]
    assert [panel.side for panel in table.panels] == [0, 1, 0, 1]


def test_a_choice_that_names_a_domain_picks_the_oldest_card():
    table = seen("M1(E12S2)/C1(S1) 1p")
    assert [(card.kind, card.choice) for card in table.hand] == [("E1", "E"), ("E2", None), ("S2", "S")]
    assert table.place == "hand"
    assert table.choices == ("E", "S")
    assert table.reasons["hand"].keys() == set(Domain) - {Domain.ECONOMY, Domain.SCIENCE}


def test_an_effect_has_its_choices_or_a_reason():
    table = seen("M112R1(E1S2)/C1(S1) 1e")
    rows = {row.effect: row for row in table.effects}
    assert rows[Effect.ASSASSINATION].choices == ("M+",)
    assert rows[Effect.ASSASSINATION].reason is None
    assert rows[Effect.PURGE].reason.code == "below-threshold"
    assert rows[Effect.DEMOCRACY].reason.code == "no-card"
    assert table.unused == 3
    assert table.reasons["hand"][Domain.MILITARY].code == "not-a-card"


def test_what_is_missing_is_the_reason_also_in_another_turn():
    rows = {row.effect: row.reason.code for row in seen("M112R1(E1S2)/C1(S1) 1e", viewer=1).effects}
    assert rows[Effect.ASSASSINATION] == "below-threshold"
    assert rows[Effect.ATTACK] == "no-card"


def test_ties_are_broken_domain_by_domain():
    table = seen("M1C1(E1)/U3E1(S1) 1e")
    assert [(row.points, row.ahead) for row in table.majority] == [(2, False), (2, True)]
    assert [(tie.domain, tie.ahead) for tie in table.tie_breaks] == [(Domain.UTOPIA, (1,))]


def test_open_hands_show_every_card():
    game = Game(3, seed=1)
    table = game_table(game, SPECTATOR, open_hands=True)
    assert all(len(panel.hand) == 3 for panel in table.panels)
    assert table.hand_of(1) == tuple(card.kind for card in table.panels[1].hand)
    assert game_table(game, SPECTATOR).hand_of(1) == ("?1", "?1", "?1")


def test_the_info_of_a_table_is_in_its_panels():
    game = Game(2, seed=1)
    info = TableInfo("x", 4, (None, "greedy"), (2, 3), substitutes=(0,), present=frozenset({0}))
    table = game_table(game, 0, info=info)
    me, other = table.panels
    assert (me.substitute, me.present, me.color, other.bot) == (True, True, 2, "greedy")
    assert table.choices == ()
    assert not any(row.choices for row in table.effects)
    assert info.is_solo


def test_the_other_panels_go_clockwise():
    game = Game(4, seed=1)
    assert [panel.seat for panel in game_table(game, 2).others] == [3, 0, 1]
    assert [panel.seat for panel in game_table(game, SPECTATOR).others] == [0, 1, 2, 3]


@pytest.mark.parametrize("number", range(0, 64, 9))
def test_a_view_alone_gives_the_choices_and_the_result_of_its_game(number):
    game = new_game(number)
    for _ in play_by_chance(game, Random(number)):
        for seat in range(game.players):
            table = view_table(game.view(seat), game.names)
            assert table.choices == game.choices_of(seat)
            assert (seat in table.to_move) == bool(table.choices)
    assert table.result == game.result
    assert [panel.won for panel in table.panels] == [
        seat in game.result.winners for seat in range(game.players)
    ]


@pytest.mark.parametrize("number", range(1, 64, 15))
def test_nothing_hidden_reaches_a_table_view(number):
    """In two positions that look the same to a viewer, everything is the same."""
    game, chance = new_game(number), Random(number)
    for ply, _ in enumerate(play_by_chance(game, chance)):
        for seat in range(game.players) if ply % 7 == 0 else ():
            own, memory = game.view(seat), game.memory(seat)
            other = view(determinize(own, memory, chance), seat)
            one, two = (view_table(each, game.names, memory=memory) for each in (own, other))
            assert table_to_dict(one) == table_to_dict(two)
            assert one.reasons == two.reasons


def test_the_reasons_of_a_table_need_no_further_legal_actions(monkeypatch):
    game = Game(3, seed=1)
    game.play(game.choices[0])
    table = game_table(game, game.seat)
    monkeypatch.setattr("hegemon.play.legality.legal", lambda position: pytest.fail("computed again"))
    monkeypatch.setattr("hegemon.views.effects.legal", lambda position: pytest.fail("computed again"))
    assert table.question is Question.EFFECTS
    assert table.effects
    assert table.reasons


def test_a_table_as_json():
    data = table_to_dict(seen("M112R1(E1S2)/C1(S1) 1e"))
    assert json.loads(json.dumps(data)) == data
    assert data["viewer"] == 1
    assert data["to_move"] == [1]
    assert data["question"] == Question.EFFECTS.name.lower()
    assert data["seats"][1]["hand"] == ["?1"]
    assert data["effects"][0] == {"effect": "assassination", "choices": ["M+"], "reason": None}
    assert data["majority"][0] == {"seats": [1], "points": 2, "ahead": True}
    assert data["result"] is None


@pytest.mark.parametrize("seed", range(12))
def test_majorities_are_those_of_the_rules(seed):
    chance, teams = Random(seed), seed % 3 == 0
    game = Game(4 if teams else 2 + seed % 3, seed=seed, teams=teams)
    while not game.over:
        position = game.position
        rows = majority_rows(position, game.names)
        for side, row in enumerate(rows):
            assert row.points == points(position, side)
            assert row.ahead == bool(majority_winners(position) >> side & 1)
            assert row.seats == tuple(s for s in range(game.players) if side_of(position, s) == side)
            assert row.names == tuple(game.names[seat] for seat in row.seats)
            assert row.counts == tuple(
                (best_count(position, side, domain), has_majority(position, side, domain))
                for domain in Domain
            )
        game.play(chance.choice(game.choices))
