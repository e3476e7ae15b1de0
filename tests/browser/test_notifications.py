"""Notifications of a turn while the page is hidden or closed."""

import re

import pytest
from browser_push import READY, SETTLING, Phone, settle
from browser_site import ANSWERS, END, number, wait_for_number
from playwright.sync_api import expect
from push_receiver import push_service
from test_spectators import sit_together
from waiting import block_until

from hegemon.prose.translator import get_translator

#: Records notifications instead of showing them, and makes the page believe that it is hidden.
NOTING = """
  window.noted = [];
  window.Notification = class {
    static permission = "default";
    static async requestPermission() { window.Notification.permission = window.answer; }
    constructor(title, options) { window.noted.push([title, options.body]); }
    addEventListener() {}
  };
  Object.defineProperty(document, "hidden", { get: () => Boolean(window.away) });
"""

#: Like a browser on a phone: pages cannot create notifications.
ONLY_BY_A_WORKER = """() => {
  const own = Notification;
  window.Notification = class {
    static get permission() { return own.permission; }
    constructor() { throw new TypeError("only by a worker"); }
  };
  document.hasFocus = () => false;
}"""
SHOWN = """async () => {
  const worker = await navigator.serviceWorker.getRegistration();
  return (await worker?.getNotifications() ?? []).map(({ title, body }) => [title, body]);
}"""


@pytest.fixture(scope="module")
def site(company):
    """The server of these tests."""
    return company


@pytest.fixture
def service(site):
    """A push service, which runs where the server does."""
    running = push_service()
    yield site.do(running.__aenter__())
    site.do(running.__aexit__(None, None, None))


def phone_of(page, service):
    """The browser of a page, with an endpoint at a push service that does not deliver automatically."""
    device = service.device("phone")
    return device, Phone(page, device.form)


