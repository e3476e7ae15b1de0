"""The events of every kind of move, and what each viewer sees of them."""

import json
from dataclasses import asdict

import pytest

from hegemon import Domain, Effect, Ending, Game, Result, read_position
from hegemon.notation.choices import read_choice
from hegemon.play.events import (
    ChoseGift,
    CoinMoved,
    CoinReturned,
    Dealt,
    DeckRanOut,
    Discarded,
    Drew,
    EmbargoLifted,
    Event,
    Fetched,
    GameEnded,
    GaveBack,
    Kept,
    Passed,
    Played,
    PutDemocracy,
    PutEmbargo,
    Revealed,
    SkippedPlay,
    TookBack,
    TookFromCenter,
    TookHand,
    TurnBegan,
    UsedEffect,
    events_of_move,
    opening_events,
)
from hegemon.rules.engine import apply, legal

MILITARY, RELIGION, ECONOMY, SCIENCE, CULTURE, UTOPIA = Domain


def events(line, choices, seat=None):
    """The events of these choices, played in order."""
    position = read_position(line)
    story = []
    for text in choices.split():
        action = read_choice(text)
        if seat is not None:
            position.seat = seat
        assert legal(position) >> action & 1, text
        before = position.copy()
        apply(position, action)
        story += events_of_move(before, action, position)
    return story


def test_a_card_is_played():
    assert events("(M1R2)/(E1) 1p", "R") == [Played(0, "R2")]


def test_a_turn_ends_with_a_draw_and_the_next_begins():
    assert events("M1(R1)/(E1) 1e - - - S1C1M2", ".") == [Drew(0, ("S1", "C1")), TurnBegan(1, 1)]
    assert events("M1(R1)/E1(E1S11) 2e - - - S1C1M2", ".") == [TurnBegan(0, 2)]


def test_the_oldest_card_moves():
    assert events("M111(M21)/(E1) 1e", "M+ M") == [
        UsedEffect(0, Effect.ASSASSINATION),
        Discarded(0, "M1", from_hand=True),
    ]


def test_development_discards_from_the_area_and_plays():
    assert events("M2E111(R1)/(E1) 1e", "E+ M R") == [
        UsedEffect(0, Effect.DEVELOPMENT),
        Discarded(0, "M2", from_hand=False),
        Played(0, "R1"),
    ]


def test_experiment_takes_back_and_plays():
    assert events("M2S111(R1)/(E1) 1e", "S+ M R") == [
        UsedEffect(0, Effect.EXPERIMENT),
        TookBack(0, "M2"),
        Played(0, "R1"),
    ]


def test_oligarchy_fetches():
    assert events("U333(R1)/(E1) 1e - - - - C21", "U+ C") == [
        UsedEffect(0, Effect.OLIGARCHY),
        Fetched(0, "C1"),
    ]


def test_religion_raises_the_hand_size_and_shows_no_card():
    assert events("R111(M1)/(E1) 1e - - - S1", "R+") == [UsedEffect(0, Effect.HOLY_BOOK)]


def test_an_attack_has_an_event_for_each_victim_from_the_attacker_on():
    assert events("E1(M1)/M12E3(S1)/E22(S1) 2e", "mE") == [
        UsedEffect(1, Effect.ATTACK, domain=ECONOMY),
        Discarded(1, "M1", from_hand=False),
        Discarded(1, "E3", from_hand=False),
        Discarded(2, "E2", from_hand=False),
        Discarded(0, "E1", from_hand=False),
    ]
    assert events("M12(M1)/(S1) 1e", "mM") == [
        UsedEffect(0, Effect.ATTACK, domain=MILITARY),
        Discarded(0, "M1", from_hand=False),
        Discarded(0, "M2", from_hand=False),
    ]


def test_a_breakthrough_draws_and_discards():
    assert events("S1(M1)/(E1) 1e - - - R1E1", "sS M R") == [
        UsedEffect(0, Effect.BREAKTHROUGH),
        Discarded(0, "S1", from_hand=False),
        Drew(0, ("R1", "E1")),
        DeckRanOut(0),
        Discarded(0, "M1", from_hand=True),
        Discarded(0, "R1", from_hand=True),
    ]
    assert events("R1(M1)/(E1) 1e - - - - - 1 pl", "sR") == [
        UsedEffect(0, Effect.BREAKTHROUGH),
        Discarded(0, "R1", from_hand=False),
    ]


def test_an_embargo_is_put_down_and_lifted():
    story = events("E2(M1)/C1(C1M11) 1e - - - R1S1", "e+1 C . M .")
    assert story == [
        UsedEffect(0, Effect.EMBARGO, target=1),
        PutEmbargo(0, 1, CULTURE, "E2"),
        Drew(0, ("R1", "S1")),
        DeckRanOut(0),
        TurnBegan(1, 1),
        Played(1, "M1"),
        EmbargoLifted(1, CULTURE, "E2"),
        GameEnded(Result(Ending.MAJORITY, (1,))),
    ]


def test_a_democracy_is_put_down():
    assert events("U33(M1)/C1(C1) 1e", "u+1 C") == [
        UsedEffect(0, Effect.DEMOCRACY, target=1),
        PutDemocracy(0, 1, CULTURE),
    ]


def test_a_seat_that_can_play_nothing_skips_the_step():
    assert events("(R1S11)/C1e1(C1) 1e - - - M1", ".")[-2:] == [TurnBegan(1, 1), SkippedPlay(1)]


