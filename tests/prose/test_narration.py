"""Every event has a sentence for every reader, and every choice a meaning."""

from random import Random

import pytest

from hegemon import Domain, Effect, Ending, Game, Result, read_view
from hegemon.notation.choices import choices_in
from hegemon.play.events import (
    CoinMoved,
    CoinReturned,
    Discarded,
    Drew,
    EmbargoLifted,
    Event,
    Fetched,
    GameEnded,
    Kept,
    PutDemocracy,
    PutEmbargo,
    SkippedPlay,
    TookBack,
    TookHand,
    TurnBegan,
    UsedEffect,
)
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import get_translator
from hegemon.rules.engine import legal
from hegemon.rules.position import Question
from hegemon.rules.victory import STALLED_ROUNDS

NAMES = ("Ada", "Zenobia", "Ashoka", "Livia")


def narrated(*events, reader=None, teams=False):
    return Narrator(NAMES, reader, teams=teams).narrate(events)


ATTACK = (
    UsedEffect(1, Effect.ATTACK, domain=Domain.ECONOMY),
    Discarded(1, "M1", from_hand=False),
    Discarded(1, "E1", from_hand=False),
)


@pytest.mark.parametrize(
    ("losers", "reader", "sentence"),
    [
        ([], None, "Zenobia discarded Military I to attack Economy; no one else had a card to lose."),
        ([], 1, "You discarded Military I to attack Economy; no one else had a card to lose."),
        (
            [2, 0],
            None,
            "Zenobia discarded Military I to attack Economy, which also cost Ashoka and Ada a card each.",
        ),
        (
            [2, 0],
            1,
            "You discarded Military I to attack Economy, which also cost Ashoka and Ada a card each.",
        ),
        ([2], 1, "You discarded Military I to attack Economy, which also cost Ashoka a card."),
        ([0], 0, "Zenobia discarded Military I to attack Economy; you lost Economy II."),
        (
            [2, 0],
            0,
            "Zenobia discarded Military I to attack Economy; you lost Economy II, and it also cost Ashoka a card.",
        ),
    ],
)
def test_an_attack_is_one_sentence(losers, reader, sentence):
    losses = [Discarded(seat, "E2", from_hand=False) for seat in losers]
    assert narrated(*ATTACK, *losses, reader=reader) == [sentence]


@pytest.mark.parametrize(
    ("losers", "sentence"),
    [
        ([2], "Atakujesz Ekonomię kosztem karty Armii I; kartę traci też Ashoka."),
        ([2, 0], "Atakujesz Ekonomię kosztem karty Armii I; po karcie tracą też Ashoka i Ada."),
    ],
)
def test_other_languages_inflect_names_and_count_those_who_lose_a_card(losers, sentence):
    losses = [Discarded(seat, "E2", from_hand=False) for seat in losers]
    narrator = Narrator(NAMES, 1, tr=get_translator("pl"))
    assert narrator.narrate((*ATTACK, *losses)) == [sentence]


def test_the_sentence_for_a_stall_says_after_how_many_rounds():
    """It says "ten" in words, in every language: another number needs other sentences."""
    assert STALLED_ROUNDS == 10


def test_two_embargoes_that_are_lifted_at_once_are_one_sentence():
    lifted = (
        EmbargoLifted(1, Domain.MILITARY, "E1"),
        EmbargoLifted(1, Domain.MILITARY, "E2"),
        EmbargoLifted(1, Domain.SCIENCE, "E1"),
    )
    assert narrated(*lifted, reader=1) == [
        "The Embargo on your Military has been lifted.",
        "The Embargo on your Science has been lifted.",
    ]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_question_of_a_draft_pick_says_what_happens_to_the_rest(players):
    game = Game(players, "draft", seed=1)
    rest = []
    while game.view(0).question == Question.DRAFT:
        for seat in range(players):
            question = ChoiceDescriber(game.view(seat), NAMES[:players]).question()
            rest.append(question.removeprefix("Draft: keep one card"))
            game.play(game.choices_of(seat)[0], seat=seat)
            if seat < players - 1:
                waiting = ChoiceDescriber(game.view(seat), NAMES[:players]).question()
                assert waiting.startswith("Draft: waiting for")
    assert rest[::players] == [
        " and pass the other 3 to the left.",
        " and pass the other 2 to the left.",
        "; the other goes face up into the center.",
    ]
    assert len(set(rest)) == 3


