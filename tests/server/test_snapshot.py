"""The snapshot of a version: everything that readers need is computed once."""

import asyncio
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from server_browser import Browser, visiting

import hegemon
from hegemon.play.game import Game
from hegemon.rules.engine import legal
from hegemon.rules.position import Question
from hegemon.rules.view import SPECTATOR
from hegemon.server.config import ServerConfig
from hegemon.server.tables.table import Snapshot
from hegemon.views.table import TableInfo, game_table

PACKAGE = str(Path(hegemon.__file__).parent)

#: The most calls of our own functions in one click, with one stream open; 3,089 before there were snapshots.
MAX_CALLS = 1200


class Work:
    """Calls of functions in our package; a generator that is resumed is not called again."""

    def __init__(self):
        self.calls = Counter()
        self.legal = Counter()

    @contextmanager
    def counted(self, table):
        def profile(frame, event, _):
            if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE) or frame.f_lasti > 2:
                return
            self.calls[frame.f_code.co_qualname] += 1
            if frame.f_code is legal.__code__:
                self.legal[len(table.game.moves), frame.f_locals["position"].seat] += 1

        sys.setprofile(profile)
        try:
            yield self
        finally:
            sys.setprofile(None)


@pytest.mark.parametrize("variant", ["basic", "draft"])
async def test_legal_choices_are_computed_once_per_move(database, variant):
    async with visiting(database, ServerConfig(database, new_seed=lambda: 5)) as client:
        ada = Browser(client)
        await ada.take_seat(seat1="me", seat2="person", seat3="person", variant=variant)
        tables = client.app.state.tables
        table = await tables.load(ada.path.split("/")[2])
        stream = asyncio.create_task(client.get(f"{ada.path}/stream?seat=1"))
        while not table.subscribers:
            await asyncio.sleep(0)
        await ada.get(f"{ada.path}?seat=1")
        data = {name: ada.hidden(name) for name in ("version", "seat", "idempotency_key")}
        await client.app.state.notices.close()  # it works later, for many moves at once
        with Work().counted(table) as work:
            answer = await client.post(
                f"{ada.path}/moves",
                data=data | {"choice": ada.words[0]},
                headers={"accept": "application/json"},
            )
            while table.version == 0 or table._notification is not None:
                await asyncio.sleep(0)
        tables.disconnect_all()
        await stream
    assert answer.status_code < 300
    assert max(work.legal.values()) == 1, work.legal
    assert work.calls.total() <= MAX_CALLS, work.calls.most_common(10)


async def test_readers_of_one_version_share_what_is_computed(database):
    async with visiting(database, ServerConfig(database, new_seed=lambda: 5)) as client:
        ada = Browser(client)
        await ada.take_seat(seat1="me", seat2="person")
        table = await client.app.state.tables.load(ada.path.split("/")[2])
        before = table.snapshot
        await ada.get(f"{ada.path}?seat=1")
        assert table.snapshot is before
        assert before.memory(0) is before.memory(0)
        assert before.events(1) is before.events(1)
        await ada.submit_move(ada.words[0])
        assert table.snapshot is not before
        assert table.snapshot.choices_of(0) == table.game.choices_of(0)


@pytest.mark.scenario
@pytest.mark.parametrize("variant", ["basic", "draft"])
def test_viewers_share_only_what_all_of_them_see(variant):
    chance, given = Random(7), 0
    for seed in range(12):
        game = Game(4, variant, seed=seed)
        while not game.over:
            game.play(chance.choice(game.choices))
            given += game.position.question == Question.GIVE
            snapshot = Snapshot(game, waiting=False)
            for viewer in chance.sample((SPECTATOR, 0, 1, 2, 3), 2):
                shared = snapshot.table_view(viewer, TableInfo(), with_memory=False, names=game.names)
                alone = game_table(game, viewer, info=TableInfo())
                assert replace(shared, view=alone.view, position=alone.position, public=alone.public) == alone
                assert (shared.result, shared.majority) == (alone.result, alone.majority)
    assert given > 10  # after an Inquisition, two viewers see different backs
