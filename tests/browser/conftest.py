"""A server of its own, and Debian's Chromium to visit it."""

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from playwright.sync_api import sync_playwright

SERVE = "from hegemon.cli import main; main()"


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Where the server is."""
    database = tmp_path_factory.mktemp("server") / "games.db"
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", "--port", "0", "--database", str(database)],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield re.search(r"http://\S+", process.stdout.readline())[0]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


@pytest.fixture(scope="module")  # while it is there, no other test of this process can run a loop of its own
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def page(chromium, address):
    """A page of somebody who wants to see the others' turns at once; no script may fail on it."""
    context = chromium.new_context(base_url=address, viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": "pace", "value": "none", "url": address}])
    context.set_default_timeout(20_000)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(error))
    yield page
    context.close()
    assert not errors