@pytest.mark.parametrize(
    ("cards", "reader", "sentence"),
    [
        (("?1", "?2"), 3, "Zenobia discarded Religion I, sent the Inquisition after Ada and took 2 cards."),
        (("?1",), 3, "Zenobia discarded Religion I, sent the Inquisition after Ada and took a card."),
        (
            ("M1", "S2"),
            1,
            "You discarded Religion I, sent the Inquisition after Ada and took Military I and Science II.",
        ),
        (("M1",), 0, "Zenobia discarded Religion I, sent the Inquisition after you and took Military I."),
        ((), 0, "Zenobia discarded Religion I, sent the Inquisition after you and took nothing."),
    ],
)
def test_an_inquisition_is_one_sentence(cards, reader, sentence):
    events = (
        UsedEffect(1, Effect.INQUISITION, target=0),
        Discarded(1, "R1", from_hand=False),
        TookHand(1, 0, cards, ()),
    )
    assert narrated(*events, reader=reader) == [sentence]


@pytest.mark.parametrize(
    ("event", "reader", "sentence"),
    [
        (Drew(1, ("?1",)), None, "Zenobia drew a card."),
        (Drew(1, ("?1", "?")), None, "Zenobia drew 2 cards."),
        (Drew(1, ("M1",)), None, "Zenobia drew Military I."),
        (Drew(1, ("M1", "R2", "U3")), 1, "You drew Military I, Religion II and Utopia III."),
        (TurnBegan(1, 4), 1, "Round 4: your turn."),
        (SkippedPlay(1), None, "Zenobia could not play a card: every card in hand is under Embargo."),
        (
            PutEmbargo(1, 1, Domain.CULTURE, "E1"),
            1,
            "You put an Embargo on your own Culture; it applies to your next turn.",
        ),
        (PutEmbargo(1, 0, Domain.CULTURE, "E1"), 0, "Zenobia put an Embargo on your Culture."),
        (
            PutDemocracy(1, 1, Domain.UTOPIA),
            0,
            "Zenobia placed a Democracy in their own Utopia: Hegemony there now takes one more card.",
        ),
        (CoinMoved(1, 0, Domain.SCIENCE), 0, "Zenobia placed the Culture coin on your Science."),
        (CoinReturned(0), 0, "You no longer have the most Culture; the Culture coin goes back to the deck."),
        (UsedEffect(1, Effect.PURGE), None, "Zenobia used Purge."),
        (UsedEffect(1, Effect.PURGE, copied_from=0), 0, "Zenobia copied Purge from you."),
        (UsedEffect(1, Effect.EMBARGO, target=0), 0, "Zenobia aimed an Embargo at you."),
        (UsedEffect(1, Effect.DEMOCRACY, target=1), 1, "You are placing a Democracy on yourself."),
    ],
)
def test_events_are_narrated_to_their_reader(event, reader, sentence):
    assert narrated(event, reader=reader) == [sentence]


def test_cards_that_move_together_are_one_sentence():
    assert narrated(
        Discarded(0, "M1", from_hand=True),
        Discarded(0, "R1", from_hand=True),
        Discarded(0, "R1", from_hand=False),
        TookBack(0, "S1"),
        TookBack(0, "S2"),
        Fetched(1, "U3"),
        Fetched(0, "U3"),
        reader=0,
    ) == [
        "You discarded Military I and Religion I from your hand.",
        "You discarded Religion I from play.",
        "You took Science I and Science II back into your hand.",
        "Zenobia took Utopia III from the discard pile.",
        "You took Utopia III from the discard pile.",
    ]


