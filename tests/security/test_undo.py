"""Undo: each one is saved and replayed, so a game with too many of them would stall the server."""

import pytest
from server_program import Program

from hegemon.server.tables import table as tables_table


@pytest.fixture
def few_undos(monkeypatch):
    monkeypatch.setattr(tables_table, "MAX_UNDOS", 3)


async def pick_and_undo(program: Program, version: int) -> tuple[int, dict]:
    """Make the first pick and undo it; the status of the undo, and the state before it."""
    choice = (await program.state())["choices"][0]["choice"]
    assert (await program.submit_move(choice, version, f"{version}")).status_code == 200
    state = await program.state()
    return (await program.submit_move("undo", version + 1, f"{version + 1}")).status_code, state


async def test_the_undos_of_a_player_are_limited(client, few_undos):
    ada, ben = await Program.create(client, seats=[{}, {}], variant="draft")
    for number in range(3):
        status, state = await pick_and_undo(ada, 2 * number)
        assert status == 200
        assert state["undo"]
    status, state = await pick_and_undo(ada, 6)
    assert status == 422
    assert not state["undo"]
    page = await client.get(f"/games/{ada.game}", headers={"cookie": f"hegemon={ada.token}"})
    assert 'value="undo"' not in page.text
    # Another player has a separate limit, also after the table has been reloaded.
    client.app.state.tables.forget([ada.game])
    assert (await ada.submit_move("undo", 7, "again")).status_code == 422
    choice = (await ben.state())["choices"][0]["choice"]
    assert (await ben.submit_move(choice, 7, "ben")).status_code == 200
