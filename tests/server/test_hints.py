"""Hints: three steps, only against bots, based on what the seat sees and remembers."""

import asyncio
from random import Random

import pytest
from server_browser import Browser, visiting

from hegemon.bots.search import Evaluation, SearchResult
from hegemon.play.game import Game
from hegemon.prose.lessons import LESSONS
from hegemon.prose.translator import LANGUAGES, get_translator
from hegemon.rules.position import Question
from hegemon.server.db.rows import SeatRow
from hegemon.server.security import tokens
from hegemon.server.tables import moves as table_moves
from hegemon.server.web.views import hints
from hegemon.server.web.views.hints import Advice, think
from random_games import new_game, play_by_chance
from test_leak import Story, played_again, shuffled_names

ALONE = {"seat1": "me", "seat2": "greedy", "seat3": "greedy"}
NAMES = ("Ada", "Zenobia", "Ashoka", "Hypatia")


@pytest.fixture(autouse=True)
def short_thoughts(monkeypatch):
    """Search by iterations instead of the clock, with the same result on every machine."""
    monkeypatch.setattr(hints, "MAX_ITERATIONS", 40)
    monkeypatch.setattr(hints, "MAX_SECONDS", None)


def told(page):
    """The number of sentences in the hint on a page."""
    return page.split('id="hint"')[1].split("</div>")[0].count("<p>")


async def ask(browser, step, **changes):
    data = {name: browser.hidden(name) for name in ("version", "seat")} | {"step": str(step)} | changes
    return await browser.post(f"{browser.path.removesuffix('/hint')}/hint", data)


async def test_each_step_of_a_hint_reveals_more(browser):
    await browser.take_seat(**ALONE)
    assert "Give me a hint" in browser.page
    assert told(browser.page) == 0
    await ask(browser, 1)
    assert browser.status == 200
    assert "Show me what to choose" in browser.page
    assert told(browser.page) == 1
    await ask(browser, 2)
    assert "I would choose this: Play" in browser.page
    assert "Tell me why" in browser.page
    assert told(browser.page) == 2
    await ask(browser, 3)
    assert "With it I would win about" in browser.page
    assert told(browser.page) > 2
    assert 'name="step"' not in browser.page
    assert browser.words, "the player can still choose"


async def test_a_live_page_gets_only_the_hint(browser):
    await browser.take_seat(**ALONE)
    await browser.get(browser.path)
    data = {name: browser.hidden(name) for name in ("version", "seat")} | {"step": "2"}
    answer = await browser.client.post(
        f"{browser.path}/hint", data=data, headers={"accept": "application/json"}
    )
    assert answer.status_code == 200
    assert "I would choose this" in answer.json()["html"]
    assert "<html" not in answer.json()["html"]


async def test_the_same_question_is_searched_once(browser, monkeypatch):
    to_move = []

    def count(*facts):
        to_move.append(facts)
        return think(*facts)

    monkeypatch.setattr(hints, "think", count)
    await browser.take_seat(**ALONE)
    for step in (1, 2, 3, 3):
        await ask(browser, step)
    assert len(to_move) == 1


async def test_the_oldest_results_are_evicted(browser, monkeypatch):
    monkeypatch.setattr(hints, "_MAX_CACHED", 1)
    browser.client.app.state.adviser = hints.Adviser()
    for _ in range(2):
        await browser.take_seat(**ALONE)
        await ask(browser, 1)
    assert len(browser.client.app.state.adviser._results) == 1


@pytest.mark.parametrize("other", ["person", "friend"])
async def test_there_are_no_hints_at_a_table_with_other_people(database, other):
    async with visiting(database) as client:
        mine, theirs = tokens.new_token(), tokens.new_token()
        rows = [SeatRow(None, tokens.owner_of(token)) for token in (mine, theirs)]
        if other == "person":
            rows[1] = SeatRow(None, tokens.owner_of(mine))
        rows.append(SeatRow("greedy", None))
        game_id = await client.app.state.tables.create(Game(3, seed=1), rows)
        client.cookies.set(tokens.COOKIE, mine)
        page = await Browser(client).get(f"/games/{game_id}?seat=1")
        assert page.words
        assert 'name="step"' not in page.page
        for accept in ("text/html", "application/json"):
            answer = await client.post(
                f"/games/{game_id}/hint",
                data={"step": "1", "version": "0", "seat": "1"},
                headers={"accept": accept},
            )
            assert answer.status_code == 403
            assert "Hints are only available in games against bots." in answer.text


async def test_a_person_with_a_substitute_still_counts_as_a_person(database):
    async with visiting(database) as client:
        mine, theirs = tokens.new_token(), tokens.new_token()
        rows = [
            SeatRow(None, tokens.owner_of(mine)),
            SeatRow(None, tokens.owner_of(theirs), substitute="greedy"),
        ]
        game_id = await client.app.state.tables.create(Game(2, seed=1), rows)
        client.cookies.set(tokens.COOKIE, mine)
        answer = await client.post(f"/games/{game_id}/hint", data={"step": "1", "version": "0", "seat": "1"})
        assert answer.status_code == 403


async def test_there_are_no_hints_for_another_players_seat(browser):
    await browser.take_seat(**ALONE)
    await ask(browser, 1, seat="2")
    assert browser.status == 403


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
async def test_a_question_that_is_no_longer_open_has_no_hint(browser, accept):
    await browser.take_seat(**ALONE)
    data = {"step": "1", "version": "77", "seat": "1"}
    answer = await browser.client.post(f"{browser.path}/hint", data=data, headers={"accept": accept})
    assert answer.status_code == 409
    assert "The table has changed in the meantime" in answer.text


