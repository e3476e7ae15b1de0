"""The two specifications of Web Push: encryption for a device (RFC 8291), and signatures of this server (RFC 8292)."""

import json
import os
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_CURVE: Final = ec.SECP256R1()

#: The record size of the encryption, in bytes; every notice fits into one record.
_RECORD_BYTES: Final = 4096

_POINT_BYTES: Final = 65
_SECRET_BYTES: Final = 16

#: How long a signature is valid; push services accept up to a day.
_MAX_SIGNATURE_AGE: Final = timedelta(hours=12)


def to_base64(content: bytes) -> str:
    """Base64url without padding, as used throughout Web Push."""
    return urlsafe_b64encode(content).decode().rstrip("=")


def from_base64(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def new_private_key() -> str:
    value = ec.generate_private_key(_CURVE).private_numbers().private_value
    return to_base64(value.to_bytes(32, "big"))


def read_private_key(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(from_base64(text), "big"), _CURVE)


def public_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def read_device_keys(public_key: str, secret: str) -> tuple[str, str]:
    """The keys of a device in canonical form; raises ValueError for invalid keys."""
    key, shared = from_base64(public_key), from_base64(secret)
    ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, key)
    if (len(key), len(shared)) != (_POINT_BYTES, _SECRET_BYTES):
        raise ValueError
    return to_base64(key), to_base64(shared)


def encrypt(
    content: bytes,
    public_key: str,
    secret: str,
    own_key: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """Encrypt content for the device with these keys, by default with a new key and salt."""
    own_key, salt = own_key or ec.generate_private_key(_CURVE), salt or os.urandom(16)
    device, own = from_base64(public_key), public_bytes(own_key)
    shared = own_key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, device))
    material = _derive(from_base64(secret), shared, b"WebPush: info\0" + device + own, 32)
    key = _derive(salt, material, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(salt, material, b"Content-Encoding: nonce\0", 12)
    head = salt + struct.pack("!IB", _RECORD_BYTES, len(own)) + own
    return head + AESGCM(key).encrypt(nonce, content + b"\2", None)


def _derive(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(material)


def authorization(key: ec.EllipticCurvePrivateKey, url: str, contact: str, now: datetime) -> str:
    """The header that identifies this server to a push service; `contact` is for its operators."""
    parts = urlsplit(url)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int((now + _MAX_SIGNATURE_AGE).timestamp()),
        "sub": contact,
    }
    texts = [json.dumps(part, separators=(",", ":")) for part in ({"typ": "JWT", "alg": "ES256"}, claims)]
    signed = ".".join(to_base64(text.encode()) for text in texts)
    numbers = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = to_base64(b"".join(value.to_bytes(32, "big") for value in numbers))
    return f"vapid t={signed}.{signature}, k={to_base64(public_bytes(key))}"
