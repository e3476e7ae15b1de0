"""The service worker in a real browser: it shows notices, starts without a server, and caches no tables."""

import re
from urllib.parse import urlsplit

import pytest
from browser_push import ANY_PHONE, READY, Phone, settle
from playwright.sync_api import expect
from waiting import block_until

from hegemon import Game
from hegemon.prose.translator import get_translator
from hegemon.server.security import tokens

OFFLINE = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED")

#: Whether a page is cached on the device, by its path.
KEPT = """async (path) => {
  const kept = await (await caches.open("hegemon")).keys();
  return kept.some(({ url }) => url.includes("/cached/") && url.endsWith(path));
}"""

FORGET = """async (path) => {
  const cache = await caches.open("hegemon");
  for (const { url } of await cache.keys()) if (url.includes("/cached/") && url.endsWith(path)) await cache.delete(url);
}"""


@pytest.fixture
def ada(visit, site):
    """A function that opens a table in the browser of its player."""
    token = tokens.new_token()
    table = f"/games/{site.lay(Game(2, seed=5, names=('Ada', 'Ben')), (None, 'person'), token)}"

    def arrive(language="en", forgive=()):
        page = visit(language, token=token, worker=True, permissions=["notifications"], forgive=forgive)
        phone = Phone(page)
        page.goto(table)
        assert page.evaluate(READY) > 80
        phone.connect(page)
        return page, phone, table

    arrive.token = token
    return arrive


def switch_on(page, language="en"):
    """Subscribe to notices on the page of a person."""
    tr = get_translator(language)
    page.goto("/me")
    page.get_by_role("button", name=tr.text("Show notifications on this device")).click()
    expect(page.locator("[data-device]").get_by_text(tr.text("this device"))).to_be_visible()


def is_on(page):
    """Whether notices are on, once the page has settled."""
    settle(page)
    return page.evaluate("Boolean(localStorage.getItem('notices') && localStorage.getItem('phone'))")


