"""A push service on this machine, with devices that decrypt notices and verify the sender."""

import asyncio
import json
import os
import re
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import asynccontextmanager

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()


def base64(content):
    return urlsafe_b64encode(content).decode().rstrip("=")


def unbase64(text):
    return urlsafe_b64decode(text + "==")


def derived(salt, material, info, length):
    return HKDF(SHA256(), length, salt, info).derive(material)


class Device:
    """A browser that has subscribed: it knows its keys, and what it has received."""

    def __init__(self, service, name):
        self._key, self._secret = ec.generate_private_key(CURVE), os.urandom(16)
        self._public = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.endpoint = f"{service.url}/{name}"
        self.heads, self.got, self.status, self.head = [], [], 201, ""

    @property
    def form(self):
        """What the page of the browser sends to the server."""
        return {
            "endpoint": self.endpoint,
            "public_key": base64(self._public),
            "secret": base64(self._secret),
        }

    @property
    def titles(self):
        return ["close" if "close" in notice else notice["title"] for notice in self.got]

    def decrypt(self, body):
        """The content of an encrypted message (RFC 8291)."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        theirs, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(sealed) <= size
        shared = self._key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, theirs))
        material = derived(self._secret, shared, b"WebPush: info\0" + self._public + theirs, 32)
        key = derived(salt, material, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derived(salt, material, b"Content-Encoding: nonce\0", 12)
        content, end = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")[:-1], b"\2"
        assert AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0").endswith(end)
        return content


class PushService:
    """Receives for its devices, and rejects what their server has not signed (RFC 8292)."""

    def __init__(self):
        self.devices = {}
        self.server_key = None
        self._receiving = set()

    def device(self, name):
        self.devices[name] = Device(self, name)
        return self.devices[name]

    async def receive(self, reader, writer):
        self._receiving.add(asyncio.current_task())
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = {name.lower(): value for name, value in re.findall(r"(\S+): (.*?)\r\n", head)}
            body = await reader.readexactly(int(headers["content-length"]))
            device = self.devices[head.split()[1].strip("/")]
            self.check_signature(headers["authorization"])
            assert headers["content-encoding"] == "aes128gcm"
            assert re.fullmatch(r"[\w-]{1,32}", headers["topic"])
            if device.status == 201:
                device.got.append(json.loads(device.decrypt(body)))
            device.heads.append(headers)
            writer.write(f"HTTP/1.1 {device.status} Whatever\r\n{device.head}\r\n".encode())
            await writer.drain()
        finally:
            writer.close()

    def check_signature(self, header):
        token, key = re.fullmatch(r"vapid t=([\w.-]+), k=([\w-]+)", header).groups()
        assert key == self.server_key, "sent by another server"
        signed, _, signature = token.rpartition(".")
        numbers = [
            int.from_bytes(part, "big") for part in (unbase64(signature)[:32], unbase64(signature)[32:])
        ]
        public = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, unbase64(key))
        public.verify(encode_dss_signature(*numbers), signed.encode(), ec.ECDSA(SHA256()))
        claims = json.loads(unbase64(signed.partition(".")[2]))
        assert claims["aud"] == self.url
        assert claims["sub"].startswith(("mailto:", "https:"))
        assert 0 < claims["exp"] - time.time() <= 24 * 3600

    async def finish(self):
        """Wait until all that has arrived is answered; what was asserted meanwhile fails here."""
        await asyncio.gather(*self._receiving)
        self._receiving.clear()


@asynccontextmanager
async def push_service():
    service = PushService()
    async with await asyncio.start_server(service.receive, "127.0.0.1", 0) as server:
        service.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield service
        await service.finish()
