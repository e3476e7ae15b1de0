"""The size of a table's page: everything a first visit transfers, including headers and the start of the stream."""

import zlib

import httpx
from browser_site import played, wait_for_a_question
from waiting import WAIT_TIMEOUT

from hegemon.play.game import Game
from hegemon.rules.position import Question
from hegemon.server.security import tokens

MAX_BYTES = 120_000


def full_table(site, token):
    """A table of four late in the game, with a choice of effects."""

    def until(game):
        return game.seat == 0 and game.view(0).question == Question.EFFECTS and len(game.moves) > 150

    game = played(Game(4, seed=5, names=("Ada", "Zenobia", "Ashoka", "Hypatia")), until)
    assert not game.over
    return f"/games/{site.lay(game, (None, 'greedy', 'greedy', 'greedy'), token)}"


def beginning_of_stream(address, token):
    """The bytes of a compressed stream up to the end of its first event."""
    headers = {"accept-encoding": "gzip", "cookie": f"{tokens.COOKIE}={token}"}
    reader, text, received = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS), b"", 0
    with httpx.stream("GET", address, headers=headers, timeout=WAIT_TIMEOUT) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        for chunk in answer.iter_raw():
            received += len(chunk)
            text += reader.decompress(chunk)
            if text.endswith(b"\n\n"):
                return received
    raise AssertionError("the stream has ended")


def test_a_table_with_everything_is_small(visit, site):
    token = tokens.new_token()
    page, sizes, open_requests = visit("el", token=token), [], set()
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")

    def ask(it):
        if it["type"] != "EventSource":
            open_requests.add(it["requestId"])

    def finish(it):
        open_requests.discard(it["requestId"])
        sizes.append(it["encodedDataLength"])

    network.on("Network.requestWillBeSent", ask)
    network.on("Network.loadingFinished", finish)
    table = full_table(site, token)
    page.goto(table)
    wait_for_a_question(page)
    while open_requests:
        page.wait_for_timeout(20)
    stream = beginning_of_stream(f"{site.address}{table}/stream?seat=1", token)
    print(f"{sum(sizes)} bytes of {len(sizes)} files, {stream} bytes of the stream")
    assert len(sizes) > 15, "styles, scripts and pictures were counted"
    assert sum(sizes) + stream < MAX_BYTES
