"""Bots: their choices are legal, determined by the seed and independent of hidden cards, and they beat weaker bots."""

from importlib.metadata import EntryPoint
from random import Random

import pytest

from hegemon import CHOICES, Game, Memory, SetupError, determinize, play_match, read_position
from hegemon.bots import Chance, Greedy, make_bot
from hegemon.bots.registry import ENTRY_POINTS
from hegemon.notation.choices import choices_in
from hegemon.rules.engine import apply, legal
from hegemon.rules.view import view

TABLES = [
    {"players": 2},
    {"players": 3, "variant": "draft"},
    {"players": 4, "teams": True, "rulings": "pl"},
    {"players": 4, "variant": "draft", "teams": True, "rulings": "en"},
    {"players": 3, "rulings": "standard!show-backs+passive-religion"},
]

#: Every kind of bot. Two levels are searches, and `learned:10` searches as they do, with fewer iterations.
NAMES = ["chance", "greedy", "search:30", "learned", "beginner", "normal", "learned:10"]


def question(line):
    """The view, a fresh memory, and the choices of the seat to move."""
    position = read_position(line)
    seen = view(position, position.seat)
    return seen, Memory(seen.viewer, seen.players), choices_in(legal(position))


def chosen(line, bot=Greedy):
    return bot(1).choose(*question(line))


def played_through(bot, line):
    """The choices of a bot from a position to the end of its turn."""
    position, chosen = read_position(line), []
    seat, player = position.seat, bot(1)
    while position.seat == seat and legal(position):
        seen = view(position, seat)
        chosen.append(player.choose(seen, Memory(seen.viewer, seen.players), choices_in(legal(position))))
        apply(position, CHOICES.index(chosen[-1]))
    return chosen


# ------------------------------------------------------------------ every bot


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: " ".join(map(str, table.values())))
def test_a_bot_plays_whole_games_by_the_rules(name, table):
    # play_match rejects an illegal choice, so a game that ends was played by the rules.
    game = Game(seed=7, **table)
    assert play_match(game, [make_bot(name, seat) for seat in range(game.players)]) == game.result


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_plays_the_same_game_from_the_same_seed(name):
    def moves():
        game = Game(3, "draft", seed=11)
        play_match(game, [make_bot(name, seat) for seat in range(3)])
        return game.moves

    assert moves() == moves()


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("name", NAMES)
def test_a_bot_chooses_the_same_in_two_worlds_that_differ_only_in_hidden_cards(name):
    differ = 0
    for table in TABLES:
        game, chance = Game(seed=5, **table), Random(3)
        while not game.over:
            seat = game.seat
            seen, memory = game.view(seat), game.memory(seat)
            world = determinize(seen, memory, chance)
            differ += world != game.position
            here = make_bot(name, 9).choose(seen, memory, game.choices)
            there = make_bot(name, 9).choose(view(world, seat), memory, choices_in(legal(world)))
            assert here == there
            for _ in range(5):  # not at every moment: a memory replays the whole game so far
                if not game.over:
                    game.play(chance.choice(game.choices))
    assert differ > 30


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_may_draft_before_its_neighbours(name):
    game = Game(3, "draft", seed=2)
    for seat in (2, 1, 0):
        choice = make_bot(name, 0).choose(game.view(seat), game.memory(seat), game.choices_of(seat))
        game.play(choice, seat)
    assert game.view(0).left == 2


def test_an_unknown_bot_is_rejected_with_the_names():
    with pytest.raises(
        SetupError, match='no bot "deep blue"; the bots are chance, greedy, search, learned, beg'
    ):
        make_bot("deep blue", 0)


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("nowhere:Bot", "No module named 'nowhere'"),
        ("json:Bot", "has no attribute 'Bot'"),
        ("builtins:object", "takes no arguments"),
    ],
)
def test_a_third_party_bot_that_cannot_be_created_is_named(monkeypatch, place, sentence):
    point = EntryPoint("stranger", place, ENTRY_POINTS)
    monkeypatch.setattr("hegemon.bots.registry.entry_point_bots", lambda: {"stranger": point})
    with pytest.raises(
        SetupError, match=f"^The bot stranger of another package cannot be created: .*{sentence}"
    ):
        make_bot("stranger")


def test_chance_eventually_chooses_everything():
    choices = ("M", "R", "E")
    bot = Chance(0)
    assert {bot.choose(None, None, choices) for _ in range(50)} == set(choices)


# ------------------------------------------------------------------ greedy


def test_greedy_plays_the_card_that_wins():
    assert chosen("M111111R11(M1R1S1)/C1(S1E1M1)/C1(S1E1M1) 1p") == "M"


def test_greedy_ends_the_turn_when_it_has_won():
    assert chosen("M1111111R11E111(R1S1)/C1(S1E1M1)/C1(S1E1M1) 1e - - - S1") == "."


def test_greedy_develops_to_victory():
    line = "M111111E111(M1R1)/C1(S1E1M1)/C1(S1E1M1) 1e - - - S111"
    choices = played_through(Greedy, line)
    assert choices[0] == "E+"
    assert choices[1] != "M"
    assert choices[2] == "M"


def test_greedy_reads_the_holy_book_before_it_draws():
    assert chosen("R111S11(R1S1)/C1(S1E1M1)/C1(S1E1M1) 1e - - - S111R111") == "R+"


def test_greedy_strikes_at_an_opponent_about_to_win():
    # Attack, Embargo or Democracy: anything but letting seat 2 play its seventh Science card.
    assert chosen("M1S1(R1S1)/S112222(S1E1M1)/C1(S1E1M1) 1e - - - S111R111") == "mS"
    assert chosen("E1(R1S1)/S112222(S1E1M1)/C1(S1E1M1) 1e - - - S111R111") == "e+1"
    assert chosen("E1(R1S1)/S112222(S1E1M1)/C1(S1E1M1) 1e e e>2 - S111R111") == "S"


def test_greedy_names_its_picks_in_the_order_that_is_offered():
    # It wants to get rid of Utopia and Military; after Utopia, Military could no longer be named.
    assert played_through(Greedy, "R1S1111(M1S11U3)/C1(S1E1M1)/C1(S1E1M1) 1e M h2 - S1")[:2] == ["M", "U"]


def test_greedy_gives_back_what_it_needs_least():
    choices = played_through(Greedy, "S11111(S11C1M1R1E1)/C111()/C1(S1E1M1) 1e r g3>2 - S1")
    assert choices[:3].count("S") == 0


def test_greedy_can_choose_in_a_study_that_the_cards_of_the_game_could_not_form():
    assert chosen("S1R1M1(S1)/E3333333333333(M3)/C1(S1E1M1) 1e - - - S11111111111") in ("sS", ".", "r+1")


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("players", "games", "least"), [(2, 40, 37), (4, 24, 17)])
def test_greedy_beats_chance(players, games, least):
    won = 0
    for number in range(games):
        game = Game(players, seed=number)
        bots = [Chance(number) for _ in range(players)]
        bots[number % players] = Greedy(number)
        won += number % players in play_match(game, bots).winners
    assert won >= least
