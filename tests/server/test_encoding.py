"""Compressed streams: every event can be decoded when it arrives, and is compressed once for all readers."""

import asyncio
import gzip
import zlib

import pytest

from hegemon.server.web.encoding import GzipStream, PlainStream, _deflated, encoding_for

EVENT = b"event: regions\ndata: " + b"<p>Ada played Military.</p>" * 100


def test_every_part_can_be_decoded_when_it_arrives():
    stream, reader = GzipStream(), zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    for parts in ([b": still here\n\n"], [EVENT, b', "now": "1"}\n\n'], [EVENT, b"}\n\n"], [b"", EVENT]):
        assert reader.decompress(stream.encode(*parts)) == b"".join(parts)
    assert not reader.eof
    reader.decompress(stream.end())
    assert reader.eof, "the checksum and the size are correct"


def test_a_long_event_is_sent_in_few_bytes():
    stream = GzipStream()
    sent = stream.encode(EVENT, b"}\n\n") + stream.end()
    assert gzip.decompress(sent) == EVENT + b"}\n\n"
    assert len(sent) < len(EVENT) / 10


def test_readers_share_compressed_parts():
    _deflated.cache_clear()
    for now in range(1000):
        GzipStream().encode(EVENT, b', "now": "%d"}\n\n' % now)
    assert _deflated.cache_info().misses == 1


@pytest.mark.parametrize(
    ("accepted", "encoding"), [("gzip, deflate, br", GzipStream), ("br", PlainStream), ("", PlainStream)]
)
def test_the_encoding_follows_the_accept_encoding_header(accepted, encoding):
    assert type(encoding_for(accepted)) is encoding


@pytest.mark.parametrize(("accepted", "encoding"), [("gzip", "gzip"), ("identity", None)])
async def test_the_stream_of_a_page_is_compressed_for_readers_who_accept_it(browser, accepted, encoding):
    await browser.post("/games", {})
    game, tables = browser.path.rpartition("/")[2], browser.client.app.state.tables
    headers = {"accept-encoding": accepted}
    stream = asyncio.create_task(browser.client.get(f"{browser.path}/stream", headers=headers))
    while not tables.get(game).subscribers:
        await asyncio.sleep(0)
    tables.disconnect_all()
    answer = await stream
    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.text.startswith("id: ")
    assert answer.text.endswith("}\n\n")
