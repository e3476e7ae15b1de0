"""Chat: phrases in every reader's language, limits of texts, messages of spectators, and muting."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from markupsafe import escape
from server_browser import Browser, visiting

from hegemon import Game
from hegemon.prose.translator import FORMS, get_translator, languages
from hegemon.rules.view import SPECTATOR
from hegemon.server.api.sse import table_events
from hegemon.server.db.rows import MessageRow, SeatRow
from hegemon.server.security import tokens as identity
from hegemon.server.tables.chat import (
    PHRASES,
    ChatLog,
    MessageRequest,
    author_name,
    clean_text,
    message_text,
    mute_key_of,
    phrases_for,
)
from hegemon.server.tables.errors import MAX_MESSAGE_LENGTH, ChatRejected

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
NAMES = ("Ada", "Ben", "Cleo")


def submit_move(chat, wish, seat=0, speaker="ada", at=NOON):
    line = chat.new_message(wish, seat, speaker, 3, at)
    chat.append(line)
    return line


# ------------------------------------------------------------------ messages and phrases


@pytest.mark.parametrize("key", PHRASES)
@pytest.mark.parametrize("language", languages())
def test_a_phrase_names_its_player_and_domain_in_every_language(key, language):
    line = submit_move(ChatLog(), MessageRequest(phrase=key, target=1, domain="S"))
    sentence = message_text(line, NAMES, get_translator(language))
    assert ("Ben" in sentence) == PHRASES[key].names_player
    forms = {format(get_translator(language).domains[3], form) for form in ("", *FORMS)}
    assert any(form in sentence for form in forms) == PHRASES[key].names_domain
    assert "{" not in sentence


@pytest.mark.parametrize("language", languages())
def test_an_offered_phrase_has_placeholders(language):
    offered = phrases_for(0, get_translator(language))
    assert [p["key"] for p in offered if "…" in p["text"]] == [
        p["key"] for p in offered if p["player"] or p["domain"]
    ]


@pytest.mark.parametrize(
    ("wish", "key"),
    [
        (MessageRequest(), "nothing"),
        (MessageRequest(text=" \u200b\n\x07 "), "nothing"),
        (MessageRequest(text="a" * (MAX_MESSAGE_LENGTH + 1)), "long"),
        (MessageRequest(phrase="insult"), "phrase"),
        (MessageRequest(phrase="stop"), "player"),
        (MessageRequest(phrase="stop", target=0), "player"),
        (MessageRequest(phrase="stop", target=3), "player"),
        (MessageRequest(phrase="leave"), "domain"),
        (MessageRequest(phrase="leave", domain="MR"), "domain"),
        (MessageRequest(phrase="leave", domain="x"), "domain"),
    ],
)
def test_a_rejected_message_gets_the_reason(wish, key):
    with pytest.raises(ChatRejected) as rejected:
        submit_move(ChatLog(), wish)
    assert rejected.value.key == key
    assert rejected.value.sentence(get_translator("en"))


def test_spectators_may_use_phrases_without_names():
    chat = ChatLog()
    assert submit_move(chat, MessageRequest(phrase="hello", name="Eve"), None, "eve").name == "Eve"
    with pytest.raises(ChatRejected):
        submit_move(chat, MessageRequest(phrase="stop", target=1), None, "eve")


def test_a_text_is_one_line_of_visible_characters():
    assert clean_text(" Good\r\n\tday,\u202e Ada\x00! ") == "Good day, Ada !"
    assert clean_text("e\u0301") == "\u00e9"


def test_bursts_of_messages_are_limited():
    chat = ChatLog()
    for second in range(5):
        submit_move(chat, MessageRequest(text="and"), at=NOON + timedelta(seconds=second))
    with pytest.raises(ChatRejected, match=r"^often$"):
        submit_move(chat, MessageRequest(text="and"), at=NOON + timedelta(seconds=9))
    assert submit_move(chat, MessageRequest(text="hello"), 1, "ben").number == 6
    assert submit_move(chat, MessageRequest(text="and"), at=NOON + timedelta(seconds=10)).number == 7


def test_only_the_latest_messages_are_kept(monkeypatch):
    monkeypatch.setattr("hegemon.server.tables.chat.MAX_MESSAGES", 2)
    chat = ChatLog([MessageRow(7, NOON, 0, "ada", text="seven")])
    submit_move(chat, MessageRequest(text="eight"), 1, "ben")
    submit_move(chat, MessageRequest(text="nine"))
    assert [line.number for line in chat.messages] == [8, 9]


def test_players_do_not_see_spectators_messages_until_the_game_is_over():
    chat = ChatLog()
    submit_move(chat, MessageRequest(text="mine"))
    submit_move(chat, MessageRequest(text="aside"), None, "eve")
    assert [line.text for line in chat.visible_to(0, over=False)] == ["mine"]
    for viewer, over in ((SPECTATOR, False), (SPECTATOR, True), (0, True)):
        assert [line.text for line in chat.visible_to(viewer, over)] == ["mine", "aside"]


def test_a_message_contains_only_the_fields_of_its_phrase():
    chat = ChatLog([MessageRow(7, NOON, 0, "ada", text="seven")])
    request = MessageRequest("stop", 2, "M", "text", "Name", "key")
    assert chat.new_message(request, 1, "ben", 3, NOON) == MessageRow(
        8, NOON, 1, "ben", phrase="stop", target=2, idempotency_key="key"
    )
    assert chat.new_message(replace(request, phrase="leave"), 1, "ben", 3, NOON) == MessageRow(
        8, NOON, 1, "ben", phrase="leave", domain="M", idempotency_key="key"
    )
    assert chat.new_message(replace(request, phrase="hello"), None, "eve", 3, NOON) == MessageRow(
        8, NOON, None, "eve", "Name", phrase="hello", idempotency_key="key"
    )
    assert chat.new_message(replace(request, phrase=""), None, "eve", 3, NOON) == MessageRow(
        8, NOON, None, "eve", "Name", text="text", idempotency_key="key"
    )
    assert chat.new_message(MessageRequest(text="a" * MAX_MESSAGE_LENGTH), 0, "ada", 3, NOON).number == 8


def test_the_author_is_shown_as_a_player_a_name_or_a_spectator():
    english, german = get_translator("en"), get_translator("de")
    named, nameless = (MessageRow(1, NOON, None, "eve", name) for name in ("Eve", ""))
    assert author_name(MessageRow(1, NOON, 1, "ben", "Eve"), NAMES, english) == "Ben"
    assert [author_name(line, NAMES, english) for line in (named, nameless)] == ["Eve", "A spectator"]
    assert author_name(nameless, NAMES, german) == "Ein Zuschauer"


def test_the_mute_key_of_a_spectator_is_valid_at_one_table_only():
    player, eve = MessageRow(1, NOON, 1, "ben"), MessageRow(2, NOON, None, "eve")
    assert mute_key_of(player, "game") == "seat2"
    voices = {
        mute_key_of(eve, "game"),
        mute_key_of(eve, "other"),
        mute_key_of(replace(eve, author="fred"), "game"),
    }
    assert len(voices) == 3
    assert {len(voice) for voice in voices} == {12}
    authors, keys = ChatLog([player, eve]).authors_and_mute_keys("game")
    assert authors == {"ben", "eve"}
    assert keys == {"seat2", mute_key_of(eve, "game")}


def test_only_phrases_that_the_reader_may_post_are_offered():
    offered = phrases_for(0, get_translator("en"))
    assert [phrase["key"] for phrase in offered] == list(PHRASES)
    assert offered[3] == {
        "key": "spare",
        "text": "…, I won’t attack your … this round.",
        "player": True,
        "domain": True,
    }
    for_spectators = [phrase["key"] for phrase in phrases_for(SPECTATOR, get_translator("en"))]
    assert for_spectators == [
        key for key in PHRASES if key not in ("stop", "beware", "spare", "leave", "peace")
    ]


# ------------------------------------------------------------------ at a table


@pytest.fixture
async def people(database):
    """Ada and Ben at one table, and Eve, a spectator; each reads a different language."""
    async with visiting(database) as ada, visiting(database) as ben, visiting(database) as eve:
        ben.app.state.tables = eve.app.state.tables = ada.app.state.tables
        seats = []
        for client, language in ((ada, "en"), (ben, "de"), (eve, "pl")):
            token = identity.new_token()
            client.cookies.set(identity.COOKIE, token)
            client.headers["accept-language"] = language
            seats.append(SeatRow(None, identity.owner_of(token)))
        tables = ada.app.state.tables
        game_id = await tables.create(Game(3, seed=1, names=NAMES), [*seats[:2], SeatRow("chance", None)])
        browsers = [Browser(client) for client in (ada, ben, eve)]
        for browser in browsers:
            await browser.get(f"/games/{game_id}")
        yield browsers


async def everyone_looks(people):
    return [(await person.get(person.path)).page for person in people]


async def test_a_phrase_reaches_each_reader_in_their_own_language(people):
    ada, *_ = people
    await ada.post(f"{ada.path}/chat", {"phrase": "spare", "about": "2", "domain": "S", "seat": "1"})
    assert ada.status == 200
    for person, language in zip(people, ("en", "de", "pl"), strict=True):
        said = get_translator(language)
        sentence = said.text(PHRASES["spare"].sentence, name="Ben", domain=said.domains[3])
        assert sentence in (await person.get(person.path)).page


async def test_a_text_is_shown_as_it_was_written_and_never_as_html(people):
    ada, *_ = people
    await ada.post(f"{ada.path}/chat", {"text": "<b>I & you</b>"})
    for page in await everyone_looks(people):
        assert str(escape("<b>I & you</b>")) in page
        assert "<b>I & you</b>" not in page


async def test_messages_of_spectators_reach_spectators_only(people):
    _, _, eve = people
    eve.client.cookies.delete(identity.COOKIE)
    await eve.post(f"{eve.path}/chat", {"text": "Ada should attack", "name": "Eve"})
    assert identity.COOKIE in eve.client.cookies
    *players, watching = await everyone_looks(people)
    assert "Ada should attack" in watching
    assert 'value="Eve"' in watching
    assert not any("Ada should attack" in page for page in players)


async def test_a_script_gets_json_and_a_form_gets_the_page_with_the_reason(people):
    ada, *_ = people
    answer = await ada.client.post(
        f"{ada.path}/chat", data={"text": "Good day"}, headers={"accept": "application/json"}
    )
    assert (answer.status_code, answer.json()) == (201, {})
    answer = await ada.client.post(
        f"{ada.path}/chat", data={"text": ""}, headers={"accept": "application/json"}
    )
    assert (answer.status_code, answer.json()) == (422, {"why": "Type a message first."})
    await ada.post(f"{ada.path}/chat", {"phrase": "stop"})
    assert ada.status == 422
    assert "Choose another player" in ada.page


async def test_a_player_cannot_post_for_another_seat(people):
    ada, *_ = people
    assert (await ada.post(f"{ada.path}/chat", {"text": "I am Ben", "seat": "2"})).status == 403


async def test_muting_hides_an_author_from_one_reader_only(people):
    ada, ben, _ = people
    await ada.post(f"{ada.path}/chat", {"text": "blah"})
    before = (await ada.get(ada.path)).page
    await ben.post(f"{ben.path}/mute", {"voice": "seat1", "seat": "2"})
    assert "blah" not in ben.page
    assert get_translator("de").text("Unmute {name}", name="Ada") in ben.page
    assert without_commands((await ada.get(ada.path)).page) == without_commands(before)
    await ben.post(f"{ben.path}/mute", {"voice": "seat1", "seat": "2"})
    assert "blah" in ben.page


def without_commands(page):
    return [line for line in page.splitlines() if 'name="idempotency_key"' not in line]


async def test_a_spectator_can_be_muted_too(people):
    *_, eve = people
    await eve.post(f"{eve.path}/chat", {"text": "noise"})
    other = Browser(eve.client)
    eve.client.cookies.delete(identity.COOKIE)
    await other.get(eve.path)
    assert "noise" in other.page
    voice = other.page.split('form="mute" name="voice" value="')[-1].split('"')[0]
    await other.post(f"{eve.path}/mute", {"voice": voice})
    assert "noise" not in other.page


async def test_there_is_no_chat_if_no_one_else_can_read_it(browser):
    await browser.take_seat(seat1="me", seat2="chance")
    assert "chat-text" in browser.page  # the form is there, but has no field
    assert 'id="chat"' not in browser.page


async def test_a_posted_message_is_streamed(people):
    ada, ben, _ = people
    tables = ada.client.app.state.tables
    table = await tables.load(ada.path.split("/")[-1])
    stream = asyncio.create_task(ben.client.get(f"{ben.path}/stream"))
    while not table.subscribers:
        await asyncio.sleep(0)
    await ada.post(f"{ada.path}/chat", {"phrase": "well-played"})
    tables.disconnect_all()
    sentence = get_translator("de").text(PHRASES["well-played"].sentence)
    assert sentence in (await stream).text.split("event: regions")[-1]


async def test_a_message_is_numbered_after_one_from_another_worker(people):
    ada, *_ = people
    tables = ada.client.app.state.tables
    table = await tables.load(ada.path.split("/")[-1])
    await tables.store.messages.add(table.id, MessageRow(1, NOON, 1, "ben", text="first"))
    await ada.post(f"{ada.path}/chat", {"text": "second"})
    assert [line.text for line in table.chat.messages] == ["first", "second"]


# ------------------------------------------------------------------ programs


async def test_programs_can_chat(people):
    ada, ben, eve = people
    path = f"/api{ada.path}"
    bearer = [{"authorization": f"Bearer {person.client.cookies[identity.COOKIE]}"} for person in people[:2]]
    tables = ada.client.app.state.tables
    table = await tables.load(ada.path.split("/")[-1])
    stream = table_events(table, 1, -1, get_translator("de"))
    await anext(stream)
    await eve.post(f"{eve.path}/chat", {"text": "aside"})
    answer = await ada.client.post(f"{path}/chat", json={"phrase": "stop", "about": 3}, headers=bearer[0])
    assert answer.status_code == 200
    assert answer.json()["sentence"] == "Let’s stop Cleo together."
    heard = (await ben.client.get(f"{path}/chat", headers=bearer[1])).json()
    assert [(line["seat"], line["phrase"], line["about"], line["name"]) for line in heard] == [
        (1, "stop", 3, "Ada")
    ]
    told = (await anext(stream)).decode()
    assert told.startswith("event: chat")
    assert heard[0]["sentence"] in told
    await stream.aclose()


async def test_programs_get_the_reason_for_a_rejected_message(people):
    ada, *_ = people
    path = f"/api{ada.path}/chat"
    bearer = {"authorization": f"Bearer {ada.client.cookies[identity.COOKIE]}"}
    assert (await ada.client.post(path, json={"text": "x"})).status_code == 401
    answer = await ada.client.post(path, json={"text": "x" * 300}, headers=bearer)
    assert (answer.status_code, answer.json()["why"]) == (
        422,
        f"That is too long: {MAX_MESSAGE_LENGTH} characters at most.",
    )