def test_inspiration_moves_the_coin():
    assert events("C1(M1)/E1(M1)/M111(S1) 1e", "cM+") == [
        UsedEffect(0, Effect.ASSASSINATION, copied_from=2),
        CoinMoved(0, 2, MILITARY),
    ]


def test_the_coin_stays_where_it_is_if_the_same_is_copied_again():
    assert events("C1(M1)/M111(S1) 1e - - 1>2M", "cM+") == [
        UsedEffect(0, Effect.ASSASSINATION, copied_from=1)
    ]


def test_the_coin_returns_when_the_lead_is_lost():
    assert events("C1(M1)/(C2) 2p - - 1>2M", "C") == [Played(1, "C2"), CoinReturned(0)]


def test_a_hegemony_ends_the_game():
    assert events("M11111112(M1R11)/(C2) 1e - - - C1", ".") == [
        GameEnded(Result(Ending.HEGEMONY, (0,), MILITARY))
    ]


# ------------------------------------------------------------------ Inquisition

INQUISITION = "R1(M1E3)/C1(S2C1)/(E1) 1e"


def test_an_inquisition_has_an_event_for_each_card_and_one_for_the_exchange():
    assert events(INQUISITION, "r+1 E C") == [
        UsedEffect(0, Effect.INQUISITION, target=1),
        Discarded(0, "R1", from_hand=False),
        TookHand(0, 1, ("S2", "C1"), enlarged=("?1", "?1", "?2", "?3")),
        ChoseGift(0, 1, "E3"),
        ChoseGift(0, 1, "C1"),
        GaveBack(0, 1, ("E3", "C1")),
    ]


def test_an_empty_hand_is_taken_and_nothing_given_back():
    assert events("R1(M1)/C1()/(E1) 1e", "r+1")[-1] == TookHand(0, 1, (), enlarged=("?1",))


@pytest.mark.parametrize(
    ("viewer", "backs_shown", "taken", "first", "given"),
    [
        (0, True, ("S2", "C1"), "E3", ("E3", "C1")),
        (1, True, ("S2", "C1"), "?", ("E3", "C1")),
        (2, True, ("?1", "?2"), "?", ("?1", "?3")),
        (-1, True, ("?1", "?2"), "?", ("?1", "?3")),
        (2, False, ("?", "?"), "?", ("?", "?")),
    ],
)
def test_only_the_two_players_see_the_cards_of_an_inquisition(viewer, backs_shown, taken, first, given):
    rules = "" if backs_shown else " - - - - - 1 standard!show-backs"
    story = [event.seen_by(viewer, backs_shown) for event in events(INQUISITION + rules, "r+1 E C")]
    enlarged = ("?1", "?1", "?2", "?3") if backs_shown else ("?", "?", "?", "?")
    assert story[2] == TookHand(0, 1, taken, enlarged)
    assert story[3].card == first
    assert story[5] == GaveBack(0, 1, given)


# ------------------------------------------------------------------ the draft


def test_a_draft_has_events_from_the_deal_to_the_first_turn():
    game = Game(2, "draft", seed=8)
    dealt = game.events[0]
    while game.position.round == 0:
        game.play(game.choices[0])
    kinds = [type(event) for event in game.events]
    assert kinds == [
        *(Dealt, Kept, Kept, Passed, Kept, Kept, Passed, Kept, Kept, Revealed),
        *(TookFromCenter, TookFromCenter, TurnBegan),
    ]
    first = dealt.hands[0][0]
    assert game.events[1] == Kept(0, first)
    assert game.events[1].seen_by(1, backs_shown=True) == Kept(0, "?1")
    assert game.events[1].seen_by(-1, backs_shown=False) == Kept(0, "?")
    passed = game.events[3]
    assert [len(packet) for packet in passed.packets] == [3, 3]
    assert passed.packets[1] == dealt.hands[0][1:]
    assert passed.seen_by(1, backs_shown=True).packets == (("?1",) * 3, passed.packets[1])
    assert len(game.events[9].cards) == 2
    assert game.events[9].seen_by(-1, backs_shown=True) == game.events[9]
    assert game.events[10].seat == 1
    assert game.events[-1] == TurnBegan(0, 1)


def test_the_deal_shows_each_seat_its_own_cards():
    game = Game(3, seed=8)
    dealt, began = game.events
    assert began == TurnBegan(0, 1)
    for viewer in range(-1, 3):
        seen = game.events_seen_by(viewer)[0]
        for seat in range(3):
            assert seen.hands[seat] == (dealt.hands[seat] if seat == viewer else ("?1",) * 3)


def test_an_opening_position_without_a_card_to_play_skips_the_step():
    position = read_position("()/(M1) 1e")
    assert opening_events(position) == [Dealt(((), ("M1",))), TurnBegan(0, 1), SkippedPlay(0)]


# ------------------------------------------------------------------ in a game


def test_events_can_be_read_from_any_index_on():
    game = Game(2, seed=1)
    seen = game.events_seen_by(0)
    for _ in range(20):
        game.play(game.choices[0])
        seen += game.events_seen_by(0, since=len(seen))
    assert seen == game.events_seen_by(0)
    assert len(seen) == len(game.events)


def test_events_can_be_written_as_json():
    game = Game(3, seed=2)
    while not game.over:
        game.play(game.choices[-1])
    written = json.loads(json.dumps([asdict(event) for event in game.events_seen_by(1)]))
    assert written[1] == {"seat": 0, "round": 1}
    assert {type(event) for event in game.events} < set(Event.__subclasses__())