def test_hidden_picks_are_one_sentence():
    picks = (Kept(1, "?1"), Kept(2, "?"), Kept(0, "M1"), Kept(3, "?1"))
    assert narrated(*picks, reader=0) == [
        "Zenobia and Ashoka each kept a card.",
        "You kept Military I.",
        "Livia kept a card.",
    ]
    assert narrated(Kept(1, "M1"), Kept(2, "R1")) == ["Zenobia kept Military I.", "Ashoka kept Religion I."]


def test_an_aim_is_narrated_until_the_marker_is_placed():
    aimed = UsedEffect(0, Effect.EMBARGO, target=1)
    assert narrated(aimed) == ["Ada aimed an Embargo at Zenobia."]
    lies = PutEmbargo(0, 1, Domain.MILITARY, "E1")
    assert narrated(aimed, lies) == ["Ada put an Embargo on Zenobia’s Military."]


@pytest.mark.parametrize(
    ("result", "teams", "reader", "sentence"),
    [
        (Result(Ending.HEGEMONY, (1,), Domain.SCIENCE), False, 0, "Zenobia won by Hegemony in Science."),
        (Result(Ending.HEGEMONY, (1,), Domain.SCIENCE), False, 1, "You won by Hegemony in Science!"),
        (
            Result(Ending.HEGEMONY, (1, 3), Domain.SCIENCE),
            True,
            1,
            "Zenobia and Livia won as a team, by Hegemony in Science.",
        ),
        (
            Result(Ending.MAJORITY, (0,)),
            False,
            0,
            "The deck has run out and the round is over: you won by Majority!",
        ),
        (
            Result(Ending.MAJORITY, (0, 2)),
            False,
            0,
            "The deck has run out and the round is over: Ada and Ashoka share the victory.",
        ),
        (
            Result(Ending.MAJORITY, (0, 2)),
            True,
            0,
            "The deck has run out and the round is over: Ada and Ashoka won as a team, by Majority.",
        ),
        (
            Result(Ending.STALL, (0,)),
            False,
            2,
            "No one has drawn for ten rounds, so majorities were scored: Ada won.",
        ),
    ],
)
def test_the_end_of_the_game(result, teams, reader, sentence):
    assert narrated(GameEnded(result), reader=reader, teams=teams) == [sentence]


def test_an_event_without_a_sentence_is_an_error():
    with pytest.raises(TypeError, match="There is no sentence for"):
        narrated(Event())


GAMES = [
    {"players": 2, "rulings": "en"},
    {"players": 3, "variant": "draft", "rulings": "pl"},
    {"players": 4, "teams": True},
    {"players": 3, "rulings": "standard!show-backs+passive-religion"},
]


@pytest.mark.parametrize("options", GAMES, ids=lambda options: " ".join(map(str, options.values())))
def test_whole_games_are_narrated_and_every_choice_is_described(options):
    for seed in range(4):
        game, chance = Game(seed=seed, **options), Random(seed)
        names = NAMES[: game.players]
        while not game.over:
            seat = game.seat
            describer = ChoiceDescriber(game.view(seat), names)
            assert describer.question().endswith(".")
            for choice in game.choices:
                assert describer.describe(choice)[0].isupper()
                # With its number and text, a choice fits into 80 columns.
                assert len(describer.describe(choice)) <= 70
            others = ChoiceDescriber(game.view((seat + 1) % game.players), names)
            assert "{" not in others.question()
            game.play(chance.choice(game.choices))
        for reader in (None, *range(game.players)):
            events = game.events if reader is None else game.events_seen_by(reader)
            narrator = Narrator(names, reader, teams=bool(game.position.teams))
            sentences = narrator.narrate(events)
            assert all(sentence[0].isupper() and sentence[-1] in ".!" for sentence in sentences)
            by_turns = [sentence for turn in narrator.narrate_by_turn(events) for sentence in turn]
            assert by_turns == [s for s in sentences if not s.startswith("Round ")]


