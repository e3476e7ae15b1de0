"""Clocks and absent players on a page."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from browser_players import invite, panel_of, presence_of, take_seat
from browser_site import ANSWERS, read_in
from playwright.sync_api import expect
from test_accessibility import PHONE, TOO_LOW, TOO_WIDE, color_problems, shape_problems

from hegemon.prose.translator import get_translator, languages

#: The clock of a device that is wrong by decades.
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)

OWN_TIME = ".own-time .time"
SAID = "#clock-live"


@pytest.fixture(scope="module")
def site(company):
    """The server of these tests."""
    return company


def sit_together(ada, ben, **fields):
    """Ada and Ben at a table of two; it is Ada's turn."""
    (link,) = invite(ada, "me", "friend", name1="Ada", **fields)
    take_seat(ben, link, "Ben")
    ada.wait_for_selector(ANSWERS, state="attached")  # on a phone the choices are in a sheet


def seconds_on(page, where):
    minutes, seconds = page.locator(where).inner_text().split(":")
    return 60 * int(minutes) + int(seconds)


def test_time_runs_down_by_the_servers_clock_and_is_announced_twice(visit, site):
    ada, ben = visit(), visit("el")
    ada.clock.install(time=LONG_AGO)
    sit_together(ada, ben, clock="5m a game + 10s")
    expect(panel_of(ben, "Ada").locator(".running .time")).to_have_text(re.compile(r"^[45]:\d\d$"))
    expect(panel_of(ben, "Ben").locator(".time")).to_have_text("5:10")
    ada.clock.pause_at(LONG_AGO + timedelta(seconds=200))
    left = seconds_on(ada, OWN_TIME)
    assert 0 < left <= 310
    expect(ada.locator(SAID)).to_be_empty()
    ada.clock.fast_forward((left - 25) * 1000)
    expect(ada.locator(OWN_TIME)).to_have_text("0:25")
    expect(ada.locator(SAID)).to_have_text("You have 30 seconds left.")
    ada.clock.fast_forward(17_000)
    expect(ada.locator(OWN_TIME)).to_have_text("0:08")
    expect(ada.locator(SAID)).to_have_text("You have 10 seconds left.")
    ada.clock.fast_forward(60_000)
    expect(ada.locator(OWN_TIME)).to_have_text("0:00")
    expect(ada.locator(ANSWERS).first).to_be_visible()  # only the server decides when time is up


def test_when_time_is_up_a_bot_plays_until_the_player_is_back(visit, site):
    ada, ben = visit("en"), visit("de")
    sit_together(ada, ben, clock="1m a move")
    site.let_pass(60)
    banner = ada.locator(".banner")
    expect(banner).to_contain_text("A bot is playing for you.")
    expect(ada.locator(ANSWERS)).to_have_count(0)
    expect(ada.get_by_role("log").first).to_contain_text("Your time is up")
    said = get_translator("de").text
    expect(presence_of(ben, "Ada")).to_have_text(said("a bot is playing"))
    ben.wait_for_selector(ANSWERS)
    banner.get_by_role("button", name="I am back").click()
    expect(banner).to_have_count(0)
    expect(ben.get_by_role("log").first).to_contain_text(said("{name} is back.", name="Ada"))
    expect(presence_of(ben, "Ada")).to_have_text(said("here"))


def test_a_player_who_is_away_and_a_player_who_comes_back_find_their_buttons(visit, site):
    """Everyone can read and press them in every language, on a small phone too."""
    ada, ben = visit(viewport=PHONE), visit(viewport=PHONE)
    sit_together(ada, ben, clock="15m a game + 15s")
    table, problems = ada.url, {}
    site.leave(ada)
    for language in languages():
        said = read_in(ben, language)
        expect(presence_of(ben, "Ada")).to_have_text(said("away"))
        ben.get_by_role("button", name="Ada", exact=True).click()  # a player's strip opens the panel
        button = ben.get_by_role("button", name=said("Let a bot play for {name}", name="Ada"))
        expect(button).to_be_visible()
        problems["vote", language] = look_over(ben, language)
    button.click()
    expect(presence_of(ben, "Ada")).to_have_text(said("a bot is playing"))
    ada = ada.context.new_page()
    ada.goto(table)
    for language in languages():
        said = read_in(ada, language)
        expect(ada.get_by_role("button", name=said("I am back"))).to_be_visible()
        problems["banner", language] = look_over(ada, language)
    assert {where: found for where, found in problems.items() if found} == {}


def look_over(page, language):
    """Problems of a page: for screen readers, for touch and, on first sight, in both themes."""
    problems = [*page.evaluate(TOO_WIDE), *page.evaluate(TOO_LOW), *shape_problems(page, language)]
    return problems + (color_problems(page) if language == "en" else [])
