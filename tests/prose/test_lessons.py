"""The tutorial game: every step is legal, does what its text claims, and has a reachable position."""

import itertools
import re
from pathlib import Path

import pytest

from hegemon.notation.problems import problems
from hegemon.notation.reading import read_position
from hegemon.notation.record import Result
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.prose.catalogs import is_complete, load_catalog
from hegemon.prose.lessons import LESSONS, SENTENCES
from hegemon.prose.translator import LANGUAGES, get_translator
from hegemon.rules.cards import NUMBER_OF_CARDS, Domain, count
from hegemon.rules.position import Ending
from hegemon.rules.turn import threshold
from hegemon.rules.victory import hegemony_threshold, points

NAMES = ("Ada", "Zenobia", "Ashoka")
STYLES = Path(__file__).parents[2] / "src/hegemon/server/web/static/learn.css"


def played(key):
    """The game of a lesson after each of its steps, the beginning included."""
    game = Game.from_position(LESSONS[key].position, NAMES)
    games = [game.copy()]
    for step in LESSONS[key].steps:
        assert game.seat == LESSONS[key].seat
        game.play(step.choice)
        for choice in step.replies:
            assert game.seat != LESSONS[key].seat
            game.play(choice)
        games.append(game.copy())
    return games


def cards(game, seat, domain):
    return count(game.position.areas[seat][domain])


def hand(game, seat):
    return sum(map(count, game.position.hands[seat]))


@pytest.mark.parametrize("key", LESSONS)
def test_a_lesson_begins_with_a_position_of_a_real_game(key):
    position = read_position(LESSONS[key].position)
    assert write_position(position) == LESSONS[key].position
    assert problems(position) == []
    assert position.seat == LESSONS[key].seat


@pytest.mark.parametrize("key", LESSONS)
def test_every_step_is_legal_and_has_other_choices_or_explains_itself(key):
    assert len(played(key)) == len(LESSONS[key].steps) + 1


def test_playing_a_card_and_drawing_up_to_three():
    first, second, third = played("playing")
    assert (cards(first, 0, Domain.SCIENCE), cards(second, 0, Domain.SCIENCE)) == (0, 1)
    assert hegemony_threshold(second.position, 0, Domain.SCIENCE) == 7
    assert [hand(game, 0) for game in (first, second, third)] == [3, 2, 3]
    assert third.seat == 0, "the others have had their turns"


def test_holy_book_draws_up_to_five():
    games = played("permanent")
    assert games[0].position.round - 1 == 3, "three rounds later"
    assert [cards(game, 0, Domain.RELIGION) for game in games[:2]] == [2, 3]
    assert "R+" not in games[0].choices
    assert "R+" in games[1].choices
    assert hand(games[-1], 0) == 5


def test_inspiration_copies_holy_book_from_zenobia_and_the_coin_shows_it():
    before, ready, after = played("culture")
    assert [cards(before, seat, Domain.CULTURE) for seat in range(3)] == [2, 2, 1]
    assert cards(ready, 0, Domain.CULTURE) == 3
    assert cards(ready, 2, Domain.RELIGION) == threshold(ready.position, 1) == 3
    for choice in set(before.choices) - {"C"}:
        other = before.copy()
        other.play(choice)
        assert "cR+" not in other.choices
    assert (after.position.coin_owner, after.position.coin_seat) == (1, 2)
    assert after.position.coin_domain == Domain.RELIGION
    assert len({choice for choice in ready.choices if choice.startswith("c")}) > 1, "other effects to copy"
    after.play(".")
    assert hand(after, 0) == 5


def test_the_backs_show_that_only_pericles_can_win():
    before, after = played("backs")
    assert [before.view(0).backs[seat] for seat in (1, 2)] == [(0, 0, 3)] * 2
    assert (NUMBER_OF_CARDS[Domain.RELIGION][2], NUMBER_OF_CARDS[Domain.UTOPIA][:2]) == (0, (0, 0))
    for seat, domain in ((1, Domain.ECONOMY), (2, Domain.RELIGION)):
        assert hegemony_threshold(before.position, seat, domain) - cards(before, seat, domain) == 1
    assert cards(after, 1, Domain.ECONOMY) == 5
    wrong = before.copy()
    for choice in ("mR", ".", "E", "."):
        wrong.play(choice)
    assert wrong.result == Result(Ending.HEGEMONY, (1,), Domain.ECONOMY)


