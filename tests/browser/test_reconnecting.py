"""A reload, a lost connection and a failing server in the middle of an effect: nothing is lost or applied twice."""

import pytest
from browser_site import ANSWERS, answer, number, open_answers, played, wait_for_a_question, wait_for_number
from playwright.sync_api import expect

from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.rules.position import Question
from hegemon.server.security import tokens

LOST = "Connection lost. Trying again…"

#: The browser's own messages about a lost connection and a failing server.
CUT = ["net::ERR_", "the server responded with a status of 503"]


@pytest.fixture
def table(site):
    """A table where the first seat gives three cards after an Inquisition, one at a time; and its token."""
    token = tokens.new_token()
    game = played(
        Game(3, seed=0),
        lambda game: game.seat == 0 and game.view(0).question == Question.GIVE and len(game.choices) > 1,
    )
    return site.lay(game, (None, "greedy", "greedy"), token), token


def words(site, game_id):
    return [move.choice for move in site.row(game_id).moves]


@pytest.mark.parametrize("language", ["en", "el"])
def test_a_reload_in_the_middle_of_an_effect_loses_nothing(visit, site, table, language):
    game_id, token = table
    page = visit(language, token=token)
    page.goto(f"/games/{game_id}")
    before, offered = number(page), open_answers(page)
    page.reload()
    assert (number(page), open_answers(page)) == (before, offered)
    page.locator(ANSWERS).first.click()
    wait_for_number(page, before + 1)
    page.reload()
    wait_for_a_question(page)
    assert words(site, game_id)[before:] == offered[:1]


@pytest.mark.parametrize("language", ["de", "hu"])
def test_a_move_made_offline_is_sent_once_after_reconnecting(visit, site, table, language):
    """A move that could not be sent is sent once when the connection is back."""
    game_id, token = table
    page = visit(language, token=token, forgive=CUT)
    page.goto(f"/games/{game_id}")
    lost = page.get_by_text(get_translator(language).text(LOST))
    wait_for_a_question(page)
    expect(lost).to_be_hidden()
    before, offered = number(page), open_answers(page)
    page.context.set_offline(True)
    page.locator(ANSWERS).first.click()
    expect(lost).to_be_visible()
    assert len(words(site, game_id)) == before
    page.context.set_offline(False)
    expect(lost).to_be_hidden()
    wait_for_number(page, before + 1)
    assert words(site, game_id)[before:] == offered[:1]
    answer(page, page.locator(ANSWERS).first.click)


def test_a_move_whose_response_was_lost_counts_once(visit, site, table):
    """The move was saved, but its response was lost: submitting it again has no further effect."""
    game_id, token = table
    page = visit(token=token, forgive=CUT)
    page.goto(f"/games/{game_id}")
    wait_for_a_question(page)
    before, offered = number(page), open_answers(page)
    page.route("**/stream*", lambda route: route.abort())
    page.reload()
    expect(page.get_by_text(LOST)).to_be_visible()

    def keep_but_say_nothing(route):
        route.fetch()
        route.abort()

    page.route("**/moves", keep_but_say_nothing)
    page.locator(ANSWERS).first.click()
    page.locator(ANSWERS).last.click()
    expect(page.get_by_text(LOST)).to_be_visible()
    page.unroute_all(behavior="ignoreErrors")  # of a request that the page has given up
    wait_for_number(page, before + 1)
    expect(page.get_by_text(LOST)).to_be_hidden()
    assert words(site, game_id)[before:] == offered[:1]


def test_a_stream_that_is_rejected_for_a_while_is_reopened(visit, site, table):
    """A browser gives up on a stream that a gateway answers with an error; the page does not."""
    game_id, token = table
    page = visit(token=token, forgive=CUT)
    page.route("**/stream*", lambda route: route.fulfill(status=503))
    page.goto(f"/games/{game_id}")
    expect(page.get_by_text(LOST)).to_be_visible()
    page.unroute_all()
    expect(page.get_by_text(LOST)).to_be_hidden()
    answer(page, page.locator(ANSWERS).first.click)
