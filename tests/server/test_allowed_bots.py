"""Bots from other packages and programs: only those that the host allows can be seated."""

import asyncio
import logging
from pathlib import Path

import pytest
from bot_programs import write_program
from server_browser import Browser, visiting
from server_config import config_at

from hegemon import Game
from hegemon.bots import BOTS
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables.moves import submit_move
from hegemon.server.tables.registry import TableRegistry


@pytest.fixture
def solon(tmp_path):
    """Allow a program under the name `solon`; it plays what an expression of its choices evaluates to."""

    def allowed(answer="choices[-1]"):
        return {"solon": write_program(tmp_path / "solon.py", answer)}

    return allowed


@pytest.mark.parametrize(
    ("language", "group"), [("en", "Bots of this server"), ("de", "Bots dieses Servers")]
)
async def test_the_start_page_and_the_api_show_the_name_of_a_bot_but_not_its_command(
    database, solon, language, group
):
    async with visiting(database, config_at(database, allowed_bots=solon())) as client:
        page = (await client.get("/", headers={"accept-language": language})).text
        assert group in page
        assert ">Bot: solon<" in page
        names = (await client.get("/api/bots")).json()
        assert names == [
            *({"name": name, "built_in": True} for name in BOTS),
            {"name": "solon", "built_in": False},
        ]
        refused = await client.post("/api/games", json={"seats": [{}, {"bot": "genius"}]})
        assert refused.json()["detail"].endswith(", solon.")
        for text in (page, str(names), refused.text):
            assert "program:" not in text


async def test_a_server_without_allowed_bots_has_no_group_for_them(client):
    assert "Bots of this server" not in (await client.get("/")).text
    assert {bot["name"] for bot in (await client.get("/api/bots")).json()} == {*BOTS}


async def test_an_allowed_bot_can_be_seated_on_the_page(database, solon):
    async with visiting(database, config_at(database, allowed_bots=solon())) as client:
        browser = Browser(client)
        await browser.take_seat(seat1="me", seat2="solon")
        tables = client.app.state.tables
        table = await tables.load(browser.path.rpartition("/")[2])
        assert table.seats[1].bot == "solon"
        page = await browser.get(f"{browser.path}/seats")
        assert '<option value="solon">solon</option>' in page.page
        await browser.post(f"/games/{table.id}/seats/2/bot", {"bot": "chance"})
        await browser.post(f"/games/{table.id}/seats/2/bot", {"bot": "solon"})
        assert table.seats[1].bot == "solon"


@pytest.mark.parametrize("bot", ["program:true", "json:loads", "solon"])
async def test_a_bot_that_is_not_allowed_is_rejected(client, bot):
    created = await client.post("/api/games", json={"seats": [{}, {"bot": bot}]})
    assert created.status_code == 422
    assert (await client.post("/games", data={"seat1": "me", "seat2": bot})).status_code == 422


async def playing(database, bot="solon", **config):
    """A table whose first player is a bot, after the bot's first turn."""
    tables = TableRegistry(Store(database), config_at(database, **config))
    rows = [SeatRow(bot, None), SeatRow(None, "ben")]
    table = await tables.load(await tables.create(Game(2, seed=1), rows))
    await tables.bots.wait(table)
    return tables, table


async def test_the_choices_of_an_allowed_bot_are_played(database, solon):
    tables, table = await playing(database, allowed_bots=solon())
    first = Game(2, seed=1).choices
    assert len(first) > 1
    assert table.game.moves[0] == first[-1]
    assert table.game.seat == 1
    await tables.close()


@pytest.mark.parametrize("answer", ["'nonsense'", "1 / 0"])
async def test_a_bot_that_fails_is_replaced_and_the_log_says_so(database, solon, caplog, answer):
    with caplog.at_level(logging.ERROR):
        tables, table = await playing(database, allowed_bots=solon(answer), substitute_bot="greedy")
    assert table.game.seat == 1
    said = [record.getMessage() for record in caplog.records if record.name == "hegemon.server"]
    assert said == ["the bot solon failed, and greedy plays on"]
    await tables.close()


@pytest.mark.parametrize("bot", ["solon", "program:true"])
async def test_a_bot_that_is_no_longer_allowed_is_replaced(database, bot):
    tables, table = await playing(database, bot, substitute_bot="greedy")
    assert table.game.seat == 1
    await tables.close()


async def test_a_bot_class_that_makes_an_illegal_choice_is_replaced(database, caplog):
    class Cheat:
        def choose(self, view, memory, choices):
            return "Q9"

    made = []

    def make(name):
        made.append(name)
        return Cheat() if name == "my:Cheat" else BOTS[name](1)

    tables, table = await playing(
        database, "cheat", allowed_bots={"cheat": "my:Cheat"}, make_bot=make, substitute_bot="greedy"
    )
    assert made == ["my:Cheat", "greedy"]
    assert table.game.seat == 1
    await tables.close()


@pytest.mark.slow
async def test_a_program_ends_when_its_game_is_over(database, solon, tmp_path):
    tables, table = await playing(database, allowed_bots=solon("choices[0]"))
    number = int((tmp_path / "solon.pid").read_text())
    assert Path(f"/proc/{number}").exists()
    while not table.game.over:
        choice = table.game.choices_of(1)[0]
        await submit_move(tables, table, 1, choice, table.version, None)
        await tables.bots.wait(table)
    while Path(f"/proc/{number}").exists():  # a thread ends it
        await asyncio.sleep(0.01)
    await tables.close()