def switch_on(page, service):
    """Subscribe to notices at the table."""
    service.server_key = page.evaluate("async () => (await (await fetch('/me/notices')).json()).key")
    page.locator("#notify").click()
    expect(page.locator("#notify")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#notify-only")).to_be_hidden()


def end_turn(page):
    """Make the shortest choices until it is another person's turn."""
    while page.locator(ANSWERS).count():
        before, end = number(page), page.locator(END)
        (end if end.count() else page.locator(ANSWERS)).first.click()
        wait_for_number(page, before + 1)


def test_a_player_who_has_opted_in_is_notified_of_their_turn(visit, site):
    ada, ben = visit(), visit("de")
    ben.add_init_script(f"window.answer = 'granted'; {NOTING}")
    sit_together(ada, ben)
    ben.wait_for_selector("#notify")
    button = ben.get_by_role("button", name=get_translator("de").text("Notify me when it is my turn"))
    expect(button).to_have_attribute("aria-pressed", "false")
    assert ben.evaluate("Notification.permission") == "default"
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(ben).to_have_title(re.compile("^Ada"))
    ben.evaluate("window.away = true")
    end_turn(ada)
    expect(ben).to_have_title(re.compile(f"^{get_translator('de').text('Your turn')} · Ada"))
    assert ben.evaluate("noted") == [[get_translator("de").text("It is your turn"), "Ada · Ben"]]
    ben.evaluate("window.away = false; window.noted = []")
    end_turn(ben)
    expect(ben).to_have_title(re.compile("^Ada"))

    # A player who sees the page gets no notification, and neither does one who has turned them off.
    ben.bring_to_front()
    ben.evaluate("document.hasFocus = () => true")
    end_turn(ada)
    ben.wait_for_selector(ANSWERS)
    assert ben.evaluate("noted") == []
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    end_turn(ben)
    ben.evaluate("window.away = true")
    end_turn(ada)
    ben.wait_for_selector(ANSWERS)
    assert ben.evaluate("noted") == []


def test_a_browser_without_notifications_is_respected(visit, site):
    ada, ben = visit(), visit()
    ada.add_init_script(f"window.answer = 'denied'; {NOTING}")
    sit_together(ada, ben)
    ada.locator("#notify").click()
    expect(ada.get_by_text("Your browser does not allow this page to notify you")).to_be_visible()
    expect(ada.locator("#notify")).to_have_attribute("aria-pressed", "false")


def test_a_browser_that_denies_notifications_is_not_asked_again(visit, site):
    ada = visit(worker=True)
    ada.add_init_script("window.Notification = class { static permission = 'denied'; };")
    ada.goto("/me")
    expect(ada.locator("#notices-denied")).to_be_visible()
    expect(ada.locator("#notices-on")).to_be_hidden()


def test_notifications_work_in_a_browser_that_shows_them_only_through_a_worker(visit, site):
    ada, ben = visit(), visit(permissions=["notifications"], worker=True, forgive=["incognito mode"])
    ben.add_init_script(SETTLING)
    sit_together(ada, ben)
    settle(ben)  # a page closes the notices of its table when it opens
    ben.locator("#notify").click()
    expect(ben.locator("#notify")).to_have_attribute("aria-pressed", "true")
    # A private window has no push service, so the page itself has to notify.
    expect(ben.get_by_text("This browser can notify you only while this page is open.")).to_be_visible()
    ben.evaluate(ONLY_BY_A_WORKER)
    end_turn(ada)
    block_until(lambda: ben.evaluate(SHOWN))
    assert ben.evaluate(SHOWN) == [["It is your turn", "Ada · Ben"]]


def test_a_turn_is_announced_by_the_server_or_by_the_page_and_not_by_both(visit, site, service):
    ada, ben = visit(), visit(worker=True)
    phone_of(ben, service)
    ben.add_init_script(f"window.answer = 'granted'; {NOTING}")
    path = sit_together(ada, ben)
    switch_on(ben, service)
    ben.evaluate("window.away = true")
    end_turn(ada)
    ben.wait_for_selector(ANSWERS)
    site.play_on(path.split("/")[2])
    block_until(lambda: ben.evaluate("noted.length"))
    assert ben.evaluate("noted") == [["The game is over.", "Ada · Ben"]], "turns are the server’s to announce"


def test_a_closed_page_is_opened_by_a_notice_of_the_turn(visit, site, service):
    """All parts together: the browser subscribes, the server sends, the worker shows, and a click leads to the table.

    Only the browser's own push service is replaced: the one of the tests receives and decrypts what the server sends,
    and the browser's developer tools deliver it to the worker.
    """
    ada, ben = visit(), visit(worker=True, permissions=["notifications"])
    device, phone = phone_of(ben, service)
    path = sit_together(ada, ben)
    ben.evaluate(READY)
    site.let_pass(1)  # the start of the game is over
    switch_on(ben, service)
    phone.connect(ben.context.new_page())
    site.leave(ben)
    end_turn(ada)
    block_until(lambda: device.got)
    phone.deliver(device.got[0])
    block_until(lambda: phone.shown)
    assert [(notice["title"], notice["body"]) for notice in phone.shown] == [("It is your turn", "Ada · Ben")]
    found = phone.click()
    assert found == {"opened": path}
    again = ben.context.new_page()
    Phone(again, device.form)
    again.goto(found["opened"])
    settle(again)  # a page closes brief notices of its table when it opens
    end_turn(again)
    block_until(lambda: device.titles == ["It is your turn", "close"])
    phone.hold_time()
    phone.deliver(device.got[1])
    block_until(lambda: phone.titles == ["This turn is over."])
    phone.let_pass()
    block_until(lambda: not phone.shown)


def test_without_notifications_there_is_no_button(visit, site):
    ada, ben = visit(), visit()
    ada.add_init_script("delete window.Notification")
    sit_together(ada, ben)
    expect(ada.locator("#notify")).to_be_hidden()
