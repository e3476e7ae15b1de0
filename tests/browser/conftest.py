"""A server for the browser tests, and Debian's Chromium to visit it."""

import shutil
from urllib.parse import urlsplit

import pytest
from browser_players import company_at
from browser_site import Site
from playwright.sync_api import expect, sync_playwright
from server_process import server_process

from hegemon.prose.translator import LANGUAGES
from hegemon.server.security import tokens
from tracing import without_tracing

#: Longer than anything on a page takes, except on a busy machine.
TIMEOUT_MS = 60_000
expect.set_options(timeout=TIMEOUT_MS)

#: Tests of animations and motion; all others disable endless animations, which are slow to draw.
MOTION = {"test_animations", "test_layout", "test_pending", "test_story", "test_touching"}

#: Tests of features that the headless shell lacks, such as notifications; all others use it, because it is faster.
WHOLE_BROWSER = {"test_notifications", "test_offline"}

#: The locale of a browser in each language.
LOCALES = {code: "en-GB" if code == "en" else code for code in LANGUAGES}


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The server."""
    with server_process(tmp_path_factory.mktemp("server")) as server:
        yield Site(server.address, str(server.database))


@pytest.fixture(scope="module")
def company(tmp_path_factory):
    """Another server with a lobby, a clock that tests control, and a fast substitute."""
    with company_at(str(tmp_path_factory.mktemp("company") / "games.db")) as company:
        yield company


@pytest.fixture(scope="module")  # while it exists, no other test in this process can run an event loop
def chromium(request):
    # Other tests cover the code that runs in this process, and Playwright waits in its own loops.
    with without_tracing(), sync_playwright() as playwright:
        shell = None if request.path.stem in WHOLE_BROWSER else shutil.which("chromium-headless-shell")
        browser = playwright.chromium.launch(
            executable_path=shell or shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


class Faults(list):
    """Errors on a page: failed scripts, messages of the browser, requests to other servers."""

    def __init__(self, address):
        self.forgiven = ()
        self._site = urlsplit(address).netloc

    def watch(self, page):
        page.on("pageerror", lambda error: self.append(f"{page.url}: {error}"))
        page.on("console", self._heed)
        page.on("request", self._follow)

    def _heed(self, message):
        if message.type in ("error", "warning") and not any(text in message.text for text in self.forgiven):
            self.append(message.text)

    def _follow(self, request):
        place = urlsplit(request.url)
        if place.scheme not in ("data", "blob") and place.netloc != self._site:
            self.append(f"a request to {request.url}")


@pytest.fixture
def visit(chromium, site, request):
    """Open a page in a new browser that shows the others' turns immediately.

    No errors may occur on the page, except those that a test provokes and names in `forgive`.
    """
    contexts = []
    faults = Faults(site.address)

    def connect(
        language="en",
        *,
        token=None,
        forgive=(),
        animation_speed="none",
        settings=None,
        worker=False,
        **facts,
    ):
        facts.setdefault("viewport", {"width": 1280, "height": 900})
        if request.path.stem not in MOTION:
            facts.setdefault("reduced_motion", "reduce")
        context = chromium.new_context(base_url=site.address, locale=LOCALES[language], **facts)
        contexts.append(context)
        context.set_default_timeout(TIMEOUT_MS)
        cookies = {"animation_speed": animation_speed, "confirm": "off", "passing": "off", **(settings or {})}
        if token:
            cookies[tokens.COOKIE] = token
        context.add_cookies([{"name": n, "value": v, "url": site.address} for n, v in cookies.items()])
        faults.forgiven = (*faults.forgiven, *forgive)
        if not worker:  # each would fetch all pages for reading
            context.add_init_script("delete Navigator.prototype.serviceWorker")
        page = context.new_page()
        faults.watch(page)
        return page

    yield connect
    for context in contexts:
        context.close()
    assert not faults