def test_the_worker_shows_notices_and_without_the_server_the_cached_pages(ada):
    page, phone, table = ada("de", forgive=OFFLINE)
    tr = get_translator("de")
    switch_on(page, "de")
    expect(page.get_by_role("checkbox", name=tr.text("It is your turn"))).to_be_checked()
    page.goto("/rules")
    notice = {"tag": table, "title": "Du bist am Zug", "body": "Ada · Ben", "language": "de"}
    notice |= {"until": "2030-01-04T12:03:00+00:00", "sentence": "Du hast Zeit bis {time}."}
    phone.deliver(notice)
    block_until(lambda: phone.shown)
    (shown,) = phone.shown
    assert (shown["title"], shown["path"], shown["silent"]) == ("Du bist am Zug", table, False)
    assert re.fullmatch(r"Ada · Ben\nDu hast Zeit bis 0?4\.01\.2030, \d\d:03\.", shown["body"])
    page.context.set_offline(True)

    page.goto("/start")
    expect(page.locator("#offline")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Regeln", exact=True).click()
    expect(page).to_have_url(re.compile("/rules$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Die Regeln")
    page.goto("/puzzles/1?show=true")
    expect(page.locator("#lesson")).to_contain_text("Rätsel 1")

    page.goto("/learn/1")
    page.evaluate(
        "Object.defineProperty(navigator, 'onLine', { value: false })"
    )  # Chromium does not always say so
    page.locator("[data-region=question] button[name=choice]").first.click()
    expect(page).to_have_url(re.compile("/learn/2$"))

    page.goto(table)
    expect(page.locator("#offline")).to_be_visible()
    assert "Ben" not in page.content()
    settle(page)
    assert phone.titles == ["Du bist am Zug"], "the table is not there to be looked at"
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("[data-region=question]")).to_be_visible()
    block_until(lambda: not phone.shown)


def test_the_app_starts_without_a_request_that_must_succeed(ada):
    page, _, _ = ada(forgive=OFFLINE)
    app, answered, failed = page.context.new_page(), [], []
    app.on("response", lambda response: answered.append(response.status))
    app.on("requestfailed", lambda request: failed.append(urlsplit(request.url).path))
    page.context.set_offline(True)
    app.goto("/start")
    expect(app.locator("#offline")).to_be_visible()
    assert set(answered) == {200}
    assert set(failed) == {"/health"}, "it only asks whether the server is there"


def test_starting_the_app_leaves_notices_on(ada):
    page, _, table = ada(forgive=OFFLINE)
    switch_on(page)
    page.route("**/health", lambda route: route.abort())  # so that the start page does not redirect
    page.goto("/start")
    assert page.locator("html").get_attribute("data-cached") is not None
    assert is_on(page)
    page.context.set_offline(True)
    for path in ("/start", "/rules", table):
        page.goto(path)
        assert is_on(page)
    page.context.set_offline(False)
    page.unroute("**/health")
    page.goto("/start")
    page.wait_for_url(re.compile(r"/$"))
    assert is_on(page)
    page.goto("/me")
    expect(page.locator("[data-device]").get_by_text("this device")).to_be_visible()


def test_notices_end_only_where_the_server_knows_no_person(ada):
    """A page requested by a form on another site is loaded without cookies."""
    page, _, _ = ada()
    switch_on(page)
    page.add_init_script("""document.addEventListener("readystatechange", () => {
      if (location.hash === "#by-another-site") document.documentElement.dataset.person = "";
    })""")
    page.goto("/rules#by-another-site")
    assert page.locator("html").get_attribute("data-person") == ""
    assert is_on(page)
    page.context.clear_cookies(name=tokens.COOKIE)
    page.goto("/rulings")
    assert not is_on(page)


def test_a_device_that_was_removed_elsewhere_can_be_switched_on_again(ada, visit):
    page, phone, table = ada()
    switch_on(page)
    button = page.locator("#notify")
    page.goto(table)
    expect(button).to_have_attribute("aria-pressed", "true")
    other = visit(token=ada.token)
    other.goto("/me")
    other.locator("[data-device]").get_by_role("button", name=re.compile("^Remove")).click()
    expect(other.locator("[data-device]")).to_have_count(0)
    page.goto(table)
    expect(button).to_be_visible()
    expect(button).to_have_attribute("aria-pressed", "false")
    switch_on(page)

    # The browser changes the endpoint, and the page still recognizes its device.
    moved = ANY_PHONE | {"endpoint": "https://push.example.org/moved"}
    phone.move(ANY_PHONE["endpoint"], moved)
    page.evaluate("phone => localStorage.setItem('phone', phone)", moved["endpoint"])
    page.goto("/me")
    expect(page.locator("[data-device]")).to_have_count(1)
    expect(page.locator("[data-device]").get_by_text("this device")).to_be_visible()

    # The switch at the table is only for turns; the other notices stay on.
    page.get_by_role("checkbox", name="It is your turn").uncheck()
    page.locator("[data-device]").get_by_role("button", name="Save").click()
    page.goto(table)
    expect(button).to_be_visible()
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.goto("/me")
    expect(page.get_by_role("checkbox", name="It is your turn")).to_be_checked()
    page.locator("[data-device]").get_by_role("button", name=re.compile("^Remove")).click()
    expect(page.locator("[data-device]")).to_have_count(0)
    page.goto(table)
    expect(button).to_be_visible()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#notify-only")).to_be_hidden()


def test_each_push_shows_something_until_the_browser_has_looked(ada):
    page, phone, table = ada()
    page.goto("/rules")
    phone.hold_time()
    turn, over = {"tag": table, "title": "turn"}, {"tag": table, "title": "over", "close": True}
    phone.deliver(turn)
    block_until(lambda: phone.titles == ["turn"])
    phone.deliver(over)
    block_until(lambda: phone.titles == ["over"])
    assert phone.shown[0]["silent"]
    phone.deliver(turn)
    block_until(lambda: phone.titles == ["turn"])
    phone.let_pass()
    assert phone.titles == ["turn"], "the next turn has begun before the last one was closed"
    phone.deliver(over)
    block_until(lambda: phone.titles == ["over"])
    phone.let_pass()
    block_until(lambda: not phone.titles)

    # A player who sees the table gets a silent notice; what is left of it closes with the next page.
    phone.do(
        "(url) => { clients.matchAll = async () => [{ url, focused: true }]; }",
        page.url.replace("/rules", table),
    )
    phone.deliver(turn)
    block_until(lambda: phone.titles == ["turn"])
    assert phone.shown[0]["silent"]
    page.goto(table)
    block_until(lambda: not phone.titles)


def test_a_click_opens_the_table_or_the_page_that_shows_it(ada):
    page, phone, table = ada()
    phone.hold_time()
    for place, found in ((f"{table}?seat=1", {"focused": table}), ("/rulings", {"opened": table})):
        page.goto(place)
        settle(page)
        phone.deliver({"tag": table, "title": "turn"})
        block_until(lambda: phone.titles == ["turn"])
        assert phone.click() == found
        assert phone.titles == []


def test_what_could_not_be_cached_is_cached_later(ada):
    page, phone, _ = ada()
    for path in ("/start", "/rules"):
        page.evaluate(FORGET, path)
    page.goto("/start")
    page.wait_for_url(re.compile(r"/$"))
    block_until(lambda: page.evaluate(KEPT, "/start") and page.evaluate(KEPT, "/rules"))

    # Only what the app cannot start without fails the installation.
    phone.do("""() => {
      const own = self.fetch;
      self.fetch = async (url, facts) => (url === self.broken ? new Response("", { status: 503 }) : own(url, facts));
    }""")
    for path, result in (("/rules", "installed"), ("/start", "failed")):
        phone.do("(path) => { self.broken = path; }", path)
        page.evaluate(FORGET, path)
        assert phone.do("() => cacheMissing().then(() => 'installed', () => 'failed')") == result
        assert not page.evaluate(KEPT, path)


def test_an_error_of_a_proxy_is_treated_like_an_unreachable_server(ada):
    page, phone, table = ada(forgive=("502", "503", "504"))
    phone.do("""async () => {
      await registration.navigationPreload.disable();
      const own = self.fetch;
      self.fetch = async (...facts) => self.answer ? new Response(...self.answer) : own(...facts);
      self.answer = ["<h1>Bad Gateway</h1>", { status: 502 }];
    }""")
    page.route("**/health", lambda route: route.fulfill(status=502, body="<h1>Bad Gateway</h1>"))
    page.goto(table)
    expect(page.locator("#offline")).to_be_visible()
    page.goto("/rules")
    expect(page.get_by_role("heading", level=1)).to_have_text("The rules")
    phone.do("""() => {
      const headers = { "Content-Type": "text/html", "Content-Security-Policy": "default-src 'none'" };
      self.answer = ["<h1>The disk is full</h1>", { status: 503, headers }];
    }""")
    page.goto("/lobby")
    expect(page.get_by_role("heading")).to_have_text("The disk is full")
    phone.do("() => { self.answer = ['', { status: 504 }]; }")
    page.goto(table)
    expect(page.locator("#offline")).to_be_visible()
    phone.do("() => { self.answer = null; }")
    page.unroute("**/health")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("[data-region=question]")).to_be_visible()