def test_the_attack_costs_two_cards_and_hits_zenobia():
    before, ready, after = played("attack")
    assert [cards(game, 2, Domain.ECONOMY) for game in (before, ready, after)] == [6, 6, 5]
    lost = [sum(cards(game, 0, domain) for domain in Domain) for game in (ready, after)]
    assert lost[0] - lost[1] == 2


def test_the_embargo_keeps_zenobia_from_playing_economy_for_a_round():
    games = played("embargo")
    assert cards(games[0], 2, Domain.ECONOMY) == 6
    assert games[3].position.embargoes[2][Domain.ECONOMY]
    assert cards(games[-1], 2, Domain.ECONOMY) == 6
    assert not games[-1].position.embargoes[2][Domain.ECONOMY]
    assert games[-1].seat == 0
    blocked = games[3].copy()
    for choice in (".", "M", "."):
        blocked.play(choice)
    assert count(blocked.position.hands[2][Domain.ECONOMY]), "she would have had a card to play"
    assert "E" not in blocked.choices


def test_the_democracy_makes_eight_of_seven():
    games = played("democracy")
    needed = [hegemony_threshold(game.position, 2, Domain.ECONOMY) for game in (games[0], games[-1])]
    assert needed == [7, 8]
    assert cards(games[0], 2, Domain.ECONOMY) == 6


def test_hegemony_wins():
    games = played("hegemony")
    assert [cards(game, 0, Domain.SCIENCE) for game in games] == [5, 6, 6, 6, 7, 7]
    assert games[-1].result == Result(Ending.HEGEMONY, (0,), Domain.SCIENCE)


def test_majority_wins_and_only_culture_does():
    games = played("majority")
    assert games[0].position.deck_size == 0
    assert [points(games[1].position, seat) for seat in (2, 1)] == [4, 3]
    assert games[-1].result == Result(Ending.MAJORITY, (2,))
    for choice in set(games[0].choices) - {"C"}:
        other = games[0].copy()
        other.play(choice)
        other.play(".")
        assert other.result.winners != (2,)


def test_the_choice_of_a_step_is_marked_on_the_table():
    marked = set(re.findall(r'\[data-try="([^"]+)"\] button\[value="\1"\]', STYLES.read_text()))
    assert marked == {step.choice for lesson in LESSONS.values() for step in lesson.steps}


@pytest.mark.parametrize("key", LESSONS)
def test_texts_are_about_places_of_the_table(key):
    looks = [LESSONS[key].look, *(step.look for step in LESSONS[key].steps)]
    assert looks[0], "the conclusion has a place"
    for place in itertools.chain(*looks):
        assert re.fullmatch(r"hand|(me|other[12])(-[MRESCU])?|other[12]-backs", place)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_tutorial_takes_less_than_six_minutes(code):
    """At a reading speed of 240 words a minute, and four seconds a step."""
    texts = [
        get_translator(code).learning[f"lesson.{key}"] for key in SENTENCES if not key.startswith("page.")
    ]
    steps = sum(len(lesson.steps) + 1 for lesson in LESSONS.values())
    assert sum(len(text.split()) for text in texts) / 240 * 60 + 4 * steps < 360


@pytest.mark.parametrize("code", LANGUAGES)
def test_lessons_puzzles_and_hints_are_translated(code):
    texts = get_translator(code).learning
    assert all(texts[key] for key in ("lesson.playing.title", "hint.ask", "puzzle.page.title"))
    if code != "en":
        assert texts["lesson.playing.1"] != SENTENCES["playing.1"]
        assert is_complete(load_catalog(code, "learning"))