@pytest.mark.parametrize(
    ("line", "choice", "expected"),
    [
        (
            "M111111(M1R1)/C1(?1)/C1(?1) 1p - - - ?1 - 1 standard @1",
            "M",
            "Play Military I: 7 of 7, Hegemony at the end of your turn!",
        ),
        (
            "M1111111(R1)/C1(?1)/C1(?1) 1e - - - ?1 - 1 standard @1",
            ".",
            "End your turn and win by Hegemony in Military!",
        ),
        ("M1(R111)/C1(?1)/C1(?1) 1e - - - ?1 - 1 standard @1", ".", "End your turn (nothing to draw)"),
        ("M1(R11)/C1(?1)/C1(?1) 1e - - - ?11 - 1 standard @1", ".", "End your turn: draw a card"),
        ("M1(R1)/C1(?1)/C1(?1) 1e - - - ?11 - 1 standard @1", ".", "End your turn: draw 2 cards"),
        (
            "M1C1(R1)/C1(?1)/C1(?1) 1e - - - ?11 - 1 standard @1",
            "mC",
            "Attack Culture (costs 1 Military): everyone loses a card",
        ),
        (
            "M1C1(R1)/C1(?1)/R1(?1) 1e - - - ?11 - 1 standard @1",
            "mC",
            "Attack Culture (costs 1 Military): Zenobia and you lose one",
        ),
        (
            "R1(R1)/C1(?1)/R1(?11) 1e - - - ?11 - 1 standard @1",
            "r+1",
            "Inquisition (costs 1 Religion): swap a card with Zenobia if you like",
        ),
        (
            "S1(R1)/C1(?1)/R1(?11) 1e - - - ?11 - 1 standard @1",
            "sS",
            "Breakthrough (costs 1 Science): draw 2 cards, then discard as many",
        ),
        (
            "S1(R1)/C1(?1)/R1(?11) 1e - - - - - 1 standard @1",
            "sS",
            "Breakthrough (costs 1 Science): the deck is empty, so you draw nothing",
        ),
        (
            "E11(R1)/C1(?1)/R1(?11) 1e - - - ?11 - 1 en @1",
            "e+0",
            "Embargo (costs 1 Economy): block one of your own Domains next turn",
        ),
        (
            "C11(R1E1)/M111C1(?1)/S1(?1) 1e - - - ?11 - 1 standard @1",
            "cM+",
            "Assassination, copied from Zenobia: discard 1 card from your hand",
        ),
        (
            "U3(R1)/M11S1(?1) 1e u u>2 - ?11 - 1 standard @1",
            "M",
            "Place the Democracy in Military (Zenobia has 2 of 8)",
        ),
    ],
)
def test_a_choice_is_described_by_what_it_would_do(line, choice, expected):
    assert ChoiceDescriber(read_view(line), NAMES).describe(choice) == expected


@pytest.mark.parametrize(
    ("line", "question"),
    [
        (
            "E11M1(R1)/M1(?1) 1e e e>1 - ?11 - 1 en @1",
            "Choose which of your own Domains to put the Embargo on.",
        ),
        (
            "E11M1(?1)/M1(R1) 1e e e>1 - ?11 - 1 en @2",
            "Ada has to choose which of their own Domains to put the Embargo on.",
        ),
        (
            "U33M1(R1)/M1(?1) 1e u u>1 - ?11 - 1 en @1",
            "Choose which of your own Domains to place the Democracy in.",
        ),
        (
            "U33M1(R1)/M1(?1) 1e u u>2 - ?11 - 1 en @1",
            "Choose which of Zenobia’s Domains to place the Democracy in.",
        ),
    ],
)
def test_a_marker_on_oneself_has_questions_and_choices_of_its_own(line, question):
    describer = ChoiceDescriber(read_view(line), NAMES)
    assert describer.question() == question
    if "your own" in question:
        assert "(you have 1" in describer.describe("M")


def test_described_choices_are_legal():
    line = "M1C1(R1)/C1(?1)/C1(?1) 1e - - - ?11 - 1 standard @1"
    assert "mC" in choices_in(legal(ChoiceDescriber(read_view(line), NAMES).position))
