"""Passkeys: the options for a browser's authenticator, and the verification of its response.

The `webauthn` library is slow to load, so call these functions in a thread.
"""

import ipaddress
import json
import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from hegemon.server.db.devices import Passkey
from hegemon.server.security import tokens
from hegemon.server.security.csrf import read_origin

#: The name of this site, as authenticators show it.
_RELYING_PARTY_NAME: Final = "Hegemon"

_DEFAULT_PORTS: Final = (80, 443)

_CREDENTIAL_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,1400}")


class PasskeyRejected(Exception):
    """The response of an authenticator is malformed, or cannot be verified."""


def relying_party_id(base_url: str) -> str | None:
    """The id of this site in WebAuthn, its host name; None for an IP address, which cannot have passkeys."""
    host = urlsplit(base_url).hostname
    try:
        ipaddress.ip_address(host or "")
    except ValueError:
        return host
    return None


def expected_origins(base_url: str) -> list[str]:
    """The origins of our pages, always including the one with HTTPS: a proxy may not forward the scheme."""
    origin = read_origin(base_url)
    if origin is None:
        return []
    scheme, host, port = origin
    return [
        f"{name}://{host}" + (f":{port}" if port not in _DEFAULT_PORTS else "") for name in {scheme, "https"}
    ]


def creation_options(
    base_url: str, owner: str, name: str, challenge: bytes, existing: Sequence[Passkey]
) -> dict[str, Any]:
    """The options for creating a passkey, as JSON, for an authenticator that has none of the existing ones."""
    from webauthn import base64url_to_bytes, generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = generate_registration_options(
        rp_id=relying_party_id(base_url) or "",
        rp_name=_RELYING_PARTY_NAME,
        user_name=name,
        # The same for all passkeys of a person, so that an authenticator replaces one that was removed here.
        user_id=tokens.derived_token(owner, "passkey").encode(),
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(base64url_to_bytes(passkey.credential)) for passkey in existing
        ],
    )
    parsed: dict[str, Any] = json.loads(options_to_json(options))
    return parsed


def request_options(base_url: str, challenge: bytes) -> dict[str, Any]:
    """The options for signing in with any passkey of this site, as JSON."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import UserVerificationRequirement

    options = generate_authentication_options(
        rp_id=relying_party_id(base_url) or "",
        challenge=challenge,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    parsed: dict[str, Any] = json.loads(options_to_json(options))
    return parsed


def credential_id_in(response: str) -> str:
    """The id of the credential in a response; empty if the response is malformed."""
    try:
        parsed = json.loads(response)
    except (ValueError, RecursionError):
        return ""
    credential = parsed.get("id") if isinstance(parsed, dict) else None
    return credential if isinstance(credential, str) and _CREDENTIAL_ID.fullmatch(credential) else ""


def verify_registration(base_url: str, challenge: bytes, response: str) -> tuple[str, bytes, int]:
    """The credential id, public key and sign count of a new passkey; raises PasskeyRejected.

    The authenticator must have verified the user by a fingerprint, a face or a PIN, as it must whenever it signs.
    """
    from webauthn import verify_registration_response
    from webauthn.helpers import bytes_to_base64url

    try:
        registration = verify_registration_response(
            credential=response,
            expected_challenge=challenge,
            expected_rp_id=relying_party_id(base_url) or "",
            expected_origin=expected_origins(base_url),
            require_user_verification=True,
        )
    except Exception as error:  # the library raises many kinds of errors for malformed responses
        raise PasskeyRejected from error
    return (
        bytes_to_base64url(registration.credential_id),
        registration.credential_public_key,
        registration.sign_count,
    )


def verify_sign_in(base_url: str, challenge: bytes, response: str, passkey: Passkey) -> int:
    """The new sign count of a passkey; raises PasskeyRejected, even if only the count went backwards."""
    from webauthn import verify_authentication_response

    try:
        authentication = verify_authentication_response(
            credential=response,
            expected_challenge=challenge,
            expected_rp_id=relying_party_id(base_url) or "",
            expected_origin=expected_origins(base_url),
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except Exception as error:
        raise PasskeyRejected from error
    return authentication.new_sign_count
