"""A passkey in a real browser, with an authenticator that Chromium simulates."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from hegemon import Game
from hegemon.prose.translator import get_translator
from hegemon.server.security import tokens

PHONE = {"viewport": {"width": 360, "height": 800}, "has_touch": True, "is_mobile": True}
AGENT = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/141.0 Mobile Safari/537.36"

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="session")
def site(site):
    """The server by its host name, since passkeys require one."""
    return replace(site, address=site.address.replace("127.0.0.1", "localhost"))


def authenticator_of(page):
    """A function that sends commands to the page's simulated authenticator."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    name = session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})["authenticatorId"]
    return lambda command, **facts: session.send(f"WebAuthn.{command}", {"authenticatorId": name, **facts})


def test_a_passkey_brings_a_person_to_another_device_until_it_is_signed_out(visit, site):
    token, german = tokens.new_token(), get_translator("de").text
    game = site.lay(Game(2, seed=5, names=("Ada", "Ben")), (None, "person"), token)
    laptop, phone = visit(token=token), visit("de", user_agent=AGENT, **PHONE)
    authenticator = authenticator_of(laptop)
    laptop.goto("/me")
    laptop.get_by_role("button", name="Add a passkey").click()
    expect(laptop.locator("#passkeys li")).to_have_count(1)
    (credential,) = authenticator("getCredentials")["credentials"]

    synced = authenticator_of(phone)
    phone.goto("/me")
    sign_in = phone.get_by_role("button", name=german("Sign in with a passkey"))
    sign_in.tap()  # there is none yet
    expect(phone.get_by_role("alert")).to_have_text(german("You were not signed in."))
    synced("addCredential", credential=credential)
    sign_in.tap()
    expect(phone.locator("#devices")).to_contain_text(german("this device"))
    phone.goto(f"/games/{game}")
    phone.locator("#table").wait_for()

    laptop.reload()
    laptop.get_by_role("button", name="Sign out: Chrome on Android").click()
    expect(phone.get_by_text(german("This device was signed out."))).to_be_visible()
