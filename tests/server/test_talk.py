"""Talk: phrases in every reader's language, texts within limits, onlookers apart, and the right not to hear."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from markupsafe import escape
from server_browser import Browser, visiting

from hegemon import Game
from hegemon.prose.translator import get_translator, languages
from hegemon.rules.view import SPECTATOR
from hegemon.server import identity
from hegemon.server.store import Line, SeatRow
from hegemon.server.streams import news
from hegemon.server.talk import LONGEST_TEXT, PHRASES, CannotSay, Talk, Wish, clean_text, sentence_of

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
NAMES = ("Ada", "Ben", "Cleo")


def say(talk, wish, seat=0, speaker="ada", at=NOON):
    line = talk.line(wish, seat, speaker, 3, at)
    talk.hear(line)
    return line


# ------------------------------------------------------------------ what may be said


@pytest.mark.parametrize("key", PHRASES)
@pytest.mark.parametrize("language", languages())
def test_a_phrase_names_what_it_is_about_in_every_language(key, language):
    line = say(Talk(), Wish(phrase=key, about=1, domain="S"))
    sentence = sentence_of(line, NAMES, get_translator(language))
    assert ("Ben" in sentence) == PHRASES[key].player
    assert (get_translator(language).domains[3] in sentence) == PHRASES[key].domain
    assert "{" not in sentence


@pytest.mark.parametrize(
    ("wish", "key"),
    [
        (Wish(), "nothing"),
        (Wish(text=" \u200b\n\x07 "), "nothing"),
        (Wish(text="a" * (LONGEST_TEXT + 1)), "long"),
        (Wish(phrase="insult"), "phrase"),
        (Wish(phrase="stop"), "player"),
        (Wish(phrase="stop", about=0), "player"),
        (Wish(phrase="stop", about=3), "player"),
        (Wish(phrase="leave"), "domain"),
        (Wish(phrase="leave", domain="MR"), "domain"),
        (Wish(phrase="leave", domain="x"), "domain"),
    ],
)
def test_what_cannot_be_said_says_why(wish, key):
    with pytest.raises(CannotSay) as refused:
        say(Talk(), wish)
    assert refused.value.key == key
    assert refused.value.sentence(get_translator("en"))


def test_onlookers_have_the_phrases_that_name_nobody():
    talk = Talk()
    assert say(talk, Wish(phrase="hello", name="Eve"), None, "eve").name == "Eve"
    with pytest.raises(CannotSay):
        say(talk, Wish(phrase="stop", about=1), None, "eve")


def test_a_text_is_one_line_of_signs_that_can_be_seen():
    assert clean_text(" Good\r\n\tday,\u202e Ada\x00! ") == "Good day, Ada !"
    assert clean_text("e\u0301") == "\u00e9"


def test_nobody_says_very_much_at_once():
    talk = Talk()
    for second in range(5):
        say(talk, Wish(text="and"), at=NOON + timedelta(seconds=second))
    with pytest.raises(CannotSay, match="often"):
        say(talk, Wish(text="and"), at=NOON + timedelta(seconds=9))
    assert say(talk, Wish(text="hello"), 1, "ben").number == 6
    assert say(talk, Wish(text="and"), at=NOON + timedelta(seconds=10)).number == 7


def test_only_the_last_lines_stay(monkeypatch):
    monkeypatch.setattr("hegemon.server.talk.MOST_LINES", 2)
    talk = Talk([Line(7, NOON, 0, "ada", text="seven")])
    say(talk, Wish(text="eight"), 1, "ben")
    say(talk, Wish(text="nine"))
    assert [line.number for line in talk.lines] == [8, 9]


def test_onlookers_talk_apart_until_the_game_is_over():
    talk = Talk()
    say(talk, Wish(text="mine"))
    say(talk, Wish(text="aside"), None, "eve")
    assert [line.text for line in talk.heard_by(0, over=False)] == ["mine"]
    for viewer, over in ((SPECTATOR, False), (SPECTATOR, True), (0, True)):
        assert [line.text for line in talk.heard_by(viewer, over)] == ["mine", "aside"]


# ------------------------------------------------------------------ at a table


@pytest.fixture
async def people(database):
    """Ada and Ben at one table, and Eve, who looks on; each reads another language."""
    async with visiting(database) as ada, visiting(database) as ben, visiting(database) as eve:
        ben.app.state.tables = eve.app.state.tables = ada.app.state.tables
        seats = []
        for client, language in ((ada, "en"), (ben, "de"), (eve, "pl")):
            token = identity.new_token()
            client.cookies.set(identity.COOKIE, token)
            client.headers["accept-language"] = language
            seats.append(SeatRow(None, identity.holder_of(token)))
        tables = ada.app.state.tables
        game_id = await tables.open(Game(3, seed=1, names=NAMES), [*seats[:2], SeatRow("chance", None)])
        browsers = [Browser(client) for client in (ada, ben, eve)]
        for browser in browsers:
            await browser.get(f"/games/{game_id}")
        yield browsers


async def everybody_looks(people):
    return [(await person.get(person.path)).page for person in people]


async def test_a_phrase_reaches_each_reader_in_their_own_language(people):
    ada, *_ = people
    await ada.post(f"{ada.path}/talk", {"phrase": "spare", "about": "2", "domain": "S", "seat": "1"})
    assert ada.status == 200
    for person, language in zip(people, ("en", "de", "pl"), strict=True):
        said = get_translator(language)
        sentence = said.text(PHRASES["spare"].sentence, name="Ben", domain=said.domains[3])
        assert sentence in (await person.get(person.path)).page


async def test_a_text_is_shown_as_it_was_written_and_never_as_html(people):
    ada, *_ = people
    await ada.post(f"{ada.path}/talk", {"text": "<b>I & you</b>"})
    for page in await everybody_looks(people):
        assert str(escape("<b>I & you</b>")) in page
        assert "<b>I & you</b>" not in page


async def test_what_onlookers_say_is_for_onlookers(people):
    _, _, eve = people
    eve.client.cookies.delete(identity.COOKIE)
    await eve.post(f"{eve.path}/talk", {"text": "Ada should attack", "name": "Eve"})
    assert identity.COOKIE in eve.client.cookies
    *players, watching = await everybody_looks(people)
    assert "Ada should attack" in watching
    assert 'value="Eve"' in watching
    assert not any("Ada should attack" in page for page in players)


async def test_a_script_gets_a_few_words_and_a_form_the_page_with_the_reason(people):
    ada, *_ = people
    answer = await ada.client.post(
        f"{ada.path}/talk", data={"text": "Good day"}, headers={"accept": "application/json"}
    )
    assert (answer.status_code, answer.json()) == (201, {})
    answer = await ada.client.post(
        f"{ada.path}/talk", data={"text": ""}, headers={"accept": "application/json"}
    )
    assert (answer.status_code, answer.json()) == (422, {"why": "There is nothing to say."})
    await ada.post(f"{ada.path}/talk", {"phrase": "stop"})
    assert ada.status == 422
    assert "which player you mean" in ada.page


async def test_nobody_speaks_for_another_seat(people):
    ada, *_ = people
    assert (await ada.post(f"{ada.path}/talk", {"text": "I am Ben", "seat": "2"})).status == 403


async def test_whom_one_mutes_one_does_not_hear_and_nobody_learns_of_it(people):
    ada, ben, _ = people
    await ada.post(f"{ada.path}/talk", {"text": "blah"})
    before = (await ada.get(ada.path)).page
    await ben.post(f"{ben.path}/mute", {"voice": "seat1", "seat": "2"})
    assert "blah" not in ben.page
    assert get_translator("de").text("Hear {name} again", name="Ada") in ben.page
    assert without_commands((await ada.get(ada.path)).page) == without_commands(before)
    await ben.post(f"{ben.path}/mute", {"voice": "seat1", "seat": "2"})
    assert "blah" in ben.page


def without_commands(page):
    return [line for line in page.splitlines() if 'name="command"' not in line]


async def test_an_onlooker_can_be_muted_too(people):
    *_, eve = people
    await eve.post(f"{eve.path}/talk", {"text": "noise"})
    other = Browser(eve.client)
    eve.client.cookies.delete(identity.COOKIE)
    await other.get(eve.path)
    assert "noise" in other.page
    voice = other.page.split('form="mute" name="voice" value="')[-1].split('"')[0]
    await other.post(f"{eve.path}/mute", {"voice": voice})
    assert "noise" not in other.page


async def test_there_is_no_talk_box_where_nobody_else_could_read(browser):
    await browser.sit_down(seat1="me", seat2="chance")
    assert "say-text" in browser.page  # the form is there, but has no field
    assert 'id="talk"' not in browser.page


async def test_what_is_said_comes_by_the_stream(people):
    ada, ben, _ = people
    tables = ada.client.app.state.tables
    table = await tables.table(ada.path.split("/")[-1])
    stream = asyncio.create_task(ben.client.get(f"{ben.path}/stream"))
    while not table.listeners:
        await asyncio.sleep(0)
    await ada.post(f"{ada.path}/talk", {"phrase": "well-played"})
    tables.dismiss()
    sentence = get_translator("de").text(PHRASES["well-played"].sentence)
    assert sentence in (await stream).text.split("event: regions")[-1]


async def test_another_worker_may_have_been_quicker(people):
    ada, *_ = people
    tables = ada.client.app.state.tables
    table = await tables.table(ada.path.split("/")[-1])
    await tables.store.add_line(table.id, Line(1, NOON, 1, "ben", text="first"))
    await ada.post(f"{ada.path}/talk", {"text": "second"})
    assert [line.text for line in table.talk.lines] == ["first", "second"]


# ------------------------------------------------------------------ programs


async def test_programs_talk_too(people):
    ada, ben, eve = people
    path = f"/api{ada.path}"
    bearer = [{"authorization": f"Bearer {person.client.cookies[identity.COOKIE]}"} for person in people[:2]]
    tables = ada.client.app.state.tables
    table = await tables.table(ada.path.split("/")[-1])
    stream = news(table, 1, -1, get_translator("de"))
    await anext(stream)
    await eve.post(f"{eve.path}/talk", {"text": "aside"})
    answer = await ada.client.post(f"{path}/talk", json={"phrase": "stop", "about": 3}, headers=bearer[0])
    assert answer.status_code == 200
    assert answer.json()["sentence"] == "Let us stop Cleo together."
    heard = (await ben.client.get(f"{path}/talk", headers=bearer[1])).json()
    assert [(line["seat"], line["phrase"], line["about"], line["name"]) for line in heard] == [
        (1, "stop", 3, "Ada")
    ]
    told = (await anext(stream)).decode()
    assert told.startswith("event: talk")
    assert heard[0]["sentence"] in told
    await stream.aclose()


async def test_programs_are_told_why_they_cannot_say_something(people):
    ada, *_ = people
    path = f"/api{ada.path}/talk"
    bearer = {"authorization": f"Bearer {ada.client.cookies[identity.COOKIE]}"}
    assert (await ada.client.post(path, json={"text": "x"})).status_code == 401
    answer = await ada.client.post(path, json={"text": "x" * 300}, headers=bearer)
    assert (answer.status_code, answer.json()["why"]) == (
        422,
        f"That is too long: {LONGEST_TEXT} characters are the most.",
    )
