"""An authenticator in software, which creates passkeys and signs with them."""

import hashlib
import json
import struct
from dataclasses import dataclass, field

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import bytes_to_base64url as encoded

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


@dataclass
class Authenticator:
    """With one passkey at most, for one site."""

    origin: str
    counts: bool = True
    """Whether it counts its signatures; passkeys that are copied between devices do not."""
    verifies: bool = True
    """Whether it asks for a fingerprint, a face or a PIN."""
    count: int = 0
    credential: bytes = b"credential"
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: dict) -> str:
        """The answer to the options of a new passkey."""
        numbers = self.key.public_key().public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (numbers.x, numbers.y))
        public_key = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        attested = bytes(16) + struct.pack(">H", len(self.credential)) + self.credential + public_key
        data = self._data(options["rp"]["id"], ATTESTED) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options)
        return self._answer(clientDataJSON=encoded(client), attestationObject=encoded(attestation))

    def sign(self, options: dict) -> str:
        """The answer to the options of a sign-in."""
        self.count += self.counts
        client, data = self._client("webauthn.get", options), self._data(options["rpId"], 0)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer(
            clientDataJSON=encoded(client), authenticatorData=encoded(data), signature=encoded(signature)
        )

    def _client(self, kind: str, options: dict) -> bytes:
        return json.dumps(
            {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        ).encode()

    def _data(self, site: str, flags: int) -> bytes:
        digest = hashlib.sha256(site.encode()).digest()
        flags |= PRESENT | (VERIFIED if self.verifies else 0)
        return digest + struct.pack(">BI", flags, self.count)

    def _answer(self, **response: str) -> str:
        credential = encoded(self.credential)
        return json.dumps({"id": credential, "rawId": credential, "type": "public-key", "response": response})