async def test_a_move_during_the_search_makes_the_hint_stale(browser, monkeypatch):
    await browser.take_seat(**ALONE)
    table = await browser.client.app.state.tables.load(browser.path.split("/")[-1])
    to_move, loop = asyncio.Event(), asyncio.get_running_loop()
    said = asyncio.Event()

    def slow(*facts):
        loop.call_soon_threadsafe(to_move.set)
        asyncio.run_coroutine_threadsafe(said.wait(), loop).result()
        return think(*facts)

    monkeypatch.setattr(hints, "think", slow)
    hint = asyncio.create_task(
        browser.client.post(f"/games/{table.id}/hint", data={"step": "1", "version": "0", "seat": "1"})
    )
    await to_move.wait()
    await table_moves.submit_move(browser.client.app.state.tables, table, 0, table.game.choices[0], 0, None)
    said.set()
    assert (await hint).status_code == 409


# ------------------------------------------------------------------ sentences


def advice(game, thoughts, language="en"):
    return Advice(game.view(game.seat), game.names, thoughts, get_translator(language))


def thoughts_of(*words, line=()):
    evaluations = tuple(
        Evaluation(choice, 100 - 10 * place, 0.6 - 0.2 * place) for place, choice in enumerate(words)
    )
    return SearchResult(evaluations, line or words[:1], 100, 0.1)


def test_a_hint_announces_a_win_this_turn():
    lesson = LESSONS["hegemony"]
    game = Game.from_position(lesson.position, NAMES[:3])
    line = tuple(step.choice for step in lesson.steps)
    hint = advice(game, thoughts_of("S", "C", line=line)).hint(3)
    assert hint.sentences[0].startswith("You can win this turn. Count your cards of Science")
    assert "It wins the game this turn." in hint.sentences
    assert hint.sentences[-1].count("→") == len(line) - 1


def test_the_first_step_depends_on_the_best_choice():
    game = Game.from_position(LESSONS["attack"].position, NAMES[:3])
    game.play("M")
    seen = {choice: advice(game, thoughts_of(choice)).what_to_look_at() for choice in game.choices}
    assert seen["mE"] == seen["e+2"] == "Look at Ashoka: already 6 of 7 in Economy."
    assert seen["r+1"] == "Look at what Zenobia is collecting."
    assert seen["M+"] == "Look at what Military can do for you now."
    assert seen["sS"] == "Look at what Science can do for you now."
    assert seen["."] == "Look at what your effects would cost you now."


def test_the_first_step_considers_copies_and_markers():
    game = Game.from_position(
        "R11122C1(M2R222S2C22)/S11222C1(E22)/M1S2(M1S22) 1p - - - M23C3 M11 10 standard", NAMES[:3]
    )
    game.play("C")
    assert "copy" in advice(game, thoughts_of("cS++")).what_to_look_at()
    game = Game.from_position(LESSONS["embargo"].position, NAMES[:3])
    for choice in ("E", "e+2"):
        game.play(choice)
    assert advice(game, thoughts_of("E")).what_to_look_at() == "Look at what Ashoka is collecting."


def test_a_single_choice_needs_no_search():
    game = Game.from_position("M1(M2)/R1(E1) 1p - - - M1R1 - 3 standard", NAMES[:2])
    found = think(game.view(0), game.memory(0), game.choices)
    assert advice(game, found).why() == ["There is no other choice."]


def test_choices_that_are_nearly_as_good_are_described_as_such():
    game = Game.from_position(LESSONS["playing"].position, NAMES[:3])
    even = SearchResult((Evaluation("S", 9, 0.5), Evaluation("C", 8, 0.49)), ("S",), 17, 0.1)
    assert any("nearly as good" in sentence for sentence in advice(game, even).why())
    uneven = thoughts_of("S", "C")
    assert any("next best choice it would be 40%" in sentence for sentence in advice(game, uneven).why())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_choice_has_a_description(language):
    questions = set()
    for number in range(12):
        game, chance = new_game(number * 5), Random(number)
        for _ in zip(range(60), play_by_chance(game, chance), strict=False):
            if game.over:
                break
            if chance.random() < 0.8:
                continue
            questions.add(game.view(game.seat).question)
            for choice in game.choices:
                hint = advice(game, thoughts_of(choice, *game.choices[:1]), language).hint(3)
                assert all(hint.sentences)
                assert "{" not in "".join(hint.sentences)
    assert len(questions) > 5


@pytest.mark.usefixtures("untraced")
def test_a_hint_reveals_nothing_that_the_seat_does_not_know():
    different = 0
    for number in range(30):
        chance = Random(number)
        game = new_game(number * 5)
        viewer = chance.randrange(game.players)
        story = Story(game, viewer, chance.randrange(120), chance)
        if not story.game.choices_of(viewer) or story.game.view(viewer).question == Question.OVER:
            continue

        def hint(game, viewer=viewer):
            view, choices = game.view(viewer), game.choices_of(viewer)
            thoughts = think(view, game.memory(viewer), choices)
            return Advice(view, game.names, thoughts, get_translator("en")).hint(3)

        for _ in range(5):
            again = played_again(story, shuffled_names(story.cards, chance))
            if again is None or again[0].position == story.game.position:
                continue
            assert hint(again[0]) == hint(story.game)
            different += 1
            break
    assert different > 3
