"""Passkeys: the options for a browser's authenticator, and the verification of its response.

The library takes a moment to load: call these functions in a thread.
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

#: The name of the site, as authenticators show it.
_SITE: Final = "Hegemon"

_DEFAULT_PORTS: Final = (80, 443)

_CREDENTIAL: Final = re.compile(r"[A-Za-z0-9_-]{1,1400}")


class PasskeyRejected(Exception):
    """The response of an authenticator is malformed, or cannot be verified."""


def site_of(base_url: str) -> str | None:
    """The host name to which passkeys belong; None for an IP address, which cannot have passkeys."""
    host = urlsplit(base_url).hostname
    try:
        ipaddress.ip_address(host or "")
    except ValueError:
        return host
    return None


def origins_of(base_url: str) -> list[str]:
    """The origins of our pages, including HTTPS: a proxy may not forward that browsers use it."""
    origin = read_origin(base_url)
    if origin is None:
        return []
    scheme, host, port = origin
    return [
        f"{name}://{host}" + (f":{port}" if port not in _DEFAULT_PORTS else "") for name in {scheme, "https"}
    ]


def creation_options(
    base_url: str, owner: str, name: str, challenge: bytes, known: Sequence[Passkey]
) -> dict[str, Any]:
    """The options for creating a passkey, as JSON, for an authenticator that has none of the known ones."""
    from webauthn import base64url_to_bytes, generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = generate_registration_options(
        rp_id=site_of(base_url) or "",
        rp_name=_SITE,
        user_name=name,
        # The same for all passkeys of a person, so that an authenticator replaces one that was removed here.
        user_id=tokens.derived_token(owner, "passkey").encode(),
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(base64url_to_bytes(passkey.credential)) for passkey in known
        ],
    )
    found: dict[str, Any] = json.loads(options_to_json(options))
    return found


def request_options(base_url: str, challenge: bytes) -> dict[str, Any]:
    """The options for signing in with any passkey of this site, as JSON."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import UserVerificationRequirement

    options = generate_authentication_options(
        rp_id=site_of(base_url) or "",
        challenge=challenge,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    found: dict[str, Any] = json.loads(options_to_json(options))
    return found


def credential_id_in(answer: str) -> str:
    """The id of the credential in a response; empty if the response is malformed."""
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    credential = found.get("id") if isinstance(found, dict) else None
    return credential if isinstance(credential, str) and _CREDENTIAL.fullmatch(credential) else ""


def verify_registration(base_url: str, challenge: bytes, answer: str) -> tuple[str, bytes, int]:
    """The credential id, public key and sign count of a new passkey; raises PasskeyRejected.

    The authenticator must have asked for a fingerprint, a face or a PIN, as it must whenever it signs.
    """
    from webauthn import verify_registration_response
    from webauthn.helpers import bytes_to_base64url

    try:
        found = verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=site_of(base_url) or "",
            expected_origin=origins_of(base_url),
            require_user_verification=True,
        )
    except Exception as error:  # the library raises errors of many kinds for malformed answers
        raise PasskeyRejected from error
    return bytes_to_base64url(found.credential_id), found.credential_public_key, found.sign_count


def verify_sign_in(base_url: str, challenge: bytes, answer: str, passkey: Passkey) -> int:
    """The new sign count of a passkey; raises PasskeyRejected, even if only the count went backwards."""
    from webauthn import verify_authentication_response

    try:
        found = verify_authentication_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=site_of(base_url) or "",
            expected_origin=origins_of(base_url),
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except Exception as error:
        raise PasskeyRejected from error
    return found.new_sign_count
