"""The content encodings of a stream: none, or gzip."""

import struct
import zlib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar, Final

#: The head of a gzip file without a name or a time.
_HEAD: Final = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"

#: The last block of a compressed stream, without content.
_LAST_BLOCK: Final = b"\x03\0"

#: Compressing fewer bytes takes longer than sending them.
_MIN_BYTES: Final = 400

#: Level 5 makes events a tenth smaller, but takes two thirds more time.
_LEVEL: Final = 3

#: The number of cached parts that several readers are sent; some 4 MB.
_MAX_CACHED: Final = 128


class PlainStream:
    headers: ClassVar[Mapping[str, str]] = MappingProxyType({"Vary": "Accept-Encoding"})

    def encode(self, *parts: bytes) -> bytes:
        return b"".join(parts)

    def end(self) -> bytes:
        return b""


class GzipStream(PlainStream):
    """A stream whose parts are compressed independently.

    Readers who are sent the same part share its compressed form, and a stream needs no memory between parts.
    """

    headers: ClassVar[Mapping[str, str]] = MappingProxyType(
        {**PlainStream.headers, "Content-Encoding": "gzip"}
    )

    def __init__(self) -> None:
        self._head = _HEAD
        self._checksum = 0
        self._size = 0

    def encode(self, *parts: bytes) -> bytes:
        head, self._head = self._head, b""
        for part in parts:
            self._checksum = zlib.crc32(part, self._checksum)
            self._size += len(part)
        return head + b"".join(map(_blocks, parts))

    def end(self) -> bytes:
        return self.encode() + _LAST_BLOCK + struct.pack("<II", self._checksum, self._size % 2**32)


def _blocks(part: bytes) -> bytes:
    if len(part) < _MIN_BYTES:
        return b"\0" + struct.pack("<HH", len(part), 0xFFFF - len(part)) + part
    return _deflated(part)


@lru_cache(_MAX_CACHED)
def _deflated(part: bytes) -> bytes:
    compressor = zlib.compressobj(_LEVEL, wbits=-zlib.MAX_WBITS)
    return compressor.compress(part) + compressor.flush(zlib.Z_FULL_FLUSH)


def encoding_for(accepted: str) -> PlainStream:
    """The encoding of a stream for a reader with that Accept-Encoding header."""
    return GzipStream() if "gzip" in accepted else PlainStream()
