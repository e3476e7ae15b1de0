"""The readiness check: not ready before the server has started, nor once it is stopping."""

import asyncio
import signal

import pytest
import uvicorn
from server_browser import visiting
from server_config import config_at
from sqlalchemy import text

from hegemon.server import readiness
from hegemon.server.app import create_app
from hegemon.server.config import Limit, Limits
from hegemon.server.readiness import Readiness
from hegemon.server.runner import AppServer


@pytest.fixture(autouse=True)
def _asks_each_time(monkeypatch):
    monkeypatch.setattr(readiness, "CHECK_INTERVAL", 0)
    monkeypatch.setattr("hegemon.server.db.database.PROBE_INTERVAL", 0)


async def test_a_server_is_ready_from_its_start_until_it_stops(database):
    async with visiting(database) as client:
        phases = client.app.state.readiness
        answer = await client.get("/ready")
        assert (answer.status_code, answer.json()) == (200, {"ready": True, "reason": ""})
        phases.stop()
        answer = await client.get("/ready")
        assert (answer.status_code, answer.json()) == (503, {"ready": False, "reason": readiness.STOPPING})
        assert (await client.get("/health")).status_code == 200, "it is still alive"
        assert (await client.get("/rules")).status_code == 200, "and answers"
        assert await Readiness().reason(client.app.state.tables) == readiness.STARTING
    assert await phases.reason(client.app.state.tables) == readiness.STOPPING


async def test_it_stops_being_ready_before_anything_else_stops(database, monkeypatch):
    async with visiting(database) as client:
        tables, seen = client.app.state.tables, []
        close = tables.close

        async def closing():
            seen.append(await client.app.state.readiness.reason(tables))
            await close()

        monkeypatch.setattr(tables, "close", closing)
    assert seen == [readiness.STOPPING]


async def test_a_database_that_fails_or_was_migrated_further_makes_it_unready(database):
    async with visiting(database) as client:
        store = client.app.state.tables.store
        async with store.database.writing() as connection:
            await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        answer = await client.get("/ready")
        assert (answer.status_code, answer.json()["reason"]) == (503, readiness.SCHEMA_MISMATCH)
        async with store.database.writing() as connection:
            await connection.execute(text("DROP TABLE alembic_version"))
        answer = await client.get("/ready")
        assert (answer.status_code, answer.json()["reason"]) == (503, readiness.NO_DATABASE)
        assert "alembic" not in answer.text


async def test_a_background_task_that_fails_makes_it_unready(client):
    background = client.app.state.tables.background
    background.failing.add("clocks")
    answer = await client.get("/ready")
    assert (answer.status_code, answer.json()["reason"]) == (503, readiness.FAILING_TASKS)
    background.report_success("clocks")
    assert (await client.get("/ready")).status_code == 200


async def test_a_failing_database_is_checked_once_a_second_for_all(client, monkeypatch):
    monkeypatch.setattr(readiness, "CHECK_INTERVAL", 60)
    database, asked = client.app.state.tables.store.database, []

    async def is_healthy():
        asked.append(1)
        await asyncio.sleep(0)
        return False

    monkeypatch.setattr(database, "is_healthy", is_healthy)
    answers = await asyncio.gather(*(client.get("/ready") for _ in range(20)))
    assert {answer.json()["reason"] for answer in answers} == {readiness.NO_DATABASE}
    assert len(asked) == 1


async def test_it_has_no_rate_limit(database):
    strict = Limits(token=Limit(0.001, 2), address=Limit(0.001, 2))
    async with visiting(database, config_at(database, limits=strict)) as client:
        for path in ("/ready", "/health"):
            assert {(await client.get(path)).status_code for _ in range(10)} == {200}


def test_a_signal_ends_readiness_immediately(database):
    app = create_app(config_at(database))
    said = []
    server = AppServer(app, uvicorn.Config(app), lambda: None, lambda: None, lambda: said.append("stopping"))
    for _ in range(2):
        server.handle_exit(signal.SIGTERM, None)
    assert said == ["stopping"]
    assert server.should_exit
