"""Correspondence games in the browser: deadlines in the reader's time zone, and pages that fit a phone."""

import re
from datetime import datetime, timedelta

import pytest
from browser_players import invite, take_seat
from playwright.sync_api import expect
from test_accessibility import PHONE, TOO_LOW, TOO_WIDE, color_problems, shape_problems


@pytest.fixture(scope="module")
def site(company):
    """The server of these tests."""
    return company


def test_deadlines_are_in_the_time_zone_of_the_reader_and_turns_are_prepared_on_a_phone(visit, site):
    ada, ben = visit(timezone_id="Pacific/Kiritimati"), visit("de", viewport=PHONE)
    (link,) = invite(ada, "me", "friend", name1="Ada", clock="3d a move")
    take_seat(ben, link, "Ben")
    ada.goto("/me/days")
    time = ada.locator("time[data-local]")
    local = datetime.fromisoformat(time.get_attribute("datetime")) + timedelta(hours=14)
    expect(time).to_have_text(re.compile(rf"\w+ {local.day}, {local.year}, .*[AP]M$"))
    problems = []

    def look(page):
        problems.extend(shape_problems(page) + color_problems(page))
        problems.extend(page.evaluate(TOO_WIDE) + page.evaluate(TOO_LOW))

    ben.get_by_role("link", name="Meinen Zug vorbereiten").click()
    ben.locator(".plan-choices a").first.click()
    ben.locator(".plan-choices a").last.click()
    expect(ben.locator("#next .steps li")).to_have_count(2)
    ben.get_by_role("button", name="Diesen Zug speichern").click()
    expect(ben.locator("#plans .steps li")).to_have_count(2)
    look(ben)
    ben.goto("/me/days")
    ben.locator("#calendar button").click()
    expect(ben.locator("#calendar input.link")).to_be_visible()
    look(ben)
    assert problems == []
